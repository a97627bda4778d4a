"""A key sees and sends on no more than it may read, whichever way it takes."""

import pytest

from billycan.testing import Client

pytestmark = [pytest.mark.as_app, pytest.mark.either]

PLUGINS = "contacts", "documents", "hosted", "invoices", "webhooks"


@pytest.fixture
def books(make_app):
    """A business whose endpoint takes everything, and a key that may use webhooks but read contacts alone."""
    app = make_app(*PLUGINS, fresh=True, webhooks={"allow_private": True})
    owner = Client(app)
    return owner, owner.key("webhooks:read", "webhooks:write", "events:read", "contacts:read", "contacts:write")


def invoice(owner):
    ada = owner.post("/v1/contacts", {"name": "Ada"})["data"]
    lines = [{"description": "Tap", "unit_price": "10.00"}]
    return owner.post("/v1/invoices", {"client_id": ada["id"], "line_items": lines})["data"]


def lacking(client, method, path, body=None):
    error = client.refused(403, "insufficient_scope", method, path, body)
    assert error["required_scope"] == "invoices:read"


@pytest.mark.parametrize("events", [["*"], ["invoice.*"], ["contact.created", "invoice.paid"]])
def test_an_endpoint_is_changed_by_keys_that_may_read_what_it_takes(books, events):
    owner, poor = books
    made = owner.post("/v1/webhook_endpoints", {"url": "https://example.com/a", "events": events})["data"]
    path = f"/v1/webhook_endpoints/{made['id']}"
    for body in (
        {"url": "https://evil.example.com/"},
        {"events": ["contact.*"]},
        {"url": "https://evil.example.com/", "events": ["contact.*"]},
        {"description": "mine"},
        {"enabled": False},
    ):
        lacking(poor, "PATCH", path, body)
    for action, body in (("test", None), ("rotate_secret", None), ("recover", {"since": "2026-01-01T00:00:00Z"})):
        lacking(poor, "POST", f"{path}/{action}", body)
    lacking(poor, "DELETE", path)
    shown = owner.get(path)["data"]
    assert shown == {**made, "secret": None}
    own = poor.post("/v1/webhook_endpoints", {"url": "https://example.com/a", "events": ["contact.*"]})["data"]
    path = f"/v1/webhook_endpoints/{own['id']}"
    lacking(poor, "PATCH", path, {"events": events})
    poor.patch(path, {"url": "https://example.com/b"})
    poor.post(f"{path}/test")
    poor.delete(path)


def test_what_an_endpoint_no_longer_takes_goes_where_its_readers_say(books):
    """Narrowed to what the key may read, an endpoint still has invoices on their way to it."""
    owner, poor = books
    made = owner.post("/v1/webhook_endpoints", {"url": "https://example.com/a", "events": ["*"]})["data"]
    path = f"/v1/webhook_endpoints/{made['id']}"
    invoice(owner)
    owner.patch(path, {"events": ["contact.*"]})
    lacking(poor, "PATCH", path, {"url": "https://evil.example.com/"})
    poor.patch(path, {"description": "changes nothing on the way"})
    owner.patch(path, {"enabled": False})
    owner.patch(path, {"enabled": True})
    # Held now: a new URL sends nothing, and recover needs the scope of each that it would send.
    poor.patch(path, {"url": "https://example.com/c"})
    lacking(poor, "POST", f"{path}/recover", {"since": "2026-01-01T00:00:00Z"})
    held = owner.get("/v1/webhook_deliveries?status=held")["data"]
    for delivery in held:
        if delivery["event"] == "invoice.created":
            lacking(poor, "POST", f"/v1/webhook_deliveries/{delivery['id']}/replay")
        else:
            poor.post(f"/v1/webhook_deliveries/{delivery['id']}/replay")
    assert owner.post(f"{path}/recover", {"since": "2026-01-01T00:00:00Z"}, 202)["data"]["deliveries"] == 2


def test_a_replay_goes_to_an_endpoint_that_the_key_may_change(books):
    owner, poor = books
    owner.post("/v1/webhook_endpoints", {"url": "https://example.com/a", "events": ["*"]})
    owner.post("/v1/contacts", {"name": "Ada"})
    (delivery,) = owner.get("/v1/webhook_deliveries")["data"]
    lacking(poor, "POST", f"/v1/webhook_deliveries/{delivery['id']}/replay")


def test_events_and_deliveries_are_shown_without_what_the_key_may_not_read(books, receive, subscribe, drain):
    def echo(handler):
        body = receiver.requests[-1][1]
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    owner, poor = books
    receiver = receive(echo)
    subscribe(owner, receiver.url)
    made = invoice(owner)
    drain(owner.app)
    for client, known in ((owner, {"contact.created", "invoice.created"}), (poor, {"contact.created"})):
        for query in ("", "?event=invoice.created", "?event=contact.*", "?sort=created_at"):
            answer = client.get(f"/v1/events{query}")["data"]
            assert answer and all((event["data"] is not None) == (event["event"] in known) for event in answer), query
            for event in answer:
                assert client.get(f"/v1/events/{event['id']}")["data"] == event
        for delivery in client.get("/v1/webhook_deliveries")["data"]:
            shown = client.get(f"/v1/webhook_deliveries/{delivery['id']}")["data"]
            (attempt,) = shown["attempts"]
            assert (attempt["request"]["body"] is not None) == (delivery["event"] in known)
            assert (attempt["response"]["body"] is not None) == (delivery["event"] in known)
            if client is poor and delivery["event"] == "invoice.created":
                assert made["id"] not in poor.last.text


def test_a_plugin_that_is_off_leaves_events_to_keys_that_read_all(books, make_app):
    owner, _ = books
    app = owner.app
    made = owner.post("/v1/webhook_endpoints", {"url": "https://example.com/a", "events": ["invoice.paid"]})["data"]
    invoice(owner)
    url = app.db.url.render_as_string(hide_password=False)
    without = make_app("contacts", "webhooks", database=url)
    wide = Client(without, owner.tenant_id)
    poor = Client(without, owner.tenant_id, ("webhooks:write", "events:read", "contacts:read", "contacts:write"))
    path = f"/v1/webhook_endpoints/{made['id']}"
    error = poor.refused(403, "insufficient_scope", "PATCH", path, {"url": "https://evil.example.com/"})
    assert error["required_scope"] == "read"
    wide.patch(path, {"url": "https://example.com/b"})
    (event,) = (e for e in poor.get("/v1/events")["data"] if e["event"] == "invoice.created")
    assert event["data"] is None
    assert all(event["data"] for event in wide.get("/v1/events")["data"])
