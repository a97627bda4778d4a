"""Rows that are made twice: first one by one, undone and recorded; then all at once, by the statements recorded.

A handler takes milliseconds for a record, and nobody else writes to SQLite meanwhile. What it sends to the database in
the end takes some microseconds. So each row's handler runs in a savepoint, in as many short transactions as it takes,
and what it sent is kept. When all rows have passed, one short transaction sends that for all of them.

What happens between the two is noticed: the recording has what each handler read, and it is read again. Handlers may
only add rows. One that changes others, or takes a number, would not know of the rows before it.
"""

import hashlib
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from functools import cache, lru_cache
from itertools import islice
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any, Self

import msgspec
import sqlalchemy as sa

from . import counters, events, work
from .context import Context, Event
from .db import UTCDateTime, metadata
from .fields import Moment
from .statements import at_once
from .wire import encode

if TYPE_CHECKING:
    from .app import App

_MOST_AT_ONCE = 500  # rows that one statement inserts
_MOST_VALUES = 30_000  # of one statement, of which SQLite takes 32,766
_EVENTS_AT_ONCE, _IN_MEMORY = 500, 1 << 20
_DATE = 1  # what marks one in MessagePack


class Row(msgspec.Struct, array_like=True):
    """What one row's handler sent, as places in `texts` with values; from `told_from` on for those who hear of it."""

    writes: list[tuple[int, Any]]
    told_from: int
    events: list[tuple[str, str, bytes]]


class Recording(msgspec.Struct, array_like=True):
    """What the handlers of some rows sent, read and counted.

    `edition` tells recordings of other code or tables, `moment` is when the rows were made, and `reads` has a digest of
    what each query gave. `keys` are digests of what must be unique, each with the place of its row.
    """

    edition: str
    moment: str
    texts: list[str]
    rows: list[Row]
    reads: list[tuple[int, Any, bytes]]
    counted: dict[str, int]
    keys: list[tuple[int, bytes]]

    def packed(self) -> bytes:
        """The recording as it is stored."""
        return zlib.compress(_PACK(self), 1)

    @classmethod
    def of(cls, packed: bytes) -> "Recording":
        return _UNPACK(zlib.decompress(packed))

    def is_current(self, ctx: Context, known: dict[Any, bytes]) -> bool:
        """Whether handlers would read the same now; `known` keeps what was read, for the next recording."""
        if self.edition != edition(ctx.app):
            return False
        for text, values, before in self.reads:
            name = (self.texts[text], _PACK(values))
            if (now := known.get(name)) is None:
                now = known[name] = _digest(ctx.db, self.texts[text], values)
            if now != before:
                return False
        return True


class Rehearsal:
    """Records what handlers send on the connection of `ctx`: `with Rehearsal(ctx) as rehearsal:`."""

    def __init__(self, ctx: Context) -> None:
        self._ctx, self._is_recording = ctx, False
        self._texts: dict[str, int] = {}
        self._reads: dict[bytes, tuple[int, Any]] = {}
        self._savepoints: list[int] = []
        self._row = Row([], 0, [])
        self._row_keys: list[bytes] = []
        self._counted: Counter[str] = Counter()
        self.rows: list[Row] = []
        self.keys: list[tuple[int, bytes]] = []

    def __enter__(self) -> Self:
        # What earlier rows had read is read again: it belongs to this recording, too.
        self._ctx.memo, self._ctx._tenant = {}, None
        sa.event.listen(self._ctx.db, "before_cursor_execute", self._record)
        return self

    def __exit__(self, *error: object) -> None:
        sa.event.remove(self._ctx.db, "before_cursor_execute", self._record)

    @contextmanager
    def row(self, place: int) -> Iterator[Callable[[], None]]:
        """Run a handler in the block, and undo it; call what the block is given where its row is to be kept."""
        ctx = self._ctx
        self._row, self._row_keys, self._savepoints = Row([], 0, []), [], []
        ctx.counted = Counter()
        savepoint = ctx.db.begin_nested()
        self._is_recording = True
        try:
            yield lambda: self._keep(place)
        finally:
            self._is_recording = False
            ctx.events.clear()
            ctx.counted = None
            savepoint.rollback()

    def note_end_of_handler(self) -> None:
        """Say that what comes now is sent by those who hear of the record."""
        self._row.told_from = len(self._row.writes)

    def recording(self) -> Recording:
        """All that was kept; called while the database is as it was before the rows."""
        ctx, texts = self._ctx, [*self._texts]
        reads = [(text, values, _digest(ctx.db, texts[text], values)) for text, values in self._reads.values()]
        moment = encode(ctx.now()).decode()
        return Recording(edition(ctx.app), moment, texts, self.rows, reads, dict(self._counted), self.keys)

    def _keep(self, place: int) -> None:
        ctx = self._ctx
        self._row.events = [(event.id, event.name, bytes(event.data)) for event in ctx.events]
        self.rows.append(self._row)
        self.keys += [(place, key) for key in self._row_keys]
        self._counted.update(ctx.counted or {})

    def _record(self, db: Any, cursor: Any, text: str, parameters: Any, context: Any, many: bool) -> None:
        if not self._is_recording:
            return
        word = text.partition(" ")[0]
        if word == "SAVEPOINT":
            self._savepoints.append(len(self._row.writes))
        elif word == "RELEASE":
            self._savepoints.pop()
        elif word == "ROLLBACK":
            del self._row.writes[self._savepoints.pop() :]
        elif _is_read(text):
            self._note_read(text, parameters)
        else:
            if not _adds_only(text):
                raise RuntimeError(
                    f"a handler whose records are imported may only add rows, without numbers: it sends {text[:60]!r}"
                )
            place = self._place(text)
            self._row.writes += [(place, _plain(each)) for each in (parameters if many else [parameters])]
            self._note_keys(context)

    def _note_read(self, text: str, parameters: Any) -> None:
        read = self._place(text), _plain(parameters)
        self._reads.setdefault(_PACK(read), read)

    def _note_keys(self, context: Any) -> None:
        """Note what must be unique of the rows that are inserted, and ask whether others have it."""
        table: Any = getattr(getattr(context.compiled, "statement", None), "table", None)
        for names in _unique(table) if isinstance(table, sa.Table) else ():
            for given in context.compiled_parameters:
                values = [given.get(name) for name in names]
                if None not in values:
                    self._row_keys.append(_hash((table.name, names, values)))
                    self._note_read(*_others(self._ctx, table, names, values))

    def _place(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts))


