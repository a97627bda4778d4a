"""What each endpoint does."""

from typing import Any

import sqlalchemy as sa

from billycan import Conflict, Context, Deleted, Invalid, Page, Patch, Resource
from billycan.records import Row
from billycan_gst.api import as_sent, check_line_ids, let_one_discount_clear_the_other, work_out

from . import rules
from .documents import (
    allowed_actions,
    assignee_ids,
    bills,
    check_assignees,
    header,
    job_lines,
    neighbours,
    records,
    show,
    show_all,
)
from .schemas import Completion, Job, JobCancellation, JobQuery, ListedJob, NewJob, Schedule
from .tables import invoiced


def list_jobs(ctx: Context, query: JobQuery) -> Page[ListedJob]:
    """All jobs, whatever their status; `include=line_items` adds their lines.

    Together with `status`, the ranges of `scheduled_start` and `completed_at` make a diary.
    """
    page = records.rows(ctx, query)
    return page.of(show_all(ctx, page.items, with_lines="line_items" in (query.include or ())))


def create_job(ctx: Context, body: NewJob) -> Job:
    """Open a job, or schedule it where it says when it starts; its number is given now and never again.

    It is open, or scheduled where `scheduled_start` is sent. Refused with `gst_not_registered` where a business
    that is not registered charges GST. Emits `job.created`.
    """
    if faults := rules.unknown_items([item.id for item in body.checklist], ()):
        raise Invalid.of(*faults)
    check_assignees(ctx, body, ())
    neighbours.check(ctx, body)
    worked = work_out(ctx, body)
    columns = {"assignee_ids": [], **header(ctx, body, worked)}
    row = records.insert(ctx, status=rules.status_when_made(body.scheduled_start), **columns)
    job_lines.add(ctx, row.id, worked.lines)
    return _emit(ctx, "job.created", show(ctx, row, lines=worked.lines))


def get_job(ctx: Context, id: str) -> Job:
    """One job with its lines.

    What is done so far, and what it will bill.
    """
    return show(ctx, records.find(ctx, id))


def update_job(ctx: Context, id: str, body: Patch[NewJob]) -> Job:
    """Change a job, its checklist and its lines; its status changes by actions alone.

    Checklist items and lines are merged by their `id`; those left out are removed. Refused with
    `gst_not_registered` where a business that is not registered charges GST. Emits `job.updated` where anything
    changed.
    """
    row = records.lock(ctx, id)
    stored = job_lines.of(ctx, [id])[id]
    for name in ("line_items", "checklist"):
        if name in body and body.sent[name] is None:
            body.sent[name] = []
    let_one_discount_clear_the_other(body)
    check_line_ids(body, stored)
    sent_ids = [item.get("id") for item in body.sent.get("checklist", ())]
    if faults := rules.unknown_items(sent_ids, (item["id"] for item in row.checklist)):
        raise Invalid.of(*faults)
    near = neighbours.shown(ctx, row._mapping)
    before = {**row._mapping, **near, "assignee_ids": assignee_ids(ctx, row), "currency": "AUD"}
    after = body.over({**before, "line_items": [as_sent(line) for line in stored]})
    if row.status == "scheduled" and after.scheduled_start is None:
        raise Invalid.member("scheduled_start", "required", "cannot be cleared while the job is scheduled")
    check_assignees(ctx, after, before["assignee_ids"])
    neighbours.check(ctx, after, near)
    worked = work_out(ctx, after, stored=[line.id for line in stored])
    columns = header(ctx, after, worked)
    if row.status == "complete":
        _check_done(columns["checklist"])
    new_lines = worked.lines != stored
    changed = records.save(ctx, row, touch=new_lines, **columns)
    if new_lines:
        job_lines.replace(ctx, id, worked.lines)
    job = show(ctx, changed, lines=worked.lines)
    return job if changed.version == row.version else _emit(ctx, "job.updated", job)


def delete_job(ctx: Context, id: str) -> Deleted:
    """Delete a job that is open or cancelled and has no invoices.

    Refused with `document_locked` in any other status, and with `has_dependents` while anything points at it. Its
    number stays used. Emits `job.deleted`.
    """
    row = records.lock(ctx, id)
    if row.status not in rules.DELETABLE:
        raise Conflict(
            f"A job that is {row.status} is kept; only open and cancelled ones can be deleted.",
            code="document_locked",
            status=row.status,
        )
    job_lines.remove(ctx, id)
    deleted = records.delete(ctx, row)
    ctx.emit("job.deleted", deleted)
    return deleted


