"""Check an import's rows, a thousand at a time, and make all of them at once: timed work, one step each time.

Each step is a transaction under the lock of the import's row, which says what is done: a process that dies leaves
nothing half done, and two workers do nothing twice.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
import sqlalchemy as sa

from billycan import App, Context, Row, own
from billycan.fields import Moment
from billycan.importing import Importer, acting, at_the_end, importable, undone

from .records import finish, identity_of, noted, records, tell
from .schemas import ImportFault
from .tables import chunks, imports

CHUNKS_AT_ONCE = 10  # of a hundred rows
TOLD_EVERY = 500  # rows that are written


def unfinished(app: App, now: Moment) -> sa.Select[Any]:
    """The imports, of any business, that are not finished; the oldest first."""
    c = imports.c
    return sa.select(c.tenant_id, c.id).where(c.finished_at.is_(None)).order_by(c.created_at)


def step(ctx: Context, id: str) -> None:
    """Do the next step of an import, unless another worker has finished it, or is at it."""
    row = ctx.db.execute(
        sa.select(imports).where(own(ctx, imports), imports.c.id == id).with_for_update(skip_locked=True)
    ).first()
    if row is None or row.finished_at is not None:
        return
    endpoint = importable(ctx.app).get(row.resource)
    if endpoint is None:
        gone = ImportFault(0, None, "unavailable", f"{row.resource} can no longer be imported")
        finish(ctx, records.save(ctx, row, **noted(row, [gone])))
        return
    importer = Importer(endpoint, row.header)
    if row.status == "writing":
        _write(ctx, row, importer)
    else:
        _check(ctx, row, importer)


def _check(ctx: Context, row: Row, importer: Importer) -> None:
    """Check the next rows by making their records and undoing that."""
    upto = row.next_chunk + CHUNKS_AT_ONCE
    checked, faults = _checked(ctx, row, importer, row.next_chunk, upto)
    done = row.rows_checked + checked
    row = records.save(ctx, row, status="checking", rows_checked=done, next_chunk=upto, **noted(row, faults))
    if done < row.rows:
        return
    if row.fault_count or row.dry_run:
        finish(ctx, row)
    else:
        records.save(ctx, row, status="writing")


def _write(ctx: Context, row: Row, importer: Importer) -> None:
    """Make the record of each row; if one is refused after all, none of them."""
    caller = acting(ctx, identity_of(row))
    try:
        with ctx.db.begin_nested(), at_the_end(caller) as put_aside:
            for written, (_, *cells) in enumerate(_rows(ctx, row, 0, row.next_chunk)):
                if written % TOLD_EVERY == 0:
                    tell(ctx, row.id, written)
                if importer.make(caller, cells):
                    raise _Refused
                put_aside()
    except _Refused:
        # Each was fine by itself, or beside a thousand of the others: what is wrong with all of them together?
        _, faults = _checked(ctx, row, importer, 0, row.next_chunk)
        if faults:  # or whatever stood in the way is gone: the next step tries again
            finish(ctx, records.save(ctx, row, **noted(row, faults)))
        return
    finish(ctx, row, imported=row.rows)


class _Refused(Exception):
    """A row was refused that had been fine."""


def _checked(ctx: Context, row: Row, importer: Importer, first: int, upto: int) -> tuple[int, list[ImportFault]]:
    """How many rows there are in these chunks, and what is wrong with them."""
    caller, count, faults = acting(ctx, identity_of(row)), 0, []
    with undone(caller):
        for number, *cells in _rows(ctx, row, first, upto):
            count += 1
            faults += [
                ImportFault(number, _kept(each.param) or None, each.code, _kept(each.message))
                for each in importer.check(caller, cells)
            ]
    return count, faults


def _kept(text: str) -> str:
    """A text that may hold what was sent, as PostgreSQL's JSON takes it."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


def _rows(ctx: Context, row: Row, first: int, upto: int) -> Iterator[list[Any]]:
    for number in range(first, upto):
        this = own(ctx, chunks) & (chunks.c.import_id == row.id) & (chunks.c.number == number)
        kept = ctx.db.execute(sa.select(chunks.c.rows).where(this)).scalar()
        if kept is None:
            return
        yield from msgspec.json.decode(kept)
