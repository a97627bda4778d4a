"""The lines of adjustment notes, and what they leave of an invoice, line by line: pure functions.

Amounts "as entered" include GST if the invoice's prices do: that figure is fixed, and the other is worked out.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from msgspec import Struct

from billycan import Actions, Fault, Invalid
from billycan_documents.api import Charge, Line, round_cents, totals

from ..note_resource import NewNoteLine, NoteLine
from ..rules import ZERO

actions = Actions({"issue": ("draft", "issued"), "void": ("issued", "void")})

# The members of an issued note that may still change: none that the document shows.
OPEN_ONCE_ISSUED = frozenset({"metadata", "external_id"})


class Part(Struct):
    """A part of a price: the amount without GST, and the GST."""

    net: Decimal = ZERO
    gst: Decimal = ZERO

    def entered(self, inclusive: bool) -> Decimal:
        """Return the amount as entered: with GST if the invoice's prices include it."""
        return self.net + self.gst if inclusive else self.net


class Left(Struct):
    """The rest of an invoice after its issued notes: of each line, of each GST code, and in total.

    `quantities` holds what is left of each line's quantity, `by_amount` the lines that were reduced by amount.
    """

    total: Decimal
    lines: dict[str, Part]
    codes: dict[str, Part]
    quantities: dict[str, Decimal]
    by_amount: set[str]


class Terms(Struct):
    """The terms an invoice was worked out by; its notes use the same ones."""

    amounts_are: Literal["exclusive", "inclusive"]
    gst_rounding: Literal["total_invoice", "per_line"]

    @property
    def inclusive(self) -> bool:
        return self.amounts_are == "inclusive"


def left_of(lines: Sequence[Line], credited: Iterable[NoteLine], total: Decimal) -> Left:
    """Return what is left of an invoice's lines; `total` is the most that may still be taken off."""
    left = Left(total, {line.id: Part(line.net, line.gst) for line in lines}, defaultdict(Part), {}, set())
    left.quantities = {line.id: abs(line.quantity) for line in lines}
    for line in lines:
        _add_to_part(left.codes[line.gst_code], line.net, line.gst)
    for note in credited:
        _add_to_part(left.codes[note.gst_code], -note.net, -note.gst)
        if (id := note.invoice_line_id) in left.lines:
            _add_to_part(left.lines[id], -note.net, -note.gst)
            if note.amount is None:
                left.quantities[id] -= note.quantity
            else:
                left.by_amount.add(id)
    return left


def work_out(asked: Sequence[NewNoteLine], lines: Sequence[Line], left: Left, terms: Terms) -> list[NoteLine]:
    """Work out the lines of a note. Raises Invalid if a line, a GST code or the total exceeds what is left."""
    if faults := [*_find_faults(asked, {line.id: line for line in lines})]:
        raise Invalid.of(*faults)
    by_id = {line.id: line for line in lines}
    made: list[NoteLine] = []
    own = [(i, one) for i, one in enumerate(asked) if one.invoice_line_id is None]
    worked = _own_items([one for _, one in own], lines, terms)
    items = dict(zip((i for i, _ in own), worked, strict=True))
    for i, one in enumerate(asked):
        made.append(items[i] if i in items else _of_line(one, by_id[one.invoice_line_id or ""], left, terms, i))
    return _check_within(made, left, terms)


def all_left(lines: Sequence[Line], left: Left, terms: Terms) -> list[NoteLine]:
    """Return lines that take off everything left, line by line, less what was credited by separate items."""
    made = []
    over: dict[str, Part] = {code: Part(part.net, part.gst) for code, part in left.codes.items()}
    for line in lines:
        part = left.lines[line.id]
        if part.net or part.gst:
            made.append(_take_off(line, part, left, terms))
        _add_to_part(over[line.gst_code], -part.net, -part.gst)
    for code, part in over.items():
        if part.net or part.gst:
            price = part.entered(terms.inclusive)
            made.append(_build_line("Less what was credited before", Decimal(1), None, price, None, code, part, None))
    if not made:
        raise _refuse_more(ZERO, ZERO, "full")
    return _check_within(made, left, terms)


