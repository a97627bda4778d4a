"""Structs that clients send and receive, besides expenses and categories."""

from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct

from billycan import Paging
from billycan.books import Undoing
from billycan.fields import Amount, Day

from .parts_schemas import Reason
from .resource import ExpenseQuery, expenses

GroupBy = Literal["category", "gst_code", "month"]


class ExpenseVoiding(Undoing, kw_only=True):
    """Voiding an expense, either from a day on or as a mistake that never counted.

    reason: Why.
    """

    reason: Reason | None = None


class Group(Struct):
    """The totals of the expenses of one category, GST code or month.

    key: The category's id, the GST code or the month, YYYY-MM.
    label: Its name.
    count: How many expenses.
    amount: The amount spent, including GST.
    net: The amount spent, without GST.
    gst: The GST in it.
    gst_claimable: How much of the GST can be claimed.
    """

    key: str
    label: str
    count: int
    amount: Amount
    net: Amount
    gst: Amount
    gst_claimable: Amount


if TYPE_CHECKING:

    class SummaryQuery(ExpenseQuery, kw_only=True):
        """Filters of the expenses to add up, and the member to group them by."""

        group_by: GroupBy
        date_from: Day | None = None

else:
    # A Struct can be built from another's filters, but cannot inherit them without the paging.
    _LEFT_OUT = (*Paging.__struct_fields__, "include")
    _FILTERS = [f for f in msgspec.structs.fields(expenses.query) if f.name not in _LEFT_OUT]
    SummaryQuery = msgspec.defstruct(
        "SummaryQuery",
        [("group_by", GroupBy, "category"), *((f.name, f.type, f.default) for f in _FILTERS)],
        namespace={"__doc__": "The expenses to add up.\n\ngroup_by: The member to group them by."},
        module=__name__,
        forbid_unknown_fields=True,
        kw_only=True,
    )
