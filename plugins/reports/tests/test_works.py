"""Random moves of one work: however it is claimed, sent, credited and ended, its GST counts as s 29-5(1) has it."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from billycan.testing import Client

D = Decimal
PLUGINS = ("contacts", "documents", "hosted", "invoices", "jobs", "reports")
LINES = [
    {"description": "Heat pump", "unit_price": "909.09"},
    {"description": "Valve", "unit_price": "0.07"},
    {"description": "Water", "unit_price": "50.05", "gst_code": "gst_free"},
]
ACTIONS = [*("claim",) * 4, *("send",) * 4, "rest", "void", "delete", "pay", "credit"]


class Works(RuleBasedStateMachine):
    """A job of which parts are invoiced; what is refused changes nothing, and says why."""

    def __init__(self, app):
        super().__init__()
        self.web, self.ended = Client(app), False

    @initialize()
    def begin(self):
        contact = self.web.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
        body = {"client_id": contact, "title": "Fix", "scheduled_start": "2026-12-01T00:00:00Z", "line_items": LINES}
        job = self.web.post("/v1/jobs", body)["data"]
        self.job, self.total, self.gst = f"/v1/jobs/{job['id']}", job["total"], job["gst"]

    def call(self, method, path, body=None):
        answer = self.web.call(method, path, body)
        assert answer.status_int < 300 or answer.status_int in (409, 422), answer.text
        if answer.status_int >= 300:
            assert answer.json["error"]["code"] != "conflict", answer.text

    def invoices(self):
        return self.web.get("/v1/invoices?per_page=100&sort=created_at")["data"]

    # One rule, because hypothesis leaves out some rules in each run.
    @rule(
        action=st.sampled_from(ACTIONS),
        which=st.integers(0, 5),
        percent=st.sampled_from(["0.01", "20", "33.3333", "50", "100"]),
        kind=st.sampled_from(["part_payment", "part_payment", "part_payment", "progress", "deposit"]),
    )
    def act(self, action, which, percent, kind):
        if action in ("claim", "rest"):
            self.call("POST", f"{self.job}/invoice", {"percent": percent, "claim": kind} if action == "claim" else None)
        else:
            for one in self.invoices()[which:][:1]:
                self.change(action, one)

    def change(self, action, one):
        path = f"/v1/invoices/{one['id']}"
        if action == "delete":
            self.call("DELETE", path)
        elif action == "credit":
            self.credit(one)
        else:
            self.call("POST", f"{path}/{action}", {"payment_method": "card"} if action == "pay" else None)

    def credit(self, one):
        body = {"invoice_id": one["id"], "reason": "other", "full": True}
        answer = self.web.call("POST", "/v1/adjustment_notes", body)
        if answer.status_int == 201:
            self.call("POST", f"/v1/adjustment_notes/{answer.json['data']['id']}/issue")

    @rule(sure=st.integers(0, 9))
    def cancel(self, sure):
        if not sure and not self.ended:
            self.ended = self.web.post(f"{self.job}/cancel", {}, 200)["data"]["status"] == "cancelled"

    @invariant()
    def it_is_invoiced_and_counted_once(self):
        shown = self.web.get(self.job)["data"]["invoiced"]
        assert shown["invoiced"] + shown["remaining"] == shown["quoted"] == self.total and shown["remaining"] >= 0
        report = self.web.get("/v1/reports/gst?from=2026-01-01&to=2027-12-31&basis=accrual")["data"]
        assert report["1A"]["amount"] == sum(one["amount"] for one in report["1A"]["documents"])
        sent = [one for one in self.invoices() if one["status"] not in ("draft", "void") and one["claim"] != "deposit"]
        notes = self.web.get("/v1/adjustment_notes?per_page=100&status=issued")["data"]
        billed, credited = sum(one["gst"] for one in sent), sum(note["gst"] for note in notes)
        kinds = {one["claim"] for one in sent}
        ahead = "part_payment" in kinds and "final" not in kinds and not self.ended
        assert report["1A"]["amount"] == (max(self.gst, billed) if ahead else billed) - credited <= self.gst


def run(make_app, clock, examples, steps):
    clock.time = datetime(2026, 8, 3, 2, tzinfo=UTC)
    app = make_app(*PLUGINS)
    modest = settings(max_examples=examples, stateful_step_count=steps)
    run_state_machine_as_test(lambda: Works(app), settings=modest)


@pytest.mark.sqlite_alone  # PostgreSQL has a longer walk, below
def test_a_work_counts_once_however_it_is_claimed(make_app, clock):
    run(make_app, clock, 6, 20)


@pytest.mark.long
def test_a_work_counts_once_however_it_is_claimed_for_long(make_app, clock, examples):
    run(make_app, clock, examples(60), 40)
