"""The API obeys its description for any input by schemathesis: each operation and link, on both databases.

Schemathesis reads the description alone and sends both allowed and forbidden input: its examples, a list of corner
cases, and more at random (the same each time). Forbidden input is refused before any query, so it is tried on SQLite
alone. All its checks run; RULES and `excused` name the complaints that do not apply.
"""

import fnmatch
import itertools
import json
import re
from datetime import date
from tempfile import TemporaryDirectory
from urllib.parse import unquote

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from schemathesis.generation import GenerationMode
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.generation.meta import TestPhase
from schemathesis.pytest._test_builder import build_operation_test
from schemathesis.specs.openapi.checks import (
    ignored_auth,
    negative_data_rejection,
    positive_data_acceptance,
    response_schema_conformance,
)

from billycan.app import App
from billycan.starting.plugins import first_party
from billycan.starting.settings import Config, Settings
from billycan.tenants import BankAccount
from billycan.testing import Client
from billycan.testing.fixtures import SECRET
from billycan.web import encode
from billycan_imports.testing import finish_imports

pytestmark = pytest.mark.whole

PLUGINS = tuple(sorted(first_party()))
ALL_OF_THE_FIRST = 10
SEARCHES = not settings().derandomize  # HYPOTHESIS_PROFILE=search: every corner case, and many more at random
SETTINGS = settings(derandomize=not SEARCHES, database=None, deadline=None, suppress_health_check=list(HealthCheck))

