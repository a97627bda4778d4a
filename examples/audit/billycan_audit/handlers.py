"""Handlers of the audit log: one function for each route."""

from typing import Any

from msgspec import Raw, Struct
from msgspec.structs import replace

from billycan import Context, Page, Paging, Records, Row
from billycan.fields import DayOrInstant, Moment

from .chain import audit


class Entry(Struct, kw_only=True):
    """A change: `data` is the record as GET answered it then, null if the key may not read such a record; `key_id` is
    the key that made it, null for timed work. `behalf` has the `app_id`, and the `proposal_id` and `approved_by` of
    what an agent proposed and a person approved; null without them.
    """

    id: str
    sequence: int
    event: str
    data: dict[str, Any] | None
    key_id: str | None
    behalf: dict[str, Any] | None
    request_id: str
    created_at: Moment
    previous_hash: str
    hash: str


class AuditQuery(Paging, kw_only=True):
    """Filters of the entries."""

    sortable = ("sequence",)

    event: list[str] | None = None
    key_id: list[str] | None = None
    request_id: list[str] | None = None
    created_at_from: DayOrInstant | None = None
    created_at_to: DayOrInstant | None = None


def list_audit(ctx: Context, query: AuditQuery) -> Page[Entry]:
    """All changes, with the record, the key and the time; newest first."""
    page = records.rows(ctx, replace(query, sort=query.sort or "-sequence"))
    return page.of([_show(ctx, row) for row in page.items])


def _show(ctx: Context, row: Row) -> Entry:
    found = {name: getattr(row, name) for name in Entry.__struct_fields__}
    found["data"] = Raw(row.data.encode()) if ctx.may_read(row.event) else None
    found["behalf"] = Raw(row.behalf.encode()) if row.behalf else None
    return Entry(**found)


records = Records(audit, Entry, prefix="aud")
