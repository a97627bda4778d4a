"""Claims: invoices for parts of one piece of work, a quote's or a job's, that add up to it to the cent: pure functions.

Amounts are whole cents (`int`) here, and dollars in what clients send and see.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Literal

from msgspec import Meta, Struct

from billycan import Fault, Invalid, RuleBroken
from billycan.fields import Id, Number, Positive

from .lines import Line
from .rules import dollars, nearest, whole_cents

ClaimKind = Literal["progress", "part_payment", "deposit"]

_Share = Annotated[
    Decimal,
    Number("A percentage above 0, at most 100, with at most 4 decimal places.", places=4, least="0.0001", most="100"),
]


class NewClaim(Struct, forbid_unknown_fields=True, kw_only=True):
    """How much of the work to invoice; all that is left if nothing is named.

    percent: So much of the whole work, in percent.
    amount: So much of its price, including GST.
    line_ids: What is left of these lines of the work.
    claim: What the invoice is: `progress` for work done, with its own GST (Division 156 GST Act); `part_payment` for
      part of the price of one supply; or `deposit` for a security deposit, without GST until it is applied or forfeited
      (Division 99). Default `progress`, where a part is named.
    final: Whether to invoice all that is left: the whole work less what was invoiced before. True by default if no part
      is named.
    """

    percent: _Share | None = None
    amount: Positive | None = None
    line_ids: Annotated[list[Id], Meta(min_length=1, max_length=500)] | None = None
    claim: ClaimKind | None = None
    final: bool | None = None

    def __post_init__(self) -> None:
        named = [name for name in ("percent", "amount", "line_ids") if getattr(self, name) is not None]
        if len(named) > 1:
            raise RuleBroken("invalid_value", f"cannot be combined with {named[0]}: send one of them", named[1])
        if named and self.final:
            raise RuleBroken("invalid_value", f"cannot be combined with {named[0]}: send one of them", "final")
        if not named and (self.claim or self.final is False):
            raise RuleBroken("required", "is required to invoice a part; or send amount or line_ids", "percent")

    @property
    def names_part(self) -> bool:
        """Whether a part is asked for, and not all that is left."""
        return (self.percent, self.amount, self.line_ids) != (None, None, None)


class Invoiced(Struct):
    """How much of the work was invoiced, including GST; `invoiced` plus `remaining` is `quoted`.

    quoted: What all of it comes to.
    invoiced: What its invoices bill of it: drafts too, less what was credited; void invoices and forfeited deposits do
      not count.
    remaining: What is left to invoice; below zero if the work was reduced after it was invoiced.
    """

    quoted: Decimal
    invoiced: Decimal
    remaining: Decimal


class Part(Struct, frozen=True):
    """So much of a line of the work, in cents."""

    line_id: str
    gst_code: str
    net: int
    gst: int

    @property
    def total(self) -> int:
        return self.net + self.gst


class Bill(Struct):
    """What one invoice bills of the work: parts of its lines, and a deposit asked for or, below zero, taken off.

    percent: The share of the whole that was asked for, where it was and all of it still counts.
    """

    parts: list[Part]
    deposit: int = 0
    percent: Decimal | None = None

    @property
    def total(self) -> int:
        return sum(part.total for part in self.parts) + self.deposit


class Left(Struct):
    """What is left of the work: of each line, and the deposits that are still to be taken off."""

    parts: list[Part]
    deposits: int

    @property
    def remaining(self) -> int:
        return sum(part.total for part in self.parts) - self.deposits


def left_of(lines: Sequence[Line], earlier: Iterable[Bill]) -> Left:
    """What earlier invoices left of the work; a line that was invoiced and then removed is left below zero."""
    left = {line.id: Part(line.id, line.gst_code, cents(line.net), cents(line.gst)) for line in lines}
    deposits = 0
    for bill in earlier:
        deposits += bill.deposit
        for part in bill.parts:
            had = left.get(part.line_id, Part(part.line_id, part.gst_code, 0, 0))
            left[part.line_id] = Part(part.line_id, had.gst_code, had.net - part.net, had.gst - part.gst)
    return Left(list(left.values()), deposits)


def bill_for(asked: NewClaim, quoted: int, left: Left, earlier: Sequence[Bill], *, per_line: bool) -> Bill:
    """What to bill for a claim of a part; Invalid above what is left.

    With the last cent it takes all that is left, deposits too: so the net and the GST over all invoices add up to the
    work's. `per_line` says that GST is rounded for each line and not once.
    """
    chosen = _chosen(asked.line_ids, left) if asked.line_ids is not None else None
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
    if wanted == left.remaining or whole < wanted:  # less, where a deposit that was taken off is no more
        return Bill(rest(left).parts, wanted - whole, asked.percent)
    return Bill(chosen or part_of(left.parts, wanted, per_line=per_line), 0, asked.percent)


def rest(left: Left) -> Bill:
    """All that is left, with what deposits are to be taken off."""
    return Bill([part for part in left.parts if part.net or part.gst], -left.deposits)


def part_of(parts: Sequence[Part], wanted: int, *, per_line: bool) -> list[Part]:
    """So much of these parts, each by its share: never more of a line, or of its GST, than there is.

    The GST is rounded as s 9-90 GST Act allows: once, or for each line.
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
    """The parts less what adjustment notes took off: the net and the GST of each code, by their shares."""
    made = []
    for code in dict.fromkeys(part.gst_code for part in parts):
        mine = [part for part in parts if part.gst_code == code]
        net, gst = credited.get(code, (0, 0))
        nets = _shared(sum(part.net for part in mine) - net, [part.net for part in mine])
        gsts = _shared(sum(part.gst for part in mine) - gst, [part.gst for part in mine])
        made += [Part(p.line_id, code, n, g) for p, n, g in zip(mine, nets, gsts, strict=True)]
    return made


def invoiced_again(left: Decimal) -> Invalid:
    """The refusal to undo a credit whose part of the work was invoiced again; `left` is what is left of the work."""
    return Invalid("What this note credited was invoiced again since.", code="over_invoiced", left=left)


def cents(amount: Decimal) -> int:
    """Dollars as whole cents."""
    return int(amount.scaleb(2))


def _chosen(ids: Sequence[str], left: Left) -> list[Part]:
    """What is left of these lines; Invalid where one is not the work's, appears twice or is invoiced already."""
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
    """A share of the whole; what earlier ones were rounded by is made good, so that shares of 100 % are the whole."""
    before = [bill for bill in earlier if bill.percent is not None]
    shares = sum((Fraction(bill.percent or 0) for bill in before), Fraction(percent))
    exact = Fraction(quoted) * Fraction(percent) / 100
    carried = sum((Fraction(quoted) * Fraction(bill.percent or 0) / 100 - bill.total for bill in before), Fraction(0))
    wanted = nearest(exact + carried if abs(carried) < 1 else exact)
    if len(before) < len(earlier) or shares > 100:
        return wanted
    return left.remaining if shares == 100 else min(wanted, left.remaining)


def _shared(total: int, weights: Sequence[int]) -> list[int]:
    whole = sum(weights)
    if not whole:
        return [total, *[0] * (len(weights) - 1)]
    return whole_cents(total, [Fraction(total * weight, whole) for weight in weights])
