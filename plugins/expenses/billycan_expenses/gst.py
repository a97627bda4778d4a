"""The entries of expenses in a GST report: purchases, and the GST on them that can be claimed.

A credit counts in the period of the bill or the payment, whichever is first (s 29-10(1) GST Act); on a cash basis, in
that of the payment (s 29-10(2)). If the claim needs a tax invoice, it never counts before the invoice is held (s
29-10(3), 29-80(1)). The purchase is reported on the same day, so that the calculation sheet and the accounts agree. A
supplier's refund belongs to the same supply as the purchase, if the expense names the purchase.

An expense with lines counts line by line. One that is paid in parts counts on a cash basis to the extent of each
payment (s 29-10(2)): of each label `round(amount * paid / price)` less what counted before, so that all payments
together count the whole to the cent.
"""

from collections.abc import Callable, Collection
from datetime import date
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from billycan import Context, GstEntries, Row, own
from billycan.sql import ByIds, Statement

from . import rules
from .claim_status import claim, claim_until_void
from .parts import in_parts, moves, of_each
from .records import business_share, gst_for_business
from .tables import NONE, expenses, purchases

_LABELS = ("G10", "G11", "G13", "G14", "G15", "1B")
# The claim statuses that count on no day yet, or no longer; a report lists them separately.
_LEFT_OUT = ("awaiting_tax_invoice", "awaiting_abn", "too_old")
_NOTHING = sa.literal_column("0", sa.BigInteger)
_NEVER = sa.literal(date(9999, 12, 31), sa.Date)
_ROUNDING = sa.literal_column("5", sa.BigInteger)


def entries(period: GstEntries.Period, is_asked: Callable[[Any], Any] | None = None) -> sa.Select[Any]:
    """Select the entries of the expenses. One that awaits its tax invoice, or was claimed too late, counts on no day.

    With `is_asked`, only those of expenses whose id it is true of: a purchase with all of its refunds.

    GST on imported goods is a tenth of their value, whatever else was paid to customs. To make the worksheet arrive at
    that GST, G10 or G11 holds the value of the taxable importation, with the GST.

    G13 holds purchases for input taxed sales, whatever their GST code (s 11-15(2) GST Act). A supply that was input
    taxed for the supplier, such as a bank's fees, has no GST in its price and belongs to G14.
    """
    at_once = _by_itself(period, is_asked, has_payments=False).subquery("at_once")
    both = sa.union_all(_select_figures(at_once, business_share), _given_back(period, is_asked)).subquery("both")
    # A void one counts a second time, below zero, from the day on which it is void.
    signs = sa.union_all(*(sa.select(sa.literal_column(one, sa.Integer).label("sign")) for one in ("1", "-1")))
    sign = signs.subquery("signs").c.sign
    each = (
        sa.select(
            *(both.c.document_id, both.c.supply_id, sign),
            sa.case((sign > 0, both.c.counts_on), else_=_ended_on(both.c.counts_on, both.c.voided_on)).label(
                "counts_on"
            ),
            *((sign * both.c[label]).label(label) for label in _LABELS),
        )
        .join_from(both, sign.table, (sign > 0) | both.c.voided_on.is_not(None))
        .subquery("each")
    )
    e = each.c
    stood = sa.select(
        *(e.document_id, e.supply_id, (e.sign < 0).label("adjusts"), e.counts_on), *(e[label] for label in _LABELS)
    ).where((e.sign > 0) | period.registered(e.counts_on))
    return _select_all(stood, _paid_in_parts(period, is_asked))


def _match_asked(of: Any, is_asked: Callable[[Any], Any] | None) -> sa.ColumnElement[bool]:
    return sa.true() if is_asked is None else is_asked(of.c.id)


def _by_itself(
    period: GstEntries.Period, is_asked: Callable[[Any], Any] | None, *, has_payments: bool
) -> sa.Select[Any]:
    """Select the purchases by their own terms: those that are paid in parts, or all others."""
    mine = _select_dated(period, expenses, "mine")
    among = mine.c.payment_count > NONE if has_payments else mine.c.payment_count == NONE
    return _select_terms(period, mine, mine).where(
        mine.c.refunded_expense_id.is_(None), _match_asked(mine, is_asked), among
    )


