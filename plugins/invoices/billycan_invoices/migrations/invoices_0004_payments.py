"""Make payments records of their own, allocated to the invoices that they settle; their figures stay as they are."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Cents, UTCDateTime
from billycan.migrations import create_resource_table, key_columns

revision, down_revision = "invoices_0004", "invoices_0003"

OLD = "invoices_payments_0003"
COUNTED = """
INSERT INTO core_counters (tenant_id, name, number, live)
SELECT tenant_id, 'invoices_payments', count(*), count(*) FROM invoices_payments GROUP BY tenant_id
"""
# What was reversed went back to the client: of its amount nothing is allocated or left.
FILLED = f"""
INSERT INTO invoices_payments (
    tenant_id, id, client_id, client_name, amount, allocated, refunded, unallocated, cash_rounding, payment_method,
    paid_at, paid_on, reference, status, reversed_at, reverse_reason, external_id, metadata, version, created_at,
    updated_at
)
SELECT
    p.tenant_id, p.id, i.client_id, COALESCE(i.client_name, c.name), p.amount,
    CASE p.status WHEN 'reversed' THEN 0 ELSE p.amount END, CASE p.status WHEN 'reversed' THEN p.amount ELSE 0 END, 0,
    p.cash_rounding, p.payment_method, p.paid_at, p.paid_on, p.reference, p.status, p.reversed_at, p.reverse_reason,
    NULL, CAST('{{}}' AS %s), CASE p.status WHEN 'reversed' THEN 2 ELSE 1 END, p.created_at,
    COALESCE(p.reversed_at, p.created_at)
