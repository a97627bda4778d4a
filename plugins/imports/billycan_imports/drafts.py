"""Handlers of drafts: their columns are mapped, their rows shown and corrected, and they are started or cancelled."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import msgspec
import sqlalchemy as sa

from billycan import App, Conflict, Context, Fault, Invalid, NotFound, Row, new_id, own
from billycan.csv.importing import Importer
from billycan.fields import Moment

from .handlers import check_waiting
from .mapping import Translation, mapping_faults
from .records import (
    actions,
    digest_header,
    fault_columns,
    finish_import,
    read_faults,
    read_mapping,
    records,
    select_mapping,
    show_import,
    stored_caller,
)
from .rows import unpack_rows
from .schemas import (
    MOST_ROWS_SHOWN,
    ColumnMapping,
    Corrections,
    Import,
    ImportFault,
    ImportRow,
    RowsQuery,
    Start,
)
from .tables import DRAFTS, chunks, imports, mappings, sources

MOST_CORRECTED, MOST_MAPPINGS = 1_000, 50
DRAFT_KEPT = timedelta(days=7)


def map_import(ctx: Context, id: str, body: ColumnMapping) -> Import:
    """Set which columns of a draft become which members.

    Only of a draft; otherwise `invalid_state_transition`. `rows` then shows what the rows would become.
    """
    row = _lock_draft(ctx, id, "map")
    importer = Importer(_endpoint_of(ctx, row), [])
    if faults := mapping_faults(row.file_columns, body, importer):
        raise Invalid.of(*faults)
    return show_import(ctx, records.save(ctx, row, mapping=msgspec.to_builtins(body), **_UNCHECKED))


def correct_import(ctx: Context, id: str, body: Corrections) -> Import:
    """Correct rows of a draft, or leave them out.

    Only of a draft; otherwise `invalid_state_transition`. Corrections of a row replace those of the same members. They
    are kept until the draft is imported, and checked when it is started again; 409 `too_many_corrections` beyond 1,000
    rows.
    """
    row = _lock_draft(ctx, id, "correct")
    known = Importer(_endpoint_of(ctx, row), []).members()
    if faults := [
        Fault(f"rows[{i}].members.{member}", "unknown_field", f"{member} cannot be imported")
        for i, each in enumerate(body.rows)
        for member in each.members
        if member not in known
    ]:
        raise Invalid.of(*faults)
    corrected = dict(row.corrections or {})
    for each in body.rows:
        corrected[str(each.row)] = None if each.leave_out else {**(corrected.get(str(each.row)) or {}), **each.members}
    if len(corrected) > MOST_CORRECTED:
        raise Conflict(
            f"At most {MOST_CORRECTED:,} rows can be corrected here: correct the file, and upload it again.",
            code="too_many_corrections",
        )
    return show_import(ctx, records.save(ctx, row, corrections=corrected))


def start_import(ctx: Context, id: str, body: Start) -> Import:
    """Check the rows of a draft, and import them if none has a fault.

    From draft to queued; otherwise `invalid_state_transition`. If rows have faults, or with `dry_run`, it is a draft
    again afterwards, with what was found. 422 if a required member has no column. The mapping is remembered for files
    with the same columns. From now on it depends on the access of whoever started it. Refused with `too_many_imports`
    as an upload is.
    """
    row = _lock_draft(ctx, id, "start")
    endpoint = _endpoint_of(ctx, row)
    mapped = translation_of(row, Importer(endpoint, []))
    if faults := Importer(endpoint, mapped.header).faults:
        raise Invalid.of(*(Fault(f"columns.{fault.param}", fault.code, _say_missing(fault)) for fault in faults))
    _remember_mapping(ctx, row)
    ctx.db.execute(sa.delete(chunks).where(own(ctx, chunks), chunks.c.import_id == row.id))
    row = records.save(
        ctx,
        row,
        status=actions.check("start", row.status),
        dry_run=body.dry_run,
        header=mapped.header,
        caller=stored_caller(ctx),
        next_chunk=0,
        rechecks=0,
        read_to=0,
        **_UNCHECKED,
    )
    check_waiting(ctx)
    return show_import(ctx, row)


def cancel_import(ctx: Context, id: str) -> Import:
    """Give up a draft: its rows are deleted, and nothing is imported.

    From draft to failed; otherwise `invalid_state_transition`. Emits `import.failed`.
    """
    row = _lock_draft(ctx, id, "cancel")
    return finish_import(ctx, records.save(ctx, row, **fault_columns(row, [_CANCELLED])))


def list_import_rows(ctx: Context, id: str, query: RowsQuery) -> list[ImportRow]:
    """The rows of a draft: as they are in the file, as they would become, and with their faults; at most 50.

    Of any other import there are none: its rows are deleted once it is finished.
    """
    row = records.find(ctx, id)
    if row.status != "draft":
        return []
    _check_may_import(ctx, row)
    mapped = translation_of(row, Importer(_endpoint_of(ctx, row), []))
    faults: dict[int, list[ImportFault]] = {}
    for fault in read_faults(row):
        at_cell = msgspec.structs.replace(fault, column=_cell_of(fault.column, mapped.header))
        faults.setdefault(fault.row, []).append(at_cell)
    uncorrected = Translation(row.file_columns, *_mapping_and_members(ctx, row), {})
    wanted = {number for number in faults if number > query.after} if query.faulty else None
    shown = []
    for number, cells in read_sources(ctx, row, query.after, wanted):
        members = mapped.row(number, cells)
        left_out = (row.corrections or {}).get(str(number), {}) is None
        names = mapped.header if members is not None else uncorrected.header
        texts = members if members is not None else uncorrected.row(number, cells) or []
        found = ImportRow(
            row=number,
            cells={name: cell for name, cell in zip(row.file_columns, cells, strict=False) if cell},
            members={name: text for name, text in zip(names, texts, strict=False) if text},
            faults=faults.get(number, []),
            left_out=left_out,
        )
        shown.append(found)
        if len(shown) == MOST_ROWS_SHOWN:
            break
    return shown


def read_sources(
    ctx: Context, row: Row, after: int, wanted: set[int] | None = None
) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield the rows of a draft's file after this number, or only those of these numbers; a few are read at a time."""
    mine = own(ctx, sources) & (sources.c.import_id == row.id)
    first = sa.select(sa.func.max(sources.c.first)).where(mine, sources.c.first <= after + 1)
    begin = ctx.db.execute(first).scalar() or 0
    starts = ctx.db.execute(sa.select(sources.c.first).where(mine, sources.c.first >= begin).order_by(sources.c.first))
    numbers = [*starts.scalars()]
    for number, end in zip(numbers, [*numbers[1:], None], strict=True):
        if wanted is not None and not any(number <= each and (end is None or each < end) for each in wanted):
            continue
        packed = ctx.db.execute(sa.select(sources.c.rows).where(mine, sources.c.first == number)).scalar_one()
        for place, *cells in unpack_rows(packed):
            if place > after and (wanted is None or place in wanted):
                yield place, cells


