"""Webhook endpoints and deliveries as the contract has them, through the API and to a real receiver."""

from datetime import UTC, timedelta

import pytest
import sqlalchemy as sa

from billycan.fields import Moment
from billycan.starting.settings import SettingsError
from billycan.testing import Client
from billycan_webhooks import signing
from billycan_webhooks.leases import Desk, retry_at
from billycan_webhooks.settings import Settings

pytestmark = [pytest.mark.as_app, pytest.mark.either]


def contact(client, name="Ada"):
    return client.post("/v1/contacts", {"name": name})["data"]


def listed(client, query=""):
    return client.get(f"/v1/webhook_deliveries?per_page=100{query}")["data"]


def test_an_event_arrives_signed_as_the_specification_says(hooks, receive, drain, subscribe):
    app, receiver = hooks(), receive()
    client = Client(app)
    endpoint = subscribe(client, receiver.url, "contact.created")
    made = contact(client, "Zoë ☕")
    drain(app)
    payload = receiver.verified(endpoint["secret"])
    (event,) = client.get("/v1/events")["data"]
    assert list(payload) == ["event", "timestamp", "data"]
    assert payload == {"event": "contact.created", "timestamp": event["created_at"], "data": made}
    headers, body, path = receiver.requests[0]
    assert path == "/hooks" and headers["webhook-id"] == event["id"]
    assert headers["billycan-environment"] == "live" and headers["user-agent"] == "billycan-webhooks/1.0"
    assert headers["content-type"] == "application/json" and headers["host"] == f"127.0.0.1:{receiver.port}"
    (row,) = listed(client)
    assert row["status"] == "delivered" and row["attempts_made"] == 1 and row["webhook_id"] == event["id"]
    (attempt,) = client.get(f"/v1/webhook_deliveries/{row['id']}")["data"]["attempts"]
    assert attempt["request"]["body"].encode() == body and attempt["response"]["status"] == 204
    assert attempt["request"]["headers"]["webhook-signature"] == headers["webhook-signature"]
    assert attempt["error"] is None
    drain(app)
    assert len(receiver.requests) == 1


def test_a_sandbox_says_so(hooks, receive, drain, subscribe):
    app, receiver = hooks(), receive()
    sandbox = Client(app).sandbox()
    subscribe(sandbox, receiver.url)
    contact(sandbox)
    drain(app)
    assert receiver.requests[0][0]["billycan-environment"] == "sandbox"


def test_only_what_is_subscribed_arrives(hooks, receive, drain, subscribe):
    app = hooks()
    client, stranger = Client(app), Client(app)
    receivers = {name: receive() for name in ("contact.deleted", "contact.*", "*")}
    for name, receiver in receivers.items():
        subscribe(client, receiver.url, name)
    made = contact(client)
    client.delete(f"/v1/contacts/{made['id']}")
    contact(stranger)
    drain(app)
    assert receivers["contact.deleted"].events == ["contact.deleted"]
    assert (
        sorted(receivers["contact.*"].events) == sorted(receivers["*"].events) == ["contact.created", "contact.deleted"]
    )


def test_what_is_rolled_back_is_never_delivered(hooks, receive, drain, subscribe):
    app, receiver = hooks(), receive()
    client = Client(app)
    subscribe(client, receiver.url)
    made = contact(client)
    drain(app)
    client.patch(f"/v1/contacts/{made['id']}", {"name": "B"}, 412, If_Match='"9"')
    client.post("/v1/contacts", {"name": "C", "abn": "1"}, 422)
    drain(app)
    assert receiver.events == ["contact.created"]