def schedule_job(ctx: Context, id: str, body: Schedule) -> Job:
    """Say when an open job is to be done.

    From open to scheduled, else `invalid_state_transition`. Emits `job.scheduled`.
    """
    times = {"scheduled_start": body.scheduled_start, "scheduled_end": body.scheduled_end}
    return _move(ctx, id, "schedule", "job.scheduled", **times)


def start_job(ctx: Context, id: str) -> Job:
    """Begin the work.

    From open or scheduled to in_progress, else `invalid_state_transition`. Emits `job.started`.
    """
    return _move(ctx, id, "start", "job.started")


def hold_job(ctx: Context, id: str) -> Job:
    """Interrupt the work, as when parts are awaited.

    From in_progress to on_hold, else `invalid_state_transition`. Emits `job.updated`.
    """
    return _move(ctx, id, "hold", "job.updated")


def resume_job(ctx: Context, id: str) -> Job:
    """Go on with interrupted work.

    From on_hold to in_progress, else `invalid_state_transition`. Emits `job.updated`.
    """
    return _move(ctx, id, "resume", "job.updated")


def complete_job(ctx: Context, id: str, body: Completion) -> Job:
    """Finish the work; refused while anything required on the checklist is not done.

    From any open status to complete, else `invalid_state_transition`; `checklist_incomplete` names what is left.
    Emits `job.completed`.
    """
    row = records.lock(ctx, id)
    status = _check(ctx, row, "complete")
    _check_done(row.checklist)
    notes = row.completion_notes if body.notes is None else body.notes
    row = records.save(ctx, row, status=status, completed_at=ctx.now(), completion_notes=notes)
    return _emit(ctx, "job.completed", show(ctx, row))


def cancel_job(ctx: Context, id: str, body: JobCancellation) -> Job:
    """Give the job up; its number stays used.

    From any open status to cancelled, else `invalid_state_transition`. Emits `job.cancelled`.
    """
    return _move(ctx, id, "cancel", "job.cancelled", cancelled_at=ctx.now(), cancel_reason=body.reason)


def reopen_job(ctx: Context, id: str) -> Job:
    """Take a complete job up again, as for a second visit; its invoices stay.

    From complete to open, else `invalid_state_transition`. Emits `job.reopened`.
    """
    return _move(ctx, id, "reopen", "job.reopened", completed_at=None)


def invoice_job(ctx: Context, id: str) -> Resource:
    """Make a draft invoice of a complete job's lines, with every rule and cent of them.

    From complete, else `invalid_state_transition`; `already_invoiced` while an invoice bills it. Answers the
    invoice. Refused with `gst_not_registered` where the business no longer charges GST. Emits `invoice.created` and
    `job.updated`.
    """
    from billycan_invoices import api as invoices  # noqa: PLC0415 - there only where that plugin is

    row = records.lock(ctx, id)
    _check(ctx, row, "invoice")
    if invoice_id := bills(ctx, id):
        raise Conflict(
            f"The invoice {invoice_id} bills this job: void it, or delete it while it is a draft, to make another.",
            code="already_invoiced",
            invoice_id=invoice_id,
        )
    lines = [{**as_sent(line), "id": None} for line in job_lines.of(ctx, [id])[id]]
    if not lines:
        raise Invalid.member("line_items", "required", "are needed to invoice a job: add what is to be billed")
    document = {name: row._mapping[name] for name in _CARRIED}
    made = invoices.make(ctx, {**document, "job_id": id, "line_items": lines})
    link = {"tenant_id": ctx.tenant_id, "id": made.id, "job_id": id, "bills": True}
    ctx.db.execute(sa.insert(invoiced).values(link))
    _emit(ctx, "job.updated", show(ctx, records.save(ctx, row, touch=True)))
    return made


_CARRIED = (
    *("client_id", "amounts_are", "gst_rounding", "discount_percent", "discount_amount"),
    *("reference", "notes", "terms", "quote_id", "booking_id"),
)


def _check(ctx: Context, row: Row, action: str) -> str | None:
    billed = row.status == "complete" and bills(ctx, row.id) is not None
    return rules.actions.check(action, row.status, allowed_actions(ctx, row, billed=billed))


def _check_done(checklist: list[dict[str, Any]]) -> None:
    if left := rules.undone(checklist):
        raise Conflict(f"Not done yet: {'; '.join(left)}.", code="checklist_incomplete", param="checklist")


def _move(ctx: Context, id: str, action: str, event: str, **columns: Any) -> Job:
    row: Row = records.lock(ctx, id)
    row = records.save(ctx, row, status=_check(ctx, row, action), **columns)
    return _emit(ctx, event, show(ctx, row))


def _emit(ctx: Context, event: str, job: Job) -> Job:
    ctx.emit(event, job)
    return job
