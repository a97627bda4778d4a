"""Handlers of adjustment notes: one function for each route."""

from collections.abc import Sequence
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from billycan import Conflict, Context, Deleted, Fault, Invalid, NotFound, Page, Patch, Row, new_id
from billycan_documents.api import id_faults, patched

from ..books import ledger, unallocated
from ..invoices import deposits
from ..invoices.claims import take_turns_of_work
from ..invoices.documents import amount_due
from ..invoices.documents import records as invoice_records
from ..note_resource import (
    AdjustmentNote,
    AdjustmentNoteQuery,
    ListedAdjustmentNote,
    NewAdjustmentNote,
    NewNoteLine,
    NoteLine,
)
from ..payments.settlement import apply_changes, becomes_paid, lock_invoices, take_clients_turn
from ..payments.settlement import emit_settlement as tell_of_invoice
from ..rules import ZERO
from ..tables import notes
from . import credit_release
from . import rules as note_rules
from .records import (
    allowed_actions,
    emit_note,
    get_note,
    insertion_of_lines,
    lines_of,
    missing_members,
    page_of_notes,
    records,
    show_adjustment_note,
    store_lines,
    work_out,
)
from .schemas import NoteVoiding

# Notes adjust invoices in these statuses: a draft is changed instead, and nothing is left of a void invoice.
_SENT = ("sent", "partially_paid", "paid", "credited", "written_off")
# The figures of an invoice that a note changes; the amount written off follows from them.
_OF_A_NOTE = tuple(name for name in ledger.FIGURES if name != "written_off")


def list_adjustment_notes(ctx: Context, query: AdjustmentNoteQuery) -> Page[ListedAdjustmentNote]:
    """All adjustment notes, whatever their status; `include=line_items` adds their lines.

    `search` covers number, client, invoice number and description.
    """
    return page_of_notes(ctx, query)


def create_adjustment_note(ctx: Context, body: NewAdjustmentNote) -> AdjustmentNote:
    """Draft an adjustment note for an invoice that was sent. Its number is assigned now and never reused.

    GST is worked out as on the invoice: with or without GST in prices, by its GST codes and its rounding. Nothing
    changes for the client before the note is issued. Refused with `over_credited` above what is left of the invoice, by
    line and in total, and with `invalid_state_transition` for an invoice that is a draft or void. Emits
    `adjustment_note.created`.
    """
    invoice = _lock_invoice(ctx, body.invoice_id)
    lines, columns = _worked_out(ctx, invoice, body)
    id = ctx.ahead("note id", lines, lambda: new_id(records.prefix))
    row = records.insert(
        ctx,
        id=id,
        **_build_header(ctx, invoice, body),
        **columns,
        invoice_id=invoice.id,
        invoice_number=invoice.number,
        invoice_total=invoice.total,
        client_id=invoice.client_id,
        client_name=invoice.client_name,
        client_abn=invoice.client_abn,
        client_address=invoice.client_address,
        amounts_are=invoice.amounts_are,
        gst_rounding=invoice.gst_rounding,
        status="draft",
        released=[],
    )
    store_lines(ctx, row.id, lines)
    return emit_note(ctx, row, "adjustment_note.created", lines)


def prepare_note(ctx: Context, body: NewAdjustmentNote) -> None:
    """Do what drafting a note needs no lock for."""
    lines, _ = _worked_out(ctx, _lock_invoice(ctx, body.invoice_id), body)
    insertion_of_lines(ctx, ctx.ahead("note id", lines, lambda: new_id(records.prefix)), lines)


def get_adjustment_note(ctx: Context, id: str) -> AdjustmentNote:
    """One adjustment note with its lines.

    Once it is issued, `hosted_url` is shown to keys with `invoices:write`.
    """
    return get_note(ctx, id)