class _Sender:
    """Sends what was recorded, many rows at a time."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._pending: defaultdict[str, list[Any]] = defaultdict(list)
        self._shape: tuple[str, ...] = ()

    def send(self, texts: Sequence[str], writes: Iterable[tuple[int, Any]], now: dict[Any, Any]) -> None:
        """Send what a row's handler sent, in its order; rows alike wait for each other."""
        found = [(texts[text], values) for text, values in writes]
        shape = tuple(dict.fromkeys(text for text, _ in found))
        if shape != self._shape or any(len(self._pending[text]) >= _MOST_AT_ONCE for text in shape):
            self.flush()
            self._shape = shape
        for text, values in found:
            self._pending[text].append(_at(values, now))

    def flush(self) -> None:
        """Send all that waits."""
        for text in self._shape:
            _insert(self._ctx.db, text, self._pending.pop(text, []))
        self._shape = ()


@contextmanager
def replayed(ctx: Context, count: int) -> Iterator[Callable[[Recording], None]]:
    """Make `count` rows of the recordings that the block gives to the function, at the moment of `ctx`.

    They are counted, and their events numbered, when the block ends: other requests of the business wait from then on.
    Whoever hears of records hears of the last one as of any other, so that deliveries are sent at once.
    """
    sender, counted, left = _Sender(ctx), Counter[str](), count
    with SpooledTemporaryFile(_IN_MEMORY) as aside:

        def add(recording: Recording) -> None:
            nonlocal left
            now = _moments(ctx, recording)
            old, new = recording.moment.encode(), encode(ctx.now())
            counted.update(recording.counted)
            for row in recording.rows:
                left -= 1
                logged = [(id, name, data.replace(old, new)) for id, name, data in row.events]
                aside.writelines(encode((id, name, msgspec.Raw(data))) + b"\n" for id, name, data in logged)
                if left or len(logged) != 1:
                    sender.send(recording.texts, row.writes, now)
                    continue
                sender.send(recording.texts, row.writes[: row.told_from], now)
                sender.flush()
                ctx.events = [Event(id, name, ctx.now(), msgspec.Raw(data)) for id, name, data in logged]
                work.tell(ctx)

        yield add
        sender.flush()
        for name, by in sorted(counted.items()):
            counters.advance(ctx, name, by)
        aside.seek(0)
        for lines in iter(lambda: [*islice(aside, _EVENTS_AT_ONCE)], []):
            ctx.events = [Event(id, name, ctx.now(), data) for id, name, data in map(_ASIDE, lines)]
            at_once(ctx.db, *events.written(ctx))
        ctx.events = []


@cache
def edition(app: "App") -> str:
    """Tells the tables and plugins of this deployment from those of another release."""
    tables = sorted((table.name, [*table.c.keys()]) for table in metadata.tables.values())
    return hashlib.sha256(repr((tables, [*app.manifests])).encode()).hexdigest()[:16]