# Faults of requests that the description allows, with the reason why it cannot forbid them.
RULES = {
    r"must not contain control characters(, or .*)?": "a pattern on every text would hide what matters",
    r"(bank_account|line_items\[\d+\])\.\w+: is required": "a patch of what is not there makes it, whole",
    r"must not be empty|must be at least \d+ characters": "text is trimmed before it is measured",
    r"must have at most \d decimal places": "validators reckon multipleOf 0.01 in binary and refuse 0.07",
    r"must be between 1900-01-01 and 2200-12-31": "no keyword bounds the year of a time",
    r"must be between [\d.]+ and [\d.]+": "a pattern does not bound a number sent as text",
    r"must be one of ACT, NSW.*|must be four digits": "only an Australian address; a country decides what its state is",
    r"keys must be 1 to 40 printable characters|'.*' holds a NUL character\.": "control characters, as above",
    r"takes .*, each once, .*": "a pattern cannot say that no field comes twice",
    r"there is no such (record|event|invoice)|nothing of this payment is .*": "references are to what exists",
    r"is not a line of this (invoice|note).*": "references are to what exists",
    r"is an invoice of another client|appears twice: send one amount.*": "nor one item by another",
    r"is (needed for an item|for a line of the invoice|that of the invoice's|what is taken off).*": "an item or a line",
    r"must (be above|come to more than) zero: it is what is taken off": "amounts bound each other",
    r"must not be before the invoice's, .*|(from: )?must not be after to(, or today)?\.?": "dates",
    r"must not be before from|This period is not over yet\.": "dates bound each other, and today bounds them",
    r"comes to less than a cent": "a percentage of little",
    r"must not be (more than a year ago|before start_on|sent together with end_on)": "dates bound each other",
    r"is not a line of this recurring invoice.*|leaves no date for .*": "references are to what exists, as above",
    r"must not be those of another rule|has .*, which is no placeholder: use .*": "rules differ, and say what is known",
    r"is required for an active page|must name at least one service.*|must be false: .* no mail": "as is what is on",
    r"cannot be `email`: the plugin mail is off|must be more than the \d+ that were made": "what is on, and was made",
    r"percent: is required to invoice a part.*|is not one of the lines to invoice": "members bound each other",
    r"is required where there is a retention_cap_percent": "members bound each other",
    r"gst: is required with import_gst: enter what the customs document says": "members bound each other",
    r"mistake: is not for a bad debt, which was owed: if it never was, .*": "a mistake is undone otherwise",
    r"is not for the release of retention|is for progress claims and for .*": "members bound each other",
    r"Nothing is retained\.": "nor what of a job's claims is retained",
    r"must not be before \d{4}-\d\d-\d\d, when what is undone last changed": "dates bound each other, as above",
    r"is for an invoice: a job is made of the whole quote": "members bound each other",
    r"cannot be combined with (quantity|full|percent|amount|line_ids)\b.*": "members bound each other",
    r"is not an? (line|item) of this (document|checklist).*": "references are to what exists",
    r"cursor: does not belong to this list.*": "cursors are those given out",
    r"send either page or cursor\.": "no keyword says that two parameters exclude each other",
    r"cannot be combined with discount_percent: send one of them": "one of the two may be null, or clear the other",
    r"The record has changed since the version in If-Match.*": "versions are those of the record",
    r"This Idempotency-Key was used for another request.*": "schemathesis likes short keys",
    r"must be from .*, the amount it reduces.*|.* is more than the .* that .*": "amounts bound each other",
    r"must be a multiple of 0\.05, as cash is.*|cannot be cash.*": "what cash can pay, no keyword says",
    r"must not be later than tomorrow": "nor what day it is",
    r"must not be more than the amount": "amounts bound each other",
    r"cannot change: make another note for the other invoice": "which invoice it is, no keyword says",
    r"must not be before the payment was received, on .*": "dates bound each other, as above",
    r"must not be zero": "a pattern does not tell 0.0 from 1.0",
    r"A business that is not registered for GST on .*": "nor since when a business is registered",
    r"The business was not registered for GST on any of these days.*": "nor on which days it was",
    r"The tax periods of the business on these days are: .*": "nor which its tax periods are",
    r"must not exceed 999,999,999\.99.*": "amounts bound each other",
    r"must not be before (issue_)?date|must be from issue_date to .*|must not be in the past": "dates bound each other",
    r"must be after (start|start_at|scheduled_start)\b.*|is required where there is a scheduled_end": "times, too",
    r"has two entries from the same day: send one for each day": "nor does one keyword bound one item by another",
    r"is not what gst_settings say of today, .*": "members bound each other, and today bounds them",
    r"overlaps \d\d:\d\d to \d\d:\d\d|appears twice": "nor does one keyword bound one item by another",
    r"must be from 0 to (0|an eleventh) .*|cannot be combined with supplier_id: .*": "members bound each other",
    r"url: (has|is|must) .*": "which hosts there are, and which are private, no pattern says",
    r"must be a whole number, without a fraction or an exponent": "JSON Schema takes 1.0 for an integer",
    r"must be a plain decimal number.*": "schemathesis writes numbers in a query with exponents",
    r"events\[\d+\]: must be one of .*": "events are those of what is enabled",
    r"mistake: cannot be true together with date: .*": "members bound each other",
    r"must be the name of a file, without a folder": "what a name is, no pattern says",
    r"must not be empty: send the file's bytes": "that a body of bytes is not empty, no schema says",
    r"resource: '.*' is not the id of a record\.": "which ids there are depends on what is enabled",
    r"to: is required, because the client has no email address.*": "what is known of a client, no keyword says",
    r"The file cannot be read as CSV: .*": "nor what text in an encoding is",
    r"client_id: is required, or what the contact is known by in client": "members bound each other",
    r"must say when amount_paid was received, not before issue_date": "members bound each other",
    r"client: (no contact is|several contacts are) known by this.*": "references are to what exists",
    r"is not the code of an account: see /v1/accounts": "references are to what exists, as above",
    r".*there is no account with the code '.*': see /v1/accounts\.": "references are to what exists, as above",
    r"is not a line of this expense.*|is required without line_items": "references and members, as above",
    r"^(amount|category_id): is required": "null stands for what line_items say, and is nothing without them",
    r"is worked out from line_items: leave it out": "members bound each other",
    r"is required here, because it is not 1/11 of the amount.*|must add up to at most .*": "items bound each other",
    r"follows from its payments: .*|must not be less than .*, which was paid: .*": "what was paid, no keyword says",
    r"is for an amount below zero|is not the id of an expense above zero": "members bound each other",
    r"refers to \$.*, which is no `ref` of an earlier operation": "references are to what was sent before",
    r"is the `ref` of an earlier operation, too: .*": "nor does one keyword bound one item by another",
    r"(answers|changes|is|sends) .*: send it as a request of its own": "which requests stand alone, no pattern says",
    r"must not have an option twice": "uniqueItems does not know that texts are trimmed",
    r"are for the type choice only, .*|must name at least one choice|must each be another": "members bound each other",
    r"resource: must be (one of|the name of a resource).*|types: '.*' cannot be searched: .*": "what is enabled",
    r"q: write what to search for\.": "a key's scopes are checked before what it asks for",
    r"must not contain a comma or a line break": "a pattern on every text would hide what matters",
    r"must be a single line": "a pattern on every text would hide what matters",
    r"must be an email address such as .*": "formats of our own",
    r"cannot be read on white: .*": "nor how well a colour can be read",
    r"must be an IANA time zone.*|is not a valid ABN.*": "formats of our own",
}

