"""Handlers of recurring invoices: one function for each route."""

from collections.abc import Iterable
from datetime import timedelta
from decimal import Decimal
from itertools import islice
from types import SimpleNamespace
from typing import Any

import msgspec
import sqlalchemy as sa

from billycan import Conflict, Context, Deleted, Invalid, Neighbours, Page, Patch, Query, Row, new_id, own
from billycan_contacts import api as contacts
from billycan_documents.api import NewLine, id_faults, let_one_discount_clear_the_other
from billycan_invoices import api as invoices

from .records import emit_recurring, list_recurring, next_date, records, series_of, show_recurring, store_items
from .resource import NewRecurringInvoice, RecurringInvoice, actions
from .schemas import DatesQuery, NextInvoice
from .tables import named_items, recurring

# The columns that go into the body of each invoice.
BODY = (
    *("client_id", "line_items", "amounts_are", "gst_rounding", "discount_percent", "discount_amount"),
    *("reference", "purchase_order", "notes", "terms", "metadata"),
)
MOST_DAYS_AGO = 366


def list_recurring_invoices(ctx: Context, query: Query[RecurringInvoice]) -> Page[RecurringInvoice]:
    """All recurring invoices, whatever their status.

    Sort by `next_on` to see which are due next.
    """
    return list_recurring(ctx, query)


def create_recurring_invoice(ctx: Context, body: NewRecurringInvoice) -> RecurringInvoice:
    """Schedule an invoice to be created regularly.

    Each invoice is created on its date, soon after midnight in the business's time zone; those for dates before today
    are created at once, in order. The key needs `invoices:write`, and `mail:write` to email the invoices. Refused with
    `client_archived`, and with `gst_not_registered` if a business that is not registered for GST charges it. Emits
    `recurring_invoice.created`.
    """
    _check_lines([line.id for line in body.line_items], [])
    values = _build_columns(ctx, body, None)
    started = {"status": "active", "invoices_made": 0, "pauses": []}
    row = records.insert(ctx, **{**_NOTHING_YET, **values, **started, "next_on": body.start_on})
    store_items(ctx, row)
    return emit_recurring(ctx, row, "recurring_invoice.created")


def prepare_new(ctx: Context, body: NewRecurringInvoice) -> None:
    """Do what creating a recurring invoice needs no lock for."""
    _worked_out(ctx, body, None)


def prepare_update(ctx: Context, id: str, body: Patch[NewRecurringInvoice]) -> None:
    """Do what changing a recurring invoice needs no lock for."""
    row = records.find(ctx, id)
    let_one_discount_clear_the_other(body)
    before = {**row._mapping, "currency": "AUD"}
    after = ctx.ahead("recurring after", row, lambda: body.over(before), or_anew=True)
    if "line_items" in body:
        _worked_out(ctx, after, row)


def get_recurring_invoice(ctx: Context, id: str) -> RecurringInvoice:
    """One recurring invoice.

    `failure` says why the next invoice could not be created; it is null if nothing is wrong.
    """
    return show_recurring(ctx, [records.find(ctx, id, records.columns(ctx))])[0]


def update_recurring_invoice(ctx: Context, id: str, body: Patch[NewRecurringInvoice]) -> RecurringInvoice:
    """Change the next invoices, or when they are created.

    Existing invoices stay as they are, and no date gets a second one. An invoice that could not be created is tried
    again at once.
    Refused with `document_locked` once it has ended, with `client_archived`, and with `gst_not_registered` if a
    business that is not registered for GST charges it. Emits `recurring_invoice.updated` if anything changed.
    """
    row = records.lock(ctx, id)
    before = {**row._mapping, "currency": "AUD"}
    let_one_discount_clear_the_other(body)
    _check_lines([line.get("id") for line in body.sent.get("line_items", ())], row.line_items)
    after = ctx.ahead("recurring after", row, lambda: body.over(before), or_anew=True)
    changed = records.differing(before, msgspec.structs.asdict(after))
    if row.status == "ended" and changed - {"external_id", "metadata"}:
        raise Conflict("A recurring invoice that has ended cannot be changed.", code="document_locked", status="ended")
    if changed - {"external_id", "metadata"}:
        values = _build_columns(ctx, after, row)
        row_after = records.save(ctx, row, **values, **_next_date(row, values))
        store_items(ctx, row_after)
        _try_again(ctx, id)
    else:
        row_after = records.save(ctx, row, external_id=after.external_id, metadata=after.metadata)
    if row_after.version != row.version:
        return emit_recurring(ctx, row_after, "recurring_invoice.updated")
    return show_recurring(ctx, [row_after])[0]


