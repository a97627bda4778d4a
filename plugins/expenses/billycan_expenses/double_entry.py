"""Expenses in double entry, for the ledger: all that each has there, worked out from what is stored.

An expense is payable from its date until it is paid. The GST that can be claimed is no cost: once its tax invoice is
held, it is not due until it counts in the GST report, and then it is paid. The part for private use stays a cost,
without a credit for its GST.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal

import sqlalchemy as sa
from msgspec import Struct, structs

from billycan import Context, GstEntries, LedgerEntries, Row
from billycan.fields import Moment
from billycan.sql import ByIds, Statement

from . import gst, rules
from .splits import Split, split
from .tables import expenses

Line = LedgerEntries.Line
Standing = LedgerEntries.Standing
# The day on which GST counts, or None if it does not yet; how much; and whether it is taken off what counted before.
Credit = tuple[date | None, Decimal, bool]
# An expense, its parts and payments, all of its GST to claim, and what counts of that.
Stored = tuple[Row, Split, Decimal, list[Credit]]
# The day of a line, its role, its amount, and its category or payment method and GST code, if it has them.
Part = tuple[date, Any, Decimal, str | None, str | None]

_FIRST_DATE = date(1900, 1, 1)


class Cost(Struct, frozen=True):
    """A part of an expense in the ledger: its amount with GST, and how much of that GST is claimed."""

    role: Literal["purchases", "capital_purchases"]
    category_id: str
    gst_code: str
    amount: Decimal
    credit: Decimal


class Bought(Struct, frozen=True):
    """An expense that is not void, as a bill in other software: its supplier, days, texts and costs."""

    supplier_id: str | None
    supplier_name: str | None
    dated: date
    due_on: date
    reference: str | None
    description: str | None
    costs: list[Cost]


def standing(ctx: Context, ids: Collection[str]) -> dict[str, Standing]:
    """Map expenses to all that each has in the ledger."""
    return {
        id: Standing(kind="expense", lines=[*_post_expense(row, parts, whole, credits)], contact_id=row.supplier_id)
        for id, (row, parts, whole, credits) in _read_stored(ctx, ids).items()
        if row.status != "void" or row.voided_on is not None
    }


def bought(ctx: Context, ids: Collection[str]) -> dict[str, Bought]:
    """Map expenses to what each has in the ledger, as a bill; without void ones."""
    return {
        id: Bought(
            supplier_id=row.supplier_id,
            supplier_name=row.supplier_name,
            dated=row.date,
            due_on=row.due_date or row.date,
            reference=row.reference,
            description=row.description,
            costs=[*_split_costs(parts, whole)],
        )
        for id, (row, parts, whole, _) in _read_stored(ctx, ids).items()
        if row.status != "void"
    }


def _read_stored(ctx: Context, ids: Collection[str]) -> dict[str, Stored]:
    rows = {row.id: row for row in _EXPENSES.all(ctx.db, ctx.tenant_id, ids)}
    settings = ctx.tenant.gst_settings
    credits_of, parts = _find_credits(ctx, rows, settings), split(ctx, [*rows.values()])
    whole = {id: _add_credits(credits) for id, credits in credits_of.items()}
    if part_paid := [id for id, row in rows.items() if row.payment_count and row.part_paid != row.amount]:
        # On a cash basis these have a credit for what was paid alone; on an accrual basis for all of it.
        accrual = [structs.replace(each, basis="accrual") for each in settings]
        whole |= {id: _add_credits(credits) for id, credits in _find_credits(ctx, part_paid, accrual).items()}
    return {id: (row, parts[id], whole.get(id, rules.NOTHING), credits_of[id]) for id, row in rows.items()}


def documents_of(ctx: Context, ids: Collection[str]) -> list[str]:
    """Return these expenses with the purchases that they refund, and the other refunds of those."""
    return sorted({*ids, *(row[0] for row in _SUPPLIES.all(ctx.db, ctx.tenant_id, ids))})


def documents_of_suppliers(ctx: Context, ids: Collection[str]) -> list[str]:
    """Return the expenses of these contacts: what can be claimed of them depends on the supplier's details."""
    return documents_of(ctx, [row.id for row in _OF_SUPPLIERS.all(ctx.db, ctx.tenant_id, ids)])


def documents_after(ctx: Context, id: str, limit: int) -> list[str]:
    """Return the ids of the expenses that follow an id, in order."""
    return [row.id for row in _AFTER.all(ctx.db, {"tenant_id": ctx.tenant_id, "after": id, "most": limit})]


def _post_expense(row: Row, parts: Split, whole: Decimal, credits: list[Credit]) -> Iterator[Line]:
    """Yield the lines of an expense; `whole` is all of the GST to claim, and `credits` what counts of it."""
    bought, paid = [*_post_purchase(row, parts, whole)], [*_post_payment(parts)]
    for day, role, amount, of, code in (*bought, *paid):
        yield Line(date=day, role=role, amount=amount, of=of, gst_code=code)
    if row.voided_on is not None:
        # Payments in parts came back before, on the days of their reversals.
        for day, role, amount, of, code in bought if row.payment_count else (*bought, *paid):
            yield Line(date=max(day, row.voided_on), role=role, amount=-amount, of=of, gst_code=code)
    for on, amount, _ in credits:
        if on is not None:
            yield Line(date=on, role="gst_paid", amount=amount)
            yield Line(date=on, role="gst_not_due", amount=-amount)


