"""What keeps tenants apart besides each query's own condition: a look at every statement, and PostgreSQL's policies.

A connection is for one tenant, as in every request, or for the system, as where the worker looks for what is due to
anybody. On a tenant's connection each statement that touches tenants' rows must name that tenant. On the system's it
must name some tenant, unless whoever opened the connection, or wrote the statement, says why it reaches across all of
them. On PostgreSQL, row-level security can stand behind that, where the server runs as a role that owns nothing: rows
of other tenants are then not there, whatever a statement asks for.
"""

from collections.abc import Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from sqlalchemy.sql import operators
from sqlalchemy.sql.compiler import SQLCompiler

TENANT = "billycan_tenant"  # the execution option of a connection that is for one tenant
ACROSS = (
    "billycan_across"  # says why a statement, or all of a connection for the system, may touch rows of every tenant
)
ALL = "*"  # what PostgreSQL is told on a connection for the system
SETTING = "billycan.tenant"
POLICY = "billycan_tenant"

# Every statement ------------------------------------------------------------------------------------------------------

Scope = dict[Any, list[Any]]  # of one SELECT: its tables, each with what its tenant_id must equal
_seen: WeakKeyDictionary[Any, tuple[str, ...] | str] = WeakKeyDictionary()


def look_at(db: Any, cursor: Any, statement: str, parameters: Any, context: Any, many: bool) -> None:
    """Refuse a statement that touches rows of others than it may: a listener for every connection."""
    options = context.execution_options
    compiled, tenant = context.compiled, options.get(TENANT)
    if not isinstance(compiled, SQLCompiler) or (tenant is None and ACROSS in options):
        return
    found = _seen.get(compiled)
    if found is None:  # once for each statement that is built: SQLAlchemy keeps what it compiled
        found = _seen[compiled] = _tenants_of(compiled)
    if isinstance(found, str):
        whose = "one tenant" if tenant else "the system"
        cure = "add own(ctx, …) to it" if tenant else "name the tenant in it, or open the connection with across='why'"
        raise RuntimeError(f"a statement of {whose} touches {found} of every tenant: {cure}")
    if tenant and any(given[name] != tenant for given in context.compiled_parameters for name in found):
        raise RuntimeError("a statement names another tenant than the one its connection is for")


def _tenants_of(compiled: SQLCompiler) -> tuple[str, ...] | str:
    """The parameters that say whose rows a statement touches; the name of a table of which it touches everybody's."""
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
    return _open(statement, named) or tuple(compiled.bind_names.get(bind, bind.key) for bind in named)


def _open(statement: Any, named: set[Any]) -> str | None:
    """The table of which a statement touches everybody's rows, if any; `named` gets the parameters that say whose."""
    scopes: list[tuple[Scope, Sequence[Scope]]] = []
    _walk(statement, (), scopes)
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


def _walk(element: Any, above: Sequence[Scope], scopes: list[tuple[Scope, Sequence[Scope]]]) -> None:
    """Collect the scopes of a statement, each with those around it."""
    if isinstance(element, sa.Select):
        froms = list(element.get_final_froms())
        hidden = {table for scope in above for table in scope} if element._auto_correlate else {*element._correlate}
        scope: Scope = {t: [] for each in froms for t in _tables(each) if t not in hidden}
        for condition, tables in _conditions(element._where_criteria, froms, scope):
            _note(condition, tables, scope)
    elif isinstance(element, sa.Update | sa.Delete):
        scope = {t: [] for t in _tables(element.table)}
        for condition in _flat(element._where_criteria):
            _note(condition, scope, scope)
    elif isinstance(element, sa.Subquery | sa.CTE):
        if not _is_open(element):
            _walk(element.element, (), scopes)  # sees nothing of what is around it
        return
    else:
        for part in element.get_children():
            _walk(part, above, scopes)
        return
    scopes.append((scope, above))
    for part in element.get_children():
        _walk(part, (scope, *above), scopes)


