"""Expenses as stored and as shown: the records, and how much of their GST can be claimed."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from billycan import Context, Row
from billycan.sql import ByIds
from billycan_contacts import api as contacts

from . import resource, rules
from .claim_status import claim, is_too_old, period_of
from .resource import Expense, GstBreakdown
from .tables import expenses

records = resource.expenses.records

_PURCHASES = ByIds(sa.select(expenses), expenses.c.id)


def claimable(ctx: Context) -> sa.ColumnElement[bool]:
    """The condition that the business can claim the GST of an expense now."""
    return claim(period_of(ctx), expenses) == "claimable"


def business_share(cents: sa.ColumnElement[int], of: Any = expenses) -> sa.ColumnElement[int]:
    """The business's share of an amount in whole cents, rounded as in `rules.claimable_part`."""
    # The percentage is in ten-thousandths; integer division truncates, and half a cent rounds away from zero.
    half = sa.case((cents < 0, -1_000_000), else_=1_000_000)
    percent = sa.type_coerce(of.c.business_use_percent, sa.BigInteger)
    return (2 * cents * percent + half) // sa.literal_column("2000000", sa.BigInteger)


def job_of(ctx: Context, row: Row) -> str | None:
    """Return the id of the job that an expense is for; None if the plugin for jobs is off."""
    return row.job_id if ctx.has("jobs") else None


def show_expenses(ctx: Context, rows: Sequence[Row]) -> list[Expense]:
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


def emit_expense(ctx: Context, row: Row, event: str) -> Expense:
    """Emit this event for an expense, and return the expense as shown."""
    (expense,) = show_expenses(ctx, [row])
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
