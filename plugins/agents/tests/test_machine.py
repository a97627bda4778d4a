"""An agent and the people beside it in random order: no sequence of calls moves more than a limit.

The model knows only what the API answered, and nothing of how amounts are counted.
"""

from collections import defaultdict
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from billycan import Conflict, Identity
from billycan.testing import Client
from billycan_agents import proposing
from billycan_agents.testing import agent_of, bill

AT_ONCE, A_DAY = Decimal(400), Decimal(1000)
ASK = {"Prefer": "propose"}
amounts = st.integers(1, 600).map(Decimal)
which = st.integers(0, 1000)


def owner_of(client):
    """Return the identity of a person who may approve anything of the client's business."""
    rates = {"per_minute": 1_000, "per_second": 1_000}
    scopes = ("read", "write")
    return Identity(id="usr_1", tenant_id=client.tenant_id, environment="live", name="Owner", scopes=scopes, **rates)


class Spending(RuleBasedStateMachine):
    def __init__(self, app):
        super().__init__()
        self.owner = Client(app)
        self.agent = agent_of(self.owner, auto_below=AT_ONCE, per_day=A_DAY, never=["delete_contact"])
        self.contact = self.owner.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
        self.day, self.moved = 0, defaultdict(dict)  # by day, and by invoice the most that the agent alone moved
        self.invoices, self.proposed, self.approved = [], {}, set()

    def call(self, method, path, body=None, *, before=Decimal(0)):
        """Make a call as the agent; note what it moved, or what it proposed."""
        answer = self.agent.call(method, path, body, None, ASK)
        found = answer.json
        if answer.status_int < 300:
            record = found["data"]
            # The invoice that was deleted is no longer shown.
            id, after = record["id"], Decimal(record.get("total", before))
            moved = self.moved[self.day]
            moved[id] = max(moved.get(id, Decimal(0)), after, abs(after - before))
            assert max(after, abs(after - before)) <= AT_ONCE, f"{method} {path} moved {after} from {before}"
            if id not in self.invoices:
                self.invoices.append(id)
        elif found["error"].get("proposal_id"):
            self.proposed[found["error"]["proposal_id"]] = None
        return found

    def an_invoice(self, number):
        id = self.invoices[number % len(self.invoices)]
        answer = self.owner.call("GET", f"/v1/invoices/{id}")
        return (id, Decimal(answer.json["data"]["total"])) if answer.status_int == 200 else (None, None)

    @rule(amount=amounts)
    def makes(self, amount):
        self.call("POST", "/v1/invoices", bill(self.owner, amount, self.contact))

    @rule(amount=amounts)
    def the_owner_makes(self, amount):
        self.invoices.append(self.owner.post("/v1/invoices", bill(self.owner, amount, self.contact))["data"]["id"])

    @precondition(lambda self: self.invoices)
    @rule(number=which, amount=amounts)
    def changes(self, number, amount):
        id, before = self.an_invoice(number)
        if id:
            lines = bill(self.owner, amount, self.contact)["line_items"]
            self.call("PATCH", f"/v1/invoices/{id}", {"line_items": lines}, before=before)

    @precondition(lambda self: self.invoices)
    @rule(number=which, does=st.sampled_from(["send", "pay", "void", "delete"]))
    def acts(self, number, does):
        id, before = self.an_invoice(number)
        path = f"/v1/invoices/{id}"
        if id and does == "delete":
            self.call("DELETE", path, before=before)
        elif id:
            body = {"pay": {"payment_method": "cash"}, "void": {"reason": "x"}}.get(does, {})
            self.call("POST", f"{path}/{does}", body, before=before)

    @precondition(lambda self: self.proposed)
    @rule(number=which, twice=st.booleans())
    def a_person_approves(self, number, twice):
        id = [*self.proposed][number % len(self.proposed)]
        for _ in range(1 + twice):
            count = self.owner.get("/v1/invoices?per_page=1")["pagination"]["total"]
            try:
                args = (self.owner.app, self.owner.tenant_id, id, owner_of(self.owner), lambda what: None, "req_1")
                status = proposing.approve(*args)
            except Conflict:  # decided already, or it would do something else now
                status = ""
            there = self.owner.get("/v1/invoices?per_page=1")["pagination"]["total"]
            if status != "done":
                assert there == count
            else:
                assert id not in self.approved and abs(there - count) <= 1
                self.approved.add(id)

    @rule()
    def a_day_passes(self):
        self.owner.app.clock.move(days=1)
        self.day += 1

    @invariant()
    def no_day_has_more(self):
        for day, moved in self.moved.items():
            assert sum(moved.values()) <= A_DAY, f"on day {day}: {moved}"


@pytest.mark.both
def test_no_sequence_of_calls_moves_more_than_a_limit(make_app, clock, examples):
    app = make_app("agents", "users", "contacts", "hosted", "documents", "invoices")
    quick = settings(
        max_examples=examples(15), stateful_step_count=20, deadline=None, suppress_health_check=[*HealthCheck]
    )
    run_state_machine_as_test(lambda: Spending(app), settings=quick)
