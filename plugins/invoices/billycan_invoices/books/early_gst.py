"""Part payments of one supply: on an accrual basis the first of them makes all of its GST count (s 29-5(1) GST Act).

The part of the work that is not invoiced yet then counts ahead of its invoices, and is taken off as they are sent, so
that the work counts once in total. Progress claims are separate supplies (Division 156).
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from billycan import Context, GstEntries, Row, new_id, own
from billycan.sql import Statement
from billycan_documents.api import Line, breakdown

from ..rules import ZERO
from ..tables import ahead, invoices
from .ledger import UNTAXED
from .sums import Among, amount_of, in_cents

FIGURES = ("total", "gst", "export", "gst_free", "input_taxed")
Figures = Mapping[str, Decimal]

_NOTHING: Figures = dict.fromkeys(FIGURES, ZERO)
_INSERT = Statement.Insertion(ahead, ahead.c.keys())


def of_work(lines: Iterable[Line]) -> dict[str, str]:
    """Return the total of some work, in the form stored with a part payment of it."""
    return {
        name: str(amount) for name, amount in _add_parts((line.gst_code, line.net, line.gst) for line in lines).items()
    }


def settle(ctx: Context, invoice: Row, on: date) -> None:
    """Update what counts ahead for a work when one of its invoices is sent or voided."""
    if invoice.claim_on is None or invoice.claim == "deposit":
        return
    _take_turns(ctx, invoice.claim_on)
    of_this = _match_work(ctx, invoice.claim_on)
    sent = invoices.c.status.not_in(("draft", "void")) & (sa.func.coalesce(invoices.c.claim, "") != "deposit")
    columns = [invoices.c[name] for name in ("claim", "claim_supply", "gst_breakdown")]
    rows = ctx.db.execute(sa.select(*columns).where(of_this, sent).order_by(invoices.c.id)).all()
    _bring_to(ctx, invoice.claim_on, invoice.id, on, _not_invoiced(rows))


def undo_early_gst(ctx: Context, invoice: Row) -> None:
    """Restore what counted ahead for a work before an invoice was sent that is now void as a mistake."""
    if invoice.claim_on is None or invoice.claim == "deposit":
        return
    _take_turns(ctx, invoice.claim_on)
    columns = [ahead.c[name] for name in ("invoice_id", "counts_on", *FIGURES)]
    of_work = own(ctx, ahead), ahead.c.work_id == invoice.claim_on
    rows = ctx.db.execute(sa.select(*columns).where(*of_work).order_by(ahead.c.counts_on)).all()
    mine = [row for row in rows if (row.invoice_id, row.counts_on) == (invoice.id, invoice.issue_date)]
    its = {name: sum((getattr(one, name) for one in mine), ZERO) for name in FIGURES}
    _write_entry(ctx, invoice.claim_on, invoice.id, invoice.issue_date, {name: -amount for name, amount in its.items()})
    # The rest depends on what came next: another part, or the end of the work.
    later = (row.counts_on for row in rows if row.counts_on > invoice.issue_date)
    settle(ctx, invoice, next(later, invoice.issue_date))


def end_early_gst(ctx: Context, work_id: str) -> None:
    """Stop counting the unfinished part of a work ahead: its price has changed (s 19-10 GST Act).

    Whatever happens to its invoices later, each of them then counts by itself.
    """
    of_this = _match_work(ctx, work_id) & invoices.c.claim_supply.is_not(None)
    ctx.db.execute(sa.update(invoices).where(of_this).values(claim_supply=sa.null()))
    last = sa.select(sa.func.max(ahead.c.invoice_id)).where(own(ctx, ahead), ahead.c.work_id == work_id)
    if (invoice_id := ctx.db.execute(last).scalar()) is not None:
        _take_turns(ctx, work_id)
        _bring_to(ctx, work_id, invoice_id, ctx.today(), _NOTHING)


def hand_over(ctx: Context, quote_id: str, job_id: str) -> None:
    """Pass what counts ahead of a quote's invoices on to its job."""
    ctx.db.execute(sa.update(ahead).where(own(ctx, ahead), ahead.c.work_id == quote_id).values(work_id=job_id))


