"""Changes to many deliveries are made in steps of bounded size, with the result of a single change."""

import pytest
import sqlalchemy as sa

from billycan import Context, new_id
from billycan.testing import Client, holding, run_timed
from billycan_webhooks import chores, retention
from billycan_webhooks import deliveries as deliveries_of
from billycan_webhooks.api import delete_of_connection
from billycan_webhooks.leases import Desk
from billycan_webhooks.tables import attempts, deliveries, endpoints

pytestmark = pytest.mark.either

SINCE = {"since": "2026-01-01T00:00:00Z"}


@pytest.fixture(autouse=True)
def steps(monkeypatch):
    """A step takes ten deliveries, and no transaction changes more rows than a few steps."""
    monkeypatch.setattr(chores, "MOST_AT_ONCE", 10)
    monkeypatch.setattr(retention, "_MOST_AT_ONCE", 10)
    monkeypatch.setattr(holding, "MOST_ROWS", 35)


def fill(client, endpoint_id, status, count=35, **values):
    """Insert deliveries of an existing event."""
    event = client.post("/v1/contacts", {"name": "Ada"}) and client.get("/v1/events?per_page=1")["data"][0]
    now = client.app.now()
    row = {"tenant_id": client.tenant_id, "endpoint_id": endpoint_id, "webhook_id": event["id"], "status": status}
    row |= {"event": event["event"], "created_at": now, "due_at": now, "failures": 4, "attempts_made": 4, **values}
    with client.app.db.writing(client.tenant_id) as db:
        db.execute(sa.insert(deliveries), [{**row, "id": new_id("dlv")} for _ in range(count)])


def counts(client, endpoint_id):
    """Count an endpoint's deliveries, by status."""
    asked = sa.select(deliveries.c.status, sa.func.count()).where(deliveries.c.endpoint_id == endpoint_id)
    with client.app.db.reading(across="a test looks at every row") as db:
        return dict(map(tuple, db.execute(asked.group_by(deliveries.c.status))))


def finish(client):
    """Finish all chores as a worker does. Return the number of steps, and the endpoints to which something is due."""
    desk, number, due = Desk(client.app), 0, set()
    while (hints := desk.go_on(client.tenant_id)) is not None:
        number, due = number + 1, due | {*hints}
    return number, due


@pytest.fixture
def client(hooks):
    return Client(hooks())


@pytest.fixture
def endpoint(client, subscribe):
    return subscribe(client, "http://127.0.0.1:9/", "contact.deleted")["id"]


def test_many_are_recovered(client, endpoint):
    fill(client, endpoint, "failed", finished_at=client.app.now())
    fill(client, endpoint, "held", 5)
    fill(client, endpoint, "failed", 3, webhook_id="evt_gone", finished_at=client.app.now())
    body = client.post(f"/v1/webhook_endpoints/{endpoint}/recover", SINCE, 202)["data"]
    assert body["deliveries"] == 43 and counts(client, endpoint)["pending"] == 10
    # They all are of one moment: the place among those of a moment is kept, too.
    assert finish(client) == (4, {(client.tenant_id, endpoint)})
    assert counts(client, endpoint) == {"pending": 40, "failed": 3}, "one whose event is gone cannot be sent"
    assert client.post(f"/v1/webhook_endpoints/{endpoint}/recover", SINCE, 202)["data"]["deliveries"] == 0


def test_no_request_counts_all_of_them(client, endpoint, monkeypatch):
    monkeypatch.setattr(deliveries_of, "MOST_COUNTED", 20)
    poor, here = client.key("webhooks:write", "contacts:read"), f"/v1/webhook_endpoints/{endpoint}"
    fill(client, endpoint, "failed", 19, finished_at=client.app.now())
    fill(client, endpoint, "pending", 19)
    poor.patch(here, {"url": "http://127.0.0.1:9/other"})
    assert poor.post(f"{here}/recover", SINCE, 202)["data"]["deliveries"] == 19
    finish(client)
    assert counts(client, endpoint) == {"pending": 38}
    fill(client, endpoint, "failed", 25, finished_at=client.app.now())
    for method, path, body in (("PATCH", here, {"url": "http://127.0.0.1:9/"}), ("POST", f"{here}/recover", SINCE)):
        refused = poor.refused(403, "insufficient_scope", method, path, body)
        assert refused["required_scope"] == "read" and "20 deliveries or more" in refused["message"]
    client.patch(here, {"url": "http://127.0.0.1:9/"})
    assert client.post(f"{here}/recover", SINCE, 202)["data"]["deliveries"] == 20, "of 25"
    finish(client)
    assert counts(client, endpoint) == {"pending": 63}


