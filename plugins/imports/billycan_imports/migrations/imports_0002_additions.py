"""Keep what imports have written of records that are yet to come."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint
from billycan.migrations import key_columns

revision, down_revision = "imports_0002", "imports_0001"


def upgrade() -> None:
    op.create_table(
        "imports_additions",
        *key_columns(),
        sa.Column("import_id", ByCodePoint, nullable=False),
        sa.Column("added", sa.LargeBinary, nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "import_id"],
            ["imports.tenant_id", "imports.id"],
            name="fk_imports_additions_tenant_id_import_id",
        ),
    )
    op.create_index("ix_imports_additions_tenant_id_import_id", "imports_additions", ["tenant_id", "import_id"])


def downgrade() -> None:
    op.drop_table("imports_additions")
