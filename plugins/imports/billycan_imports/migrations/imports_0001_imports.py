"""Create imports, and the rows that they still have to read."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Json, UTCDateTime
from billycan.migrations import create_resource_table, key_columns

revision, down_revision = "imports_0001", None


def upgrade() -> None:
    create_resource_table(
        op,
        "imports",
        sa.Column("resource", ByCodePoint, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("dry_run", sa.Boolean, nullable=False),
        sa.Column("header", Json, nullable=False),
        sa.Column("ignored_columns", Json, nullable=False),
        sa.Column("rows", sa.Integer, nullable=False),
        sa.Column("rows_checked", sa.Integer, nullable=False),
        sa.Column("rows_imported", sa.Integer, nullable=False),
        sa.Column("next_chunk", sa.Integer, nullable=False),
        sa.Column("rechecks", sa.Integer, nullable=False),
        sa.Column("fault_count", sa.Integer, nullable=False),
        sa.Column("faults", Json, nullable=False),
        sa.Column("finished_at", UTCDateTime),
        sa.Column("caller", Json, nullable=False),
    )
    op.create_index("ix_imports_tenant_id_status", "imports", ["tenant_id", "status", "created_at", "id"])
    op.create_index(
        "ix_imports_due",
        "imports",
        ["created_at"],
        sqlite_where=sa.text("finished_at IS NULL"),
        postgresql_where=sa.text("finished_at IS NULL"),
    )
    op.create_index(
        "ix_imports_finished_at",
        "imports",
        ["finished_at"],
        sqlite_where=sa.text("finished_at IS NOT NULL"),
        postgresql_where=sa.text("finished_at IS NOT NULL"),
    )
    op.create_table(
        "imports_chunks",
        *key_columns(),
        sa.Column("import_id", ByCodePoint, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("rows", sa.LargeBinary, nullable=False),
        sa.Column("recording", sa.LargeBinary),
        sa.ForeignKeyConstraint(
            ["tenant_id", "import_id"],
            ["imports.tenant_id", "imports.id"],
            name="fk_imports_chunks_tenant_id_import_id",
        ),
        sa.UniqueConstraint("tenant_id", "import_id", "number", name="uq_imports_chunks_tenant_id_import_id_number"),
    )


def downgrade() -> None:
    op.drop_table("imports_chunks")
    op.drop_table("imports")
