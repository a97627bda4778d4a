"""The claim status of expenses as conditions in SQL; `rules.claim_status` decides it for a single one."""

from typing import Any

import sqlalchemy as sa

from billycan import Context, GstEntries, Row
from billycan_contacts import api as contacts

from . import rules


def claim(period: GstEntries.Period, expenses: sa.Table) -> sa.Case[Any]:
    """The claim status of each expense, as in `rules.claim_status`; a refund has that of its purchase."""
    purchases = expenses.alias("purchases")
    of_purchase = sa.select(claim_until_void(period, purchases)).where(
        purchases.c.tenant_id == period.tenant_id, purchases.c.id == expenses.c.refunded_expense_id
    )
    return sa.case(
        (expenses.c.status == "void", "not_creditable"),
        (expenses.c.refunded_expense_id.is_not(None), of_purchase.correlate(expenses).scalar_subquery()),
        else_=claim_until_void(period, expenses),
    )


def claim_until_void(period: GstEntries.Period, of: sa.FromClause) -> sa.Case[Any]:
    """The claim status of each expense by its own terms; for a void expense, the status before it was voided."""
    unregistered = sa.func.coalesce(of.c.supplier_id.in_(contacts.not_registered(period)), sa.false())
    needs_tax_invoice = (of.c.amount > rules.NO_TAX_INVOICE_UP_TO) & ~of.c.import_gst
    return sa.case(
        (~_is_creditable(period, of), "not_creditable"),
        (of.c.tax_withheld > rules.NOTHING, "tax_withheld"),
        (unregistered & ~of.c.import_gst, "supplier_not_registered"),
        (_too_old(period, of), "too_old"),
        (needs_tax_invoice & ~of.c.tax_invoice_held, "awaiting_tax_invoice"),
        (needs_tax_invoice & _lacks_abn(period, of), "awaiting_abn"),
        else_="claimable",
    )


def _lacks_abn(period: GstEntries.Period, of: sa.FromClause) -> sa.ColumnElement[bool]:
    """The expenses that name a supplier whose ABN is not recorded."""
    typed = of.c.supplier_name.is_not(None) & of.c.supplier_abn.is_(None)
    return sa.case((of.c.supplier_id.is_not(None), contacts.lacks_abn(period, of.c.supplier_id)), else_=typed)


def _too_old(period: GstEntries.Period, of: sa.FromClause) -> sa.ColumnElement[bool]:
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


def _is_creditable(period: GstEntries.Period, of: sa.FromClause) -> sa.ColumnElement[bool]:
    """The expenses of a registered business whose price contains GST, and which are not for input taxed sales."""
    taxable: sa.ColumnElement[bool] = of.c.gst_code.in_(rules.TAXABLE) & ~of.c.for_input_taxed_sales
    return taxable & period.registered(of.c.date)


def period_of(ctx: Context) -> GstEntries.Period:
    """Return the business's GST settings and today, for queries about expenses of any day."""
    return span_of(ctx).with_values(ctx)


def span_of(ctx: Context) -> GstEntries.Period.Span:
    """Return the same as `period_of`, for statements that are built once."""
    today = ctx.today()
    return GstEntries.Period.Span(since=today, until=today, settings=ctx.tenant.gst_settings)
