"""Structs that clients send and receive, besides recurring invoices."""

from datetime import date
from typing import Annotated

from msgspec import Meta, Struct


class DatesQuery(Struct, forbid_unknown_fields=True, kw_only=True):
    """The number of dates to list.

    count: How many dates; default 12.
    """

    count: Annotated[int, Meta(ge=1, le=100)] = 12


class NextInvoice(Struct):
    """An invoice that will be created.

    issue_date: Its date.
    """

    issue_date: date
