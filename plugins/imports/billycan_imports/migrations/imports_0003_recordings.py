"""Keep what makes the records of rows that were checked. Imports that are not finished fail: the file is sent again."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Json, UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "imports_0003", "imports_0002"

imports = sa.table(
    "imports",
    sa.column("status", sa.Text),
    sa.column("fault_count", sa.Integer),
    sa.column("faults", Json),
    sa.column("finished_at", UTCDateTime),
    sa.column("updated_at", UTCDateTime),
)


def upgrade() -> None:
    op.drop_table("imports_progress")
    op.drop_table("imports_chunks")
    ended = {"row": 0, "column": None, "code": "unavailable", "message": "billycan was upgraded: send the file again"}
    values = {"status": "failed", "finished_at": imports.c.updated_at, "fault_count": 1, "faults": [ended]}
    op.execute(sa.update(imports).where(imports.c.finished_at.is_(None)).values(values))
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
    op.add_column("imports", sa.Column("rechecks", sa.Integer, nullable=False, server_default="0"))
    finished = sa.text("finished_at IS NOT NULL")
    op.create_index(
        "ix_imports_finished_at", "imports", ["finished_at"], sqlite_where=finished, postgresql_where=finished
    )


def downgrade() -> None:
    op.drop_index("ix_imports_finished_at", "imports")
    op.drop_column("imports", "rechecks")
    op.drop_table("imports_chunks")
    op.create_table(
        "imports_chunks",
        *key_columns(),
        sa.Column("import_id", ByCodePoint, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("rows", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "import_id"],
            ["imports.tenant_id", "imports.id"],
            name="fk_imports_chunks_tenant_id_import_id",
        ),
        sa.UniqueConstraint("tenant_id", "import_id", "number", name="uq_imports_chunks_tenant_id_import_id_number"),
    )
    op.create_table("imports_progress", *key_columns(), sa.Column("rows", sa.Integer, nullable=False))
