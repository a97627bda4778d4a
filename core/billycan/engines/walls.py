"""The separation of tenants besides each query's own condition: a check of every statement, and PostgreSQL's policies.

A connection is for one tenant, as in every request, or for the system, as when the worker looks for work that is due to
any tenant. On a tenant's connection each statement that touches tenants' rows must name that tenant. On the system's it
must name some tenant, unless the code that opened the connection, or the statement, says why it reaches across all of
them. On PostgreSQL, row-level security can stand behind that, if the server runs as a role that owns nothing: rows of
other tenants then do not exist for any statement.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.sql import operators
from sqlalchemy.sql.compiler import SQLCompiler

TENANT = "billycan_tenant"  # the execution option of a connection that is for one tenant
ACROSS = (
    "billycan_across"  # says why a statement, or all of a connection for the system, may touch rows of every tenant
)
ALL = "*"  # what PostgreSQL is told on a connection for the system
SETTING = "billycan.tenant"
Scope = dict[Any, list[Any]]  # the tables of one SELECT, each with the values that its tenant_id must equal
_seen: WeakKeyDictionary[Any, tuple[str, ...] | str] = WeakKeyDictionary()


def refuse_foreign_rows(
    db: Any, cursor: Any, statement: str, parameters: Any, context: Any, many: bool
) -> tuple[str, Any]:
    """Refuse a statement that touches rows of tenants that it may not touch: a listener for every connection."""
    if isinstance(context.compiled, SQLCompiler):
        check_tenants(context.compiled, context.compiled_parameters, context.execution_options)
    return statement, parameters


FOR_SQLALCHEMY: set[Any] = {refuse_foreign_rows}  # listeners to its statements whose work a Form does for its own


def check_tenants(compiled: SQLCompiler, given: Iterable[Any], options: Mapping[str, Any]) -> None:
    """Raise RuntimeError for a statement with these parameters on a connection with these options if it may not run."""
    tenant = options.get(TENANT)
    if tenant is None and ACROSS in options:
        return
    found = tenants_of(compiled)
    if isinstance(found, str):
        whose = "one tenant" if tenant else "the system"
        cure = "add own(ctx, …) to it" if tenant else "name the tenant in it, or open the connection with across='why'"
        raise RuntimeError(f"a statement of {whose} touches {found} of every tenant: {cure}")
    if tenant and any(each[name] != tenant for each in given for name in found):
        raise RuntimeError("a statement names another tenant than the one its connection is for")


def tenants_of(compiled: SQLCompiler) -> tuple[str, ...] | str:
    """Return the parameters that name a statement's tenants, or the name of a table of which it touches all rows."""
    found = _seen.get(compiled)
    if found is None:  # once for each statement, because SQLAlchemy caches compiled statements
        found = _seen[compiled] = _find_tenants(compiled)
    return found


def _find_tenants(compiled: SQLCompiler) -> tuple[str, ...] | str:
    statement: Any = compiled.statement
    if isinstance(statement, sa.Insert) and statement.select is None:
        names = tuple(name for name, bind in compiled.binds.items() if _is_tenant_of(bind, name, statement.table))
        return names if names or "tenant_id" not in statement.table.c else str(statement.table.name)
    named: set[Any] = set()
    if isinstance(statement, sa.Insert) and "tenant_id" in statement.table.c:
        source: Any = statement.select
        given = dict(zip(statement._select_names or (), source.selected_columns, strict=False))
        if isinstance(given.get("tenant_id"), sa.BindParameter):
            named.add(given["tenant_id"])
    return _open_table(statement, named) or tuple(compiled.bind_names.get(bind, bind.key) for bind in named)


def _open_table(statement: Any, named: set[Any]) -> str | None:
    """Return a table of which a statement touches all tenants' rows; add the tenants' parameters to `named`."""
    scopes: list[tuple[Scope, Sequence[Scope]]] = []
    _collect_scopes(statement, (), scopes, set())
    settled: set[tuple[int, Any]] = set()
    more = True
    while more:
        more = False
        for scope, above in scopes:
            for table, equals in scope.items():
                for other in equals:
                    if isinstance(other, sa.BindParameter):
                        named.add(other)
                    elif not any((id(s), other) in settled for s in (scope, *above)):
                        continue
                    if (id(scope), table) not in settled:
                        settled.add((id(scope), table))
                        more = True
    for scope, _ in scopes:
        for table in scope:
            if (id(scope), table) not in settled:
                return str(table.name)
    return None


