"""Invoices, adjustment notes and payments in double entry, for the ledger, worked out from what the books store.

A sale is in receivables from its date, and its GST is not due until it counts in the GST report: then it is collected.
A payment is the client's credit until it settles an invoice. What is received before an invoice is dated, or beyond its
price, is credit too, as in the report of receivables. A deposit is held until it is taken off or forfeited.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, GstEntries, LedgerEntries, Row
from billycan.fields import Moment
from billycan.sql import ByIds, Statement

from ..rules import ZERO
from ..tables import ahead, entries, invoices, lines, note_lines, notes, payments, refunds
from . import early_gst, gst, ledger
from .ledger import UNTAXED
from .sums import Among, amount_of

Line = LedgerEntries.Line
Standing = LedgerEntries.Standing

_FIRST_DATE = date(1900, 1, 1)


class Charged(Struct, frozen=True):
    """A sent invoice or, below zero, an issued note, neither of them void, as other software has it."""

    number: str
    client_id: str
    dated: date
    due_on: date
    reference: str | None
    purchase_order: str | None
    total: Decimal


class _Lines:
    """The lines of a document, added up."""

    def __init__(self) -> None:
        self._sums: defaultdict[tuple[Any, ...], Decimal] = defaultdict(lambda: ZERO)

    def add(self, on: date, role: Any, amount: Decimal, of: str | None = None, gst_code: str | None = None) -> None:
        self._sums[on, role, of, gst_code] += amount

    def move(self, on: date, amount: Decimal, *, debit: Any, credit: Any) -> None:
        """Add an amount to one account and take it off another."""
        self.add(on, debit, amount)
        self.add(on, credit, -amount)

    def price(self, on: date, row: Any, out_of_scope: Any, parts: Sequence[tuple[str, str, Decimal]] = ()) -> None:
        """Charge the figures of a ledger row; `parts` say of which items they are, by GST code."""
        codes = {code: getattr(row, code) for code in UNTAXED}
        codes["gst"] = row.total - row.gst - sum(codes.values())
        self.add(on, "receivable", row.total)
        self.add(on, "gst_not_due", -row.gst)
        for code, amount in codes.items():
            self.add(on, out_of_scope if code == "out_of_scope" else "sales", -amount, None, code)
        for item_id, code, amount in parts:
            self.add(on, "sales", -amount, item_id, code)
            self.add(on, out_of_scope if code == "out_of_scope" else "sales", amount, None, code)

    def all(self) -> list[Line]:
        return [
            Line(date=on, role=role, amount=amount, of=of, gst_code=code)
            for (on, role, of, code), amount in self._sums.items()
            if amount
        ]


def standing(ctx: Context, ids: Collection[str]) -> dict[str, Standing]:
    """Map invoices, adjustment notes and payments to all that each has in the ledger."""
    asked = [id for id in ids if id.startswith("adj_")]
    found_notes = {row.id: row for row in _NOTES.all(ctx.db, ctx.tenant_id, asked)}
    of_notes = {row.invoice_id for row in found_notes.values()}
    found = {row.id: row for row in _INVOICES.all(ctx.db, ctx.tenant_id, _ids_with_prefix(ids, "inv_") | of_notes)}
    by_invoice = _group_rows(_ENTRIES.all(ctx.db, ctx.tenant_id, found), "invoice_id")
    counted, ahead_of = _counted_gst(ctx, by_invoice), _counted_ahead(ctx, found.values())
    items = _items_of_documents(ctx, found, found_notes)
    stands = {}
    for id in _ids_with_prefix(ids, "inv_") & by_invoice.keys():
        row, rows = found[id], by_invoice[id]
        stands[id] = Standing(
            kind="invoice",
            lines=_of_invoice(row, rows, counted[id], ahead_of[id], items[id]),
            number=row.number,
            contact_id=row.client_id,
        )
    for id, note in found_notes.items():
        invoice = found[note.invoice_id]
        rows = [row for row in by_invoice.get(note.invoice_id, ()) if row.kind == "note" and row.note_id == id]
        if rows:
            stands[id] = Standing(
                kind="adjustment_note",
                lines=_of_note(invoice, note, rows, counted[note.invoice_id].get(id, ()), items[id]),
                number=note.number,
                contact_id=invoice.client_id,
                tracked_by=invoice.id,
            )
    return stands | _of_payments(ctx, _ids_with_prefix(ids, "pay_"))


def charged(ctx: Context, ids: Collection[str]) -> dict[str, Charged]:
    """Map sent invoices and issued adjustment notes to what each charges or takes off; without void ones."""
    rows = (row for each in (_CHARGED, _TAKEN_OFF) for row in each.all(ctx.db, ctx.tenant_id, ids))
    return {row.id: Charged(*row[1:]) for row in rows}


def documents_after(ctx: Context, id: str, limit: int) -> list[str]:
    """Return the ids of the adjustment notes, invoices and payments that follow an id, in order, without drafts."""
    return [row.id for row in _AFTER.all(ctx.db, {"tenant_id": ctx.tenant_id, "after": id, "most": limit})]


def documents_of(ctx: Context, ids: Collection[str]) -> list[str]:
    """Return the documents that may stand differently after something happened to one of these, or to a job.

    A payment or note changes what counts of its invoice, and so of the notes of that. What counts ahead of a work is
    of any of its invoices, and a deposit counts once it is taken off.
    """
    found = {row[0] for row in _TOUCHED.all(ctx.db, ctx.tenant_id, ids)}
    for more in (_BESIDE, _OF_THEM):
        found |= {row[0] for row in more.all(ctx.db, ctx.tenant_id, found)}
    return sorted(found | _ids_with_prefix(ids, "pay_"))


_EVENTS = (
    *("invoice.sent", "invoice.updated", "invoice.voided", "invoice.written_off", "invoice.write_off_undone"),
    *("invoice.recovered", "invoice.forfeited", "adjustment_note.issued", "adjustment_note.voided", "job.cancelled"),
    *("payment.recorded", "payment.allocated", "payment.deallocated", "payment.refunded", "payment.reversed"),
)


def _of_invoice(
    row: Row,
    rows: Sequence[Row],
    counted: Mapping[str, Sequence[tuple[date, Decimal]]],
    ahead_of: Sequence[tuple[date, Decimal]],
    parts: Sequence[tuple[str, str, Decimal]],
) -> list[Line]:
    """Return the lines of an invoice; `counted` is the GST that counts of it and of each of its notes, by day."""
    found = _Lines()
    out_of_scope = _out_of_scope(row)
    own_price = ledger.priced("invoice", row.issue_date, row._mapping)
    for one in rows:
        if one.kind != "note":
            found.price(one.counts_on, one, out_of_scope, _sign_items(parts, one, own_price))
        found.move(one.counts_on, one.written_off, debit="bad_debts", credit="receivable")
    for day, amount in (*counted.get(row.id, ()), *ahead_of):
        found.move(day, amount, debit="gst_not_due", credit="gst_collected")
    # Of what was written off, the GST that is not collected is no loss.
    uncollected = [(one.counts_on, one.gst) for one in rows]
    uncollected += [(day, -amount) for some in counted.values() for day, amount in some]
    bad = _run_totals((one.counts_on, one.written_off) for one in rows)
    left = _run_totals(uncollected)
    # What is settled before it is charged, or beyond it, is the client's.
    due = _run_totals((one.counts_on, one.total - one.paid - one.cash_rounding - one.written_off) for one in rows)
    before = lost = ZERO
    for day in sorted({*bad, *left, *due}):
        is_bad = _total_at(bad, day) != 0
        after = _total_at(left, day) if is_bad else ZERO
        found.move(day, after - lost, debit="gst_not_due", credit="bad_debts")
        lost = after
        over = max(-_total_at(due, day), ZERO)
        found.move(day, over - before, debit="receivable", credit="credit_in_hand")
        before = over
    return found.all()


def _of_note(
    invoice: Row,
    note: Row,
    rows: Sequence[Row],
    counted: Iterable[tuple[date, Decimal]],
    parts: Sequence[tuple[str, str, Decimal]],
) -> list[Line]:
    found = _Lines()
    own_price = ledger.priced("note", note.issue_date, note._mapping, -1)
    taken_off = [(item_id, code, -amount) for item_id, code, amount in parts]
    for one in rows:
        found.price(one.counts_on, one, _out_of_scope(invoice), _sign_items(taken_off, one, own_price))
    for day, amount in counted:
        found.move(day, amount, debit="gst_not_due", credit="gst_collected")
    return found.all()


def _of_payments(ctx: Context, ids: Collection[str]) -> dict[str, Standing]:
    rows = {row.id: row for row in _PAYMENTS.all(ctx.db, ctx.tenant_id, ids)}
    found = {id: _Lines() for id in rows}
    for id, row in rows.items():
        if row.status == "reversed" and row.reversed_on is None:
            continue  # a mistake: nothing was received
        received = [(row.paid_on, row.amount)]
        received += [(row.reversed_on, -row.amount)] if row.reversed_on else []
        for day, amount in received:
            found[id].add(day, "bank", amount, row.payment_method)
            found[id].add(day, "credit_in_hand", -amount)
    for one in _OF_PAYMENTS.all(ctx.db, ctx.tenant_id, rows):
        found[one.payment_id].move(one.counts_on, one.paid, debit="credit_in_hand", credit="receivable")
        found[one.payment_id].move(one.counts_on, one.cash_rounding, debit="cash_rounding", credit="receivable")
    for one in _REFUNDS.all(ctx.db, ctx.tenant_id, rows):
        found[one.payment_id].add(one.refunded_on, "credit_in_hand", one.amount)
        found[one.payment_id].add(one.refunded_on, "bank", -one.amount, one.payment_method)
    return {
        id: Standing(kind="payment", lines=stands, contact_id=rows[id].client_id)
        for id, each in found.items()
        if (stands := each.all())
    }


def _out_of_scope(invoice: Row) -> str:
    """Return the account of what is out of scope: a deposit is security until it is taken off or forfeited."""
    return "deposits_held" if invoice.claim == "deposit" else "sales"


def _sign_items(parts: Sequence[tuple[str, str, Decimal]], row: Any, own_price: Any) -> list[tuple[str, str, Decimal]]:
    """Return the items of a ledger row, which has all of a document's price or takes it off; none for any other."""
    names = ("total", "gst", *UNTAXED)
    for sign in (1, -1):
        if all(getattr(row, name) == sign * getattr(own_price, name) for name in names):
            return [(item_id, code, sign * amount) for item_id, code, amount in parts]
    return []