def test_retries_come_at_their_times_and_end(hooks, receive, drain, subscribe, clock):
    app, receiver = hooks(), receive(500)
    client = Client(app)
    subscribe(client, receiver.url)
    contact(client)
    drain(app)
    (row,) = listed(client, "&status=pending")
    first = client.get(f"/v1/webhook_deliveries/{row['id']}")["data"]["attempts"][0]["started_at"]
    start = clock.time
    for number, offset in enumerate((550, 7150, 86350), 2):
        step = offset - (0, 550, 7150)[number - 2]
        clock.time = start + timedelta(seconds=offset - step * 0.1 - 1)
        drain(app)
        assert len(receiver.requests) == number - 1, "too early"
        clock.time = start + timedelta(seconds=offset + 1)
        drain(app)
        assert len(receiver.requests) == number
    clock.move(days=3)
    drain(app)
    assert len(receiver.requests) == 4
    shown = client.get(f"/v1/webhook_deliveries/{row['id']}")["data"]
    assert shown["status"] == "failed" and shown["attempts_made"] == 4 and shown["next_attempt_at"] is None
    assert [a["error"] for a in shown["attempts"]] == ["status"] * 4
    assert first == shown["attempts"][0]["started_at"]
    assert len({headers["webhook-id"] for headers, _, _ in receiver.requests}) == 1
    assert len({headers["webhook-timestamp"] for headers, _, _ in receiver.requests}) == 4
    assert len({body for _, body, _ in receiver.requests}) == 1


def test_jitter_only_shortens():
    settings, start = Settings(), Moment(2026, 1, 1, tzinfo=UTC)
    for _ in range(200):
        waits = [(retry_at(settings, start, n) - start).total_seconds() for n in range(3)]
        for wait, offset, step in zip(waits, (550, 7150, 86350), (550, 6600, 79200), strict=True):
            assert offset - step * 0.1 - 0.001 <= wait <= offset


def test_a_failed_delivery_is_replayed_and_recovered(hooks, receive, drain, subscribe, clock):
    app, receiver = hooks(retry_offsets=(1,)), receive(500, 500, 200)
    client = Client(app)
    endpoint = subscribe(client, receiver.url)
    since = app.now()
    contact(client)
    drain(app)
    clock.move(seconds=2)
    drain(app)
    (row,) = listed(client, "&status=failed")
    again = client.post(f"/v1/webhook_deliveries/{row['id']}/replay")["data"]
    assert client.last.headers["Location"].endswith(f"/v1/webhook_deliveries/{again['id']}")
    assert again["replay_of"] == row["id"] and again["webhook_id"] == row["webhook_id"]
    drain(app)
    assert receiver.verified(endpoint["secret"])["event"] == "contact.created"
    assert receiver.requests[0][1] == receiver.requests[2][1]
    path = f"/v1/webhook_endpoints/{endpoint['id']}/recover"
    done = client.post(path, {"since": str(since)}, 202)["data"]
    assert done["deliveries"] == 1 and done["endpoint_id"] == endpoint["id"]
    drain(app)
    assert [d["status"] for d in listed(client)] == ["delivered", "delivered"]
    assert client.get(f"/v1/webhook_deliveries/{row['id']}")["data"]["attempts_made"] == 3
    assert client.post(path, {"since": str(since)}, 202)["data"]["deliveries"] == 0
    client.post(path, {}, 422)
    # One that succeeded can be replayed too.
    client.post(f"/v1/webhook_deliveries/{again['id']}/replay")
    drain(app)
    assert len(receiver.requests) == 5


def test_a_disabled_endpoint_holds_and_recover_sends(hooks, receive, drain, subscribe):
    app, receiver = hooks(), receive()
    client = Client(app)
    endpoint = subscribe(client, receiver.url)
    path, since = f"/v1/webhook_endpoints/{endpoint['id']}", app.now()
    assert client.patch(path, {"enabled": False})["data"]["allowed_actions"] == ["rotate_secret"]
    contact(client)
    drain(app)
    assert receiver.requests == [] and [d["status"] for d in listed(client)] == ["held"]
    client.post(f"{path}/recover", {"since": str(since)}, 409)
    client.post(f"{path}/test", status=409)
    client.patch(path, {"enabled": True})
    drain(app)
    assert receiver.requests == []
    client.post(f"{path}/recover", {"since": str(since)}, 202)
    drain(app)
    assert receiver.events == ["contact.created"]


