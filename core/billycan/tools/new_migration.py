"""Write a plugin's next migration: the differences between its declared tables and those that its migrations make."""

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from textwrap import indent as indent_lines
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from ..db import ByCodePoint, Database, Decimals, UTCDateTime
from ..manifest import Manifest
from ..starting import migrate, packages, plugins, versions

_WIDTH = 120
_TENANTS, _RESOURCE = ("tenant_id", "id"), ("external_id", "metadata", "version", "created_at", "updated_at")
_NAMES = sqlite.dialect().identifier_preparer
_POSTGRESQL = sa.make_url("postgresql+psycopg://").get_dialect()()
_FROM = {
    "billycan": ("ByCodePoint", "Decimals", "Json", "UTCDateTime"),
    "billycan.migrations": ("create_index", "create_resource_table", "key_columns"),
}
# What rows that exist get in a new column that must not be null.
_DEFAULTS: tuple[tuple[type, str], ...] = (
    (sa.Text, '""'),
    (sa.Integer, '"0"'),
    (Decimals, '"0"'),
    (sa.Boolean, "sa.false()"),
)
_STOPS = "# Earlier code must have stopped. Better: the first version whose code does without what goes."
_FILL = "# Rows that exist get this default. If they should have something else, set it below."


class Step(NamedTuple):
    """One change of a table and its undoing; `table` is set if both are parts of a `batch_alter_table`."""

    order: int
    up: str
    down: str
    table: str = ""


class NothingToDo(Exception):
    """The tables are as the migrations make them."""


def write_migration(name: str, what: str, *, empty: bool = False) -> Path:
    """Write the next migration of an installed plugin, or its first; `what` is the sentence that it begins with.

    Raise NothingToDo if the tables have not changed, unless it is to be `empty`: for one that changes rows only.
    """
    _, manifests = plugins.load_plugins(_with_required(name), {})
    manifest = manifests[name]
    folder = packages.migrations_of(name)
    if folder is None:
        raise plugins.PluginError(f"{name} has no tables, and so no migrations")
    is_first = not any(folder.glob("[!_]*.py"))
    last = None if is_first else versions.find_chains({name: manifest})[-1].last
    made = {other: each for other, each in manifests.items() if not (is_first and other == name)}
    steps = sorted(_steps_for(_find_differences(manifest, made)), key=lambda step: step.order)
    if not steps and not empty:
        raise NothingToDo(f"{name}: its tables are as {last} makes them: change them first, or add --empty")
    series, _, number = (last or f"{name}_0000").rpartition("_")
    revision = f"{series}_{int(number) + 1:0{len(number)}}"
    words = [word for word in re.findall(r"[a-z0-9]+", what.lower()) if word not in ("a", "an", "of", "the")]
    slug = "_".join(words[:4])
    path = folder / f"{revision}_{slug}.py"
    path.write_text(_write_source(what, revision, last, steps), "utf-8")
    return path


def _with_required(name: str) -> list[str]:
    """List a plugin and all that it requires, which its tables may refer to."""
    found, waiting = list[str](), [name]
    while waiting:
        if (one := waiting.pop()) not in found:
            found.append(one)
            waiting += plugins.read_manifest(one).requires
    return found


