"""Invoices for one quote or job: progress claims, deposits, retention, and the amount left to invoice.

Each invoice stores, in cents, how much of every line of the work it bills. The amount left is the work less all
invoices that are neither deleted nor void, plus what was credited. Writers take turns, so nothing is billed twice.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from billycan import Conflict, Context, Invalid, Row, decode, own
from billycan.sql import ByIds
from billycan_documents.api import (
    GST_CODES,
    RATES,
    Bill,
    CodeTotals,
    Invoiced,
    Left,
    Line,
    NewClaim,
    Part,
    bill_for,
    breakdown,
    cents,
    check_limit,
    check_registration,
    dollars,
    invoiced_of,
    left_of,
    less_credited,
    nearest,
    negated,
    part_of,
    release,
    rest,
    retain,
)

from ..books import early_gst
from ..resource import Invoice, NewInvoice
from ..rules import ZERO
from ..tables import invoices, notes
from . import deposits
from .claim_lines import (
    Extra,
    Work,
    copy_lines,
    deposit_line,
    extra_line,
    less_earlier_lines,
    lines_by_code,
    new_line,
    part_lines,
    part_of_line,
    retention_lines,
    stored_part,
)
from .documents import add_draft, documents, neighbours, records


class Billing(Struct):
    """The invoices that name a quote or job, how much of it they bill, and the last invoice that does.

    `deposits` are the deposits requested and not yet taken off; `retained` is the retention of claims, less releases.
    """

    invoice_ids: list[str]
    invoiced: Decimal = ZERO
    last: str | None = None
    deposits: Decimal = ZERO
    retained: Decimal = ZERO

    def add(self, row: Row) -> None:
        """Add the amounts that an invoice bills."""
        self.last, counts = row.id, _amount_billed(row)
        self.invoiced += counts
        self.deposits += (counts if row.claim == "deposit" else ZERO) - row.deposits_applied
        self.retained += -counts if row.claim == "retention" else _amount_retained(row)

    def of(self, quoted: Decimal) -> Invoiced:
        """Return the figures that clients see, next to the total of the work."""
        return invoiced_of(quoted, self.invoiced, self.retained)

    @property
    def charged(self) -> Decimal:
        """The claims on the work, retention too. A deposit counts once an invoice takes it off."""
        return self.invoiced + max(ZERO, self.retained) - max(ZERO, self.deposits)

    def is_all(self, quoted: Decimal) -> bool:
        """Tell whether nothing is left to invoice. Open deposits still need a final invoice, even one of 0.00."""
        return self.last is not None and quoted <= self.invoiced and not self.deposits


def billings(ctx: Context, member: Literal["quote_id", "job_id"], ids: Sequence[str]) -> dict[str, Billing]:
    """Map each quote or job to its billing, in one query."""
    found = {id: Billing([]) for id in ids}
    for row in _BILLINGS[member].all(ctx.db, ctx.tenant_id, found):
        one = found[getattr(row, member)]
        one.invoice_ids.append(row.id)
        if _bills_work(row, getattr(row, member), member):
            one.add(row)
    return found


def claim(
    ctx: Context, member: Literal["quote_id", "job_id"], work: Work, asked: NewClaim, extras: Sequence[Extra] = ()
) -> Invoice:
    """Draft an invoice of part of the work, or of all that is left, and of `extras`, in the caller's transaction.

    `member` is the invoice's member that names the work. Raises Conflict `already_invoiced` if nothing is left except
    retention, Invalid `over_invoiced` for more than is left, and Forbidden if the caller's key lacks `invoices:write`.
    """
    ctx.require("invoices:write")
    ctx.take_turns()
    row, stored = work.row, _find_billing(ctx, member, work.row.id)
    per_line = row.gst_rounding == "per_line"
    bills, held = _bills_of(ctx, stored, per_line), _open_deposits(stored)
    earlier = [bill for one, bill in zip(stored, bills, strict=True) if one.claim != "retention"]
    billing = Billing([])
    for one in stored:
        billing.add(one)
    if billing.is_all(row.total):
        raise already_invoiced(billing)
    if not work.lines:
        raise Invalid.member("line_items", "required", "are required to invoice this: add what to bill")
    discounted = row.discount_percent is not None or row.discount_amount is not None
    if not (bills or asked.names_part or asked.releases or asked.retention_percent or (extras and discounted)):
        return _draft_whole(ctx, work, extras)
    _keep_changes(ctx, stored)
    less: list[Line] = []
    left, quoted = left_of(work.lines, bills), cents(row.total)
    before = sum(part.total for bill in earlier for part in bill.retained)
    kind: str = asked.claim or ("progress" if asked.names_part else "final")
    if kind == "retention":
        bill = release(asked, left, per_line=per_line)
        lines = lines_by_code(work, f"Release of retention for {row.number}", bill.parts)
    elif kind == "final":
        bill = rest(left)
        if left.retained and not (bill.parts or left.deposits):
            raise _only_retained(left)
        retain(bill, asked, quoted, before, per_line=per_line)
        lines = copy_lines(work.lines)
        less = less_earlier_lines(work, left, stored)
    else:
        bill = bill_for(asked, quoted, left, earlier, per_line=per_line)
        lines = deposit_line(work, bill) if kind == "deposit" else part_lines(work, bill, asked)
        retain(bill, asked, quoted, before, per_line=per_line)
    if kind != "retention":
        less += retention_lines(work, asked, bill.retained, left.retained if kind == "final" else [])
    if bill.deposit and kind != "deposit":
        taken_off = f"Less deposit {', '.join(one.number for one in held)}".rstrip()
        words = taken_off if bill.deposit < 0 else "Deposit that was taken off and is void"
        line = new_line(words, "out_of_scope", bill.deposit, 0, row.amounts_are)
        less.append(line) if kind == "final" else lines.append(line)
    beside = [extra_line(work, extra) for extra in extras] if kind not in ("deposit", "retention") else []
    columns: dict[str, Any] = {}
    if kind in ("progress", "retention") or (
        kind == "final" and (left.retained or bill.retained or _find_claims(stored))
    ):
        columns["progress_claim"] = _fix_progress(stored, earlier, left, bill, kind, quoted)
    made = _draft_claim(ctx, work, [*lines, *less, *beside], kind, bill, less=less, **columns)
    if bill.deposit < 0:
        deposits.apply_deposits(ctx, held, made.id)
    return made


def already_invoiced(billing: Billing) -> Conflict:
    """Return the refusal to invoice work that is fully invoiced."""
    return Conflict(
        f"The invoice {billing.last} bills this already: void it, or delete it while it is a draft, to make another.",
        code="already_invoiced",
        invoice_id=billing.last,
    )


def _only_retained(left: Left) -> Conflict:
    amount = dollars(sum(part.total for part in left.retained))
    return Conflict(
        f"All of this is invoiced but the {amount} that the client retains: release that with `claim: retention`.",
        code="already_invoiced",
        retained=amount,
    )


def hand_over(ctx: Context, quote_id: str, job_id: str, lines: Mapping[str, str]) -> None:
    """Copy the amounts billed by a quote's invoices to its job; `lines` maps each line of the quote to the job's."""
    for row in documents.held(ctx, invoices.c.quote_id == quote_id):
        if row.claim_on == quote_id and row.status != "void":
            moved: dict[str, Any] = {
                name: [[lines.get(id, id), *more] for id, *more in getattr(row, name) or ()]
                for name in ("claim_parts", "retained_parts")
            }
            after = records.save(ctx, row, job_id=job_id, claim_on=job_id, **moved)
            documents.tell(ctx, after, "invoice.updated")
    early_gst.hand_over(ctx, quote_id, job_id)


def take_turns_of_work(ctx: Context, note_id: str) -> None:
    """Take turns on the work that a note's invoice bills, because credited amounts can be claimed again."""
    if not (ctx.has("quotes") or ctx.has("jobs")):
        return
    of_note = (notes.c.tenant_id == invoices.c.tenant_id) & (notes.c.invoice_id == invoices.c.id)
    found = sa.select(invoices.c.claim_on).join(notes, of_note).where(own(ctx, notes), notes.c.id == note_id)
    if ctx.db.execute(found).scalar() is not None:
        ctx.take_turns()


