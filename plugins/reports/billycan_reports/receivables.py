"""The report of amounts that clients owe, or owed on any past day, by how long they have been due."""

import datetime
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from billycan import Context, Named, Reply
from billycan.fields import Amount, Day
from billycan_contacts import api as contacts

MOST_CLIENTS = 1_000  # on a page


class Receivable(Struct):
    """The amounts that a client owes.

    client_id: The contact.
    client: The contact.
    current: The amount not due yet.
    days_1_30: The amount due for 1 to 30 days.
    days_31_60: The amount due for 31 to 60 days.
    days_61_90: The amount due for 61 to 90 days.
    days_over_90: The amount due for more than 90 days.
    total: The sum of these amounts.
    credit: The amount that the client has paid and no invoice has used; it is not taken off the total.
    """

    client_id: str
    client: Named
    current: Amount
    days_1_30: Amount
    days_31_60: Amount
    days_61_90: Amount
    days_over_90: Amount
    total: Amount
    credit: Amount


class Receivables(Struct):
    """The amounts that all clients owe together, and that each of them owes.

    as_at: The amounts are those at the end of this day.
    clients: How many clients owe something or have credit.
    current: The amount not due yet.
    days_1_30: The amount due for 1 to 30 days.
    days_31_60: The amount due for 31 to 60 days.
    days_61_90: The amount due for 61 to 90 days.
    days_over_90: The amount due for more than 90 days.
    total: The sum of these amounts.
    credit: The amount that clients have paid and no invoice has used.
    entries: The amounts that each client owes, the highest total first; 1,000 on a page.
    """

    as_at: datetime.date
    clients: int
    current: Amount
    days_1_30: Amount
    days_31_60: Amount
    days_61_90: Amount
    days_over_90: Amount
    total: Amount
    credit: Amount
    entries: list[Receivable]


class ReceivablesQuery(Struct, forbid_unknown_fields=True, kw_only=True):
    """The day of the report.

    as_at: The day at whose end to report the amounts; default today, in the business's time zone.
    page: The page of clients, from 1.
    """

    as_at: Day | None = None
    page: Annotated[int, Meta(ge=1, le=1_000_000)] = 1


class ReceivablesFileQuery(Struct, forbid_unknown_fields=True, kw_only=True):
    """The day of the report.

    as_at: The day at whose end to report the amounts; default today, in the business's time zone.
    """

    as_at: Day | None = None


def get_receivables(ctx: Context, query: ReceivablesQuery) -> Receivables:
    """Amounts that clients owed at the end of a day, by how long they had been due.

    Invoices, payments, adjustment notes, write-offs and voids count from their own dates, so the report of a day that
    is over changes only if a document or payment is dated back to it. Ages go by the due dates that invoices have now.
    With `Accept: text/csv` it is a CSV file.
    """
    return _build_receivables(ctx, query.as_at, MOST_CLIENTS, (query.page - 1) * MOST_CLIENTS)


def get_receivables_as_csv(ctx: Context, query: ReceivablesFileQuery) -> Reply:
    """The same report as a CSV file, of all clients.

    A row for each client, who owes the most first.
    """
    report = _build_receivables(ctx, query.as_at, None, 0)
    columns = Receivable.__struct_fields__
    rows = ([one.client.name if name == "client" else getattr(one, name) for name in columns] for one in report.entries)
    return Reply.csv(f"receivables-{report.as_at}", columns, rows)


def _build_receivables(ctx: Context, as_at: datetime.date | None, limit: int | None, offset: int) -> Receivables:
    from billycan_invoices import api as invoices  # noqa: PLC0415 - there only where that plugin is

    day = as_at or ctx.today()
    each, count, sums = invoices.owed_by_each(ctx, day, limit=limit, offset=offset)
    names = contacts.names(ctx, each)
    entries = [Receivable(id, Named(id, names[id]), *msgspec.structs.astuple(owed)) for id, owed in each.items()]
    return Receivables(as_at=day, clients=count, entries=entries, **msgspec.structs.asdict(sums))
