"""The rows that are a business's, in which tables: read from the tables alone, so that every plugin's take part.

A row is a business's if its `tenant_id` or `business_id` says so, if it refers to `core_tenants`, or if it must refer
to a row that is. What such rows refer to beside that, such as people, is shared. A table made by
`new_table(…, of="deployment")` may have nothing to do with a business; any other must say whose its rows are, or the
process does not start.

What a column's or a table's `info` says:

- `elsewhere`: a column's value in a file and at another deployment, where its own must never be, such as a password.
- `resealed`: `resealed(app)` returns a column's value at a deployment with other secrets.
- `stays`: the rows of this table are not in a file.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from ..db import metadata
from ..manifest import Manifest

NAMES = ("tenant_id", "business_id")
TENANTS = "core_tenants"
ELSEWHERE, RESEALED, STAYS = "elsewhere", "resealed", "stays"


class Whose(Struct, frozen=True):
    """The tables that take part, each before those that refer to it: a business's own, and those it shares."""

    own: tuple[sa.Table, ...]
    shared: tuple[sa.Table, ...]

    @property
    def in_files(self) -> list[sa.Table]:
        """The tables of a file, in the order in which rows can be inserted."""
        taking = {*self.own, *self.shared}
        found = [t for t in metadata.sorted_tables if t in taking and not t.info.get(STAYS)]
        return sorted(found, key=lambda table: table.name != TENANTS)  # which is there while the others arrive

    def rows_of(self, table: sa.Table, ids: Sequence[str]) -> sa.ColumnElement[bool]:
        """Return the condition that a row belongs to one of these tenants, or is one that they share."""
        if table in self.shared:
            travel = [t for t in self.own if not t.info.get(STAYS)]
            users = [(t, own, other) for t in travel for own, other in single_keys(t) if other.table is table]
            return sa.or_(*(other.in_(sa.select(own).where(self.rows_of(t, ids))) for t, own, other in users))
        if (column := named_by(table)) is not None:
            return column.in_(ids)
        own, other = next((own, other) for own, other in single_keys(table) if other.table in self.own)
        return own.in_(sa.select(other).where(self.rows_of(other.table, ids)))


def tables_of(manifests: Mapping[str, Manifest]) -> list[sa.Table]:
    """List core's tables and those of these plugins."""
    core = [table for name, table in metadata.tables.items() if name.startswith("core_")]
    return core + [table for manifest in manifests.values() for table in manifest.tables]


def find_owners(manifests: Mapping[str, Manifest]) -> Whose:
    """Find whose the rows of all tables are."""
    tables = {*tables_of(manifests)}
    own: list[sa.Table] = []
    for table in metadata.sorted_tables:
        if table in tables and (named_by(table) is not None or _follows_owner(table, own)):
            own.append(table)
    referred = {other.table for table in own if not table.info.get(STAYS) for _, other in single_keys(table)}
    shared = [t for t in metadata.sorted_tables if t in referred and t not in own]
    return Whose(tuple(own), tuple(shared))


def named_by(table: sa.Table) -> sa.Column[Any] | None:
    """Return the column that names the business of a row; None if there is none."""
    if table.name == TENANTS:
        return table.c.id
    for name in NAMES:
        if name in table.c:
            return table.c[name]
    return next((own for own, other in single_keys(table) if other.table.name == TENANTS), None)


def single_keys(table: sa.Table) -> list[tuple[sa.Column[Any], sa.Column[Any]]]:
    """List a table's foreign keys of one column, as pairs of the column and the one that it refers to."""
    keys = [key for key in table.foreign_key_constraints if len(key.elements) == 1]
    pairs = [(key.elements[0].parent, key.elements[0].column) for key in keys]
    return sorted(pairs, key=lambda pair: str(pair[0].name))


def check_tables(manifests: Iterable[Manifest]) -> Iterator[str]:
    """Yield tables of plugins that do not say whose their rows are."""
    for manifest in manifests:
        for table in manifest.tables:
            if table.metadata is not metadata:
                continue  # of a test: none of its rows is ever stored
            says = named_by(table) is not None or _follows_owner(table, [*metadata.tables.values()])
            if not says and not table.info.get("of_deployment"):
                yield (
                    f"{manifest.name}: its table {table.name} does not say whose its rows are, so a business could"
                    " neither take them along nor have them deleted: make it by new_table, with"
                    ' of="deployment" if its rows belong to no business'
                )


def _follows_owner(table: sa.Table, own: Sequence[sa.Table]) -> bool:
    """Tell whether each row must refer to one of a business's."""
    return any(other.table in own and not column.nullable for column, other in single_keys(table))