def work_of(ctx: Context, invoice_id: str) -> tuple[str | None, str | None]:
    """Return the quote and the job that an invoice bills; both None if it bills no part of any work."""
    asked = sa.select(invoices.c.quote_id, invoices.c.job_id).where(
        own(ctx, invoices), invoices.c.id == invoice_id, invoices.c.claim_on.is_not(None)
    )
    found = ctx.db.execute(asked).first()
    return (found.quote_id, found.job_id) if found else (None, None)


_COLUMNS = (
    *("id", "quote_id", "job_id", "status", "claim", "claim_on", "claimed", "total", "amount_credited"),
    *("deposits_applied", "forfeited_on", "retained"),
)
_BILLINGS = {
    member: ByIds(sa.select(*(invoices.c[name] for name in _COLUMNS)).order_by(invoices.c.id), invoices.c[member])
    for member in ("quote_id", "job_id")
}


def _bills_work(row: Row, id: str, member: str) -> bool:
    """Tell whether an invoice bills the quote or job it names. Invoices of a quote's jobs bill the quote, too."""
    if row.claim_on is None or row.status == "void" or row.forfeited_on is not None:
        return False
    return bool(member == "quote_id" or row.claim_on == id)


def _amount_billed(row: Row) -> Decimal:
    """Return how much of the work an invoice bills: the claimed amount, or less if it was changed or credited."""
    counts: Decimal = min(row.claimed, row.total - row.amount_credited)
    return counts


