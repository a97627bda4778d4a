"""The tables of imports, and of the rows that they still have to read."""

import sqlalchemy as sa

from billycan import ByCodePoint, Json, UTCDateTime, reference, resource_table, tenant_table

imports = resource_table(
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
    sa.Column("fault_count", sa.Integer, nullable=False),
    sa.Column("faults", Json, nullable=False),
    sa.Column("finished_at", UTCDateTime),
    # Who sent the file, whose records they are to be.
    sa.Column("caller", Json, nullable=False),
    sa.Index("ix_imports_tenant_id_status", "tenant_id", "status", "created_at", "id"),
    sa.Index(
        "ix_imports_due",
        "created_at",
        sqlite_where=sa.text("finished_at IS NULL"),
        postgresql_where=sa.text("finished_at IS NULL"),
    ),
)

# A hundred rows each, as JSON: a list of the row's number and its cells. They go when the import is finished.
chunks = tenant_table(
    "imports_chunks",
    sa.Column("import_id", ByCodePoint, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("rows", sa.Text, nullable=False),  # PostgreSQL's JSON takes no NUL, which a cell may have
    reference("import_id", "imports"),
    sa.UniqueConstraint("tenant_id", "import_id", "number"),
)

# How many rows of an import are written so far. It has no foreign key: the import's row is locked meanwhile.
progress = tenant_table("imports_progress", sa.Column("rows", sa.Integer, nullable=False))
