"""What expenses add to a GST report: purchases, and the GST of those that can be claimed.

A credit counts in the period of the first of bill and payment (s 29-10(1) GST Act), on a cash basis in that of the
payment (s 29-10(2)), and in either case no earlier than the tax invoice is held, where the claim needs one (s 29-10(3),
29-80(1)). The purchase is reported along with it, so that the calculation sheet and the accounts agree. What a supplier
gives back is of the same supply as the purchase, if the expense says which that is.
"""

from collections.abc import Collection
from datetime import date
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from billycan import Context, GstEntries, GstPeriod, Row, own
from billycan.gst import GstSpan
from billycan.sql import ByIds, Statement

from . import rules
from .records import business_share, claim, claim_until_void
from .tables import expenses

_LABELS = ("G10", "G11", "G13", "G14", "G15", "1B")
# What counts on no day yet, or no more; it is listed apart.
_LEFT_OUT = ("awaiting_tax_invoice", "awaiting_abn", "too_old")
_NOTHING = sa.literal_column("0", sa.BigInteger)
_ROUNDING = sa.literal_column("5", sa.BigInteger)


def purchases(period: GstPeriod) -> sa.Select[Any]:
    """The entries of the expenses; what awaits its tax invoice, or was claimed too late, counts on no day.

    GST on imported goods is a tenth of their value, whatever else was paid to customs. So that the worksheet comes to
    that GST, G10 or G11 has the value of the taxable importation, with the GST.

    G13 has what was bought for input taxed sales, whatever its GST code (s 11-15(2) GST Act). What the supplier sold
    input taxed, such as a bank's fees, has no GST in its price and is at G14.
    """
    code, status = expenses.c.gst_code, claim_until_void(period)
    paid, gst = (sa.type_coerce(column, sa.BigInteger) for column in (expenses.c.amount, expenses.c.gst))
    amount = sa.case((expenses.c.import_gst & (11 * gst > paid), 11 * gst), else_=paid)
    claimable = sa.case((status == "claimable", business_share(gst)), else_=_NOTHING)
    capital, taxable = code.in_(("capital", "capital_gst_free")), code.in_(rules.TAXABLE)
    for_input_taxed = expenses.c.for_input_taxed_sales
    # A receipt of which not all is taxable holds less than an eleventh of GST.
    untaxed = sa.case((sa.func.abs(amount - 11 * gst) > _ROUNDING, amount - 11 * gst), else_=_NOTHING)
    untaxed = sa.case((status.in_(("supplier_not_registered", "tax_withheld")), amount), else_=untaxed)
    untaxed = sa.case((for_input_taxed, _NOTHING), (~taxable, amount), else_=untaxed)
    private = amount - untaxed - business_share(amount - untaxed)
    figures = {
        "G10": sa.case((capital, amount), else_=_NOTHING),
        "G11": sa.case((capital, _NOTHING), else_=amount),
        "G13": sa.case((for_input_taxed, amount - private), else_=_NOTHING),
        "G14": untaxed,
        "G15": private,
        "1B": claimable,
    }
    supply = sa.func.coalesce(expenses.c.refunded_expense_id, expenses.c.id).label("supply_id")
    counts_on = _counts_on(period)
    bought = sa.select(
        expenses.c.id.label("document_id"),
        supply,
        sa.false().label("adjusts"),
        counts_on.label("counts_on"),
        *(figures[label].label(label) for label in _LABELS),
    ).where(_counted(period), code != "out_of_scope", status.not_in(_LEFT_OUT), period.registered(expenses.c.date))
    ended_on = _ended_on(counts_on)
    ended = bought.with_only_columns(
        expenses.c.id.label("document_id"),
        supply,
        sa.true().label("adjusts"),
        ended_on.label("counts_on"),
        *((-figures[label]).label(label) for label in _LABELS),
    ).where(expenses.c.voided_on.is_not(None), period.registered(ended_on))
    return _both(bought, ended)


def names(ctx: Context, ids: Collection[str]) -> dict[str, str]:
    """What each of these expenses was for; else its reference, or its date."""
    rows = _NAMED.all(ctx.db, ctx.tenant_id, ids)
    return {row.id: row.description or row.reference or f"Expense of {row.date}" for row in rows}


