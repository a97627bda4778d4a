"""On which day something that is undone counts: on a day of its own, or, as a mistake, on none, as if it never was."""

from collections.abc import Iterable
from datetime import date

from billycan import Context, Invalid
from billycan.gst import is_lodged

from .payment_schemas import Undoing


def undone_on(ctx: Context, body: Undoing, stands: Iterable[date], least: date) -> date | None:
    """The day on which an undo counts; None for a mistake.

    `stands` are the days on which what is undone counts. If the client says nothing, it was a mistake, unless the tax
    period of one of those days was lodged: then it counts today. `least` is the first day on which it can count.
    Invalid for a date before that or after today, and for the date of a mistake.
    """
    if body.date is not None:
        if body.mistake:
            rule = "cannot be true together with date: what was a mistake counts on no day"
            raise Invalid.member("mistake", "invalid_value", rule)
        check_date(ctx, body.date, least)
        return body.date
    mistake = body.mistake
    if mistake is None:
        mistake = not any(is_lodged(ctx, day) for day in {*stands})
    return None if mistake else max(ctx.today(), least)


def check_date(ctx: Context, day: date, least: date) -> None:
    """Invalid unless an undo can count on a day."""
    if day < least:
        raise Invalid.member("date", "out_of_range", f"must not be before {least}, when what is undone last changed")
    if day > ctx.today():
        raise Invalid.member("date", "out_of_range", f"must not be after today, {ctx.today()}")
