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
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any, Self

import msgspec
import sqlalchemy as sa

from .. import counters, events
from ..context import Context, Event
from ..db import metadata
from ..engines.sqlite import note_listeners
from ..fields import Moment
from ..web import encode

if TYPE_CHECKING:
    from ..app import App

_MOST_AT_ONCE = 500  # rows that one statement inserts
_MOST_VALUES = 30_000  # of one statement, of which SQLite takes 32,766
_IN_MEMORY = 1 << 20
_DATE, _TIME = 1, 2  # what marks them in MessagePack


class Row(msgspec.Struct, array_like=True):
    """The statements of one row's handler, as places in `texts` with values; from `told_from` on its hearers'."""

    writes: list[tuple[int, Any]]
    told_from: int
    events: list[tuple[str, str, bytes]]


class Recording(msgspec.Struct, array_like=True):
    """The statements of some rows' handlers, sent, read and counted.

    edition: What tells recordings of other code or tables apart.
    moment: When the rows were made.
    texts, rows: The statements, and the rows that use them.
    reads: A digest of what each query gave.
    counted: How many records of each table the rows make.
    keys: Digests of what must be unique, each with the place of its row.
    """

    edition: str
    moment: str
    texts: list[str]
    rows: list[Row]
    reads: list[tuple[int, Any, bytes]]
    counted: dict[str, int]
    keys: list[tuple[int, bytes]]

    def additions(self) -> list[tuple[str, Any]]:
        """Return the statements, with values, that add to its records and can be sent before them."""
        return [
            (self.texts[text], values)
            for row in self.rows
            for text, values in row.writes[: row.told_from]
            if _table_added_to(self.texts[text])
        ]

    @property
    def values(self) -> int:
        """The number of values that its statements write."""
        return sum(sum(map(len, _read_rows(values))) for row in self.rows for _, values in row.writes)

    @property
    def letters(self) -> int:
        """The number of characters that a search will look through, which SQLite indexes one by one."""
        return sum(len(_find_search_text(self.texts[text], values)) for row in self.rows for text, values in row.writes)

    def packed(self) -> bytes:
        """The recording as it is stored."""
        return zlib.compress(_PACK(self), 1)

    @classmethod
    def of(cls, packed: bytes) -> "Recording":
        """Return the recording that was packed like this."""
        return _UNPACK(zlib.decompress(packed))

    def is_current(self, ctx: Context, known: dict[Any, bytes]) -> bool:
        """Tell whether handlers would read the same now; `known` keeps what was read, for the next recording."""
        if self.edition != edition(ctx.app):
            return False
        for text, values, before in self.reads:
            name = (self.texts[text], _PACK(values))
            if (now := known.get(name)) is None:
                now = known[name] = _digest_statement(ctx.db, self.texts[text], values)
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
        note_listeners(self._ctx.db)
        return self

    def __exit__(self, *error: object) -> None:
        sa.event.remove(self._ctx.db, "before_cursor_execute", self._record)
        note_listeners(self._ctx.db)

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
            ctx.touched.clear()
            ctx.counted = None
            savepoint.rollback()

    def note_end_of_handler(self) -> None:
        """Say that what comes now is sent by those who hear of the record."""
        self._row.told_from = len(self._row.writes)

    def recording(self) -> Recording:
        """All that was kept; called while the database is as it was before the rows."""
        ctx, texts = self._ctx, [*self._texts]
        reads = [
            (text, _as_storable_row(values), _digest_statement(ctx.db, texts[text], values))
            for text, values in self._reads.values()
        ]
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
            self._row.writes += [(place, _as_storable_row(each)) for each in (parameters if many else [parameters])]
            self._note_keys(context)

    def _note_read(self, text: str, parameters: Any) -> None:
        given = parameters.values() if isinstance(parameters, dict) else parameters
        if _reads_additions(text) and not self._ctx.made.keys().isdisjoint(map(str, given)):
            return  # of a record that nobody else has; what is added to it may be there before it
        place = self._place(text)
        self._reads.setdefault(_PACK((place, _as_storable_row(parameters))), (place, parameters))

    def _note_keys(self, context: Any) -> None:
        """Note what must be unique of the rows that are inserted, and ask whether others have it."""
        table: Any = getattr(getattr(context.compiled, "statement", None), "table", None)
        for names in _unique_columns(table) if isinstance(table, sa.Table) else ():
            for given in context.compiled_parameters:
                values = [given.get(name) for name in names]
                if None not in values:
                    self._row_keys.append(_hash_value((table.name, names, values)))
                    self._note_read(*_build_others_query(self._ctx, table, names, values))

    def _place(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts))


