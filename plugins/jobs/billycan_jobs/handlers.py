"""Handlers of jobs: one function for each route."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa

from billycan import Conflict, Context, Deleted, Invalid, Neighbours, Page, Patch, Query, Resource
from billycan_documents.api import NewClaim, id_faults

from . import rules
from .documents import assignee_ids, bill, billable, billed, check_assignees, documents, records
from .resource import Job, ListedJob, NewJob
from .schemas import Completion, JobCancellation, Schedule
from .tables import invoiced


def list_jobs(ctx: Context, query: Query[ListedJob]) -> Page[ListedJob]:
    """All jobs, whatever their status; `include=line_items` adds their lines.

    For a diary, filter by `status` and by a range of `scheduled_start` or `completed_at`.
    """
    return documents.page(ctx, query)


def create_job(ctx: Context, body: NewJob) -> Job:
    """Create a job: open, or scheduled if it has a start. Its number is assigned now and never reused.

    Refused with `gst_not_registered` if a business that is not registered for GST charges it. Emits `job.created`.
    """
    _check_items([item.id for item in body.checklist], ())
    check_assignees(ctx, body, ())
    return documents.add(ctx, body, status=rules.status_when_made(body.scheduled_start), assignee_ids=[])


def get_job(ctx: Context, id: str) -> Job:
    """One job with its lines.

    It includes the checklist, the lines and the totals.
    """
    return documents.get(ctx, id)


def update_job(ctx: Context, id: str, body: Patch[NewJob]) -> Job:
    """Change a job, its checklist and its lines; only actions change its status.

    Checklist items and lines are merged by their `id`; those left out are removed. Refused with `gst_not_registered` if
    a business that is not registered for GST charges it. Emits `job.updated` if anything changed.
    """
    row = records.lock(ctx, id)
    _empty_lists(body)
    _check_items([item.get("id") for item in body.sent.get("checklist", ())], (item["id"] for item in row.checklist))
    assigned = assignee_ids(ctx, row)
    edit = documents.edit(ctx, row, body, assignee_ids=assigned)
    if row.status == "scheduled" and edit.after.scheduled_start is None:
        raise Invalid.member("scheduled_start", "required", "cannot be cleared while the job is scheduled")
    check_assignees(ctx, edit.after, assigned)
    if row.status == "complete":
        _check_done(msgspec.to_builtins(edit.after.checklist))
    return documents.change(ctx, edit)


def prepare_update(ctx: Context, id: str, body: Patch[NewJob]) -> None:
    """Do what changing a job needs no lock for."""
    _empty_lists(body)
    documents.prepare_change(ctx, id, body, lambda ctx, row: {"assignee_ids": assignee_ids(ctx, row)})


def _empty_lists(body: Patch[NewJob]) -> None:
    for name in ("line_items", "checklist"):
        if name in body and body.sent[name] is None:
            body.sent[name] = []


def delete_job(ctx: Context, id: str) -> Deleted:
    """Delete a job that is open or cancelled and has no invoices.

    Refused with `document_locked` in any other status, and with `has_dependents` while other records refer to it. Its
    number is never reused. Emits `job.deleted`.
    """
    row = records.lock(ctx, id)
    if row.status not in rules.DELETABLE:
        raise Conflict(
            f"A job that is {row.status} must be kept; only open and cancelled jobs can be deleted.",
            code="document_locked",
            status=row.status,
        )
    Neighbours.check_unused(ctx, invoiced, invoiced.c.job_id == id, kind="invoices")
    return documents.remove(ctx, row)


def schedule_job(ctx: Context, id: str, body: Schedule) -> Job:
    """Schedule an open job.

    From open to scheduled; otherwise `invalid_state_transition`. Emits `job.scheduled`.
    """
    times = {"scheduled_start": body.scheduled_start, "scheduled_end": body.scheduled_end}
    return documents.move(ctx, records.lock(ctx, id), "schedule", "job.scheduled", **times)


def start_job(ctx: Context, id: str) -> Job:
    """Begin the work.

    From open or scheduled to in_progress; otherwise `invalid_state_transition`. Emits `job.started`.
    """
    return documents.move(ctx, records.lock(ctx, id), "start", "job.started")


def hold_job(ctx: Context, id: str) -> Job:
    """Pause the work, for example while waiting for parts.

    From in_progress to on_hold; otherwise `invalid_state_transition`. Emits `job.updated`.
    """
    return documents.move(ctx, records.lock(ctx, id), "hold", "job.updated")


def resume_job(ctx: Context, id: str) -> Job:
    """Resume paused work.

    From on_hold to in_progress; otherwise `invalid_state_transition`. Emits `job.updated`.
    """
    return documents.move(ctx, records.lock(ctx, id), "resume", "job.updated")


def complete_job(ctx: Context, id: str, body: Completion) -> Job:
    """Complete the job; refused while a required checklist item is not done.

    From any open status to complete; otherwise `invalid_state_transition`; `checklist_incomplete` names the items that
    are not done. Emits `job.completed`.
    """
    row = records.lock(ctx, id)
    documents.check(ctx, row, "complete")
    _check_done(row.checklist)
    notes = row.completion_notes if body.notes is None else body.notes
    done = {"completed_at": ctx.now(), "completion_notes": notes}
    return documents.move(ctx, row, "complete", "job.completed", **done)


def cancel_job(ctx: Context, id: str, body: JobCancellation) -> Job:
    """Cancel the job; its number is never reused.

    From any open status to cancelled; otherwise `invalid_state_transition`. Emits `job.cancelled`.
    """
    ctx.take_turns()  # before the job is locked, as whoever changes one of its invoices does
    return documents.move(
        ctx, records.lock(ctx, id), "cancel", "job.cancelled", cancelled_at=ctx.now(), cancel_reason=body.reason
    )


def reopen_job(ctx: Context, id: str) -> Job:
    """Reopen a complete job, for example for a second visit; its invoices stay.

    From complete to open; otherwise `invalid_state_transition`. Emits `job.reopened`.
    """
    return documents.move(ctx, records.lock(ctx, id), "reopen", "job.reopened", completed_at=None)


def invoice_job(ctx: Context, id: str, body: NewClaim) -> Resource:
    """Create a draft invoice of a job: of all that is left to bill, or of a part of it.

    From scheduled, in_progress, on_hold or complete; otherwise `invalid_state_transition`. Send `percent`, `amount` or
    `line_ids` to invoice a part, and `claim` to say what it is: a progress claim, a part payment or a deposit.
    `retention_percent` says what the client retains of it, and `claim: retention` invoices that later. Without them it
    invoices the whole job, less what was invoiced before; the totals match to the cent. The job's
    `billable` expenses that no invoice has yet are lines of it, too. `already_invoiced` if nothing is left;
    `over_invoiced` for more than is left; `list_full` if the job or its quote has 500 invoices. Returns the invoice.
    The key needs `invoices:write` too. Refused with `gst_not_registered` if the business is no longer registered for
    GST. Emits `invoice.created` and `job.updated`.
    """
    from billycan_invoices import api as invoices  # noqa: PLC0415 - there only where that plugin is

    ctx.take_turns()  # before the job is locked, as whoever changes one of its invoices does
    row = records.lock(ctx, id)
    documents.check(ctx, row, "invoice")
    content = documents.content(ctx, row, "quote_id", "booking_id")
    work = invoices.Work(row, documents.lines(ctx, [id])[id], {**content, "job_id": id})
    spent = billable(ctx, id) if body.claim not in ("deposit", "retention") else []
    extras = [invoices.Extra(one.description, one.amount, one.of_the_work) for one in spent]
    with ctx.copying(row.id):
        made = invoices.claim(ctx, "job_id", work, body, extras)
    bill(ctx, spent, made.id)
    link = {"tenant_id": ctx.tenant_id, "id": made.id, "job_id": id}
    ctx.db.execute(sa.insert(invoiced).values(link))
    documents.tell(ctx, records.save(ctx, row, touch=True, billed=billed(ctx, row)), "job.updated")
    return made


def _check_items(ids: Sequence[str | None], stored: Iterable[str]) -> None:
    if faults := id_faults("checklist", "an item of this checklist", ids, stored):
        raise Invalid.of(*faults)


def _check_done(checklist: list[dict[str, Any]]) -> None:
    if left := rules.undone(checklist):
        raise Conflict(f"Not done yet: {'; '.join(left)}.", code="checklist_incomplete", param="checklist")
