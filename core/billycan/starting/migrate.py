"""Bring core's and each enabled plugin's own tables to the version its code expects."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from .. import db, searching
from ..counters import counters
from ..manifest import Manifest
from ..migrations import index_for_search, search_index
from . import policies
from .command import to_type
from .plugins import PluginError

HERE = Path(__file__).parents[1]
CORE = HERE / "migrations"
_LOCK = 7_270_001


class SchemaBehind(Exception):
    """The database is not at the version the code expects, be it older or newer."""


def upgrade(
    database: db.Database, manifests: Mapping[str, Manifest], tell: Callable[[str], object] = lambda step: None
) -> list[str]:
    """Upgrade core, then each plugin, dependencies first, in one transaction; returns what changed.

    Behind row-level security new tables get their policies, and the server's role its rights to them. That role itself
    may change nothing: for it this raises SchemaBehind where anything is to be changed. `tell` hears of each step when
    it begins: some take long where there are many rows.
    """
    changed, chains = [], list(_chains(manifests))
    with database.writing(across="a migration changes the rows of all") as connection:
        if policies.stand(connection) and not policies.owns(connection):
            _check(connection, chains)
            return []
        if connection.dialect.name == "postgresql":
            # Two replicas that start together must not migrate together: one waits, however long the other takes.
            connection.execute(sa.text("SET LOCAL statement_timeout = 0"))
            connection.execute(sa.text("SET LOCAL lock_timeout = 0"))
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
            connection.execute(sa.text("SET LOCAL lock_timeout TO DEFAULT"))
        found = versions(connection, [name for name, _ in chains])
        for name, scripts in chains:
            before, wanted = found.get(name), scripts.get_current_head()
            if before != wanted:
                _refuse_newer(name, before, scripts)
                changed.append(f"{name}: {before or 'nothing'} -> {wanted}")
                tell(changed[-1])
                _run(connection, name, scripts, _to_head(scripts))
        for table in unindexed(connection, manifests):
            if index_for_search(connection, table):
                changed.append(f"{table}: indexed for search")
                tell(changed[-1])
        if policies.stand(connection):
            for step in policies.extend(connection):
                changed.append(step)
                tell(step)
    return changed


def unindexed(connection: sa.Connection, manifests: Mapping[str, Manifest]) -> list[str]:
    """The tables that are searched row by row, because the database could not index them when they were made."""
    tables = [t.name for m in manifests.values() for t in m.tables if "search_text" in t.c]
    if connection.dialect.name == "sqlite":
        return searching.unindexed(connection, tables)
    return [t for t in tables if connection.execute(sa.select(sa.func.to_regclass(search_index(t)))).scalar() is None]


def dependents(connection: sa.Connection, manifest: Manifest) -> list[str]:
    """The tables that point at a plugin's and are not its own."""
    own, inspector = {table.name for table in manifest.tables}, sa.inspect(connection)
    others = sorted(set(inspector.get_table_names()) - own)
    return [t for t in others if any(key["referred_table"] in own for key in inspector.get_foreign_keys(t))]


def drop(database: db.Database, name: str, manifest: Manifest) -> None:
    """Undo all of a plugin's migrations: its tables and their rows are gone. Numbers given stay used."""
    if manifest.migrations is None:
        return
    scripts = _scripts(name, manifest.migrations)
    with database.writing(across="a plugin's tables go with the rows of all") as connection:
        tables = [table.name for table in manifest.tables]
        connection.execute(sa.update(counters).where(counters.c.name.in_(tables)).values(live=0))
        if name in versions(connection, [name]):
            _run(connection, name, scripts, lambda rev, ctx: scripts._downgrade_revs("base", rev))
        if connection.dialect.name == "sqlite":
            for table in tables:
                searching.drop(connection, table)
        connection.execute(sa.text(f"DROP TABLE IF EXISTS {_version_table(name)}"))


def check(database: db.Database, manifests: Mapping[str, Manifest]) -> None:
    """Raise SchemaBehind where a plugin's tables are not at the version its code expects, or closed to this role."""
    chains = list(_chains(manifests))
    with database.reading() as connection:
        _check(connection, chains)


