"""Statements that a cluster with each business on one node could not run, or only by asking every node."""

import pytest
import sqlalchemy as sa

from billycan.counters import counters
from billycan.engines.statements import Statement
from billycan.moving.whose import tables_of
from billycan.starting.distribution import find_obstacles, is_distributed
from billycan.starting.packages import first_party
from billycan.tenants import tenants
from billycan.testing import holding
from billycan.testing.routing import explain
from billycan_contacts import resource

contacts = resource.contacts.table
c, n, t = contacts.c, counters.c, tenants.c
MINE = c.tenant_id == "ten_1"
ITS = sa.select(n.number).where(n.tenant_id == c.tenant_id, n.name == c.id)
OWN = sa.select(n.name).where(n.tenant_id == "ten_1")
OF_NODES = sa.select(c.id).where(c.tenant_id == t.id)
GIVEN = sa.select(sa.bindparam("tenant_id", "ten_1"))
ONE, ALL = False, True
TAKEN = {
    "its own": (sa.select(c.id).where(MINE), ONE),
    "EXISTS by its tenant": (sa.select(c.id).where(MINE, ITS.exists()), ONE),
    "not EXISTS by its tenant": (sa.select(c.id).where(MINE, ~ITS.exists()), ONE),
    "a query that names it": (sa.select(ITS.where(n.tenant_id == "ten_1").scalar_subquery()).where(MINE), ONE),
    "a join": (sa.select(c.id).join(counters, n.tenant_id == c.tenant_id).where(MINE), ONE),
    "locks of one": (sa.select(c.id).where(MINE).with_for_update(), ONE),
    "an insertion from a query": (
        sa.insert(counters).from_select(["tenant_id", "name"], sa.select(c.tenant_id, c.id).where(MINE)),
        ONE,
    ),
    "rows of no table": (sa.insert(counters).from_select(["tenant_id"], GIVEN).returning(n.number), ONE),
    "everybody's": (sa.select(c.id), ALL),
    "a join of everybody's": (sa.select(c.id).join(counters, n.tenant_id == c.tenant_id), ALL),
    "a query for each": (sa.select(c.id).where(ITS.scalar_subquery() < 3), ALL),
    "one of another's ids": (sa.select(t.id).where(t.id.not_in(sa.select(c.tenant_id))), ALL),
    "a join with what every node has": (sa.select(c.id).join(tenants, t.id == c.tenant_id), ALL),
    "a change of everybody's": (sa.update(contacts).where(~ITS.exists()).values(name="x"), ALL),
    "what every node has": (sa.select(t.id).with_for_update(), ALL),
}
# Each was tried on Citus 13.2, which refuses it or asks every node, as what is above was.
REFUSED = {
    "a query within VALUES": (sa.insert(contacts).values(tenant_id="ten_1", id=OWN.scalar_subquery()), ONE),
    "rows of no table, without RETURNING": (sa.insert(counters).from_select(["tenant_id"], GIVEN), ONE),
    "a value by its tenant alone": (sa.select(c.id, ITS.scalar_subquery()).where(MINE), ONE),
    "EXISTS or something else": (sa.select(c.id).where(MINE, ITS.exists() | (c.name == "x")), ONE),
    "no business": (sa.select(c.id), ONE),
    "locks of several": (sa.select(c.id).with_for_update(), ALL),
    "a join by something else": (sa.select(c.id).join(counters, n.name == c.id), ALL),
    "EXISTS around what every node has": (sa.select(t.id).where(OF_NODES.exists()), ALL),
    "a value around what every node has": (sa.select(OF_NODES.scalar_subquery()).select_from(tenants), ALL),
    "a change of what every node has": (sa.update(tenants).where(~OF_NODES.exists()).values(environment="live"), ALL),
    "within a query of its own": (sa.select(sa.select(c.id).join(counters, n.name == c.id).subquery().c.id), ALL),
}  # fmt: skip


@pytest.mark.parametrize("what", TAKEN)
def test_what_a_cluster_runs_is_taken(what):
    statement, across = TAKEN[what]
    assert explain(statement, is_across=across) == ""


@pytest.mark.parametrize("what", REFUSED)
def test_what_a_cluster_refuses_is_explained(what):
    statement, across = REFUSED[what]
    assert explain(statement, is_across=across)


def test_a_statement_of_the_product_that_no_cluster_runs_fails_the_test(make_app, engine):
    asked = Statement(sa.select(c.id, ITS.scalar_subquery()).where(c.tenant_id == sa.bindparam("tenant_id")))
    handler = compile("asked.all(db, {'tenant_id': 'ten_1'})", "billycan_guests/handlers.py", "exec")
    with make_app("contacts").db.reading("ten_1") as db:
        exec(handler, {"asked": asked, "db": db})
        asked.all(db, {"tenant_id": "ten_1"})  # a test may ask as it likes
    found = [breach.partition("\n")[0] for breach in holding.breaches]
    holding.breaches.clear()
    said = "a query of core_counters within another one does not name the business: add its tenant_id"
    assert found == ([] if engine == "sqlite" else [f"a cluster could not run a statement as it is: {said}"])


# What is looked for before the business is known, belongs to several, or is the deployment's.
COPIED = {
    *("core_fills", "core_keys", "core_oldest", "core_operations", "core_read_only", "core_tasks", "core_tenants"),
    *("access_requests", "booking_pages", "feeds_links"),
    *("apps_access_tokens", "apps_apps", "apps_codes", "apps_connections", "apps_refresh_tokens", "apps_secrets"),
    *("mail_letters", "requests_writers", "users_answered", "users_attempts", "users_links", "users_passkeys"),
    *("users_roles", "users_sessions", "users_shown_once", "users_users"),
}


@pytest.mark.whole
def test_each_table_is_distributed_or_copied_to_each_node(make_app):
    """By its own declaration, whichever plugins are on; none stands in another's way."""
    app = make_app(*first_party())
    tables = tables_of(app.manifests)
    assert {table.name for table in tables if not is_distributed(table)} == COPIED
    assert find_obstacles(tables) == []