def counted(period: GstEntries.Period, among: Among | None = None) -> sa.Select[Any]:
    """Select what started or stopped counting ahead on each day, for works whose first part counted in full.

    `among` is the condition that a work is one of those that are asked for.
    """
    is_asked = among(ahead.c.work_id) if among else sa.true()
    # An entry undone on its own day started nothing.
    stands = (
        sa.select(ahead.c.work_id, ahead.c.counts_on)
        .where(own(period, ahead), is_asked)
        .group_by(ahead.c.work_id, ahead.c.counts_on)
        .having(sa.or_(*(sa.func.sum(in_cents(ahead.c[name])) != 0 for name in FIGURES)))
        .subquery("stands")
    )
    day = sa.func.min(stands.c.counts_on).label("day")
    began = sa.select(stands.c.work_id, day).group_by(stands.c.work_id).subquery("began")
    labels = {"G1": "total", "G2": "export", "G3": "gst_free", "G4": "input_taxed", "1A": "gst"}
    return (
        sa.select(
            ahead.c.invoice_id.label("document_id"),
            ahead.c.work_id.label("supply_id"),
            ahead.c.counts_on,
            *(in_cents(ahead.c[name]).label(label) for label, name in labels.items()),
        )
        .join(began, began.c.work_id == ahead.c.work_id)
        .where(
            own(period, ahead),
            is_asked,
            period.accrual_from(began.c.day) == began.c.day,
            period.registered(ahead.c.counts_on),
        )
    )


def _match_work(ctx: Context, work_id: str) -> sa.ColumnElement[bool]:
    """Match the invoices of a work by its quote or job; those columns have an index."""
    named = (invoices.c.quote_id == work_id) | (invoices.c.job_id == work_id)
    return own(ctx, invoices) & (invoices.c.claim_on == work_id) & named


def _not_invoiced(sent: Sequence[Row]) -> Figures:
    """Return the amount that counts ahead: the rest of the work, once part of it is invoiced and until all of it is."""
    works = [row.claim_supply for row in sent if row.claim == "part_payment" and row.claim_supply]
    if not works or any(row.claim == "final" for row in sent):
        return _NOTHING
    billed = _add_parts((one.gst_code, one.net, one.gst) for row in sent for one in breakdown(row.gst_breakdown))
    left = {name: Decimal(works[-1][name]) - billed[name] for name in FIGURES}
    return left if left["total"] > 0 else _NOTHING


def _add_parts(parts: Iterable[tuple[str, Decimal, Decimal]]) -> Figures:
    """Add up parts, each a GST code, an amount without GST and the GST; parts out of scope are left out."""
    found = {**_NOTHING}
    for code, net, gst in parts:
        if code != "out_of_scope":
            found["total"] += net + gst
            found["gst"] += gst
        if code in UNTAXED and code in found:
            found[code] += net + gst
    return found


def _bring_to(ctx: Context, work_id: str, invoice_id: str, on: date, wanted: Figures) -> None:
    """Record the difference between what counts ahead of a work now and the wanted amount."""
    sums = (sa.func.sum(in_cents(ahead.c[name])) for name in FIGURES)
    there = ctx.db.execute(sa.select(*sums).where(own(ctx, ahead), ahead.c.work_id == work_id)).one()
    more = {name: wanted[name] - amount_of(cents) for name, cents in zip(FIGURES, there, strict=True)}
    _write_entry(ctx, work_id, invoice_id, on, more)


def _write_entry(ctx: Context, work_id: str, invoice_id: str, on: date, more: Figures) -> None:
    if any(more.values()):
        ctx.check_unlocked(on)
        row = {"id": new_id("ahe"), "invoice_id": invoice_id, "work_id": work_id, "counts_on": on, **more}
        _INSERT.run(ctx.db, ctx.tenant_id, [row])


def _take_turns(ctx: Context, work_id: str) -> None:
    """Make transactions that send or void invoices of one work wait for each other. SQLite has one writer anyway."""
    if ctx.db.dialect.name == "postgresql":
        name = sa.func.hashtextextended(f"supply {ctx.tenant_id} {work_id}", 0)
        ctx.db.execute(sa.select(sa.func.pg_advisory_xact_lock(name)))