def _is_open(element: Any) -> bool:
    """Whether a query in a FROM has the rows of every tenant, told apart by its `tenant_id` outside of it."""
    return (
        isinstance(element, sa.Subquery | sa.CTE) and "tenant_id" in element.c and bool(_open(element.element, set()))
    )


def _tables(element: Any) -> Iterator[Any]:
    """The tenants' tables that a FROM names itself."""
    if isinstance(element, sa.Join):
        yield from (*_tables(element.left), *_tables(element.right))
    elif _is_open(element) or (isinstance(getattr(element, "element", element), sa.Table) and "tenant_id" in element.c):
        yield element


def _conditions(where: Any, froms: Sequence[Any], scope: Scope) -> Iterator[tuple[Any, Any]]:
    """What must hold of the rows of a SELECT, and of which of its tables' rows."""
    yield from ((condition, scope) for condition in _flat(where))
    joins = [each for each in froms if isinstance(each, sa.Join)]
    while joins:
        join = joins.pop()
        # What an outer join asks leaves out rows of its right side only.
        tables = {*_tables(join.right)} if join.isouter or join.full else scope
        yield from ((condition, tables) for condition in _flat([join.onclause]))
        joins += [side for side in (join.left, join.right) if isinstance(side, sa.Join)]


def _flat(conditions: Any) -> Iterator[Any]:
    for condition in conditions:
        inner = (
            getattr(condition, "element", condition) if isinstance(condition, sa.sql.elements.Grouping) else condition
        )
        if isinstance(inner, sa.BooleanClauseList) and inner.operator is operators.and_:
            yield from _flat(inner.clauses)
        else:
            yield inner


def _note(condition: Any, tables: Any, scope: Scope) -> None:
    if not (isinstance(condition, sa.BinaryExpression) and condition.operator is operators.eq):
        return
    for one, other in ((condition.left, condition.right), (condition.right, condition.left)):
        if isinstance(one, sa.ColumnClause) and one.name == "tenant_id" and one.table in tables:
            if isinstance(other, sa.BindParameter):
                scope[one.table].append(other)
            elif isinstance(other, sa.ColumnClause) and other.name == "tenant_id":
                scope[one.table].append(other.table)


# PostgreSQL's policies ------------------------------------------------------------------------------------------------


def look_for_policies(connection: Any, record: Any) -> None:
    """Note on a new connection whether policies hold for its role: a listener for PostgreSQL's connections.

    `billycan_told` is whom it last told PostgreSQL of: "" for nobody yet, and None where PostgreSQL need not know.
    """
    found = connection.execute("SELECT row_security_active(to_regclass('core_tenants'))").fetchone()
    connection.rollback()
    connection.billycan_told = "" if found[0] else None


def is_told(cursor: Any, context: Any) -> bool:
    """Whether PostgreSQL knows for whom a statement is, as far as it must."""
    told = getattr(cursor.connection, "billycan_told", None)
    return told is None or told == context.execution_options.get(TENANT, ALL)


def tell(cursor: Any, statement: str, parameters: Any, context: Any) -> None:
    """Tell PostgreSQL for whom a statement is: until the transaction ends, or outside of one until it is told again."""
    if is_told(cursor, context):
        return
    connection, tenant = cursor.connection, context.execution_options.get(TENANT, ALL)
    connection.billycan_told = ""  # should this fail, it is told again
    connection.execute(f"SELECT set_config('{SETTING}', %s, %s)", (tenant, not connection.autocommit))
    connection.billycan_told = tenant


def forget(connection: Any) -> None:
    """Have PostgreSQL be told anew before the next statement."""
    if connection.billycan_told is not None:
        connection.billycan_told = ""


def forget_last(db: sa.Connection) -> None:
    """Forget whom the last transaction was for, as PostgreSQL does: a listener for the begin of each."""
    forget(db.connection.driver_connection)


def were_built_since(error: BaseException | None) -> bool:
    """Whether a statement failed because its connection is older than the policies."""
    return getattr(error, "sqlstate", None) == "42704" and SETTING in str(error)


