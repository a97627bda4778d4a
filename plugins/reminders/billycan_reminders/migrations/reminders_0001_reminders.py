"""Create reminder rules, who gets no reminders, and what became of each reminder."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, UTCDateTime
from billycan.migrations import create_resource_table, key_columns

revision, down_revision = "reminders_0001", None


def upgrade() -> None:
    op.create_table(
        "reminders_settings",
        *key_columns(),
        sa.Column("enabled", sa.Boolean, nullable=False),
        sa.Column("since", sa.Date, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("updated_at", UTCDateTime, nullable=False),
    )
    op.create_table(
        "reminders_rules",
        *key_columns(),
        sa.Column("days", sa.Integer, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.UniqueConstraint("tenant_id", "days", name="uq_reminders_rules_tenant_id_days"),
    )
    op.create_table("reminders_off", *key_columns())
    create_resource_table(
        op,
        "reminders_sent",
        sa.Column("invoice_id", ByCodePoint, nullable=False),
        sa.Column("due_date", sa.Date, nullable=False),
        sa.Column("days", sa.Integer, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("email_id", ByCodePoint),
        sa.ForeignKeyConstraint(
            ["tenant_id", "invoice_id"],
            ["invoices.tenant_id", "invoices.id"],
            name="fk_reminders_sent_tenant_id_invoice_id",
        ),
        sa.UniqueConstraint(
            "tenant_id", "invoice_id", "due_date", "days", name="uq_reminders_sent_tenant_id_invoice_id_due_date_days"
        ),
    )


def downgrade() -> None:
    for table in ("reminders_sent", "reminders_off", "reminders_rules", "reminders_settings"):
        op.drop_table(table)