# Formats whose values schemathesis would not find by itself.
schemathesis.openapi.format("abn", st.sampled_from(["47555222000", "53 004 085 616"]))
schemathesis.openapi.format("time-zone", st.sampled_from(["Australia/Hobart", "UTC"]))
schemathesis.openapi.format("date", st.dates(date(1900, 1, 1), date(2200, 12, 31)).map(str))


MONDAY = "2026-11-23T09:00:00+11:00"
# What fits the file that a draft is made of.
OF_DRAFT = {"columns": {"name": "name"}, "fixed": {}, "once": None, "rows": [{"row": 2, "members": {"name": "Eve"}}]}
PAYMENT = {"amount": 1, "payment_method": "cash"}
# The steps that prepare a new record for an action.
STEPS = {
    ("contacts", "restore"): [("archive", {})],
    ("invoices", "payments"): [("send", {})],
    ("invoices", "reverse"): [("send", {}), ("payments", PAYMENT)],
    ("expenses", "reverse"): [("payments", {"amount": 1})],
    ("bookings", "reopen"): [("complete", {})],
    ("invoices", "void"): [("send", {})],
    ("adjustment_notes", "void"): [("issue", {})],
    ("invoices", "write_off"): [("send", {})],
    ("jobs", "hold"): [("start", {})],
    ("jobs", "resume"): [("start", {}), ("hold", {})],
    ("jobs", "reopen"): [("complete", {})],
    ("jobs", "invoice"): [("complete", {})],
    ("quotes", "accept"): [("send", {})],
    ("recurring_invoices", "resume"): [("pause", {})],
    ("quotes", "decline"): [("send", {})],
    ("quotes", "revise"): [("send", {})],
    ("quotes", "convert"): [("send", {}), ("accept", {"name": "Ada"})],
}