def _paid_in_parts(period: GstEntries.Period, is_asked: Callable[[Any], Any] | None) -> sa.Select[Any]:
    """Select the entries of the purchases that are paid in parts, each label in proportion to what is paid.

    Once a purchase counts in full it does not depend on payments, and from the day on which it is void nothing of it
    counts.
    """
    parts = _by_itself(period, is_asked, has_payments=True).subquery("in_parts")
    p = _select_figures(parts, business_share).subquery("of_parts").c
    sums = (sa.cast(sa.func.sum(p[label]), sa.BigInteger).label(label) for label in _LABELS)
    # Lines that need no tax invoice do not wait for it.
    sets = sa.select(p.document_id, p.awaits, *sums).group_by(p.document_id, p.awaits).subquery("sets")
    of = sa.select(expenses, _full_on(period, expenses)).where(own(period, expenses)).subquery("of")
    held_on, in_full = sa.case((sets.c.awaits == 1, of.c.tax_invoice_held_on)), _day_in_full(of)
    whole = (
        sa.select(
            *sets.c,
            of.c.voided_on,
            of.c.date.label("billed_on"),
            sa.type_coerce(of.c.amount, sa.BigInteger).label("price"),
            held_on.label("held_on"),
            sa.case((held_on > in_full, held_on), else_=in_full).label("full_on"),
        )
        .join(of, of.c.id == sets.c.document_id)
        .cte("whole")
    )
    paid, w = moves(period.tenant_id, is_asked), whole.c

    def entry(rank: int, day: Any, cents: Any, id: Any) -> sa.Select[Any]:
        in_order = sa.literal_column(str(rank), sa.Integer).label("rank"), id.label("move")
        return sa.select(*w, day.label("counts_on"), cents.label("cents"), *in_order)

    # Before the registration began there is no tax period.
    early = (paid.c.paid_on < w.billed_on) & ~period.registered(paid.c.paid_on)
    on = sa.case((early, w.billed_on), else_=paid.c.paid_on)
    on = sa.case((w.held_on > on, w.held_on), else_=on)
    none = sa.literal_column("''", sa.Text)
    events = sa.union_all(
        entry(0, w.full_on, _NOTHING, none).where(w.full_on < _NEVER),
        entry(1, on, paid.c.cents, paid.c.id).join(paid, paid.c.expense_id == w.document_id),
        entry(2, w.voided_on, _NOTHING, none).where(w.voided_on.is_not(None)),
    ).subquery("events")
    e = events.c
    window: dict[str, Any] = {
        "partition_by": [e.document_id, e.awaits],
        "order_by": (e.counts_on, e.rank, e.move, e.cents.desc()),
    }
    so_far = sa.cast(sa.func.sum(e.cents).over(**window, rows=(None, 0)), sa.BigInteger)
    stands = sa.select(*e, so_far.label("paid")).subquery("stands")
    s = stands.c
    is_over = (s.counts_on > s.voided_on) | ((s.rank == 2) & (s.counts_on == s.voided_on))
    counted = sa.select(
        *(s[name] for name in ("document_id", "awaits", "counts_on", "rank", "move", "cents")),
        *(
            sa.case(
                (is_over, _NOTHING),
                (s.counts_on >= s.full_on, s[label]),
                else_=GstEntries.Period.share_paid(s[label], s.paid, s.price),
            ).label(label)
            for label in _LABELS
        ),
    ).subquery("counted")
    c = counted.c
    before: dict[str, Any] = {
        "partition_by": [c.document_id, c.awaits],
        "order_by": (c.counts_on, c.rank, c.move, c.cents.desc()),
    }
    return sa.select(
        c.document_id,
        c.document_id.label("supply_id"),
        (c.rank == 2).label("adjusts"),
        c.counts_on,
        *((c[label] - sa.func.lag(c[label], 1, 0).over(**before)).label(label) for label in _LABELS),
    )


