"""Handlers of expenses: one function for each route. `categories` and `summary` hold the others."""

from collections.abc import Container
from datetime import datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import sqlalchemy as sa
from msgspec import UNSET

from billycan import Conflict, Context, Deleted, Fault, Invalid, Neighbours, Page, Patch, Row, RuleBroken, own

from . import categories, rules
from .gst import counted
from .records import emit_expense, job_of, records, show_expenses
from .resource import Expense, ExpenseQuery, NewExpense, charged_by, neighbours
from .schemas import ExpenseVoiding
from .tables import expenses

_DEFAULTS = {one.name: one.default for one in msgspec.structs.fields(NewExpense)}


def list_expenses(ctx: Context, query: ExpenseQuery) -> Page[Expense]:
    """All expenses, including void ones unless you filter by `status`.

    Each includes its category and its GST breakdown.
    """
    page = records.rows(ctx, query, columns=records.columns(ctx))
    return page.of(show_expenses(ctx, page.items))


def create_expense(ctx: Context, body: NewExpense) -> Expense:
    """Record an expense.

    What a supplier gives back of a purchase is taxed as that was, and is not more than is left of it. Emits
    `expense.created`.
    """
    neighbours.check(ctx, body)
    _follow_the_purchase(ctx, body, {name for name in rules.OF_THE_PURCHASE if getattr(body, name) != _DEFAULTS[name]})
    _tax_as_the_category_says(ctx, body)
    if body.paid_on is UNSET:
        body.paid_on = None if body.due_date else body.date
    if body.tax_invoice_held:
        body.tax_invoice_held_on = body.tax_invoice_held_on or body.date
    columns = _columns(ctx, body, ctx.now())
    ctx.check_unlocked(*(columns[name] for name in rules.DATES))
    row = records.insert(ctx, status="recorded", **columns)
    return emit_expense(ctx, row, "expense.created")


def get_expense(ctx: Context, id: str) -> Expense:
    """One expense.

    It includes the category and the GST breakdown.
    """
    return show_expenses(ctx, [records.find(ctx, id, records.columns(ctx))])[0]


def update_expense(ctx: Context, id: str, body: Patch[NewExpense]) -> Expense:
    """Change an expense; GST that you did not enter yourself is recalculated from amount and code.

    Once void, only `external_id` and `metadata` can change; anything else is `document_locked`. So is what a lodged tax
    period counted of it: void the expense and record it anew. Amount and GST of a purchase are `has_dependents` while
    something that the supplier gave back of it is recorded. Emits `expense.updated` if anything changed.
    """
    if "job_id" in body:
        ctx.take_turns()  # before locking the expense, in the order of invoicing a job
    row = records.lock(ctx, id)
    _let_one_supplier_clear_the_other(body)
    _let_the_tax_invoice_follow(ctx, body, row)
    if row.paid_on == row.date and "date" in body and "paid_on" not in body:
        body.sent["paid_on"] = body.sent["date"]  # money spent is paid on its date
    for name in ("gst_code", "business_use_percent"):
        if name in body and body.sent[name] is None:
            defaults = categories.defaults_of(ctx, body.sent.get("category_id") or row.category_id)
            body.sent[name] = getattr(defaults, name)
    before = {**row._mapping, "currency": "AUD", "gst": _entered_gst(body, row), "job_id": job_of(ctx, row)}
    after = body.over(before)
    if row.status != "void":
        _follow_the_purchase(ctx, after, body.sent, row)
    columns = _columns(ctx, after, row.created_at)
    if (columns["date"], columns["paid_on"]) == (row.date, row.paid_on):
        # The last day to claim stays as first calculated, even if the settings have changed.
        columns |= {"claim_until": row.claim_until, "recorded_late": row.recorded_late}
    if row.status == "void":
        _check_locked(row, columns)
    neighbours.check(ctx, after, before)
    _check_unlocked(ctx, row, columns)
    if records.differing(row._mapping, columns) & {"amount", "gst", *rules.OF_THE_PURCHASE}:
        _check_nothing_given_back(ctx, id)
    lodged = counted(ctx, row) if row.lodged_in and row.status != "void" else set()
    changed = records.save(ctx, row, **columns)
    if changed.version != row.version:
        if lodged and lodged - counted(ctx, changed):
            raise _lodged(row, "What it counted there cannot change: void it and record it anew.")
        return emit_expense(ctx, changed, "expense.updated")
    return show_expenses(ctx, [changed])[0]