class Business:
    """The business whose key is used; it makes records for the ids that schemathesis makes up."""

    def __init__(self, app, then_one_in=1):
        self.then_one_in = then_one_in
        account = {"bsb": "062-000", "account_number": "12345678", "account_name": "Derwent Plumbing"}
        self.client = Client(app, profile={"bank_account": BankAccount(**account)})
        self.make("webhook_endpoints", {"url": "https://example.com/hook", "events": ["contact.*"]})
        contact = self.make("contacts", {"name": "Ada Lovelace", "email": "ada@example.com"})["id"]
        hours = [{"day": day, "start": "00:00", "end": "24:00"} for day in ("monday", "tuesday")]
        service = {"name": "Blocked drain", "duration_minutes": 60, "capacity": 1000}
        self.known = {
            **dict.fromkeys(("client_id", "supplier_id"), contact),
            "category_id": self.make("expense_categories", {"name": "Pipe"})["id"],
            "staff_id": self.make("staff", {"name": "Grace", "hours": hours})["id"],
            "service_id": self.make("services", service)["id"],
            "item_id": self.make("items", {"name": "Tap washers", "unit_price": "4.95"})["id"],
        }
        self.asked_first = self.make("services", {**service, "requires_confirmation": True})["id"]
        self.ids = {}
        self.made, self.tried, self.quarters = itertools.count(1), itertools.count(), itertools.count()
        self.was_served = False

    def wants_another(self):
        """Tell whether to try another corner case: all of the first, then a sample: the largest bodies have 1,000."""
        return (n := next(self.tried)) < ALL_OF_THE_FIRST or n % self.then_one_in == 0

    def make(self, path, body):
        if path == "attachments":
            file = f"/v1/attachments?resource={self.known['client_id']}&filename=a.pdf"
            return self.client.call("POST", file, raw=b"%PDF-1.7", status=201).json["data"]
        if path == "imports":
            finish_imports(self.client.app)  # only so many may be unfinished
            file = f"/v1/imports?resource=contacts&draft={'true' if body['draft'] else 'false'}"
            return self.client.call("POST", file, raw=b"name\nAda\n", status=202).json["data"]
        response = self.client.call("POST", f"/v1/{path}", body)
        if response.status_int == 409 and (others := response.json["error"].get("alternatives")):
            # A step changed the service's duration, so that an existing booking is in the way.
            response = self.client.call("POST", f"/v1/{path}", {**body, "start_at": others[0]["start_at"]})
        if response.status_int == 409 and (lodged := response.json["error"].get("gst_period_id")):
            return {"id": lodged}  # there are no more quarters
        assert response.status_int < 300, f"{path} {body}: {response.text}"
        return response.json["data"]

    def is_ready(self, case):
        """Tell whether a record exists for this path on which its action is still possible."""
        _, _, resource, _, *rest = case.path.split("/")
        if case.path not in self.ids or case.method not in ("DELETE", "POST"):
            return case.path in self.ids
        found = self.client.call("GET", f"/v1/{resource}/{self.ids[case.path]['id']}")
        if found.status_int == 404 or case.method == "DELETE" or "webhook" in resource:
            return found.status_int == 200
        data = found.json["data"]
        parts = [action for payment in data.get("payments", ()) for action in payment["allowed_actions"]]
        return bool(rest) and rest[-1] in [*data.get("allowed_actions", ()), *parts]

    def record(self, path):
        """Return the ids in a path of a record on which its action is possible."""
        _, _, resource, *rest = path.split("/")
        if resource in ("events", "webhook_deliveries"):
            return {"id": self.client.get(f"/v1/{resource}")["data"][0]["id"]}
        # None was sent at nine in the morning, and neither an agent is here nor a person.
        if resource in ("sent_reminders", "proposals", "notification_rules"):
            return {"id": "rem_none"}
        if resource == "ledger_entries":
            self.sent_invoice()
            return {"id": self.client.get("/v1/ledger_entries")["data"][0]["id"]}
        if resource == "emails":
            to = {"to": [f"ada{next(self.made)}@example.com"]}  # one that no step has suppressed
            return {"id": self.make(f"invoices/{self.sent_invoice()}/email", to)["id"]}
        if resource == "tracking_categories" and (there := self.client.get("/v1/tracking_categories")["data"]):
            return {"id": there[0]["id"]}  # of two at most
        made = self.make(resource, self.body(resource, action := rest[-1]))
        ids = {"id": made["id"]}
        for step, body in STEPS.get((resource, action), ()):
            made = self.make(f"{resource}/{ids['id']}/{step}", body)
        if action == "reverse" and "payments" in made:
            ids |= dict.fromkeys(("pay_id", "payment_id"), made["payments"][0]["id"])
        return ids

    def sent_invoice(self):
        made = self.make("invoices", self.body("invoices", ""))
        return self.make(f"invoices/{made['id']}/send", {})["id"]

    def quarter(self):
        """Return one of the business's tax periods, a later one each time: only the last lodged is reopened."""
        year, quarter = divmod(min(next(self.quarters), 99), 4)
        first, last = (("01-01", "03-31"), ("04-01", "06-30"), ("07-01", "09-30"), ("10-01", "12-31"))[quarter]
        return {"from": f"{2001 + year}-{first}", "to": f"{2001 + year}-{last}"}

    def body(self, resource, action):
        """Return the body that makes a new record."""
        document = {
            "client_id": self.known["client_id"],
            "line_items": [{"description": "A bridge", "unit_price": "900000000"}],
        }
        booking = {
            **{name: self.known[name] for name in ("client_id", "staff_id")},
            "service_id": self.asked_first if action in ("{id}", "confirm", "decline") else self.known["service_id"],
            "start_at": MONDAY,
        }
        expense = {"date": "2026-11-20", "amount": "64.90", "category_id": self.known["category_id"]}
        bill = {**expense, "amount": "900000000", "due_date": "2026-12-20"}
        return {
            "bookings": booking,
            "expenses": bill if action in ("payments", "reverse") else expense,
            "gst_periods": self.quarter() if resource == "gst_periods" else {},
            "suppressed_addresses": {"address": f"grace{next(self.made)}@example.com"},
            "items": {"name": "Tap washers", "unit_price": "4.95"},
            "expense_categories": {"name": f"Fittings {next(self.made)}"},
            "accounts": {"code": f"4-{next(self.made)}", "name": "Parts", "type": "income"},
            "payment_methods": {"name": f"card_{next(self.made)}", "account_code": "100"},
            "tracking_categories": {"name": "Region", "options": ["North"]},
            "opening_balances": {"number": "TB", "date": "2020-06-30", "balances": [{"account_code": "100"}]},
            "ledger_exports": {"from": "2026-07-01", "to": "2026-09-30", "format": "csv"},
            "adjustment_notes": {"invoice_id": self.sent_invoice(), "reason": "other", "full": True}
            if resource == "adjustment_notes"
            else {},
            "invoices": document,
            "payments": {"client_id": self.known["client_id"], "amount": 500, "payment_method": "card"},
            "jobs": {**document, "title": "Build a bridge"},
            "quotes": document,
            "recurring_invoices": {**document, "frequency": "month", "start_on": "2027-01-31"},
            "services": {"name": "Leak", "duration_minutes": 60},
            "custom_fields": {"resource": "contacts", "key": f"size_{next(self.made)}", "type": "text"},
            "webhook_endpoints": {"url": "https://example.com/hook", "events": ["invoice.*"]},
            "imports": {"draft": action in ("map", "correct", "start", "cancel", "rows")},
        }.get(resource, {"name": "Grace Hopper"})

    def fit(self, case):
        """Fit a case to this business: a short id becomes the id of a record that exists.

        A key of one character becomes a new one, because otherwise most cases would receive the first one's answer.
        """
        if any(len(id) < 12 for id in case.path_parameters.values()):
            if not self.is_ready(case):
                self.ids[case.path] = self.record(case.path)
            case.path_parameters = {name: self.ids[case.path][name] for name in case.path_parameters}
        if len(case.headers.get("Idempotency-Key", "")) == 1:
            case.headers["Idempotency-Key"] += str(next(self.made))
        if "If-Match" in case.headers and (not case.headers["If-Match"] or case.meta.generation.mode.is_negative):
            case.headers["If-Match"] = "*"
        if case.meta.generation.mode.is_negative:
            return
        if "fields" in case.query:
            case.query["fields"] = ",".join(members(case)[:3])
        for name in [name for name in case.query if name in ("cursor", "after") or name.startswith("custom")]:
            case.query.pop(name)  # this business has no custom field of the name
        if case.path == "/v1/attachments" and case.method == "POST":
            case.query["resource"] = self.known["client_id"]
        if case.path == "/v1/imports" and case.method == "POST":
            case.query["resource"] = "contacts"
            case.query.pop("mapping", None)  # JSON, or `auto`
        if case.path == "/v1/changes":
            known = {"resources": "contacts,invoices", "include": "line_items"}
            case.query |= {name: known[name] for name in known.keys() & case.query.keys()}
        if case.path in ("/v1/availability", "/v1/calendar"):
            case.query |= self.one_day(case)
        if isinstance(case.body, dict):
            case.body.pop("custom", None)
            self.refer(case.body)

    def one_day(self, case):
        """Return the parameters by which a case asks for a single day."""
        service = {"service_id": self.known["service_id"]} if case.path == "/v1/availability" else {}
        day = case.query.get("to", case.query.get("from"))
        return service | (dict.fromkeys(("from", "to"), day) if day else {})

    def refer(self, body):
        """Make references in a body point to existing records, a time free, and a discount of one kind."""
        body |= {name: value for name, value in OF_DRAFT.items() if name in body}
        for name, value in body.items():
            if name == "line_items" and value:
                body[name] = [self.as_new(line) for line in value]
            elif name.endswith("_id") and isinstance(value, str):
                body[name] = self.known.get(name, value if name == "invoice_id" else None)
            elif name.endswith("_ids") and value:
                body[name] = [self.known["staff_id"]]
            elif name == "account_code" and value:
                body[name] = "100"
            elif name == "start_at":
                body[name] = MONDAY
            elif name == "amount" and value == "0":
                body[name] = "1"
        if body.get("discount_percent") is not None:
            body.pop("discount_amount", None)

    def as_new(self, line):
        """Remove the id made up for a line, if it can be a new one."""
        self.refer(line)
        is_whole = any(needed <= line.keys() for needed in ({"description", "unit_price"}, {"category_id", "amount"}))
        return {name: value for name, value in line.items() if value is not None and name != "id"} if is_whole else line


