"""Keep which items the lines of recurring invoices name, and why the last invoice was not emailed."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Json, new_id
from billycan.migrations import key_columns

revision, down_revision = "recurring_0002", "recurring_0001"

BATCH = 100
recurring = sa.table(
    "recurring_invoices",
    *(sa.column(name, ByCodePoint) for name in ("tenant_id", "id", "status")),
    sa.column("line_items", Json),
)


def upgrade() -> None:
    op.add_column("recurring_invoices", sa.Column("email_failure", Json))
    named = op.create_table(
        "recurring_items",
        *key_columns(),
        sa.Column("recurring_id", ByCodePoint, nullable=False),
        sa.Column("item_id", ByCodePoint, nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "recurring_id"],
            ["recurring_invoices.tenant_id", "recurring_invoices.id"],
            name="fk_recurring_items_recurring_invoice",
            ondelete="CASCADE",
        ),
        sa.UniqueConstraint(
            "tenant_id", "recurring_id", "item_id", name="uq_recurring_items_tenant_id_recurring_id_item_id"
        ),
    )
    op.create_index("ix_recurring_items_tenant_id_item_id", "recurring_items", ["tenant_id", "item_id"])
    _fill(op.get_bind(), named)


def downgrade() -> None:
    op.drop_table("recurring_items")
    op.drop_column("recurring_invoices", "email_failure")


def _fill(db: sa.Connection, named: sa.Table) -> None:
    """Note what is named by those that have not ended; a hundred at a time, as each may have a MiB of lines."""
    c, last = recurring.c, ("", "")
    while True:
        later = sa.or_(c.tenant_id > last[0], (c.tenant_id == last[0]) & (c.id > last[1]))
        found = sa.select(recurring).where(later, c.status != "ended").order_by(c.tenant_id, c.id).limit(BATCH)
        rows = db.execute(found).all()
        links = [
            {"tenant_id": row.tenant_id, "id": new_id("nam"), "recurring_id": row.id, "item_id": item_id}
            for row in rows
            for item_id in sorted({line["item_id"] for line in row.line_items if line.get("item_id")})
        ]
        if links:
            db.execute(sa.insert(named), links)
        if len(rows) < BATCH:
            return
        last = (rows[-1].tenant_id, rows[-1].id)
