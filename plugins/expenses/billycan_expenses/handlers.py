"""Handlers of expenses: one function for each route. `categories` and `summary` hold the others."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import msgspec
import sqlalchemy as sa
from msgspec import UNSET

from billycan import Conflict, Context, Deleted, Invalid, Neighbours, Page, Patch, Row, RuleBroken, new_id, own

from . import categories, lines, rules
from .gst import counted
from .payments import standing
from .records import claim_terms, emit_expense, job_of, records, show_expense, show_listed
from .refunds import check_nothing_given_back, follow_purchase
from .resource import Expense, ExpenseQuery, ListedExpense, NewExpense, charged_by, neighbours
from .schemas import ExpenseVoiding
from .tables import expenses, payments

# A bill is paid in parts by payments of their own.
_UNPAID = {"payment_count": 0, "part_paid": rules.NOTHING}
_DEFAULTS = {one.name: one.default for one in msgspec.structs.fields(NewExpense)}


def list_expenses(ctx: Context, query: ExpenseQuery) -> Page[ListedExpense]:
    """All expenses, including void ones unless you filter by `status`.

    Each includes its category and its GST breakdown; with `include`, its lines and payments too.
    """
    page = records.rows(ctx, query, columns=records.columns(ctx))
    return page.of(show_listed(ctx, page.items, query.include or ()))


def create_expense(ctx: Context, body: NewExpense) -> Expense:
    """Record an expense.

    With `line_items` it is split: each line has its category, GST code and amount, and the expense their sum. Money
    that a supplier gives back for a purchase is taxed as the purchase was, and cannot exceed what is left of it. Emits
    `expense.created`.
    """
    neighbours.check(ctx, body)
    names = (*rules.OF_THE_PURCHASE, *rules.OF_THE_LINES)
    said = {name for name in names if getattr(body, name) != _DEFAULTS[name]}
    if body.paid_on is UNSET:
        body.paid_on = None if body.due_date else body.date
    follow_purchase(ctx, body, said)
    made = lines.work_out(ctx, body, said, [])
    if not made:
        _tax_as_the_category_says(ctx, body)
    if body.tax_invoice_held:
        body.tax_invoice_held_on = body.tax_invoice_held_on or body.date
    columns = _build_columns(ctx, body, ctx.now(), made)
    ctx.check_unlocked(*(columns.get(name) for name in rules.DATES))
    id = new_id("exp")
    beside = lines.insertion(ctx, id, made)
    row = records.insert(ctx, *beside, status="recorded", **columns, **_UNPAID, id=id)
    return emit_expense(ctx, row, "expense.created")


def get_expense(ctx: Context, id: str) -> Expense:
    """One expense.

    It includes the category, the GST breakdown, its lines and its payments.
    """
    return show_expense(ctx, records.find(ctx, id, records.columns(ctx)))


def update_expense(ctx: Context, id: str, body: Patch[NewExpense]) -> Expense:
    """Change an expense; GST that you did not enter yourself is recalculated from amount and code.

    `line_items` replace those that it has: one with an `id` is merged into that line, and those left out are removed.
    Once void, only `external_id` and `metadata` can change; anything else is `document_locked`. What a lodged tax
    period counted is locked, too: void the expense and record it anew. Changing the amount or GST of a purchase is
    refused with `has_dependents` while money that the supplier gave back for it is recorded. Emits `expense.updated` if
    anything changed.
    """
    if "job_id" in body:
        ctx.take_turns()  # before locking the expense, in the order of invoicing a job
    row = records.lock(ctx, id)
    stored = lines.of_expense(ctx, row)
    before, after = _patch_members(ctx, body, row, stored)
    said = {name for name in rules.OF_THE_LINES if name in body and getattr(after, name) not in (None, before[name])}
    made = lines.work_out(ctx, after, said, stored)
    _keep_payments(ctx, after, row)
    columns = _build_columns(ctx, after, row.created_at, made, row.first_paid_on)
    if (columns["date"], columns["paid_on"]) == (row.date, row.paid_on):
        # The last day to claim stays as first calculated, even if the settings have changed.
        columns |= {"claim_until": row.claim_until, "recorded_late": row.recorded_late}
    changed = {*records.differing(row._mapping, columns)}
    if made != stored:
        changed.add("line_items")
    if row.status == "void":
        _check_locked(row, changed)
    neighbours.check(ctx, after, before)
    is_reworded = lines.figures(made, "category_id") == lines.figures(stored, "category_id")
    _check_unlocked(ctx, row, columns, changed - {"line_items"} if is_reworded else changed)
    if lines.figures(made) != lines.figures(stored) or not changed.isdisjoint(
        ("amount", "gst", *rules.OF_THE_PURCHASE)
    ):
        check_nothing_given_back(ctx, id)
    lodged = counted(ctx, row) if row.lodged_in and row.status != "void" else set()
    saved = records.save(ctx, row, touch=made != stored, **columns)
    if made != stored:
        lines.replace(ctx, id, made)
    if saved.version != row.version:
        if lodged and lodged - counted(ctx, saved):
            raise _refuse_lodged(row, "What it counted there cannot change: void it and record it anew.")
        return emit_expense(ctx, saved, "expense.updated")
    return show_expense(ctx, saved)


def _patch_members(
    ctx: Context, body: Patch[NewExpense], row: Row, stored: lines.Lines
) -> tuple[dict[str, Any], NewExpense]:
    """Return the members of an expense before and after a patch, with what follows from what the client sent."""
    _let_one_supplier_clear_the_other(body)
    _let_the_tax_invoice_follow(ctx, body, row)
    lines.let_gst_follow(body, stored)
    if row.paid_on == row.date and "date" in body and "paid_on" not in body and not row.payment_count:
        body.sent["paid_on"] = body.sent["date"]  # money spent is paid on its date
    for name in ("gst_code", "business_use_percent"):
        if name in body and body.sent[name] is None:
            defaults = categories.defaults_of(ctx, body.sent.get("category_id") or row.category_id)
            body.sent[name] = getattr(defaults, name)
    entered = row.gst if stored else _entered_gst(body, row)
    before = {**row._mapping, "currency": "AUD", "gst": entered, "job_id": job_of(ctx, row), "line_items": stored}
    after = body.over(before)
    if row.status != "void":
        follow_purchase(ctx, after, body.sent, row)
    return before, after


def delete_expense(ctx: Context, id: str) -> Deleted:
    """Delete an expense that no record refers to; a void one must be kept for five years (s 262A ITAA 1936).

    Refused with `document_locked` once void or counted in a lodged tax period, with `has_payments` while payments of it
    are recorded, and with `has_dependents` while other records refer to it. Emits `expense.deleted`.
    """
    row = records.lock(ctx, id)
    if row.lodged_in and row.status != "void":
        raise _refuse_lodged(row, "It must be kept for five years: void it instead.")
    if row.status == "void":
        raise Conflict("A void expense must be kept.", code="document_locked", status=row.status)
    if charged_by.shown(ctx, row._mapping)["invoice_id"]:
        message = "Still in use by the invoice that charges it: void that, or delete it while it is a draft."
        raise Conflict(message, code="has_dependents", dependents={"invoices": 1})
    ctx.check_unlocked(*(getattr(row, name) for name in rules.DATES))
    _check_not_paid(row)
    Neighbours.check_unused(ctx, expenses, expenses.c.refunded_expense_id == id)
    if row.line_count:
        lines.replace(ctx, id, [])
    if row.payment_count:
        ctx.db.execute(sa.delete(payments).where(own(ctx, payments), payments.c.expense_id == id))
    deleted = records.delete(ctx, row)
    ctx.emit("expense.deleted", deleted)
    return deleted


def void_expense(ctx: Context, id: str, body: ExpenseVoiding) -> Expense:
    """Void an expense: it stays listed, but no list of totals includes it.

    A mistake disappears from every figure; otherwise the expense counts until `date`. From recorded to void; otherwise
    `invalid_state_transition`. Refused with `has_payments` until its payments are reversed, and with `has_dependents`
    while money that the supplier gave back for it is recorded. Emits `expense.voided`.
    """
    row = records.lock(ctx, id)
    status = rules.actions.check("void", row.status)
    _check_not_paid(row)
    check_nothing_given_back(ctx, id)
    days = [day for name in rules.DATES if (day := getattr(row, name)) is not None]
    on = body.counts_on(ctx, days, max(days), is_lodged=row.lodged_in is not None)
    row = records.save(ctx, row, status=status, voided_at=ctx.now(), voided_on=on, void_reason=body.reason)
    return emit_expense(ctx, row, "expense.voided")


def _tax_as_the_category_says(ctx: Context, body: NewExpense) -> None:
    """Give an expense the GST terms of its category unless it has its own. Raise Invalid if `gst` is required."""
    has_gst = body.gst is not None or body.gst_code not in rules.TAXABLE
    if body.gst_code is not None and has_gst and body.business_use_percent is not None:
        return
    defaults = categories.defaults_of(ctx, body.category_id or "")
    if body.business_use_percent is None:
        body.business_use_percent = defaults.business_use_percent
    if body.gst_code is not None and has_gst:
        return
    body.gst_code = body.gst_code or defaults.gst_code
    if defaults.gst_required and body.gst is None and body.gst_code in rules.TAXABLE:
        message = "is required in this category, because it is not 1/11 of the amount: enter what the tax invoice says"
        raise Invalid.member("gst", "required", message)
    try:
        body.check_gst(body.gst_code)
    except RuleBroken as broken:
        raise Invalid.member("gst", broken.code, str(broken)) from None


def _entered_gst(body: Patch[NewExpense], row: Row) -> Decimal | None:
    """Return the GST that the user entered and that stays when other members change; None if it is calculated."""
    if body.sent.get("refunded_expense_id", row.refunded_expense_id) is not None:
        follows = body.sent.keys() & {"amount", "refunded_expense_id"}
    else:
        follows = row.gst == rules.default_gst(row.amount, row.gst_code)
        follows |= body.sent.get("gst_code", row.gst_code) not in rules.TAXABLE
    return None if follows else row.gst


def _refuse_lodged(row: Row, cure: str) -> Conflict:
    """Return the refusal to change what a lodged tax period counted (s 382-5 of Schedule 1 to the TAA 1953)."""
    message = f"A lodged tax period counted this expense. {cure}"
    return Conflict(message, code="document_locked", status=row.status, gst_period_id=row.lodged_in)


def _build_columns(
    ctx: Context, body: NewExpense, recorded: datetime, made: lines.Lines, first_paid_on: date | None = None
) -> dict[str, Any]:
    """Return the columns of an expense: the members sent, what it has from its lines, its GST, and the last day to
    claim it, as of `recorded`.

    Leaves the job as it is if the plugin for jobs is off.
    """
    left_out = ("currency", "line_items") if ctx.has("jobs") else ("currency", "line_items", "job_id")
    sent = {name: getattr(body, name) for name in body.__struct_fields__ if name not in left_out}
    sent["paid_on"] = None if body.paid_on is UNSET else body.paid_on
    sent["gst"] = rules.default_gst(body.total, body.gst_code or "gst") if body.gst is None else body.gst
    sent |= {"line_count": len(made), "lines_gst": lines.gst_for_business(made)}
    return sent | claim_terms(ctx, body.date, first_paid_on or sent["paid_on"], recorded)


def _keep_payments(ctx: Context, body: NewExpense, row: Row) -> None:
    """Let a bill that is paid in parts be paid in full once they come to its amount. Raise Invalid for less than that,
    and for another `paid_on`.
    """
    if not row.payment_count:
        return
    if body.paid_on != row.paid_on:
        rule = "follows from its payments: record or reverse one, at /v1/expenses/{id}/payments"
        raise Invalid.member("paid_on", "invalid_value", rule)
    if body.total < row.part_paid:
        rule = f"must not be less than {row.part_paid}, which was paid: reverse a payment first"
        raise Invalid.member("line_items" if body.line_items else "amount", "out_of_range", rule)
    if body.total != row.amount:
        body.paid_on = standing(ctx, row.id, body.total)["paid_on"]


def _check_not_paid(row: Row) -> None:
    """Raise Conflict while payments of an expense are recorded: they would be lost with it."""
    if row.part_paid:
        raise Conflict("Payments of this expense are recorded: reverse them first.", code="has_payments")


def _check_unlocked(ctx: Context, row: Row, columns: dict[str, Any], changed: set[str]) -> None:
    """Raise Conflict if a change would alter a figure of the days for which the books are locked.

    A later payment or a later tax invoice counts on its own day only, and how it was paid on the day of that.
    """
    counts = {"paid_on" if name == "payment_method" else name for name in changed - rules.OPEN_WHERE_LOCKED}
    dates = rules.DATES if counts - {*rules.DATES} else [name for name in rules.DATES if name in counts]
    ctx.check_unlocked(*(one for name in dates for one in (getattr(row, name), columns.get(name))))


def _check_locked(row: Row, changed: set[str]) -> None:
    if locked := sorted(changed - rules.OPEN_ONCE_VOID):
        raise Conflict(
            f"{', '.join(locked)}: a void expense is locked; only its external_id and metadata can still change.",
            code="document_locked",
            param=locked[0],
            status=row.status,
        )


def _let_one_supplier_clear_the_other(body: Patch[NewExpense]) -> None:
    typed, sent = ("supplier_name", "supplier_abn"), body.sent
    if sent.get("supplier_id") is not None:
        sent.update({name: None for name in typed if name not in sent})
    elif any(sent.get(name) is not None for name in typed) and "supplier_id" not in sent:
        sent["supplier_id"] = None


def _let_the_tax_invoice_follow(ctx: Context, body: Patch[NewExpense], row: Row) -> None:
    """Set the date of a tax invoice to today if the client says only that it is held; clear it if none is held."""
    sent = body.sent
    if sent.get("tax_invoice_held_on") is not None:
        sent.setdefault("tax_invoice_held", True)
    elif sent.get("tax_invoice_held") and not row.tax_invoice_held:
        sent["tax_invoice_held_on"] = max(ctx.today(), row.date).isoformat()
    elif "tax_invoice_held" in sent and not sent["tax_invoice_held"]:
        sent["tax_invoice_held_on"] = None
    elif "tax_invoice_held_on" in sent:
        sent["tax_invoice_held"] = False