def _post_purchase(row: Row, parts: Split, credit: Decimal) -> Iterator[Part]:
    """Yield what was bought, and what of it is GST to claim."""
    held_on = row.tax_invoice_held_on or row.date
    is_needed = row.amount > rules.NO_TAX_INVOICE_UP_TO and not row.import_gst
    claimable_on = max(row.date, held_on) if is_needed else row.date
    for cost in _split_costs(parts, credit):
        yield row.date, cost.role, cost.amount, cost.category_id, cost.gst_code
        yield claimable_on, cost.role, -cost.credit, cost.category_id, cost.gst_code
    yield claimable_on, "gst_not_due", credit, None, None
    yield row.date, "payable", -row.amount, None, None


def _split_costs(parts: Split, credit: Decimal) -> Iterator[Cost]:
    left, of = credit, sum((cost.gst_for_business for cost in parts.costs), Decimal(0))
    for cost in parts.costs:
        # Each part has its share of the credit, and the last one with GST what is left.
        share = left if cost.gst_for_business == of else (left * cost.gst_for_business / of).quantize(Decimal("0.01"))
        left, of = left - share, of - cost.gst_for_business
        is_capital = cost.gst_code in ("capital", "capital_gst_free")
        yield Cost(
            "capital_purchases" if is_capital else "purchases", cost.category_id, cost.gst_code, cost.amount, share
        )


def _post_payment(parts: Split) -> Iterator[Part]:
    """Yield what was paid."""
    for paid in parts.payments:
        yield paid.on, "payable", paid.amount, None, None
        yield paid.on, "bank", paid.withheld - paid.amount, paid.method, None
        yield paid.on, "tax_withheld", -paid.withheld, None, None


def _add_credits(credits: Iterable[Credit]) -> Decimal:
    return sum((amount for _, amount, is_taken_off in credits if not is_taken_off), rules.NOTHING)


def _find_credits(ctx: Context, ids: Collection[str], settings: Sequence[Any]) -> dict[str, list[Credit]]:
    """Map expenses to the GST that counts of them by these GST settings."""
    found: dict[str, list[Credit]] = defaultdict(list)
    span = GstEntries.Period.Span(since=_FIRST_DATE, until=Moment.LAST_DATE, settings=settings)
    values = span.values(ctx)
    for row in _build_credit_query(span.period).all(ctx.db, values.pop("tenant_id"), documents_of(ctx, ids), **values):
        day = None if row.counts_on is None or row.counts_on > Moment.LAST_DATE else row.counts_on
        found[row.document_id].append((day, Decimal(int(row.cents)).scaleb(-2), bool(row.adjusts)))
    return found


@lru_cache(64)
def _build_credit_query(period: GstEntries.Period) -> ByIds:
    def select(among: Any) -> sa.Select[Any]:
        its = gst.entries(period, among).subquery("its")
        columns = its.c.document_id, its.c.counts_on, its.c.adjusts, its.c["1B"].label("cents")
        return sa.select(*columns).where(its.c["1B"] != 0)

    return ByIds.within(select)


def _select_supplies(among: Any) -> Any:
    """Select the purchases that these expenses refund, and all refunds of these or of those."""
    mine: sa.ColumnElement[bool] = expenses.c.tenant_id == sa.bindparam("tenant_id")
    purchases = sa.select(expenses.c.refunded_expense_id).where(
        mine, among(expenses.c.id), expenses.c.refunded_expense_id.is_not(None)
    )
    others = sa.select(expenses.c.id).where(mine, expenses.c.refunded_expense_id.in_(purchases))
    refunds = sa.select(expenses.c.id).where(mine, among(expenses.c.refunded_expense_id))
    return purchases.union(others, refunds)


_EXPENSES = ByIds(sa.select(expenses), expenses.c.id)
_SUPPLIES = ByIds.within(_select_supplies)
_OF_SUPPLIERS = ByIds(sa.select(expenses.c.id), expenses.c.supplier_id)
_AFTER = Statement(
    sa.select(expenses.c.id)
    .where(expenses.c.tenant_id == sa.bindparam("tenant_id"), expenses.c.id > sa.bindparam("after", type_=sa.Text))
    .order_by(expenses.c.id)
    .limit(sa.bindparam("most", type_=sa.Integer))
)

in_ledger = LedgerEntries(
    events={
        **dict.fromkeys(
            (
                "expense.created",
                "expense.updated",
                "expense.voided",
                "expense.deleted",
                "expense.payment_recorded",
                "expense.payment_reversed",
            ),
            documents_of,
        ),
        **dict.fromkeys(("contact.updated", "contact.merged"), documents_of_suppliers),
    },
    after=documents_after,
    standing=standing,
)
