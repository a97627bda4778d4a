"""Sandboxes that are emptied and filled anew, whatever they hold and whatever breaks in between."""

import pytest
import sqlalchemy as sa

from billycan.db import metadata
from billycan.testing import Client, run_timed
from billycan.working import emptying
from billycan_sandbox import resetting

PLUGINS = (
    *("apps", "attachments", "batch", "bookings", "changes", "clock", "contacts", "documents", "expenses", "hosted"),
    *("imports", "invoices", "items", "jobs", "mail", "quotes", "recurring", "reminders", "reports", "sandbox"),
    *("staff", "users", "webhooks"),
)
RESET = "/v1/sandbox/reset"
LINES = [{"description": "Tap", "quantity": 1, "unit_price": "100.00"}]
# Whoever may come in, how far the log came, and the reset itself; the event is of the reset.
STAYS = {
    "core_fills",
    "core_keys",
    "core_events",
    "core_events_forgotten",
    "core_counters",
    "webhooks_endpoints",
    "sandbox_resets",
}


@pytest.fixture
def sandbox(make_app):
    return Client(make_app(*PLUGINS)).sandbox()


def live_a_little(client):
    """Make records of many kinds, with files, payments, emails and deliveries."""
    client.post("/v1/webhook_endpoints", {"url": "https://example.com/hook", "events": ["*"]})
    ada = client.post("/v1/contacts", {"name": "Ada", "email": "ada@example.com"})["data"]["id"]
    eve = client.post("/v1/contacts", {"name": "Eve"})["data"]["id"]
    for _ in range(3):
        bill = client.post("/v1/invoices", {"client_id": ada, "line_items": LINES})["data"]
        client.post(f"/v1/invoices/{bill['id']}/send", status=200)
    paid = {"client_id": ada, "amount": "50.00", "payment_method": "card"}
    client.post("/v1/payments", {**paid, "allocations": [{"invoice_id": bill["id"], "amount": "50.00"}]})
    client.post(f"/v1/invoices/{bill['id']}/email", {"to": ["ada@example.com"]})
    client.post("/v1/quotes", {"client_id": eve, "line_items": LINES})
    client.post("/v1/jobs", {"client_id": eve, "title": "Tap"})
    client.post(f"/v1/contacts/{eve}/merge", {"into": ada}, 200)
    kind = {"Content-Type": "text/plain"}
    client.call("POST", f"/v1/attachments?resource={bill['id']}&filename=a.txt", None, 201, kind, raw=b"hello")
    client.post("/v1/clock", {"now": "2027-03-01T09:00:00+11:00"})
    return bill


def rows_left(client):
    """Name the tables that have rows of the business."""
    with client.app.db.reading(client.tenant_id) as db:
        return {
            table.name
            for table in metadata.sorted_tables
            if "tenant_id" in table.c
            and {table.name.partition("_")[0]} & {*PLUGINS, "core", "attachments"}
            and db.execute(sa.select(table.c.tenant_id).where(table.c.tenant_id == client.tenant_id).limit(1)).first()
        }