def _is_read(text: str) -> bool:
    """Whether a statement only reads: its words say so of SQL that was written by hand, too."""
    words = _words(text)
    if words[:1] == ["WITH"]:
        return {"INSERT", "UPDATE", "DELETE", "MERGE"}.isdisjoint(words)
    return words[:1] in (["SELECT"], ["VALUES"])


def _adds_only(text: str) -> bool:
    return _words(text)[:1] == ["INSERT"] and counters.counters.name not in text


@lru_cache(512)
def _words(text: str) -> list[str]:
    return re.findall("[A-Z_]+", _COMMENT.sub("", text).upper())


@cache
def _unique(table: sa.Table) -> tuple[tuple[str, ...], ...]:
    """The columns, besides the tenant's, whose values no two rows of a tenant share."""
    alike = [each.columns for each in table.constraints if isinstance(each, sa.UniqueConstraint)]
    alike += [index.columns for index in table.indexes if index.unique]
    return tuple(tuple(c.name for c in columns if c.name != "tenant_id") for columns in alike)


def _others(ctx: Context, table: sa.Table, names: Sequence[str], values: Sequence[Any]) -> tuple[str, Any]:
    """A query for whether another row has these values, as the driver takes it."""
    of = ["tenant_id", *names]
    if ctx.db.dialect.name == "sqlite":
        where = " AND ".join(f'"{name}" = ?' for name in of)
        return f'SELECT count(*) FROM "{table.name}" WHERE {where}', (ctx.tenant_id, *values)  # noqa: S608 - of names
    where = " AND ".join(f'"{name}" = %({name})s' for name in of)
    given = dict(zip(of, (ctx.tenant_id, *values), strict=True))
    return f'SELECT count(*) FROM "{table.name}" WHERE {where}', given  # noqa: S608 - as above


def _digest(db: sa.Connection, text: str, values: Any) -> bytes:
    return _hash(db.exec_driver_sql(text, _at(values, {})).all())


def _hash(value: Any) -> bytes:
    return hashlib.blake2b(repr(value).encode(), digest_size=16).digest()


def _plain(parameters: Any) -> Any:
    """What a driver is given of values, as it can be stored."""
    if isinstance(parameters, dict):
        return {name: _storable(value) for name, value in parameters.items()}
    return [_storable(value) for value in parameters]


def _storable(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float | bytes | datetime):
        return value
    if isinstance(value, date):
        return msgspec.msgpack.Ext(_DATE, value.isoformat().encode())
    if hasattr(value, "obj"):  # psycopg's JSON, which the statement casts
        return encode(value.obj).decode()
    raise TypeError(f"a value of the type {type(value).__name__} cannot be recorded")


def _read_extension(code: int, data: memoryview) -> date:
    return date.fromisoformat(bytes(data).decode())


def _at(values: Any, now: dict[Any, Any]) -> Any:
    """Values as the driver takes them, with the present moment in place of the one at which they were recorded."""
    if isinstance(values, dict):
        return {name: now.get(value, value) for name, value in values.items()}
    return tuple([now.get(value, value) for value in values])


def _moments(ctx: Context, recording: Recording) -> dict[Any, Any]:
    """By what a driver was given for the moment of a recording, what it is given for the present one."""
    before, after = msgspec.json.decode(recording.moment, type=datetime), ctx.now()
    write = UTCDateTime().dialect_impl(ctx.db.dialect).bind_processor(ctx.db.dialect)
    assert write is not None  # noqa: S101 - it refuses naive values
    return {write(Moment.of(before)): write(after), str(Moment.of(before)): str(after)}


def _insert(db: sa.Connection, text: str, rows: list[Any]) -> None:
    """Run an INSERT for all of these: as few statements on SQLite, whose index of texts is written after each one."""
    if not rows:
        return
    text = _RETURNING.sub("", text)
    found = _VALUES.fullmatch(text) if db.dialect.name == "sqlite" else None
    if found is None:
        db.exec_driver_sql(text, rows)
        return
    head, one, tail = found.groups()
    each = max(_MOST_VALUES // len(rows[0]), 1)
    for first in range(0, len(rows), each):
        some = rows[first : first + each]
        db.exec_driver_sql(head + ", ".join([one] * len(some)) + tail, tuple([v for row in some for v in row]))


_COMMENT = re.compile(r"/\*.*?\*/|--[^\n]*", re.DOTALL)
_RETURNING = re.compile(r"\s+RETURNING [\w\s.,\"]+$")
_VALUES = re.compile(r"(INSERT INTO [^()]+ \([^()]+\) VALUES )(\(\?(?:, \?)*\))((?: ON CONFLICT.*)?)", re.DOTALL)
_PACK = msgspec.msgpack.Encoder().encode
_UNPACK = msgspec.msgpack.Decoder(Recording, ext_hook=_read_extension).decode
_ASIDE = msgspec.json.Decoder(tuple[str, str, msgspec.Raw]).decode