def update_adjustment_note(ctx: Context, id: str, body: Patch[NewAdjustmentNote]) -> AdjustmentNote:
    """Change a draft; once it is issued, only `metadata` and `external_id` can change.

    Anything else is `document_locked`. Refused with `over_credited` above what is left of the invoice. Emits
    `adjustment_note.updated` if anything changed.
    """
    row = records.lock(ctx, id)
    stored = lines_of(ctx, [id])[id]
    names = NewNoteLine.__struct_fields__
    sent = [{name: getattr(_as_asked(line), name) for name in names} for line in stored]
    before = {**row._mapping, "line_items": sent}
    by_amount = {line.id for line in stored if line.amount is not None}
    for line in body.sent.get("line_items") or ():
        if line.get("id") in by_amount and "amount" in line and line.get("quantity") == 1:
            line["quantity"] = None  # as the note shows it
        # Each of the two clears the other, and the price that was worked out from it.
        for one, other in (("amount", "quantity"), ("quantity", "amount")):
            if one in line and other not in line:
                line |= {other: None, "unit_price": line.get("unit_price")}
    after = patched(body, before, NewNoteLine)
    changed = records.differing(before, msgspec.structs.asdict(after))
    if "invoice_id" in changed:
        raise Invalid.member("invoice_id", "read_only", "cannot change: make another note for the other invoice")
    if row.status != "draft":
        if locked := sorted(changed - note_rules.OPEN_ONCE_ISSUED):
            rule = f"an {row.status} note is locked; only {', '.join(sorted(note_rules.OPEN_ONCE_ISSUED))} can change"
            message = f"{', '.join(locked)}: {rule}."
            raise Conflict(message, code="document_locked", param=locked[0], status=row.status)
        row_after = records.save(ctx, row, **{name: getattr(after, name) for name in changed})
        return _tell_if_changed(ctx, row, row_after, stored)
    if "line_items" not in changed and after.full:
        after.line_items = []
    invoice = _lock_invoice(ctx, row.invoice_id)
    lines, columns = _worked_out(ctx, invoice, after, stored)
    row_after = records.save(ctx, row, touch=lines != stored, **_build_header(ctx, invoice, after), **columns)
    if lines != stored:
        store_lines(ctx, id, lines, anew=True)
    return _tell_if_changed(ctx, row, row_after, lines)


def delete_adjustment_note(ctx: Context, id: str) -> Deleted:
    """Delete a draft; anything issued must be kept for five years (s 382-5 of Schedule 1 to the TAA 1953).

    Refused with `document_locked` in any other status. Its number is never reused. Emits `adjustment_note.deleted`.
    """
    row = records.lock(ctx, id)
    if row.status != "draft":
        instead = ": void it instead" if row.status == "issued" else ""
        raise Conflict(
            f"An adjustment note that is {row.status} must be kept{instead}.", code="document_locked", status=row.status
        )
    store_lines(ctx, id, [], anew=True)
    deleted = records.delete(ctx, row)
    ctx.emit("adjustment_note.deleted", deleted)
    return deleted


