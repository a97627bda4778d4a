"""Expenses as stored and as shown: the records, and how much of their GST can be claimed."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from billycan import Context, GstPeriod, Neighbours, Records, Row
from billycan.gst import GstSpan
from billycan.sql import ByIds
from billycan_contacts import api as contacts

from . import categories, rules
from .schemas import Expense, GstBreakdown
from .tables import expenses


def of_claim_status(ctx: Context, statuses: list[str]) -> sa.ColumnElement[bool]:
    """The condition that an expense has any of these claim statuses."""
    status = claim(period_of(ctx))
    return sa.or_(*(status == one for one in statuses))


neighbours = Neighbours(job_id="jobs")
charged_by = Neighbours(invoice_id="invoices")

# A supplier's refund has the claim status of its purchase.
purchases = expenses.alias("purchases")
_PURCHASES = ByIds(sa.select(expenses), expenses.c.id)

_LATE = ("tax_invoice_held_on", "claim_until", "recorded_late")

records = Records(
    expenses,
    Expense,
    prefix="exp",
    references={"category": categories.names, "supplier": contacts.names},
    search=("description", "supplier_name", "supplier_abn", "reference"),
    filters={"search": contacts.found_by(expenses.c.supplier_id), "claim_status": of_claim_status},
    actions=lambda expense: rules.actions.allowed(expense.status),
    needs={
        "currency": (),
        "gst_breakdown": (
            "date",
            "amount",
            "gst",
            "gst_code",
            "tax_invoice_held",
            "status",
            "business_use_percent",
            "supplier_id",
            "supplier_name",
            "supplier_abn",
            "tax_withheld",
            "import_gst",
            "for_input_taxed_sales",
            "refunded_expense_id",
            *_LATE,
        ),
        "allowed_actions": ("status",),
    },
    points_at={**neighbours.plugins, **charged_by.plugins, "refunded_expense_id": "expenses"},
)


def claim(period: GstPeriod) -> sa.Case[Any]:
    """The claim status of each expense, as in `rules.claim_status`; a refund has that of its purchase."""
    of_purchase = sa.select(claim_until_void(period, purchases)).where(
        purchases.c.tenant_id == period.tenant_id, purchases.c.id == expenses.c.refunded_expense_id
    )
    return sa.case(
        (expenses.c.status == "void", "not_creditable"),
        (expenses.c.refunded_expense_id.is_not(None), of_purchase.correlate(expenses).scalar_subquery()),
        else_=claim_until_void(period),
    )


def claim_until_void(period: GstPeriod, of: Any = expenses) -> sa.Case[Any]:
    """The claim status of each expense by its own terms; for a void expense, the status before it was voided."""
    unregistered = sa.func.coalesce(of.c.supplier_id.in_(contacts.not_registered(period)), sa.false())
    needs_tax_invoice = (of.c.amount > rules.NO_TAX_INVOICE_UP_TO) & ~of.c.import_gst
    return sa.case(
        (~_creditable(period, of), "not_creditable"),
        (of.c.tax_withheld > rules.NOTHING, "tax_withheld"),
        (unregistered & ~of.c.import_gst, "supplier_not_registered"),
        (_too_old(period, of), "too_old"),
        (needs_tax_invoice & ~of.c.tax_invoice_held, "awaiting_tax_invoice"),
        (needs_tax_invoice & _lacks_abn(period, of), "awaiting_abn"),
        else_="claimable",
    )


def _lacks_abn(period: GstPeriod, of: Any) -> sa.ColumnElement[bool]:
    """The expenses that name a supplier whose ABN is not recorded."""
    typed = of.c.supplier_name.is_not(None) & of.c.supplier_abn.is_(None)
    return sa.case((of.c.supplier_id.is_not(None), contacts.lacks_abn(period, of.c.supplier_id)), else_=typed)


def _too_old(period: GstPeriod, of: Any) -> sa.ColumnElement[bool]:
    """The expenses recorded, or whose tax invoice came, after the time to claim ended; a refund is never too old."""
    held = sa.func.coalesce(of.c.tax_invoice_held_on, period.today)
    needed = (of.c.amount > rules.NO_TAX_INVOICE_UP_TO) & ~of.c.import_gst
    held_late = needed & (held > of.c.claim_until)
    too_old: sa.ColumnElement[bool] = (of.c.amount > rules.NOTHING) & (of.c.recorded_late | held_late)
    return too_old


def is_too_old(ctx: Context, row: Row) -> bool:
    """Tell whether a row is too old to claim, by the same rule as `_too_old`."""
    needed = row.amount > rules.NO_TAX_INVOICE_UP_TO and not row.import_gst
    held_late = needed and (row.tax_invoice_held_on or ctx.today()) > row.claim_until
    return bool(row.amount > 0 and (row.recorded_late or held_late))


def _creditable(period: GstPeriod, of: Any) -> sa.ColumnElement[bool]:
    """The expenses of a registered business whose price contains GST, and which are not for input taxed sales."""
    taxable: sa.ColumnElement[bool] = of.c.gst_code.in_(rules.TAXABLE) & ~of.c.for_input_taxed_sales
    return taxable & period.registered(of.c.date)


def claimable(ctx: Context) -> sa.ColumnElement[bool]:
    """The condition that the business can claim the GST of an expense now."""
    return claim(period_of(ctx)) == "claimable"


def period_of(ctx: Context) -> GstPeriod:
    """Return the business's GST settings and today, for queries about expenses of any day."""
    settings, today = ctx.tenant.gst_settings, ctx.today()
    return GstSpan(since=today, until=today, settings=settings).with_values(ctx)