def _find_faults(asked: Sequence[NewNoteLine], by_id: Mapping[str, Line]) -> Iterable[Fault]:
    for i, one in enumerate(asked):
        at = f"line_items[{i}]."
        if one.invoice_line_id is None:
            for name in ("description", "unit_price"):
                if getattr(one, name) is None:
                    yield Fault(at + name, "required", "is needed for an item that is no line of the invoice")
            if one.amount is not None:
                yield Fault(at + "amount", "invalid_value", "is for a line of the invoice: send unit_price")
            if one.unit_price is not None and one.unit_price <= 0:
                yield Fault(at + "unit_price", "out_of_range", "must be above zero: it is what is taken off")
            continue
        line = by_id.get(one.invoice_line_id)
        if line is None:
            yield Fault(at + "invoice_line_id", "not_found", "is not a line of this invoice")
            continue
        if one.amount is not None and one.quantity is not None:
            yield Fault(at + "amount", "invalid_value", "cannot be combined with quantity: send one of them")
        its_own = {"unit": (line.unit,), "gst_code": (line.gst_code,), "unit_price": (line.unit_price, one.amount)}
        for name, values in its_own.items():
            if getattr(one, name) not in (None, *values):
                yield Fault(at + name, "invalid_value", "is that of the invoice's line: leave it out")


def _own_items(asked: Sequence[NewNoteLine], lines: Sequence[Line], terms: Terms) -> list[NoteLine]:
    """Work out the items that are no lines of the invoice, by the invoice's terms."""
    if not asked:
        return []
    codes = [line.gst_code for line in lines]
    default = "gst" if "gst" in codes else codes[0]
    charges = [Charge(one.quantity or Decimal(1), one.unit_price or ZERO, one.gst_code or default) for one in asked]
    figures = totals(charges, amounts_are=terms.amounts_are, gst_rounding=terms.gst_rounding)
    made = []
    for one, charge, sums in zip(asked, charges, figures.lines, strict=True):
        part, price = Part(sums.net, sums.gst), charge.unit_price
        line = _build_line(one.description or "", charge.quantity, one.unit, price, None, charge.gst_code, part, one.id)
        made.append(line)
    return made


def _of_line(one: NewNoteLine, line: Line, left: Left, terms: Terms, i: int) -> NoteLine:
    """Work out what a note's line takes off a line of the invoice, and reduce what is left by it."""
    whole, part = Part(line.net, line.gst), left.lines[line.id]
    entered, rest = whole.entered(terms.inclusive), part.entered(terms.inclusive)
    at, quantity = f"line_items[{i}].", one.quantity if one.amount is None else None
    if quantity is not None and quantity > left.quantities[line.id]:
        raise _refuse_more(quantity, left.quantities[line.id], f"{at}quantity")
    in_full = quantity == left.quantities[line.id] and line.id not in left.by_amount
    if quantity is None or in_full:
        wanted = rest if one.amount is None else one.amount
    else:
        wanted = round_cents(Fraction(entered) * Fraction(quantity) / abs(Fraction(line.quantity)))
    if _is_beyond(wanted, rest) or not (wanted or part.gst):
        raise _refuse_more(wanted, rest, f"{at}{'amount' if quantity is None else 'quantity'}")
    if wanted == rest:
        taken = Part(part.net, part.gst)
    else:
        gst = round_cents(Fraction(whole.gst) * Fraction(wanted) / Fraction(entered))
        taken = _split_amount(wanted, _bound_gst(gst, wanted, part, terms), terms)
    made = _take_off(line, taken, left, terms, one)
    _add_to_part(part, -taken.net, -taken.gst)
    if made.amount is None:
        left.quantities[line.id] -= made.quantity
    else:
        left.by_amount.add(line.id)
    return made