def test_all_that_it_held_is_gone_and_who_may_come_in_stays(sandbox):
    other, live = Client(sandbox.app).sandbox(), Client(sandbox.app)
    bill = live_a_little(sandbox)
    live_a_little(other)
    of_other = len(other.events())
    start = sandbox.get("/v1/changes")["data"]["cursor"]
    assert len(rows_left(sandbox)) > 20
    begun = sandbox.post(RESET, {"samples": False}, status=202, Idempotency_Key="anew")["data"]
    assert (begun["done"], begun["removed"]) == (False, 0)
    sandbox.refused(409, "reset_under_way", "POST", RESET, {})
    run_timed(sandbox.app)
    done = sandbox.get(RESET)["data"]
    assert done["done"] and done["removed"] > 40
    assert sandbox.post(RESET, {"samples": False}, status=202, Idempotency_Key="anew")["data"] == begun
    left = {name for name in rows_left(sandbox) if not name.startswith("reports_")}  # which starts its ledger by itself
    assert left - {"core_idempotency", "webhooks_deliveries"} <= STAYS | {"attachments_leftovers"}
    assert sandbox.events() == ["sandbox.reset"]
    for path in ("contacts", "invoices", "quotes", "jobs", "payments", "attachments", "emails"):
        assert sandbox.get(f"/v1/{path}")["pagination"]["total"] == 0
    sandbox.refused(404, "resource_not_found", "GET", f"/v1/invoices/{bill['id']}")
    assert len(sandbox.get("/v1/webhook_endpoints")["data"]) == 1
    sandbox.refused(404, "resource_not_found", "GET", "/v1/clock")
    sandbox.refused(410, "resync", "GET", f"/v1/changes?after={start}")
    # It is as good as new.
    ada = sandbox.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    again = sandbox.post("/v1/invoices", {"client_id": ada, "line_items": LINES})["data"]
    assert again["number"] == "INV-0001" and again["issue_date"] == "2026-11-21"
    assert sandbox.get("/v1/invoices")["pagination"]["total"] == 1
    assert len(other.events()) == of_other and other.get("/v1/invoices")["pagination"]["total"] == 3
    for method, body in (("GET", None), ("POST", {})):
        live.refused(403, "sandbox_only", method, RESET, body)
    other.refused(404, "resource_not_found", "GET", RESET)


@pytest.mark.either
def test_samples_are_added_once_though_workers_are_killed_at_every_step(sandbox, monkeypatch):
    live_a_little(sandbox)
    sandbox.post(RESET, {}, status=202)
    monkeypatch.setattr(emptying, "MOST_AT_ONCE", 20)

    class Killed(BaseException):
        pass

    take, kills = resetting._note_progress, []

    def dies(ctx, **values):
        take(ctx, **values)
        if len(kills) % 2 == 0:
            kills.append(values)
            raise Killed
        kills.append(None)
        return True

    monkeypatch.setattr(resetting, "_note_progress", dies)
    for _ in range(300):
        try:
            run_timed(sandbox.app)
        except Killed:
            continue
        if sandbox.get(RESET)["data"]["done"]:
            break
    assert len(kills) > 30, kills
    found = {kind: sandbox.get(f"/v1/{kind}")["pagination"]["total"] for kind in ("contacts", "invoices", "staff")}
    fresh = Client(sandbox.app).sandbox()
    fresh.post(RESET, {}, status=202)
    monkeypatch.setattr(resetting, "_note_progress", take)
    run_timed(sandbox.app)
    assert found == {kind: fresh.get(f"/v1/{kind}")["pagination"]["total"] for kind in found}
    assert all(found.values()) and sandbox.get("/v1/events?event=sandbox.reset")["pagination"]["total"] == 1


def test_what_comes_in_while_it_is_emptied_leaves_everything_right(sandbox, monkeypatch):
    """A record written after all others are gone begins another round, and is counted exactly."""
    live_a_little(sandbox)
    finish, made = emptying.Emptying.finish, []

    def late(self, ctx):
        if not made and not ctx.app.db.is_sqlite:  # which has one writer
            made.append(sandbox.post("/v1/contacts", {"name": "Late"})["data"]["id"])
        return finish(self, ctx)

    monkeypatch.setattr(emptying.Emptying, "finish", late)
    sandbox.post(RESET, {"samples": False}, status=202)
    run_timed(sandbox.app)
    assert sandbox.get(RESET)["data"]["done"]
    assert sandbox.get("/v1/contacts")["pagination"]["total"] == 0
    sandbox.post("/v1/contacts", {"name": "Ada"})
    assert sandbox.get("/v1/contacts")["pagination"]["total"] == 1


def test_of_several_resets_at_once_one_begins(sandbox):
    """The first reset of a sandbox, and one of a sandbox that was reset before."""
    for _ in range(2):
        answers = sandbox.race(*[("POST", RESET, {"samples": False})] * 6)
        assert sorted(answer.status_int for answer in answers) == [202, *[409] * 5]
        run_timed(sandbox.app)
        assert sandbox.get(RESET)["data"]["done"]