FROM {OLD} p
JOIN invoices i ON i.tenant_id = p.tenant_id AND i.id = p.invoice_id
JOIN contacts c ON c.tenant_id = i.tenant_id AND c.id = i.client_id
"""  # noqa: S608 - of names alone
ALLOCATED = f"""
INSERT INTO invoices_allocations (tenant_id, id, payment_id, invoice_id, amount, cash_rounding, allocated_on)
SELECT tenant_id, 'all_' || substr(id, 5), id, invoice_id, amount, cash_rounding, paid_on FROM {OLD}
"""  # noqa: S608 - of names alone


def upgrade() -> None:
    # SQLite adds a column that is never null only with a default; each INSERT gives its own value.
    op.add_column("invoices", sa.Column("amount_credited", Cents(), nullable=False, server_default="0"))
    op.drop_index("ix_invoices_payments_tenant_id_invoice_id_id", "invoices_payments")
    _set_aside(OLD)
    _create_payments()
    _create_allocations()
    _create_refunds()
    is_postgresql = op.get_bind().dialect.name == "postgresql"
    op.execute(FILLED % ("JSONB" if is_postgresql else "TEXT"))
    op.execute(ALLOCATED)
    op.execute(COUNTED)
    op.drop_table(OLD)


def downgrade() -> None:
    """A payment goes back to the first invoice that it settles; what is unallocated has no place there."""
    _set_aside("invoices_payments_0004")
    op.create_table(
        "invoices_payments",
        *key_columns(),
        sa.Column("invoice_id", ByCodePoint, nullable=False),
        sa.Column("amount", Cents(), nullable=False),
        sa.Column("payment_method", sa.Text, nullable=False),
        sa.Column("paid_at", UTCDateTime, nullable=False),
        sa.Column("reference", sa.Text),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.Column("reversed_at", UTCDateTime),
        sa.Column("reverse_reason", sa.Text),
        sa.Column("cash_rounding", Cents(), nullable=False, server_default="0"),
        sa.Column("paid_on", sa.Date, nullable=False, server_default="1970-01-01"),
        _to("invoices_payments", "invoice_id", "invoices"),
    )
    op.execute(
        "INSERT INTO invoices_payments SELECT p.tenant_id, p.id, a.invoice_id, a.amount, p.payment_method, p.paid_at,"
        " p.reference, p.status, p.created_at, p.reversed_at, p.reverse_reason, a.cash_rounding, p.paid_on"
        " FROM invoices_payments_0004 p JOIN invoices_allocations a ON a.tenant_id = p.tenant_id"
        " AND a.payment_id = p.id WHERE NOT EXISTS (SELECT 1 FROM invoices_allocations b"
        " WHERE b.tenant_id = a.tenant_id AND b.payment_id = a.payment_id AND b.invoice_id < a.invoice_id)"
    )
    for table in ("invoices_refunds", "invoices_allocations", "invoices_payments_0004"):
        op.drop_table(table)
    op.create_index(
        "ix_invoices_payments_tenant_id_invoice_id_id", "invoices_payments", ["tenant_id", "invoice_id", "id"]
    )
    op.execute("DELETE FROM core_counters WHERE name = 'invoices_payments'")
    op.drop_column("invoices", "amount_credited")


def _set_aside(name: str) -> None:
    """Rename the table of payments; on PostgreSQL its key's index would keep the name that the new one's needs."""
    op.rename_table("invoices_payments", name)
    if op.get_bind().dialect.name == "postgresql":
        op.execute(f"ALTER TABLE {name} RENAME CONSTRAINT pk_invoices_payments TO pk_{name}")


def _to(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["tenant_id", column], [f"{target}.tenant_id", f"{target}.id"], name=f"fk_{table}_tenant_id_{column}"
    )


def _create_payments() -> None:
    create_resource_table(
        op,
        "invoices_payments",
        sa.Column("client_id", ByCodePoint, nullable=False),
        sa.Column("client_name", sa.Text, nullable=False),
        sa.Column("amount", Cents(), nullable=False),
        sa.Column("allocated", Cents(), nullable=False),
        sa.Column("refunded", Cents(), nullable=False),
        sa.Column("unallocated", Cents(), nullable=False),
        sa.Column("cash_rounding", Cents(), nullable=False),
        sa.Column("payment_method", sa.Text, nullable=False),
        sa.Column("paid_at", UTCDateTime, nullable=False),
        sa.Column("paid_on", sa.Date, nullable=False),
        sa.Column("reference", sa.Text),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("reversed_at", UTCDateTime),
        sa.Column("reverse_reason", sa.Text),
        _to("invoices_payments", "client_id", "contacts"),
        sa.CheckConstraint("amount = allocated + refunded + unallocated", name=op.f("ck_invoices_payments_adds_up")),
        sa.CheckConstraint(
            "allocated >= 0 AND refunded >= 0 AND unallocated >= 0", name=op.f("ck_invoices_payments_not_negative")
        ),
    )
    for columns in (
        ("client_id", "created_at", "id"),
        ("status", "created_at", "id"),
        ("paid_at", "id"),
        ("paid_on", "id"),
    ):
        _index("invoices_payments", *columns)


def _create_allocations() -> None:
    op.create_table(
        "invoices_allocations",
        *key_columns(),
        sa.Column("payment_id", ByCodePoint, nullable=False),
        sa.Column("invoice_id", ByCodePoint, nullable=False),
        sa.Column("amount", Cents(), nullable=False),
        sa.Column("cash_rounding", Cents(), nullable=False),
        sa.Column("allocated_on", sa.Date, nullable=False),
        _to("invoices_allocations", "payment_id", "invoices_payments"),
        _to("invoices_allocations", "invoice_id", "invoices"),
        sa.UniqueConstraint(
            "tenant_id", "payment_id", "invoice_id", name="uq_invoices_allocations_tenant_id_payment_id_invoice_id"
        ),
    )
    _index("invoices_allocations", "invoice_id", "payment_id")


def _create_refunds() -> None:
    op.create_table(
        "invoices_refunds",
        *key_columns(),
        sa.Column("payment_id", ByCodePoint, nullable=False),
        sa.Column("amount", Cents(), nullable=False),
        sa.Column("payment_method", sa.Text, nullable=False),
        sa.Column("refunded_at", UTCDateTime, nullable=False),
        sa.Column("refunded_on", sa.Date, nullable=False),
        sa.Column("reference", sa.Text),
        _to("invoices_refunds", "payment_id", "invoices_payments"),
    )
    _index("invoices_refunds", "payment_id", "id")
    _index("invoices_refunds", "refunded_on", "id")


def _index(table: str, *columns: str) -> None:
    op.create_index(f"ix_{table}_tenant_id_{'_'.join(columns)}", table, ["tenant_id", *columns])