def test_disabling_holds_what_is_waiting_for_a_retry(hooks, receive, drain, subscribe, clock):
    app, receiver = hooks(), receive(500)
    client = Client(app)
    endpoint = subscribe(client, receiver.url)
    contact(client)
    drain(app)
    client.patch(f"/v1/webhook_endpoints/{endpoint['id']}", {"enabled": False})
    assert [d["status"] for d in listed(client)] == ["held"]
    clock.move(days=2)
    drain(app)
    assert len(receiver.requests) == 1


def test_410_disables_and_holds(hooks, receive, drain, subscribe):
    app, receiver = hooks(), receive(410, 200)
    client = Client(app)
    endpoint = subscribe(client, receiver.url)
    path, since = f"/v1/webhook_endpoints/{endpoint['id']}", app.now()
    contact(client)
    drain(app)
    shown = client.get(path)["data"]
    assert (shown["enabled"], shown["disabled_reason"], shown["version"]) == (False, "gone", 2)
    assert [d["status"] for d in listed(client)] == ["held"]
    contact(client, "Bob")
    assert client.patch(path, {"enabled": True})["data"]["disabled_reason"] is None
    assert client.post(f"{path}/recover", {"since": str(since)}, 202)["data"]["deliveries"] == 2
    drain(app)
    assert len(receiver.requests) == 3
    assert {d["status"] for d in listed(client)} == {"delivered"}


def test_five_days_without_a_success_disable(hooks, receive, drain, subscribe, clock):
    app, receiver = hooks(), receive(500)
    client = Client(app)
    endpoint = subscribe(client, receiver.url)
    path, since = f"/v1/webhook_endpoints/{endpoint['id']}", app.now()
    for day in range(6):
        assert client.get(path)["data"]["enabled"], day
        contact(client, str(day))
        for _ in range(4):
            drain(app)
            clock.move(hours=6)
    shown = client.get(path)["data"]
    assert (shown["enabled"], shown["disabled_reason"]) == (False, "failing")
    receiver.answers = [200]
    client.patch(path, {"enabled": True})
    assert client.get(path)["data"]["failing_since"] is None
    assert client.post(f"{path}/recover", {"since": str(since)}, 202)["data"]["deliveries"] == 6
    drain(app)
    assert {d["status"] for d in listed(client)} == {"delivered"}


def test_one_success_clears_the_days(hooks, receive, drain, subscribe, clock):
    app, receiver = hooks(), receive(500, 200)
    client = Client(app)
    endpoint = subscribe(client, receiver.url)
    contact(client)
    drain(app)
    assert client.get(f"/v1/webhook_endpoints/{endpoint['id']}")["data"]["failing_since"]
    clock.move(seconds=600)
    drain(app)
    assert client.get(f"/v1/webhook_endpoints/{endpoint['id']}")["data"]["failing_since"] is None


def test_deleting_cancels_and_keeps_the_history(hooks, receive, drain, subscribe, clock):
    app, receiver = hooks(), receive(200, 500)
    client = Client(app)
    endpoint = subscribe(client, receiver.url)
    contact(client)
    drain(app)
    contact(client, "Bob")
    drain(app)
    client.delete(f"/v1/webhook_endpoints/{endpoint['id']}")
    assert sorted(d["status"] for d in listed(client)) == ["cancelled", "delivered"]
    clock.move(days=2)
    drain(app)
    assert len(receiver.requests) == 2
    row = listed(client)[0]
    client.post(f"/v1/webhook_deliveries/{row['id']}/replay", status=409)


def test_a_ping_is_no_event(hooks, receive, drain, subscribe):
    app, receiver = hooks(), receive()
    client = Client(app)
    endpoint = subscribe(client, receiver.url, "contact.created")
    sent = client.post(f"/v1/webhook_endpoints/{endpoint['id']}/test")["data"]
    drain(app)
    payload = receiver.verified(endpoint["secret"])
    assert payload["event"] == "ping" and payload["data"] == {"endpoint_id": endpoint["id"]}
    assert receiver.requests[0][0]["webhook-id"] == sent["webhook_id"] == sent["id"]
    assert client.events() == []