def _amount_retained(row: Row) -> Decimal:
    """Return the retention of an invoice, reduced in proportion to what was credited."""
    if not row.retained:
        return ZERO
    whole, counts = cents(row.claimed + row.deposits_applied), cents(_amount_billed(row) + row.deposits_applied)
    return dollars(nearest(Fraction(cents(row.retained) * counts, whole)))


def _find_claims(stored: Sequence[Row]) -> list[Row]:
    """Return the progress claims among the invoices of some work."""
    return [row for row in stored if row.claim == "progress" or (row.claim == "final" and row.progress_claim)]


def _find_billing(ctx: Context, member: str, id: str) -> list[Row]:
    """Return the invoices that bill the work."""
    found = sa.select(invoices).where(own(ctx, invoices), invoices.c[member] == id).order_by(invoices.c.id)
    return [row for row in ctx.db.execute(found) if _bills_work(row, id, member)]


def _keep_changes(ctx: Context, stored: Sequence[Row]) -> None:
    """Fix the amounts of a reduced draft of all the work, because another invoice now bills the difference."""
    for row in stored:
        if row.claim is None and row.total < row.claimed:
            this = own(ctx, invoices) & (invoices.c.id == row.id)
            ctx.db.execute(sa.update(invoices).where(this).values(claimed=row.total, claim_parts=[]))


def _open_deposits(stored: Iterable[Row]) -> list[Row]:
    return [row for row in stored if row.claim == "deposit" and row.applied_to is None and _amount_billed(row)]


def _bills_of(ctx: Context, stored: Sequence[Row], per_line: bool) -> list[Bill]:
    """Return the amounts that each of these invoices bills, less what was credited since."""
    credited = _find_credited(ctx, [row.id for row in stored if row.amount_credited and row.claim != "deposit"])
    made = []
    for row in stored:
        counts, applied = cents(_amount_billed(row)), cents(row.deposits_applied)
        whole = cents(row.claimed)
        if row.claim == "deposit":
            bill = Bill([], counts)
        else:
            # A draft of all the work may have been changed since, so its own figures count.
            as_made = row.claim_parts and row.total >= row.claimed
            bill = Bill([Part(*part) for part in (row.claim_parts if as_made else _by_code(row))], -applied)
            if counts != bill.total and row.amount_credited and row.total <= row.claimed:
                bill.parts = less_credited(bill.parts, credited.get(row.id, {}))
            elif counts != bill.total:
                bill.parts = part_of(bill.parts, counts + applied, per_line=per_line)
            bill.deposit = counts - sum(part.total for part in bill.parts)
        bill.percent = row.claim_percent if counts == whole else None
        if row.claim == "retention":
            bill.retained = negated(bill.parts)
        elif row.retained and (retains := cents(_amount_retained(row))):
            bill.retained = part_of([Part(*part) for part in row.retained_parts], retains, per_line=per_line)
        made.append(bill)
    return made


def _by_code(row: Row) -> list[list[Any]]:
    """Return the parts, by GST code, of an invoice made by hand or before claims existed."""
    return [[f"{row.id} {one.gst_code}", one.gst_code, cents(one.net), cents(one.gst)] for one in _totals_by_code(row)]


def _totals_by_code(row: Any) -> list[CodeTotals]:
    return breakdown(row.gst_breakdown)


def _find_credited(ctx: Context, ids: Sequence[str]) -> dict[str, dict[str, tuple[int, int]]]:
    """Map invoice and GST code to the net and the GST that adjustment notes took off."""
    found: dict[str, dict[str, tuple[int, int]]] = {}
    if not ids:
        return found
    issued = own(ctx, notes) & notes.c.invoice_id.in_(ids) & (notes.c.status == "issued")
    for row in ctx.db.execute(sa.select(notes.c.invoice_id, notes.c.gst_breakdown).where(issued)):
        codes = found.setdefault(row.invoice_id, {})
        for one in _totals_by_code(row):
            net, gst = codes.get(one.gst_code, (0, 0))
            codes[one.gst_code] = (net + cents(one.net), gst + cents(one.gst))
    return found