def delete_expense(ctx: Context, id: str) -> Deleted:
    """Delete an expense that no record refers to; a void one must be kept for five years (s 262A ITAA 1936).

    Refused with `document_locked` once void or counted in a lodged tax period, and with `has_dependents` while other
    records refer to it. Emits `expense.deleted`.
    """
    row = records.lock(ctx, id)
    if row.lodged_in and row.status != "void":
        raise _lodged(row, "It must be kept for five years: void it instead.")
    if row.status == "void":
        raise Conflict("A void expense must be kept.", code="document_locked", status=row.status)
    if charged_by.shown(ctx, row._mapping)["invoice_id"]:
        message = "Still in use by the invoice that charges it: void that, or delete it while it is a draft."
        raise Conflict(message, code="has_dependents", dependents={"invoices": 1})
    ctx.check_unlocked(*(getattr(row, name) for name in rules.DATES))
    Neighbours.check_unused(ctx, expenses, expenses.c.refunded_expense_id == id)
    deleted = records.delete(ctx, row)
    ctx.emit("expense.deleted", deleted)
    return deleted


def void_expense(ctx: Context, id: str, body: ExpenseVoiding) -> Expense:
    """Void an expense: it stays listed, but no list of totals includes it.

    As a mistake it never was, in no figure; otherwise it was until `date`. From recorded to void; otherwise
    `invalid_state_transition`. Refused with `has_dependents` while something that the supplier gave back of it is
    recorded. Emits `expense.voided`.
    """
    row = records.lock(ctx, id)
    status = rules.actions.check("void", row.status)
    _check_nothing_given_back(ctx, id)
    days = [day for name in rules.DATES if (day := getattr(row, name)) is not None]
    on = body.counts_on(ctx, days, max(days), is_lodged=row.lodged_in is not None)
    row = records.save(ctx, row, status=status, voided_at=ctx.now(), voided_on=on, void_reason=body.reason)
    return emit_expense(ctx, row, "expense.voided")


def _tax_as_the_category_says(ctx: Context, body: NewExpense) -> None:
    """Give an expense the GST terms of its category unless it has its own. Raise Invalid if `gst` is required."""
    has_gst = body.gst is not None or body.gst_code not in rules.TAXABLE
    if body.gst_code is not None and has_gst and body.business_use_percent is not None:
        return
    defaults = categories.defaults_of(ctx, body.category_id)
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