def _take_off(line: Line, taken: Part, left: Left, terms: Terms, one: NewNoteLine | None = None) -> NoteLine:
    """Return a line that takes this off an invoice's line: by quantity if one gives the amount, else by amount."""
    words, quantity, amount, id = line.description, None, None, None
    if one is not None:
        words, quantity, amount, id = one.description or words, one.quantity, one.amount, one.id
    if quantity is None and amount is None:
        whole = line.id not in left.by_amount and left.quantities[line.id] > 0
        quantity, amount = (left.quantities[line.id], None) if whole else (None, taken.entered(terms.inclusive))
    if amount is not None:
        made = _build_line(words, Decimal(1), None, amount, amount, line.gst_code, taken, id)
    else:
        made = _build_line(words, quantity or Decimal(1), line.unit, line.unit_price, None, line.gst_code, taken, id)
    made.invoice_line_id = line.id
    return made


def _check_within(made: list[NoteLine], left: Left, terms: Terms) -> list[NoteLine]:
    """Return the lines, unless they exceed what is left of a GST code or in total.

    Notes never take off more GST of a code than was charged, and take off all of it with the last cent. If rounding
    would break this, a line's GST is adjusted by cents.
    """
    for code in dict.fromkeys(line.gst_code for line in made):
        mine, rest = [line for line in made if line.gst_code == code], left.codes.get(code, Part())
        taken = Part(sum((x.net for x in mine), ZERO), sum((x.gst for x in mine), ZERO))
        wanted, there = taken.entered(terms.inclusive), rest.entered(terms.inclusive)
        if _is_beyond(wanted, there):
            raise _refuse_more(wanted, there, "line_items")
        gst = rest.gst if wanted == there else _bound_gst(taken.gst, wanted, rest, terms)
        if gst != taken.gst:
            last = max(mine, key=lambda line: (line.invoice_line_id is None, abs(line.total)))
            part = _split_amount(last.total if terms.inclusive else last.net, last.gst + gst - taken.gst, terms)
            last.net, last.gst, last.total = part.net, part.gst, part.net + part.gst
    total = sum((line.total for line in made), ZERO)
    if total > left.total:
        raise _refuse_more(total, left.total, "line_items")
    if total <= 0:
        raise Invalid.member("line_items", "out_of_range", "must come to more than zero: it is what is taken off")
    return made


def _bound_gst(gst: Decimal, wanted: Decimal, rest: Part, terms: Terms) -> Decimal:
    """Adjust the GST of a part so that neither the part nor the remainder changes sign."""
    sign = -1 if rest.entered(terms.inclusive) < 0 else 1
    gst, wanted, net, most = (sign * x for x in (gst, wanted, rest.net, rest.gst))
    least = max(ZERO, wanted - net) if terms.inclusive else ZERO
    most = min(wanted, most) if terms.inclusive else most
    return sign * max(least, min(gst, most))


def _split_amount(entered: Decimal, gst: Decimal, terms: Terms) -> Part:
    return Part(entered - gst if terms.inclusive else entered, gst)


def _is_beyond(wanted: Decimal, rest: Decimal) -> bool:
    """Tell whether a part exceeds what is left, or has the opposite sign."""
    return not (rest <= wanted <= 0 if rest < 0 else 0 <= wanted <= rest)


def _refuse_more(wanted: Decimal, rest: Decimal, param: str) -> Invalid:
    message = f"{wanted:f} is more than the {rest:f} that is left of the invoice."
    return Invalid(message, code="over_credited", param=param, left=rest)


def _add_to_part(part: Part, net: Decimal, gst: Decimal) -> None:
    part.net += net
    part.gst += gst


def _build_line(
    description: str,
    quantity: Decimal,
    unit: str | None,
    price: Decimal,
    amount: Decimal | None,
    code: str,
    part: Part,
    id: str | None,
) -> NoteLine:
    figures = (part.net, part.gst, part.net + part.gst)
    return NoteLine(id or "", None, description, quantity, unit, price, amount, code, *figures)  # type: ignore[arg-type]