def test_rotation_signs_with_both_for_a_day(hooks, receive, drain, subscribe, clock):
    app, receiver = hooks(), receive()
    client = Client(app)
    old = subscribe(client, receiver.url)
    path = f"/v1/webhook_endpoints/{old['id']}"
    new = client.post(f"{path}/rotate_secret", status=200)["data"]
    receiver.secrets.add(new["secret"])
    assert new["secret"].startswith("whsec_") and new["secret"] != old["secret"] and new["version"] == 2
    assert (
        client.get(path)["data"]["secret"] is None and client.get("/v1/webhook_endpoints")["data"][0]["secret"] is None
    )
    contact(client)
    drain(app)
    receiver.verified(old["secret"])
    receiver.verified(new["secret"])
    clock.move(hours=24)
    contact(client, "Bob")
    drain(app)
    receiver.verified(new["secret"])
    with pytest.raises(Exception, match="No matching signature"):
        receiver.verified(old["secret"])


def test_a_secret_is_shown_once_and_stored_nowhere(hooks, receive, subscribe):
    app = hooks()
    client = Client(app)
    body = {"url": "https://example.com/a", "events": ["*"]}
    first = client.post("/v1/webhook_endpoints", body, Idempotency_Key="one")["data"]
    again = client.post("/v1/webhook_endpoints", body, Idempotency_Key="one")["data"]
    assert client.last.headers["Idempotent-Replayed"] == "true"
    assert again == {**first, "secret": None}
    path = f"/v1/webhook_endpoints/{first['id']}/rotate_secret"
    rotated = client.post(path, status=200, Idempotency_Key="two")["data"]
    assert client.post(path, status=200, Idempotency_Key="two")["data"] == {**rotated, "secret": None}
    with app.db.reading() as db:
        # The indexes for search, tables to SQLite, cannot be read.
        names = [name for name in sa.inspect(db).get_table_names() if not name.endswith("_search")]
        dump = "".join(str(db.execute(sa.text(f'SELECT * FROM "{name}"')).all()) for name in names)
    for secret in (first["secret"], rotated["secret"]):
        raw = signing.decode_secret(secret)
        assert len(raw) == 32
        assert all(form not in dump for form in (secret, secret.removeprefix("whsec_"), raw.hex(), repr(raw)[2:-1]))
    assert first["id"] in dump


def test_secrets_live_through_a_rotation_of_the_masters(hooks, make_app, receive, drain, subscribe):
    app, receiver = hooks(), receive()
    client = Client(app)
    old = subscribe(client, receiver.url)
    url = app.db.url.render_as_string(hide_password=False)
    how = {"database": url, "webhooks": {"allow_private": True}, "secret": "another secret of thirty-two or more"}
    rotated = make_app("contacts", "webhooks", secret_previous=app.settings.secret, **how)
    client = Client(rotated, client.tenant_id)
    contact(client)
    drain(rotated)
    receiver.verified(old["secret"])
    new = client.post(f"/v1/webhook_endpoints/{old['id']}/rotate_secret", status=200)["data"]
    receiver.secrets.add(new["secret"])
    contact(client, "Bob")
    drain(rotated)
    receiver.verified(old["secret"])
    receiver.verified(new["secret"])
    # With the old master gone only what was rotated since can be signed; nothing is sent with a signature nobody knows.
    alone = make_app("contacts", "webhooks", **how)
    client = Client(alone, client.tenant_id)
    contact(client, "Cy")
    drain(alone)
    receiver.verified(new["secret"])
    third = make_app("contacts", "webhooks", **{**how, "secret": "a third secret of thirty-two or more!"})
    client = Client(third, client.tenant_id)
    contact(client, "Di")
    drain(third)
    assert len(receiver.requests) == 3
    row = listed(client, "&status=pending")[0]
    assert client.get(f"/v1/webhook_deliveries/{row['id']}")["data"]["attempts"][0]["error"] == "signing_key"


