"""Expenses as stored and as shown: the records, and what of their GST can be claimed."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from billycan import Context, GstPeriod, Neighbours, Records, Row
from billycan.gst import GstSpan
from billycan_contacts import api as contacts

from . import categories, rules
from .schemas import Expense, GstBreakdown
from .tables import expenses


def of_claim_status(ctx: Context, statuses: list[str]) -> sa.ColumnElement[bool]:
    """The expenses of any of these claim statuses."""
    status = claim(period_of(ctx))
    return sa.or_(*(status == one for one in statuses))


neighbours = Neighbours(job_id="jobs")
charged_by = Neighbours(invoice_id="invoices")

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
            *_LATE,
        ),
        "allowed_actions": ("status",),
    },
    points_at={**neighbours.plugins, **charged_by.plugins, "refunded_expense_id": "expenses"},
)


def claim(period: GstPeriod) -> sa.Case[Any]:
    """The claim status of each expense, as `rules.claim_status` says."""
    return sa.case((expenses.c.status == "void", "not_creditable"), else_=claim_until_void(period))


def claim_until_void(period: GstPeriod) -> sa.Case[Any]:
    """The same, of a void expense as it was before."""
    unregistered = sa.func.coalesce(expenses.c.supplier_id.in_(contacts.not_registered(period)), sa.false())
    needs_tax_invoice = (expenses.c.amount > rules.NO_TAX_INVOICE_UP_TO) & ~expenses.c.import_gst
    return sa.case(
        (~_creditable(period), "not_creditable"),
        (expenses.c.tax_withheld > rules.NOTHING, "tax_withheld"),
        (unregistered & ~expenses.c.import_gst, "supplier_not_registered"),
        (_too_old(period), "too_old"),
        (needs_tax_invoice & ~expenses.c.tax_invoice_held, "awaiting_tax_invoice"),
        (needs_tax_invoice & _lacks_abn(period), "awaiting_abn"),
        else_="claimable",
    )


def _lacks_abn(period: GstPeriod) -> sa.ColumnElement[bool]:
    """The expenses of a supplier who is named, and whose ABN is not recorded."""
    typed = expenses.c.supplier_name.is_not(None) & expenses.c.supplier_abn.is_(None)
    return sa.case(
        (expenses.c.supplier_id.is_not(None), contacts.lacks_abn(period, expenses.c.supplier_id)), else_=typed
    )


def _too_old(period: GstPeriod) -> sa.ColumnElement[bool]:
    """What was recorded, or got its tax invoice, when nothing could be claimed any more; a refund is never too old."""
    held = sa.func.coalesce(expenses.c.tax_invoice_held_on, period.today)
    needed = (expenses.c.amount > rules.NO_TAX_INVOICE_UP_TO) & ~expenses.c.import_gst
    held_late = needed & (held > expenses.c.claim_until)
    return (expenses.c.amount > rules.NOTHING) & (expenses.c.recorded_late | held_late)


def is_too_old(ctx: Context, row: Row) -> bool:
    """The same of a row at hand."""
    needed = row.amount > rules.NO_TAX_INVOICE_UP_TO and not row.import_gst
    held_late = needed and (row.tax_invoice_held_on or ctx.today()) > row.claim_until
    return bool(row.amount > 0 and (row.recorded_late or held_late))


def _creditable(period: GstPeriod) -> sa.ColumnElement[bool]:
    """The expenses of a registered business, for sales that are not input taxed, whose price holds GST.

    A business that was not registered for GST on their day has none to claim (s 11-5(d), 23-5 GST Act).
    """
    taxable = expenses.c.gst_code.in_(rules.TAXABLE) & ~expenses.c.for_input_taxed_sales
    return taxable & period.registered(expenses.c.date)


def claimable(ctx: Context) -> sa.ColumnElement[bool]:
    """The expenses whose GST the business can claim now."""
    return claim(period_of(ctx)) == "claimable"


def period_of(ctx: Context) -> GstPeriod:
    """The business's GST settings and today, for what is asked of its expenses whatever their day."""
    settings, today = ctx.tenant.gst_settings, ctx.today()
    return GstSpan(since=today, until=today, settings=settings).with_values(ctx)


def business_share(cents: sa.ColumnElement[int]) -> sa.ColumnElement[int]:
    """The business's share of an amount in whole cents, rounded as `rules.claimable_part` does."""
    # Of a percentage in ten-thousandths; integer division cuts off, and half a cent goes away from zero.
    half = sa.case((cents < 0, -1_000_000), else_=1_000_000)
    percent = sa.type_coerce(expenses.c.business_use_percent, sa.BigInteger)
    return (2 * cents * percent + half) // sa.literal_column("2000000", sa.BigInteger)


def job_of(ctx: Context, row: Row) -> str | None:
    """The job an expense was made for; None where that plugin is off."""
    return row.job_id if ctx.has("jobs") else None


def show(ctx: Context, rows: Sequence[Row]) -> list[Expense]:
    """The expenses as clients see them."""

    def where(member: str) -> Sequence[Row]:
        """The rows, where the client gets this member."""
        return rows if ctx.wants(Expense, member) else ()

    broken_down = where("gst_breakdown")
    named = {row.supplier_id for row in broken_down if row.supplier_id and row.gst_code in rules.TAXABLE}
    suppliers = contacts.suppliers(ctx, named)
    return records.show(
        ctx,
        rows,
        currency=dict.fromkeys([row.id for row in rows], "AUD"),
        job_id={row.id: job_of(ctx, row) for row in where("job_id")},
        invoice_id={row.id: row.invoice_id if ctx.has("invoices") else None for row in where("invoice_id")},
        business_use_percent={row.id: _short(row.business_use_percent) for row in where("business_use_percent")},
        gst_breakdown={row.id: _breakdown(ctx, row, suppliers.get(row.supplier_id)) for row in broken_down},
    )


def tell(ctx: Context, row: Row, event: str) -> Expense:
    """The expense as it is shown, having told of it by this event."""
    (expense,) = show(ctx, [row])
    ctx.emit(event, expense)
    return expense


def _breakdown(ctx: Context, row: Row, supplier: contacts.Supplier | None) -> GstBreakdown:
    status = rules.claim_status(
        amount=row.amount,
        gst_code=row.gst_code,
        tax_invoice_held=row.tax_invoice_held,
        status=row.status,
        registered=ctx.tenant.registered_on(row.date),
        supplier_registered=supplier.gst_registered if supplier else None,
        too_old=is_too_old(ctx, row),
        tax_withheld=row.tax_withheld,
        lacks_abn=not supplier.abn if supplier else row.supplier_name is not None and row.supplier_abn is None,
        import_gst=row.import_gst,
        for_input_taxed_sales=row.for_input_taxed_sales,
    )
    claimable = rules.claimable_part(row.gst, row.business_use_percent) if status == "claimable" else Decimal("0.00")
    return GstBreakdown(row.amount - row.gst, row.gst, rules.rate(row.gst_code), claimable, status)


def _short(percent: Decimal) -> Decimal:
    """A percentage without the zeros that say nothing."""
    return percent.quantize(Decimal(1)) if percent == percent.to_integral_value() else percent.normalize()
