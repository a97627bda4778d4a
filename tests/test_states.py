"""A random walk through quotes, bookings, jobs and invoices: every action from every status, by the contract."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from random import Random
from typing import Any

import pytest

from billycan.testing import Client

PLUGINS = ("bookings", "contacts", "documents", "hosted", "invoices", "jobs", "quotes", "staff")
SEED, MOST_STEPS = 2026, 1_500
CASH = {"payment_method": "cash"}
LINES = [{"description": "Labour", "quantity": 2, "unit_price": "50.00"}]


@dataclass
class Kind:
    """A resource's states: the target of each action by status, and the other conditions."""

    leads: Mapping[str, Mapping[str, str]]
    deletable: set[str]
    events: Mapping[str, str]
    body: Mapping[str, Callable[["Walk", Any], Any]] = field(default_factory=dict)
    # Actions that the status allows and another condition refuses, with the error code.
    blocked: Callable[["Walk", Any], Mapping[str, str]] = lambda walk, record: {}
    # Actions that an earlier check refuses with another code.
    codes: Callable[[Any], Mapping[str, str]] = lambda record: {}

    @property
    def actions(self):
        return sorted({action for actions in self.leads.values() for action in actions})


def statuses(**leads):
    """Parse `draft="send:sent"` as `{"draft": {"send": "sent"}}`; `a/b` leads to one of several."""
    return {status: dict(pair.split(":") for pair in pairs.split()) for status, pairs in leads.items()}


KINDS = {
    "quotes": Kind(
        statuses(
            draft="send:sent cancel:cancelled",
            sent="accept:accepted decline:declined revise:draft cancel:cancelled",
            accepted="convert:invoiced/converted",
            declined="send:sent",
            expired="send:sent",
            cancelled="",
            converted="",
            invoiced="",
        ),
        deletable={"draft"},
        events={
            "send": "quote.sent",
            "accept": "quote.accepted",
            "decline": "quote.declined",
            "revise": "quote.updated",
            "cancel": "quote.cancelled",
            "convert": "quote.converted",
        },
        body={
            "send": lambda walk, quote: {"expiry_date": walk.day(30)},
            "accept": lambda walk, quote: {"name": "Ada"},
            "convert": lambda walk, quote: {"to": walk.random.choice(["invoice", "job"])},
        },
    ),
    "bookings": Kind(
        statuses(
            pending="confirm:confirmed decline:declined cancel:cancelled reschedule:pending",
            confirmed="complete:completed no_show:no_show cancel:cancelled reschedule:confirmed",
            completed="reopen:confirmed",
            no_show="reopen:confirmed",
            declined="",
            cancelled="",
        ),
        deletable={"pending", "declined", "cancelled"},
        events={
            "confirm": "booking.confirmed",
            "decline": "booking.declined",
            "cancel": "booking.cancelled",
            "complete": "booking.completed",
            "no_show": "booking.no_show",
            "reschedule": "booking.rescheduled",
            "reopen": "booking.reopened",
        },
        body={"reschedule": lambda walk, booking: {"start_at": walk.next_start()}},
    ),
    "jobs": Kind(
        statuses(
            open="schedule:scheduled start:in_progress complete:complete cancel:cancelled",
            scheduled="start:in_progress complete:complete cancel:cancelled invoice:scheduled",
            in_progress="hold:on_hold complete:complete cancel:cancelled invoice:in_progress",
            on_hold="resume:in_progress complete:complete cancel:cancelled invoice:on_hold",
            complete="reopen:open invoice:complete",
            cancelled="",
        ),
        deletable={"open", "cancelled"},
        events={
            "schedule": "job.scheduled",
            "start": "job.started",
            "hold": "job.updated",
            "resume": "job.updated",
            "complete": "job.completed",
            "cancel": "job.cancelled",
            "reopen": "job.reopened",
            "invoice": "job.updated",
        },
        body={"schedule": lambda walk, job: {"scheduled_start": walk.next_start()}},
        blocked=lambda walk, job: (
            ({"complete": "checklist_incomplete"} if any(not item["done"] for item in job["checklist"]) else {})
            | ({"invoice": "already_invoiced"} if walk.is_billed(job) else {})
        ),
    ),
    "invoices": Kind(
        statuses(
            draft="send:sent/paid pay:paid duplicate:draft",
            sent="payments:partially_paid/paid pay:paid void:void write_off:written_off duplicate:sent",
            partially_paid="payments:partially_paid/paid pay:paid write_off:written_off duplicate:partially_paid",
            paid="duplicate:paid undo_write_off:paid",
            void="duplicate:void",
            written_off="payments:written_off/paid undo_write_off:sent/partially_paid duplicate:written_off",
        ),
        deletable={"draft"},
        events={
            "void": "invoice.voided",
            "write_off": "invoice.written_off",
            "undo_write_off": "invoice.write_off_undone",
        },
        body={
            "payments": lambda walk, invoice: {
                "amount": str(walk.random.choice([1, invoice["amount_due"] or invoice["amount_written_off"] or 1])),
                **CASH,
            },
            "pay": lambda walk, invoice: CASH,
        },
        blocked=lambda walk, invoice: (
            {"undo_write_off": "invalid_state_transition"}
            if invoice["status"] == "paid" and not invoice["written_off_on"]
            else {}
        ),
        codes=lambda invoice: (
            {"void": "has_payments"} if invoice["amount_paid"] and invoice["status"] != "written_off" else {}
        ),
    ),
}


