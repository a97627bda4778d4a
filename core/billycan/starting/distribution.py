"""Tables divided among the nodes of a PostgreSQL cluster by the extension Citus: `billycan database distribute`.

A business's rows of all tables lie on one node, where its statements run. That takes tables whose unique keys and
references all contain `tenant_id`. Every node has a copy of each of the others, which hold what is looked for before
the business is known, such as keys, or belongs to several, such as people.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from ..counters import counters
from ..db import metadata
from ..manifest import Manifest
from ..moving.whose import tables_of
from . import policies

COLUMN = "tenant_id"


def is_distributed(table: sa.Table) -> bool:
    """Tell whether a table's rows lie on the node of their business, instead of on every node.

    `info={"copied": True}` has a table on every node that could be distributed: one that is joined to the businesses.
    """
    if COLUMN not in table.c or table.info.get("copied"):
        return False
    keys: list[Any] = [table.primary_key, *(c for c in table.constraints if isinstance(c, sa.UniqueConstraint))]
    unique = [*keys, *(index for index in table.indexes if index.unique)]
    return all(COLUMN in {column.name for column in each.columns} for each in unique) and all(
        COLUMN in key.column_keys for key in table.foreign_key_constraints
    )


def is_in_use(db: sa.Connection) -> bool:
    """Tell whether there are distributed tables in this database."""
    return bool(_find_kinds(db))


def distribute(db: sa.Connection, manifests: Mapping[str, Manifest]) -> list[str]:
    """Distribute the tables that are not; return the changes.

    Raise RuntimeError if the extension is missing, no other node is known, or a declaration stands against it.
    """
    if missing := find_missing(db, manifests):
        raise RuntimeError(missing)
    tables = _find_tables(db, manifests)
    todo = find_undistributed(tables, _find_kinds(db))
    if is_hardened := policies.has_policies(db):
        # Citus copies the rows as the owner, whom policies hold for, too.
        policies.lift_policies(db, [table.name for table in todo])
    for statement in plan_statements(todo, _find_keys(db, todo)):
        db.exec_driver_sql(statement)
    if is_hardened:
        policies.extend_policies(db)
    return [f"{table.name}: {_describe_kind(table)}" for table in todo]


def describe_undistributed(db: sa.Connection, manifests: Mapping[str, Manifest]) -> list[str]:
    """List the tables that are not distributed, each with what it is to be."""
    todo = find_undistributed(_find_tables(db, manifests), _find_kinds(db))
    return [f"{table.name}: {_describe_kind(table)}" for table in todo]


def find_missing(db: sa.Connection, manifests: Mapping[str, Manifest]) -> str:
    """Describe what keeps the tables from being distributed; an empty text if nothing does."""
    if db.dialect.name != "postgresql":
        return "SQLite is one file on one host: set BILLYCAN_DATABASE to a PostgreSQL with the extension Citus"
    if not policies.has_citus(db):
        return (
            "this PostgreSQL lacks the extension Citus: install it on each node, and run CREATE EXTENSION citus there"
        )
    if not db.execute(sa.text(_NODES)).scalar():
        return (
            "no node takes rows: run SELECT citus_set_coordinator_host(…), and SELECT citus_add_node(…) for each other"
        )
    tables = _find_tables(db, manifests)
    triggered = db.execute(sa.text(_TRIGGERED), {"names": [table.name for table in tables]}).scalars()
    return "; ".join(
        [*find_obstacles(tables), *(f"{name} has triggers, which Citus does not take" for name in triggered)]
    )


def find_obstacles(tables: Iterable[sa.Table]) -> list[str]:
    """Describe the references that Citus does not allow: from rows that each node has to rows that one has."""
    return [
        f"{table.name} refers to {key.referred_table.name}, whose rows lie on one node:"
        f" have each unique and foreign key of {table.name} contain {COLUMN}"
        for table in tables
        for key in table.foreign_key_constraints
        if is_distributed(key.referred_table) and not is_distributed(table)
    ]


def find_undistributed(tables: Iterable[sa.Table], kinds: Mapping[str, str]) -> list[sa.Table]:
    """List the tables that are not distributed yet, in the order to do it in; `kinds` are those of tables that are.

    Raise RuntimeError for a table that is distributed in another way than declared.
    """
    todo = []
    for table in sa.schema.sort_tables(tables):
        kind = kinds.get(table.name, _LOCAL)
        if kind == _LOCAL:
            todo.append(table)
        elif kind != _kind_of(table):
            raise RuntimeError(f"{table.name} is {kind}, but declared as {_kind_of(table)}: undistribute it first")
    # The other distributed tables are divided as the counters are.
    return sorted(todo, key=lambda table: (is_distributed(table), is_distributed(table) and table is not counters))


def plan_statements(todo: Iterable[sa.Table], keys: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    """Yield the statements that distribute these tables, whose foreign keys are `keys`: table, name and definition.

    The keys are gone meanwhile: none may refer to a table that lies elsewhere, not even until the next statement.
    """
    keys = [*keys]
    yield policies.IN_TURN
    for table, name, _ in keys:
        yield f"ALTER TABLE {table} DROP CONSTRAINT {name}"
    for each in todo:
        yield statement_for(each)
    for table, name, definition in keys:
        yield f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}"


def statement_for(table: sa.Table) -> str:
    """Return the statement that distributes one table."""
    if not is_distributed(table):
        return f"SELECT create_reference_table('{table.name}')"
    like = "none" if table is counters else counters.name
    return f"SELECT create_distributed_table('{table.name}', '{COLUMN}', colocate_with => '{like}')"


@contextmanager
def distributing(db: sa.Connection) -> Iterator[None]:
    """Distribute each table that a migration creates in the block as it is declared, if this database is distributed.

    A new table may refer to one that lies on several nodes only once it does, too: Citus learns of it afterwards.
    """
    if not is_in_use(db):
        yield
        return

    def before(_: Any, __: Any, statement: str, parameters: Any, ___: Any, ____: bool) -> tuple[str, Any]:
        if statement.lstrip().startswith("CREATE TABLE"):
            driver: Any = db.connection.driver_connection
            driver.execute("SET LOCAL citus.enable_ddl_propagation TO off")
        return statement, parameters

    def after(_: Any, __: Any, statement: str, ___: Any, context: Any, ____: bool) -> None:
        if statement.lstrip().startswith("CREATE TABLE"):
            db.exec_driver_sql("SET LOCAL citus.enable_ddl_propagation TO on")
            table = metadata.tables.get(context.compiled.statement.element.name)
            if table is not None:
                db.exec_driver_sql(statement_for(table))

    db.exec_driver_sql(policies.IN_TURN)
    sa.event.listen(db, "before_cursor_execute", before, retval=True)
    sa.event.listen(db, "after_cursor_execute", after)
    try:
        yield
    finally:
        sa.event.remove(db, "before_cursor_execute", before)
        sa.event.remove(db, "after_cursor_execute", after)


_LOCAL = "local"
_NODES = "SELECT count(*) FROM pg_dist_node WHERE shouldhaveshards AND noderole = 'primary'"
_KEYS = """
SELECT CAST(CAST(conrelid AS regclass) AS text) AS table, quote_ident(conname) AS name,
 pg_get_constraintdef(oid) AS definition
