"""Bring core's and each enabled plugin's own tables to the version its code expects."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from typing import Any, TypeVar

import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from .. import db
from ..counters import counters
from ..engines import UNHURRIED
from ..lists import filters
from ..manifest import Manifest
from ..migrations import index_for_search, make_extensions, search_index, search_statement
from . import additive, distribution, filling, packages, policies, versions
from .plugins import PluginError
from .versions import HERE, Chain

T = TypeVar("T")
_LOCK = 7_270_001
_LOCK_SECONDS = 1  # shorter than requests wait, because new ones queue behind a migration that waits
_TRIES, _PAUSE_SECONDS = 100, 0.5
_WAITED = ("55P03", "40P01")  # a lock that was not available in time, or a deadlock
_ACROSS = "a migration changes the rows of all"


def upgrade_all(
    database: db.Database, manifests: Mapping[str, Manifest], tell: Callable[[str], object] = lambda step: None
) -> list[str]:
    """Upgrade core, then each plugin, dependencies first; return the changes.

    Each migration is a transaction of its own, and so is each index, so that others go on meanwhile; in a new
    database all of them are one. Behind row-level security new tables get their policies, and the server's role its
    rights to them. That role itself may change nothing: it gets SchemaBehind if anything is to be changed. `tell` is
    called with each step that is done, because some take long on many rows.
    """
    changed, chains = list[str](), versions.find_chains(manifests)

    def note(step: str) -> None:
        changed.append(step)
        tell(step)

    with _open_to_look(database) as connection:
        if policies.has_policies(connection) and not policies.owns_tables(connection):
            versions.compare_versions(connection, chains)
            return []
        found = versions.stored_versions(connection, [chain.name for chain in chains])
        serves = versions.stored_oldest(connection)
    behind = [chain for chain in chains if not chain.is_at(found.get(chain.name), serves.get(chain.name))]
    if not found:
        with _open_to_migrate(database) as connection:
            for chain in behind:
                _run_chain(connection, chain, note, chain.last)
            for index in unbuilt_indexes(connection, manifests):
                connection.execute(sa.schema.CreateIndex(index))
    else:
        for chain in behind:
            additive.require_additions(chain, found.get(chain.name))
            while step := _next_step(database, chain):
                if step.oldest is not None:
                    filling.finish(database, chain, step.version, note)
                _run_patiently(database, partial(_run_chain, chain=chain, note=note, to=step.version))
    if not database.is_sqlite:
        _run_patiently(database, partial(_extend_policies, note=note))
        _run_patiently(database, partial(_distribute_tables, manifests=manifests, note=note))
    with _open_to_look(database) as connection:
        unbuilt, unsearched = unbuilt_indexes(connection, manifests), unindexed_tables(connection, manifests)
    for index in unbuilt:
        _build_index(database, index)
        note(f"{_table_of(index).name}: index {index.name}")
    for table in unsearched:
        if _build_search(database, table):
            note(f"{table}: indexed for search")
    return changed


@contextmanager
def _open_to_look(database: db.Database) -> Iterator[sa.Connection]:
    with database.reading() as connection:
        yield connection.execution_options(**{UNHURRIED: True})


@contextmanager
def _open_to_migrate(database: db.Database) -> Iterator[sa.Connection]:
    """Open a transaction for migrations, of which only one is open at a time."""
    with database.writing(across=_ACROSS) as connection:
        connection.execution_options(**{UNHURRIED: True})
        if connection.dialect.name == "postgresql":
            # Two replicas that start together must not migrate together: one waits, however long the other takes.
            connection.execute(sa.text("SET LOCAL statement_timeout = 0"))
            connection.execute(sa.text("SET LOCAL lock_timeout = 0"))
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
            connection.execute(sa.text(f"SET LOCAL lock_timeout = '{_LOCK_SECONDS}s'"))
        yield connection


def _run_patiently(database: db.Database, work: Callable[[sa.Connection], T]) -> T:
    """Run this in a transaction for migrations, again if a lock was not available, and return what it returns."""
    for left in reversed(range(_TRIES)):
        try:
            with _open_to_migrate(database) as connection:
                return work(connection)
        except sa.exc.DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) not in _WAITED:
                raise
            if not left:
                raise RuntimeError(
                    f"a migration waited {_TRIES} times for a lock that others hold: end transactions that stay open,"
                    " and run it again; what was done so far stays"
                ) from error
        let_waiting_go()
    raise AssertionError  # the last time raises or returns


def let_waiting_go() -> None:
    """Let the requests that waited behind a migration go first."""
    time.sleep(_PAUSE_SECONDS)


def _next_step(database: db.Database, chain: Chain) -> versions.Step | None:
    """Return the migration of a chain that is to be run next; None if its tables are where the code expects them."""
    with _open_to_look(database) as connection:
        at = versions.stored_versions(connection, [chain.name]).get(chain.name)
        return None if chain.is_at(at, versions.stored_oldest(connection).get(chain.name)) else chain.after(at)


def _run_chain(connection: sa.Connection, chain: Chain, note: Callable[[str], None], to: str) -> None:
    """Run a chain's migrations up to this version, unless another process has done so."""
    before = versions.stored_versions(connection, [chain.name]).get(chain.name)
    if before is not None and before >= to:
        return
    with distribution.distributing(connection):
        run_migrations(connection, chain, to)
    if first := chain.oldest(to):
        connection.execute(sa.delete(versions.oldest).where(versions.oldest.c.name == chain.name))
        connection.execute(sa.insert(versions.oldest).values(name=chain.name, version=first))
    # In the same transaction: a server that finds a table without a policy is not ready.
    _extend_policies(connection, lambda step: None)
    note(f"{chain.name}: {before or 'nothing'} -> {to}")