def issue_adjustment_note(ctx: Context, id: str) -> AdjustmentNote:
    """Reduce the invoice: first what is due, then its payments, the newest first, which become the client's credit.

    From draft to issued; otherwise `invalid_state_transition`, also for an invoice that is void. An `issue_date` that
    passed while it was a draft becomes today; one from before it was drafted stays. The invoice becomes `credited` when
    none of it is due and none is paid. An amount that was written off cannot be credited as well. Refused with
    `tax_invoice_incomplete` if something that an adjustment note must show is missing (s 29-75 GST Act), and with
    `over_credited` above what is left of the invoice. Emits `adjustment_note.issued`, `payment.deallocated` for each
    payment that it releases, and `invoice.paid` if the invoice becomes paid.
    """
    before, row, payments, stored = _lock_note(ctx, id, "issue", released=False)
    if lacks := missing_members(ctx, row):
        raise Invalid(
            f"An adjustment note needs {', '.join(lacks)}: complete the business profile.",
            code="tax_invoice_incomplete",
            details=[Fault(name, "required", "is missing from this adjustment note") for name in lacks],
            missing=lacks,
        )
    drafted = lines_of(ctx, [id])[id]
    # Other notes may have been issued since this one was drafted.
    asked = None if row.full else [_as_asked(line) for line in drafted]
    lines, columns = work_out(ctx, before, asked, drafted)
    columns["issue_date"] = _issued_on(ctx, row)
    due = amount_due(before)
    released = credit_release.release_excess(ctx, payments, stored, max(columns["total"] - due, ZERO))
    price = ledger.priced("note", columns["issue_date"], columns, -1, note_id=id, credited=columns["total"])
    stands = ledger.of_invoice(ctx, before.id) if released else []
    given_up = [*credit_release.changes(id, released, -1, columns["issue_date"], stands)]
    after = apply_changes(
        ctx,
        before,
        [price, *given_up],
        by={"paid_at": ctx.now(), "payment_method": payments[max(payments)].payment_method} if payments else None,
    )
    if before.claim != "deposit":  # of which a note takes nothing off that was supplied
        unallocated.hold_credit(ctx, before.id, price, given_up)
    deposits.credit_deposit(ctx, before, after, columns["issue_date"])
    if lines != drafted:
        store_lines(ctx, id, lines, anew=True)
    kept = {"released": msgspec.to_builtins(released), "issued_at": ctx.now()}
    note = emit_note(ctx, records.save(ctx, row, status="issued", **kept, **columns), "adjustment_note.issued", lines)
    credit_release.emit_payments(ctx, [one.payment_id for one in released], "payment.deallocated")
    if becomes_paid(before, after):
        tell_of_invoice(ctx, before, after)
    return note


def void_adjustment_note(ctx: Context, id: str, body: NoteVoiding) -> AdjustmentNote:
    """Undo an adjustment note: the invoice is as before, and the payments that the note released settle it again.

    From issued to void; otherwise `invalid_state_transition`. Refused with `credit_spent` if its credit has already
    been allocated or refunded, and with `list_full` if the invoice would have more than 500 payments, or one of them
    more than 500 allocations. A payment that has been reversed since stays reversed. A mistake disappears from every
    figure; otherwise the note counts until `date`. Its number is never reused. Emits `adjustment_note.voided`,
    `payment.allocated` for each payment, and `invoice.paid` if the invoice becomes paid.
    """
    before, row, payments, stored = _lock_note(ctx, id, "void", released=True)
    restored = credit_release.restore_released(ctx, before, payments, stored, row.released)
    stands = ledger.of_invoice(ctx, before.id)
    of_note = [one for one in stands if one.note_id == id]
    days = [one.counts_on for one in of_note]
    least = ledger.last_day(stands, row.issue_date)
    on = body.counts_on(ctx, days, least, noted_at=row.issued_at)
    if on is None:
        changes = [one.less(*_OF_A_NOTE) for one in of_note]
        # A payment reversed since then settled the invoice until its reversal, including the part the note released.
        changes += credit_release.changes_of_reversed(ctx, row.released, payments)
    else:
        price = ledger.priced("note", on, row._mapping, note_id=id, credited=-row.total)
        changes = [price, *credit_release.changes(id, restored, 1, on)]
    after = apply_changes(
        ctx,
        before,
        changes,
        by={"paid_at": ctx.now(), "payment_method": payments[max(payments)].payment_method} if payments else None,
    )
    unallocated.end_of_note(ctx, before.id, id, on)
    deposits.credit_deposit(ctx, before, after, on or row.issue_date)
    row = records.save(ctx, row, status="void", voided_at=ctx.now(), voided_on=on, void_reason=body.reason)
    note = emit_note(ctx, row, "adjustment_note.voided")
    credit_release.emit_payments(ctx, [one.payment_id for one in restored], "payment.allocated")
    if becomes_paid(before, after):
        tell_of_invoice(ctx, before, after)
    return note


