"""The entries of expenses in a GST report: purchases, and the GST on them that can be claimed.

A credit counts in the period of the bill or the payment, whichever is first (s 29-10(1) GST Act); on a cash basis, in
that of the payment (s 29-10(2)). If the claim needs a tax invoice, it never counts before the invoice is held (s
29-10(3), 29-80(1)). The purchase is reported on the same day, so that the calculation sheet and the accounts agree. A
supplier's refund belongs to the same supply as the purchase, if the expense names the purchase.
"""

from collections.abc import Callable, Collection
from datetime import date
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from billycan import Context, GstEntries, GstPeriod, Row, own
from billycan.sql import ByIds, Statement

from . import rules
from .claim_status import claim, claim_until_void
from .records import business_share
from .tables import expenses, purchases

_LABELS = ("G10", "G11", "G13", "G14", "G15", "1B")
# The claim statuses that count on no day yet, or no longer; a report lists them separately.
_LEFT_OUT = ("awaiting_tax_invoice", "awaiting_abn", "too_old")
_NOTHING = sa.literal_column("0", sa.BigInteger)
_ROUNDING = sa.literal_column("5", sa.BigInteger)


def entries(period: GstPeriod, is_asked: sa.ColumnElement[bool] | None = None) -> sa.Select[Any]:
    """Select the entries of the expenses. One that awaits its tax invoice, or was claimed too late, counts on no day.

    With the condition `is_asked`, only those of expenses of which it is true: a purchase with all of its refunds.

    GST on imported goods is a tenth of their value, whatever else was paid to customs. To make the worksheet arrive at
    that GST, G10 or G11 holds the value of the taxable importation, with the GST.

    G13 holds purchases for input taxed sales, whatever their GST code (s 11-15(2) GST Act). A supply that was input
    taxed for the supplier, such as a bank's fees, has no GST in its price and belongs to G14.
    """
    asked = sa.true() if is_asked is None else is_asked
    by_itself = _terms(period, expenses).where(expenses.c.refunded_expense_id.is_(None), asked).subquery("by_itself")
    both = sa.union_all(_figures(by_itself, business_share), _given_back(period, asked)).subquery("both")
    bought = sa.select(
        both.c.document_id,
        both.c.supply_id,
        sa.false().label("adjusts"),
        both.c.counts_on,
        *(both.c[label] for label in _LABELS),
    )
    ended_on = _ended_on(both.c.counts_on, both.c.voided_on)
    ended = sa.select(
        both.c.document_id,
        both.c.supply_id,
        sa.true().label("adjusts"),
        ended_on.label("counts_on"),
        *((-both.c[label]).label(label) for label in _LABELS),
    ).where(both.c.voided_on.is_not(None), period.registered(ended_on))
    return _both(bought, ended)


def _given_back(period: GstPeriod, asked: sa.ColumnElement[bool]) -> sa.Select[Any]:
    """Select suppliers' refunds by the terms of their purchases. A refund never counts before its purchase does.

    Adjusts only what was claimed (s 19-70, 19-80 GST Act), and all refunds of a purchase together to the cent.
    """

    def share(cents: sa.ColumnElement[int], of: Any) -> sa.ColumnElement[int]:
        window: dict[str, Any] = {"partition_by": [of.c.supply_id, of.c.status], "order_by": of.c.document_id}
        so_far = sa.cast(sa.func.sum(cents).over(**window, rows=(None, 0)), sa.BigInteger)
        return business_share(so_far, of) - business_share(so_far - cents, of)

    of_purchase = _counted(period, purchases) & (purchases.c.id == expenses.c.refunded_expense_id)
    terms = _terms(period, purchases).where(of_purchase, period.registered(purchases.c.date), asked)
    return _figures(terms.subquery("given_back"), share)