def document():
    with TemporaryDirectory() as folder:
        given = Settings(
            secret=SECRET, database=f"sqlite:///{folder}/none.db", shared_folder=folder, plugins=",".join(PLUGINS)
        )
        app = App(Config(given, {}))
        try:
            return json.loads(encode(app.openapi()))
        finally:
            app.close()


RAW = document()
described = schemathesis.openapi.from_dict(json.loads(json.dumps(RAW)))
# The tests send the key; another check covers requests without one.
described.config.generation.update(with_security_parameters=False)
# Follow only the described links, not those that schemathesis guesses from names.
described.config.phases.stateful.inference.algorithms = []
served = {}


def serve(environ, start_response):
    """Answer as a server does, which closes each body once it is sent; schemathesis does not always close it."""
    body = served["app"].wsgi(environ, start_response)
    try:
        return [*body]
    finally:
        getattr(body, "close", lambda: None)()


described.app = serve


def trials():
    """List every operation with its share of corner cases, one in so many, and its number of random cases.

    Making the cases up takes longer than trying them, so `make test` tries few, of each 18th operation. Of those that
    take an id alone each third is tried, and each ninth on PostgreSQL: what an id may be is the same for all, and
    tests/test_isolation.py sends what it may not be to each.
    """
    for i, operation in enumerate(found.ok() for found in described.get_all_operations()):
        takes_more = bool(operation.body) or any(parameter.name != "fields" for parameter in operation.query)
        marks = [pytest.mark.long, *([] if takes_more or i % 9 == 0 else [pytest.mark.sqlite_alone])]
        # What only reads gets half as many as what changes something.
        then_one_in, examples = (16, 5) if operation.method == "get" else (8, 10)
        if SEARCHES:
            then_one_in, examples = 1, 20 * examples
        if takes_more or i % 3 == 0:
            yield pytest.param(operation, then_one_in, examples, marks=marks, id=f"{operation.label}-whole")
        if i % 18 == 0:
            yield pytest.param(operation, 40, 5, marks=pytest.mark.sqlite_alone, id=f"{operation.label}-thinned")