def _check(connection: sa.Connection, chains: list[tuple[str, ScriptDirectory]]) -> None:
    cure = f"run `{to_type('migrate')}`"
    if policies.stand(connection) and not policies.owns(connection):
        cure += " with BILLYCAN_DATABASE_OWNER set to the URL of who owns the tables"
    if lacks := policies.lacks(connection):
        raise SchemaBehind(f"{'; '.join(lacks)}: {cure}")
    versions_found = versions(connection, [name for name, _ in chains])
    for name, scripts in chains:
        found, wanted = versions_found.get(name), scripts.get_current_head()
        if found != wanted:
            _refuse_newer(name, found, scripts)
            raise SchemaBehind(f"{name} is at {found or 'nothing'} but the code expects {wanted}: {cure}")


def differences(database: db.Database, name: str, tables: tuple[sa.Table, ...]) -> list[Any]:
    """How a plugin's declared tables differ from those its migrations made."""
    names = {table.name for table in tables}

    def mine(item: Any, table: str | None, kind: str, reflected: bool, other: Any) -> bool:
        if kind == "table":
            return table in names or (str(table).startswith(f"{name}_") and bool(reflected))
        # The search indexes are made in migrations alone.
        return not (kind == "index" and str(table).endswith("_search"))

    with database.reading() as connection:
        context = MigrationContext.configure(
            connection, opts={"include_object": mine, "compare_type": False, "version_table": _version_table(name)}
        )
        found: list[Any] = compare_metadata(context, db.metadata)
        return [d for d in found if not (d[0] == "remove_table" and d[1].name == _version_table(name))]


def described(differences: list[Any]) -> list[str]:
    """What `differences` found, in words."""
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


def versions(connection: sa.Connection, names: Iterable[str]) -> dict[str, str]:
    """The versions that the tables of these plugins are at, without those that are before their first migration."""
    there = {*sa.inspect(connection).get_table_names()}
    stored: list[Any] = [
        sa.select(sa.literal(name), sa.column("version_num")).select_from(sa.table(_version_table(name)))
        for name in names
        if _version_table(name) in there
    ]
    return dict(connection.execute(sa.union_all(*stored)).all()) if stored else {}


def _to_head(scripts: ScriptDirectory) -> Any:
    return lambda rev, context: scripts._upgrade_revs("head", rev)


def _version_table(name: str) -> str:
    return f"billycan_version_{name}"


def _chains(manifests: Mapping[str, Manifest]) -> Iterator[tuple[str, ScriptDirectory]]:
    """The migrations of core and of each plugin that has any."""
    yield "core", _scripts("core", CORE)
    for name, manifest in manifests.items():
        if manifest.migrations:
            yield name, _scripts(name, manifest.migrations)


@cache
def _scripts(name: str, folder: Path) -> ScriptDirectory:
    if not folder.is_dir():
        raise PluginError(
            f"{name}: its folder of migrations, {folder}, does not exist: correct the path or reinstall the plugin"
        )
    config = Config()
    config.set_main_option("script_location", str(HERE).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", str(folder).replace("%", "%%"))
    scripts = ScriptDirectory.from_config(config)
    try:
        heads = sorted(scripts.get_heads())
    except Exception as error:
        raise PluginError(f"{name}: its migrations cannot be read: {error!r}: fix them or disable {name}") from error
    if len(heads) != 1:
        found = " and ".join(heads) or "none"
        raise PluginError(f"{name}: exactly one of its migrations must be the last, but there are {found}: chain them")
    for script in scripts.walk_revisions():
        if not re.fullmatch(rf"{name}_\d{{4}}", script.revision):
            raise PluginError(f"{name}: its migration {script.revision} must be called {name}_0001 or so: rename it")
    return scripts


def _refuse_newer(name: str, found: str | None, scripts: ScriptDirectory) -> None:
    if found is not None and found not in {script.revision for script in scripts.walk_revisions()}:
        raise SchemaBehind(
            f"{name} is at {found} but the code knows only up to {scripts.get_current_head()}: "
            "install the version of it that made these tables, or a newer one"
        )


def _run(connection: sa.Connection, name: str, scripts: ScriptDirectory, steps: Any) -> None:
    with EnvironmentContext(Config(), scripts, fn=steps) as environment:
        environment.configure(connection=connection, target_metadata=db.metadata, version_table=_version_table(name))
        environment.run_migrations()