def _find_differences(manifest: Manifest, made: Mapping[str, Manifest]) -> Iterator[Any]:
    """Compare the declared tables with those that the migrations of `made` make in a database of their own."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(sa.make_url(f"sqlite:///{Path(folder) / 'migrated.db'}"))
        try:
            migrate.upgrade_all(database, made)
            found = migrate.find_differences(database, manifest.name, manifest.tables)
        finally:
            database.dispose()
    for each in found:
        yield from each if isinstance(each, list) else [each]


def _steps_for(differences: Iterable[Any]) -> Iterator[Step]:
    found = list(differences)
    tables = {about[0].name for what, *about in found if what in ("add_table", "remove_table")}
    for what, *about in found:
        verb, _, thing = what.partition("_")
        at = ""
        if what == "modify_nullable":
            _, at, name, said, before, after = about
            kind = _write_type(said["existing_type"])
            up, down = (
                f'table.alter_column("{name}", existing_type={kind}, nullable={null})' for null in (after, before)
            )
            yield Step(3, up, down, at)
            continue
        if thing == "table":
            indexes = [of[0] for what, *of in found if what.endswith("_index") and of[0].table.name == about[0].name]
            made, gone = _create_table(about[0], indexes), f'op.drop_table("{about[0].name}")'
        elif thing == "column":
            _, name, column = about
            made, gone = _add_column(name, column, fill=verb == "add"), f'op.drop_column("{name}", "{column.name}")'
        elif about[0].table.name in tables:
            continue  # created and dropped with its table
        elif thing == "index":
            # `billycan migrate` builds what is declared, while others write.
            made, gone = "", f'op.drop_index("{_write_name(about[0])}", "{about[0].table.name}", if_exists=True)'
        else:
            made, gone = _write_constraint(about[0])
            at = about[0].table.name
        # New constraints and indexes come after their columns; dropped ones before them.
        order = {"table": 1, "column": 2, "constraint": 3, "fk": 3, "index": 4}[thing]
        yield Step(order, made, gone, at) if verb == "add" else Step(-order, gone, made, at)


def _add_column(table: str, column: sa.Column[Any], *, fill: bool) -> str:
    """Return the code that adds a column, with an index if it is the column of searches."""
    line = _write_call("op.add_column", [f'"{table}"', _write_column(column, fill=fill)])
    line = f"{_FILL}\n{line}" if "server_default=" in line else line
    return line + (f'\ncreate_index(op, "{table}", "search_text")' if column.name == "search_text" else "")


def _create_table(table: sa.Table, indexes: Iterable[sa.Index]) -> str:
    """Return the code that creates a table and its indexes."""
    columns, names = [*table.columns], [column.name for column in table.columns]
    unique = [sorted(c.name for c in one.columns) for one in table.constraints if isinstance(one, sa.UniqueConstraint)]
    is_tenants = tuple(names[:2]) == _TENANTS
    is_resource = is_tenants and {*_RESOURCE} <= {*names} and ["external_id", "tenant_id"] in unique
    args = [f'"{table.name}"']
    if is_resource:
        columns = [column for column in columns if column.name not in (*_TENANTS, *_RESOURCE)]
        args.insert(0, "op")
    elif is_tenants:
        columns = columns[2:]
        args.append("*key_columns()")
    args += [_write_column(column) for column in columns]
    for constraint in sorted(table.constraints, key=_write_name):
        over = [column.name for column in getattr(constraint, "columns", ())]
        if isinstance(constraint, sa.ForeignKeyConstraint) and len(over) > 1:
            targets = [key.target_fullname for key in constraint.elements]
            given = [_write_list(over), _write_list(targets), f'name="{_write_name(constraint)}"']
            args.append(_write_call("sa.ForeignKeyConstraint", given, 9))
        elif isinstance(constraint, sa.UniqueConstraint) and not (
            is_resource and sorted(over) == ["external_id", "tenant_id"]
        ):
            args.append(f'sa.UniqueConstraint({", ".join(map(_write_text, over))}, name="{_write_name(constraint)}")')
        elif isinstance(constraint, sa.CheckConstraint):
            args.append(f'sa.CheckConstraint({_write_text(str(constraint.sqltext))}, name="{_write_name(constraint)}")')
    lines = [_write_call("create_resource_table" if is_resource else "op.create_table", args)]
    for index in sorted(indexes, key=_write_name):
        if not (is_resource and [c.name for c in index.columns] == ["tenant_id", "created_at", "id"]):
            lines.append(_write_index(index))
    if "search_text" in names:
        lines.append(f'create_index(op, "{table.name}", "search_text")')
    return "\n".join(lines)


def _write_index(index: sa.Index) -> str:
    columns = [column.name for column in index.columns]
    where = index.dialect_options["sqlite"].get("where")
    table = str(index.table.name) if index.table is not None else ""
    if (
        where is not None
        and str(where) == f"{columns[-1]} IS NOT NULL"
        and columns[:-1] == ["tenant_id"]
        and not index.unique
    ):
        return f'create_index(op, "{table}", "{columns[-1]}")'
    args = [f'"{_write_name(index)}"', f'"{table}"', _write_list(columns)]
    args += ["unique=True"] if index.unique else []
    args += [
        f"{dialect}_where=sa.text({_write_text(str(where))})"
        for dialect in ("sqlite", "postgresql")
        if where is not None
    ]
    return _write_call("op.create_index", args)


def _write_constraint(constraint: Any) -> tuple[str, str]:
    """Return the code that creates a constraint of a table in a batch, and the code that drops it."""
    name, over = _write_name(constraint), _write_list([column.name for column in constraint.columns])
    if isinstance(constraint, sa.ForeignKeyConstraint):
        targets = [key.target_fullname.rpartition(".") for key in constraint.elements]
        args = [f'"{name}"', f'"{targets[0][0]}"', over, _write_list([column for _, _, column in targets])]
        return _write_call("table.create_foreign_key", args, 8), f'table.drop_constraint("{name}", type_="foreignkey")'
    return f'table.create_unique_constraint("{name}", {over})', f'table.drop_constraint("{name}", type_="unique")'


def _write_column(column: sa.Column[Any], *, fill: bool = False) -> str:
    """Return the code of a column; with `fill`, a NOT NULL one gets a value for existing rows."""
    args = [f'"{column.name}"', _write_type(column.type)]
    args += [
        f'sa.ForeignKey("{key.target_fullname}")'
        for key in column.foreign_keys
        if key.constraint and len(key.constraint.elements) == 1
    ]
    args += ["primary_key=True"] if column.primary_key else []
    if not column.nullable and not column.primary_key:
        args.append("nullable=False")
        default = next((text for kind, text in _DEFAULTS if isinstance(column.type, kind)), None)
        args += [f"server_default={default or '...'}"] if fill else []
    return f"sa.Column({', '.join(args)})"


def _write_type(kind: Any) -> str:
    if isinstance(kind, Decimals):
        return f"Decimals({kind.places})"
    if isinstance(kind, UTCDateTime):
        return "UTCDateTime"
    if isinstance(kind, sa.JSON):
        return "Json"
    if kind is ByCodePoint or (isinstance(kind, sa.Text) and _collation_of(kind) == "C"):
        return "ByCodePoint"
    return f"sa.{kind!r}".removesuffix("()")


def _collation_of(kind: Any) -> str | None:
    """Return the collation that a type has on PostgreSQL."""
    found: str | None = kind.dialect_impl(_POSTGRESQL).collation
    return found


def _write_name(thing: Any) -> str:
    return str((_NAMES.format_index if isinstance(thing, sa.Index) else _NAMES.format_constraint)(thing) or "")


def _write_text(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _write_list(values: Iterable[str]) -> str:
    return f"[{', '.join(map(_write_text, values))}]"


def _write_call(function: str, args: list[str], indent: int = 4) -> str:
    """Return a call on one line, or with each argument on a line of its own."""
    line = f"{function}({', '.join(args)})"
    if indent + len(line) <= _WIDTH and len(args) < 5:
        return line
    return f"{function}(\n" + indent_lines("".join(f"{arg},\n" for arg in args), "    ") + ")"


def _write_source(what: str, revision: str, last: str | None, steps: list[Step]) -> str:
    up = [(step.up, step.table) for step in steps]
    down = [(step.down, step.table) for step in reversed(steps)]
    body = f"def upgrade() -> None:\n{_write_block(up)}\n\n\ndef downgrade() -> None:\n{_write_block(down)}\n"
    imports = ["import sqlalchemy as sa"] if "sa." in body else []
    imports += ["from alembic import op"] if re.search(r"\bop\b", body) else []
    own = [
        f"from {module} import {', '.join(found)}"
        for module, names in _FROM.items()
        if (found := [name for name in names if re.search(rf"(?<![.\w]){name}\b", body)])
    ]
    named = f'revision, down_revision = "{revision}", {_write_text(last) if last else None}'
    if last and any(step.table or step.order < 0 for step in steps if step.up):
        named += f'\noldest = "{revision}"  {_STOPS}'
    parts = [f'"""{what.rstrip(".")}."""', "\n".join(imports), "\n".join(own), named]
    return "\n\n".join(filter(None, parts)) + "\n\n\n" + body


def _write_block(lines: list[tuple[str, str]]) -> str:
    """Return the lines of a function; changes for which SQLite makes a table anew form one batch."""
    found: list[str] = []
    before = ""
    for text, table in lines:
        if table and table != before:
            found.append(f'with op.batch_alter_table("{table}") as table:')
        found += [f"    {line}" if table else line for line in text.splitlines()]
        before = table
    return "\n".join(f"    {line}" for line in found or ["pass"])