@pytest.mark.parametrize(("operation", "then_one_in", "examples"), [*trials()])
def test_an_operation_does_what_its_description_says(operation, then_one_in, examples, make_app, engine):
    served["app"] = make_app(*PLUGINS)
    modes = list(GenerationMode)
    if engine == "postgresql":
        modes, then_one_in = [GenerationMode.POSITIVE], 2 * then_one_in
        examples = (examples + 1) // 2
    described.config.generation.update(modes=modes)
    business = Business(served["app"], then_one_in)
    headers = business.client.headers

    def try_out(case):
        if case.meta.phase.name is TestPhase.COVERAGE and not business.wants_another():
            return
        business.fit(case)
        response = case.call(headers=headers)
        sent = {"headers": headers}
        left_out = excused(case, response)
        # It repeats what was served without the key, and with a wrong one: once is enough for a route.
        left_out += [ignored_auth] if business.was_served else []
        business.was_served |= response.status_code < 300 and not case.meta.generation.mode.is_negative
        case.validate_response(response, **sent, transport_kwargs=sent, excluded_checks=left_out)
        check_code(operation, case, response)

    # Does the work of `described.parametrize()`, but not during collection: that takes 0.1 s for each test.
    build_operation_test(
        config=described.config,
        operation=operation,
        test_func=try_out,
        given_kwargs={},
        feedback=FeedbackSources(),
        explicit_settings=settings(SETTINGS, max_examples=examples, phases=[Phase.explicit, Phase.generate]),
    )()