def translation_of(row: Row, importer: Importer) -> Translation:
    """Return what turns the rows of a draft's file into rows of members."""
    mapping = read_mapping(row.mapping)
    return Translation(row.file_columns, mapping, importer.members(), row.corrections or {})


def old_drafts(app: App, now: Moment) -> sa.Select[Any]:
    """Select the drafts that nobody has touched for a week."""
    c = imports.c
    return sa.select(c.tenant_id, c.id).where(DRAFTS, c.updated_at <= now - DRAFT_KEPT).order_by(c.updated_at)


def cancel_old_draft(ctx: Context, id: str) -> None:
    """Cancel a draft that nobody has touched for a week."""
    row = records.lock(ctx, id)
    if row.status == "draft" and row.updated_at <= ctx.now() - DRAFT_KEPT:
        finish_import(ctx, records.save(ctx, row, **fault_columns(row, [_CANCELLED])))


def _lock_draft(ctx: Context, id: str, action: str) -> Row:
    """Lock a draft of which the caller may import the rows. Raise Conflict for any other import."""
    row = records.lock(ctx, id)
    actions.check(action, row.status)
    _check_may_import(ctx, row)
    return row


def _cell_of(column: str | None, header: Sequence[str]) -> str | None:
    """Return the member in the header that a fault is about: `people.name` for `people[0].name` and for `people`."""
    if column is None or column in header:
        return column
    bare = column.replace("[0]", "")
    parts = [name for name in header if name == bare or name.startswith(f"{bare}.")]
    return parts[0] if len(parts) == 1 else column


def _check_may_import(ctx: Context, row: Row) -> None:
    """Refuse callers who could not have sent the file."""
    if row.resource not in ctx.app.importable:
        raise NotFound  # its plugin is off; it ends by itself
    for endpoint in (ctx.app.at["POST", "/v1/imports"], ctx.app.importable[row.resource]):
        ctx.app.hook.authorize(ctx=ctx, route=endpoint.route)


def _endpoint_of(ctx: Context, row: Row) -> Any:
    return ctx.of_business(ctx.app.importable[row.resource])


def _mapping_and_members(ctx: Context, row: Row) -> tuple[ColumnMapping, dict[str, Any]]:
    return read_mapping(row.mapping), Importer(_endpoint_of(ctx, row), []).members()


def _say_missing(fault: Fault) -> str:
    return f"{fault.param} is required: choose a column for it" if fault.code == "required" else fault.message


def _remember_mapping(ctx: Context, row: Row) -> None:
    """Keep the mapping for the business's next file of the same columns; the oldest of too many is forgotten."""
    mine, header = own(ctx, mappings), digest_header(row.resource, row.file_columns)
    values = {"mapping": row.mapping, "used_at": ctx.now()}
    if ctx.db.execute(select_mapping(ctx, row.resource, row.file_columns)).scalar() is not None:
        ctx.db.execute(sa.update(mappings).where(mine, mappings.c.header == header).values(values))
        return
    ctx.db.execute(sa.insert(mappings).values(tenant_id=ctx.tenant_id, id=new_id("imm"), header=header, **values))
    kept = sa.select(mappings.c.id).where(mine).order_by(mappings.c.used_at.desc(), mappings.c.id.desc())
    if too_old := ctx.db.execute(kept.offset(MOST_MAPPINGS)).scalars().all():
        ctx.db.execute(sa.delete(mappings).where(mine, mappings.c.id.in_(too_old)))


_CANCELLED = ImportFault(0, None, "cancelled", "the draft was cancelled")
_UNCHECKED: dict[str, Any] = {"rows_checked": 0, "fault_count": 0, "faults": []}