def test_many_are_held_and_what_comes_later_is_not(client, endpoint, clock):
    here = f"/v1/webhook_endpoints/{endpoint}"
    fill(client, endpoint, "pending")
    client.patch(here, {"enabled": False})
    assert counts(client, endpoint) == {"pending": 25, "held": 10}
    client.patch(here, {"enabled": True})
    clock.move(seconds=1)
    fill(client, endpoint, "pending", 7)
    client.post(f"{here}/recover", SINCE, 202)  # waits for what was asked before it
    assert counts(client, endpoint) == {"pending": 32, "held": 10}
    assert finish(client)[0] == 3 + 4
    assert counts(client, endpoint) == {"pending": 42}


def test_many_of_a_deleted_endpoint_are_cancelled(client, endpoint):
    fill(client, endpoint, "pending")
    fill(client, endpoint, "held", 5)
    fill(client, endpoint, "delivered", 1)
    client.delete(f"/v1/webhook_endpoints/{endpoint}")
    assert finish(client) == (4, set())
    assert counts(client, endpoint) == {"cancelled": 40, "delivered": 1}


def test_a_connection_with_many_endpoints_ends_in_steps(client, subscribe):
    made = [subscribe(client, f"http://127.0.0.1:9/{i}", "contact.deleted")["id"] for i in range(4)]
    with client.app.db.writing(client.tenant_id) as db:
        mine = endpoints.c.tenant_id == client.tenant_id
        db.execute(sa.update(endpoints).where(mine).values(connection_id="cnx_1"))
    for id in made:
        fill(client, id, "pending", 15)
    ctx = Context(client.app, client.tenant_id)
    with ctx.transaction():
        delete_of_connection(ctx, "cnx_1")
    assert [counts(client, id).get("cancelled", 0) for id in made] == [10, 0, 0, 0]
    finish(client)
    assert [counts(client, id) for id in made] == [{"cancelled": 15}] * 4


def test_what_is_due_to_an_endpoint_that_is_gone_is_cancelled_in_steps(client, endpoint, drain):
    """Leave a lease open that has ended, as a crash would."""
    client.delete(f"/v1/webhook_endpoints/{endpoint}")
    fill(client, endpoint, "pending", lease_until=client.app.now(), lease_token="att_1")
    drain(client.app)
    assert counts(client, endpoint) == {"cancelled": 35}


def test_what_is_kept_too_long_goes_in_steps(client, endpoint, clock):
    fill(client, endpoint, "delivered", finished_at=client.app.now())
    fill(client, endpoint, "held")
    with client.app.db.writing(client.tenant_id) as db:
        ids = db.execute(sa.select(deliveries.c.id).where(deliveries.c.tenant_id == client.tenant_id)).scalars().all()
        made = {"tenant_id": client.tenant_id, "number": 1, "url": "", "headers": {}, "started_at": client.app.now()}
        large = {"finished_at": client.app.now(), "response_bytes": 5_000_000, "response_body": "x"}
        db.execute(sa.insert(attempts), [{**made, **large, "id": new_id("att"), "delivery_id": id} for id in ids])
    run_timed(client.app)
    with client.app.db.reading(across="a test looks at every row") as db:
        kept = sa.select(sa.func.count()).where(attempts.c.response_body.is_not(None))
        assert db.execute(kept).scalar_one() == retention.MOST_RESPONSE_BYTES // 5_000_000
    clock.move(days=91)
    run_timed(client.app)
    assert counts(client, endpoint) == {"cancelled": 35}
    clock.move(days=31)
    run_timed(client.app)
    assert counts(client, endpoint) == {}