def _extend_policies(connection: sa.Connection, note: Callable[[str], None]) -> None:
    if policies.has_policies(connection):
        for step in policies.extend_policies(connection):
            note(step)


def _distribute_tables(
    connection: sa.Connection, manifests: Mapping[str, Manifest], note: Callable[[str], None]
) -> None:
    """Distribute what is not yet where tables are, such as those of a plugin that was off then."""
    if distribution.is_in_use(connection):
        for step in distribution.distribute(connection, manifests):
            note(step)


def distribute_tables(database: db.Database, manifests: Mapping[str, Manifest]) -> list[str]:
    """Distribute the tables of core and of these plugins, all or none; return the changes."""
    return _run_patiently(database, partial(distribution.distribute, manifests=manifests))


def unbuilt_indexes(connection: sa.Connection, manifests: Mapping[str, Manifest]) -> list[sa.Index]:
    """List the declared indexes of tables that are there without them, or with one whose building was broken off."""
    asked = _VALID if connection.dialect.name == "postgresql" else _INDEXES
    built = {*connection.execute(sa.text(asked)).scalars()}
    inspector = sa.inspect(connection)
    there = {*inspector.get_table_names()}
    own = [table for name, table in db.metadata.tables.items() if name.startswith("core_")]
    tables = [table for table in (*own, *(t for m in manifests.values() for t in m.tables)) if table.name in there]
    format_index = connection.dialect.identifier_preparer.format_index
    found = {format_index(index).strip('"'): index for table in tables for index in table.indexes}
    lacking = [found[name] for name in sorted(found) if name not in built]
    columns = {
        table.name: {c["name"] for c in inspector.get_columns(table.name)}
        for table in {_table_of(index) for index in lacking}
    }
    # A column that no migration has added yet cannot be indexed, and the comparison with the tables says so.
    return [index for index in lacking if {c.name for c in index.columns} <= columns[_table_of(index).name]]


def _table_of(index: sa.Index) -> sa.Table:
    assert index.table is not None  # noqa: S101 - it is declared in one
    return index.table


_INDEXES = "SELECT name FROM sqlite_master WHERE type = 'index'"
_VALID = (
    "SELECT relname FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE indisvalid"
    " AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('core_tenants'))"
)


def _build_index(database: db.Database, index: sa.Index) -> None:
    """Build an index while others write; on SQLite they wait."""
    dialect = database.writer.dialect
    statement = str(sa.schema.CreateIndex(index).compile(dialect=dialect))
    if database.is_sqlite:
        _run_patiently(database, lambda db: db.exec_driver_sql(statement))
    else:
        _build_beside(database, dialect.identifier_preparer.format_index(index), statement)


def _build_search(database: db.Database, table: str) -> bool:
    """Index `search_text` of a table likewise; return whether the database, with its extensions, could."""
    if database.is_sqlite:
        return _run_patiently(database, lambda db: index_for_search(db, table))
    if not _run_patiently(database, make_extensions):
        return False
    _build_beside(database, search_index(table), search_statement(table))
    return True


def _build_beside(database: db.Database, name: str, statement: str) -> None:
    """Build an index of PostgreSQL outside of any transaction, in place of one whose building was broken off."""
    with database.writer.connect() as connection:
        raw: Any = connection.connection.driver_connection
        setattr(raw, UNHURRIED, True)
        try:
            if not hasattr(raw, "billycan_shares"):  # others have the session next, and it has no bounds
                for bound in ("statement_timeout", "lock_timeout"):
                    raw.execute(f"SET {bound} = 0")
            raw.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
            raw.execute(statement.replace(" INDEX ", " INDEX CONCURRENTLY ", 1))
        finally:
            connection.invalidate()  # its bounds are gone


def unindexed_tables(connection: sa.Connection, manifests: Mapping[str, Manifest]) -> list[str]:
    """List the tables that are searched row by row, because the database could not index them when they were made."""
    tables = [t.name for m in manifests.values() for t in m.tables if "search_text" in t.c]
    if connection.dialect.name == "sqlite":
        return filters.unindexed_tables(connection, tables)
    return [t for t in tables if connection.execute(sa.select(sa.func.to_regclass(search_index(t)))).scalar() is None]