def _given_back(period: GstEntries.Period, is_asked: Callable[[Any], Any] | None) -> sa.Select[Any]:
    """Select suppliers' refunds by the terms of their purchases. A refund never counts before its purchase does.

    Adjusts only what was claimed (s 19-70, 19-80 GST Act), and all refunds of a purchase together to the cent.
    """

    def share(cents: sa.ColumnElement[int], of: Any) -> sa.ColumnElement[int]:
        window: dict[str, Any] = {"partition_by": [of.c.part_of, of.c.status], "order_by": of.c.part_id}
        so_far = sa.cast(sa.func.sum(cents).over(**window, rows=(None, 0)), sa.BigInteger)
        return business_share(so_far, of) - business_share(so_far - cents, of)

    # By its key first: nothing else finds a purchase without reading all.
    mine, bought = _select_dated(period, expenses, "mine"), _select_dated(period, purchases, "bought")
    of_purchase = _ever_counted(period, bought) & (bought.c.id == mine.c.refunded_expense_id)
    of_purchase &= bought.c.part_id == mine.c.refunded_part_id
    terms = _select_terms(period, mine, bought).where(
        of_purchase, period.registered(bought.c.date), _match_asked(mine, is_asked)
    )
    return _select_figures(terms.subquery("given_back"), share)


def _select_dated(period: GstEntries.Period, of: Any, name: str) -> sa.Subquery:
    """Select the parts of expenses with two more columns: the day of the first payment, and the day from which all of
    it counts.

    As expressions, each use of them would write out all that they are made of, in statements of 200 KB.
    """
    return of_each(of, name, _registered_on(period, of).label("bought_on"), _full_on(period, of))


def _full_on(period: GstEntries.Period, of: Any) -> sa.Label[Any]:
    return period.accrual_from(_first_on(period, of)).label("full_on")


def _select_terms(period: GstEntries.Period, mine: Any, by: Any) -> sa.Select[Any]:
    """Select the parts of expenses of days on which the business was registered, with their own terms or those of a
    purchase.
    """
    paid, gst, price, gst_of_it = (one.c[name] for one in (mine, by) for name in ("part_amount", "part_gst"))
    # A refund is split into its parts as the purchase is.
    amount = sa.case((by.c.import_gst & (11 * gst_of_it > price), 11 * gst), else_=paid)
    # A receipt that is only partly taxable contains less than an eleventh of GST.
    is_mixed = sa.func.abs(price - 11 * gst_of_it) > _ROUNDING
    return sa.select(
        mine.c.id.label("document_id"),
        sa.func.coalesce(mine.c.refunded_expense_id, mine.c.id).label("supply_id"),
        sa.func.coalesce(mine.c.refunded_part_id, mine.c.part_id).label("part_of"),
        *(mine.c[name] for name in ("part_id", "status", "voided_on")),
        _counts_on(mine, _day_of(mine)).label("own_day"),
        *([] if by is mine else [_counts_on(by, _day_of(by)).label("day_of_terms")]),
        sa.case((_awaits_tax_invoice(mine), sa.literal_column("1")), else_=sa.literal_column("0")).label("awaits"),
        *(by.c[name] for name in ("gst_code", "for_input_taxed_sales", "business_use_percent")),
        claim_until_void(period, by).label("claim"),
        amount.label("amount"),
        gst.label("gst"),
        sa.case((is_mixed, amount - 11 * gst), else_=_NOTHING).label("without_gst"),
    ).where(_ever_counted(period, mine), period.registered(mine.c.date))


