"""Expenses as stored and as shown: the records, and how much of their GST can be claimed."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from msgspec import UNSET

from billycan import Context, Page, Row
from billycan.sql import ByIds
from billycan_contacts import api as contacts

from . import categories, resource, rules
from .claim_status import is_too_old
from .lines import BY_EXPENSE, show_line
from .parts_schemas import ExpensePayment
from .parts_tables import PAYMENTS
from .resource import Expense, GstBreakdown, ListedExpense
from .tables import NONE, expenses

records = resource.expenses.records

_PURCHASES = ByIds(sa.select(expenses), expenses.c.id)
_MOST_AT_ONCE = 500  # lines or payments that are fetched together, if they are not of one expense
_BESIDES = 600  # bytes of a line or payment in JSON, besides its texts


def gst_for_business(of: Any = expenses) -> sa.ColumnElement[int]:
    """The GST in an expense that is for business use, in whole cents, whether or not it can be claimed."""
    by_line = sa.type_coerce(of.c.lines_gst, sa.BigInteger)
    return sa.case((of.c.line_count > NONE, by_line), else_=business_share(sa.type_coerce(of.c.gst, sa.BigInteger), of))


def business_share(cents: sa.ColumnElement[int], of: Any = expenses) -> sa.ColumnElement[int]:
    """The business's share of an amount in whole cents, rounded as in `rules.claimable_part`."""
    # The percentage is in ten-thousandths; integer division truncates, and half a cent rounds away from zero.
    half = sa.case((cents < 0, -1_000_000), else_=1_000_000)
    percent = sa.type_coerce(of.c.business_use_percent, sa.BigInteger)
    return (2 * cents * percent + half) // sa.literal_column("2000000", sa.BigInteger)


def job_of(ctx: Context, row: Row) -> str | None:
    """Return the id of the job that an expense is for; None if the plugin for jobs is off."""
    return row.job_id if ctx.has("jobs") else None


def show_listed(ctx: Context, rows: Sequence[Row], include: Collection[str] = ()) -> list[ListedExpense]:
    """Return the expenses as lists show them, with their lines and payments if these are to be included.

    Raise BadRequest if those are too large for a page.
    """
    lines = _lines_by_expense(ctx, rows) if "line_items" in include else dict.fromkeys((row.id for row in rows), UNSET)
    paid = _payments_by_expense(ctx, rows) if "payments" in include else dict.fromkeys((row.id for row in rows), UNSET)
    return _show_expenses(ctx, rows, line_items=lines, payments=paid)


def show_expense(ctx: Context, row: Row) -> Expense:
    """Return one expense as clients see it, with its lines and payments."""
    beside = {"line_items": {row.id: UNSET}, "payments": {row.id: UNSET}}
    (shown,) = _show_expenses(ctx, [row], **beside)
    members = {name: getattr(shown, name) for name in Expense.__struct_fields__}
    if ctx.wants(Expense, "line_items"):
        members["line_items"] = _lines_by_expense(ctx, [row])[row.id]
    if ctx.wants(Expense, "payments"):
        members["payments"] = _payments_by_expense(ctx, [row])[row.id]
    return Expense(**members)


def emit_expense(ctx: Context, row: Row, event: str) -> Expense:
    """Emit this event for an expense, and return the expense as shown."""
    expense = show_expense(ctx, row)
    ctx.emit(event, expense)
    return expense


def claim_terms(ctx: Context, day: date, paid_on: date | None, recorded: datetime) -> dict[str, Any]:
    """Return the columns of the last day to claim the GST of an expense of a day, which was recorded at some time.

    A credit belongs to the period of the bill or payment, whichever is first; on cash, the payment (s 29-10 GST Act).
    """
    setting = ctx.tenant.gst_setting_on(day)
    paid_on = paid_on or day
    first = paid_on if setting and setting.basis == "cash" else min(day, paid_on)
    until = rules.claim_until(first, setting.period if setting else "quarter")
    recorded_on = recorded.astimezone(ZoneInfo(ctx.tenant.timezone)).date()
    return {"claim_until": until, "recorded_late": recorded_on > until}


