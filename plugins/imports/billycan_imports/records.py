"""Imports as stored and as shown, from the upload to their end."""

from typing import Any

import msgspec
import sqlalchemy as sa

from billycan import Context, Identity, Records, Row, own

from .schemas import Import, ImportFault
from .tables import chunks, imports

MOST_FAULTS = 100  # as an error of the API has

records = Records(imports, Import, prefix="imp")
_CALLER = ("id", "tenant_id", "environment", "name", "scopes", "per_minute", "per_second", "app_id", "connection_id")


def show(ctx: Context, row: Row) -> Import:
    """One import as clients see it."""
    return records.show(ctx, [row])[0]


def finish(ctx: Context, row: Row, imported: int = 0) -> Import:
    """End an import, locked by the caller, as its faults say, forget its rows, and tell of it."""
    status = "failed" if row.fault_count else "done"
    row = records.save(ctx, row, status=status, rows_imported=imported, finished_at=ctx.now())
    ctx.db.execute(sa.delete(chunks).where(own(ctx, chunks), chunks.c.import_id == row.id))
    shown = show(ctx, row)
    ctx.emit("import.finished" if status == "done" else "import.failed", shown)
    return shown


def noted(row: Row, faults: list[ImportFault]) -> dict[str, Any]:
    """The columns of an import of which these faults were found, too: the first hundred of all are kept."""
    more = [msgspec.structs.asdict(fault) for fault in faults[: MOST_FAULTS - len(row.faults)]]
    return {"faults": [*row.faults, *more], "fault_count": row.fault_count + len(faults)}


def caller_of(ctx: Context) -> dict[str, Any] | None:
    """Who calls, as it is kept for the worker, which acts for them."""
    return {name: getattr(ctx.identity, name) for name in _CALLER} if ctx.identity else None


# Known from the import on: msgspec crashes where two threads are the first to need it at once.
msgspec.json.Decoder(Identity)


def identity_of(row: Row) -> Identity:
    """Who sent the file."""
    return msgspec.convert(row.caller, Identity)
