"""Expenses as stored and as shown: the records, and what of their GST can be claimed."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import zip_longest

import sqlalchemy as sa

from billycan import Context, Records, Row
from billycan_contacts import api as contacts

from . import categories, rules
from .schemas import Expense, GstBreakdown
from .tables import expenses


def of_claim_status(ctx: Context, statuses: list[str]) -> sa.ColumnElement[bool]:
    """The expenses of any of these claim statuses."""
    of_some, now = creditable(ctx), claimable(ctx)
    conditions = {"claimable": now, "awaiting_tax_invoice": of_some & ~now, "not_creditable": ~of_some}
    return sa.or_(*(conditions[status] for status in statuses))


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
        "gst_breakdown": ("date", "amount", "gst", "gst_code", "tax_invoice_held", "status", "business_use_percent"),
        "allowed_actions": ("status",),
    },
    points_at={"job_id": "jobs"},
)


def creditable(ctx: Context) -> sa.ColumnElement[bool]:
    """The expenses whose GST the business can claim, now or once it holds a tax invoice."""
    return (expenses.c.status != "void") & expenses.c.gst_code.in_(rules.TAXABLE) & registered(ctx)


def registered(ctx: Context) -> sa.ColumnElement[bool]:
    """The expenses of days on which the business was registered for GST (s 11-5(d), 23-5 GST Act)."""
    day, settings = expenses.c.date, ctx.tenant.gst_settings
    ends = [one.since for one in settings[1:]]
    spans = [(one.since, end) for one, end in zip_longest(settings, ends) if one.registered]
    return sa.or_(sa.false(), *((day >= since) & (day < end if end else sa.true()) for since, end in spans))


def claimable(ctx: Context) -> sa.ColumnElement[bool]:
    """The expenses whose GST the business can claim now."""
    needs_none = expenses.c.amount <= rules.NO_TAX_INVOICE_UP_TO
    return creditable(ctx) & (needs_none | expenses.c.tax_invoice_held)


def job_of(ctx: Context, row: Row) -> str | None:
    """The job an expense was made for; None where that plugin is off."""
    return row.job_id if ctx.has("jobs") else None


def show(ctx: Context, rows: Sequence[Row]) -> list[Expense]:
    """The expenses as clients see them."""

    def where(member: str) -> Sequence[Row]:
        """The rows, where the client gets this member."""
        return rows if ctx.wants(Expense, member) else ()

    return records.show(
        ctx,
        rows,
        currency=dict.fromkeys([row.id for row in rows], "AUD"),
        job_id={row.id: job_of(ctx, row) for row in where("job_id")},
        business_use_percent={row.id: _short(row.business_use_percent) for row in where("business_use_percent")},
        gst_breakdown={row.id: _breakdown(ctx, row) for row in where("gst_breakdown")},
    )


def tell(ctx: Context, row: Row, event: str) -> Expense:
    """The expense as it is shown, having told of it by this event."""
    (expense,) = show(ctx, [row])
    ctx.emit(event, expense)
    return expense


def _breakdown(ctx: Context, row: Row) -> GstBreakdown:
    status = rules.claim_status(
        amount=row.amount,
        gst_code=row.gst_code,
        tax_invoice_held=row.tax_invoice_held,
        status=row.status,
        registered=ctx.tenant.registered_on(row.date),
    )
    claimable = rules.claimable_part(row.gst, row.business_use_percent) if status == "claimable" else Decimal("0.00")
    return GstBreakdown(row.amount - row.gst, row.gst, rules.rate(row.gst_code), claimable, status)


def _short(percent: Decimal) -> Decimal:
    """A percentage without the zeros that say nothing."""
    return percent.quantize(Decimal(1)) if percent == percent.to_integral_value() else percent.normalize()
