"""Bring core's and each enabled plugin's own tables to the version its code expects."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from .. import db, filters
from ..counters import counters
from ..engines import UNHURRIED
from ..manifest import Manifest
from ..migrations import index_for_search, search_index
from . import packages, policies, versions
from .plugins import PluginError
from .versions import HERE, Chain

_LOCK = 7_270_001


def upgrade(
    database: db.Database, manifests: Mapping[str, Manifest], tell: Callable[[str], object] = lambda step: None
) -> list[str]:
    """Upgrade core, then each plugin, dependencies first, in one transaction; return the changes.

    Behind row-level security new tables get their policies, and the server's role its rights to them. That role itself
    may change nothing: it gets SchemaBehind if anything is to be changed. `tell` is called with each step when it
    begins, because some take long on many rows.
    """
    changed, chains = [], versions.chains(manifests)
    with database.writing(across="a migration changes the rows of all") as connection:
        connection.execution_options(**{UNHURRIED: True})
        if policies.stand(connection) and not policies.owns_tables(connection):
            versions.compare_versions(connection, chains)
            return []
        if connection.dialect.name == "postgresql":
            # Two replicas that start together must not migrate together: one waits, however long the other takes.
            connection.execute(sa.text("SET LOCAL statement_timeout = 0"))
            connection.execute(sa.text("SET LOCAL lock_timeout = 0"))
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
            connection.execute(sa.text("SET LOCAL lock_timeout TO DEFAULT"))
        found = versions.stored_versions(connection, [chain.name for chain in chains])
        for chain in chains:
            before = found.get(chain.name)
            if not chain.is_at(before):
                changed.append(f"{chain.name}: {before or 'nothing'} -> {chain.last}")
                tell(changed[-1])
                run(connection, chain)
        for table in unindexed_tables(connection, manifests):
            if index_for_search(connection, table):
                changed.append(f"{table}: indexed for search")
                tell(changed[-1])
        if policies.stand(connection):
            for step in policies.extend_policies(connection):
                changed.append(step)
                tell(step)
    return changed


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


def drop(database: db.Database, name: str, manifest: Manifest) -> None:
    """Undo all of a plugin's migrations, which deletes its tables and rows. Numbers given out stay used."""
    if packages.migrations_of(name) is None:
        return
    _, chain = versions.chains({name: manifest})
    with database.writing(across="a plugin's tables go with the rows of all") as connection:
        tables = [table.name for table in manifest.tables]
        connection.execute(sa.update(counters).where(counters.c.name.in_(tables)).values(live=0))
        if name in versions.stored_versions(connection, [name]):
            undo(connection, chain)
        if connection.dialect.name == "sqlite":
            for table in tables:
                filters.drop(connection, table)
        connection.execute(sa.text(f"DROP TABLE IF EXISTS {versions.table_of(name)}"))


def differences(database: db.Database, name: str, tables: tuple[sa.Table, ...]) -> list[Any]:
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


def described(differences: list[Any]) -> list[str]:
    """Describe the result of `differences` in words."""
    return [_described(*d) for found in differences for d in (found if isinstance(found, list) else [found])]


def _described(what: str, *about: Any) -> str:
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


def run(connection: sa.Connection, chain: Chain, to: str = "head") -> None:
    """Run the missing migrations of a chain up to this version."""
    scripts = _scripts(chain)
    _run(connection, chain, scripts, lambda version, _: scripts._upgrade_revs(to, version))


def undo(connection: sa.Connection, chain: Chain, to: str = "base") -> None:
    """Undo the migrations of a chain down to this version; `base` is before the first."""
    scripts = _scripts(chain)
    _run(connection, chain, scripts, lambda version, _: scripts._downgrade_revs(to, version))


def _run(connection: sa.Connection, chain: Chain, scripts: ScriptDirectory, steps: Any) -> None:
    with EnvironmentContext(Config(), scripts, fn=steps) as environment:
        table = versions.table_of(chain.name)
        environment.configure(connection=connection, target_metadata=db.metadata, version_table=table)
        environment.run_migrations()


@cache
def _scripts(chain: Chain) -> ScriptDirectory:
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