class Walk:
    """A business with records of each kind, and a count of the tries of each action from each status."""

    def __init__(self, app, clock):
        self.client, self.clock, self.random = Client(app, profile={"timezone": "UTC"}), clock, Random(SEED)
        self.seen, self.bills, self.log = {}, {}, []  # `seen` has each record's kind and last known status
        self.tried = set()
        self.starts = count(1)
        post = self.client.post
        hours = [{"day": day, "start": "00:00", "end": "24:00"} for day in ("monday", "tuesday", "wednesday")]
        self.contact_id = post("/v1/contacts", {"name": "Ada"})["data"]["id"]
        post("/v1/staff", {"name": "Grace", "hours": hours})
        service = {"name": "Visit", "duration_minutes": 30}
        self.services = [
            post("/v1/services", service | {"requires_confirmation": c})["data"]["id"] for c in (True, False)
        ]

    def day(self, days):
        return f"{self.clock.time + timedelta(days=days):%Y-%m-%d}"

    def next_start(self):
        """Return a time without bookings, always on a Monday."""
        weeks_ahead = timedelta(weeks=next(self.starts), days=-self.clock.time.weekday())
        return f"{self.clock.time + weeks_ahead:%Y-%m-%dT10:00:00Z}"

    def make(self, name):
        body = {"client_id": self.contact_id}
        if name == "bookings":
            body |= {"service_id": self.random.choice(self.services), "start_at": self.next_start()}
        elif name == "jobs":
            checklist = [{"text": "Test", "required": True}] * self.random.choice([0, 0, 1])
            body |= {"title": "Fix", "line_items": LINES, "checklist": checklist}
            body |= {"scheduled_start": self.random.choice([None, self.next_start()])}
        else:
            body |= {"line_items": self.random.choice([LINES, [{**LINES[0], "quantity": 0}]])}
        made = self.client.post(f"/v1/{name}", body)["data"]
        self.seen[made["id"]] = name, made["status"]

    def step(self):
        if self.random.random() < 0.05:
            self.clock.move(days=31)
        if not self.seen or self.random.random() < 0.2:
            self.make(self.random.choice(list(KINDS)))
        # Untried actions come first, then those that lead on.
        present = sorted({*self.seen.values()})
        calls = [(*seen, action) for seen in present for action in [*KINDS[seen[0]].actions, "delete"]]
        leading = [(*seen, action) for seen in present for action in KINDS[seen[0]].leads[seen[1]]]
        new = [call for call in calls if call not in self.tried]
        name, status, action = self.random.choice(new or leading)
        id = self.random.choice([id for id, seen in self.seen.items() if seen == (name, status)])
        before = self.get(name, id)
        if name == "jobs" and self.random.random() < 0.5:
            items = [{"id": item["id"], "done": True} for item in before["checklist"]]
            before = self.client.patch(f"/v1/jobs/{id}", {"checklist": items})["data"]
        self.tried.add((name, before["status"], action))
        if action == "delete":
            self.delete(name, before)
        else:
            self.act(name, before, action)

    def get(self, name, id):
        record = self.client.get(f"/v1/{name}/{id}")["data"]
        self.seen[id] = name, record["status"]
        return record

    def is_billed(self, job):
        """Tell whether an invoice of the job's lines exists that is not void."""
        return self.seen.get(self.bills.get(job["id"]), ("", "void"))[1] != "void"

    def act(self, name, before, action):
        kind, path = KINDS[name], f"/v1/{name}/{before['id']}"
        leads, blocked = kind.leads[before["status"]], kind.blocked(self, before)
        assert set(before["allowed_actions"]) == set(leads) - set(blocked)
        call = f"{path}/{action}"
        body = kind.body[action](self, before) if action in kind.body else None
        told = len(self.told())
        if action not in before["allowed_actions"]:
            code = blocked.get(action) if action in leads else kind.codes(before).get(action)
            error = self.client.refused(409, code or "invalid_state_transition", "POST", call, body)
            if error["code"] == "invalid_state_transition":
                assert (error["status"], error["allowed_actions"]) == (before["status"], before["allowed_actions"])
            assert self.get(name, before["id"]) == before and len(self.told()) == told
            return
            return
        stale = {"If-Match": f'"{before["version"] + 1}"'}
        self.client.refused(412, "version_conflict", "POST", call, body, headers=stale)
        makes = action in ("convert", "duplicate", "invoice")
        status = 201 if makes or action == "payments" else 200
        made = self.client.post(call, body, status, If_Match=f'"{before["version"]}"')["data"]
        after = self.get(name, before["id"])
        assert after["status"] in leads[action].split("/")
        assert (after["version"] > before["version"]) == (action != "duplicate")
        if makes:
            self.get({"inv": "invoices", "job": "jobs"}[made["id"][:3]], made["id"])
            self.bills |= {before["id"]: made["id"]} if action == "invoice" else {}
        else:
            assert made == after
        happened = [event for event in self.told()[told:] if event["data"]["id"] == before["id"]]
        assert [event["event"] for event in happened] == self.expected(name, before, action, after)
        assert all(event["data"].items() <= after.items() for event in happened[-1:])  # only links are left out

    def expected(self, name, before, action, after):
        """List the events of the record itself that subscribers should receive."""
        events = [event] if (event := KINDS[name].events.get(action)) else []
        if before["status"] == "expired":
            events.insert(0, "quote.expired")
        if name == "invoices" and action != "duplicate":
            events += ["invoice.sent"] if before["status"] == "draft" else []
            paid_late = action == "payments" and before["status"] == "written_off"
            events += ["invoice.recovered"] if paid_late else []
            events += ["invoice.paid"] if after["status"] == "paid" != before["status"] else []
        return events

    def delete(self, name, before):
        path = f"/v1/{name}/{before['id']}"
        if before["status"] not in KINDS[name].deletable:
            assert self.client.refused(409, "document_locked", "DELETE", path)["status"] == before["status"]
        elif before.get("invoice_ids"):
            self.client.refused(409, "has_dependents", "DELETE", path)
        else:
            self.client.delete(path)
            self.client.get(path, 404)
            del self.seen[before["id"]]
            return
            return
        assert self.get(name, before["id"]) == before

    def told(self):
        """Return every event so far."""
        after = self.log[-1]["id"] if self.log else None
        found = self.client.get(f"/v1/events?per_page=100&after={after}" if after else "/v1/events?sort=created_at")
        self.log += found["data"]
        return self.log


@pytest.mark.long
def test_every_action_does_from_every_status_what_the_contract_says(make_app, clock):
    walk = Walk(make_app(*PLUGINS), clock)
    everything = {
        (name, status, action)
        for name, kind in KINDS.items()
        for status in kind.leads
        for action in [*kind.actions, "delete"]
    }
    for _ in range(MOST_STEPS):
        walk.step()
        if everything <= walk.tried:
            return
            return
    raise AssertionError(everything - walk.tried)
