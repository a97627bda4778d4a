"""Retries of deliveries to a sandbox whose clock advances."""

from datetime import timedelta

from billycan.testing import Client, run_timed


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