def test_a_subscription_needs_the_scopes_of_what_it_carries(hooks, subscribe):
    app = hooks()
    owner = Client(app)
    body = {"url": "https://example.com/a", "events": ["contact.created"]}
    poor, able = owner.key("webhooks:write", "webhooks:read"), owner.key("webhooks:write", "contacts:read")
    for events in (["contact.created"], ["contact.*"], ["*"]):
        error = poor.post("/v1/webhook_endpoints", {**body, "events": events}, 403)["error"]
        assert (error["code"], error["required_scope"]) == ("insufficient_scope", "contacts:read")
    made = able.post("/v1/webhook_endpoints", body)["data"]
    poor.patch(f"/v1/webhook_endpoints/{made['id']}", {"url": "https://evil.example.com/"}, 403)
    error = owner.post("/v1/webhook_endpoints", {**body, "events": ["contact.created", "no.such"]}, 422)["error"]
    assert error["details"][0]["param"] == "events[1]" and "contact.created" in error["message"]
    for events in ([], ["contact"], ["contact."], [".created"], ["contact.cre*"], ["**"], "contact.created", [1]):
        owner.post("/v1/webhook_endpoints", {**body, "events": events}, 422)


def test_a_payload_is_shown_to_those_who_may_read_it(hooks, receive, drain, subscribe):
    app, receiver = hooks(), receive()
    client = Client(app)
    subscribe(client, receiver.url)
    contact(client)
    drain(app)
    path = f"/v1/webhook_deliveries/{listed(client)[0]['id']}"
    assert client.get(path)["data"]["attempts"][0]["request"]["body"]
    assert client.key("webhooks:read").get(path)["data"]["attempts"][0]["request"]["body"] is None


def test_tenants_never_meet(hooks, receive, drain, subscribe):
    app, receiver = hooks(), receive()
    client = Client(app)
    endpoint = subscribe(client, receiver.url)
    contact(client)
    drain(app)
    id = listed(client)[0]["id"]
    for stranger in (Client(app), client.sandbox()):
        assert listed(stranger) == [] and stranger.get("/v1/webhook_endpoints")["data"] == []
        stranger.get(f"/v1/webhook_deliveries/{id}", 404)
        stranger.post(f"/v1/webhook_deliveries/{id}/replay", status=404)
        for action, body in (("test", None), ("rotate_secret", None), ("recover", {"since": "2026-01-01T00:00:00Z"})):
            stranger.post(f"/v1/webhook_endpoints/{endpoint['id']}/{action}", body, 404)
        contact(stranger)
    drain(app)
    assert len(receiver.requests) == 1


def test_a_business_has_at_most_twenty_endpoints(hooks, subscribe):
    client = Client(hooks())
    made = [subscribe(client, f"https://example.com/{i}") for i in range(20)]
    client.post("/v1/webhook_endpoints", {"url": "https://example.com/x", "events": ["*"]}, 409)
    assert client.get("/v1/webhook_endpoints")["pagination"]["total"] == 20
    client.delete(f"/v1/webhook_endpoints/{made[0]['id']}")
    subscribe(client, "https://example.com/x")


def test_deliveries_are_found_by_their_filters(hooks, receive, drain, subscribe):
    app, receiver = hooks(), receive()
    client = Client(app)
    one, two = subscribe(client, receiver.url), subscribe(client, receiver.url)
    contact(client)
    drain(app)
    for query, count in (
        (f"&endpoint_id={one['id']}", 1),
        (f"&endpoint_id={one['id']},{two['id']}", 2),
        ("&event=contact.created", 2),
        ("&event=contact.deleted", 0),
        ("&event=contact.*,ping", 2),
        ("&event=*", 2),
        ("&endpoint_id=whk_01ke0000000000000000000001", 0),
        ("&status=delivered,failed", 2),
        ("&created_at_from=2026-11-21&created_at_to=2026-11-21", 2),
        ("&created_at_from=2026-11-22", 0),
    ):
        assert len(listed(client, query)) == count, query
    for query, param in (
        ("status=lost", "status"),
        ("event=contact.exploded", "event"),
        ("event=invoice.*", "event"),
        ("endpoint_id=nonsense", "endpoint_id"),
        (f"endpoint_id={one['id']},con_01ke0000000000000000000001", "endpoint_id"),
        ("webhook_id=whk_01ke0000000000000000000001", "webhook_id"),
    ):
        error = client.refused(400, "invalid_filter", "GET", f"/v1/webhook_deliveries?{query}")
        assert error["param"] == param and param in error["message"]
    page = client.get("/v1/webhook_deliveries?per_page=1")
    assert page["pagination"]["total"] == 2
    assert (
        client.get(f"/v1/webhook_deliveries?cursor={page['pagination']['next_cursor']}")["data"][0] != page["data"][0]
    )