def _is_tenant_of(bind: Any, name: str, table: Any) -> bool:
    return "tenant_id" in table.c and (name == "tenant_id" or name.startswith("tenant_id_m"))


# `get_final_froms` gives the same, but compiles the SELECT first, and everything in it again for each nested SELECT.
_UNUSED = SQLCompiler(DefaultDialect(), None)


def _collect_scopes(
    element: Any, above: Sequence[Scope], scopes: list[tuple[Scope, Sequence[Scope]]], walked: set[Any]
) -> None:
    """Collect the scopes of a statement, each with those around it; `walked` are the queries in a FROM seen so far."""
    if isinstance(element, sa.Select | sa.Update | sa.Delete):
        scope = scope_of(element, above)
    elif isinstance(element, sa.Subquery | sa.CTE):
        if element.element not in walked and not is_open(element):
            walked.add(element.element)
            _collect_scopes(element.element, (), scopes, walked)  # cannot refer to the query around it
        return
    else:
        for part in element.get_children():
            _collect_scopes(part, above, scopes, walked)
        return
    scopes.append((scope, above))
    for part in element.get_children():
        _collect_scopes(part, (scope, *above), scopes, walked)


def scope_of(element: Any, above: Sequence[Scope]) -> Scope:
    """Return the tenants' tables that a SELECT, UPDATE or DELETE within these others adds."""
    if not isinstance(element, sa.Select):
        scope: Scope = {t: [] for t in _named_tables(element.table)}
        for condition in split_and([element.whereclause]):
            _note_condition(condition, scope, scope)
        return scope
    froms = list(element._compile_state_factory(element, _UNUSED)._get_display_froms())
    hidden = {table for each in above for table in each} if element._auto_correlate else {*element._correlate}
    scope = {t: [] for each in froms for t in _named_tables(each) if t not in hidden}
    for condition, tables in _conditions_of([element.whereclause], froms, scope):
        _note_condition(condition, tables, scope)
    return scope


def froms_of(element: Any, around: set[Any]) -> set[Any]:
    """Return the tables and queries from which a SELECT takes rows, or an UPDATE's table; not those of its `around`."""
    if not isinstance(element, sa.Select):
        return {element.table}
    found, waiting = set[Any](), list(element._compile_state_factory(element, _UNUSED)._get_display_froms())
    while waiting:
        each = waiting.pop()
        if isinstance(each, sa.Join):
            waiting += (each.left, each.right)
        else:
            found.add(each)
    return found - (around if element._auto_correlate else {*element._correlate})


def locks_rows(element: Any) -> bool:
    """Tell whether a SELECT locks the rows that it finds."""
    return isinstance(element, sa.Select) and element._for_update_arg is not None


def is_open(element: Any) -> bool:
    """Tell whether a query in a FROM has the rows of every tenant, distinguished by its `tenant_id` outside of it."""
    return (
        isinstance(element, sa.Subquery | sa.CTE)
        and "tenant_id" in element.c
        and bool(_open_table(element.element, set()))
    )


def _named_tables(element: Any) -> Iterator[Any]:
    """Yield the tenants' tables that a FROM names itself."""
    if isinstance(element, sa.Join):
        yield from (*_named_tables(element.left), *_named_tables(element.right))
    elif is_open(element) or (isinstance(getattr(element, "element", element), sa.Table) and "tenant_id" in element.c):
        yield element


def _conditions_of(where: Any, froms: Sequence[Any], scope: Scope) -> Iterator[tuple[Any, Any]]:
    """Yield the conditions of a SELECT, each with the tables to whose rows it applies."""
    yield from ((condition, scope) for condition in split_and(where))
    joins = [each for each in froms if isinstance(each, sa.Join)]
    while joins:
        join = joins.pop()
        # The condition of an outer join filters rows of its right side only.
        tables = {*_named_tables(join.right)} if join.isouter or join.full else scope
        yield from ((condition, tables) for condition in split_and([join.onclause]))
        joins += [side for side in (join.left, join.right) if isinstance(side, sa.Join)]