def dependent_tables(connection: sa.Connection, manifest: Manifest) -> list[str]:
    """List the tables that refer to a plugin's and are not its own."""
    own, inspector = {table.name for table in manifest.tables}, sa.inspect(connection)
    others = sorted(set(inspector.get_table_names()) - own)
    return [t for t in others if any(key["referred_table"] in own for key in inspector.get_foreign_keys(t))]


def drop_plugin(database: db.Database, name: str, manifest: Manifest) -> None:
    """Undo all of a plugin's migrations, which deletes its tables and rows. Numbers given out stay used."""
    if packages.migrations_of(name) is None:
        return
    _, chain = versions.find_chains({name: manifest})
    with database.writing(across="a plugin's tables go with the rows of all") as connection:
        tables = [table.name for table in manifest.tables]
        connection.execute(sa.update(counters).where(counters.c.name.in_(tables)).values(live=0))
        if name in versions.stored_versions(connection, [name]):
            undo_migrations(connection, chain)
        if connection.dialect.name == "sqlite":
            for table in tables:
                filters.drop_index(connection, table)
        connection.execute(sa.text(f"DROP TABLE IF EXISTS {versions.table_of(name)}"))


def find_differences(database: db.Database, name: str, tables: tuple[sa.Table, ...]) -> list[Any]:
    """List the differences between a plugin's declared tables and those that its migrations made."""
    names = {table.name for table in tables}

    def mine(item: Any, table: str | None, kind: str, reflected: bool, other: Any) -> bool:
        if kind == "table":
            return table in names or (str(table).startswith(f"{name}_") and bool(reflected))
        # Search indexes exist in migrations only.
        return not (kind == "index" and str(table).endswith("_search"))

    def is_looked_at(found: str | None, kind: str, parents: Any) -> bool:
        """Tell whether to read a table of the database: reading those of all other plugins takes half a second."""
        return kind != "table" or found in names or str(found).startswith(f"{name}_")

    options = {"include_name": is_looked_at, "include_object": mine, "compare_type": False}
    with database.reading() as connection:
        context = MigrationContext.configure(connection, opts={**options, "version_table": versions.table_of(name)})
        found: list[Any] = compare_metadata(context, _with_referred(tables))
        return [d for d in found if not (d[0] == "remove_table" and d[1].name == versions.table_of(name))]


def _with_referred(tables: Iterable[sa.Table]) -> sa.MetaData:
    """Return these tables and those they refer to; other imported tables may refer to some that nobody declares."""
    found, waiting = dict.fromkeys(tables), list(tables)
    while waiting:
        referred = [key.column.table for key in waiting.pop().foreign_keys]
        waiting += [table for table in referred if table not in found]
        found |= dict.fromkeys(referred)
    copies = sa.MetaData(naming_convention=db.metadata.naming_convention)
    for table in found:
        table.to_metadata(copies)
    return copies


def describe_differences(differences: list[Any]) -> list[str]:
    """Describe the result of `find_differences` in words."""
    return [_describe_step(*d) for found in differences for d in (found if isinstance(found, list) else [found])]


def _describe_step(what: str, *about: Any) -> str:
    if what == "modify_nullable":
        _, table, column, _, _, nullable = about
        may = "must not be null in the database, and may" if nullable else "may be null in the database, and not"
        return f"the column {column} of the table {table} {may} in the code"
    thing = what.partition("_")[2]
    if thing == "column":
        table, name = about[1], about[2].name
    elif thing == "table":
        table, name = None, about[0].name
    else:
        table, name = about[0].table.name, about[0].name
    label = {"fk": "foreign key"}.get(thing, thing) + (f" {name}" if name else "")
    where = f"the table {table}" if table else "the database"
    if what.startswith("add_"):
        return f"{where} lacks the {label}"
    return f"{where} has the {label}, which the code does not declare"


def run_migrations(connection: sa.Connection, chain: Chain, to: str = "head") -> None:
    """Run the missing migrations of a chain up to this version."""
    scripts = _script_folder(chain)
    _run_steps(connection, chain, scripts, lambda version, _: scripts._upgrade_revs(to, version))


def undo_migrations(connection: sa.Connection, chain: Chain, to: str = "base") -> None:
    """Undo the migrations of a chain down to this version; `base` is before the first."""
    scripts = _script_folder(chain)
    _run_steps(connection, chain, scripts, lambda version, _: scripts._downgrade_revs(to, version))


def _run_steps(connection: sa.Connection, chain: Chain, scripts: ScriptDirectory, steps: Any) -> None:
    with EnvironmentContext(Config(), scripts, fn=steps) as environment:
        table = versions.table_of(chain.name)
        environment.configure(connection=connection, target_metadata=db.metadata, version_table=table)
        environment.run_migrations()


@cache
def _script_folder(chain: Chain) -> ScriptDirectory:
    config = Config()
    for option, folder in (("script_location", HERE), ("version_locations", chain.folder)):
        config.set_main_option(option, str(folder).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    scripts = ScriptDirectory.from_config(config)
    try:
        scripts.get_heads()
    except Exception as error:
        raise PluginError(
            f"{chain.name}: its migrations cannot be read: {error!r}: fix them or disable {chain.name}"
        ) from error
    return scripts
