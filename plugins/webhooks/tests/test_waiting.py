"""Retries of deliveries to a sandbox whose clock advances."""

from datetime import timedelta

from billycan.testing import Client, run_timed
from billycan_clock import walking


def test_retries_follow_the_clock_of_a_sandbox(make_app, receive, drain, subscribe, clock):
    app = make_app("clock", "contacts", "webhooks", fresh=True, webhooks={"allow_private": True})
    receiver, live = receive(500), Client(app)
    sandbox = live.sandbox()
    for client in (live, sandbox):
        subscribe(client, receiver.url, "contact.*")
        client.post("/v1/contacts", {"name": "Ada Baker"})
    sandbox.post("/v1/clock", {})
    drain(app)

    def attempts(client):
        return [(one["status"], one["attempts_made"]) for one in client.get("/v1/webhook_deliveries")["data"]]

    assert attempts(sandbox) == attempts(live) == [("pending", 1)]
    for to, tried in ((timedelta(minutes=5), 1), (timedelta(minutes=10), 2), (timedelta(days=2), 4)):
        sandbox.post("/v1/clock/advance", {"to": (clock.time + to).isoformat()}, status=202)
        run_timed(app)
        for _ in range(3):  # each has the next retry due that follows from its failure
            drain(app)
        assert attempts(sandbox) == [("failed" if tried == 4 else "pending", tried)]
    assert attempts(live) == [("pending", 1)]
    # What is new is sent at once, whatever the clock says.
    sandbox.post("/v1/contacts", {"name": "Lee Chan"})
    drain(app)
    assert attempts(sandbox)[0] == ("pending", 1)


def test_retries_are_made_while_the_clock_still_advances(make_app, receive, drain, subscribe, clock, monkeypatch):
    app = make_app("clock", "contacts", "webhooks", fresh=True, webhooks={"allow_private": True})
    receiver, sandbox = receive(500), Client(app).sandbox()
    subscribe(sandbox, receiver.url, "contact.*")
    sandbox.post("/v1/contacts", {"name": "Ada Baker"})
    sandbox.post("/v1/clock", {})
    drain(app)
    (first,) = sandbox.get("/v1/webhook_deliveries")["data"]
    with monkeypatch.context() as patch:
        patch.setattr(walking, "_end_advance", lambda ctx, row: None)
        sandbox.post("/v1/clock/advance", {"to": (clock.time + timedelta(hours=5)).isoformat()}, status=202)
        run_timed(app)
        assert not sandbox.get("/v1/clock")["data"]["done"]
        for _ in range(3):
            drain(app)
        (now,) = sandbox.get("/v1/webhook_deliveries")["data"]
        assert (now["status"], now["attempts_made"]) == ("pending", 3)
    run_timed(app)
    assert sandbox.get("/v1/clock")["data"]["done"]
    drain(app)
    (last,) = sandbox.get("/v1/webhook_deliveries")["data"]
    assert (last["attempts_made"], last["next_attempt_at"]) == (3, now["next_attempt_at"])  # no time passed twice
    assert first["next_attempt_at"] > clock.time.isoformat()
