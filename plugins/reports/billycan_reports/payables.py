"""The report of amounts owed to suppliers on any day, by how long they have been due."""

import datetime
from decimal import Decimal
from functools import cache
from typing import Annotated, Any

import sqlalchemy as sa
from msgspec import Meta, Struct

from billycan import Context, Named, Reply
from billycan.fields import Amount, Day
from billycan.sql import Statement
from billycan_contacts import api as contacts

MOST_SUPPLIERS = 1_000  # on a page

# Each age with its largest number of days past due; amounts not due yet are `current`.
_AGES = {"current": 0, "days_1_30": 30, "days_31_60": 60, "days_61_90": 90, "days_over_90": None}
_FIGURES = (*_AGES, "total", "credit")
_ALL = 2**63 - 1


class Payable(Struct):
    """The amounts owed to a supplier.

    supplier_id: The contact; null for a supplier who is not a contact.
    supplier: The contact.
    supplier_name: The name of a supplier who is not a contact; null if nobody is named.
    current: The amount not due yet.
    days_1_30: The amount due for 1 to 30 days.
    days_31_60: The amount due for 31 to 60 days.
    days_61_90: The amount due for 61 to 90 days.
    days_over_90: The amount due for more than 90 days.
    total: The sum of these amounts.
    credit: The amount that the supplier owes: paid before its bill, or to be given back; it is not taken off the total.
    """

    supplier_id: str | None
    supplier: Named | None
    supplier_name: str | None
    current: Amount
    days_1_30: Amount
    days_31_60: Amount
    days_61_90: Amount
    days_over_90: Amount
    total: Amount
    credit: Amount


class Payables(Struct):
    """The amounts owed to all suppliers together, and to each of them.

    as_at: The amounts are those at the end of this day.
    suppliers: How many suppliers are owed something or owe something.
    current: The amount not due yet.
    days_1_30: The amount due for 1 to 30 days.
    days_31_60: The amount due for 31 to 60 days.
    days_61_90: The amount due for 61 to 90 days.
    days_over_90: The amount due for more than 90 days.
    total: The sum of these amounts.
    credit: The amount that suppliers owe.
    entries: The amounts owed to each supplier, the highest total first; 1,000 on a page.
    """

    as_at: datetime.date
    suppliers: int
    current: Amount
    days_1_30: Amount
    days_31_60: Amount
    days_61_90: Amount
    days_over_90: Amount
    total: Amount
    credit: Amount
    entries: list[Payable]


class PayablesQuery(Struct, forbid_unknown_fields=True, kw_only=True):
    """The day of the report.

    as_at: The day at whose end to report the amounts; default today, in the business's time zone.
    page: The page of suppliers, from 1.
    """

    as_at: Day | None = None
    page: Annotated[int, Meta(ge=1, le=1_000_000)] = 1


class PayablesFileQuery(Struct, forbid_unknown_fields=True, kw_only=True):
    """The day of the report.

    as_at: The day at whose end to report the amounts; default today, in the business's time zone.
    """

    as_at: Day | None = None


def get_payables(ctx: Context, query: PayablesQuery) -> Payables:
    """Amounts that were owed to suppliers at the end of a day, by how long they had been due.

    Bills, payments, reversals and voids count from their own dates, so the report of a day that is over changes only if
    an expense or payment is dated back to it, or was a mistake. A bill without a `due_date` is due on its date. With
    `Accept: text/csv` it is a CSV file.
    """
    return _build_payables(ctx, query.as_at, MOST_SUPPLIERS, (query.page - 1) * MOST_SUPPLIERS)


def get_payables_as_csv(ctx: Context, query: PayablesFileQuery) -> Reply:
    """The same report as a CSV file, of all suppliers.

    A row for each supplier, the one who is owed the most first.
    """
    report = _build_payables(ctx, query.as_at, _ALL, 0)
    columns = Payable.__struct_fields__

    def cell(one: Payable, name: str) -> Any:
        return one.supplier and one.supplier.name if name == "supplier" else getattr(one, name)

    return Reply.csv(
        f"payables-{report.as_at}", columns, ([cell(one, name) for name in columns] for one in report.entries)
    )


def _build_payables(ctx: Context, as_at: datetime.date | None, limit: int, offset: int) -> Payables:
    day = as_at or ctx.today()
    rows = _fetch_rows(ctx, day, limit, offset)
    # A page beyond the last has no rows to tell the sums of all.
    whole = rows or (_fetch_rows(ctx, day, 1, 0) if offset else [])
    sums = {name: _as_dollars(getattr(whole[0], f"all_{name}") if whole else 0) for name in _FIGURES}
    names = contacts.names(ctx, {row.supplier_id for row in rows if row.supplier_id})
    entries = [
        Payable(
            row.supplier_id,
            Named(row.supplier_id, names[row.supplier_id]) if row.supplier_id else None,
            row.supplier_name,
            *(_as_dollars(getattr(row, name)) for name in _FIGURES),
        )
        for row in rows
    ]
    return Payables(as_at=day, suppliers=whole[0].suppliers if whole else 0, entries=entries, **sums)


def _fetch_rows(ctx: Context, day: datetime.date, limit: int, offset: int) -> list[Any]:
    oldest = {f"oldest_{name}": day - datetime.timedelta(days=most) for name, most in _AGES.items() if most is not None}
    values = {"tenant_id": ctx.tenant_id, "day": day, "most": limit, "skipped": offset, **oldest}
    return _owed_to_each().all(ctx.db, values)


@cache
def _owed_to_each() -> Statement:
    from billycan_expenses import api as expenses  # noqa: PLC0415 - there only where that plugin is

    each = expenses.due_to_suppliers().subquery("each").c
    ages, newest = {}, None
    for name, days in _AGES.items():
        oldest = None if days is None else sa.bindparam(f"oldest_{name}", type_=sa.Date)
        when = [each.due > 0]
        when += [] if oldest is None else [each.due_on >= oldest]
        when += [] if newest is None else [each.due_on < newest]
        ages[name] = sa.func.sum(sa.case((sa.and_(*when), each.due), else_=0))
        newest = oldest
    total = sa.func.sum(sa.case((each.due > 0, each.due), else_=0))
    credit = sa.func.sum(sa.case((each.due < 0, -each.due), else_=0))
    figures = [one.label(name) for name, one in {**ages, "total": total, "credit": credit}.items()]
    whose = each.supplier_id, each.supplier_name
    by = sa.select(*whose, *figures).group_by(*whose).cte("by_supplier")
    over_all = [sa.func.sum(by.c[name]).over().label(f"all_{name}") for name in _FIGURES]
    found = sa.select(by, sa.func.count().over().label("suppliers"), *over_all)
    last = [sa.func.coalesce(by.c[name], "") for name in ("supplier_id", "supplier_name")]
    most, skipped = (sa.bindparam(name, type_=sa.BigInteger) for name in ("most", "skipped"))
    in_order = found.order_by(by.c.total.desc(), *last).limit(most).offset(skipped)
    # The number of expenses decides if the database sorts or hashes them.
    return Statement(in_order.execution_options(**{Statement.PLANNED_ANEW: True}))


def _as_dollars(cents: Any) -> Decimal:
    return Decimal(int(cents)).scaleb(-2)