def _terms(period: GstPeriod, by: Any) -> sa.Select[Any]:
    """Select the expenses of days on which the business was registered, with their own terms or those of a purchase."""
    paid, gst, price, gst_of_it = (
        sa.type_coerce(one.c[name], sa.BigInteger) for one in (expenses, by) for name in ("amount", "gst")
    )
    # A refund is split into its parts as the purchase is.
    amount = sa.case((by.c.import_gst & (11 * gst_of_it > price), 11 * gst), else_=paid)
    # A receipt that is only partly taxable contains less than an eleventh of GST.
    is_mixed = sa.func.abs(price - 11 * gst_of_it) > _ROUNDING
    return sa.select(
        expenses.c.id.label("document_id"),
        sa.func.coalesce(expenses.c.refunded_expense_id, expenses.c.id).label("supply_id"),
        *(expenses.c.status, expenses.c.voided_on),
        _counts_on(period).label("own_day"),
        _counts_on(period, by).label("day_of_terms"),
        *(by.c[name] for name in ("gst_code", "for_input_taxed_sales", "business_use_percent")),
        claim_until_void(period, by).label("claim"),
        amount.label("amount"),
        gst.label("gst"),
        sa.case((is_mixed, amount - 11 * gst), else_=_NOTHING).label("without_gst"),
    ).where(_counted(period), period.registered(expenses.c.date))


def _figures(terms: sa.Subquery, share: Callable[..., Any]) -> sa.Select[Any]:
    """Select the amounts of these expenses at each label; `share` gives the business's share of an amount."""
    c, amount = terms.c, terms.c.amount
    later = sa.case((c.day_of_terms <= c.own_day, c.own_day), (c.day_of_terms > c.own_day, c.day_of_terms))
    untaxed = sa.case(
        (c.for_input_taxed_sales, _NOTHING),
        (c.gst_code.not_in(rules.TAXABLE) | c.claim.in_(("supplier_not_registered", "tax_withheld")), amount),
        else_=c.without_gst,
    )
    parts = (
        sa.select(
            *(c[name] for name in ("document_id", "supply_id", "status", "voided_on", "business_use_percent")),
            later.label("counts_on"),
            c.for_input_taxed_sales,
            c.gst_code.in_(("capital", "capital_gst_free")).label("is_capital"),
            *(amount, untaxed.label("untaxed"), (amount - untaxed).label("taxed")),
            sa.case((c.claim == "claimable", c.gst), else_=_NOTHING).label("credit"),
        )
        .where(c.gst_code != "out_of_scope", c.claim.not_in(_LEFT_OUT))
        .subquery(f"parts_of_{terms.name}")
    )
    p, private = parts.c, parts.c.taxed - share(parts.c.taxed, parts)
    figures = {
        "G10": sa.case((p.is_capital, p.amount), else_=_NOTHING),
        "G11": sa.case((p.is_capital, _NOTHING), else_=p.amount),
        "G13": sa.case((p.for_input_taxed_sales, p.amount - private), else_=_NOTHING),
        "G14": p.untaxed,
        "G15": private,
        "1B": share(p.credit, parts),
    }
    return sa.select(
        *(p.document_id, p.supply_id, p.counts_on, p.voided_on),
        *(figures[label].label(label) for label in _LABELS),
    )


def names(ctx: Context, ids: Collection[str]) -> dict[str, str]:
    """Map each id to the expense's description; if it has none, to its reference, else to its date."""
    rows = _NAMED.all(ctx.db, ctx.tenant_id, ids)
    return {row.id: row.description or row.reference or f"Expense of {row.date}" for row in rows}


_NAMED = ByIds(sa.select(*(expenses.c[name] for name in ("id", "description", "reference", "date"))), expenses.c.id)


def withheld(period: GstPeriod) -> sa.Select[Any]:
    """Select the tax withheld, on the day of each payment, even if the business is not registered for GST."""
    amount = sa.type_coerce(expenses.c.tax_withheld, sa.BigInteger)

    def on(day: sa.ColumnElement[Any], cents: sa.ColumnElement[int]) -> sa.Select[Any]:
        columns = expenses.c.id.label("document_id"), day.label("counts_on"), cents.label("W4")
        return sa.select(*columns).where(_counted(period), amount != 0)

    ended = on(_ended_on(expenses.c.paid_on, expenses.c.voided_on), -amount).where(expenses.c.voided_on.is_not(None))
    return _both(on(expenses.c.paid_on, amount), ended)


def _counted(period: GstPeriod, of: Any = expenses) -> sa.ColumnElement[bool]:
    """The business's expenses, except those voided as a mistake, which never counted."""
    stood: sa.ColumnElement[bool] = (of.c.status != "void") | of.c.voided_on.is_not(None)
    return sa.and_(of.c.tenant_id == period.tenant_id, stood)