def business_share(cents: sa.ColumnElement[int], of: Any = expenses) -> sa.ColumnElement[int]:
    """The business's share of an amount in whole cents, rounded as in `rules.claimable_part`."""
    # The percentage is in ten-thousandths; integer division truncates, and half a cent rounds away from zero.
    half = sa.case((cents < 0, -1_000_000), else_=1_000_000)
    percent = sa.type_coerce(of.c.business_use_percent, sa.BigInteger)
    return (2 * cents * percent + half) // sa.literal_column("2000000", sa.BigInteger)


def job_of(ctx: Context, row: Row) -> str | None:
    """Return the id of the job that an expense is for; None if the plugin for jobs is off."""
    return row.job_id if ctx.has("jobs") else None


def show(ctx: Context, rows: Sequence[Row]) -> list[Expense]:
    """Return the expenses as clients see them."""

    def where(member: str) -> Sequence[Row]:
        """Return the rows if the client selected this member, else none."""
        return rows if ctx.wants(Expense, member) else ()

    broken_down = where("gst_breakdown")
    refunded = {row.refunded_expense_id for row in broken_down if row.refunded_expense_id}
    bought = {row.id: row for row in _PURCHASES.all(ctx.db, ctx.tenant_id, refunded)} if refunded else {}
    by = {row.id: bought.get(row.refunded_expense_id, row) for row in broken_down}
    named = {row.supplier_id for row in by.values() if row.supplier_id and row.gst_code in rules.TAXABLE}
    suppliers = contacts.suppliers(ctx, named)
    return records.show(
        ctx,
        rows,
        currency=dict.fromkeys([row.id for row in rows], "AUD"),
        job_id={row.id: job_of(ctx, row) for row in where("job_id")},
        invoice_id={row.id: row.invoice_id if ctx.has("invoices") else None for row in where("invoice_id")},
        business_use_percent={row.id: _short(row.business_use_percent) for row in where("business_use_percent")},
        gst_breakdown={
            row.id: _breakdown(ctx, row, by[row.id], suppliers.get(by[row.id].supplier_id)) for row in broken_down
        },
    )


def tell(ctx: Context, row: Row, event: str) -> Expense:
    """Emit this event for an expense, and return the expense as shown."""
    (expense,) = show(ctx, [row])
    ctx.emit(event, expense)
    return expense


def _breakdown(ctx: Context, row: Row, by: Row, supplier: contacts.Supplier | None) -> GstBreakdown:
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
    claimable = rules.claimable_part(row.gst, row.business_use_percent) if status == "claimable" else Decimal("0.00")
    return GstBreakdown(row.amount - row.gst, row.gst, rules.rate(row.gst_code), claimable, status)


def _short(percent: Decimal) -> Decimal:
    """Return a percentage without trailing zeros."""
    return percent.quantize(Decimal(1)) if percent == percent.to_integral_value() else percent.normalize()
