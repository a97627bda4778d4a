"""The tables of imports, of their rows until these are imported, and of what was written ahead of them."""

import sqlalchemy as sa

from billycan import ByCodePoint, Json, UTCDateTime, new_table, reference

_UNFINISHED, _FINISHED = sa.text("finished_at IS NULL"), sa.text("finished_at IS NOT NULL")
DRAFTS = sa.text("status = 'draft'")

imports = new_table(
    "imports",
    sa.Column("resource", ByCodePoint, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("dry_run", sa.Boolean, nullable=False),
    sa.Column("header", Json, nullable=False),
    sa.Column("ignored_columns", Json, nullable=False),
    sa.Column("rows", sa.Integer, nullable=False),
    sa.Column("rows_checked", sa.Integer, nullable=False),
    sa.Column("rows_imported", sa.Integer, nullable=False),
    # The chunks before this one are checked.
    sa.Column("next_chunk", sa.Integer, nullable=False),
    # How often rows were checked again because something had changed, or a step failed.
    sa.Column("rechecks", sa.Integer, nullable=False),
    sa.Column("fault_count", sa.Integer, nullable=False),
    sa.Column("faults", Json, nullable=False),
    sa.Column("finished_at", UTCDateTime),
    # The names of the file's columns unless they are the header, what these become, and how the file was recognized.
    sa.Column("file_columns", Json),
    sa.Column("mapping", Json),
    sa.Column("preset", sa.Text),
    # Whether it is a draft again after faults; the corrections by row, null for one that is left out; and the row up to
    # which the sources were read.
    sa.Column("mends", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("corrections", Json),
    sa.Column("read_to", sa.Integer, nullable=False, server_default="0"),
    # The id of the sender, and the scopes of that call.
    sa.Column("caller", Json, nullable=False),
    sa.Index("ix_imports_tenant_id_status", "tenant_id", "status", "created_at", "id"),
    sa.Index("ix_imports_due", "created_at", sqlite_where=_UNFINISHED, postgresql_where=_UNFINISHED),
    sa.Index("ix_imports_drafts", "updated_at", sqlite_where=DRAFTS, postgresql_where=DRAFTS),
    sa.Index("ix_imports_finished_at", "finished_at", sqlite_where=_FINISHED, postgresql_where=_FINISHED),
    of="resource",
)

# A few rows of the file each, as compressed JSON: a list of the row's number and its cells. Once they are checked,
# `recording` has the statements that make their records, if any. The rows are deleted when the import is finished.
chunks = new_table(
    "imports_chunks",
    sa.Column("import_id", ByCodePoint, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("rows", sa.LargeBinary, nullable=False),
    sa.Column("recording", sa.LargeBinary),
    reference("import_id", "imports"),
    sa.UniqueConstraint("tenant_id", "import_id", "number"),
)

# The rows of a draft as they are in the file, some in each: a compressed list as above; `first` is the number of the
# first of them. They are deleted when the import is finished.
sources = new_table(
    "imports_sources",
    sa.Column("import_id", ByCodePoint, nullable=False),
    sa.Column("first", sa.Integer, nullable=False),
    sa.Column("rows", sa.LargeBinary, nullable=False),
    reference("import_id", "imports"),
    sa.UniqueConstraint("tenant_id", "import_id", "first"),
)

# The last mapping of files with the same header: `header` is a digest of the resource and the names of the columns.
mappings = new_table(
    "imports_mappings",
    sa.Column("header", ByCodePoint, nullable=False),
    sa.Column("mapping", Json, nullable=False),
    sa.Column("used_at", UTCDateTime, nullable=False),
    sa.UniqueConstraint("tenant_id", "header"),
)

# What was written ahead of the records of a chunk, which has the same id: as JSON, the names of tables with the ids of
# the records. It goes with the end of its import, or, if that fails, once all of this is removed.
additions = new_table(
    "imports_additions",
    sa.Column("import_id", ByCodePoint, nullable=False),
    sa.Column("added", sa.LargeBinary, nullable=False),
    reference("import_id", "imports"),
    sa.Index(None, "tenant_id", "import_id"),
)