def _show_expenses(ctx: Context, rows: Sequence[Row], **beside: Mapping[str, Any]) -> list[ListedExpense]:
    def where(member: str) -> Sequence[Row]:
        """Return the rows if the client selected this member, else none."""
        return rows if ctx.wants(ListedExpense, member) else ()

    broken_down = where("gst_breakdown")
    refunded = {row.refunded_expense_id for row in broken_down if row.refunded_expense_id}
    bought = {row.id: row for row in _PURCHASES.all(ctx.db, ctx.tenant_id, refunded)} if refunded else {}
    by = {row.id: bought.get(row.refunded_expense_id, row) for row in broken_down}
    named = {row.supplier_id for row in by.values() if row.supplier_id and row.gst_code in rules.TAXABLE}
    suppliers = contacts.suppliers(ctx, named)
    today, due = ctx.today(), {row.id: rules.amount_due(row) for row in where("amount_due") or where("is_overdue")}
    return records.show(
        ctx,
        rows,
        currency=dict.fromkeys([row.id for row in rows], "AUD"),
        job_id={row.id: job_of(ctx, row) for row in where("job_id")},
        invoice_id={row.id: row.invoice_id if ctx.has("invoices") else None for row in where("invoice_id")},
        amount_paid={row.id: row.part_paid if row.paid_on is None else row.amount for row in where("amount_paid")},
        amount_due=due,
        is_overdue={
            row.id: row.due_date is not None and row.due_date < today and due[row.id] > 0 for row in where("is_overdue")
        },
        business_use_percent={
            row.id: rules.plain_percent(row.business_use_percent) for row in where("business_use_percent")
        },
        gst_breakdown={
            row.id: _break_down_gst(ctx, row, by[row.id], suppliers.get(by[row.id].supplier_id)) for row in broken_down
        },
        **beside,
    )


def _lines_by_expense(ctx: Context, rows: Sequence[Row]) -> dict[str, Any]:
    """Map the id of each of these expenses to its lines; no query if none has any."""
    counts = {row.id: row.line_count for row in rows if row.line_count}
    found = [*_of_page(ctx, BY_EXPENSE, counts, len(rows), lambda row: 4 * len(row.description or ""))]
    names = categories.names(ctx, {row.category_id for row in found}) if found else {}
    shown: dict[str, Any] = {row.id: [] for row in rows}
    for row in ctx.in_turns(found):
        shown[row.expense_id].append(show_line(row, names))
    return shown


def _payments_by_expense(ctx: Context, rows: Sequence[Row]) -> dict[str, Any]:
    """Map the id of each of these expenses to its payments; no query if none has any."""
    counts = {row.id: row.payment_count for row in rows if row.payment_count}
    shown: dict[str, Any] = {row.id: [] for row in rows}
    for row in _of_page(ctx, PAYMENTS, counts, len(rows), lambda row: 4 * len(row.reverse_reason or "")):
        shown[row.expense_id].append(show_payment(row))
    return shown


def show_payment(row: Any) -> ExpensePayment:
    """Return a stored payment as clients see it."""
    actions = rules.payment_actions.allowed(row.status)
    members = (getattr(row, name) for name in ExpensePayment.__struct_fields__ if name != "allowed_actions")
    id, amount, paid_on, method, reference, status, *rest = members
    return ExpensePayment(id, amount, paid_on, method, reference, status, actions, *rest)


def _of_page(
    ctx: Context, select: ByIds, counts: Mapping[str, int], records: int, text: Callable[[Any], int]
) -> Iterator[Any]:
    """Yield the lines or payments of a page's expenses; raise BadRequest once they are too large together."""
    size, seen = 0, set[str]()
    rows: Iterable[Any] = select.in_groups(ctx.db, ctx.tenant_id, [*counts], counts, _MOST_AT_ONCE)
    for row in ctx.in_turns(rows):
        size += _BESIDES + text(row)
        if size > Page.MOST_BYTES and records > 1:
            raise Page.too_large(records, len(seen))
        seen.add(row.expense_id)
        yield row


def _break_down_gst(ctx: Context, row: Row, by: Row, supplier: contacts.Supplier | None) -> GstBreakdown:
    """Return the GST breakdown of an expense by its own terms, or by those of the purchase that it refunds.

    `by` is the row with the terms, and `supplier` is that row's supplier.
    """
    status = rules.claim_status(
        amount=by.amount,
        gst_code=by.gst_code,
        tax_invoice_held=by.tax_invoice_held,
        status=row.status,
        registered=ctx.tenant.registered_on(by.date),
        supplier_registered=supplier.gst_registered if supplier else None,
        too_old=is_too_old(ctx, by),
        tax_withheld=by.tax_withheld,
        lacks_abn=not supplier.abn if supplier else by.supplier_name is not None and by.supplier_abn is None,
        import_gst=by.import_gst,
        for_input_taxed_sales=by.for_input_taxed_sales,
    )
    of_business = rules.claimable_part(row.gst, row.business_use_percent) if row.lines_gst is None else row.lines_gst
    claimable = of_business if status == "claimable" else rules.NOTHING
    return GstBreakdown(row.amount - row.gst, row.gst, rules.rate(row.gst_code), claimable, status)