def delete_recurring_invoice(ctx: Context, id: str) -> Deleted:
    """Delete a recurring invoice that has not created any invoice.

    Refused with `has_dependents` otherwise: end it instead. Emits `recurring_invoice.deleted`.
    """
    deleted = records.remove(ctx, id)
    ctx.emit("recurring_invoice.deleted", deleted)
    return deleted


def pause_recurring_invoice(ctx: Context, id: str) -> RecurringInvoice:
    """Create no invoices for a while; dates that pass in the meantime are skipped.

    From active to paused; otherwise `invalid_state_transition`. Emits `recurring_invoice.paused`.
    """
    row = records.lock(ctx, id)
    row = records.save(ctx, row, status=actions.check("pause", row.status), paused_on=ctx.today(), next_on=None)
    return emit_recurring(ctx, row, "recurring_invoice.paused")


def resume_recurring_invoice(ctx: Context, id: str) -> RecurringInvoice:
    """Create invoices again, from the next date on.

    From paused to active, or to ended if no date is left; otherwise `invalid_state_transition`. Dates that passed
    while it was paused are skipped, and do not count towards `count`. The key needs `invoices:write`,
    and `mail:write` to email the invoices. Emits `recurring_invoice.resumed`, and `recurring_invoice.ended` if no date
    is left.
    """
    row = records.lock(ctx, id)
    _require_scopes(ctx, row.then)
    values: dict[str, Any] = {"status": actions.check("resume", row.status), "paused_on": None}
    if row.paused_on < ctx.today():
        values["pauses"] = [*row.pauses, [row.paused_on.isoformat(), ctx.today().isoformat()]]
    values |= _next_date(row, values)
    row = records.save(ctx, row, **values)
    _try_again(ctx, id)
    resumed = emit_recurring(ctx, row, "recurring_invoice.resumed")
    return end_locked(ctx, row) if row.next_on is None else resumed


def end_recurring_invoice(ctx: Context, id: str) -> RecurringInvoice:
    """Create no more invoices; existing ones stay.

    From active or paused to ended; otherwise `invalid_state_transition`. Emits `recurring_invoice.ended`.
    """
    row = records.lock(ctx, id)
    actions.check("end", row.status)
    return end_locked(ctx, row)


def preview_recurring_invoice(ctx: Context, id: str, query: DatesQuery) -> list[NextInvoice]:
    """The dates of the next invoices, in order: at most `count`, and none once it has ended.

    If it is paused, the dates are those it would have if it were resumed today.
    """
    row = records.find(ctx, id)
    if row.status == "ended":
        return []
    left = query.count if row.count is None else min(query.count, row.count - row.invoices_made)
    paused = [(row.paused_on, ctx.today())] if row.paused_on else []
    return [NextInvoice(day) for day in islice(series_of(row, *paused).after(row.done_until), left)]


def keep_item(ctx: Context, item: Deleted) -> None:
    """Refuse to delete an item that a recurring invoice names, since its next invoices are filled in from the item."""
    names, instead = named_items.c.item_id == item.id, "set `active` to false instead"
    Neighbours.check_unused(ctx, named_items, names, kind="recurring_invoices", instead=instead)


