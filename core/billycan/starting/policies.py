"""Policies that `billycan database harden` gives PostgreSQL: row-level security, and a role that owns nothing.

`walls` tells PostgreSQL which tenant a statement is for, and builds the condition of the policies.
"""

import sqlalchemy as sa

from ..engines.walls import ALL, SETTING

POLICY = "billycan_tenant"


def create_policies(db: sa.Connection, role: str, password: str) -> bool:
    """Create policies that hold for every role, and let this role run the server; return whether it was created.

    It is created with `password`, may read and write rows, and owns nothing. Raise RuntimeError for a role that
    bypasses policies.
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
    extend_policies(db, role)
    return found is None


def has_policies(db: sa.Connection) -> bool:
    """Tell whether there are policies in this database."""
    return db.dialect.name == "postgresql" and bool(db.execute(sa.text(_STAND)).scalar())


def owns_tables(db: sa.Connection) -> bool:
    """Tell whether the connected role may change the tables."""
    asked = "SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass('core_tenants')"
    return bool(db.execute(sa.text(asked)).scalar())


def tables_without_policy(db: sa.Connection) -> list[str]:
    """List the tables of tenants' rows that have no policy."""
    return [row.table for row in db.execute(sa.text(_GAPS))]


def missing_rights(db: sa.Connection) -> list[str]:
    """List in words what keeps the connected role from running the server behind policies; the tables' owner may."""
    if not has_policies(db) or owns_tables(db):
        return []
    role = db.execute(sa.text("SELECT current_user")).scalar_one()
    found = [f"no policy guards {', '.join(missing)}"] if (missing := tables_without_policy(db)) else []
    closed = [row.name for row in db.execute(_CLOSED, {"role": role})]
    closed += [] if db.execute(_MAY_ANALYZE, {"role": role}).scalar() else ["billycan_analyze"]
    return found + ([f"the role {role} may not use {', '.join(closed)}"] if closed else [])


def extend_policies(db: sa.Connection, *roles: str) -> list[str]:
    """Give tables of tenants' rows their policy, and the server's roles their rights; return what was lacking.

    Those are `roles`, and any other role that may add tenants and does not own them.
    """
    changed = []
    for table, column in db.execute(sa.text(_GAPS)).all():
        db.exec_driver_sql(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
        db.exec_driver_sql(f"DROP POLICY IF EXISTS {POLICY} ON {table}")
        # Evaluated once for a statement, not for each row. It fails if no tenant was set.
        told = f"(SELECT current_setting('{SETTING}'))"
        db.exec_driver_sql(f"CREATE POLICY {POLICY} ON {table} USING ({told} IN ({column}, '{ALL}'))")
        changed.append(f"{table}: guarded by its policy")
    for role in {*roles, *db.execute(sa.text(_ROLES)).scalars()}:
        changed += _let_use(db, role)
    for function in INDEXED:
        try:
            with db.begin_nested():
                db.exec_driver_sql(f"ALTER FUNCTION pg_catalog.{function} LEAKPROOF")
        except sa.exc.ProgrammingError:
            break  # only a superuser may
    return changed


def _let_use(db: sa.Connection, role: str) -> list[str]:
    """Give a role its rights to what was added since it last got them; return what that is."""
    name, closed = db.dialect.identifier_preparer.quote_identifier(role), db.execute(_CLOSED, {"role": role}).all()
    for thing, is_sequence in closed:
        rights = f"USAGE ON SEQUENCE {thing}" if is_sequence else f"SELECT, INSERT, UPDATE, DELETE ON {thing}"
        db.exec_driver_sql(f"GRANT {rights} TO {name}")
    if not db.execute(_MAY_ANALYZE, {"role": role}).scalar():
        _let_analyze(db)
        db.exec_driver_sql(f"GRANT EXECUTE ON FUNCTION billycan_analyze TO {name}")
    return [f"{thing}: open to {role}" for thing, _ in closed]


def _let_analyze(db: sa.Connection) -> None:
    """Create the function by which other roles can analyze a table, which PostgreSQL only allows its owner."""
    schema, owner = db.execute(sa.text(_OWNER)).one()
    for statement in (
        "CREATE OR REPLACE FUNCTION billycan_analyze(name text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER"
        f" SET search_path = {schema}, pg_temp AS $$ BEGIN EXECUTE format('ANALYZE %I', name); END $$",
        f"ALTER FUNCTION billycan_analyze OWNER TO {owner}",
        "REVOKE ALL ON FUNCTION billycan_analyze FROM PUBLIC",
    ):
        db.execute(sa.text(statement))


def searches_unindexed(db: sa.Connection) -> bool:
    """Tell whether policies keep PostgreSQL from searching by an index, because no superuser created them."""
    return has_policies(db) and not db.execute(sa.text(_LEAKPROOF)).scalar()


# Beneath a policy only those look into an index that tell nothing of the values they compare. LIKE and @> do not, but
# for an error about the pattern itself.
INDEXED = ("textlike(text, text)", "jsonb_contains(jsonb, jsonb)")
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
