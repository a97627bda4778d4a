"""Limits on the rows that a record lists in full, such as an invoice's payments: every event and answer carries them.

A write that would make a full list longer is refused where the row is written. The caller holds the lock that makes
other writers wait.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from billycan import Conflict, Context, Row
from billycan.sql import ByIds

from .tables import allocations, invoices, refunds

MOST = 500  # as many as a document has lines


class Listed:
    """The rows that name a record in a column. Refusals name the record's `kind` and the rows it `has`."""

    def __init__(self, column: sa.Column[Any], kind: str, has: str) -> None:
        self._kind, self._has = kind, has
        self._counts = ByIds(sa.select(column, sa.func.count()).group_by(column), column)

    def check_room(self, ctx: Context, named: Mapping[str, str | None], adding: int = 1) -> None:
        """Raise Conflict `list_full` if one of these records has no room for this many more rows.

        The records are given by id, with the member of the body that names each.
        """
        for id, count in self._counts.all(ctx.db, ctx.tenant_id, named):
            if count + adding > MOST:
                message = f"The {self._kind} has {count} {self._has}; it can have at most {MOST}."
                raise Conflict(message, code="list_full", param=named[id])

    def check_rows(self, ctx: Context, rows: Iterable[tuple[Row, str | None]]) -> None:
        """Check locked rows as `check_room` does. Each listed row raised their version, so few rows need a query."""
        self.check_room(ctx, {row.id: param for row, param in rows if row.version > MOST})


INVOICES = {
    "quote_id": Listed(invoices.c.quote_id, "quote", "invoices"),
    "job_id": Listed(invoices.c.job_id, "job", "invoices"),
}
PAYMENTS = Listed(allocations.c.invoice_id, "invoice", "payments")
ALLOCATIONS = Listed(allocations.c.payment_id, "payment", "allocations")
REFUNDS = Listed(refunds.c.payment_id, "payment", "refunds")
