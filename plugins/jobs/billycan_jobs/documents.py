"""Jobs as stored and as shown: what they have beyond other documents, such as a checklist, people and invoices."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import sqlalchemy as sa

from billycan import Context, Fault, Invalid, Named, Neighbours, Records, Row, new_id, own
from billycan.sql import as_stored, json_list_has
from billycan_contacts import api as contacts
from billycan_contacts.api import Party
from billycan_documents.api import NEEDS, Documents, gst_codes, may_charge_gst

from . import rules
from .schemas import Job, ListedJob, NewJob
from .tables import invoiced, jobs, lines

neighbours = Neighbours(quote_id="quotes", booking_id="bookings")


def assigned_to(ctx: Context, ids: list[str]) -> sa.ColumnElement[bool]:
    """The jobs that any of these staff are assigned to."""
    return sa.or_(*(json_list_has(ctx, jobs.c.assignee_ids, id) for id in ids))


records = Records(
    jobs,
    ListedJob,
    prefix="job",
    number="JOB-",
    search=("number", "title", "description"),
    filters={"search": contacts.found_by(jobs.c.client_id), "assignee_id": assigned_to},
    neighbours=neighbours,
    needs={
        **NEEDS,
        "assignees": ("assignee_ids",),
        "invoice_ids": (),
        "allowed_actions": ("status", "checklist", "gst_breakdown"),
    },
    points_at={"assignee_id": "staff"},
)


def header(ctx: Context, columns: dict[str, Any], client: Party) -> dict[str, Any]:
    """The columns of a job: what was sent, its checklist with ids, and its figures.

    Who is assigned stays as it is where staff is off.
    """
    checklist = [{**item, "id": item["id"] or new_id("chk")} for item in as_stored(columns["checklist"])]
    off = () if ctx.has("staff") else ("assignee_ids",)
    return {name: value for name, value in columns.items() if name not in off} | {"checklist": checklist}


# Staff and invoices ---------------------------------------------------------------------------------------------------


def assignee_ids(ctx: Context, row: Row) -> list[str]:
    """Who is assigned to a job; nobody where staff is off."""
    ids: list[str] = row.assignee_ids if ctx.has("staff") else []
    return ids


def check_assignees(ctx: Context, body: NewJob, stored: Sequence[str]) -> None:
    """Invalid where somebody is assigned anew who is not staff, or not active; who is stays staff until the commit."""
    added = [id for id in body.assignee_ids if id not in stored]
    if not added:
        return
    known: Mapping[str, Any] = {}
    if ctx.has("staff"):
        from billycan_staff import api as staff  # noqa: PLC0415 - there only where that plugin is

        known = staff.people(ctx, added, lock=True)
    faults = []
    for id in added:
        at = f"assignee_ids[{body.assignee_ids.index(id)}]"
        if id not in known:
            faults.append(Fault(at, "not_found", "there is no such member of staff"))
        elif not known[id].active:
            faults.append(Fault(at, "invalid_value", "is not active"))
    if faults:
        raise Invalid.of(*faults)


def bills(ctx: Context, job_id: str) -> str | None:
    """The invoice that bills the job's lines."""
    found = sa.select(invoiced.c.id).where(own(ctx, invoiced), invoiced.c.job_id == job_id, invoiced.c.bills)
    id: str | None = ctx.db.execute(found).scalar()
    return id


def allowed_actions(ctx: Context, row: Row, *, billed: bool | None = None) -> list[str]:
    """What may be done with a job; `billed` spares a query where the caller knows whether an invoice bills it."""
    awaits_invoice = row.status == "complete" and ctx.has("invoices")
    if awaits_invoice:
        awaits_invoice = not (bills(ctx, row.id) if billed is None else billed)
    codes = gst_codes(row)
    may_invoice = awaits_invoice and bool(codes) and may_charge_gst(ctx, codes, ctx.today())
    return rules.allowed_actions(row.status, row.checklist, may_invoice=may_invoice)


# As shown -------------------------------------------------------------------------------------------------------------


def members(ctx: Context, rows: Sequence[Row], clients: Mapping[str, Party]) -> Iterable[dict[str, Any]]:
    """What jobs show beyond other documents, with one query each for their staff and invoices."""
    wants = partial(ctx.wants, ListedJob)
    named, actions = wants("assignees"), wants("allowed_actions")
    assigned, invoiced_as = wants("assignee_ids", "assignees"), wants("invoice_ids", "allowed_actions")
    people = _staff_names(ctx, {id for row in rows for id in assignee_ids(ctx, row)}) if named else {}
    billed, invoice_ids = _invoices_of(ctx, rows if invoiced_as else ())
    for row in rows:
        shown: dict[str, Any] = {"invoice_ids": invoice_ids.get(row.id, [])}
        if assigned:
            shown["assignee_ids"] = assignee_ids(ctx, row)
            shown["assignees"] = [Named(id, people[id]) for id in shown["assignee_ids"] if id in people]
        if actions:
            shown["allowed_actions"] = allowed_actions(ctx, row, billed=row.id in billed)
        yield shown


def _staff_names(ctx: Context, ids: Iterable[str]) -> Mapping[str, str]:
    if not ids:
        return {}
    from billycan_staff import api as staff  # noqa: PLC0415 - there only where that plugin is

    return staff.names(ctx, ids)


def _invoices_of(ctx: Context, rows: Sequence[Row]) -> tuple[set[str], dict[str, list[str]]]:
    """Which of the jobs an invoice bills, and the invoices of each, oldest first; none where invoices is off."""
    billed: set[str] = set()
    found: dict[str, list[str]] = {}
    if rows and ctx.has("invoices"):
        of_these = own(ctx, invoiced) & invoiced.c.job_id.in_([row.id for row in rows])
        for link in ctx.db.execute(sa.select(invoiced).where(of_these).order_by(invoiced.c.id)):
            found.setdefault(link.job_id, []).append(link.id)
            if link.bills:
                billed.add(link.job_id)
    return billed, found


documents = Documents(
    records,
    Job,
    lines,
    noun="job",
    neighbours=neighbours,
    header=header,
    members=members,
    actions=rules.actions,
    allowed=allowed_actions,
)
