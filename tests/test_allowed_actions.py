"""Every action in `allowed_actions` is possible: tried on every resource, in every state that actions lead to."""

import re
from collections import deque
from datetime import date, timedelta
from functools import partial
from itertools import count

import pytest

from billycan.testing import Client

PLUGINS = ("bookings", "contacts", "documents", "expenses", "hosted", "invoices", "jobs", "quotes", "staff")
LINES = [{"description": "Labour", "quantity": 2, "unit_price": "50.00"}]
MORE_LINES = [*LINES, {"description": "Freight", "unit_price": "3.03", "gst_code": "gst_free"}]
BELOW_ZERO = [{"description": "Credit", "unit_price": "-20.00"}]
NOTHING = [{"description": "Goodwill", "unit_price": "0.00"}]
LATER = {"scheduled_start": "2026-12-01T09:00:00Z"}
CHECKLIST = [{"text": "Test", "required": True}]

# The records made of each resource.
MADE = {
    "contacts": [{"name": "Ada"}],
    "expenses": [{"date": "2026-11-20", "amount": "64.90", **paid} for paid in ({}, {"paid_on": None})],
    "quotes": [{"line_items": LINES}, {"line_items": BELOW_ZERO}],
    "jobs": [
        {"title": "Fix", "line_items": LINES},
        {"title": "Look"},
        {"title": "Fix", "checklist": CHECKLIST, **LATER},
    ],
    "invoices": [*({"line_items": lines} for lines in (LINES, MORE_LINES, NOTHING, BELOW_ZERO)), {"claim": "deposit"}],
    "bookings": [{"asked_first": False}, {"asked_first": True}],
}
# A sane body of each action that needs one; several where they lead to different states.
CASH, CARD = {"payment_method": "cash"}, {"payment_method": "card"}
BODIES = {
    "payments": [{"amount": "10.00", **CASH}],
    "pay": [CARD, CASH],
    "accept": [{"name": "Ada"}],
    "convert": [{"to": "invoice"}, {"to": "job"}],
    "schedule": [LATER],
}
# Changes that a business may make between reading a record and acting on it, by resource.
TURNS = {"invoices": [{"abn": None}, {"gst_registered": False}], "quotes": [{"gst_registered": False}]}
TURNS["jobs"] = TURNS["quotes"]
MOST_ACTIONS = 4  # in a row: more lead to states that others have led to, but for longer lists of payments
WHOLE = {"abn": "47555222000", "gst_registered": True}


class Business:
    def __init__(self, app):
        self.client, self.starts, self.tried = Client(app, profile={"timezone": "UTC"}), count(1), set()
        post = self.client.post
        hours = [{"day": day, "start": "00:00", "end": "24:00"} for day in ("monday", "tuesday")]
        post("/v1/staff", {"name": "Grace", "hours": hours})
        self.contact = post("/v1/contacts", {"name": "Ada"})["data"]["id"]
        self.category = self.client.get("/v1/expense_categories")["data"][0]["id"]
        service = {"name": "Visit", "duration_minutes": 30}
        self.services = [
            post("/v1/services", {**service, "requires_confirmation": c})["data"]["id"] for c in (False, True)
        ]

    def next_monday(self):
        """Return a time without bookings."""
        return f"{date(2026, 11, 23) + timedelta(weeks=next(self.starts))}T12:00:00Z"

    def make(self, resource, body):
        given = {"client_id": self.contact, **body}
        if resource == "bookings":
            given = {"client_id": self.contact, "service_id": self.services[body["asked_first"]]}
            given["start_at"] = self.next_monday()
        elif resource == "expenses":
            given = {"category_id": self.category, **body}
        elif resource == "contacts":
            given = body
        elif "claim" in body:
            job = self.make("jobs", {"title": "Fix", "line_items": LINES, **LATER})
            return self.client.post(f"/v1/jobs/{job['id']}/invoice", {"percent": 80, **body})["data"]
        return self.client.post(f"/v1/{resource}", given)["data"]

    def read(self, resource, record):
        return self.client.get(f"/v1/{resource}/{record['id']}")["data"]

    def possible(self, resource, record):
        """List the calls that a record allows: the path of the record or payment, the action, and a body."""
        acting = [("", record["allowed_actions"])]
        acting += [(f"payments/{i}/", p["allowed_actions"]) for i, p in enumerate(record.get("payments", ()))]
        for part, actions in acting:
            for action in actions:
                bodies = BODIES.get(action, [{}])
                if action == "send" and resource == "quotes":
                    bodies = [{"expiry_date": "2027-01-31"}]
                for body in bodies:
                    yield part, action, body

    def act(self, resource, record, part, action, body):
        """Act on a record; return it as the action answers, or read it if that answers with another."""
        if action == "reschedule":
            body = {"start_at": self.next_monday()}
        elif action == "merge":
            body = {"into": self.make(resource, MADE[resource][0])["id"]}
        if part:
            part = f"payments/{record['payments'][int(part.split('/')[1])]['id']}/"
        path = f"/v1/{resource}/{record['id']}/{part}{action}"
        answer = self.client.call("POST", path, body)
        assert answer.status_int < 300, f"{resource} {record['status']} names {part}{action}: {answer.text}"
        self.tried.add((resource, "payments/{}/" + action if part else action))
        after = Client.decoded(answer)["data"]
        return after if after["id"] == record["id"] else self.read(resource, record)

    def reach(self, resource, body, way):
        """Make a record, take it through these actions, and read it."""
        record = self.make(resource, body)
        for part, action, sent in way:
            record = self.act(resource, record, part, action, sent)
        return self.read(resource, record)

    def act_after(self, turn, resource, record, reach_another):
        """Try each action that is named once the business has changed, on a record each, of which `record` is one."""
        done = set()
        while True:
            self.client.patch("/v1/tenant", turn)
            named = self.possible(resource, self.read(resource, record))
            calls = [call for call in named if str(call) not in done]
            if calls:
                self.act(resource, record, *calls[0])
                done.add(str(calls[0]))
            self.client.patch("/v1/tenant", WHOLE)
            if len(calls) < 2:
                return
            record = reach_another()


def state(record):
    """Return the members of a record that decide its possible actions."""
    payments = [(p["status"], *p["allowed_actions"]) for p in record.get("payments", ())]
    return record["status"], *record["allowed_actions"], *sorted(payments[-3:])


@pytest.mark.long
@pytest.mark.sqlite_alone  # tests/test_states.py acts on PostgreSQL, too
@pytest.mark.parametrize("resource", MADE)
def test_what_is_named_is_possible(make_app, resource):
    business = Business(make_app(*PLUGINS))
    for body in MADE[resource]:
        seen, ways = set(), deque([()])
        while ways:
            way = ways.popleft()  # so that each state is reached by one of its shortest ways
            reach = partial(business.reach, resource, body, way)
            record = reach()
            if state(record) in seen or len(way) > MOST_ACTIONS:
                continue
            seen.add(state(record))
            for call in business.possible(resource, record):
                ways.append((*way, call))
            for turn in TURNS.get(resource, ()):
                business.act_after(turn, resource, record or reach(), reach)
                record = None
    routes = {e.route.path for e in business.client.app.endpoints if e.route.method == "POST"}
    ours = f"/v1/{resource}/{{id}}/"
    actions = {re.sub(r"{\w+}", "{}", path.removeprefix(ours)) for path in routes if path.startswith(ours)}
    assert {action for _, action in business.tried} == actions  # none that no state ever names
