"""Policies that `billycan database harden` gives PostgreSQL: row-level security, and a role that owns nothing.

`walls` tells PostgreSQL which tenant a statement is for, and builds the condition of the policies.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa

from ..engines.walls import ALL, HAS_CITUS, SETTING

POLICY = "billycan_tenant"
# In one transaction, in which Citus would otherwise refuse what follows a change of a table that each node has.
IN_TURN = "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'"


def create_policies(db: sa.Connection, role: str, password: str) -> bool:
    """Create policies that hold for every role, and let this role run the server; return whether it was created.

    It is created with `password`, may read and write rows, and owns nothing. Raise RuntimeError for a role that
    bypasses policies.
    """
    name = db.dialect.identifier_preparer.quote_identifier(role)
    if has_citus(db):
        db.exec_driver_sql(IN_TURN)
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


def has_citus(db: sa.Connection) -> bool:
    """Tell whether this database has the extension Citus, which passes on to the nodes whatever is done here."""
    return db.dialect.name == "postgresql" and bool(db.execute(sa.text(f"SELECT {HAS_CITUS}")).scalar())


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


def tables_open_on_a_node(db: sa.Connection) -> list[str]:
    """List the tables whose policy is missing on a node of a cluster, or does not hold there for the connected role.

    Raise RuntimeError if a node does not answer.
    """
    answers = _ask_nodes(db, _SHARD_GAPS)
    if failed := [row.result for row in answers if not row.success]:
        raise RuntimeError(f"a node of the cluster did not answer: {failed[0]}")
    return sorted({name for row in answers for name in row.result.split()})


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
    changed, gaps, in_cluster = [], db.execute(sa.text(_GAPS)).all(), has_citus(db)
    if in_cluster:
        db.exec_driver_sql(IN_TURN)
    if in_cluster and gaps:
        _let_nodes_see(db)
    for table, column in gaps:
        db.exec_driver_sql(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
        db.exec_driver_sql(f"DROP POLICY IF EXISTS {POLICY} ON {table}")
        # Evaluated once for a statement, not for each row. It fails if no tenant was set.
        one_of = f"(SELECT current_setting('{SETTING}')) IN ({column}, '{ALL}')"
        condition = f"billycan_sees({column})" if in_cluster else one_of
        db.exec_driver_sql(f"CREATE POLICY {POLICY} ON {table} USING ({condition})")
        changed.append(f"{table}: guarded by its policy")
    for role in {*roles, *db.execute(sa.text(_ROLES)).scalars()}:
        changed += _let_use(db, role)
    for statement in index_statements(db):
        try:
            with db.begin_nested():
                db.exec_driver_sql(statement)
        except sa.exc.ProgrammingError:
            break  # only a superuser may
    return changed


def _let_nodes_see(db: sa.Connection) -> None:
    """Create the function that a cluster's policies ask, because Citus takes no query within them.

    It depends on a setting. Yet Citus would take a stable function out of the policy and evaluate it beforehand, and
    then sends some statements that no node can run. Of an immutable one nothing is kept, because each row is asked for.
    A setting that is empty, as after a transaction that was told a tenant, is an error: what copies a shard for the
    owner, to move it, would leave out all rows.
    """
    _, owner = db.execute(sa.text(_OWNER)).one()
    for statement in (
        "CREATE OR REPLACE FUNCTION billycan_sees(tenant text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE"
        f" AS $$ DECLARE told text := current_setting('{SETTING}'); BEGIN"
        f" IF told = '' THEN RAISE undefined_object USING MESSAGE = 'no tenant is set as {SETTING}'; END IF;"
        f" RETURN told IN (tenant, '{ALL}'); END $$",
        f"ALTER FUNCTION billycan_sees OWNER TO {owner}",
    ):
        db.exec_driver_sql(statement)


def lift_policies(db: sa.Connection, tables: Iterable[str]) -> None:
    """Take these tables' policies off until they are extended again."""
    for table in tables:
        db.exec_driver_sql(f"DROP POLICY IF EXISTS {POLICY} ON {table}")
        db.exec_driver_sql(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY")


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
    if not has_policies(db):
        return False
    return "false" in [db.execute(sa.text(_LEAKPROOF)).scalar(), *(row.result for row in _ask_nodes(db, _LEAKPROOF))]


def index_statements(db: sa.Connection) -> list[str]:
    """Return the statements with which a superuser lets searches use their indexes."""
    here = [f"ALTER FUNCTION pg_catalog.{function} LEAKPROOF" for function in INDEXED]
    there = [f"SELECT run_command_on_workers('{each}')" for each in here]
    return here + there if has_citus(db) else here


def _ask_nodes(db: sa.Connection, asked: str) -> Sequence[sa.Row[Any]]:
    """Ask each node of a cluster for a text, and return its success and result; none where there is no cluster."""
    if not has_citus(db):
        return []
    return db.execute(sa.text("SELECT success, result FROM run_command_on_all_nodes(:asked)"), {"asked": asked}).all()


# Beneath a policy only those look into an index that tell nothing of the values they compare. LIKE and @> do not, but
# for an error about the pattern itself.
INDEXED = ("textlike(text, text)", "jsonb_contains(jsonb, jsonb)")
_LEAKPROOF = (
    "SELECT CAST(bool_and(proleakproof) AS text) FROM pg_proc WHERE pronamespace = CAST('pg_catalog' AS regnamespace)"
    " AND proname IN ('textlike', 'jsonb_contains')"
)
_SHARD_GAPS = """
SELECT coalesce(string_agg(DISTINCT relname, ' '), '')
FROM (SELECT relname, to_regclass(shard_name(logicalrelid, shardid)) AS shard
      FROM pg_dist_shard JOIN pg_class c ON c.oid = logicalrelid WHERE relrowsecurity) AS its
WHERE shard IS NOT NULL AND NOT (row_security_active(shard)
      AND EXISTS (SELECT FROM pg_policy WHERE polrelid = shard AND polname = 'billycan_tenant'))
"""
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
