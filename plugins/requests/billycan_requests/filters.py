"""Filters of the log: one for each column of a request."""

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

import sqlalchemy as sa

from billycan import Context, Fault, own
from billycan.fields import Moment

from .keeping import first_id
from .tables import log

FILTERS = ("from", "to", "caller", "method", "route", "status", "slower", "request_id", "code", "param")
NOWHERE = "nowhere"  # the route filter's name for paths that do not exist
_STATUS = re.compile(r"[1-5](xx|\d\d)")


def given_filters(query: Mapping[str, str]) -> dict[str, str]:
    """Return the filters in a query that are not empty, trimmed, to show them again."""
    return {name: query[name].strip()[:200] for name in FILTERS if query.get(name, "").strip()}


def filter_conditions(
    ctx: Context, filters: Mapping[str, str], zone: str
) -> tuple[Sequence[sa.ColumnElement[bool]], list[Fault]]:
    """Return the SQL conditions of these filters on the caller's rows, and a fault for each malformed filter."""
    found: list[sa.ColumnElement[bool]] = [own(ctx, log)]
    faults = []
    for name, text in filters.items():
        try:
            found.append(_build_condition(name, text, zone))
        except (ValueError, OverflowError):
            faults.append(Fault(name, "invalid_value", _WANTED[name]))
    return found, faults


_WANTED = {
    "from": "must be a date",
    "to": "must be a date",
    "status": "must be a status such as 404, or 4xx",
    "slower": "must be a number of milliseconds",
}


def _build_condition(name: str, text: str, zone: str) -> sa.ColumnElement[bool]:
    if name in ("from", "to"):
        start = first_id(Moment.start_of(date.fromisoformat(text) + timedelta(days=name == "to"), zone))
        return log.c.id < start if name == "to" else log.c.id >= start
    if name == "status":
        if not _STATUS.fullmatch(text):
            raise ValueError(text)
        least = int(text.replace("xx", "00"))
        return log.c.status.between(least, least + (99 if text.endswith("xx") else 0))
    if name == "slower":
        milliseconds = float(text)
        if not 0 <= milliseconds < 10**9:
            raise ValueError(text)
        return log.c.microseconds >= round(milliseconds * 1000)
    if name == "route" and text == NOWHERE:
        return log.c.route == ""
    if "\0" in text:
        return log.c.id == ""  # PostgreSQL refuses such text, and no row has it
    column = log.c["caller_id" if name == "caller" else name]
    return column == (text.upper() if name == "method" else text)
