"""Imports as stored and as shown, from the upload to their end."""

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec
import sqlalchemy as sa

from billycan import Actions, Context, Forbidden, Identity, Page, Problem, Records, Row, own
from billycan.web import encode

from .schemas import ColumnMapping, Import, ImportFault, ImportQuery
from .tables import chunks, imports, mappings, sources

MOST_FAULTS = 100  # as many as an error of the API has

actions = Actions(
    {"map": ("draft", None), "correct": ("draft", None), "start": ("draft", "queued"), "cancel": ("draft", "failed")}
)
records = Records(
    imports,
    Import,
    prefix="imp",
    actions=lambda row: actions.allowed(row.status),
    needs={
        "columns": ("file_columns", "header"),
        "corrected_rows": ("corrections",),
        "allowed_actions": ("status", "finished_at"),
    },
)
# The columns that decide if an import can still be ended.
_STANDING = tuple(imports.c[name] for name in ("finished_at", "resource", "caller", "fault_count", "faults", "status"))

# Built at import: msgspec crashes if two threads are the first to need it at once.
msgspec.json.Decoder(list[ImportFault])
msgspec.json.Decoder(ColumnMapping)


def page_of_imports(ctx: Context, query: ImportQuery) -> Page[Import]:
    """Return the page of imports that a query selects."""
    found = records.rows(ctx, query, columns=_columns_to_show(ctx))
    return found.of(_show_imports(ctx, found.items))


def read_import(ctx: Context, id: str) -> Import:
    """Return an import. Raise NotFound for any id that is not the tenant's."""
    return show_import(ctx, records.find(ctx, id, _columns_to_show(ctx)))


def show_import(ctx: Context, row: Row) -> Import:
    """Return an import as clients see it."""
    return _show_imports(ctx, [row])[0]


def finish_import(ctx: Context, row: Row, imported: int = 0) -> Import:
    """End an import that the caller has locked: set its status by its faults, delete its rows and emit the event."""
    status = "failed" if row.fault_count else "done"
    row = records.save(ctx, row, status=status, rows_imported=imported, finished_at=ctx.now())
    for table in (chunks, sources):
        ctx.db.execute(sa.delete(table).where(own(ctx, table), table.c.import_id == row.id))
    shown = show_import(ctx, row)
    ctx.emit("import.finished" if status == "done" else "import.failed", shown)
    return shown


def end_check(ctx: Context, row: Row) -> None:
    """End the check of an import that is not to be imported: it is a draft again if it was one, or else finished."""
    if row.mends:
        records.save(ctx, row, status="draft")
    else:
        finish_import(ctx, row)


def fault_columns(row: Row, faults: Sequence[ImportFault], more: int = 0) -> dict[str, Any]:
    """Return the columns of an import after these faults and `more` others; a hundred are stored in all."""
    found = [*row.faults, *map(msgspec.structs.asdict, faults)]
    found.sort(key=lambda fault: int(fault["row"]))
    return {"faults": found[:MOST_FAULTS], "fault_count": row.fault_count + len(faults) + more}


def select_mapping(ctx: Context, resource: str, names: Sequence[str]) -> sa.Select[Any]:
    """Select the last mapping of the business's files with this header."""
    return sa.select(mappings.c.mapping).where(own(ctx, mappings), mappings.c.header == digest_header(resource, names))


def read_mapping(stored: Any) -> ColumnMapping:
    """Return a mapping as it is stored."""
    return msgspec.convert(stored, ColumnMapping)


def read_faults(row: Row) -> list[ImportFault]:
    """Return the stored faults of an import."""
    return msgspec.convert(row.faults, list[ImportFault])


def digest_header(resource: str, names: Sequence[str]) -> str:
    """Return what is the same for files of the same columns."""
    return hashlib.sha256(encode([resource, *names])).hexdigest()[:32]


def stored_caller(ctx: Context) -> dict[str, Any]:
    """Return what is stored of the sender: the id, and the scopes of the request. Raise Forbidden if there is none."""
    if ctx.identity is None:
        raise Forbidden("Only a key, a person or a connected app can queue this.")
    return {"id": ctx.identity.id, "scopes": ctx.identity.scopes}


def identity_of(ctx: Context, row: Row) -> Identity:
    """Return the present identity of the sender. Raise the Problem that they would get if they sent the file now."""
    endpoints = ctx.app.at["POST", "/v1/imports"], ctx.app.importable[row.resource]
    identity = Identity.later(ctx.app, ctx.tenant_id, row.caller["id"], row.caller["scopes"])
    for endpoint in endpoints:
        ctx.app.hook.authorize(ctx=ctx.acting_as(identity), route=endpoint.route)
    return identity


def end_reason(ctx: Context, row: Row) -> ImportFault | None:
    """Return the reason that an unfinished import cannot go on: its plugin is off, or its sender lost access."""
    if row.resource not in ctx.app.importable:
        return ImportFault(0, None, "unavailable", f"{row.resource} can no longer be imported")
    try:
        identity_of(ctx, row)
    except Problem as problem:
        if problem.status >= 500:
            raise
        return ImportFault(0, None, problem.code, f"the import ended with the access of its sender: {problem.message}")
    return None


def _columns_to_show(ctx: Context) -> tuple[sa.Column[Any], ...]:
    columns = records.columns(ctx)
    return tuple(dict.fromkeys((*columns, *_STANDING))) if columns else ()


def _show_imports(ctx: Context, rows: Sequence[Row]) -> list[Import]:
    """Return imports. One that has to end is shown so at once, before a worker has ended it."""
    columns, corrected = (
        {row.id: row.file_columns or row.header for row in rows} if ctx.wants(Import, "columns") else {},
        {row.id: len(row.corrections or ()) for row in rows} if ctx.wants(Import, "corrected_rows") else {},
    )
    shown = records.show(ctx, rows, columns=columns, corrected_rows=corrected)
    for i, row in enumerate(rows):
        if row.finished_at is None and row.status != "draft" and (fault := end_reason(ctx, row)):
            now = fault_columns(row, [fault])
            faults = msgspec.convert(now["faults"], list[ImportFault])
            shown[i] = msgspec.structs.replace(shown[i], status="failed", fault_count=now["fault_count"], faults=faults)
    return shown
