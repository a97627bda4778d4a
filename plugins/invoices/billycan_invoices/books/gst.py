"""Sales in GST reports: amounts from invoices, payments and notes, calculated in the database from the ledger.

The entries of each invoice are read in order, with running totals. On an accrual basis the whole invoice counts from
the earlier of its date and its first payment (s 29-5(1) GST Act), notes count on their own dates (s 29-20, Div 19), and
bad debts written off are adjustments, as are recoveries (s 21-5, 21-10; for a partly taxable sale s 136-30, 136-35). On
a cash basis each payment counts (s 29-5(2)): of the GST, and of each part of the price, `round(part * paid / price)`
less what counted before, so that all payments together count the whole to the cent. There are no bad debts (s 21-5(2)).
Amounts held back for a note of a cash basis are added to both sides until that basis ends: see `held`.
"""

from collections.abc import Collection
from datetime import date
from typing import Any

import sqlalchemy as sa

from billycan import Context, GstEntries, Records, own

from ..tables import entries, invoices, notes
from ..tables import held as held_back
from . import early_gst, ledger, unallocated
from .sums import Among

_PARTS = ("gst", "export", "gst_free", "input_taxed", "out_of_scope")
_HELD = ("total", *_PARTS, "paid")
_COUNTED = ("price", "export", "gst_free", "input_taxed", "gst", "bad_price", "bad_gst")
_LABELS = ("G1", "G2", "G3", "G4", "1A", "G18", "1B")
_FIRST_DATE = date(1900, 1, 1)
_NOTHING = sa.literal_column("0", sa.BigInteger)


def sales(period: GstEntries.Period) -> sa.Select[Any]:
    """Select all entries of every invoice that may count in the period, including entries of other days."""
    grown = _select_growth(period)
    figures = {
        "G1": grown.c.price,
        "G2": grown.c.export,
        "G3": grown.c.gst_free,
        "G4": grown.c.input_taxed,
        "1A": grown.c.gst,
        "G18": grown.c.bad_price,
        "1B": grown.c.bad_gst,
    }
    return (
        sa.select(
            grown.c.document_id,
            _supply_of().label("supply_id"),
            grown.c.kind.in_(("note", "held", "void")).label("adjusts"),
            grown.c.counts_on,
            *(figures[label].label(label) for label in _LABELS),
        )
        .join(invoices, own(period, invoices) & (invoices.c.id == grown.c.invoice_id))
        .where(period.registered(grown.c.counts_on))
    )


def collected(period: GstEntries.Period, among: Among) -> sa.Select[Any]:
    """Select the GST that counts of these invoices on each day, whatever the period, less that of bad debts."""
    grown = _select_growth(period, among)
    return sa.select(
        *(grown.c[name] for name in ("invoice_id", "document_id", "counts_on")),
        (grown.c.gst - grown.c.bad_gst).label("cents"),
    ).where(period.registered(grown.c.counts_on), grown.c.gst != grown.c.bad_gst)


def _select_growth(period: GstEntries.Period, among: Among | None = None) -> sa.Subquery:
    """Select what counts with each entry: the amount counted up to it, less that counted up to the previous entry."""
    counted = _select_counted(_select_standing(_select_ledger(period, among)), period)
    window: dict[str, Any] = {"partition_by": counted.c.invoice_id, "order_by": _in_order(counted)}
    return sa.select(
        *(counted.c[name] for name in ("document_id", "invoice_id", "kind", "counts_on")),
        *((counted.c[n] - sa.func.lag(counted.c[n], 1, 0).over(**window)).label(n) for n in _COUNTED),
    ).subquery("grown")


_of_invoices, _of_notes = Records.names_of(invoices.c.number), Records.names_of(notes.c.number)


def numbers(ctx: Context, ids: Collection[str]) -> dict[str, str]:
    """Map the ids of these invoices and adjustment notes to their numbers."""
    return {**_of_invoices(ctx, ids), **_of_notes(ctx, ids)}


gst = (
    GstEntries(labels=_LABELS, select=sales, names=numbers),
    GstEntries(labels=("G1", "G2", "G3", "G4", "1A"), select=early_gst.counted),
)