def _draft_whole(ctx: Context, work: Work, extras: Sequence[Extra]) -> Invoice:
    """Draft an ordinary invoice of all the work; it can be changed like any other."""
    lines = [*work.content["line_items"]]
    for extra in extras:
        line = extra_line(work, extra)
        lines.append({"description": line.description, "unit_price": line.unit_price, "gst_code": line.gst_code})
    parts = [stored_part(part_of_line(line)) for line in work.lines]
    members = neighbours.without_gone(ctx, {**work.content, "line_items": lines})
    columns = {"claim_on": work.row.id, "claimed": work.row.total, "claim_parts": parts}
    body = ctx.ahead("invoices.whole", members, lambda: decode(members, NewInvoice))
    return add_draft(ctx, body, **columns)


def prepare_whole(ctx: Context, content: Mapping[str, Any]) -> None:
    """Do what `claim` needs no lock for, where it drafts an ordinary invoice of all the work and nothing else."""
    members = neighbours.without_gone(ctx, content)
    documents.prepare_new(ctx, ctx.ahead("invoices.whole", members, lambda: decode(members, NewInvoice)))


def _fix_progress(
    stored: Sequence[Row], earlier: Sequence[Bill], left: Left, bill: Bill, kind: str, contract_sum: int
) -> dict[str, Any]:
    """Return a claim's figures about the contract, fixed as of this claim, whatever happens to other claims."""
    claims = _find_claims(stored)
    last = max((row.progress_claim["number"] for row in claims if row.progress_claim), default=0)
    retained = sum(part.total for part in bill.retained)
    figures = {
        "contract_sum": contract_sum,
        "claimed": bill.claimed,
        "claimed_to_date": bill.claimed + sum(one.claimed for one in earlier),
        "retained": max(0, retained),
        "released": max(0, -retained),
        "retained_to_date": retained + sum(part.total for part in left.retained),
    }
    number = None if kind == "retention" else max(last, len(claims)) + 1
    return {"number": number, **{name: str(dollars(amount)) for name, amount in figures.items()}}


def _draft_claim(
    ctx: Context, work: Work, lines: list[Line], kind: str, bill: Bill, *, less: Sequence[Line], **more: Any
) -> Invoice:
    """Draft an invoice of these lines, whose figures are fixed. The lines in `less` take off earlier invoices."""
    row, final = work.row, kind == "final"
    sent = [{"description": line.description, "unit_price": line.unit_price} for line in lines]
    discounts = {} if final else {"discount_percent": None, "discount_amount": None}
    body = decode(neighbours.without_gone(ctx, {**work.content, **discounts, "line_items": sent[:1]}), NewInvoice)
    check_registration(ctx, [line.gst_code for line in lines], body.issue_date or ctx.today())
    codes = [
        CodeTotals(
            code,
            RATES[code],
            sum((line.net for line in lines if line.gst_code == code), ZERO),
            sum((line.gst for line in lines if line.gst_code == code), ZERO),
        )
        for code in GST_CODES
        if any(line.gst_code == code for line in lines)
    ]
    figures = {
        "amounts_are": row.amounts_are,
        "gst_rounding": row.gst_rounding,
        "discount_percent": row.discount_percent if final else None,
        "discount_amount": row.discount_amount if final else None,
        "subtotal": sum((line.net for line in lines), ZERO),
        "discount_total": row.discount_total if final else ZERO,
        "gst": sum((line.gst for line in lines), ZERO),
        "total": sum((line.total for line in lines), ZERO),
        "gst_breakdown": msgspec.to_builtins(codes),
    }
    check_limit("total", cents(figures["subtotal"]), cents(figures["total"]))  # of the work with its extras
    columns: dict[str, Any] = {
        "claim": kind,
        "claim_on": row.id,
        "claimed": dollars(bill.total),
        "claim_percent": bill.percent,
        "claim_parts": [stored_part(part) for part in bill.parts],
        "deposits_applied": ZERO if kind == "deposit" else dollars(-bill.deposit),
        **more,
    }
    if bill.retained and kind != "retention":
        columns["retained"] = dollars(sum(part.total for part in bill.retained))
        columns["retained_parts"] = [stored_part(part) for part in bill.retained]
    if final or less:
        columns["less_line_ids"] = [line.id for line in less]
        columns["less_subtotal"] = -sum((line.net for line in less), ZERO)
        columns["less_gst"] = -sum((line.gst for line in less), ZERO)
    if kind == "part_payment":
        columns["claim_supply"] = early_gst.of_work(work.lines)
    if kind == "deposit":
        # The deposit's share of the work and the GST on it, needed when it is applied or forfeited.
        of_work = [part_of_line(line) for line in work.lines]
        shares = deposits.parts_of_deposit(of_work, bill.total, per_line=row.gst_rounding == "per_line")
        columns["claim_parts"] = [stored_part(part) for part in shares]
        columns["deposit_gst"] = dollars(sum(part.gst for part in shares))
    return add_draft(ctx, body, (lines, figures), **columns)