def build(db: sa.Connection, role: str, password: str) -> bool:
    """Have policies hold for every role, and let this one run the server; returns whether it was made, with `password`.

    It may read and write rows and owns nothing. Raises RuntimeError for a role that no policy would hold for.
    """
    name = db.dialect.identifier_preparer.quote_identifier(role)
    found = db.execute(_ROLE, {"role": role}).first()
    if found is None:
        secret = db.execute(sa.text("SELECT quote_literal(:password)"), {"password": password}).scalar()
        db.exec_driver_sql(f"CREATE ROLE {name} LOGIN PASSWORD {secret}")
    elif found.above:
        raise RuntimeError(f"no policy holds for the role {role}, which is a superuser or owns tables: name another")
    schema, _ = db.execute(sa.text(_OWNER)).one()
    db.execute(sa.text(f"GRANT USAGE ON SCHEMA {schema} TO {name}"))
    _let_analyze(db)
    extend(db, role)
    return found is None


def stand(db: sa.Connection) -> bool:
    """Whether there are policies in this database."""
    return db.dialect.name == "postgresql" and bool(db.execute(sa.text(_STAND)).scalar())


def owns(db: sa.Connection) -> bool:
    """Whether the role that asks may change the tables."""
    asked = "SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass('core_tenants')"
    return bool(db.execute(sa.text(asked)).scalar())


def gaps(db: sa.Connection) -> list[str]:
    """The tables of tenants' rows that no policy guards."""
    return [row.table for row in db.execute(sa.text(_GAPS))]


def lacks(db: sa.Connection) -> list[str]:
    """What keeps the role that asks from running the server behind policies, in words; who owns the tables may."""
    if not stand(db) or owns(db):
        return []
    role = db.execute(sa.text("SELECT current_user")).scalar_one()
    found = [f"no policy guards {', '.join(missing)}"] if (missing := gaps(db)) else []
    closed = [row.name for row in db.execute(_CLOSED, {"role": role})]
    closed += [] if db.execute(_MAY_ANALYZE, {"role": role}).scalar() else ["billycan_analyze"]
    return found + ([f"the role {role} may not use {', '.join(closed)}"] if closed else [])


