"""Keep drafts: the rows of files as they are, what their columns become, and corrections."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Json, UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "imports_0003", "imports_0002"


def upgrade() -> None:
    op.add_column("imports", sa.Column("file_columns", Json))
    op.add_column("imports", sa.Column("mapping", Json))
    op.add_column("imports", sa.Column("preset", sa.Text))
    op.add_column("imports", sa.Column("mends", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("imports", sa.Column("corrections", Json))
    op.add_column("imports", sa.Column("read_to", sa.Integer, nullable=False, server_default="0"))
    op.create_table(
        "imports_sources",
        *key_columns(),
        sa.Column("import_id", ByCodePoint, nullable=False),
        sa.Column("first", sa.Integer, nullable=False),
        sa.Column("rows", sa.LargeBinary, nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "import_id"],
            ["imports.tenant_id", "imports.id"],
            name="fk_imports_sources_tenant_id_import_id",
        ),
        sa.UniqueConstraint("tenant_id", "import_id", "first", name="uq_imports_sources_tenant_id_import_id_first"),
    )
    op.create_table(
        "imports_mappings",
        *key_columns(),
        sa.Column("header", ByCodePoint, nullable=False),
        sa.Column("mapping", Json, nullable=False),
        sa.Column("used_at", UTCDateTime, nullable=False),
        sa.UniqueConstraint("tenant_id", "header", name="uq_imports_mappings_tenant_id_header"),
    )


def downgrade() -> None:
    op.drop_table("imports_mappings")
    op.drop_table("imports_sources")
    for name in ("read_to", "corrections", "mends", "preset", "mapping", "file_columns"):
        op.drop_column("imports", name)
