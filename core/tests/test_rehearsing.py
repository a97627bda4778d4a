"""Rows that are rehearsed leave nothing behind, however their handlers write SQL."""

import pytest
import sqlalchemy as sa

from billycan import Context
from billycan.csv.rehearsing import Rehearsal
from billycan.testing import Client

pytestmark = pytest.mark.either

CHANGES = {
    "an UPDATE": "UPDATE contacts SET name = 'Eve' WHERE tenant_id = :tenant",
    "one that returns rows": "UPDATE contacts SET name = 'Eve' WHERE tenant_id = :tenant RETURNING name",
    "a DELETE": "DELETE FROM contacts WHERE tenant_id = :tenant RETURNING id",
    "one with a comment before it": "/* SELECT */ DELETE FROM contacts WHERE tenant_id = :tenant RETURNING id",
    "an upsert": (
        "INSERT INTO contacts SELECT * FROM contacts WHERE tenant_id = :tenant"
        " ON CONFLICT (tenant_id, id) DO UPDATE SET name = 'Eve'"
    ),
}


@pytest.mark.parametrize("text", CHANGES.values(), ids=CHANGES)
@pytest.mark.each_case
def test_a_handler_that_changes_rows_by_sql_of_its_own_is_refused_and_undone(make_app, text):
    client = Client(make_app("contacts"))
    client.post("/v1/contacts", {"name": "Ada"})
    ctx = Context(client.app, client.tenant_id)
    with ctx.transaction(), Rehearsal(ctx) as rehearsal:
        with pytest.raises(RuntimeError, match="may only add rows"), rehearsal.row(0) as keep:
            ctx.db.execute(sa.text(text), {"tenant": client.tenant_id})
            keep()
        assert rehearsal.recording().rows == []
    assert [each["name"] for each in client.get("/v1/contacts")["data"]] == ["Ada"]
