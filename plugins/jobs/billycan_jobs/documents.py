"""Jobs as stored and as shown: what they have beyond other documents, such as a checklist, staff and invoices."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from billycan import Context, Fault, Invalid, Named, Row, new_id
from billycan_contacts.api import Party
from billycan_documents.api import Documents, gst_codes, invoiced_of, may_charge_gst

from . import resource, rules
from .resource import Job, ListedJob, NewJob, neighbours
from .tables import lines

if TYPE_CHECKING:
    from billycan_expenses.api import Billable
    from billycan_invoices.api import Billing

records = resource.jobs.records


def header(ctx: Context, columns: dict[str, Any], client: Party) -> dict[str, Any]:
    """Return the columns of a job: the sent members, its checklist with ids, and its figures.

    Assignees stay as they are if staff is off.
    """
    checklist = [{**item, "id": item["id"] or new_id("chk")} for item in msgspec.to_builtins(columns["checklist"])]
    off = () if ctx.has("staff") else ("assignee_ids",)
    return {name: value for name, value in columns.items() if name not in off} | {"checklist": checklist}


def assignee_ids(ctx: Context, row: Row) -> list[str]:
    """Return the ids of a job's assignees; none if staff is off."""
    ids: list[str] = row.assignee_ids if ctx.has("staff") else []
    return ids


def check_assignees(ctx: Context, body: NewJob, stored: Sequence[str]) -> None:
    """Raise Invalid unless each new assignee is active staff. Locks them until the commit."""
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


def billings(ctx: Context, rows: Sequence[Row]) -> "Mapping[str, Billing]":
    """Map each job to the amounts that its invoices bill, in one query; nothing if the plugin is off."""
    if not rows or not ctx.has("invoices"):
        return {}
    from billycan_invoices import api as invoices  # noqa: PLC0415 - there only where that plugin is

    return invoices.billings(ctx, "job_id", [row.id for row in rows])


def billed(ctx: Context, row: Row) -> Decimal:
    """Return the claims of a job's invoices on its total, by one query."""
    return billings(ctx, [row])[row.id].charged


def allowed_actions(ctx: Context, row: Row, *, billing: "Billing | None" = None) -> list[str]:
    """List the actions possible for a job; `billing`, if the caller has it, saves a query."""
    may_invoice = row.status in rules.INVOICEABLE and ctx.has("invoices")
    if may_invoice:
        billing = billing or billings(ctx, [row])[row.id]
        codes = gst_codes(row)
        may_invoice = bool(codes) and not billing.is_all(row.total) and may_charge_gst(ctx, codes, ctx.today())
    return rules.allowed_actions(row.status, row.checklist, may_invoice=may_invoice)


def billable(ctx: Context, job_id: str) -> "list[Billable]":
    """Lock and list the job's expenses that its next invoice charges to the client; none if the plugin is off."""
    if not ctx.has("expenses"):
        return []
    from billycan_expenses import api as expenses  # noqa: PLC0415 - there only where that plugin is

    return expenses.billable(ctx, job_id)


def bill(ctx: Context, spent: "Sequence[Billable]", invoice_id: str) -> None:
    """Record the invoice that charges these expenses."""
    if spent:
        from billycan_expenses import api as expenses  # noqa: PLC0415 - there only where that plugin is

        expenses.bill(ctx, spent, invoice_id)


def members(ctx: Context, rows: Sequence[Row], clients: Mapping[str, Party]) -> Iterable[dict[str, Any]]:
    """Yield the members that jobs have beyond other documents, with one query each for staff and invoices."""
    wants = partial(ctx.wants, ListedJob)
    named, actions = wants("assignees"), wants("allowed_actions")
    assigned, invoiced = wants("assignee_ids", "assignees"), wants("invoiced")
    people = _staff_names(ctx, {id for row in rows for id in assignee_ids(ctx, row)}) if named else {}
    found = billings(ctx, rows if invoiced or wants("invoice_ids", "allowed_actions") else ())
    for row in rows:
        of_job = found.get(row.id)
        shown: dict[str, Any] = {"invoice_ids": of_job.invoice_ids if of_job else []}
        if invoiced:
            shown["invoiced"] = of_job.of(row.total) if of_job else invoiced_of(row.total)
        if assigned:
            shown["assignee_ids"] = assignee_ids(ctx, row)
            shown["assignees"] = [Named(id, people[id]) for id in shown["assignee_ids"] if id in people]
        if actions:
            shown["allowed_actions"] = allowed_actions(ctx, row, billing=of_job)
        yield shown


def _staff_names(ctx: Context, ids: Iterable[str]) -> Mapping[str, str]:
    if not ids:
        return {}
    from billycan_staff import api as staff  # noqa: PLC0415 - there only where that plugin is

    return staff.names(ctx, ids)


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
