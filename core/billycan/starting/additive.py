"""The rule that a migration only adds, so that the previous release keeps running on the tables.

A migration is read and not run. One that takes something away names in `oldest` the first version of the tables whose
code does without it: older code then refuses to start, and all other code goes on.
"""

import ast
from collections.abc import Iterator

from .plugins import PluginError
from .versions import Chain

_MAKES = ("create_table", "create_resource_table")
_ADDS = (*_MAKES, "create_index", "add_column", "drop_index", "execute", "f", "get_bind")
_CHANGES = ("UPDATE ", "DELETE ")
_TAKES = ("ALTER ", "DROP ", "TRUNCATE ", "LOCK ")


def require_additions(chain: Chain, found: str | None) -> None:
    """Raise PluginError if a migration after `found` changes what the code of the previous release relies on.

    One that names the `oldest` code that still works may; none may build an index on a table that has rows.
    """
    for step in chain.steps:
        if step.before is None or (found is not None and step.version <= found):
            continue  # nobody relies on anything before the first one
        tree = ast.parse(step.file.read_text("utf-8"))
        (upgrade,) = (each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == "upgrade")
        made = {_text_arguments(call)[0] for call in _list_calls(upgrade) if _operation_of(call) in _MAKES}
        for call in _list_calls(upgrade):
            if fault := _find_fault(call, made, takes=step.oldest is not None):
                raise PluginError(f"{chain.name}: its migration {step.version} {fault}")


def _find_fault(call: ast.Call, made: set[str], *, takes: bool) -> str:
    operation = _operation_of(call)
    table = _table_of_index(call) if operation == "create_index" else ""
    if table and table not in made:
        return (
            f"builds an index on the table {table}, which blocks writes: declare it in the table instead,"
            " and `billycan migrate` builds it without blocking them"
        )
    if takes:
        return ""
    cure = (
        'publish a release whose code does without it first, and name that release\'s last migration: oldest = "…";'
        " or name this migration, if all processes will be stopped"
    )
    if operation == "add_column" and not _may_be_left_out(call):
        return "adds a column that the code of the previous release leaves out: allow null, or give a server_default"
    if operation == "execute" and _text_arguments(call)[0].lstrip().upper().startswith(_CHANGES):
        return (
            "changes rows, which others wait for: define fill(db, tenant_id), and the worker fills them a few at a time"
        )
    if operation == "execute" and _text_arguments(call)[0].lstrip().upper().startswith(_TAKES):
        return f"changes existing tables with {_text_arguments(call)[0].split()[0]}: {cure}"
    if operation and operation not in _ADDS:
        return f"calls {operation}, which changes an existing table: {cure}"
    return ""


def _table_of_index(call: ast.Call) -> str:
    """The table that `op.create_index(name, table, …)` or `create_index(op, table, column)` indexes."""
    return _text_arguments(call)[1 if isinstance(call.func, ast.Attribute) else 0]


def _list_calls(tree: ast.AST) -> Iterator[ast.Call]:
    yield from (each for each in ast.walk(tree) if isinstance(each, ast.Call))


def _operation_of(call: ast.Call) -> str:
    """Return which of Alembic's operations a call is; an empty text if none."""
    function = call.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return function.attr if function.value.id == "op" else ""
    name = function.id if isinstance(function, ast.Name) else ""
    return name if name in (*_MAKES, "create_index") else ""


def _text_arguments(call: ast.Call) -> list[str]:
    """Return the texts among a call's arguments, and then empty ones."""
    found = [each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return [*found, "", ""]


def _may_be_left_out(call: ast.Call) -> bool:
    """Tell whether a row may be added without the column of an `add_column`."""
    columns = [each for each in ast.walk(call) if isinstance(each, ast.Call) and each is not call]
    given = {word.arg: word.value for column in columns for word in column.keywords}
    nullable = given.get("nullable")
    is_nullable = nullable is None or (isinstance(nullable, ast.Constant) and nullable.value is True)
    return "server_default" in given or (is_nullable and "unique" not in given and "primary_key" not in given)
