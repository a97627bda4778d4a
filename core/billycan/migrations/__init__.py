"""What a plugin's migrations create tables with, each as of core 1.0: a migration does the same for ever.

Core's own migrations are in this folder, too.
"""

from typing import Any

import sqlalchemy as sa

from ..db import ByCodePoint, Json, UTCDateTime
from ..lists import filters

__all__ = ["create_index", "create_resource_table", "key_columns"]


def resource_columns() -> tuple[sa.Column[Any], ...]:
    """The columns of a resource as of core 1.0, for migrations; never changed, whatever later ones add."""
    return (
        sa.Column("external_id", sa.Text),
        sa.Column("metadata", Json, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.Column("updated_at", UTCDateTime, nullable=False),
    )


def key_columns() -> tuple[sa.Column[Any], ...]:
    """Return the primary key of a business's table that is no resource's, as of core 1.0."""
    return (
        sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
        sa.Column("id", ByCodePoint, primary_key=True),
    )


def create_resource_table(op: Any, name: str, *parts: Any) -> None:
    """Create a tenant's table with the columns every resource has, as of core 1.0."""
    op.create_table(
        name,
        *key_columns(),
        *parts,
        *resource_columns(),
        sa.UniqueConstraint("tenant_id", "external_id", name=f"uq_{name}_tenant_id_external_id"),
    )
    op.create_index(f"ix_{name}_tenant_id_created_at_id", name, ["tenant_id", "created_at", "id"])


def create_index(op: Any, table: str, column: str) -> None:
    """Index `search_text` for substrings, or an id of another plugin's record where it is not null, as of core 1.0.

    Where the database lacks the extensions for substrings, a search reads row by row. For any other column, this makes
    the index that `Neighbours.index` declares.
    """
    if column == "search_text":
        index_for_search(op.get_bind(), table)
        return
    there = sa.text(f"{column} IS NOT NULL")
    name = f"ix_{table}_tenant_id_{column}"
    op.create_index(name, table, ["tenant_id", column], sqlite_where=there, postgresql_where=there)


def index_for_search(connection: sa.Connection, table: str) -> bool:
    """Index `search_text` of a table; whether the database, with its extensions, could."""
    if connection.dialect.name == "sqlite":
        return filters.build_index(connection, table)
    if not make_extensions(connection):
        return False
    connection.execute(sa.text(search_statement(table)))
    return True


def make_extensions(connection: sa.Connection) -> bool:
    """Create the extensions of PostgreSQL that an index for searches needs; whether they are there."""
    try:
        with connection.begin_nested():
            for extension in ("btree_gin", "pg_trgm"):
                connection.execute(sa.text(f"CREATE EXTENSION IF NOT EXISTS {extension}"))
    except sa.exc.DBAPIError:
        return False
    return True


def search_statement(table: str) -> str:
    """Return the statement that builds that index on PostgreSQL."""
    return f"CREATE INDEX {search_index(table)} ON {table} USING gin (tenant_id, search_text gin_trgm_ops)"


def search_index(table: str) -> str:
    """What that index is called."""
    return f"ix_{table}_search"