def test_finished_deliveries_are_kept_for_their_days(hooks, receive, drain, subscribe, clock):
    from billycan.working import worker

    app, receiver = hooks(keep_days=2), receive()
    client = Client(app)
    endpoint = subscribe(client, receiver.url)
    contact(client)
    drain(app)
    client.patch(f"/v1/webhook_endpoints/{endpoint['id']}", {"enabled": False})
    contact(client, "Bob")
    clock.move(days=1.5)
    worker.tick(app)
    assert len(listed(client)) == 2
    clock.move(days=1)
    worker.tick(app)
    assert [d["status"] for d in listed(client)] == ["held"]


def test_switched_off_events_are_still_logged(hooks, make_app, receive, drain, subscribe):
    app, receiver = hooks(), receive()
    client = Client(app)
    subscribe(client, receiver.url)
    url = app.db.url.render_as_string(hide_password=False)
    without = Client(make_app("contacts", database=url), client.tenant_id)
    contact(without)
    assert without.events() == ["contact.created"]
    without.get("/v1/webhook_endpoints", 404)
    drain(app)
    assert receiver.requests == []
    contact(client, "Bob")
    drain(app)
    assert len(receiver.requests) == 1


def test_a_lease_must_outlast_an_attempt(hooks):
    with pytest.raises(SettingsError, match=r"webhooks.lease_seconds: must be at least timeout_seconds \+ 5"):
        hooks(lease_seconds=12, timeout_seconds=10)
    with pytest.raises(SettingsError, match="retry_offsets"):
        hooks(retry_offsets="50,20")


def test_fewer_retries_strand_nothing(hooks, make_app, receive, drain, subscribe, clock):
    app, receiver = hooks(), receive(500, 500, 500, 200)
    client = Client(app)
    subscribe(client, receiver.url)
    contact(client)
    for _ in range(3):
        drain(app)
        clock.move(hours=2)
    url = app.db.url.render_as_string(hide_password=False)
    settings = {"allow_private": True, "retry_offsets": (1,)}
    clock.move(days=1)
    drain(make_app("contacts", "webhooks", database=url, webhooks=settings))
    assert [d["status"] for d in listed(client)] == ["delivered"]


def test_what_waits_is_measured(hooks, receive, drain, subscribe, clock):
    app = hooks()
    client = Client(app)
    subscribe(client, receive(500).url, "contact.created")
    ada = contact(client)
    drain(app)
    updates = subscribe(client, receive().url, "contact.updated")
    for name in ("Bob", "Cy", "Di"):
        client.patch(f"/v1/contacts/{ada['id']}", {"name": name})
    assert Desk(app).write([], [((client.tenant_id, updates["id"]), True)])[0][0]
    disabled = subscribe(client, receive().url, "contact.deleted")
    client.patch(f"/v1/webhook_endpoints/{disabled['id']}", {"enabled": False})
    client.delete(f"/v1/contacts/{ada['id']}")
    clock.move(seconds=30)
    with app.db.reading(across="a test looks at every row") as db:
        measured = {gauge.name: gauge.read(db, app.now()) for gauge in app.manifests["webhooks"].gauges}
    assert measured.pop("webhooks_deliveries_waiting") == {"due": 2, "in_flight": 1, "retry": 1, "held": 1}
    (oldest,) = measured.pop("webhooks_oldest_due_seconds").values()
    assert 30 <= oldest < 60
