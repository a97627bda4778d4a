"""Keep what the invoices of a job bill of it, so that an index finds the jobs of which something is left to invoice."""

from collections import defaultdict
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import sqlalchemy as sa
from alembic import op

from billycan import Decimals

revision, down_revision = "jobs_0002", "jobs_0001"

_MOST = 200  # jobs that are filled at once
_TEXTS = ("tenant_id", "status", "job_id", "claim", "claim_on", "forfeited_on")
_AMOUNTS = ("claimed", "total", "amount_credited", "deposits_applied", "retained")
_CENT = Decimal("0.01")


def upgrade() -> None:
    op.add_column("jobs", sa.Column("billed", Decimals(2)))


def fill(db: sa.Connection, tenant_id: str) -> int:
    """Fill some of the jobs that have invoices."""
    jobs = sa.table("jobs", *map(sa.column, ("tenant_id", "id")), sa.column("billed", Decimals(2)))
    links = sa.table("jobs_invoices", *map(sa.column, ("tenant_id", "id", "job_id")))
    linked = sa.select(links.c.job_id).where(links.c.tenant_id == tenant_id)
    empty = sa.select(jobs.c.id).where(jobs.c.tenant_id == tenant_id, jobs.c.billed.is_(None), jobs.c.id.in_(linked))
    # Whoever invoices a job locks it first.
    ids = [*db.execute(empty.order_by(jobs.c.id).limit(_MOST).with_for_update()).scalars()]
    bills = _bills(db, tenant_id, ids) if ids else {}
    its = jobs.c.tenant_id == tenant_id, jobs.c.id == sa.bindparam("job")
    for id in ids:
        db.execute(sa.update(jobs).where(*its).values(billed=bills.get(id, Decimal(0))), {"job": id})
    return len(ids)


def _bills(db: sa.Connection, tenant_id: str, ids: list[str]) -> dict[str, Decimal]:
    """Map jobs to the claims of their invoices that count. A deposit counts once an invoice takes it off."""
    if not sa.inspect(db).has_table("invoices"):
        return {}
    amounts = (sa.column(name, Decimals(2)) for name in _AMOUNTS)
    invoices = sa.table("invoices", *map(sa.column, _TEXTS), *amounts)
    c = invoices.c
    counts = (c.status != "void", c.forfeited_on.is_(None), c.job_id.in_(ids), c.claim_on == c.job_id)
    found: dict[str, list[Any]] = defaultdict(list)
    for row in db.execute(sa.select(invoices).where(c.tenant_id == tenant_id, *counts)):
        found[row.job_id].append(row)
    return {id: _sum(rows) for id, rows in found.items()}


def _sum(rows: list[Any]) -> Decimal:
    billed = deposits = retained = Decimal(0)
    for row in rows:
        amount = min(row.claimed, row.total - row.amount_credited)
        billed += amount
        deposits += (amount if row.claim == "deposit" else Decimal(0)) - row.deposits_applied
        retained += -amount if row.claim == "retention" else _retained(row, amount)
    return billed + max(Decimal(0), retained) - max(Decimal(0), deposits)


def _retained(row: Any, billed: Decimal) -> Decimal:
    if not row.retained:
        return Decimal(0)
    whole, counts = row.claimed + row.deposits_applied, billed + row.deposits_applied
    return Decimal(row.retained * counts / whole).quantize(_CENT, ROUND_HALF_UP)


def downgrade() -> None:
    op.drop_index("ix_jobs_to_invoice", "jobs", if_exists=True)
    op.drop_column("jobs", "billed")