def _run_totals(changes: Iterable[tuple[date, Decimal]]) -> dict[date, Decimal]:
    """Map each day to the sum up to its end, in order."""
    by_day: defaultdict[date, Decimal] = defaultdict(lambda: ZERO)
    for day, amount in changes:
        by_day[day] += amount
    so_far, found = ZERO, {}
    for day in sorted(by_day):
        found[day] = so_far = so_far + by_day[day]
    return found


def _total_at(running: Mapping[date, Decimal], day: date) -> Decimal:
    return next((amount for on, amount in reversed(running.items()) if on <= day), ZERO)  # type: ignore[call-overload]


def _counted_gst(ctx: Context, ids: Collection[str]) -> dict[str, dict[str, list[tuple[date, Decimal]]]]:
    """Map invoices to the GST that counts of them and of their notes, by document and day."""
    found: dict[str, dict[str, list[tuple[date, Decimal]]]] = {id: {} for id in ids}
    if not ids:
        return found
    for row in _fetch_about(ctx, _build_collected, ids):
        found[row.invoice_id].setdefault(row.document_id, []).append((row.counts_on, amount_of(row.cents)))
    return found


def _counted_ahead(ctx: Context, rows: Iterable[Row]) -> dict[str, list[tuple[date, Decimal]]]:
    found: dict[str, list[tuple[date, Decimal]]] = defaultdict(list)
    if works := {row.claim_on for row in rows if row.claim_on is not None}:
        for row in _fetch_about(ctx, _build_ahead, works):
            found[row.document_id].append((row.counts_on, amount_of(row.cents)))
    return found


