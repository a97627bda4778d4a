"""Rows that are made twice: first one by one, undone and recorded; then all at once, by the statements recorded.

A handler takes milliseconds for a record, and nobody else writes to SQLite meanwhile. What it sends to the database in
the end takes some microseconds. So each row's handler runs in a savepoint, in as many short transactions as it takes,
and what it sent is kept. When all rows have passed, one short transaction sends that for all of them.

What happens between the two is noticed: the recording has what each handler read, and it is read again. Handlers may
only add rows. One that changes others, or takes a number, would not know of the rows before it.
"""

import hashlib
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Self

import msgspec
import sqlalchemy as sa

from ..context import Context
from ..db import metadata
from ..engines.idle_connections import note_listeners
from ..web import encode
from .recorded import (
    adds_only,
    as_storable_row,
    find_ids,
    find_search_text,
    find_table,
    is_read,
    pack,
    read_extension,
    read_rows,
    reads_additions,
    table_added_to,
    with_present_moment,
)

if TYPE_CHECKING:
    from ..app import App


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
            if table_added_to(self.texts[text])
        ]

    def search_texts(self) -> dict[str, dict[str, str]]:
        """Return what a search will look through, by table and record; it can be indexed before them."""
        found: dict[str, dict[str, str]] = {}
        for row in self.rows:
            for place, values in row.writes[: row.told_from]:
                if said := find_search_text(text := self.texts[place], values):
                    found.setdefault(find_table(text), {}).update(dict.fromkeys(find_ids(text, values), said))
        return found

    @property
    def values(self) -> int:
        """The number of values that its statements write."""
        return sum(sum(map(len, read_rows(values))) for row in self.rows for _, values in row.writes)

    @property
    def letters(self) -> int:
        """The number of characters that a search will look through, which SQLite indexes one by one."""
        return sum(len(find_search_text(self.texts[text], values)) for row in self.rows for text, values in row.writes)

    def packed(self) -> bytes:
        """The recording as it is stored."""
        return zlib.compress(pack(self), 1)

    @classmethod
    def of(cls, packed: bytes) -> "Recording":
        """Return the recording that was packed like this."""
        return _UNPACK(zlib.decompress(packed))

    def is_current(self, ctx: Context, known: dict[Any, bytes]) -> bool:
        """Tell whether handlers would read the same now; `known` keeps what was read, for the next recording."""
        if self.edition != edition(ctx.app):
            return False
        for text, values, before in self.reads:
            name = (self.texts[text], pack(values))
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
        sa.event.listen(self._ctx.db, "before_cursor_execute", self._record_statement)
        note_listeners(self._ctx.db)
        return self

    def __exit__(self, *error: object) -> None:
        sa.event.remove(self._ctx.db, "before_cursor_execute", self._record_statement)
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
            yield lambda: self._keep_row(place)
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
            (text, as_storable_row(values), _digest_statement(ctx.db, texts[text], values))
            for text, values in self._reads.values()
        ]
        moment = encode(ctx.now()).decode()
        return Recording(edition(ctx.app), moment, texts, self.rows, reads, dict(self._counted), self.keys)

    def _keep_row(self, place: int) -> None:
        ctx = self._ctx
        self._row.events = [(event.id, event.name, bytes(event.data)) for event in ctx.events]
        self.rows.append(self._row)
        self.keys += [(place, key) for key in self._row_keys]
        self._counted.update(ctx.counted or {})

    def _record_statement(self, db: Any, cursor: Any, text: str, parameters: Any, context: Any, many: bool) -> None:
        if not self._is_recording:
            return
        word = text.partition(" ")[0]
        if word == "SAVEPOINT":
            self._savepoints.append(len(self._row.writes))
        elif word == "RELEASE":
            self._savepoints.pop()
        elif word == "ROLLBACK":
            del self._row.writes[self._savepoints.pop() :]
        elif is_read(text):
            self._note_read(text, parameters)
        else:
            if not adds_only(text):
                raise RuntimeError(
                    f"a handler whose records are imported may only add rows, without numbers: it sends {text[:60]!r}"
                )
            place = self._place_of_text(text)
            self._row.writes += [(place, as_storable_row(each)) for each in (parameters if many else [parameters])]
            self._note_keys(context)

    def _note_read(self, text: str, parameters: Any) -> None:
        given = parameters.values() if isinstance(parameters, dict) else parameters
        if reads_additions(text) and not self._ctx.new_records.keys().isdisjoint(map(str, given)):
            return  # of a record that nobody else has; what is added to it may be there before it
        place = self._place_of_text(text)
        self._reads.setdefault(pack((place, as_storable_row(parameters))), (place, parameters))

    def _note_keys(self, context: Any) -> None:
        """Note what must be unique of the rows that are inserted, and ask whether others have it."""
        table: Any = getattr(getattr(context.compiled, "statement", None), "table", None)
        for names in _unique_columns(table) if isinstance(table, sa.Table) else ():
            for given in context.compiled_parameters:
                values = [given.get(name) for name in names]
                if None not in values:
                    self._row_keys.append(_hash_value((table.name, names, values)))
                    self._note_read(*_build_others_query(self._ctx, table, names, values))

    def _place_of_text(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts))


@cache
def edition(app: "App") -> str:
    """Return a digest of the tables and plugins, which differs between releases that changed any of them."""
    tables = sorted((table.name, [*table.c.keys()]) for table in metadata.tables.values())
    return hashlib.sha256(repr((tables, [*app.manifests])).encode()).hexdigest()[:16]


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
    return _hash_value(db.exec_driver_sql(text, with_present_moment(values, {})).all())


def _hash_value(value: Any) -> bytes:
    return hashlib.blake2b(repr(value).encode(), digest_size=16).digest()


_UNPACK = msgspec.msgpack.Decoder(Recording, ext_hook=read_extension).decode