def _supply_of() -> sa.Case[str]:
    """Return the supply an invoice belongs to: the work if it bills part of one, or itself for a progress claim
    (Division 156).

    A release of retention is a supply of its own, too: retention counts once it is invoiced or received (PAR 2017/2).
    """
    part = invoices.c.claim_on.is_not(None) & invoices.c.claim.not_in(("progress", "retention"))
    return sa.case((part, invoices.c.claim_on), else_=invoices.c.id)


def _select_ledger(period: GstEntries.Period, among: Among | None) -> sa.Subquery:
    """Select the ledger of the invoices that the period touches, or that are asked for, in whole cents.

    When a business leaves the cash basis, each invoice gets an empty entry that makes the rest of it count: on that
    day, or on the invoice's date if it was paid before and sent after.
    """
    changes, since = period.changes(), period.since
    if changes:
        # An invoice unpaid when the basis changed may have been sent at any earlier time.
        ends = (day.between(period.since, period.until) for day in changes)
        since = sa.case((sa.or_(*ends), sa.literal(_FIRST_DATE, sa.Date)), else_=since)
    touched = sa.select(entries.c.invoice_id).where(
        own(period, entries), entries.c.counts_on.between(since, period.until)
    )
    of_notes = own(period, held_back), held_back.c.counts_on.between(since, period.until)
    either = touched.union_all(sa.select(held_back.c.invoice_id).where(*of_notes))
    is_asked = among or (lambda invoice_id: invoice_id.in_(either))
    stands = ledger.netted(is_asked(entries.c.invoice_id)).cte("stands")
    kept = unallocated.netted(is_asked(held_back.c.invoice_id)).subquery("kept")
    columns = [stands.c[name] for name in ("id", "invoice_id", "kind", "counts_on", "note_id")]
    figures: list[Any] = [stands.c[name] for name in ("total", *_PARTS, "written_off")]
    figures.append((stands.c.paid + stands.c.cash_rounding).label("paid"))
    names = (*(column.name for column in figures), *map(_name_held, _HELD))
    rank = sa.case((stands.c.kind == "invoice", 0), else_=1).label("rank")
    none_held = (_NOTHING.label(_name_held(name)) for name in _HELD)
    parts = [sa.select(*columns, rank, *figures, *none_held)]
    # A note counts in full once a cash basis ends, or on its own date without one (s 29-20, 159-5 GST Act).
    full_on = period.accrual_from(notes.c.issue_date)
    paid = kept.c.paid + kept.c.cash_rounding
    shown = {_name_held(name): paid if name == "paid" else kept.c[name] for name in _HELD}
    its_note = own(period, notes) & (notes.c.id == kept.c.note_id)
    is_kept, is_over = kept.c.counts_on < full_on, full_on <= period.until
    for day, sign, when in ((kept.c.counts_on, 1, is_kept), *([(full_on, -1, is_kept & is_over)] if changes else [])):
        of_a_note = kept.c.id, kept.c.invoice_id, sa.literal("held"), day, kept.c.note_id, sa.literal(1)
        amounts = ((sign * shown[name] if name in shown else _NOTHING).label(name) for name in names)
        parts.append(sa.select(*of_a_note, *amounts).join(notes, its_note).where(when))
    for day in changes:
        mark = sa.literal("").label("id"), stands.c.invoice_id, sa.literal("change").label("kind")
        counts_on = sa.case((stands.c.counts_on < day, day), else_=stands.c.counts_on)
        dated = *mark, counts_on.label("counts_on"), stands.c.note_id, sa.literal(1).label("rank")
        blank = (_NOTHING.label(name) for name in names)
        parts.append(sa.select(*dated, *blank).where(stands.c.kind == "invoice", day <= period.until))
    return sa.union_all(*parts).subquery("ledger")


