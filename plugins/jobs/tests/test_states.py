"""Random actions on jobs against a model of the contract: every transition, refusal, link and event."""

from dataclasses import dataclass, field

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule
from hypothesis.stateful import run_state_machine_as_test as run

from billycan.testing import Client

UNFINISHED = {"open", "scheduled", "in_progress", "on_hold"}
FROM = {
    "schedule": {"open"},
    "start": {"open", "scheduled"},
    "hold": {"in_progress"},
    "resume": {"on_hold"},
    "complete": UNFINISHED,
    "cancel": UNFINISHED,
    "reopen": {"complete"},
    "invoice": {"scheduled", "in_progress", "on_hold", "complete"},
}
TO = {"schedule": "scheduled", "start": "in_progress", "hold": "on_hold", "resume": "in_progress"}
TO |= {"complete": "complete", "cancel": "cancelled", "reopen": "open"}
EVENTS = {"schedule": "scheduled", "start": "started", "complete": "completed", "cancel": "cancelled"}
EVENTS |= {"reopen": "reopened"}
ACTIONS = [*FROM, "complete", "complete", "reopen", "invoice", "invoice", "tick", "lines", "delete", "free", "void"]


@dataclass
class Model:
    """A job's state according to the contract."""

    id: str
    status: str
    required: int
    version: int = 1
    done: int = 0
    lines: int = 1
    deleted: bool = False
    invoices: list = field(default_factory=list)
    billed_by: str | None = None

    @property
    def allowed(self):
        blocked = {"invoice": self.billed_by or not self.lines, "complete": self.done < self.required}
        return {a for a, starts in FROM.items() if self.status in starts and not blocked.get(a)}


