"""Read the payments of invoices, as their records show them."""

from collections.abc import Sequence

import sqlalchemy as sa

from billycan import Context, Page, Row
from billycan.sql import ByIds, Statement

from ..resource import InvoicePayment
from ..tables import allocations, payments

_SETTLED_BY = [column for name in InvoicePayment.__struct_fields__ if (column := payments.c.get(name)) is not None]


_PAYMENTS = (
    sa.select(
        allocations.c.invoice_id,
        allocations.c.amount,
        allocations.c.cash_rounding,
        *(column for column in _SETTLED_BY if column.name not in ("amount", "cash_rounding")),
        payments.c.refunded,
        payments.c.allocated,
    )
    .join(payments, (payments.c.tenant_id == allocations.c.tenant_id) & (payments.c.id == allocations.c.payment_id))
    .where(
        allocations.c.tenant_id == sa.bindparam("tenant_id"),
        payments.c.tenant_id == sa.bindparam("tenant_id"),
    )
    # The index's order: without it SQLite reads all payments by id.
    .order_by(allocations.c.invoice_id, allocations.c.payment_id)
)
_OF_INVOICE = Statement(_PAYMENTS.where(allocations.c.invoice_id == sa.bindparam("invoice_id")))
_OF_INVOICES = ByIds(_PAYMENTS, allocations.c.invoice_id)
_COUNTS = ByIds(
    sa.select(allocations.c.invoice_id, sa.func.count()).group_by(allocations.c.invoice_id), allocations.c.invoice_id
)
_BYTES = 600  # of a payment, about
_MOST_AT_ONCE = 500  # payments that are fetched together, if they are not of one invoice


def payments_asked(ctx: Context, invoice_id: str) -> Statement.Asked:
    """Return the statement for an invoice's payments, to pass to `at_once`."""
    return _OF_INVOICE, {"tenant_id": ctx.tenant_id, "invoice_id": invoice_id}


def payments_of(ctx: Context, invoice_id: str, rows: Sequence[Row] | None = None) -> list[InvoicePayment]:
    """Return an invoice's payments, oldest first, including reversed ones, each with the amount that settles this
    invoice.

    Passing `rows` saves the query.
    """
    if rows is None:
        statement, given = payments_asked(ctx, invoice_id)
        rows = statement.all(ctx.db, given)
    return [*map(_show_payment, rows)]


def payments_of_page(ctx: Context, rows: Sequence[Row]) -> dict[str, list[InvoicePayment]]:
    """Map the id of each of a page's invoices to its payments; raise BadRequest, before fetching any, for too many."""
    found: dict[str, list[InvoicePayment]] = {row.id: [] for row in rows}
    ids = [row.id for row in rows if row.status != "draft"]
    counts: dict[str, int] = {row[0]: row[1] for row in _COUNTS.all(ctx.db, ctx.tenant_id, ids)}
    if sum(counts.values()) * _BYTES > Page.MOST_BYTES:
        raise Page.too_large(len(rows), len(ByIds.groups(ids, counts, Page.MOST_BYTES // _BYTES)[0]))
    settled = [id for id in ids if id in counts]
    for row in ctx.in_turns(_OF_INVOICES.in_groups(ctx.db, ctx.tenant_id, settled, counts, _MOST_AT_ONCE)):
        found[row.invoice_id].append(_show_payment(row))
    return found


def _show_payment(row: Row) -> InvoicePayment:
    members = row._asdict()
    refunded, allocated = members.pop("refunded"), members.pop("allocated")
    # A payment that settles another invoice, too, is reversed as a payment.
    may = ["reverse"] if row.status == "recorded" and not refunded and allocated == row.amount else []
    return InvoicePayment(**members, allowed_actions=may)