def _select_standing(ledger: sa.Subquery) -> sa.Subquery:
    """Select the running totals of each invoice at each entry: price, parts, amount paid and amount written off.

    `first_on` is the day of the invoice's first entry, and `issued_on` its own date. For a deposit both are the last
    day on which it was taken off or forfeited: until then it is for no supply (s 99-5, 99-10 GST Act).
    """
    # One window serves all: the price comes first in this order, and only its day may be that of the next entry.
    c = ledger.c
    window: dict[str, Any] = {"partition_by": c.invoice_id, "order_by": _in_order(ledger), "rows": (None, 0)}
    noted_on = sa.case((c.kind.not_in(("change", "held")), c.counts_on))
    earliest = sa.func.min(noted_on).over(**window)
    after = sa.func.lead(noted_on).over(**window)
    issued_on = sa.func.max(sa.case((c.kind == "invoice", c.counts_on))).over(**window)
    # A deposit that was never sent has no price of its own; one that was sent is all out of scope.
    is_deposit = sa.func.max(sa.case((c.kind == "invoice", sa.case((c.total == c.out_of_scope, 1), else_=0)), else_=0))
    is_used = c.kind.in_(("deposit", "forfeit")) & (c.out_of_scope < 0)
    arises = sa.func.max(sa.case((is_used, c.counts_on))).over(**window)
    of_deposit = sa.case((is_deposit.over(**window) == 1, arises))
    first_on = sa.case(
        ((c.kind == "invoice") & (after < c.counts_on), after), else_=sa.func.coalesce(of_deposit, earliest)
    )
    so_far = (
        sa.cast(sa.func.sum(c[name]).over(**window), sa.BigInteger).label(name)
        for name in ("total", *_PARTS, "paid", "written_off", *map(_name_held, _HELD))
    )
    return sa.select(
        *(c[name] for name in ("invoice_id", "note_id", "kind", "rank", "counts_on", "id")),
        first_on.label("first_on"),
        sa.func.coalesce(of_deposit, issued_on, arises).label("issued_on"),
        issued_on.label("sent_on"),
        *so_far,
    ).subquery("standing")


def _select_counted(standing: sa.Subquery, period: GstEntries.Period) -> sa.Subquery:
    """Select how much of each invoice counts up to each entry, and the day on which the entry counts.

    An invoice dated while the business was not registered is no taxable supply (s 9-5(d) GST Act). If the business was
    registered on that date, payments from before the registration count on that date, as no tax period is earlier.
    """
    c = standing.c

    def registered_by(day: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
        return sa.case(((day < c.issued_on) & ~period.registered(day), c.issued_on), else_=day)

    first_on = registered_by(c.first_on)
    counts_on = sa.case((c.kind == "invoice", first_on), else_=registered_by(c.counts_on))
    # A sent invoice with a total of 0.00 counts in full: a set-off, such as a trade-in, pays for it.
    whole = {name: c[name] + c[_name_held(name)] for name in _HELD}
    set_off = (whole["total"] == 0) & c.sent_on.is_not(None)
    in_full = counts_on >= period.accrual_from(first_on)
    price, whole["price"] = c.total - c.out_of_scope, whole["total"] - whole["out_of_scope"]

    def counting(name: str) -> sa.Label[int]:
        so_far = GstEntries.Period.share_paid(whole[name], whole["paid"], whole["total"])
        return sa.case((in_full | set_off, whole[name]), else_=so_far).label(name)

    def bad(part: sa.ColumnElement[int], name: str) -> sa.Label[int]:
        is_bad = (c.written_off != 0) & in_full
        return sa.case((is_bad, GstEntries.Period.share_paid(part, c.written_off, c.total)), else_=_NOTHING).label(name)

    return (
        sa.select(
            *(c.invoice_id, c.kind),
            sa.func.coalesce(c.note_id, c.invoice_id).label("document_id"),
            counts_on.label("counts_on"),
            *(c.rank, c.counts_on.label("noted_on"), c.id),
            *(counting(name) for name in ("price", "export", "gst_free", "input_taxed", "gst")),
            bad(price - c.export - c.gst_free - c.input_taxed, "bad_price"),
            bad(c.gst, "bad_gst"),
        )
        .where(period.registered(c.issued_on))
        .subquery("counted")
    )


def _in_order(of: sa.Subquery) -> tuple[Any, ...]:
    """Return the order of an invoice's entries: its price first, as it may have been paid earlier; then by date."""
    return of.c.rank, of.c.get("noted_on", of.c.counts_on), of.c.id


def _name_held(name: str) -> str:
    """Return the column name of the amount of a figure held back on a cash basis."""
    return f"held_{name}"
