"""Copies that follow the changes end up equal to the lists, whatever is written, by whom, and how often they look."""

import threading

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from billycan.testing import Client

PLUGINS = (
    *("batch", "bookings", "changes", "contacts", "documents", "expenses", "hosted"),
    *("invoices", "items", "jobs", "quotes", "recurring", "staff"),
)
LINES = [{"description": "Labour", "quantity": 2, "unit_price": "50.00"}]
# Other records decide these: what they show is as it was at the record's own last change.
OF_OTHERS = {"allowed_actions", "client", "supplier", "service", "staff", "assignees", "category"}
INCLUDES = {
    **dict.fromkeys(("invoices", "expenses"), "line_items,payments"),
    **dict.fromkeys(("quotes", "jobs", "adjustment_notes"), "line_items"),
}
BODIES = {
    "payments": {"amount": "10.00", "payment_method": "card"},
    "refund": {"amount": "5.00", "payment_method": "card"},
    "write_off": {"reason": "Gone"},
    "pay": {"payment_method": "card"},
    "accept": {"name": "Ada"},
    "convert": {"to": "invoice"},
    "schedule": {"scheduled_start": "2026-12-01T09:00:00Z"},
    "complete": {"notes": "Done"},
}


class Copy:
    """A client that keeps copies of all records that can be followed."""

    def __init__(self, web):
        self.web, self.records = web, {}
        self.cursor = web.get("/v1/changes")["data"]["cursor"]

    def fetch(self, resource):
        """Return all records of a list, by resource and id."""
        query = "per_page=100"
        if resource in INCLUDES:
            query += f"&include={INCLUDES[resource]}"
        found, more = {}, ""
        while more is not None:
            page = self.web.get(f"/v1/{resource}?{query}{more}")
            found |= {(resource, record["id"]): record for record in page["data"]}
            cursor = page["pagination"]["next_cursor"]
            more = cursor and f"&cursor={cursor}"
        return found

    def follow(self, per_page=100):
        """Apply one answer; return whether there may be more."""
        answer = self.web.get(f"/v1/changes?after={self.cursor}&per_page={per_page}")["data"]
        assert len(answer["changes"]) <= per_page
        for change in answer["changes"]:
            key = change["resource"], change["id"]
            if change["deleted"]:
                self.records.pop(key, None)
            else:
                self.records[key] = change["record"]
        self.cursor = answer["cursor"]
        return answer["has_more"]

    def check(self, resources):
        """Compare the copies with the lists, once all changes are followed."""
        while self.follow():
            pass
        found = {key: record for resource in resources for key, record in self.fetch(resource).items()}
        assert own_members(self.records) == own_members(found)


def own_members(records):
    return {key: without_others(record) for key, record in records.items()}


def without_others(value):
    """Leave out what other records decide, also in the parts of a record, such as an invoice's payments."""
    if isinstance(value, list):
        return [without_others(each) for each in value]
    if isinstance(value, dict):
        return {name: without_others(each) for name, each in value.items() if name not in OF_OTHERS}
    return value


