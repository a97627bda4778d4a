"""Jobs as stored and as shown: the records, their lines, people and neighbours, and how they are worked out."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import UNSET

from billycan import Context, Fault, Invalid, Named, Records, own
from billycan.ids import new_id
from billycan.neighbours import Neighbours
from billycan.records import Row, json_list_has
from billycan.wire import plain
from billycan_contacts import api as contacts
from billycan_gst.api import Line, Lines, Worked, breakdown, plain_number

from . import rules
from .schemas import Job, ListedJob, NewJob
from .tables import invoiced, jobs, lines

job_lines = Lines(lines)
neighbours = Neighbours(quote_id="quotes", booking_id="bookings")


def assigned_to(ctx: Context, ids: list[str]) -> sa.ColumnElement[bool]:
    """The jobs that any of these staff are assigned to."""
    return sa.or_(*(json_list_has(ctx, jobs.c.assignee_ids, id) for id in ids))


def found_by(ctx: Context, text: str) -> sa.ColumnElement[bool]:
    """The jobs that hold a text themselves or are for a contact whose name does."""
    return records.holds(text) | contacts.is_named_like(ctx, jobs.c.client_id, text)


records = Records(
    jobs,
    ListedJob,
    prefix="job",
    number="JOB-",
    references={"client": contacts.names},
    search=("number", "title", "description"),
    filters={"search": found_by, "assignee_id": assigned_to},
    neighbours=neighbours,
)


def header(ctx: Context, body: NewJob, worked: Worked) -> dict[str, Any]:
    """The columns of a job: what was sent, its checklist with ids, and its figures.

    What points into a plugin that is off is left out, so that it stays as it is.
    """
    off = [*neighbours.off(ctx), *([] if is_on(ctx, "staff") else ["assignee_ids"])]
    left_out = ("line_items", "currency", *off)
    sent = {name: getattr(body, name) for name in body.__struct_fields__ if name not in left_out}
    checklist = [{**plain_item, "id": plain_item["id"] or new_id("chk")} for plain_item in plain(body.checklist)]
    return {**sent, **worked.columns, "checklist": checklist}


def is_on(ctx: Context, plugin: str) -> bool:
    """Whether a plugin is enabled."""
    return plugin in ctx.app.manifests


# Staff and invoices ---------------------------------------------------------------------------------------------------


def assignee_ids(ctx: Context, row: Row) -> list[str]:
    """Who is assigned to a job; nobody where staff is off."""
    ids: list[str] = row.assignee_ids if is_on(ctx, "staff") else []
    return ids


def check_assignees(ctx: Context, body: NewJob, stored: Sequence[str]) -> None:
    """Invalid where somebody is assigned anew who is not staff, or not active; who is stays staff until the commit."""
    added = [id for id in body.assignee_ids if id not in stored]
    if not added:
        return
    known: Mapping[str, Any] = {}
    if is_on(ctx, "staff"):
        from billycan_staff import api as staff  # noqa: PLC0415 - there only where that plugin is

        known = staff.people(ctx, added, lock=True)
    faults = []
    for id in added:
        at = f"assignee_ids[{body.assignee_ids.index(id)}]"
        if id not in known:
            faults.append(Fault(at, "not_found", "there is no such staff"))
        elif not known[id].active:
            faults.append(Fault(at, "invalid_value", "is not active"))
    if faults:
        raise Invalid.of(*faults)


def bills(ctx: Context, job_id: str) -> str | None:
    """The invoice that bills the job's lines."""
    found = sa.select(invoiced.c.id).where(own(ctx, invoiced), invoiced.c.job_id == job_id, invoiced.c.bills)
    id: str | None = ctx.db.execute(found).scalar()
    return id


def allowed_actions(ctx: Context, row: Row, *, billed: bool) -> list[str]:
    """What may be done with a job, which an invoice may bill already."""
    return rules.allowed_actions(row.status, row.checklist, may_invoice=is_on(ctx, "invoices") and not billed)


# As shown -------------------------------------------------------------------------------------------------------------


def show(ctx: Context, row: Row, *, lines: list[Line] | None = None) -> Job:
    """One job; `lines` spares a query where the caller has them at hand."""
    (members,) = _members(ctx, [row])
    return Job(**members, line_items=job_lines.of(ctx, [row.id])[row.id] if lines is None else lines)


def show_all(ctx: Context, rows: Sequence[Row], *, with_lines: bool) -> list[ListedJob]:
    """A page of jobs, with one query each for their clients, staff, invoices and lines."""
    found = job_lines.of(ctx, [row.id for row in rows]) if with_lines else {}
    return [
        ListedJob(**members, line_items=found[members["id"]] if with_lines else UNSET)
        for members in _members(ctx, rows)
    ]


def _members(ctx: Context, rows: Sequence[Row]) -> list[dict[str, Any]]:
    clients = records.named(ctx, rows)["client"]
    people = _staff_names(ctx, {id for row in rows for id in assignee_ids(ctx, row)})
    billed, invoice_ids = _invoices_of(ctx, rows)
    shown = []
    for row in rows:
        percent = row.discount_percent
        worked_out = {
            "client": clients[row.client_id],
            "assignee_ids": assignee_ids(ctx, row),
            "assignees": [Named(id, people[id]) for id in assignee_ids(ctx, row) if id in people],
            "currency": "AUD",
            "discount_percent": None if percent is None else plain_number(percent),
            "gst_breakdown": breakdown(row.gst_breakdown),
            "invoice_ids": invoice_ids.get(row.id, []),
            "allowed_actions": allowed_actions(ctx, row, billed=row.id in billed),
            **neighbours.shown(ctx, row._mapping),
        }
        names = [f for f in ListedJob.__struct_fields__ if f != "line_items" and f not in worked_out]
        shown.append({name: row._mapping[name] for name in names} | worked_out)
    return shown


def _staff_names(ctx: Context, ids: Iterable[str]) -> Mapping[str, str]:
    if not ids:
        return {}
    from billycan_staff import api as staff  # noqa: PLC0415 - there only where that plugin is

    return staff.names(ctx, ids)


def _invoices_of(ctx: Context, rows: Sequence[Row]) -> tuple[set[str], dict[str, list[str]]]:
    """Which of the jobs an invoice bills, and the invoices of each, oldest first; none where invoices is off."""
    billed: set[str] = set()
    found: dict[str, list[str]] = {}
    if rows and is_on(ctx, "invoices"):
        of_these = own(ctx, invoiced) & invoiced.c.job_id.in_([row.id for row in rows])
        for link in ctx.db.execute(sa.select(invoiced).where(of_these).order_by(invoiced.c.id)):
            found.setdefault(link.job_id, []).append(link.id)
            if link.bills:
                billed.add(link.job_id)
    return billed, found