def _follow_the_purchase(ctx: Context, body: NewExpense, said: Container[str], row: Row | None = None) -> None:
    """Give a supplier's refund the GST terms of its purchase, and lock the purchase.

    Adjusts no more than was claimed (s 19-70, 19-80 GST Act). `said` are the members that the client sent, and `row` is
    the expense as stored before. Raise Invalid if the purchase does not exist, if less of it is left than the refund,
    or if the client sent other terms.
    """
    if body.refunded_expense_id is None:
        return
    id = row.id if row else None
    found = own(ctx, expenses) & (expenses.c.id == body.refunded_expense_id) & (expenses.c.amount > rules.NOTHING)
    bought = ctx.db.execute(sa.select(expenses).where(found, expenses.c.status != "void").with_for_update()).first()
    if bought is None or bought.id == id:
        raise Invalid.member("refunded_expense_id", "not_found", "is not the id of an expense above zero")
    others = own(ctx, expenses) & (expenses.c.refunded_expense_id == bought.id) & (expenses.c.id != (id or ""))
    sums = (sa.func.sum(sa.type_coerce(expenses.c[name], sa.BigInteger)) for name in ("amount", "gst"))
    cents = ctx.db.execute(sa.select(*sums).where(others, expenses.c.status != "void")).one()
    amount, gst = (Decimal(int(one or 0)).scaleb(-2) for one in cents)
    faults = []
    if -body.amount > bought.amount + amount:
        rule = f"must give back no more than {bought.amount + amount}, which is left of the purchase"
        faults.append(Fault("amount", "out_of_range", rule))
    for name in rules.OF_THE_PURCHASE:
        if name in said and getattr(body, name) != getattr(bought, name):
            faults.append(Fault(name, "invalid_value", "must be that of the purchase: leave it out"))
        setattr(body, name, getattr(bought, name))
    if body.gst is None:
        body.gst = rules.refunded_gst((bought.amount, bought.gst), (-amount, -gst), body.amount)
    elif not 0 <= -body.gst <= bought.gst + gst:
        rule = f"must be from {-(bought.gst + gst)} to 0, by the GST that is left of the purchase"
        faults.append(Fault("gst", "out_of_range", rule))
    if faults:
        raise Invalid.of(*faults)


def _check_nothing_given_back(ctx: Context, id: str) -> None:
    """Raise Conflict while a refund of this purchase is recorded, since the refund follows the purchase."""
    given_back = own(ctx, expenses) & (expenses.c.refunded_expense_id == id) & (expenses.c.status != "void")
    if many := ctx.db.execute(sa.select(sa.func.count()).where(given_back)).scalar():
        message = "What the supplier gave back of this purchase is recorded: void that first."
        raise Conflict(message, code="has_dependents", dependents={"expenses": many})


def _lodged(row: Row, cure: str) -> Conflict:
    """Return the refusal to change what a lodged tax period counted (s 382-5 of Schedule 1 to the TAA 1953)."""
    message = f"A lodged tax period counted this expense. {cure}"
    return Conflict(message, code="document_locked", status=row.status, gst_period_id=row.lodged_in)


def _columns(ctx: Context, body: NewExpense, recorded: datetime) -> dict[str, Any]:
    """Return the columns of an expense: the members sent, its GST, and the last day to claim it, as of `recorded`.

    Leaves the job as it is if the plugin for jobs is off.
    """
    left_out = ("currency",) if ctx.has("jobs") else ("currency", "job_id")
    sent = {name: getattr(body, name) for name in body.__struct_fields__ if name not in left_out}
    sent["paid_on"] = None if body.paid_on is UNSET else body.paid_on
    sent["gst"] = rules.default_gst(body.amount, body.gst_code or "gst") if body.gst is None else body.gst
    # A credit belongs to the period of the bill or payment, whichever is first; on cash, the payment (s 29-10 GST Act).
    setting = ctx.tenant.gst_setting_on(body.date)
    paid_on = sent["paid_on"] or body.date
    day = paid_on if setting and setting.basis == "cash" else min(body.date, paid_on)
    until = rules.claim_until(day, setting.period if setting else "quarter")
    recorded_on = recorded.astimezone(ZoneInfo(ctx.tenant.timezone)).date()
    return {**sent, "claim_until": until, "recorded_late": recorded_on > until}


def _check_unlocked(ctx: Context, row: Row, columns: dict[str, Any]) -> None:
    """Raise Conflict if a change would alter a figure of the days for which the books are locked.

    A later payment or a later tax invoice counts on its own day only.
    """
    changed = records.differing(row._mapping, columns)
    counts = changed - rules.OPEN_WHERE_LOCKED
    dates = rules.DATES if counts - {*rules.DATES} else [name for name in rules.DATES if name in counts]
    ctx.check_unlocked(*(one for name in dates for one in (getattr(row, name), columns[name])))


def _check_locked(row: Row, columns: dict[str, Any]) -> None:
    changed = records.differing(row._mapping, columns)
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