def _issued_on(ctx: Context, row: Row) -> date:
    """The date of a note that is issued now: the adjustment is known from then on (s 29-20 GST Act).

    A date before the day on which it was drafted is that of a note which was given outside of billycan.
    """
    drafted_on = row.created_at.astimezone(ZoneInfo(ctx.tenant.timezone)).date()
    issue_date: date = row.issue_date
    return max(issue_date, ctx.today()) if issue_date >= drafted_on else issue_date


def _lock_note(ctx: Context, id: str, action: str, *, released: bool) -> tuple[Row, Row, dict[str, Row], list[Row]]:
    """The invoice, the note, the payments that may move, and what they settle of the invoice; all locked, in order.

    The payments are those of the invoice, and where it was `released`, those that the note released.
    """
    take_turns_of_work(ctx, id)  # first, as in making a claim
    take_clients_turn(ctx, notes, id)
    found = records.find(ctx, id)
    invoice = lock_invoices(ctx, [found.invoice_id])[found.invoice_id]
    if invoice.applied_to is not None:
        lock_invoices(ctx, [invoice.applied_to])  # created after the deposit it takes off, so its id is larger
    payments, stored = credit_release.lock_settling(
        ctx, invoice.id, [one["payment_id"] for one in found.released] if released else []
    )
    row = records.lock(ctx, id)
    note_rules.actions.check(action, row.status, allowed_actions(ctx, row))
    _check_invoice(invoice)
    return invoice, row, payments, stored


def _lock_invoice(ctx: Context, id: str) -> Row:
    """The invoice of a draft note; Invalid where there is none, Conflict where it cannot be reduced."""
    try:
        invoice = invoice_records.find(ctx, id)
    except NotFound:
        raise Invalid.member("invoice_id", "not_found", "there is no such invoice") from None
    _check_invoice(invoice)
    return invoice


def _check_invoice(invoice: Row) -> None:
    if invoice.status in _SENT:
        return
    instead = "change it instead" if invoice.status == "draft" else "there is nothing left of it"
    raise Conflict(
        f"An adjustment note cannot reduce an invoice that is {invoice.status}: {instead}.",
        code="invalid_state_transition",
        param="invoice_id",
        status=invoice.status,
        allowed_actions=[],
    )


def _build_header(ctx: Context, invoice: Row, body: NewAdjustmentNote) -> dict[str, Any]:
    """The columns of what a client says of a note besides its lines."""
    issue_date = body.issue_date or max(ctx.today(), invoice.issue_date)
    if issue_date < invoice.issue_date:
        raise Invalid.member("issue_date", "out_of_range", f"must not be before the invoice's, {invoice.issue_date}")
    names = ("reason", "description", "full", "external_id", "metadata")
    return {"issue_date": issue_date, **{name: getattr(body, name) for name in names}}


def _worked_out(
    ctx: Context, invoice: Row, body: NewAdjustmentNote, stored: Sequence[NoteLine] = ()
) -> tuple[list[NoteLine], dict[str, Any]]:
    if body.full and body.line_items:
        raise Invalid.member("line_items", "invalid_value", "cannot be combined with full: send one of them")
    if not body.full and not body.line_items:
        raise Invalid.member("line_items", "required", "is what is taken off; or send full: true for all that is left")
    if faults := _find_unknown([line.id for line in body.line_items], {line.id for line in stored}):
        raise Invalid.of(*faults)
    return work_out(ctx, invoice, None if body.full else body.line_items, stored)


def _find_unknown(ids: Sequence[str | None], stored: set[str]) -> list[Fault]:
    return id_faults("line_items", "a line of this note", ids, stored)


def _as_asked(line: NoteLine) -> NewNoteLine:
    """A stored line, as it was asked for: one by amount shows a quantity of 1."""
    members = {name: getattr(line, name) for name in NewNoteLine.__struct_fields__}
    return NewNoteLine(**members | ({} if line.amount is None else {"quantity": None}))


def _tell_if_changed(ctx: Context, before: Row, after: Row, lines: list[NoteLine]) -> AdjustmentNote:
    if after.version == before.version:
        return show_adjustment_note(ctx, after, lines)
    return emit_note(ctx, after, "adjustment_note.updated", lines)
