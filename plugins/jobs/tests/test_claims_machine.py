"""Random claims of a quote and its job, credited, voided and released: invoiced plus left is always the whole work."""

from decimal import Decimal

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from billycan.testing import Client

D = Decimal
PLUGINS = ("contacts", "documents", "hosted", "invoices", "jobs", "quotes")
LINES = [
    {"description": "Heat pump", "unit_price": "333.33"},
    {"description": "Water", "unit_price": "77.77", "gst_code": "gst_free", "discount_percent": "3.3"},
    {"description": "Valves", "unit_price": "0.15", "quantity": "33"},
    {"description": "Trade-in", "unit_price": "-20.05"},
]
PARTS = st.one_of(
    st.decimals(D("0.01"), 70, places=2).map(lambda p: {"percent": str(p)}),
    st.decimals(D("0.01"), 200, places=2).map(lambda a: {"amount": str(a)}),
    st.integers(0, 3).map(lambda i: {"line": i}),
    st.just({}),
)
TERMS = st.sampled_from(
    [
        {},
        {"retention_percent": "7.77"},
        {"retention_percent": 33},
        {"retention_percent": 20, "retention_cap_percent": 3},
    ]
)


class Claims(RuleBasedStateMachine):
    """An accepted quote, sometimes made a job; a refusal changes nothing and names its rule."""

    def __init__(self, app):
        super().__init__()
        self.web = Client(app)
        self.client_id = self.web.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
        self.invoices, self.notes, self.job = [], [], None

    @initialize(inclusive=st.booleans(), per_line=st.booleans())
    def begin(self, inclusive, per_line):
        terms = {
            "amounts_are": "inclusive" if inclusive else "exclusive",
            "gst_rounding": "per_line" if per_line else "total_invoice",
        }
        made = self.web.post("/v1/quotes", {"client_id": self.client_id, "line_items": LINES, **terms})["data"]
        self.quote = f"/v1/quotes/{made['id']}"
        self.web.post(f"{self.quote}/send", status=200)
        self.web.post(f"{self.quote}/accept", {"name": "Ada"}, 200)

    def call(self, method, path, body=None):
        """Call the API; return None if a rule refuses the call."""
        answer = self.web.call(method, path, body)
        if answer.status_int < 300:
            return Client.decoded(answer)["data"]
        assert answer.status_int in (404, 409, 422), answer.text
        assert answer.json["error"]["code"] != "conflict", answer.text
        return None

    @rule(part=PARTS, kind=st.sampled_from(["progress", "part_payment", "deposit", "retention"]), terms=TERMS)
    def claim(self, part, kind, terms):
        work = self.web.get(self.job or self.quote)["data"]
        if "line" in part:
            part = {"line_ids": [work["line_items"][part["line"]]["id"]]}
        body = {**part, "claim": kind} if part or kind == "retention" else {}
        body |= terms if body.get("claim", "progress") == "progress" else {}
        path = f"{self.job}/invoice" if self.job else f"{self.quote}/convert"
        before = work["invoiced"]
        made = self.call("POST", path, body if self.job else {"to": "invoice", **body})
        after = self.web.get(self.job or self.quote)["data"]["invoiced"]
        assert after["invoiced"] == before["invoiced"] + (made["total"] if made else 0)
        if made:
            self.invoices.append(made["id"])

    @rule(pick=st.integers(0, 9), what=st.sampled_from(["send", "DELETE", "void", "pay", "forfeit", "credit", "part"]))
    def act(self, pick, what):
        if not self.invoices:
            return
        id = self.invoices[pick % len(self.invoices)]
        path = f"/v1/invoices/{id}"
        if what == "DELETE":
            if self.call("DELETE", path):
                self.invoices.remove(id)
        elif what in ("credit", "part"):
            self.call("POST", f"{path}/send")
            taken = {"full": True} if what == "credit" else {"line_items": [{"description": "x", "unit_price": "7.77"}]}
            note = self.call("POST", "/v1/adjustment_notes", {"invoice_id": id, "reason": "other", **taken})
            if note and self.call("POST", f"/v1/adjustment_notes/{note['id']}/issue"):
                self.notes.append(note["id"])
        else:
            self.call("POST", f"{path}/{what}", {"payment_method": "card"} if what == "pay" else {})

    @rule()
    def undo_a_note(self):
        if self.notes:
            self.call("POST", f"/v1/adjustment_notes/{self.notes.pop()}/void", {})

    @rule()
    def become_a_job(self):
        if not self.job and (made := self.call("POST", f"{self.quote}/convert", {"to": "job"})):
            self.job = f"/v1/jobs/{made['id']}"
            self.web.post(f"{self.job}/complete", None, 200)

    @invariant()
    def it_adds_up(self):
        shown = self.web.get(self.quote)["data"]
        sums = shown["invoiced"]
        assert sums["invoiced"] + sums["remaining"] == sums["quoted"] == shown["total"] and sums["remaining"] >= 0
        assert 0 <= sums["retained"] <= sums["remaining"]
        counted = D(0)
        for one in self.web.get("/v1/invoices?per_page=100")["data"]:
            if one["status"] != "void" and not one["forfeited_on"]:
                counted += one["total"] - one["amount_credited"]
        assert counted == sums["invoiced"]
        if self.job:
            job = self.web.get(self.job)["data"]
            assert job["invoiced"] == sums
            is_left = ("invoice" in job["allowed_actions"] and sums["remaining"] - sums["retained"]) or self.deposits()
            assert len(self.web.get("/v1/jobs?to_invoice=true")["data"]) == bool(is_left)

    def deposits(self):
        """The deposits that wait for an invoice that takes them off."""
        found = self.web.get("/v1/invoices?claim=deposit&per_page=100")["data"]
        waiting = [x for x in found if x["status"] != "void" and not x["forfeited_on"] and not x["applied_to"]]
        return sum(x["total"] - x["amount_credited"] for x in waiting)

    def teardown(self):
        """Invoice the rest and the retention: together with all before, they come to the work and its GST."""
        path = f"{self.job}/invoice" if self.job else f"{self.quote}/convert"
        for rest in ({}, {"claim": "retention"}):
            while self.call("POST", path, rest if self.job else {"to": "invoice", **rest}):
                pass
        quote = self.web.get(self.quote)["data"]
        assert quote["invoiced"]["remaining"] == 0
        notes = self.web.get("/v1/adjustment_notes?status=issued&per_page=100")["data"]
        live = [x for x in self.web.get("/v1/invoices?per_page=100")["data"] if x["status"] != "void"]
        gst = sum(x["gst"] for x in live if not x["forfeited_on"]) - sum(x["gst"] for x in notes)
        assert gst == quote["gst"], [(x["number"], x["claim"], x["total"], x["gst"]) for x in live]


@pytest.mark.either
def test_random_claims_never_come_to_more_than_the_work(make_app, examples):
    app = make_app(*PLUGINS)
    modest = settings(max_examples=examples(15), stateful_step_count=20)
    run_state_machine_as_test(lambda: Claims(app), settings=modest)
