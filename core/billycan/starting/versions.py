"""The versions of the tables and those that the code expects: every process compares them at its start.

Migrations are parsed here and not imported, so that only the process that runs them loads Alembic.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from .. import db
from ..manifest import Manifest
from . import packages, policies
from .command import command_line
from .plugins import PluginError

HERE = Path(__file__).parents[1]
_SAYS = re.compile(r"^(?:(?:down_)?revision|oldest)\b.*=.*$", re.MULTILINE)

oldest = db.new_table(
    "core_oldest",
    sa.Column("name", db.ByCodePoint, primary_key=True),
    sa.Column("version", sa.Text, nullable=False),
    of="deployment",
)


class SchemaBehind(Exception):
    """The database is not at the version that the code expects, older or newer."""


class Step(Struct, frozen=True):
    """A migration: its version, the one before it, and, if it takes something away, the oldest whose code goes on.

    `fills` is True if it leaves rows to be filled to the worker.
    """

    version: str
    before: str | None
    oldest: str | None
    file: Path
    fills: bool


class Chain(Struct, frozen=True):
    """The migrations of core or of a plugin: their folder, their versions, and the last of them."""

    name: str
    folder: Path
    known: frozenset[str]
    last: str
    steps: tuple["Step", ...]

    def after(self, found: str | None) -> Step:
        """Return the migration that follows this version."""
        return next(step for step in self.steps if step.before == found)

    def oldest(self, version: str) -> str:
        """Return the oldest version whose code runs on tables of this one; an empty text if all code does."""
        return max((step.oldest or "" for step in self.steps if step.version <= version), default="")

    def is_at(self, found: str | None, oldest: str | None = None) -> bool:
        """Tell whether tables are at the version the code expects, or at a later one that still serves it.

        Raise SchemaBehind if they are of a release that serves only code from `oldest` on, and this is older.
        """
        if found is None or found in self.known:
            return found == self.last
        if found < self.last or (oldest or "") > self.last:
            raise SchemaBehind(
                f"{self.name} is at {found} but the code knows only up to {self.last}: "
                "install the version of it that made these tables, or a newer one"
            )
        return True


def find_chains(manifests: Mapping[str, Manifest]) -> list[Chain]:
    """Return core's chain and that of each plugin with migrations; raise PluginError for a broken chain."""
    folders = {name: packages.migrations_of(name) for name in ("core", *manifests)}
    return [_read_chain(name, folder) for name, folder in folders.items() if folder]


def check_schema(database: db.Database, manifests: Mapping[str, Manifest]) -> None:
    """Raise SchemaBehind if a plugin's tables are not at the version its code expects, or closed to this role."""
    expected = find_chains(manifests)
    with database.reading() as connection:
        compare_versions(connection, expected)


def compare_versions(connection: sa.Connection, expected: Iterable[Chain]) -> None:
    """Compare the versions of the tables with these chains, as `check` does, on this connection."""
    cure = f"run `{command_line('migrate')}`"
    if policies.has_policies(connection) and not policies.owns_tables(connection):
        cure += " with BILLYCAN_DATABASE_OWNER set to the URL of who owns the tables"
    if lacks := policies.missing_rights(connection):
        raise SchemaBehind(f"{'; '.join(lacks)}: {cure}")
    expected = list(expected)
    there = stored_versions(connection, [chain.name for chain in expected])
    serves = stored_oldest(connection) if any(there.get(c.name) not in (None, *c.known) for c in expected) else {}
    for chain in expected:
        at = there.get(chain.name)
        if not chain.is_at(at, serves.get(chain.name)):
            raise SchemaBehind(f"{chain.name} is at {at or 'nothing'} but the code expects {chain.last}: {cure}")


def stored_versions(connection: sa.Connection, names: Iterable[str]) -> dict[str, str]:
    """Return the versions of these plugins' tables, leaving out those before their first migration."""
    there = {*sa.inspect(connection).get_table_names()}
    stored: list[Any] = [
        sa.select(sa.literal(name), sa.column("version_num")).select_from(sa.table(table_of(name)))
        for name in names
        if table_of(name) in there
    ]
    return dict(connection.execute(sa.union_all(*stored)).all()) if stored else {}


def stored_oldest(connection: sa.Connection) -> dict[str, str]:
    """Map plugins to the oldest version whose code their tables serve; those that serve every version are left out."""
    there = sa.inspect(connection).has_table(oldest.name)
    return dict(connection.execute(sa.select(oldest.c.name, oldest.c.version)).all()) if there else {}


def table_of(name: str) -> str:
    """Return the name of the table that holds the version of a plugin's tables."""
    return f"billycan_version_{name}"


@cache
def _read_chain(name: str, folder: Path) -> Chain:
    files = [file for file in sorted(folder.glob("*.py")) if not file.name.startswith("_")]
    steps = {step.version: step for step in (_parse_migration(name, file) for file in files)}
    before = {step.version: step.before for step in steps.values()}
    if missing := sorted({*filter(None, before.values())} - {*before}):
        raise PluginError(f"{name}: its migration {missing[0]} is not there: restore it or disable {name}")
    last = sorted({*before} - {*before.values()})
    if len(last) != 1:
        there = " and ".join(last) or "none"
        raise PluginError(f"{name}: exactly one of its migrations must be the last, but there are {there}: chain them")
    for version in before:
        if not re.fullmatch(rf"{name}_\d{{4}}", version):
            raise PluginError(f"{name}: its migration {version} must be called {name}_0001 or so: rename it")
    for step in steps.values():
        filled = max((s.version for s in steps.values() if s.fills and s.version <= step.version), default="")
        if step.oldest is not None and (step.fills or step.oldest < filled):
            said = f"its migration {step.version} takes away what code before {filled} needs"
            raise PluginError(f"{name}: {said}, which fills rows: publish it later, with {filled} or later as oldest")
        if step.oldest is not None and (step.oldest not in before or step.oldest > step.version):
            said = f"its migration {step.version} has {step.oldest} as oldest"
            raise PluginError(f"{name}: {said}: name one of its migrations that is not later")
    return Chain(name, folder, frozenset(before), last[0], tuple(steps.values()))


def _parse_migration(name: str, file: Path) -> Step:
    """Parse the literals `revision`, `down_revision` and `oldest` of a migration, of which the last may be missing."""
    try:
        text = file.read_text("utf-8")
        said = dict(_read_assignments("\n".join(_SAYS.findall(text))))
        return Step(said["revision"], said["down_revision"], said.get("oldest"), file, "\ndef fill(" in text)
    except (SyntaxError, ValueError, KeyError) as error:
        raise PluginError(
            f"{name}: its migration {file} cannot be read: {error!r}: "
            "assign a text to revision, and a text or None to down_revision, each in one line"
        ) from error


def _read_assignments(text: str) -> Iterator[tuple[str, Any]]:
    for each in ast.parse(text).body:
        target: Any = each.target if isinstance(each, ast.AnnAssign) else each.targets[0]  # type: ignore[attr-defined]
        value = ast.literal_eval(each.value)  # type: ignore[attr-defined]
        if isinstance(target, ast.Tuple):
            yield from zip((name.id for name in target.elts), value, strict=True)  # type: ignore[attr-defined]
        else:
            yield target.id, value