def _items_of_documents(
    ctx: Context, found: Mapping[str, Row], found_notes: Collection[str]
) -> dict[str, list[tuple[str, str, Decimal]]]:
    """Map documents to what is of items of the price list: the item, the GST code, and the amount without GST."""
    parts: dict[str, list[tuple[str, str, Decimal]]] = defaultdict(list)
    for table, ids in ((_ITEMS, found), (_NOTE_ITEMS, found_notes)):
        for row in table.all(ctx.db, ctx.tenant_id, ids):
            parts[row.document_id].append((row.item_id, row.gst_code, row.net))
    return parts


def _fetch_about(ctx: Context, make: Callable[[GstEntries.Period], ByIds], ids: Iterable[str]) -> list[Row]:
    """Return the rows of a query of GST about these ids, of any day."""
    span = GstEntries.Period.Span(since=_FIRST_DATE, until=Moment.LAST_DATE, settings=ctx.tenant.gst_settings)
    values = span.values(ctx)
    return make(span.period).all(ctx.db, values.pop("tenant_id"), ids, **values)


@lru_cache(64)
def _build_collected(period: GstEntries.Period) -> ByIds:
    return ByIds.within(lambda among: gst.collected(period, among))


@lru_cache(64)
def _build_ahead(period: GstEntries.Period) -> ByIds:
    def cents(among: Among) -> sa.Select[Any]:
        its = early_gst.counted(period, among).subquery("its")
        return sa.select(its.c.document_id, its.c.counts_on, its.c["1A"].label("cents")).where(its.c["1A"] != 0)

    return ByIds.within(cents)