class Following(RuleBasedStateMachine):
    RESOURCES = (
        *("contacts", "invoices", "adjustment_notes", "payments", "quotes", "jobs", "bookings", "services"),
        *("expenses", "expense_categories", "items", "recurring_invoices", "staff"),
    )

    def __init__(self, app):
        super().__init__()
        self.web = Client(app, profile={"timezone": "UTC"})
        self.weeks = 0

    @initialize()
    def begin(self):
        self.web.get("/v1/expense_categories")  # there from the first look on
        hours = [{"day": "monday", "start": "00:00", "end": "24:00"}]
        self.web.post("/v1/staff", {"name": "Grace", "hours": hours})
        self.service = self.web.post("/v1/services", {"name": "Visit", "duration_minutes": 30})["data"]["id"]
        self.category = self.web.get("/v1/expense_categories")["data"][0]["id"]
        self.ada = self.web.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
        for resource in ("invoices", "invoices", "quotes", "jobs", "recurring_invoices"):
            made = self.web.post(f"/v1/{resource}", self.body(resource, "Begun"))["data"]
            if resource in ("invoices", "quotes"):
                self.web.post(f"/v1/{resource}/{made['id']}/send", status=200)
        self.copy = Copy(self.web)
        for resource in self.RESOURCES:
            self.copy.records |= self.copy.fetch(resource)

    def body(self, resource, text):
        self.weeks += 1
        bill = {"client_id": self.ada, "line_items": LINES}
        return {
            "contacts": {"name": text},
            "items": {"name": text, "unit_price": "10.00"},
            "staff": {"name": text},
            "services": {"name": text, "duration_minutes": 15},
            "expense_categories": {"name": f"{text} {self.weeks}"},
            "expenses": {
                **{"date": "2026-11-20", "amount": "15.50", "category_id": self.category, "supplier_id": self.ada},
                **({"paid_on": None, "due_date": "2026-12-20"} if self.weeks % 3 else {}),
            },
            "invoices": bill,
            "quotes": bill,
            "jobs": {**bill, "title": text},
            "payments": {"client_id": self.ada, "amount": "20.00", "payment_method": "card"},
            "recurring_invoices": {**bill, "frequency": "month", "start_on": "2026-12-01"},
            "bookings": {
                "client_id": self.ada,
                "service_id": self.service,
                "start_at": f"2026-{11 + self.weeks // 720}-23T{self.weeks // 30 % 24:02}:{self.weeks % 2 * 30:02}:00Z",
            },
            "adjustment_notes": {"reason": "other", "line_items": [{"description": "Off", "unit_price": "1.00"}]},
        }[resource]

    @rule(
        resource=st.sampled_from([*RESOURCES, *["invoices"] * 6, *["payments"] * 3, "adjustment_notes", "quotes"]),
        what=st.sampled_from(["make", "act", "act", "act", "change", "delete", "both", "reverse"]),
        one=st.integers(0, 5),
        text=st.sampled_from(["Eve", "Ann"]),
    )
    def write(self, resource, what, one, text):
        path = f"/v1/{resource}"
        records = self.web.get(f"{path}?per_page=100")["data"]
        record = records[one % len(records)] if records else None
        if what == "make" or record is None:
            body = self.body(resource, text)
            if resource == "adjustment_notes":
                sent = self.web.get("/v1/invoices?status=sent")["data"]
                body["invoice_id"] = sent[0]["id"] if sent else "inv_00000000000000000000000000"
            answer = self.web.call("POST", path, body)
        elif what == "act" and record["allowed_actions"]:
            action = record["allowed_actions"][one % len(record["allowed_actions"])]
            body = {"into": self.another(record["id"])} if action == "merge" else BODIES.get(action, {})
            answer = self.web.call("POST", f"{path}/{record['id']}/{action}", body)
        elif what == "reverse" and (paid := self.web.get(f"{path}/{record['id']}")["data"].get("payments")):
            paid = paid[one % len(paid)]["id"]
            answer = self.web.call("POST", f"{path}/{record['id']}/payments/{paid}/reverse", {})
        elif what == "delete":
            answer = self.web.call("DELETE", f"{path}/{record['id']}")
        else:
            change = {"method": "PATCH", "path": f"{path}/{record['id']}", "body": {"metadata": {"of": text}}}
            add = {"method": "POST", "path": "/v1/contacts", "body": {"name": text}}
            operations = [change, add] if what == "both" else [change]
            answer = self.web.call("POST", "/v1/batch", {"atomic": what == "both", "operations": operations})
        assert answer.status_int < 500, answer.text

    def another(self, id):
        """Return the contact to merge this one into; new records name that one from then on."""
        if id == self.ada:
            self.ada = self.web.post("/v1/contacts", {"name": "Ada Lovelace"})["data"]["id"]
        return self.ada

    @rule(per_page=st.sampled_from([1, 3, 100]))
    def follow(self, per_page):
        self.copy.follow(per_page)

    def teardown(self):
        self.copy.check(self.RESOURCES)


@pytest.mark.whole
@pytest.mark.both
def test_a_copy_ends_equal_whatever_is_written(make_app):
    app = make_app(*PLUGINS)
    run_state_machine_as_test(lambda: Following(app), settings=settings(max_examples=6, stateful_step_count=30))


@pytest.mark.whole
@pytest.mark.both
def test_nothing_is_passed_over_while_several_write(make_app):
    """A change that was numbered early and committed late must not come before a place already given out."""
    app = make_app("batch", "changes", "contacts")
    web = Client(app)
    copy = Copy(web)
    done = threading.Event()

    def write(name):
        own = Client(app, web.tenant_id)
        made = [own.post("/v1/contacts", {"name": f"{name} {i}"})["data"]["id"] for i in range(10)]
        operations = [{"method": "PATCH", "path": f"/v1/contacts/{id}", "body": {"notes": name}} for id in made[:7]] + [
            {"method": "DELETE", "path": f"/v1/contacts/{id}"} for id in made[7:]
        ]
        own.post("/v1/batch", {"operations": operations, "atomic": name < "c"}, 200)

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]

    def wait():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        done.set()

    waiting = threading.Thread(target=wait)
    waiting.start()
    while not done.is_set():
        copy.follow(per_page=2)
    waiting.join()
    copy.check(["contacts"])
    assert len(copy.records) == 4 * 7 and all(record["notes"] for record in copy.records.values())
