"""Read the payments of invoices, as their records show them."""

from collections.abc import Sequence

import sqlalchemy as sa

from billycan import Context, Row
from billycan.sql import Statement

from ..resource import InvoicePayment
from ..tables import allocations, payments

_SETTLED_BY = [column for name in InvoicePayment.__struct_fields__ if (column := payments.c.get(name)) is not None]


_OF_INVOICE = Statement(
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
        allocations.c.invoice_id == sa.bindparam("invoice_id"),
    )
    .order_by(allocations.c.payment_id)  # the index's order: without it SQLite reads all payments by id
)


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
    found = []
    for row in rows:
        members = row._asdict()
        refunded, allocated = members.pop("refunded"), members.pop("allocated")
        # A payment that settles another invoice, too, is reversed as a payment.
        may = ["reverse"] if row.status == "recorded" and not refunded and allocated == row.amount else []
        found.append(InvoicePayment(**members, allowed_actions=may))
    return found
