"""Check an import's rows, a few hundred at a time, and make all of them at once: timed work, one step each time.

Each step is a transaction under the lock of the import's row, which says what is done: a process that dies leaves
nothing half done, and two workers do nothing twice.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
import sqlalchemy as sa

from billycan import App, Context, Row, own
from billycan.fields import Moment
from billycan.importing import Importer, importable, publish, undone

from .records import finish, identity_of, noted, records
from .schemas import ImportFault
from .tables import chunks, imports

CHUNKS_AT_ONCE = 5  # of a hundred rows


def unfinished(app: App, now: Moment) -> sa.Select[Any]:
    """The imports, of any business, that are not finished; the oldest first."""
    c = imports.c
    return sa.select(c.tenant_id, c.id).where(c.finished_at.is_(None)).order_by(c.created_at)


def step(ctx: Context, id: str) -> None:
    """Do the next step of an import, unless another worker has finished it."""
    row = records.lock(ctx, id)
    if row.finished_at is not None:
        return
    endpoint = importable(ctx.app).get(row.resource)
    if endpoint is None:
        gone = ImportFault(0, None, "unavailable", f"{row.resource} cannot be imported any more")
        finish(ctx, records.save(ctx, row, **noted(row, [gone])))
        return
    importer = Importer(endpoint, row.header)
    if row.status == "writing":
        _write(ctx, row, importer)
    else:
        _check(ctx, row, importer)


def _check(ctx: Context, row: Row, importer: Importer) -> None:
    """Check the next rows by making their records and undoing that."""
    acting, faults, checked = _acting(ctx, row), [], 0
    upto = row.next_chunk + CHUNKS_AT_ONCE
    with undone(acting):
        for number, *cells in _rows(ctx, row, row.next_chunk, upto):
            faults += _faults(number, importer.make(acting, cells))
            acting.events.clear()
            checked += 1
    done = row.rows_checked + checked
    more = {"status": "checking", "rows_checked": done, "next_chunk": upto, **noted(row, faults)}
    row = records.save(ctx, row, **more)
    if done < row.rows:
        return
    if row.fault_count or row.dry_run:
        finish(ctx, row)
    else:
        records.save(ctx, row, status="writing")


def _write(ctx: Context, row: Row, importer: Importer) -> None:
    """Make the record of each row; if one is refused after all, none of them."""
    acting = _acting(ctx, row)
    whole = ctx.db.begin_nested()
    for count, (number, *cells) in enumerate(_rows(ctx, row, 0, row.next_chunk), 1):
        if found := importer.make(acting, cells):
            whole.rollback()
            finish(ctx, records.save(ctx, row, **noted(row, _faults(number, found))))
            return
        if count % 100 == 0:
            publish(acting)
    publish(acting)
    whole.commit()
    finish(ctx, row, imported=row.rows)


def _acting(ctx: Context, row: Row) -> Context:
    """The context of who sent the file, in this transaction."""
    acting = Context(ctx.app, ctx.tenant_id, identity_of(row), path=ctx.path, request_id=ctx.request_id)
    acting.db, acting.memo = ctx.db, ctx.memo
    return acting


def _rows(ctx: Context, row: Row, first: int, upto: int) -> Iterator[list[Any]]:
    for number in range(first, upto):
        this = own(ctx, chunks) & (chunks.c.import_id == row.id) & (chunks.c.number == number)
        kept = ctx.db.execute(sa.select(chunks.c.rows).where(this)).scalar()
        if kept is None:
            return
        yield from msgspec.json.decode(kept)


def _faults(row: int, found: Any) -> list[ImportFault]:
    return [ImportFault(row, each.param or None, each.code, each.message) for each in found]