def extend(db: sa.Connection, *roles: str) -> list[str]:
    """Give tables of tenants' rows their policy, and the server's roles their rights to all; returns what was lacking.

    Those are `roles`, and whoever else may add tenants and does not own them.
    """
    changed = []
    for table, column in db.execute(sa.text(_GAPS)).all():
        db.exec_driver_sql(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
        db.exec_driver_sql(f"DROP POLICY IF EXISTS {POLICY} ON {table}")
        # Asked for once in a statement, and not for each row. Where nobody was told, it fails.
        told = f"(SELECT current_setting('{SETTING}'))"
        db.exec_driver_sql(f"CREATE POLICY {POLICY} ON {table} USING ({told} IN ({column}, '{ALL}'))")
        changed.append(f"{table}: guarded by its policy")
    for role in {*roles, *db.execute(sa.text(_ROLES)).scalars()}:
        changed += _let_use(db, role)
    for function in _INDEXED:
        try:
            with db.begin_nested():
                db.exec_driver_sql(f"ALTER FUNCTION pg_catalog.{function} LEAKPROOF")
        except sa.exc.ProgrammingError:
            break  # only a superuser may
    return changed


def _let_use(db: sa.Connection, role: str) -> list[str]:
    """Give a role its rights to what was added since it got them last; returns what that is."""
    name, closed = db.dialect.identifier_preparer.quote_identifier(role), db.execute(_CLOSED, {"role": role}).all()
    for thing, is_sequence in closed:
        rights = f"USAGE ON SEQUENCE {thing}" if is_sequence else f"SELECT, INSERT, UPDATE, DELETE ON {thing}"
        db.exec_driver_sql(f"GRANT {rights} TO {name}")
    if not db.execute(_MAY_ANALYZE, {"role": role}).scalar():
        _let_analyze(db)
        db.exec_driver_sql(f"GRANT EXECUTE ON FUNCTION billycan_analyze TO {name}")
    return [f"{thing}: open to {role}" for thing, _ in closed]


def _let_analyze(db: sa.Connection) -> None:
    """Make the function by which others take stock of a table: only its owner may, or who acts as the owner in that."""
    schema, owner = db.execute(sa.text(_OWNER)).one()
    for statement in (
        "CREATE OR REPLACE FUNCTION billycan_analyze(name text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER"
        f" SET search_path = {schema}, pg_temp AS $$ BEGIN EXECUTE format('ANALYZE %I', name); END $$",
        f"ALTER FUNCTION billycan_analyze OWNER TO {owner}",
        "REVOKE ALL ON FUNCTION billycan_analyze FROM PUBLIC",
    ):
        db.execute(sa.text(statement))


def unindexed(db: sa.Connection) -> bool:
    """Whether policies keep PostgreSQL from searching by an index, since no superuser has built them."""
    return stand(db) and not db.execute(sa.text(_LEAKPROOF)).scalar()


# Beneath a policy only those look into an index that tell nothing of the values they compare. LIKE and @> do not, but
# for an error about the pattern itself.
_INDEXED = ("textlike(text, text)", "jsonb_contains(jsonb, jsonb)")
_LEAKPROOF = (
    "SELECT bool_and(proleakproof) FROM pg_proc WHERE pronamespace = 'pg_catalog'\\:\\:regnamespace"
    " AND proname IN ('textlike', 'jsonb_contains')"
)
_STAND = (
    "SELECT count(*) > 0 FROM pg_policy WHERE polname = 'billycan_tenant' AND polrelid = to_regclass('core_tenants')"
)
_OWNER = (
    "SELECT quote_ident(relnamespace\\:\\:regnamespace\\:\\:text), quote_ident(pg_get_userbyid(relowner))"
    " FROM pg_class WHERE oid = to_regclass('core_tenants')"
)
_ROLES = """
SELECT DISTINCT rolname FROM pg_class c, aclexplode(relacl) acl JOIN pg_roles r ON r.oid = acl.grantee
WHERE c.oid = to_regclass('core_tenants') AND privilege_type = 'INSERT' AND grantee <> relowner
"""
_CLOSED = sa.text("""
SELECT quote_ident(relname) AS name, relkind = 'S' AS is_sequence FROM pg_class
WHERE relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('core_tenants'))
AND NOT CASE relkind WHEN 'S' THEN has_sequence_privilege(:role, oid, 'USAGE') WHEN 'r' THEN
 has_table_privilege(:role, oid, 'SELECT') AND has_table_privilege(:role, oid, 'INSERT')
 AND has_table_privilege(:role, oid, 'UPDATE') AND has_table_privilege(:role, oid, 'DELETE') ELSE true END
ORDER BY relname
""")
_MAY_ANALYZE = sa.text(
    "SELECT coalesce(has_function_privilege(:role, to_regprocedure('billycan_analyze(text)'), 'EXECUTE'), false)"
)
_ROLE = sa.text(
    "SELECT rolsuper OR rolbypassrls OR EXISTS (SELECT FROM pg_class WHERE relowner = r.oid AND relkind = 'r') AS above"
    " FROM pg_roles r WHERE rolname = :role"
)
_GAPS = """
SELECT quote_ident(c.relname) AS table, quote_ident(a.attname) AS column
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped
WHERE c.relkind = 'r' AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('core_tenants'))
AND a.attname = CASE c.relname WHEN 'core_tenants' THEN 'id' ELSE 'tenant_id' END
AND NOT (c.relrowsecurity AND c.relforcerowsecurity
         AND EXISTS (SELECT FROM pg_policy WHERE polrelid = c.oid AND polname = 'billycan_tenant'))
ORDER BY c.relname
"""
