"""Claims: invoices for parts of one piece of work, a quote's or a job's, that add up to it to the cent: pure functions.

Amounts here are whole cents (`int`). Clients send and see dollars.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Literal

from msgspec import Meta, Struct

from billycan import Fault, Invalid, RuleBroken
from billycan.fields import Amount, Id, Number

from .lines import Line
from .rules import dollars, nearest, whole_cents

Positive = Annotated[Decimal, Number("An amount of money above zero.", least="0.01", kind="money")]
ClaimKind = Literal["progress", "part_payment", "deposit", "retention"]

_NOTHING = dollars(0)
_Share = Annotated[
    Decimal,
    Number(
        "A percentage above 0, at most 100, with at most 4 decimal places.",
        places=4,
        kind="percentage",
        least="0.0001",
        most="100",
    ),
]
_Retention = Annotated[
    Decimal,
    Number(
        "A percentage above 0, at most 50, with at most 4 decimal places.",
        places=4,
        kind="percentage",
        least="0.0001",
        most="50",
    ),
]


class NewClaim(Struct, forbid_unknown_fields=True, kw_only=True):
    """The part of the work to invoice; all that is left if no part is named.

    percent: So much of the whole work, in percent; of `retention`, so much of what is retained now.
    amount: So much of its price, including GST.
    line_ids: What is left of these lines of the work.
    claim: What the invoice is: `progress` for work done, with its own GST (Division 156 GST Act); `part_payment` for
      part of the price of one supply; `deposit` for a security deposit, without GST until it is applied or forfeited
      (Division 99); or `retention` to release what progress claims retained: all of it if no part is named. Default
      `progress`, where a part is named.
    final: Whether to invoice all that is left: the whole work less what was invoiced before. True by default if no part
      is named.
    retention_percent: How much of a progress claim, or of all that is left, the client retains until the work is found
      good, in percent. It is no part of the invoice, and its GST counts once it is released (PAR 2017/2).
    retention_cap_percent: The most that the claims of this work retain in all, in percent of the whole work.
    """

    percent: _Share | None = None
    amount: Positive | None = None
    line_ids: Annotated[list[Id], Meta(min_length=1, max_length=500)] | None = None
    claim: ClaimKind | None = None
    final: bool | None = None
    retention_percent: _Retention | None = None
    retention_cap_percent: _Share | None = None

    def __post_init__(self) -> None:
        named = [name for name in ("percent", "amount", "line_ids") if getattr(self, name) is not None]
        if len(named) > 1:
            raise RuleBroken("invalid_value", f"cannot be combined with {named[0]}: send one of them", named[1])
        if named and self.final:
            raise RuleBroken("invalid_value", f"cannot be combined with {named[0]}: send one of them", "final")
        if self.releases and (named == ["line_ids"] or self.final):
            raise RuleBroken("invalid_value", "is not for the release of retention", named[0] if named else "final")
        if self.retention_percent is not None and self.claim not in (None, "progress"):
            raise RuleBroken("invalid_value", "is for progress claims and for all that is left", "retention_percent")
        if self.retention_cap_percent is not None and self.retention_percent is None:
            raise RuleBroken("required", "is required where there is a retention_cap_percent", "retention_percent")
        if not named and not self.releases and (self.claim or self.final is False):
            raise RuleBroken("required", "is required to invoice a part; or send amount or line_ids", "percent")

    @property
    def names_part(self) -> bool:
        """Tell whether the claim is for a part instead of all that is left."""
        return (self.percent, self.amount, self.line_ids) != (None, None, None)

    @property
    def releases(self) -> bool:
        """Tell whether to invoice what earlier claims retained."""
        return self.claim == "retention"


class Invoiced(Struct):
    """The amounts of the work invoiced and left, including GST; `invoiced` plus `remaining` is `quoted`.

    quoted: What all of it comes to.
    invoiced: What its invoices bill of it: drafts too, less what was credited; void invoices and forfeited deposits do
      not count.
    remaining: What is left to invoice; below zero if the work was reduced after it was invoiced.
    retained: How much of `remaining` the client retains of what was claimed; `claim: retention` releases it.
    claimed: What is claimed of it: `invoiced` plus `retained`.
    """

    quoted: Amount
    invoiced: Amount
    remaining: Amount
    retained: Amount
    claimed: Amount


def invoiced_of(quoted: Decimal, invoiced: Decimal = _NOTHING, retained: Decimal = _NOTHING) -> Invoiced:
    """Return the figures of work that was invoiced and retained to these amounts."""
    retained = max(_NOTHING, retained)  # negative if a claim was undone after its retention was released
    return Invoiced(quoted, invoiced, quoted - invoiced, retained, invoiced + retained)


class Part(Struct, frozen=True):
    """A part of one line of the work, in cents."""

    line_id: str
    gst_code: str
    net: int
    gst: int

    @property
    def total(self) -> int:
        return self.net + self.gst


class Bill(Struct):
    """The share of the work that one invoice bills: parts of its lines, and a deposit, negative where it is taken off.

    percent: The share of the whole that the client sent, if it sent one and all of the bill still counts.
    retained: The parts claimed but retained by the client; negative if the invoice releases them.
    """

    parts: list[Part]
    deposit: int = 0
    percent: Decimal | None = None
    retained: list[Part] = []

    @property
    def total(self) -> int:
        return sum(part.total for part in self.parts) + self.deposit

    @property
    def claimed(self) -> int:
        """The amount claimed, including what the client retains."""
        return sum(part.total for part in [*self.parts, *self.retained])


class Left(Struct):
    """The work still to invoice: the rest of each line, and the deposits not yet taken off.

    retained: The parts that were claimed and are retained. They are not invoiced, and no other claim may bill them.
    """

    parts: list[Part]
    deposits: int
    retained: list[Part] = []

    @property
    def remaining(self) -> int:
        return sum(part.total for part in self.parts) - self.deposits


def left_of(lines: Sequence[Line], earlier: Iterable[Bill]) -> Left:
    """Subtract the earlier bills from the work. A line that was invoiced and then removed ends below zero.

    If a claim is credited or voided after its retention was released, the excess of the release counts as work billed.
    """
    bills = [*earlier]
    whole = [Part(line.id, line.gst_code, cents(line.net), cents(line.gst)) for line in lines]
    retained = combined([], (part for bill in bills for part in bill.retained))
    if sum(part.total for part in retained) <= 0:
        retained = []
    left = combined(whole, [*(part for bill in bills for part in bill.parts), *retained], -1)
    retained = [part for part in retained if part.net or part.gst]
    return Left(left, sum(bill.deposit for bill in bills), retained)


def combined(parts: Iterable[Part], more: Iterable[Part], sign: int = 1) -> list[Part]:
    """Add parts line by line, or subtract them with a `sign` of -1."""
    found = {part.line_id: part for part in parts}
    for part in more:
        had = found.get(part.line_id, Part(part.line_id, part.gst_code, 0, 0))
        found[part.line_id] = Part(part.line_id, had.gst_code, had.net + sign * part.net, had.gst + sign * part.gst)
    return list(found.values())


def bill_for(asked: NewClaim, quoted: int, left: Left, earlier: Sequence[Bill], *, per_line: bool) -> Bill:
    """Return the bill for a claim of a part; raise Invalid if it is more than is left.

    A claim of the last cent takes all that is left, deposits included, so that net and GST over all invoices add up to
    the work's. With `per_line`, GST is rounded for each line instead of once.
    """
    chosen = _choose_lines(asked.line_ids, left) if asked.line_ids is not None else None
    if chosen is not None:
        wanted, param = sum(part.total for part in chosen), "line_ids"
        if wanted == sum(part.total for part in left.parts):
            wanted = left.remaining
    elif asked.percent is not None:
        wanted, param = _by_percent(asked.percent, quoted, left, earlier), "percent"
    else:
        wanted, param = cents(asked.amount or Decimal(0)), "amount"
    if wanted > left.remaining or left.remaining <= 0:
        rest_of = dollars(max(left.remaining, 0))
        message = f"{dollars(wanted)} is more than the {rest_of} that is left to invoice."
        raise Invalid(message, code="over_invoiced", param=param, left=rest_of)
    if wanted <= 0:
        raise Invalid.member(param, "out_of_range", "comes to less than a cent")
    if asked.claim == "deposit":
        return Bill([], wanted, asked.percent)
    whole = sum(part.total for part in left.parts)
    if wanted == left.remaining or whole < wanted:  # less if a deposit that was taken off no longer counts
        return Bill(rest(left).parts, wanted - whole, asked.percent)
    return Bill(chosen or part_of(left.parts, wanted, per_line=per_line), 0, asked.percent)


def rest(left: Left) -> Bill:
    """Bill all that is left, less the deposits to be taken off."""
    return Bill([part for part in left.parts if part.net or part.gst], -left.deposits)


def retain(bill: Bill, asked: NewClaim, quoted: int, before: int, *, per_line: bool) -> None:
    """Reduce a bill by what the client retains of it; `before` is the total that earlier claims retained.

    The billed part keeps the GST that s 9-90 GST Act gives it and the retained part has the rest, so that the GST adds
    up to the work's. At least one cent is billed.
    """
    if asked.retention_percent is None:
        return
    whole = sum(part.total for part in bill.parts)
    amount = nearest(Fraction(whole) * Fraction(asked.retention_percent) / 100)
    if asked.retention_cap_percent is not None:
        amount = min(amount, nearest(Fraction(quoted) * Fraction(asked.retention_cap_percent) / 100) - before)
    amount = min(amount, bill.total - 1)
    if amount > 0:
        billed = part_of(bill.parts, whole - amount, per_line=per_line)
        rest_of = combined(bill.parts, billed, -1)
        bill.parts, bill.retained = billed, [part for part in rest_of if part.net or part.gst]


def release(asked: NewClaim, left: Left, *, per_line: bool) -> Bill:
    """Bill the retention, or a part of it; raise Invalid `over_invoiced` if the claim is for more."""
    retained = sum(part.total for part in left.retained)
    most = max(0, min(retained, left.remaining + retained))
    wanted, param = most, "claim"
    if asked.percent is not None:
        wanted, param = nearest(Fraction(most) * Fraction(asked.percent) / 100), "percent"
    elif asked.amount is not None:
        wanted, param = cents(asked.amount), "amount"
    if wanted > most or not most:
        message = (
            f"{dollars(wanted)} is more than the {dollars(most)} that is retained." if most else "Nothing is retained."
        )
        raise Invalid(message, code="over_invoiced", param=param, left=dollars(most))
    if wanted <= 0:
        raise Invalid.member(param, "out_of_range", "comes to less than a cent")
    parts = left.retained if wanted == retained else part_of(left.retained, wanted, per_line=per_line)
    return Bill([*parts], retained=negated(parts))


def negated(parts: Iterable[Part]) -> list[Part]:
    """Negate the amounts of parts."""
    return [Part(part.line_id, part.gst_code, -part.net, -part.gst) for part in parts]


def part_of(parts: Sequence[Part], wanted: int, *, per_line: bool) -> list[Part]:
    """Take `wanted` cents of these parts in proportion, never more of a line or of its GST than there is.

    The GST is rounded once or for each line, as s 9-90 GST Act allows.
    """
    whole = sum(part.total for part in parts)
    exact = [Fraction(wanted * part.total, whole) for part in parts]
    totals = whole_cents(wanted, exact)
    taxes = [
        Fraction(part.gst * total, part.total) if part.total else Fraction(0)
        for part, total in zip(parts, totals, strict=True)
    ]
    gsts = [nearest(tax) for tax in taxes] if per_line else whole_cents(nearest(sum(taxes, Fraction(0))), taxes)
    made = [
        Part(part.line_id, part.gst_code, total - gst, gst)
        for part, total, gst in zip(parts, totals, gsts, strict=True)
    ]
    return [part for part in made if part.net or part.gst]


def less_credited(parts: Sequence[Part], credited: Mapping[str, tuple[int, int]]) -> list[Part]:
    """Subtract credited net and GST from the parts of each code, in proportion."""
    made = []
    for code in dict.fromkeys(part.gst_code for part in parts):
        mine = [part for part in parts if part.gst_code == code]
        net, gst = credited.get(code, (0, 0))
        nets = _share_total(sum(part.net for part in mine) - net, [part.net for part in mine])
        gsts = _share_total(sum(part.gst for part in mine) - gst, [part.gst for part in mine])
        made += [Part(p.line_id, code, n, g) for p, n, g in zip(mine, nets, gsts, strict=True)]
    return made


def invoiced_again(left: Decimal) -> Invalid:
    """Return the refusal to undo a credit whose part was invoiced again; `left` is the work left to invoice."""
    return Invalid("What this note credited was invoiced again since.", code="over_invoiced", left=left)


def cents(amount: Decimal) -> int:
    """Convert dollars to whole cents."""
    return int(amount.scaleb(2))


def _choose_lines(ids: Sequence[str], left: Left) -> list[Part]:
    """Return what is left of the chosen lines; raise Invalid for a line unknown, sent twice or already invoiced."""
    parts, chosen, faults = {part.line_id: part for part in left.parts}, dict[str, Part](), []
    for i, id in enumerate(ids):
        if id not in parts:
            faults.append(Fault(f"line_ids[{i}]", "not_found", "is not one of the lines to invoice"))
        elif id in chosen:
            faults.append(Fault(f"line_ids[{i}]", "invalid_value", "appears twice"))
        else:
            chosen[id] = parts[id]
    if faults:
        raise Invalid.of(*faults)
    for i, part in enumerate(chosen.values()):
        if not (part.net or part.gst):
            message = "All of this line is invoiced already."
            raise Invalid(message, code="over_invoiced", param=f"line_ids[{i}]", left=dollars(0))
    return list(chosen.values())


def _by_percent(percent: Decimal, quoted: int, left: Left, earlier: Sequence[Bill]) -> int:
    """Return a percentage of the whole, corrected by earlier rounding so that shares of 100 % add up to the whole."""
    before = [bill for bill in earlier if bill.percent is not None]
    shares = sum((Fraction(bill.percent or 0) for bill in before), Fraction(percent))
    exact = Fraction(quoted) * Fraction(percent) / 100
    carried = sum(
        (Fraction(quoted) * Fraction(bill.percent or 0) / 100 - bill.claimed - bill.deposit for bill in before),
        Fraction(0),
    )
    wanted = nearest(exact + carried if abs(carried) < 1 else exact)
    if len(before) < len(earlier) or shares > 100:
        return wanted
    return left.remaining if shares == 100 else min(wanted, left.remaining)


def _share_total(total: int, weights: Sequence[int]) -> list[int]:
    whole = sum(weights)
    if not whole:
        return [total, *[0] * (len(weights) - 1)]
    return whole_cents(total, [Fraction(total * weight, whole) for weight in weights])