def _ids_with_prefix(ids: Iterable[str], start: str) -> set[str]:
    return {id for id in ids if id.startswith(start)}


def _group_rows(rows: Iterable[Row], name: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(getattr(row, name), []).append(row)
    return found


_INVOICES = ByIds(
    sa.select(
        *(
            invoices.c[name]
            for name in (
                "id",
                "number",
                "client_id",
                "issue_date",
                "total",
                "gst",
                "gst_breakdown",
                "claim",
                "claim_on",
            )
        )
    ),
    invoices.c.id,
)
_NOTES = ByIds(
    sa.select(*(notes.c[n] for n in ("id", "number", "invoice_id", "issue_date", "total", "gst", "gst_breakdown"))),
    notes.c.id,
)
_CHARGED = ByIds(
    sa.select(
        *(
            invoices.c[name]
            for name in (
                *("id", "number", "client_id", "issue_date", "due_date", "reference", "purchase_order", "total"),
            )
        )
    ).where(invoices.c.status.not_in(("draft", "void"))),
    invoices.c.id,
)
_TAKEN_OFF = ByIds(
    sa.select(
        *(notes.c.id, notes.c.number, invoices.c.client_id, notes.c.issue_date, notes.c.issue_date.label("due_date")),
        *(invoices.c.number.label("reference"), invoices.c.purchase_order, (-notes.c.total).label("total")),
    )
    .join(invoices, (invoices.c.tenant_id == notes.c.tenant_id) & (invoices.c.id == notes.c.invoice_id))
    .where(notes.c.status == "issued", invoices.c.tenant_id == sa.bindparam("tenant_id")),
    notes.c.id,
)
_FIGURES = ("paid", "cash_rounding", "written_off", "total", "gst", *UNTAXED)
_CHANGES = sa.select(
    *(entries.c[name] for name in ("invoice_id", "kind", "counts_on", "payment_id", "note_id", *_FIGURES))
)
_ENTRIES = ByIds(_CHANGES.order_by(entries.c.counts_on, entries.c.id), entries.c.invoice_id)
_OF_PAYMENTS = ByIds(_CHANGES, entries.c.payment_id)
_PAYMENTS = ByIds(
    sa.select(
        *(
            payments.c[name]
            for name in ("id", "client_id", "amount", "paid_on", "payment_method", "status", "reversed_on")
        )
    ),
    payments.c.id,
)
_REFUNDS = ByIds(
    sa.select(*(refunds.c[name] for name in ("payment_id", "amount", "payment_method", "refunded_on"))),
    refunds.c.payment_id,
)
_ITEMS = ByIds(
    sa.select(*(lines.c[name] for name in ("document_id", "item_id", "gst_code", "net"))).where(
        lines.c.item_id.is_not(None)
    ),
    lines.c.document_id,
)
_NOTE_ITEMS = ByIds(
    sa.select(note_lines.c.document_id, lines.c.item_id, note_lines.c.gst_code, note_lines.c.net)
    .join(lines, (lines.c.tenant_id == note_lines.c.tenant_id) & (lines.c.id == note_lines.c.invoice_line_id))
    .where(lines.c.item_id.is_not(None), lines.c.tenant_id == sa.bindparam("tenant_id")),
    note_lines.c.document_id,
)


def _own_rows(table: Any) -> sa.ColumnElement[bool]:
    own: sa.ColumnElement[bool] = table.c.tenant_id == sa.bindparam("tenant_id")
    return own


def _select_touched(among: Among) -> Any:
    """Select the invoices that have entries, and are these, or of these payments, notes or works."""
    of_notes = sa.select(notes.c.invoice_id).where(_own_rows(notes), among(notes.c.id))
    of_payments = sa.select(entries.c.invoice_id).where(_own_rows(entries), among(entries.c.payment_id))
    of_works = sa.select(ahead.c.invoice_id).where(_own_rows(ahead), among(ahead.c.work_id))
    sent = sa.select(invoices.c.id).where(_own_rows(invoices), among(invoices.c.id), invoices.c.status != "draft")
    return sent.union(of_notes, of_payments, of_works)


def _select_beside(among: Among) -> Any:
    """Select the deposits that these invoices take off, what takes these off, and the other invoices of their works."""
    deposits = sa.select(invoices.c.id).where(_own_rows(invoices), among(invoices.c.applied_to))
    taken_off_by = sa.select(invoices.c.applied_to).where(
        _own_rows(invoices), among(invoices.c.id), invoices.c.applied_to.is_not(None)
    )
    works = sa.select(ahead.c.work_id).where(_own_rows(ahead), among(ahead.c.invoice_id))
    of_works = sa.select(ahead.c.invoice_id).where(_own_rows(ahead), ahead.c.work_id.in_(works))
    return deposits.union(taken_off_by, of_works)


def _of_them(among: Among) -> Any:
    """Select the notes and payments of these invoices."""
    of_notes = sa.select(notes.c.id).where(_own_rows(notes), among(notes.c.invoice_id), notes.c.status != "draft")
    of_payments = sa.select(entries.c.payment_id).where(
        _own_rows(entries), among(entries.c.invoice_id), entries.c.payment_id.is_not(None)
    )
    return of_notes.union(of_payments)


def _select_after(table: Any, *where: sa.ColumnElement[bool]) -> sa.Select[Any]:
    after, most = sa.bindparam("after", type_=sa.Text), sa.bindparam("most", type_=sa.Integer)
    some = sa.select(table.c.id).where(_own_rows(table), table.c.id > after, *where).order_by(table.c.id).limit(most)
    return sa.select(some.subquery().c.id)


_TOUCHED, _BESIDE, _OF_THEM = map(ByIds.within, (_select_touched, _select_beside, _of_them))
_AFTER = Statement(
    _select_after(notes, notes.c.status != "draft")
    .union_all(_select_after(invoices, invoices.c.status != "draft"), _select_after(payments))
    .order_by("id")
    .limit(sa.bindparam("most", type_=sa.Integer))
)

in_ledger = LedgerEntries(events=dict.fromkeys(_EVENTS, documents_of), after=documents_after, standing=standing)