def _select_figures(terms: sa.Subquery, share: Callable[..., Any]) -> sa.Select[Any]:
    """Select the amounts of these expenses at each label; `share` gives the business's share of an amount."""
    c, amount = terms.c, terms.c.amount
    counts_on: Any = c.own_day
    if "day_of_terms" in c:  # what is given back of a purchase never counts before that
        counts_on = sa.case((c.day_of_terms <= c.own_day, c.own_day), (c.day_of_terms > c.own_day, c.day_of_terms))
    untaxed = sa.case(
        (c.for_input_taxed_sales, _NOTHING),
        (c.gst_code.not_in(rules.TAXABLE) | c.claim.in_(("supplier_not_registered", "tax_withheld")), amount),
        else_=c.without_gst,
    )
    parts = (
        sa.select(
            *(c[name] for name in ("document_id", "supply_id", "part_of", "part_id", "status", "voided_on")),
            *(c[name] for name in ("business_use_percent", "awaits", "for_input_taxed_sales")),
            counts_on.label("counts_on"),
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
        *(p.document_id, p.supply_id, p.counts_on, p.voided_on, p.awaits),
        *(figures[label].label(label) for label in _LABELS),
    )


def names(ctx: Context, ids: Collection[str]) -> dict[str, str]:
    """Map each id to the expense's description; if it has none, to its reference, else to its date."""
    rows = _NAMED.all(ctx.db, ctx.tenant_id, ids)
    return {row.id: row.description or row.reference or f"Expense of {row.date}" for row in rows}


_NAMED = ByIds(sa.select(*(expenses.c[name] for name in ("id", "description", "reference", "date"))), expenses.c.id)


def withheld(period: GstEntries.Period) -> sa.Select[Any]:
    """Select the tax withheld, on the day of each payment, even if the business is not registered for GST."""
    amount = sa.type_coerce(expenses.c.tax_withheld, sa.BigInteger)

    def on(day: sa.ColumnElement[Any], cents: sa.ColumnElement[int]) -> sa.Select[Any]:
        columns = expenses.c.id.label("document_id"), day.label("counts_on"), cents.label("W4")
        return sa.select(*columns).where(_ever_counted(period), amount != 0)

    at_once = expenses.c.payment_count == NONE
    ended = on(_ended_on(expenses.c.paid_on, expenses.c.voided_on), -amount).where(expenses.c.voided_on.is_not(None))
    paid = in_parts(period.tenant_id, "tax_withheld")
    of_each = on(paid.c.paid_on, paid.c.tax_withheld).join(paid, paid.c.expense_id == expenses.c.id)
    return _select_all(on(expenses.c.paid_on, amount).where(at_once), ended.where(at_once), of_each)


def _ever_counted(period: GstEntries.Period, of: Any = expenses) -> sa.ColumnElement[bool]:
    """The business's expenses, except those voided as a mistake, which never counted."""
    stood: sa.ColumnElement[bool] = (of.c.status != "void") | of.c.voided_on.is_not(None)
    return sa.and_(of.c.tenant_id == period.tenant_id, stood)


def _ended_on(counts_on: sa.ColumnElement[Any], voided_on: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    """The day on which a void expense is subtracted: never before it counted, and null if it never did."""
    return sa.case((counts_on <= voided_on, voided_on), else_=counts_on)


def _select_all(*parts: sa.Select[Any]) -> sa.Select[Any]:
    return sa.select(sa.union_all(*parts).subquery("either"))


gst = (
    GstEntries(labels=_LABELS, select=entries, names=names),
    GstEntries(labels=("W4",), select=withheld),
)


def counted(ctx: Context, row: Row) -> set[tuple[Any, ...]]:
    """Return the amounts that a lodged expense adds to each label up to the last day of the period that counted it."""
    span = GstEntries.Period.Span(since=date.min, until=row.lodged_until, settings=ctx.tenant.gst_settings)
    values = {**span.values(ctx), "id": row.id}
    return {(source.labels, *entry) for source in gst for entry in _counted_of(source, span.period).all(ctx.db, values)}


@lru_cache(64)
def _counted_of(source: GstEntries, period: GstEntries.Period) -> Statement:
    its = source.select(period).subquery()
    of_one = its.c.document_id == sa.bindparam("id"), its.c.counts_on <= period.until
    return Statement(sa.select(its.c.counts_on, *(its.c[label] for label in source.labels)).where(*of_one))


def not_claimed(period: GstEntries.Period) -> sa.Select[Any]:
    """Select the expenses of a period that are left out, each with the reason and the GST in whole cents.

    They belong to the day on which they would count if their tax invoice were held.
    """
    status, credit = claim(period, expenses), gst_for_business()
    return sa.select(status.label("reason"), expenses.c.id.label("document_id"), credit.label("cents")).where(
        own(period, expenses),
        status.in_(_LEFT_OUT),
        _day_if_held(period, expenses).between(period.since, period.until),
        period.registered(expenses.c.date),
    )


def first_claim(
    ctx: Context, supplier_id: str, until: date, among: sa.ColumnElement[bool], *, by_abn_alone: bool
) -> date | None:
    """Return the first day, up to `until`, on which an expense counts whose claim depends on its supplier's details.

    The ABN matters only for an expense that needs a tax invoice, and whose tax invoice is held.
    """
    period = GstEntries.Period.Span(since=date.min, until=until, settings=ctx.tenant.gst_settings).with_values(ctx)
    mine = _ever_counted(period) & (expenses.c.supplier_id == supplier_id) & among
    counts_on = _counts_on(expenses, _day_if_held(period, expenses))
    asked = expenses.c.gst_code.in_(rules.TAXABLE), ~expenses.c.for_input_taxed_sales, ~expenses.c.import_gst
    by = mine & sa.and_(*asked, expenses.c.tax_withheld == rules.NOTHING, period.registered(expenses.c.date))
    if by_abn_alone:
        by &= (expenses.c.amount > rules.NO_TAX_INVOICE_UP_TO) & expenses.c.tax_invoice_held
    first: date | None = ctx.db.execute(sa.select(sa.func.min(counts_on)).where(by, counts_on <= until)).scalar()
    return first


def _counts_on(of: Any, day: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    """The day on which an expense counts, or first counts if it is paid in parts; null if it does not count yet.

    `day` is the day if its tax invoice is held in time.
    """
    held_on = of.c.tax_invoice_held_on
    # GST on an import belongs to the period in which it is paid, on either basis (s 29-15 GST Act).
    return sa.case((of.c.import_gst, _paid_on(of)), (_awaits_tax_invoice(of) & (held_on > day), held_on), else_=day)


def _awaits_tax_invoice(of: Any) -> sa.ColumnElement[bool]:
    """The expenses that count only once their tax invoice is held."""
    needed = of.c.gst_code.in_(rules.TAXABLE) & (of.c.amount > rules.NO_TAX_INVOICE_UP_TO)
    needed &= ~of.c.for_input_taxed_sales & ~of.c.import_gst  # nothing is claimed, or by the customs document
    awaits: sa.ColumnElement[bool] = needed
    return awaits


def _day_if_held(period: GstEntries.Period, of: Any) -> sa.ColumnElement[Any]:
    """The day on which an expense counts if its tax invoice is held in time."""
    return period.counts_on(_first_on(period, of), _registered_on(period, of))


def _day_of(dated: sa.Subquery) -> sa.ColumnElement[Any]:
    """The same, by the columns of `_select_dated`."""
    return sa.case((dated.c.bought_on < dated.c.full_on, dated.c.bought_on), else_=dated.c.full_on)


def _day_in_full(dated: sa.Subquery) -> sa.ColumnElement[Any]:
    """The day from which an expense counts in full, however much of it is paid; a day without end if it never does."""
    return sa.case((dated.c.import_gst, _NEVER), else_=dated.c.full_on)


def _registered_on(period: GstEntries.Period, of: Any) -> sa.ColumnElement[Any]:
    """The day of the first payment. Before the registration began there is no tax period, and it is the bill's day."""
    paid_on = _paid_on(of)
    return sa.case(((paid_on < of.c.date) & ~period.registered(paid_on), of.c.date), else_=paid_on)


def _first_on(period: GstEntries.Period, of: Any) -> sa.ColumnElement[Any]:
    """The earlier of that day and the bill's."""
    paid_on = _paid_on(of)
    return sa.case(((paid_on < of.c.date) & period.registered(paid_on), paid_on), else_=of.c.date)


def _paid_on(of: Any) -> sa.ColumnElement[Any]:
    return sa.func.coalesce(of.c.first_paid_on, of.c.paid_on)
