"""Imports as stored and as shown, from the upload to their end."""

from collections.abc import Sequence
from typing import Any

import msgspec
import sqlalchemy as sa

from billycan import Context, Identity, Page, Records, Row, own
from billycan.sql import upsert

from .schemas import Import, ImportFault, ImportQuery
from .tables import chunks, imports, progress

MOST_FAULTS = 100  # as an error of the API has

records = Records(imports, Import, prefix="imp", needs={"rows_written": ("status", "rows_imported")})
_CALLER = ("id", "tenant_id", "environment", "name", "scopes", "per_minute", "per_second", "app_id", "connection_id")


def page(ctx: Context, query: ImportQuery) -> Page[Import]:
    """The page that a query asks for."""
    found = records.rows(ctx, query, columns=records.columns(ctx))
    return found.of(_show(ctx, found.items))


def get(ctx: Context, id: str) -> Import:
    """One import; NotFound for any id that is not the tenant's."""
    return show(ctx, records.find(ctx, id, records.columns(ctx)))


def show(ctx: Context, row: Row) -> Import:
    """One import as clients see it."""
    return _show(ctx, [row])[0]


def tell(ctx: Context, id: str, rows: int) -> None:
    """Say how many rows are written, beside the transaction that writes them. SQLite has one writer, so it cannot."""
    if not ctx.app.db.is_sqlite:
        with ctx.app.db.writing(ctx.tenant_id) as db:
            told = upsert(progress, db).values(tenant_id=ctx.tenant_id, id=id, rows=rows)
            db.execute(told.on_conflict_do_update(index_elements=["tenant_id", "id"], set_={"rows": rows}))


def finish(ctx: Context, row: Row, imported: int = 0) -> Import:
    """End an import, locked by the caller, as its faults say, forget its rows, and tell of it."""
    status = "failed" if row.fault_count else "done"
    row = records.save(ctx, row, status=status, rows_imported=imported, finished_at=ctx.now())
    ctx.db.execute(sa.delete(chunks).where(own(ctx, chunks), chunks.c.import_id == row.id))
    ctx.db.execute(sa.delete(progress).where(own(ctx, progress), progress.c.id == row.id))
    shown = show(ctx, row)
    ctx.emit("import.finished" if status == "done" else "import.failed", shown)
    return shown


def noted(row: Row, faults: list[ImportFault]) -> dict[str, Any]:
    """The columns of an import of which these faults were found, too: the first hundred of all are kept."""
    more = [msgspec.structs.asdict(fault) for fault in faults[: MOST_FAULTS - len(row.faults)]]
    return {"faults": [*row.faults, *more], "fault_count": row.fault_count + len(faults)}


def _show(ctx: Context, rows: Sequence[Row]) -> list[Import]:
    """Imports, each with how many of its rows are written."""
    written = _written(ctx, rows) if ctx.wants(Import, "rows_written") else {}
    return records.show(ctx, rows, rows_written=written)


def _written(ctx: Context, rows: Sequence[Row]) -> dict[str, int | None]:
    writing = [row.id for row in rows if row.status == "writing"]
    told: dict[str, int] = {}
    if writing:
        found = sa.select(progress.c.id, progress.c.rows).where(own(ctx, progress), progress.c.id.in_(writing))
        told = dict(map(tuple, ctx.db.execute(found)))
    unknown = None if ctx.app.db.is_sqlite else 0
    return {row.id: told.get(row.id, unknown) if row.status == "writing" else row.rows_imported for row in rows}


def caller_of(ctx: Context) -> dict[str, Any] | None:
    """Who calls, as it is kept for the worker, which acts for them."""
    return {name: getattr(ctx.identity, name) for name in _CALLER} if ctx.identity else None


# Known from the import on: msgspec crashes where two threads are the first to need it at once.
msgspec.json.Decoder(Identity)


def identity_of(row: Row) -> Identity:
    """Who sent the file."""
    return msgspec.convert(row.caller, Identity)