def _ended_on(counts_on: sa.ColumnElement[Any], voided_on: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    """The day on which a void expense is subtracted: never before it counted, and null if it never did."""
    return sa.case((counts_on <= voided_on, voided_on), else_=counts_on)


def _both(*parts: sa.Select[Any]) -> sa.Select[Any]:
    return sa.select(sa.union_all(*parts).subquery("either"))


gst = (
    GstEntries(labels=_LABELS, select=entries, names=names),
    GstEntries(labels=("W4",), select=withheld),
)


def counted(ctx: Context, row: Row) -> set[tuple[Any, ...]]:
    """Return the amounts that a lodged expense adds to each label up to the last day of the period that counted it."""
    span = GstPeriod.Span(since=date.min, until=row.lodged_until, settings=ctx.tenant.gst_settings)
    values = {**span.values(ctx), "id": row.id}
    return {(source.labels, *entry) for source in gst for entry in _counted_of(source, span.period).all(ctx.db, values)}


@lru_cache(64)
def _counted_of(source: GstEntries, period: GstPeriod) -> Statement:
    its = source.select(period).subquery()
    of_one = its.c.document_id == sa.bindparam("id"), its.c.counts_on <= period.until
    return Statement(sa.select(its.c.counts_on, *(its.c[label] for label in source.labels)).where(*of_one))


def not_claimed(period: GstPeriod) -> sa.Select[Any]:
    """Select the expenses of a period that are left out, each with the reason and the GST in whole cents.

    They belong to the day on which they would count if their tax invoice were held.
    """
    status, credit = claim(period, expenses), business_share(sa.type_coerce(expenses.c.gst, sa.BigInteger))
    return sa.select(status.label("reason"), expenses.c.id.label("document_id"), credit.label("cents")).where(
        own(period, expenses),
        status.in_(_LEFT_OUT),
        _day(period).between(period.since, period.until),
        period.registered(expenses.c.date),
    )


def first_claim(ctx: Context, supplier_id: str, until: date, *, by_abn_alone: bool) -> date | None:
    """Return the first day, up to `until`, on which an expense counts whose claim depends on its supplier's details.

    The ABN matters only for an expense that needs a tax invoice, and whose tax invoice is held.
    """
    period = GstPeriod.Span(since=date.min, until=until, settings=ctx.tenant.gst_settings).with_values(ctx)
    mine, counts_on = _counted(period) & (expenses.c.supplier_id == supplier_id), _counts_on(period)
    asked = expenses.c.gst_code.in_(rules.TAXABLE), ~expenses.c.for_input_taxed_sales, ~expenses.c.import_gst
    by = mine & sa.and_(*asked, expenses.c.tax_withheld == rules.NOTHING, period.registered(expenses.c.date))
    if by_abn_alone:
        by &= (expenses.c.amount > rules.NO_TAX_INVOICE_UP_TO) & expenses.c.tax_invoice_held
    first: date | None = ctx.db.execute(sa.select(sa.func.min(counts_on)).where(by, counts_on <= until)).scalar()
    return first


def _counts_on(period: GstPeriod, of: Any = expenses) -> sa.ColumnElement[Any]:
    """The day on which an expense counts; null if it does not count yet."""
    day, held_on = _day(period, of), of.c.tax_invoice_held_on
    needed = of.c.gst_code.in_(rules.TAXABLE) & (of.c.amount > rules.NO_TAX_INVOICE_UP_TO)
    needed &= ~of.c.for_input_taxed_sales  # nothing is claimed
    # GST on an import belongs to the period in which it is paid, on either basis (s 29-15 GST Act).
    return sa.case((of.c.import_gst, of.c.paid_on), (needed & (held_on > day), held_on), else_=day)


def _day(period: GstPeriod, of: Any = expenses) -> sa.ColumnElement[Any]:
    """The day on which an expense counts if its tax invoice is held in time."""
    billed_on = of.c.date
    # Before the registration began there is no tax period.
    too_early = (of.c.paid_on < billed_on) & ~period.registered(of.c.paid_on)
    paid_on = sa.case((too_early, billed_on), else_=of.c.paid_on)
    return period.counts_on(sa.case((paid_on < billed_on, paid_on), else_=billed_on), paid_on)