def end_locked(ctx: Context, row: Row) -> RecurringInvoice:
    """End a locked recurring invoice."""
    row = records.save(ctx, row, status="ended", next_on=None, paused_on=None, failure=None)
    store_items(ctx, row)
    return emit_recurring(ctx, row, "recurring_invoice.ended")


def body_of(row: Any) -> dict[str, Any]:
    """Return the body of an invoice, as `POST /v1/invoices` takes it, from the columns of a recurring invoice."""
    lines = [{**line, "id": None} for line in row.line_items]
    return {name: getattr(row, name) for name in BODY} | {"line_items": lines}


def check_client(ctx: Context, client_id: str) -> None:
    """Raise Invalid if the contact is archived, so that it gets no more invoices."""
    if contacts.statuses(ctx, [client_id]).get(client_id) == "archived":
        message = "The contact is archived: restore it, or name another."
        raise Invalid(message, code="client_archived", param="client_id")


def _build_columns(ctx: Context, body: NewRecurringInvoice, row: Row | None) -> dict[str, Any]:
    """Return the columns of a body, checked as the next invoice will be."""
    if body.then == "email" and not ctx.has("mail"):
        raise Invalid.member("then", "invalid_value", "cannot be `email`: the plugin mail is off")
    _require_scopes(ctx, body.then)
    if (row is None or body.start_on != row.start_on) and body.start_on < ctx.today() - timedelta(MOST_DAYS_AGO):
        raise Invalid.member("start_on", "out_of_range", "must not be more than a year ago")
    values = _worked_out(ctx, body, row)
    check_client(ctx, body.client_id)
    return values


def _worked_out(ctx: Context, body: NewRecurringInvoice, row: Row | None) -> dict[str, Any]:
    values, members = ctx.ahead("recurring", body, lambda: _of_body(body))
    day = body.start_on if row is None else row.next_on or ctx.today()
    return {**values, "total": invoices.preview(ctx, {**members, "issue_date": day}).total}


def _of_body(body: NewRecurringInvoice) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the columns of a body, and the members of the invoices that it makes."""
    values = {name: getattr(body, name) for name in body.__struct_fields__ if name != "currency"}
    values["line_items"] = msgspec.to_builtins(_with_ids(body.line_items), builtin_types=(Decimal,))
    members = {name: values[name] for name in BODY if name != "metadata"}
    members["line_items"] = [{**line, "id": None} for line in values["line_items"]]
    return values, members


def _require_scopes(ctx: Context, then: str) -> None:
    """Refuse a key without the scopes for the work that the worker does with each invoice."""
    ctx.require("invoices:write")
    if then == "email":
        ctx.require("mail:write")


def _check_lines(sent: list[str | None], stored: list[dict[str, Any]]) -> None:
    if faults := id_faults("line_items", "a line of this recurring invoice", sent, [line["id"] for line in stored]):
        raise Invalid.of(*faults)


def _with_ids(lines: Iterable[NewLine]) -> list[NewLine]:
    return [line if line.id else msgspec.structs.replace(line, id=new_id("lin")) for line in lines]


def _next_date(row: Row, values: dict[str, Any]) -> dict[str, Any]:
    """Return the date of the next invoice of a row with new values. Raise Invalid if a client's values leave none."""
    after = SimpleNamespace(**{**row._mapping, **values})
    if after.count is not None and after.count <= row.invoices_made:
        raise Invalid.member("count", "out_of_range", f"must be more than the {row.invoices_made} that were made")
    day = next_date(after)
    if day is None and "end_on" in values:
        raise Invalid.member("end_on", "out_of_range", "leaves no date for another invoice: end it instead")
    return {"next_on": day if after.status == "active" else None}


def _try_again(ctx: Context, id: str) -> None:
    this = own(ctx, recurring) & (recurring.c.id == id)
    ctx.db.execute(sa.update(recurring).where(this).values(retry_at=None))


_NOTHING_YET = dict.fromkeys(("last_invoice_id", "failure", "email_failure", "done_until", "paused_on", "retry_at"))