class Replay:
    """Rows that were recorded, ready to be sent: what can be worked out is, while others write.

    They are made at the moment of `ctx`, by its caller. All lies in files until then, so memory does not grow.
    """

    def __init__(self, ctx: Context, count: int) -> None:
        self._ctx, self._left = ctx, count
        self._rows, self._events = _Batches(), _Batches()
        self._pending: defaultdict[str, list[Any]] = defaultdict(list)
        self._logged: list[tuple[Any, ...]] = []
        self._last: list[Event] = []
        self._counted, self._number, self._bytes = Counter[str](), 0, 0
        self._names: set[str] = set()
        self._is_sqlite = ctx.app.db.is_sqlite
        self._at = _write_moment(ctx.now(), self._is_sqlite)

    def add(self, recording: Recording) -> None:
        """Prepare the next rows."""
        ctx, before = self._ctx, Moment.of(msgspec.json.decode(recording.moment, type=datetime))
        now = {_write_moment(before, self._is_sqlite): self._at, str(before): str(ctx.now())}
        old, new = recording.moment.encode(), encode(ctx.now())
        self._counted.update(recording.counted)
        for row in recording.rows:
            self._left -= 1
            logged = [(id, name, data.replace(old, new)) for id, name, data in row.events]
            for each in logged:
                self._log(*each)
            is_live = not self._left and len(logged) == 1
            own = [each for each in row.writes[: row.told_from] if not _table_added_to(recording.texts[each[0]])]
            self._send(recording.texts, own if is_live else own + row.writes[row.told_from :], now)
            if is_live:
                self._last = [Event(id, name, ctx.now(), msgspec.Raw(data)) for id, name, data in logged]
        if not self._left:
            self._flush()
            self._flush_events()

    def send(self, ctx: Context) -> None:
        """Make all rows in the transaction of `ctx`; they are counted, and their events numbered, last.

        Other requests of the business wait from then on. Whoever hears of records hears of the last one as of any
        other, and `note_many` of all of them, whose events would make this transaction many times as long.
        """
        for text, one, tail, count, values in self._rows:
            if one:
                ctx.db.exec_driver_sql(_repeat_values(text, one, tail, count), tuple(values))
            else:
                ctx.db.exec_driver_sql(text, [tuple(row) if isinstance(row, list) else row for row in values])
        ctx.events = self._last
        events.notify_hearers(ctx, of_many=True)
        ctx.events = []
        for name, by in sorted(self._counted.items()):
            counters.advance(ctx, name, by)
        if self._number:
            last = counters.advance_both(ctx, counters.EVENTS, self._number, events.BYTES, self._bytes)
            base = last - self._number
            for text, one, tail, count, values in self._events:
                if one:
                    ctx.db.exec_driver_sql(_repeat_values(text, one, tail, count), (base, *values))
                else:
                    ctx.db.exec_driver_sql(text, {"base": base, **values})
            for _, carrier in ctx.app.offered(Event.Carrier):
                if carrier.note_many:
                    carrier.note_many(ctx, sorted(self._names), base + 1, last)

    def close(self) -> None:
        """Remove the files."""
        self._rows.close()
        self._events.close()

    def _send(self, texts: Sequence[str], writes: Iterable[tuple[int, Any]], now: dict[Any, Any]) -> None:
        """Prepare what a row's handler sent, in its order; rows that send the same statements are sent together."""
        found = [(texts[text], values) for text, values in writes]
        shape = tuple(dict.fromkeys(text for text, _ in found))
        if shape != tuple(self._pending) or any(len(rows) >= _MOST_AT_ONCE for rows in self._pending.values()):
            self._flush()
        for text, values in found:
            self._pending[text].append(_with_present_moment(values, now))

    def _flush(self) -> None:
        for text, rows in self._pending.items():
            bare = _RETURNING.sub("", text)
            found = _VALUES.fullmatch(bare) if self._is_sqlite else None
            if found is None:
                self._rows.add(bare, "", "", len(rows), rows)
                continue
            # As few statements as possible: SQLite writes its index of texts after each.
            for some in _cut_rows(rows, max(_MOST_VALUES // len(rows[0]), 1)):
                self._rows.add(*found.groups(), len(some), [value for row in some for value in row])
        self._pending.clear()

    def _log(self, id: str, name: str, data: bytes) -> None:
        self._number += 1
        self._bytes += len(data)
        self._names.add(name)
        self._logged.append((id, self._number, name, data.decode()))
        if len(self._logged) == _MOST_AT_ONCE:
            self._flush_events()

    def _flush_events(self) -> None:
        ctx, logged, self._logged = self._ctx, self._logged, []
        if not logged:
            return
        actor, behalf = events.actor_of(ctx).values()
        behalf = None if behalf is None else encode(behalf).decode()
        if self._is_sqlite:
            values = [value for each in logged for value in (ctx.tenant_id, *each, self._at, actor, behalf)]
            self._events.add(_LOG_ON_SQLITE, "(?, ?, ?, ?, ?, ?, ?, ?)", ")", len(logged), values)
        else:
            given = {
                "tenant_id": ctx.tenant_id,
                "actor": actor,
                "behalf": behalf,
                "created_at": self._at,
                "rows": encode(logged).decode(),
            }
            self._events.add(_LOG_ON_POSTGRESQL, "", "", len(logged), given)


_LOG = "INSERT INTO core_events (tenant_id, id, sequence, event, data, created_at, actor, behalf) SELECT"
_LOG_ON_SQLITE = f"{_LOG} column1, column2, ? + column3, column4, column5, column6, column7, column8 FROM (VALUES "
_LOG_ON_POSTGRESQL = (
    f"{_LOG} %(tenant_id)s, each->>0, %(base)s + (each->>1)::bigint, each->>2, each->>3, %(created_at)s, %(actor)s,"
    " %(behalf)s::jsonb FROM json_array_elements(%(rows)s::json) AS given(each)"
)


class _Batches:
    """Statements with their values, in a file: first in, first out."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - closed with the Replay
        self._sizes: list[int] = []

    def add(self, *batch: Any) -> None:
        self._sizes.append(self._file.write(_PACK(batch)))

    def __iter__(self) -> Iterator[Any]:
        self._file.seek(0)
        for size in self._sizes:
            yield _UNPACK_BATCH(self._file.read(size))

    def close(self) -> None:
        self._file.close()


@cache
def edition(app: "App") -> str:
    """Return a digest of the tables and plugins, which differs between releases that changed any of them."""
    tables = sorted((table.name, [*table.c.keys()]) for table in metadata.tables.values())
    return hashlib.sha256(repr((tables, [*app.manifests])).encode()).hexdigest()[:16]


def _is_read(text: str) -> bool:
    """Tell whether a statement only reads, judged by its words so that SQL written by hand is included."""
    words = _split_words(text)
    if words[:1] == ["WITH"]:
        return {"INSERT", "UPDATE", "DELETE", "MERGE"}.isdisjoint(words)
    return words[:1] in (["SELECT"], ["VALUES"])


def _adds_only(text: str) -> bool:
    """Tell whether a statement only inserts, and changes no existing row as ON CONFLICT DO UPDATE does."""
    words = _split_words(text)
    changes = not {"UPDATE", "DELETE", "MERGE"}.isdisjoint(words) or words[1:3] == ["OR", "REPLACE"]
    return words[:1] == ["INSERT"] and not changes and counters.counters.name not in text


def send_additions(ctx: Context, recording: Recording) -> list[tuple[str, list[str]]]:
    """Write what rows add to records that are yet to come; return each table's name with the ids of these records."""
    by_text, ids = dict[str, list[Any]](), dict[str, set[str]]()
    for text, values in recording.additions():
        by_text.setdefault(text, []).append(values)
        ids.setdefault(_table_added_to(text), set()).update(_find_ids(text, values))
    for text, rows in by_text.items():
        ctx.db.exec_driver_sql(text, [_with_present_moment(values, {}) for values in rows])
    return [(table, sorted(some)) for table, some in ids.items()]


def remove_additions(ctx: Context, added: Iterable[tuple[str, list[str]]]) -> None:
    """Remove what `send_additions` wrote."""
    for name, ids in added:
        if (table := metadata.tables.get(name)) is not None:
            ctx.db.execute(sa.delete(table).where(table.c.tenant_id == ctx.tenant_id, table.c.id.in_(ids)))


@lru_cache(512)
def _table_added_to(text: str) -> str:
    """Name the table of an INSERT if its rows add to records; "" for any other statement."""
    found = _INSERTED.match(text)
    table = metadata.tables.get(found[1]) if found else None
    return str(table.name) if table is not None and table.info.get("of_record") else ""


@lru_cache(512)
def _reads_additions(text: str) -> bool:
    """Tell whether a query reads nothing but a table whose rows add to records."""
    read = [metadata.tables.get(name) for name in _READ_FROM.findall(text)]
    return bool(read) and all(table is not None and table.info.get("of_record") for table in read)


def _find_ids(text: str, values: Any) -> set[str]:
    """Return the ids of the rows that an INSERT adds."""
    if isinstance(values, dict):
        return {row["id"] for row in _read_rows(values)}
    names = text[text.index("(") + 1 : text.index(")")].split(", ")
    return {values[names.index("id")]}


def _find_search_text(text: str, values: Any) -> str:
    """Return the `search_text` of the row that an INSERT adds, "" if it has none."""
    if isinstance(values, dict):
        return str(values.get("search_text", ""))
    place = _place_of_search_text(text)
    return str(values[place]) if place >= 0 else ""


@lru_cache(512)
def _place_of_search_text(text: str) -> int:
    names = text[text.find("(") + 1 : text.find(")")].split(", ")
    return names.index("search_text") if "search_text" in names else -1


def _read_rows(values: Any) -> list[Any]:
    """Return the rows that these values of an INSERT are; `Insertion` sends PostgreSQL many as one text."""
    is_text = isinstance(values, dict) and values.keys() == {"tenant_id", "rows"}
    return msgspec.json.decode(values["rows"], type=list[dict[str, Any]]) if is_text else [values]


@lru_cache(512)
def _split_words(text: str) -> list[str]:
    return re.findall("[A-Z_]+", _COMMENT.sub("", text).upper())


@cache
def _unique_columns(table: sa.Table) -> tuple[tuple[str, ...], ...]:
    """The columns, besides the tenant's, whose values no two rows of a tenant share."""
    alike = [each.columns for each in table.constraints if isinstance(each, sa.UniqueConstraint)]
    alike += [index.columns for index in table.indexes if index.unique]
    return tuple(tuple(c.name for c in columns if c.name != "tenant_id") for columns in alike)


def _build_others_query(ctx: Context, table: sa.Table, names: Sequence[str], values: Sequence[Any]) -> tuple[str, Any]:
    """Return a query for whether another row has these values, as the driver takes it."""
    of = ["tenant_id", *names]
    if ctx.db.dialect.name == "sqlite":
        where = " AND ".join(f'"{name}" = ?' for name in of)
        return f'SELECT count(*) FROM "{table.name}" WHERE {where}', (ctx.tenant_id, *values)  # noqa: S608 - of names
    where = " AND ".join(f'"{name}" = %({name})s' for name in of)
    given = dict(zip(of, (ctx.tenant_id, *values), strict=True))
    return f'SELECT count(*) FROM "{table.name}" WHERE {where}', given  # noqa: S608 - as above


def _digest_statement(db: sa.Connection, text: str, values: Any) -> bytes:
    return _hash_value(db.exec_driver_sql(text, _with_present_moment(values, {})).all())


def _hash_value(value: Any) -> bytes:
    return hashlib.blake2b(repr(value).encode(), digest_size=16).digest()


def _as_storable_row(parameters: Any) -> Any:
    """Return a driver's form of values, as it can be stored."""
    if isinstance(parameters, dict):
        return {name: _as_storable(value) for name, value in parameters.items()}
    return [_as_storable(value) for value in parameters]


def _as_storable(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float | bytes | datetime):
        return value
    if isinstance(value, date):
        return msgspec.msgpack.Ext(_DATE, value.isoformat().encode())
    if hasattr(value, "obj"):  # psycopg's JSON, which the statement casts
        return encode(value.obj).decode()
    raise TypeError(f"a value of the type {type(value).__name__} cannot be recorded")


def _pack_extension(value: Any) -> msgspec.msgpack.Ext:
    if isinstance(value, Moment):
        return msgspec.msgpack.Ext(_TIME, value.isoformat().encode())
    raise NotImplementedError


def _read_extension(code: int, data: memoryview) -> date:
    return (datetime if code == _TIME else date).fromisoformat(bytes(data).decode())


def _with_present_moment(values: Any, now: dict[Any, Any]) -> Any:
    """Values as the driver takes them, with the present moment in place of the one at which they were recorded."""
    if isinstance(values, dict):
        return {name: now.get(value, value) for name, value in values.items()}
    return tuple([now.get(value, value) for value in values])


def _write_moment(moment: Moment, is_sqlite: bool) -> Any:
    """Return a driver's form of a moment."""
    return moment.replace(tzinfo=None).isoformat(" ", "microseconds") if is_sqlite else moment


def _repeat_values(head: str, one: str, tail: str, count: int) -> str:
    return head + ", ".join([one] * count) + tail


def _cut_rows(rows: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    return (rows[first : first + size] for first in range(0, len(rows), size))


_INSERTED = re.compile(r'INSERT INTO "?(\w+)')
_READ_FROM = re.compile(r'\b(?:FROM|JOIN)\s+"?(\w+)')
_COMMENT = re.compile(r"/\*.*?\*/|--[^\n]*", re.DOTALL)
_RETURNING = re.compile(r"\s+RETURNING [\w\s.,\"]+$")
_VALUES = re.compile(r"(INSERT INTO [^()]+ \([^()]+\) VALUES )(\(\?(?:, \?)*\))((?: ON CONFLICT.*)?)", re.DOTALL)
_PACK = msgspec.msgpack.Encoder(enc_hook=_pack_extension).encode
_UNPACK = msgspec.msgpack.Decoder(Recording, ext_hook=_read_extension).decode
_UNPACK_BATCH = msgspec.msgpack.Decoder(ext_hook=_read_extension).decode