FROM pg_constraint WHERE contype = 'f' AND CAST(CAST(conrelid AS regclass) AS text) = ANY (:names) ORDER BY 1, 2
"""

_TRIGGERED = """
SELECT DISTINCT relname FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid WHERE NOT tgisinternal
AND relname = ANY (:names)
AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('core_tenants'))
"""


def _find_kinds(db: sa.Connection) -> dict[str, str]:
    if not policies.has_citus(db):
        return {}
    found = sa.text("SELECT CAST(table_name AS text) AS name, citus_table_type AS kind FROM citus_tables")
    return {row.name: row.kind for row in db.execute(found) if row.kind != _LOCAL}


def _find_tables(db: sa.Connection, manifests: Mapping[str, Manifest]) -> list[sa.Table]:
    there = {*sa.inspect(db).get_table_names()}
    return [table for table in tables_of(manifests) if table.name in there]


def _find_keys(db: sa.Connection, tables: Iterable[sa.Table]) -> list[tuple[str, str, str]]:
    found = db.execute(sa.text(_KEYS), {"names": [table.name for table in tables]})
    return [(row.table, row.name, row.definition) for row in found]


def _kind_of(table: sa.Table) -> str:
    return "distributed" if is_distributed(table) else "reference"


def _describe_kind(table: sa.Table) -> str:
    return f"distributed by {COLUMN}" if is_distributed(table) else "copied to each node"
