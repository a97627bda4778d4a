"""Create the tables of the ledger."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Decimals, Json, UTCDateTime
from billycan.migrations import create_index, create_resource_table, key_columns

revision, down_revision = "reports_0002", "reports_0001"


def upgrade() -> None:
    create_resource_table(
        op,
        "reports_accounts",
        sa.Column("code", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("role", sa.Text),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.Column("code_folded", ByCodePoint, nullable=False),
        sa.Column("name_folded", ByCodePoint, nullable=False),
        sa.Column("search_text", sa.Text, nullable=False),
        sa.UniqueConstraint("tenant_id", "code", name="uq_reports_accounts_tenant_id_code"),
    )
    op.create_index(
        "ix_reports_accounts_tenant_id_code_folded_id",
        "reports_accounts",
        ["tenant_id", "code_folded", "id"],
    )
    create_index(op, "reports_accounts", "search_text")
    op.create_table("reports_accounts_started", *key_columns())
    create_resource_table(
        op,
        "reports_ledger_exports",
        sa.Column("since", sa.Date, nullable=False),
        sa.Column("until", sa.Date, nullable=False),
        sa.Column("format", sa.Text, nullable=False),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("last", sa.BigInteger, nullable=False),
        sa.Column("entries", sa.Integer, nullable=False),
        sa.Column("files", sa.Integer, nullable=False),
    )
    op.create_index(
        "ix_reports_ledger_exports_tenant_id_format_sequence",
        "reports_ledger_exports",
        ["tenant_id", "format", "sequence"],
    )
    op.create_table(
        "reports_ledger_imported",
        *key_columns(),
        sa.Column("first", sa.BigInteger, nullable=False),
        sa.Column("last", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "reports_ledger_walks",
        *key_columns(),
        sa.Column("plugin", sa.Text, nullable=False),
        sa.Column("after", ByCodePoint, nullable=False),
        sa.Column("done", sa.Boolean, nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
    )
    op.create_index("ix_reports_ledger_walks_done", "reports_ledger_walks", ["done"])
    create_resource_table(
        op,
        "reports_payment_methods",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("name_folded", ByCodePoint, nullable=False),
    )
    create_resource_table(
        op,
        "reports_tracking",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("options", Json, nullable=False),
        sa.Column("name_folded", ByCodePoint, nullable=False),
        sa.UniqueConstraint("tenant_id", "name", name="uq_reports_tracking_tenant_id_name"),
    )
    op.create_table("reports_tracking_of", *key_columns(), sa.Column("tracking", Json, nullable=False))
    op.create_table(
        "reports_accounts_named",
        *key_columns(),
        sa.Column("account_id", ByCodePoint, nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "account_id"],
            ["reports_accounts.tenant_id", "reports_accounts.id"],
            name="fk_reports_accounts_named_tenant_id_account_id",
        ),
    )
    op.create_index(
        "ix_reports_accounts_named_tenant_id_account_id",
        "reports_accounts_named",
        ["tenant_id", "account_id"],
    )
    op.create_table(
        "reports_ledger_entries",
        *key_columns(),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("date", sa.Date, nullable=False),
        sa.Column("document_kind", sa.Text, nullable=False),
        sa.Column("document_id", ByCodePoint, nullable=False),
        sa.Column("document_number", sa.Text),
        sa.Column("account_id", ByCodePoint, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("of", ByCodePoint),
        sa.Column("amount", Decimals(2), nullable=False),
        sa.Column("gst_code", sa.Text),
        sa.Column("contact_id", ByCodePoint),
        sa.Column("tracking", Json, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "account_id"],
            ["reports_accounts.tenant_id", "reports_accounts.id"],
            name="fk_reports_ledger_entries_tenant_id_account_id",
        ),
        sa.UniqueConstraint("tenant_id", "sequence", name="uq_reports_ledger_entries_tenant_id_sequence"),
    )
    op.create_index(
        "ix_reports_ledger_entries_tenant_id_account_id_sequence",
        "reports_ledger_entries",
        ["tenant_id", "account_id", "sequence"],
    )
    op.create_index(
        "ix_reports_ledger_entries_tenant_id_date_sequence",
        "reports_ledger_entries",
        ["tenant_id", "date", "sequence"],
    )
    op.create_index(
        "ix_reports_ledger_entries_tenant_id_document_id_sequence",
        "reports_ledger_entries",
        ["tenant_id", "document_id", "sequence"],
    )


def downgrade() -> None:
    op.drop_table("reports_ledger_entries")
    op.drop_table("reports_accounts_named")
    op.drop_table("reports_tracking_of")
    op.drop_table("reports_tracking")
    op.drop_table("reports_payment_methods")
    op.drop_table("reports_ledger_walks")
    op.drop_table("reports_ledger_imported")
    op.drop_table("reports_ledger_exports")
    op.drop_table("reports_accounts_started")
    op.drop_table("reports_accounts")
