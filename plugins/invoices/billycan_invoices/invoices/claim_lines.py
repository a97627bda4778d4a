"""The work that an invoice bills, and the lines that it bills it by: parts of the work, and what is taken off."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import msgspec
from msgspec import Struct

from billycan import Row, new_id
from billycan_documents.api import Bill, Left, Line, NewClaim, Part, cents, combined, dollars, negated, round_cents


class Work(Struct):
    """The work to bill: the row of the quote or job, its lines, and the content that an invoice copies from it."""

    row: Row
    lines: Sequence[Line]
    content: Mapping[str, Any]


class Extra(Struct, frozen=True):
    """Something to bill besides the work, such as an expense: its description and its amount including GST.

    If `of_the_work` is true, the extra is taxed as the work is, whatever it was bought for: a cost that is passed on is
    part of the price of the sale (s 9-15, 9-75 GST Act). Otherwise it is out of scope, as a payment made on the
    client's behalf (GSTR 2000/37).
    """

    description: str
    total: Decimal
    of_the_work: bool = True


def part_of_line(line: Line) -> Part:
    """Return a part that is all of a line."""
    return Part(line.id, line.gst_code, cents(line.net), cents(line.gst))


def stored_part(part: Part) -> list[Any]:
    """Return a part as the table stores it."""
    return [part.line_id, part.gst_code, part.net, part.gst]


def copy_lines(lines: Iterable[Line]) -> list[Line]:
    """Return these lines with new ids."""
    return [msgspec.structs.replace(line, id=new_id("lin")) for line in lines]


def part_lines(work: Work, bill: Bill, asked: NewClaim) -> list[Line]:
    """Return a line for each part of a line of the work. A line billed in full is copied unchanged."""
    by_id, terms = {line.id: line for line in work.lines}, work.row.amounts_are
    words = f"{asked.percent.normalize():f}% of " if asked.percent else "Part of "
    discounted = work.row.discount_percent is not None or work.row.discount_amount is not None
    made = []
    for part in bill.parts:
        line = by_id.get(part.line_id)
        if line is None:
            made.append(new_line("Less what is no longer part of the work", part.gst_code, part.net, part.gst, terms))
        elif (cents(line.net), cents(line.gst)) == (part.net, part.gst) and not discounted:
            made += copy_lines([line])
        else:
            of = words if asked.line_ids is None else "Rest of "
            made.append(new_line(of + line.description, part.gst_code, part.net, part.gst, terms))
    return made


def less_earlier_lines(work: Work, left: Left, stored: Sequence[Row]) -> list[Line]:
    """Return lines that take off what earlier invoices billed of each line of the work."""
    by_id, terms = {line.id: line for line in work.lines}, work.row.amounts_are
    numbers = [row.number for row in stored if row.claim != "deposit"]
    words = f"Less {', '.join(numbers)}" if len(numbers) < 6 else "Less earlier invoices"
    made = []
    for part in combined(left.parts, left.retained):
        line = by_id.get(part.line_id)
        net, gst = (cents(line.net), cents(line.gst)) if line else (0, 0)
        if (net, gst) != (part.net, part.gst):
            text = f"{words}: {line.description}" if line else words
            made.append(new_line(text, part.gst_code, part.net - net, part.gst - gst, terms))
    return made


def retention_lines(work: Work, asked: NewClaim, now: Sequence[Part], before: Sequence[Part]) -> list[Line]:
    """Return lines that take off retention: this claim's and, on a final invoice, that of earlier claims."""
    words = "Less retention"
    if not before and asked.retention_cap_percent is None and asked.retention_percent is not None:
        words += f" of {asked.retention_percent.normalize():f}%"
    return lines_by_code(work, words, negated([*before, *now]))


def lines_by_code(work: Work, words: str, parts: Iterable[Part]) -> list[Line]:
    """Return one line for each GST code of these parts."""
    sums = combined([], (Part(part.gst_code, part.gst_code, part.net, part.gst) for part in parts))
    return [new_line(words, one.gst_code, one.net, one.gst, work.row.amounts_are) for one in sums if one.net or one.gst]


def deposit_line(work: Work, bill: Bill) -> list[Line]:
    """Return the line of a deposit."""
    title = getattr(work.row, "title", None)
    text = f"Deposit for {work.row.number}" + (f": {title}" if title else "")
    return [new_line(text, "out_of_scope", bill.deposit, 0, work.row.amounts_are)]


def extra_line(work: Work, extra: Extra) -> Line:
    """Return the line of something billed besides the work."""
    codes, code = [line.gst_code for line in work.lines], "out_of_scope"
    if extra.of_the_work:
        code = "gst" if "gst" in codes else codes[0]
    total = cents(extra.total)
    gst = cents(round_cents(Fraction(total, 1100))) if code == "gst" else 0
    return new_line(extra.description, code, total - gst, gst, work.row.amounts_are)


def new_line(description: str, gst_code: Any, net: int, gst: int, amounts_are: str) -> Line:
    """Return a line of one unit with these amounts, in cents."""
    price = dollars(net + gst if amounts_are == "inclusive" else net)
    figures = (dollars(net), dollars(gst), dollars(net + gst))
    return Line(new_id("lin"), description[:4000], Decimal(1), None, price, None, None, gst_code, *figures)
