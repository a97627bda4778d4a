"""Sums of invoices by month, client or status: one aggregate over whole cents, whatever the filters."""

from calendar import month_name
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import msgspec
import sqlalchemy as sa
from msgspec import Meta, Struct

from billycan import Context, Paging, Reply, own
from billycan.fields import Amount
from billycan_contacts import api as contacts

from .. import resource
from ..books.sums import amount_of, in_cents
from ..resource import SETTLED, InvoiceQuery, Status
from ..tables import invoices
from .documents import records

GroupBy = Literal["month", "client", "status"]
MOST_CLIENTS = 1_000  # on one page


class InvoiceGroup(Struct):
    """The totals of the invoices of one month, client or status.

    key: The month, YYYY-MM, the client's id or the status.
    label: Its name.
    count: How many invoices.
    subtotal: The amount charged, without GST.
    gst: The GST on it.
    total: The amount charged, including GST; the members below add up to it, except on void invoices.
    amount_paid: The amount received.
    amount_credited: The amount that adjustment notes took off.
    amount_written_off: The amount written off as a bad debt and not recovered since.
    cash_rounding: The amount settled by rounding cash.
    amount_due: The amount still to be paid; 0.00 on a void invoice.
    """

    key: str
    label: str
    count: int
    subtotal: Amount
    gst: Amount
    total: Amount
    amount_paid: Amount
    amount_credited: Amount
    amount_written_off: Amount
    cash_rounding: Amount
    amount_due: Amount


if TYPE_CHECKING:

    class InvoiceSummaryQuery(InvoiceQuery, kw_only=True):
        """The invoices to add up, and the grouping."""

        group_by: GroupBy

else:
    # Copied from the list's filters, because inheriting them would add paging, too.
    _LEFT_OUT = (*Paging.__struct_fields__, "include")
    _FILTERS = [f for f in msgspec.structs.fields(resource.invoices.query) if f.name not in _LEFT_OUT]
    InvoiceSummaryQuery = msgspec.defstruct(
        "InvoiceSummaryQuery",
        [
            ("group_by", GroupBy, "month"),
            ("page", Annotated[int, Meta(ge=1, le=1_000_000)], 1),
            *((f.name, f.type, f.default) for f in _FILTERS),
        ],
        namespace={
            "__doc__": "The invoices to add up, and the grouping.\n\n"
            "group_by: What to group by; months are those of `issue_date`.\n"
            f"page: The page, from 1, where there are more than {MOST_CLIENTS:,} clients."
        },
        module=__name__,
        forbid_unknown_fields=True,
        kw_only=True,
    )

_FIGURES = InvoiceGroup.__struct_fields__[3:]
_KEYS: dict[GroupBy, tuple[sa.ColumnElement[Any], ...]] = {
    "month": (sa.extract("year", invoices.c.issue_date), sa.extract("month", invoices.c.issue_date)),
    "client": (invoices.c.client_id,),
    "status": (invoices.c.status,),
}


def summarise_invoices(ctx: Context, query: InvoiceSummaryQuery) -> list[InvoiceGroup]:
    """Counts and sums of matching invoices, by month unless you send `group_by`.

    It takes the same filters as the list. Drafts and void invoices are left out unless you filter or group by `status`.
    With `Accept: text/csv` it is a CSV file. Clients come with the highest total first, 1,000 on a page.
    """
    by, page = query.group_by, query.page or 1
    filters = {name: value for name, value in msgspec.structs.asdict(query).items() if name not in ("group_by", "page")}
    where = [own(ctx, invoices), *records.conditions(ctx, resource.invoices.query(**filters))]
    if by != "status" and query.status is None:
        where.append(invoices.c.status.not_in(("draft", "void")))
    sums = {name: sa.func.sum(_in_cents(name)).label(name) for name in _FIGURES}
    asked = sa.select(*_KEYS[by], sa.func.count().label("count"), *sums.values()).where(*where).group_by(*_KEYS[by])
    if by == "client":
        asked = asked.order_by(sums["total"].desc(), invoices.c.client_id)
        asked = asked.limit(MOST_CLIENTS).offset((page - 1) * MOST_CLIENTS)
    elif page > 1:
        return []
    rows = ctx.db.execute(asked).all()
    width = len(_FIGURES)
    keyed = {_group_key(row[: -width - 1]): row[-width - 1 :] for row in rows}
    if by != "client":
        keyed = dict(sorted(keyed.items(), key=lambda pair: _STATUSES.index(pair[0]) if by == "status" else pair[0]))
    labels = contacts.names(ctx, keyed) if by == "client" else {key: _group_label(by, key) for key in keyed}
    return [InvoiceGroup(key, labels.get(key, key), row[0], *map(amount_of, row[1:])) for key, row in keyed.items()]


def summarise_invoices_as_csv(ctx: Context, query: InvoiceSummaryQuery) -> Reply:
    """The same counts and sums as a CSV file.

    Its columns are the members of the JSON answer.
    """
    rows = map(msgspec.structs.astuple, summarise_invoices(ctx, query))
    return Reply.csv(f"invoices-by-{query.group_by}", InvoiceGroup.__struct_fields__, rows)


_STATUSES = get_args(Status)


def _in_cents(name: str) -> sa.ColumnElement[int]:
    """Return a figure of an invoice as the whole number that is stored."""
    if name != "amount_due":
        return in_cents(invoices.c[name])
    due = sum((-_in_cents(each) for each in SETTLED), _in_cents("total"))
    return sa.case((invoices.c.status == "void", 0), else_=due)


def _group_key(values: Sequence[Any]) -> str:
    return str(values[0]) if len(values) == 1 else f"{int(values[0]):04d}-{int(values[1]):02d}"


def _group_label(by: GroupBy, key: str) -> str:
    if by == "status":
        return key.replace("_", " ").capitalize()
    year, month = key.split("-")
    return f"{month_name[int(month)]} {year}"