@pytest.mark.long
def test_what_was_made_does_what_its_links_say(make_app):
    """From what was made on to whatever its links lead to, and what they lead to, a few steps far."""
    served["app"] = make_app(*PLUGINS)
    described.config.generation.update(modes=[GenerationMode.POSITIVE])
    followed = set()

    class Steps(described.as_state_machine()):
        def setup(self):
            self.business = Business(served["app"])

        def before_call(self, case):
            self.business.fit(case)

        def get_call_kwargs(self, case):
            return {"headers": self.business.client.headers}

        def validate_response(self, response, case, additional_checks=(), **kwargs):
            if case.path_parameters and response.status_code < 300:
                followed.add(case.operation.label)
            sent = self.get_call_kwargs(case)
            case.validate_response(response, **sent, transport_kwargs=sent, excluded_checks=excused(case, response))

    Steps.run(settings=settings(SETTINGS, max_examples=50, stateful_step_count=12, phases=[Phase.generate]))
    assert len(followed) > 15, f"links led to little: {followed}"


def check_code(operation, case, response):
    """A refusal's code is among those that the description names for its status."""
    if response.status_code < 400 or response.status_code == 405:
        return
    code = response.json()["error"]["code"]
    if code == "route_not_found" and any(map(makes_another_path, case.path_parameters.values())):
        return
    answers = RAW["paths"][operation.path][operation.method.lower()]["responses"]
    reference = answers[str(response.status_code)]["$ref"]
    said = RAW["components"]["responses"][reference.rpartition("/")[2]]["description"]
    assert f"`{code}`:" in said, f"{operation.label} refused with {code}, which {reference} does not name"


def makes_another_path(id):
    text = unquote(id)  # it is written as it stands in the path
    return text in ("", ".", "..") or re.search(r"[/\\\x00]", text)


def excused(case, response):
    """Return the checks whose complaints about this case do not apply."""
    if response.status_code in (400, 412, 422) and all(map(is_by_rule, faults(response))):
        return [positive_data_acceptance]
    # A file's type depends on its bytes, which a schema cannot describe.
    if response.status_code == 415 and case.operation.label == "POST /v1/attachments":
        return [positive_data_acceptance]
    # With `fields`, an answer lacks what its schema requires; the kit checks what it has.
    if response.status_code == 200 and "fields" in case.query:
        return [response_schema_conformance]
    # Text is trimmed, so what is too long by the spaces around it is accepted.
    sent = json.dumps([case.query, case.body], default=str, separators=(",", ":"), ensure_ascii=False)
    if re.search(r'"\s|\s"', sent):
        return [negative_data_rejection]
    # In a query a single text is a list of one, and an empty list is absent.
    lists = {p.name for p in case.operation.query if p.definition["schema"].get("type") == "array"}
    if any(value == [] or (name in lists and isinstance(value, str)) for name, value in case.query.items()):
        return [negative_data_rejection]
    return []


def members(case):
    """Return the members of the records in an operation's answer."""
    answer = RAW["paths"][case.operation.path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    data = answer["properties"]["data"]
    name = data.get("items", data)["$ref"].rpartition("/")[2]
    return [*RAW["components"]["schemas"][name]["properties"]]


def faults(response):
    error = response.json()["error"]
    return [f"{fault['param']}: {fault['message']}" for fault in error["details"]] or [error["message"]]


def is_by_rule(fault):
    if unknown := re.match(r"event: there is no '(.*)': use ", fault):
        # The events depend on the enabled plugins; the description names them elsewhere.
        return not fnmatch.filter([*RAW["webhooks"], "ping"], unknown[1])
    return any(re.search(rf"(?:{rule})\Z", fault) for rule in RULES)