class Jobs(RuleBasedStateMachine):
    jobs = Bundle("jobs")

    def __init__(self, app):
        super().__init__()
        self.client = Client(app)
        self.contact_id = self.client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
        self.models, self.events = [], ["contact.created"]

    @initialize(target=jobs)
    def begin(self):
        return multiple(
            *(self.create(required, start) for required in (0, 0, 2) for start in (None, "2026-12-01T00:00:00Z"))
        )

    def create(self, required, start):
        checklist = [{"text": f"Step {i}", "required": True} for i in range(required)] + [{"text": "Tea"}]
        body = {"client_id": self.contact_id, "title": "Fix", "checklist": checklist, "line_items": self.lines_of(1)}
        made = self.client.post("/v1/jobs", {**body, "scheduled_start": start})["data"]
        self.events.append("job.created")
        self.models.append(Model(made["id"], "scheduled" if start else "open", required))
        return self.models[-1]

    def lines_of(self, count):
        return [{"description": "Labour", "unit_price": "10.00"}] * count

    def refusal(self, model, action):
        if action == "delete":
            if model.status not in ("open", "cancelled"):
                return 409, "document_locked"
            return (409, "has_dependents") if model.invoices else None
        if action in ("tick", "lines"):
            return (409, "checklist_incomplete") if self.would_undo(model, action) else None
        if model.status not in FROM[action]:
            return 409, "invalid_state_transition"
        if action == "complete" and model.done < model.required:
            return 409, "checklist_incomplete"
        if action == "invoice" and model.billed_by:
            return 409, "already_invoiced"
        return (422, "validation_failed") if action == "invoice" and not model.lines else None

    def would_undo(self, model, action):
        return action == "tick" and model.status == "complete" and model.done == model.required > 0

    def attempt(self, model, action, stale, method, path, body=None, status=200):
        refusal = self.refusal(model, action)
        if stale:
            refusal = 412, "version_conflict"
        if model.deleted:
            refusal = 404, "resource_not_found"
        match = {"If-Match": f'"{model.version + stale}"'}
        if refusal:
            error = self.client.refused(*refusal, method, f"/v1/jobs/{model.id}{path}", body, headers=match)
            if refusal[1] == "invalid_state_transition":
                assert (error["status"], set(error["allowed_actions"])) == (model.status, model.allowed)
            return None
        return self.client.call(method, f"/v1/jobs/{model.id}{path}", body, status, match).json["data"]

    @rule(model=jobs, action=st.sampled_from(ACTIONS), stale=st.sampled_from([0] * 9 + [1]))
    def act(self, model, action, stale):
        if action in ("free", "void"):
            self.let_go(model, action)
        elif action == "delete":
            if self.attempt(model, action, stale, "DELETE", ""):
                model.deleted = True
                self.events.append("job.deleted")
        elif action in ("tick", "lines"):
            self.change(model, action, stale)
        elif action == "invoice":
            if bill := self.attempt(model, action, stale, "POST", "/invoice", status=201):
                assert bill["job_id"] == model.id
                model.invoices.append(bill["id"])
                model.billed_by = bill["id"]
                model.version += 1
                self.events += ["invoice.created", "job.updated"]
        else:
            body = {"scheduled_start": "2026-12-02T00:00:00Z"} if action == "schedule" else None
            if self.attempt(model, action, stale, "POST", f"/{action}", body):
                model.status, model.version = TO[action], model.version + 1
                self.events.append(f"job.{EVENTS.get(action, 'updated')}")

    def change(self, model, action, stale):
        """Tick off the next required item, or untick all; or remove all lines and put them back."""
        if action == "lines":
            count = 1 - model.lines
            if self.attempt(model, action, stale, "PATCH", "", {"line_items": self.lines_of(count)}):
                model.lines, model.version = count, model.version + 1
                self.events.append("job.updated")
        else:
            done = (model.done + 1) % (model.required + 1)
            checklist = [] if model.deleted else self.client.get(f"/v1/jobs/{model.id}")["data"]["checklist"]
            items = [{"id": item["id"], "done": i < done and item["required"]} for i, item in enumerate(checklist)]
            if self.attempt(model, action, stale, "PATCH", "", {"checklist": items}) and done != model.done:
                model.done, model.version = done, model.version + 1
                self.events.append("job.updated")

    def let_go(self, model, action):
        """Delete the draft that bills the job, or send and void it."""
        if model.billed_by is None:
            return
        path = f"/v1/invoices/{model.billed_by}"
        if action == "free":
            self.client.delete(path)
            model.invoices.remove(model.billed_by)
            self.events.append("invoice.deleted")
        else:
            self.client.post(f"{path}/send", status=200)
            self.client.post(f"{path}/void", status=200)
            self.events += ["invoice.sent", "invoice.voided"]
        model.billed_by, model.version = None, model.version + 1
        self.events.append("job.updated")

    @invariant()
    def every_job_is_what_the_model_says(self):
        living = [model for model in self.models if not model.deleted]
        found = self.client.get("/v1/jobs?sort=number&per_page=100&include=line_items")
        assert found["pagination"]["total"] == len(living)
        for model, shown in zip(living, found["data"], strict=True):
            assert (shown["id"], shown["status"], shown["version"]) == (model.id, model.status, model.version)
            assert (set(shown["allowed_actions"]), shown["invoice_ids"]) == (model.allowed, model.invoices)
            assert (shown["completed_at"] is not None) == (model.status == "complete")
            assert (shown["cancelled_at"] is not None) == (model.status == "cancelled")
            assert len(shown["line_items"]) == model.lines and shown["total"] == 11 * model.lines
            assert sum(item["done"] for item in shown["checklist"]) == model.done
            assert shown["status"] != "complete" or model.done >= model.required

    def teardown(self):
        told, query = [], "per_page=100"
        while query:
            page = self.client.get(f"/v1/events?sort=created_at&{query}")
            told += [event["event"] for event in page["data"]]
            query = page["pagination"]["next_cursor"] and f"cursor={page['pagination']['next_cursor']}"
        assert told == self.events


def walk(make_app, examples, steps):
    app = make_app("contacts", "documents", "hosted", "invoices", "jobs")
    modest = settings(max_examples=examples, stateful_step_count=steps)
    run(lambda: Jobs(app), settings=modest)


@pytest.mark.sqlite_alone  # PostgreSQL has a longer walk, below
def test_random_actions_keep_to_the_model(make_app):
    walk(make_app, 5, 25)


@pytest.mark.long
def test_random_actions_keep_to_the_model_for_long(make_app, examples):
    walk(make_app, examples(20), 40)