_NAMED = ByIds(sa.select(*(expenses.c[name] for name in ("id", "description", "reference", "date"))), expenses.c.id)


def withheld(period: GstPeriod) -> sa.Select[Any]:
    """What was kept back for the tax office, on the day of each payment; whether GST is accounted for or not."""
    amount = sa.type_coerce(expenses.c.tax_withheld, sa.BigInteger)

    def on(day: sa.ColumnElement[Any], cents: sa.ColumnElement[int]) -> sa.Select[Any]:
        columns = expenses.c.id.label("document_id"), day.label("counts_on"), cents.label("W4")
        return sa.select(*columns).where(_counted(period), amount != 0)

    ended = on(_ended_on(expenses.c.paid_on), -amount).where(expenses.c.voided_on.is_not(None))
    return _both(on(expenses.c.paid_on, amount), ended)


def _counted(period: GstPeriod) -> sa.ColumnElement[bool]:
    """The business's expenses but those that were void as a mistake, which never counted."""
    return own(period, expenses) & ((expenses.c.status != "void") | expenses.c.voided_on.is_not(None))


def _ended_on(counts_on: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    """The day on which a void expense is taken off: not before it counted, and none where it never did."""
    return sa.case((counts_on <= expenses.c.voided_on, expenses.c.voided_on), else_=counts_on)


def _both(bought: sa.Select[Any], ended: sa.Select[Any]) -> sa.Select[Any]:
    return sa.select(sa.union_all(bought, ended).subquery("either"))


gst = (
    GstEntries(labels=_LABELS, select=purchases, names=names),
    GstEntries(labels=("W4",), select=withheld),
)


def counted(ctx: Context, row: Row) -> set[tuple[Any, ...]]:
    """What a lodged expense adds to which labels up to the last day of the period that counted it."""
    span = GstSpan(since=date.min, until=row.lodged_until, settings=ctx.tenant.gst_settings)
    values = {**span.values(ctx), "id": row.id}
    return {(source.labels, *entry) for source in gst for entry in _counted_of(source, span.period).all(ctx.db, values)}


@lru_cache(64)
def _counted_of(source: GstEntries, period: GstPeriod) -> Statement:
    its = source.select(period).subquery()
    of_one = its.c.document_id == sa.bindparam("id"), its.c.counts_on <= period.until
    return Statement(sa.select(its.c.counts_on, *(its.c[label] for label in source.labels)).where(*of_one))


def not_claimed(period: GstPeriod) -> sa.Select[Any]:
    """The expenses of a period that are left out, each with the reason and the GST in whole cents.

    They belong to the day on which they would count if their tax invoice had been held.
    """
    status, credit = claim(period), business_share(sa.type_coerce(expenses.c.gst, sa.BigInteger))
    return sa.select(status.label("reason"), expenses.c.id.label("document_id"), credit.label("cents")).where(
        own(period, expenses),
        status.in_(_LEFT_OUT),
        _day(period).between(period.since, period.until),
        period.registered(expenses.c.date),
    )


def _counts_on(period: GstPeriod) -> sa.ColumnElement[Any]:
    """The day on which an expense counts; null for one that does not yet."""
    day, held_on = _day(period), expenses.c.tax_invoice_held_on
    needed = expenses.c.gst_code.in_(rules.TAXABLE) & (expenses.c.amount > rules.NO_TAX_INVOICE_UP_TO)
    needed &= ~expenses.c.for_input_taxed_sales  # nothing is claimed
    # GST on an import belongs to the period in which it is paid, on either basis (s 29-15 GST Act).
    return sa.case((expenses.c.import_gst, expenses.c.paid_on), (needed & (held_on > day), held_on), else_=day)


def _day(period: GstPeriod) -> sa.ColumnElement[Any]:
    """The day on which an expense would count whose tax invoice is held in time."""
    billed_on = expenses.c.date
    # Before the registration began there is no tax period.
    too_early = (expenses.c.paid_on < billed_on) & ~period.registered(expenses.c.paid_on)
    paid_on = sa.case((too_early, billed_on), else_=expenses.c.paid_on)
    return period.counts_on(sa.case((paid_on < billed_on, paid_on), else_=billed_on), paid_on)