def split_and(conditions: Any) -> Iterator[Any]:
    """Yield the conditions that all hold where these do."""
    for condition in conditions:
        inner = (
            getattr(condition, "element", condition) if isinstance(condition, sa.sql.elements.Grouping) else condition
        )
        if isinstance(inner, sa.BooleanClauseList) and inner.operator is operators.and_:
            yield from split_and(inner.clauses)
        else:
            yield inner


def _note_condition(condition: Any, tables: Any, scope: Scope) -> None:
    if not (isinstance(condition, sa.BinaryExpression) and condition.operator is operators.eq):
        return
    for one, other in ((condition.left, condition.right), (condition.right, condition.left)):
        if isinstance(one, sa.ColumnClause) and one.name == "tenant_id" and one.table in tables:
            if isinstance(other, sa.BindParameter):
                scope[one.table].append(other)
            elif isinstance(other, sa.ColumnClause) and other.name == "tenant_id":
                scope[one.table].append(other.table)


def look_for_policies(connection: Any, record: Any) -> None:
    """Note on a new connection whether policies hold for its role: a listener for PostgreSQL's connections.

    `billycan_told` is the tenant that PostgreSQL was last told: "" for none yet, and None if it need not be told.
    """
    active, is_cluster = connection.execute(_LOOK).fetchone()
    connection.rollback()
    connection.billycan_told = "" if active else None
    if active and is_cluster:
        connection.billycan_tells_nodes = True


HAS_CITUS = "to_regclass('pg_dist_node') IS NOT NULL"  # the extension's catalog of nodes is there
_LOOK = f"SELECT row_security_active(to_regclass('core_tenants')), {HAS_CITUS}"


def tells_nodes(connection: Any) -> bool:
    """Tell whether the tenant must be told to the nodes of a cluster, too, which only a transaction can do."""
    return hasattr(connection, "billycan_tells_nodes")


def tenant_statements(connection: Any, options: Mapping[str, Any]) -> list[tuple[bytes, tuple[Any, ...], bool]]:
    """Return the statements that tell PostgreSQL the tenant of the next ones, as in `Sent`; none if it knows.

    They hold until the transaction ends, or outside of one until the next such statement.
    """
    known, tenant = getattr(connection, "billycan_told", None), options.get(TENANT, ALL)
    if known is None or known == tenant:
        return []
    connection.billycan_told = tenant
    tell = getattr(connection, "billycan_shares", None)
    if tell is None and not tells_nodes(connection):
        return [(_TELL, (tenant, hasattr(connection, "billycan_begins")), False)]
    told: list[tuple[bytes, tuple[Any, ...], bool]] = [] if tell is None else [(tell, (tenant,), False)]
    if tells_nodes(connection):
        value = str(tenant).replace("'", "''")
        told += [(_TO_NODES, (), False), (f"SET LOCAL {SETTING} TO '{value}'".encode(), (), True)]
    return told


_TELL = f"SELECT set_config('{SETTING}', $1, $2)".encode()
# Citus passes on what SET LOCAL sets, but nothing that set_config() does.
_TO_NODES = b"SET LOCAL citus.propagate_set_commands TO 'local'"


def tell_with(settings: Mapping[str, str]) -> bytes:
    """Return a statement that tells PostgreSQL the tenant and these settings, all until the transaction ends."""
    more = "".join(f", set_config('{name}', '{value}', true)" for name, value in settings.items())
    return f"SELECT set_config('{SETTING}', $1, true){more}".encode()


def forget_tenant(connection: Any) -> None:
    """Have PostgreSQL told the tenant again before the next statement."""
    if connection.billycan_told is not None:
        connection.billycan_told = ""


def were_built_since(error: BaseException | None) -> bool:
    """Tell whether a statement failed because its connection is older than the policies."""
    return getattr(error, "sqlstate", None) == "42704" and SETTING in str(error)
