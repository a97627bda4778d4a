"""Recorded rows, made all at once; and what is written before them, because it only adds to records yet to come."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from tempfile import SpooledTemporaryFile
from typing import Any

import msgspec
import sqlalchemy as sa

from .. import counters, events
from ..context import Context, Event
from ..db import metadata
from ..fields import Moment
from ..lists import filters
from ..web import encode
from .recorded import find_ids, pack, read_extension, table_added_to, with_present_moment, write_moment
from .rehearsing import Recording

_MOST_AT_ONCE = 500  # rows that one statement inserts
_MOST_VALUES = 30_000  # of one statement, of which SQLite takes 32,766
_IN_MEMORY = 1 << 20
_RETURNING = re.compile(r"\s+RETURNING [\w\s.,\"]+$")
_VALUES = re.compile(r"(INSERT INTO [^()]+ \([^()]+\) VALUES )(\(\?(?:, \?)*\))((?: ON CONFLICT.*)?)", re.DOTALL)
_UNPACK_BATCH = msgspec.msgpack.Decoder(ext_hook=read_extension).decode


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
        self._at = write_moment(ctx.now(), self._is_sqlite)

    def add(self, recording: Recording) -> None:
        """Prepare the next rows."""
        ctx, before = self._ctx, Moment.of(msgspec.json.decode(recording.moment, type=datetime))
        now = {write_moment(before, self._is_sqlite): self._at, str(before): str(ctx.now())}
        old, new = recording.moment.encode(), encode(ctx.now())
        self._counted.update(recording.counted)
        for row in recording.rows:
            self._left -= 1
            logged = [(id, name, data.replace(old, new)) for id, name, data in row.events]
            for each in logged:
                self._log_event(*each)
            is_live = not self._left and len(logged) == 1
            own = [each for each in row.writes[: row.told_from] if not table_added_to(recording.texts[each[0]])]
            self._prepare_row(recording.texts, own if is_live else own + row.writes[row.told_from :], now)
            if is_live:
                self._last = [Event(id, name, ctx.now(), msgspec.Raw(data)) for id, name, data in logged]
        if not self._left:
            self._flush_rows()
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

    def _prepare_row(self, texts: Sequence[str], writes: Iterable[tuple[int, Any]], now: dict[Any, Any]) -> None:
        """Prepare what a row's handler sent, in its order; rows that send the same statements are sent together."""
        found = [(texts[text], values) for text, values in writes]
        shape = tuple(dict.fromkeys(text for text, _ in found))
        if shape != tuple(self._pending) or any(len(rows) >= _MOST_AT_ONCE for rows in self._pending.values()):
            self._flush_rows()
        for text, values in found:
            self._pending[text].append(with_present_moment(values, now))

    def _flush_rows(self) -> None:
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

    def _log_event(self, id: str, name: str, data: bytes) -> None:
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
        self._sizes.append(self._file.write(pack(batch)))

    def __iter__(self) -> Iterator[Any]:
        self._file.seek(0)
        for size in self._sizes:
            yield _UNPACK_BATCH(self._file.read(size))

    def close(self) -> None:
        self._file.close()


def send_additions(ctx: Context, recordings: Iterable[Recording]) -> list[list[tuple[str, Any]]]:
    """Write what rows add to records that are yet to come, and have SQLite index the texts of these.

    Return for each recording the names of tables, each with the ids of what was added, or with the texts by id.
    """
    by_text, texts, added = dict[str, list[Any]](), dict[str, dict[str, str]](), list[list[tuple[str, Any]]]()
    for recording in recordings:
        ids = dict[str, set[str]]()
        for text, values in recording.additions():
            by_text.setdefault(text, []).append(values)
            ids.setdefault(table_added_to(text), set()).update(find_ids(text, values))
        found = recording.search_texts() if ctx.app.db.is_sqlite else {}
        for table, some in found.items():
            texts.setdefault(table, {}).update(some)
        added.append([*((table, sorted(some)) for table, some in ids.items()), *found.items()])
    for text, rows in by_text.items():
        ctx.db.exec_driver_sql(text, [with_present_moment(values, {}) for values in rows])
    for table, some in texts.items():
        filters.index_ahead(ctx.db, ctx.tenant_id, table, some)
    return added


def remove_additions(ctx: Context, added: Iterable[tuple[str, Any]]) -> None:
    """Remove what `send_additions` wrote for a recording."""
    for name, rows in added:
        if isinstance(rows, dict):
            filters.forget_ahead(ctx.db, ctx.tenant_id, name, rows)
        elif (table := metadata.tables.get(name)) is not None:
            ctx.db.execute(sa.delete(table).where(table.c.tenant_id == ctx.tenant_id, table.c.id.in_(rows)))


def _repeat_values(head: str, one: str, tail: str, count: int) -> str:
    return head + ", ".join([one] * count) + tail


def _cut_rows(rows: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    return (rows[first : first + size] for first in range(0, len(rows), size))
