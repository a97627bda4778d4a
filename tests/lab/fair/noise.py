"""Requests of a business to every route: lawful, successful, and as heavy as is allowed.

The routes are the app's own. A route without a recipe here raises NoRecipe, so that a new route cannot be forgotten. An
action that a record allows only once uses a pool of records, each made ready for it.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from functools import partial
from itertools import count, cycle
from typing import Any
from urllib.parse import urlencode

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, new_id
from billycan.app import App
from billycan.endpoints import MOST_KEYS, PARAMETER, Endpoint
from billycan.fields import Moment
from billycan.starting.settings import Settings
from billycan.testing import Client
from billycan.web import encode
from billycan_agents.testing import agent_of
from billycan_imports.testing import finish_imports
from billycan_mail.tables import emails
from billycan_reminders.reminding import remind
from billycan_reports.ledger.catching_up import catch_up
from billycan_sandbox.tables import resets
from billycan_users.testing import Browser
from billycan_webhooks.handlers import MOST_ENDPOINTS
from billycan_webhooks.tables import deliveries

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
TEXT = "As agreed on the site, with all that belongs to it. "
CASH = {"payment_method": "cash"}
ZONE = "Australia/Sydney"
LEFT = 8  # of the endpoints that a business may have, for those that routes are asked of
NOON = timedelta(hours=12)  # after 09:00, when reminders are sent
AGAIN = 4  # records of which an action can be asked again and again


class NoRecipe(Exception):
    """A route without a recipe for its requests."""


class Sizes(Struct, frozen=True):
    """The weight of the noise: a document's lines, a list's records, records ready for an action, a file's rows.

    `staff` give a service, `failed` deliveries are to be recovered, and a record has `keys` of metadata.
    """

    lines: int = 500
    listed: int = 100
    pool: int = 30
    rows: int = 20_000
    file_bytes: int = 10 * 1024 * 1024 - 1024
    staff: int = 100
    failed: int = 20_000
    keys: int = 50


LIGHT = Sizes(lines=3, listed=3, pool=1, rows=50, file_bytes=5_000, staff=2, failed=20, keys=3)


class Request(Struct, frozen=True):
    """A request; with `cookie`, it is in a session, and its form goes without an API key.

    One that is `in_sandbox` takes a key of the sandbox.
    """

    method: str
    path: str
    body: bytes = b""
    cookie: str = ""
    in_sandbox: bool = False

    def on_wire(self, key: str) -> tuple[bytes, bytes]:
        """Return the head and the body, as the load client sends them."""
        who = f"Cookie: {self.cookie}\r\nAccept: text/html" if self.cookie else f"Authorization: Bearer {key}"
        kind = "x-www-form-urlencoded" if self.cookie else "json"
        head = f"{self.method} {self.path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{who}\r\n"
        head += f"Content-Type: application/{kind}\r\nContent-Length: {len(self.body)}\r\n\r\n"
        return head.encode(), self.body


class Noisy:
    """A business with much of everything, made before a contest; its `keys` have the default limits."""

    def __init__(self, app: App, sizes: Sizes = LIGHT, keys: int = 1) -> None:
        self.app, self.sizes, self.numbers, self.quarters = app, sizes, count(1), count()
        self.formats = cycle(("csv", "xero", "myob"))
        self.client = Client(app, profile={"name": "Noisy", "timezone": ZONE})
        self.sandbox = self.client.sandbox()
        self.agent: Client | None = None
        bank = {"bsb": "062-000", "account_number": "12345678", "account_name": "Noisy"}
        self.client.patch("/v1/tenant", {"bank_account": bank})
        limits = {"per_minute": Settings().per_minute, "per_second": Settings().per_second}
        with app.db.writing() as db:
            scopes, now = ["read", "write"], app.now()
            self.keys = dict(app.keys.create(db, self.client.tenant_id, scopes, now, **limits) for _ in range(keys))
            in_sandbox = (app.keys.create(db, self.sandbox.tenant_id, scopes, now, **limits) for _ in range(keys))
            self.sandbox_keys = dict(in_sandbox)
        self.monday = self.today + timedelta(7 - self.today.weekday() + 7)
        self.lists: dict[str, list[str]] = {}
        self.drafts: dict[str, list[str]] = {}
        self.contact = self.make("contacts")["id"]
        self.staff, *_ = [self.make("staff")["id"] for _ in range(sizes.staff)]
        self.service = self.make("services")["id"]
        self.asked_first = self.call("/v1/services", {**NEW["services"](self), "requires_confirmation": True})["id"]
        self.category = self.make("expense_categories")["id"]
        # Whatever happens is told to these.
        for number in range(MOST_ENDPOINTS - LEFT):
            body = {"url": f"https://example.com/{number}", "events": ["*"]}
            id = self.call("/v1/webhook_endpoints", body)["id"]
            self.call(f"/v1/webhook_endpoints/{id}/test", {})

    @property
    def today(self) -> date:
        """The business's date now: midnight may pass while its records are made."""
        return Context(self.app, self.client.tenant_id).today_in(ZONE)

    def requests(self, endpoint: Endpoint) -> list[Request]:
        """Return the requests that the connections send to a route, in turn; raise NoRecipe if there is none."""
        route = endpoint.route
        if route.receive:
            return [FILES[route.path](self)]
        if route.path.startswith("/v1/clock"):
            return self._of_clock(f"{route.method} {route.path}")
        if route.path.startswith("/v1/notification_rules"):
            return [self._of_rules(route.method, route.path)]
        if route.path == "/v1/sandbox/reset":
            return self._of_reset(route.method)
        resource, _, action = route.path.removeprefix("/v1/").partition("/{id}")
        ids = self._records(route.method, resource, action.strip("/.")) if "{" in route.path else [{}]
        paths = [route.path + query for query in self._queries(endpoint)]
        if resource in DIFFERING and route.method == "POST" and not ids[0]:
            ids *= min(self.sizes.pool, FEW.get(resource, self.sizes.pool))
        return [
            Request(
                route.method,
                PARAMETER.sub(lambda found, of=each: of[found[1]], path),
                self._body(endpoint, resource, action.strip("/.")),
            )
            for path in paths
            for each in ids
        ]

    def _of_rules(self, method: str, path: str) -> Request:
        """Return a request for how people are told, of whom there is one then."""
        if not self.read_all("notification_rules"):
            Browser(self.app).join(self.client, "owner", "told@example.com")
        id = self.read_all("notification_rules")[0]["id"]
        return Request(method, path.replace("{id}", id), b'{"how":"daily"}' if method == "PATCH" else b"")

    def read_all(self, resource: str) -> list[Any]:
        """Return the records of a list without pages."""
        found: list[Any] = self.client.get(f"/v1/{resource}")["data"]
        return found

    def _of_clock(self, name: str) -> list[Request]:
        """Return requests that set the sandbox's clock, advance it and delete it, the one of this name first."""
        now = self.app.now()
        steps = {
            "POST /v1/clock": {"now": str(Moment.of(now + timedelta(days=1)))},  # later than any contest
            "POST /v1/clock/advance": {"to": str(Moment.of(now + timedelta(days=700)))},
            "DELETE /v1/clock": None,
        }
        self.sandbox.call("DELETE", "/v1/clock")
        if name != "POST /v1/clock":
            self.sandbox.post("/v1/clock", steps["POST /v1/clock"])
        if name not in steps:
            return [Request(*name.split(), in_sandbox=True)]
        order = [*steps]
        first = order.index(name)
        return [
            Request(*each.split(), encode(steps[each]) if steps[each] else b"", in_sandbox=True)
            for each in (*order[first:], *order[:first])
        ]

    def _of_reset(self, method: str) -> list[Request]:
        """Return a request that resets the sandbox, or one that asks how far that came."""
        mine = resets.c.tenant_id == self.sandbox.tenant_id
        if method == "GET":
            self.sandbox.call("POST", "/v1/sandbox/reset", {})
        with self.app.db.writing(self.sandbox.tenant_id) as db:  # no worker runs, so one would be under way for ever
            db.execute(sa.update(resets).where(mine).values(done_at=self.app.now()))
        return [Request(method, "/v1/sandbox/reset", b"{}" if method == "POST" else b"", in_sandbox=True)]

    def _queries(self, endpoint: Endpoint) -> list[str]:
        """Return the queries of a route; a list is also searched, and filtered by as much metadata as it takes."""
        query = self._query(endpoint)
        takes = {*getattr(endpoint.signature.query, "__struct_fields__", ())} if endpoint.signature.listed else set()
        found: dict[str, str] = {"search": TEXT[:20].strip()} if "search" in takes else {}
        if "metadata" in takes:
            found |= {f"metadata[key {i}]": TEXT for i in range(min(MOST_KEYS, self.sizes.keys))}
        return [query, f"?{urlencode(found)}"] if found else [query]

    def _query(self, endpoint: Endpoint) -> str:
        path, takes = endpoint.route.path, endpoint.signature.query
        given: dict[str, Any] = {}
        if endpoint.signature.listed:
            self.many(path.removeprefix("/v1/").partition("/{id}")[0])
            given = {"per_page": 100, **({"include": "line_items"} if "include" in takes.__struct_fields__ else {})}
            refused = self.client.call("GET", f"{path}?{urlencode(given)}").json["error"] or {}
            given["per_page"] = refused.get("per_page", 100)  # where so many are more than an answer may have
        elif path.removesuffix(".csv").removesuffix(".pdf") in QUERIES:
            given = QUERIES[path.removesuffix(".csv").removesuffix(".pdf")](self)
        return f"?{urlencode(given)}" if given else ""

    def _body(self, endpoint: Endpoint, resource: str, action: str) -> bytes:
        signature, route = endpoint.signature, endpoint.route
        if not signature.body:
            return b""
        if action.removesuffix("/preview").endswith("email"):
            return encode({"to": ["ada@example.com"], "message": TEXT * 30, "attach_pdf": True})
        if (resource, action) in BODIES:
            return encode(BODIES[resource, action](self))
        if action or (resource := resource.removesuffix("/preview")) not in NEW:
            raise NoRecipe(f"{route.method} {route.path}: say in NEW or BODIES what it is sent")
        body = NEW[resource](self)
        return encode({k: v for k, v in body.items() if not signature.patch or k not in KEPT.get(resource, ())})

    def _records(self, method: str, resource: str, action: str) -> list[dict[str, str]]:
        """Return the records for a route, as values of the names in its path."""
        if method == "GET" or action.endswith("preview"):
            return [{"id": self.read(resource)}]
        times = self.sizes.pool
        if method == "PATCH" or (resource, action) in REPEATABLE:
            times = min(times, AGAIN)
        made = [self.ready(resource, action or method) for _ in range(min(times, FEW.get(resource, times)))]
        if resource == "gst_periods":  # only the last can be opened again, so there may be no later ones
            self.lists[resource] = [each["id"] for each in made]
        return made[::-1]

    def pages(self) -> dict[str, list[Request]]:
        """Return the requests for pages, by family: every page, those of long documents, ways in, and an agent's."""
        browser = Browser(self.app).join(self.client)
        cookie = "; ".join(f"{name}={value}" for name, value in browser.web.cookies.items())
        invoice, quote = (self.call(f"/v1/{kind}", self.document())["id"] for kind in ("invoices", "quotes"))
        sent = [self.call(f"/v1/{kind}/{id}/send", {}) for kind, id in (("invoices", invoice), ("quotes", quote))]
        hosted = [each["hosted_url"].removeprefix(self.app.public_url) for each in sent]
        draft = f"/dashboard/invoices/{self.call('/v1/invoices', self.document())['id']}"
        found = {"resource": "invoices", "name": "app.css", "token": hosted[0].rpartition("/")[2]}

        def address(path: str) -> str:
            kind = next((kind for start, kind in PAGES.items() if path.startswith(start)), "")
            id = self.read(kind) if kind else invoice if "{resource}" in path else NOBODYS
            return PARAMETER.sub(lambda name: found.get(name[1], id if name[1] == "id" else NOBODYS), path)

        every = [Request("GET", address(path), cookie=cookie) for path, _, _ in self.app.pages]
        forms = browser.get(f"{draft}/edit").forms.values()
        edit = next(each for each in forms if "line_items" in str([*each.fields]))
        body = urlencode([(name, value) for name, value in edit.submit_fields() if name is not None]).encode()
        document = [draft, f"{draft}/edit", f"{draft}/pdf", *hosted, *(f"{each}?format=pdf" for each in hosted)]
        documents = [Request("GET", path, cookie=cookie) for path in document]
        documents.append(Request("POST", edit.action or f"{draft}/edit", body, cookie))
        wrong = urlencode({"email": browser.email, "password": "not the password of anybody"}).encode()
        token = urlencode({"grant_type": "refresh_token", "refresh_token": "ort_live_x", "client_id": NOBODYS}).encode()
        ways_in = [
            Request("GET", "/dashboard", cookie=cookie),
            Request("GET", "/dashboard/sign-in", cookie="x=y"),
            Request("POST", "/dashboard/sign-in", wrong, cookie),
            Request("POST", "/oauth/token", token, "x=y"),
        ]
        return {
            "pages: every one": every,
            "pages: documents": documents,
            "pages: ways in": ways_in,
            "pages: /mcp": self._of_agent(),
        }

    def _of_agent(self) -> list[Request]:
        """Return the requests of an agent: it lists its tools, looks for one, reads records and makes a document."""
        calls = [
            ("search_tools", {"query": "quote"}),
            ("list_invoices", {"per_page": 100}),
            ("call_tool", {"name": "create_quote", "arguments": {"body": self.document()}}),
        ]
        sent = [("tools/list", {}), *(("tools/call", {"name": name, "arguments": given}) for name, given in calls)]
        return [
            Request("POST", "/mcp", encode({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
            for method, params in sent
        ]

    def many(self, resource: str) -> list[str]:
        """Return the records of a list, made once."""
        if resource not in self.lists:
            number = min(self.sizes.listed, FEW.get(resource, self.sizes.listed))
            self.lists[resource] = [self.ready(resource, "")["id"] for _ in range(number)]
        return self.lists[resource]

    def read(self, resource: str) -> str:
        """Return a record to read, as large as it can be."""
        if resource.startswith("contacts"):
            self.many("invoices")  # which its statement has
            return self.contact
        return self.many(resource)[-1]

    def ready(self, resource: str, action: str) -> dict[str, str]:
        """Make a record that allows an action; return the values of the names in the action's path."""
        if resource.startswith("contacts") and action.startswith("statement"):
            return {"id": self.stated()}
        if (make := OTHERWISE.get((resource, action)) or OTHERWISE.get((resource, ""))) is not None:
            return {"id": make(self)}
        made = self.make(resource, action)
        ids = {"id": made["id"]}
        for step, body in STEPS.get((resource, action), STEPS.get((resource, ""), ())):
            made = self.call(f"/v1/{resource}/{ids['id']}/{step}", body)
        payment = re.search(r"{(pay\w*)}", action)
        return ids | ({payment[1]: made["payments"][0]["id"]} if payment else {})

    def make(self, resource: str, action: str = "") -> Any:
        if resource not in NEW:
            raise NoRecipe(f"{resource}: say in NEW or OTHERWISE how one is made")
        return self.call(f"/v1/{resource}", {**NEW[resource](self), **FOR.get((resource, action), lambda n: {})(self)})

    def call(self, path: str, body: Mapping[str, Any]) -> Any:
        """Make a record before the contest."""
        answer = self.client.call("POST", path, body)
        assert answer.status_int < 300, f"{path}: {answer.text}"
        return answer.json["data"]

    def sent_invoice(self) -> str:
        id = str(self.make("invoices")["id"])
        self.call(f"/v1/invoices/{id}/send", {})
        return id

    def stated(self) -> str:
        """Return a contact whose statement fits into a PDF, whatever the noises add to the other's."""
        if "stated" not in self.lists:
            contact = self.make("contacts")["id"]
            for _ in range(self.sizes.listed):
                line = {"description": TEXT, "unit_price": "19.90"}
                made = self.call("/v1/invoices", {"client_id": contact, "line_items": [line]})
                self.call(f"/v1/invoices/{made['id']}/send", {})
            self.lists["stated"] = [contact]
        return self.lists["stated"][0]

    def document(self) -> dict[str, Any]:
        line = {"unit_price": "19.90", "quantity": "1.5"}
        lines = [{"description": f"Part {i}: {TEXT}", **line} for i in range(self.sizes.lines)]
        return {"client_id": self.contact, "line_items": lines, "notes": TEXT * 30, "terms": TEXT * 30}

    def booking(self) -> dict[str, Any]:
        start = f"{self.monday}T09:00:00+11:00"
        ids = {"client_id": self.contact, "service_id": self.service, "staff_id": self.staff}
        return {**ids, "start_at": start, "force": True, "notes": TEXT * 30}

    def failing(self) -> str:
        """Make an endpoint with many failed deliveries."""
        id = str(self.make("webhook_endpoints")["id"])
        event, now = self.client.get("/v1/events?per_page=1")["data"][0], self.app.now()
        new = {"tenant_id": self.client.tenant_id, "endpoint_id": id, "webhook_id": event["id"], "status": "failed"}
        new |= {"event": event["event"], "created_at": now, "due_at": now, "failures": 4, "attempts_made": 4}
        with self.app.db.writing(self.client.tenant_id) as db:
            for first in range(0, self.sizes.failed, 1_000):
                some = range(min(1_000, self.sizes.failed - first))
                db.execute(sa.insert(deliveries), [{**new, "id": new_id("dlv"), "finished_at": now} for _ in some])
        return id

    def quarter(self) -> dict[str, Any]:
        """Return one of the business's own tax periods, another each time."""
        year, number = divmod(next(self.quarters) % 96, 4)
        first, last = (("01-01", "03-31"), ("04-01", "06-30"), ("07-01", "09-30"), ("10-01", "12-31"))[number]
        return {"from": f"{2001 + year}-{first}", "to": f"{2001 + year}-{last}"}

    def export(self) -> dict[str, Any]:
        """Return the days of an export, once the ledger has an entry of every document; another format each time."""
        self.many("invoices")
        self.complete_ledger()
        return {**{name: str(day) for name, day in self.year().items()}, "format": next(self.formats)}

    def opening_balance(self) -> dict[str, Any]:
        """Return a trial balance of a day before all documents, once the ledger has an entry of every one of them."""
        self.complete_ledger()
        balances = [{"account_code": "100"} for _ in range(min(1_000, self.sizes.lines))]
        return {"number": "TB", "date": "2020-06-30", "balances": balances}

    def complete_ledger(self) -> None:
        """Make the entries of all documents, as the worker does."""
        ctx, more = Context(self.app, self.client.tenant_id), True
        while more:
            with ctx.transaction():
                more = catch_up(ctx)

    def entry(self) -> str:
        self.many("invoices")
        return self.newest("ledger_entries")

    def tracking(self) -> str:
        """Return one of the business's tracking categories: of the two that it may have, one is left to be made."""
        found = self.client.get("/v1/tracking_categories")["data"] or [self.make("tracking_categories")]
        return str(found[0]["id"])

    def twin(self) -> str:
        """Make a contact that has payments, and is full of what the other contact has too."""
        id = str(self.make("contacts")["id"])
        for _ in range(self.sizes.listed):
            self.call("/v1/payments", {**NEW["payments"](self), "client_id": id})
        return id

    def earlier_payment(self) -> dict[str, Any]:
        number = self.client.get(f"/v1/invoices/{self.many('invoices')[0]}")["data"]["number"]
        paid = {"amount": "0.05", "payment_method": "card", "paid_at": str(self.today)}
        return {"invoice_number": number, "reference": TEXT[:40], **paid}

    def note(self) -> dict[str, Any]:
        return {"invoice_id": self.sent_invoice(), "reason": "other", "full": True}

    def allocated(self) -> list[dict[str, str]]:
        return [{"invoice_id": id, "amount": "0.01"} for id in self.many("invoices")]

    def paid(self) -> str:
        """Make a receipt that is partly allocated to one invoice."""
        invoice = self.many("invoices")[0]
        body = {**NEW["payments"](self), "allocations": [{"invoice_id": invoice, "amount": "5.00"}]}
        return str(self.call("/v1/payments", body)["id"])

    def attachment(self) -> str:
        answer = self.client.call("POST", FILES["/v1/attachments"](self).path, raw=b"%PDF-1.7", status=201)
        return str(answer.json["data"]["id"])

    def imported(self) -> str:
        answer = self.client.call("POST", "/v1/imports?resource=contacts", raw=b"name\nAda\n", status=202)
        finish_imports(self.app)  # few may be unfinished
        return str(answer.json["data"]["id"])

    def draft(self, action: str) -> str:
        """Return a draft of an import: for what ends one, a draft for each of three attempts; one for anything else."""
        made = self.drafts.setdefault(action, [])
        if len(made) < (3 if action in ("start", "cancel") else 1):
            rows = b"".join(b"Ada %d,%d@example.com\n" % (i, i) for i in range(self.sizes.rows // 4))
            path = "/v1/imports?resource=contacts&draft=true"
            answer = self.client.call("POST", path, raw=b"name,email\n" + rows, status=202)
            finish_imports(self.app)
            made.insert(0, str(answer.json["data"]["id"]))
        else:
            made.append(made.pop(0))
        return made[0]

    def email(self) -> str:
        """Make an email that failed."""
        id = str(self.call(f"/v1/invoices/{self.read('invoices')}/email", {"to": ["ada@example.com"]})["id"])
        with self.app.db.writing(across="a test ends an email") as db:
            db.execute(sa.update(emails).where(emails.c.id == id).values(status="failed"))
        return id

    def reminded(self) -> str:
        rule = {"days": 0, "subject": "Due", "message": "Hello {client}"}
        self.client.patch("/v1/reminders", {"enabled": True, "rules": [rule]})
        today = self.today
        body = {**self.document(), "issue_date": str(today), "due_date": str(today)}
        id = self.call("/v1/invoices", {**body, "line_items": body["line_items"][:1]})["id"]
        self.call(f"/v1/invoices/{id}/send", {})
        ctx = Context(self.app, self.client.tenant_id, now=Moment.of(Moment.start_of(today, ZONE) + NOON))
        with ctx.transaction():
            remind(ctx, id)
        return self.newest("sent_reminders")

    def proposal(self) -> str:
        """Have an agent propose a new contact."""
        headers = {"Prefer": "propose", "X-Reason": TEXT}
        self.agent = self.agent or agent_of(self.client, "propose")
        answer = self.agent.call("POST", "/v1/contacts", NEW["contacts"](self), 403, headers)
        return str(answer.json["error"]["proposal_id"])

    def deposit(self) -> str:
        """Make an invoice for a deposit that was paid."""
        job = self.make("jobs")["id"]
        self.call(f"/v1/jobs/{job}/schedule", BODIES["jobs", "schedule"](self))
        id = self.call(f"/v1/jobs/{job}/invoice", {"percent": 20, "claim": "deposit"})["id"]
        self.call(f"/v1/invoices/{id}/send", {})
        self.call(f"/v1/invoices/{id}/pay", CASH)
        return str(id)

    def table(self) -> bytes:
        """Write a CSV file with as many rows and bytes as an import may have."""
        wide = (TEXT * 20)[: self.sizes.file_bytes // self.sizes.rows - 20]
        return "".join(["name,notes\n", *(f'Ada {i},"{wide}"\n' for i in range(self.sizes.rows))]).encode()

    def year(self) -> dict[str, date]:
        return {"from": self.today - timedelta(364), "to": self.today}

    def newest(self, resource: str) -> str:
        return str(self.client.get(f"/v1/{resource}?per_page=1")["data"][0]["id"])


Make = Callable[[Noisy], dict[str, Any]]

# The bodies of a new record of each collection, or of a change.
NEW: dict[str, Make] = {
    "contacts": lambda n: {
        "name": f"Ada {next(n.numbers)}",
        "email": "ada@example.com",
        "roles": ["client", "supplier"],
        "people": [{"name": f"Grace {i}"} for i in range(min(50, n.sizes.lines))],
        "tags": [f"tag {i}" for i in range(min(50, n.sizes.lines))],
        "notes": TEXT * 100,
        "metadata": {f"key {i}": TEXT for i in range(n.sizes.keys)},
    },
    "staff": lambda n: {
        "name": "Grace",
        "hours": [{"day": day, "start": "00:00", "end": "24:00"} for day in DAYS],
        "time_off": [
            {
                "start_at": f"{n.today + timedelta(400 + i)}T00:00:00Z",
                "end_at": f"{n.today + timedelta(400 + i)}T09:00:00Z",
            }
            for i in range(n.sizes.lines)
        ],
    },
    "items": lambda n: {"name": "Tap", "unit_price": "4.95", "sku": f"T{next(n.numbers)}", "description": TEXT * 50},
    "services": lambda n: {
        "name": "Blocked drain",
        "duration_minutes": 60,
        "capacity": 1000,
        "slot_interval_minutes": 1 if n.sizes.staff > LIGHT.staff else 15,
    },
    "bookings": Noisy.booking,
    "expense_categories": lambda n: {"name": f"Fittings {next(n.numbers)}"},
    "expenses": lambda n: {
        "date": str(n.today - timedelta(1)),
        "line_items": [
            {"category_id": n.category, "amount": "64.90", "description": TEXT} for _ in range(n.sizes.lines)
        ],
        "supplier_id": n.contact,
        "description": TEXT * 20,
    },
    "suppressed_addresses": lambda n: {"address": f"grace{next(n.numbers)}@example.com"},
    "invoices": Noisy.document,
    "quotes": Noisy.document,
    "jobs": lambda n: {
        **n.document(),
        "title": "Bathroom",
        "checklist": [{"text": f"Step {i}"} for i in range(min(200, n.sizes.lines))],
    },
    "recurring_invoices": lambda n: {
        **n.document(),
        "frequency": "month",
        "start_on": str(n.today + timedelta(30)),
    },
    "payments": lambda n: {"client_id": n.contact, "amount": "5000.00", "payment_method": "card"},
    "adjustment_notes": Noisy.note,
    "gst_periods": Noisy.quarter,
    "invoices/import": lambda n: {
        **n.document(),
        "number": f"Earlier {next(n.numbers)}",
        "issue_date": str(n.today - timedelta(30)),
        "amount_paid": "0.05",
        "paid_at": str(n.today - timedelta(20)),
        "payment_method": "card",
    },
    "payments/import": Noisy.earlier_payment,
    "accounts": lambda n: {
        "code": f"4-{next(n.numbers)}",
        "name": "Parts",
        "type": "income",
        "metadata": {f"key {i}": TEXT for i in range(n.sizes.keys)},
    },
    "payment_methods": lambda n: {"name": f"card_{next(n.numbers)}", "account_code": "100"},
    "tracking_categories": lambda n: {
        "name": f"Region {next(n.numbers)}",
        "options": [f"Option {i}, {TEXT}"[:50].strip() for i in range(min(100, n.sizes.lines))],
    },
    "opening_balances": Noisy.opening_balance,
    "ledger_exports": Noisy.export,
    "custom_fields": lambda n: {
        "resource": "contacts",
        "key": f"colour_{next(n.numbers)}",
        "type": "choice",
        "choices": [f"choice {i}" for i in range(min(100, n.sizes.lines))],
    },
    "webhook_endpoints": lambda n: {"url": "https://example.com/rare", "events": ["gst_period.reopened"]},
}
# The bodies for other routes, by the start of their path and the part after the id.
BODIES: dict[tuple[str, str], Make] = {
    ("invoices", "send_reminder"): lambda n: {"to": ["ada@example.com"], "message": TEXT * 30},
    ("imports", "map"): lambda n: {"columns": {"name": "name", "email": "email"}},
    ("imports", "correct"): lambda n: {"rows": [{"row": i + 2, "members": {"name": "Eve"}} for i in range(50)]},
    **{("imports", action): lambda n: {} for action in ("start", "cancel")},
    ("tenant", ""): lambda n: {"phone": "03 5550 0134", "legal_name": f"Noisy {next(n.numbers)} Pty Ltd"},
    ("batch", ""): lambda n: {
        "atomic": True,
        "operations": [
            {"method": "POST", "path": "/v1/contacts", "body": {"name": f"Ada {next(n.numbers)}"}}
            for _ in range(min(100, n.sizes.lines))
        ],
    },
    ("booking_page", ""): lambda n: {
        "introduction": TEXT * 3,
        "embedded_in": [f"https://s{i}.example.com" for i in range(10)],
    },
    ("branding", ""): lambda n: {"footer": TEXT * 3, "accent_colour": "#1a5f7a"},
    ("reminders", ""): lambda n: {
        "enabled": True,
        "rules": [{"days": i, "subject": "Due", "message": TEXT * 10} for i in range(min(10, n.sizes.lines))],
    },
    ("payments", ""): lambda n: {**NEW["payments"](n), "allocations": n.allocated()},
    ("contacts", "merge"): lambda n: {"into": n.contact},
    ("expenses", "void"): lambda n: {},
    ("expenses", "payments"): lambda n: {"amount": "0.05", **CASH},
    ("expenses", "payments/{payment_id}/reverse"): lambda n: {"reason": TEXT},
    ("invoices", "payments"): lambda n: {"amount": "0.05", **CASH},
    ("invoices", "payments/{pay_id}/reverse"): lambda n: {"reason": TEXT},
    ("invoices", "pay"): lambda n: CASH,
    ("invoices", "void"): lambda n: {"reason": TEXT},
    ("invoices", "write_off"): lambda n: {"reason": TEXT},
    ("invoices", "undo_write_off"): lambda n: {"mistake": True},
    ("invoices", "forfeit"): lambda n: {"reason": TEXT},
    ("payments", "allocate"): lambda n: {"allocations": n.allocated()},
    ("payments", "deallocate"): lambda n: {"invoice_id": n.many("invoices")[0], "amount": "0.01"},
    ("payments", "refund"): lambda n: {"amount": "0.05", **CASH},
    ("payments", "reverse"): lambda n: {"reason": TEXT},
    ("adjustment_notes", "void"): lambda n: {"reason": TEXT},
    ("jobs", "schedule"): lambda n: {"scheduled_start": f"{n.monday}T09:00:00+11:00"},
    ("jobs", "complete"): lambda n: {"notes": TEXT * 20},
    ("jobs", "cancel"): lambda n: {"reason": TEXT},
    ("jobs", "invoice"): lambda n: {},
    ("gst_periods", "reopen"): lambda n: {"reason": TEXT},
    ("bookings", "cancel"): lambda n: {"reason": TEXT},
    ("bookings", "reschedule"): lambda n: {"start_at": f"{n.monday}T11:00:00+11:00", "force": True},
    ("quotes", "send"): lambda n: {},
    ("quotes", "accept"): lambda n: {"name": "Ada"},
    ("quotes", "decline"): lambda n: {"reason": TEXT},
    ("quotes", "convert"): lambda n: {"to": "invoice"},
    ("webhook_endpoints", "recover"): lambda n: {"since": f"{n.today - timedelta(2)}T00:00:00Z"},
}
# The steps that prepare a new record for an action, or all records of a list.
STEPS: dict[tuple[str, str], list[tuple[str, dict[str, Any]]]] = {
    ("contacts", "restore"): [("archive", {})],
    ("invoices", ""): [("send", {})],
    **{("invoices", action): [("send", {})] for action in ("payments", "pay", "void", "write_off", "send_reminder")},
    ("invoices", "payments/{pay_id}/reverse"): [("send", {}), ("payments", {"amount": "0.05", **CASH})],
    ("expenses", "payments/{payment_id}/reverse"): [("payments", {"amount": "0.05", **CASH})],
    ("invoices", "undo_write_off"): [("send", {}), ("write_off", {"reason": TEXT})],
    **{("invoices", action): [] for action in ("PATCH", "DELETE", "send", "duplicate", "email")},
    ("adjustment_notes", "void"): [("issue", {})],
    ("bookings", "reopen"): [("complete", {})],
    ("jobs", "hold"): [("start", {})],
    ("jobs", "resume"): [("start", {}), ("hold", {})],
    ("jobs", "complete"): [("start", {})],
    ("jobs", "reopen"): [("complete", {})],
    ("jobs", "invoice"): [("complete", {})],
    ("quotes", "accept"): [("send", {})],
    ("quotes", "decline"): [("send", {})],
    ("quotes", "revise"): [("send", {})],
    ("quotes", "convert"): [("send", {}), ("accept", {"name": "Ada"})],
    ("recurring_invoices", "resume"): [("pause", {})],
}
# Further members of a new record, for an action.
FOR: dict[tuple[str, str], Make] = {
    ("bookings", action): lambda n: {"service_id": n.asked_first, "start_at": f"{n.monday}T14:00:00+11:00"}
    for action in ("confirm", "decline", "DELETE")
}
FOR |= {("expenses", action): lambda n: {"paid_on": None} for action in ("payments", "payments/{payment_id}/reverse")}
# Records that are not simply created: of a resource, or for one action of it.
OTHERWISE: dict[tuple[str, str], Callable[[Noisy], str]] = {
    ("attachments", ""): Noisy.attachment,
    ("contacts", "merge"): Noisy.twin,
    ("tracking_categories", ""): Noisy.tracking,
    ("ledger_entries", ""): Noisy.entry,
    ("imports", ""): Noisy.imported,
    **{("imports", each): partial(Noisy.draft, action=each) for each in ("map", "correct", "start", "cancel")},
    ("emails", ""): Noisy.email,
    ("sent_reminders", ""): Noisy.reminded,
    ("events", ""): lambda n: n.newest("events"),
    ("webhook_deliveries", ""): lambda n: n.newest("webhook_deliveries"),
    ("webhook_endpoints", "recover"): Noisy.failing,
    ("invoices", "forfeit"): Noisy.deposit,
    ("payments", "deallocate"): Noisy.paid,
    ("proposals", ""): Noisy.proposal,
}
NOBODYS = "con_" + "0" * 26
# The records whose ids the pages below have.
PAGES = {
    "/dashboard/webhooks/": "webhook_endpoints",
    "/dashboard/deliveries/": "webhook_deliveries",
    "/dashboard/events/": "events",
    "/dashboard/reports/statements/": "contacts",
    "/dashboard/attachments/": "attachments",
    "/dashboard/imports/": "imports",
    "/dashboard/approvals/": "proposals",
}
# Of these each new one must differ from all others.
DIFFERING = {
    *("items", "expense_categories", "suppressed_addresses", "gst_periods", "adjustment_notes", "invoices/import"),
    *("accounts", "custom_fields", "payment_methods", "tracking_categories", "ledger_exports"),
}
# Members that a change of a record does not take.
KEPT = {
    "bookings": ("service_id", "start_at", "staff_id", "force"),
    "adjustment_notes": ("invoice_id",),
    "custom_fields": ("resource", "key", "type"),
}
# Actions that a record allows again and again.
REPEATABLE = {
    *(("webhook_endpoints", action) for action in ("rotate_secret", "test", "recover")),
    ("webhook_deliveries", "replay"),
    ("emails", "resend"),
    *(("invoices", action) for action in ("payments", "duplicate", "email")),
    ("expenses", "payments"),
    *(("payments", action) for action in ("allocate", "deallocate", "refund")),
    *((resource, "email") for resource in ("adjustment_notes", "quotes")),
    ("contacts", "statement/email"),
    ("jobs", "schedule"),
    ("bookings", "reschedule"),
}
# Of these a business may have no more, or they are slow to make.
FEW = {"webhook_endpoints": 1, "sent_reminders": 10, "gst_periods": 40, "emails": 50, "imports": 20}
FEW |= {"proposals": 50, "custom_fields": 20}
FEW |= {"tracking_categories": 1, "ledger_exports": 3}  # an export for each format has all that there is
QUERIES: dict[str, Make] = {
    "/v1/search": lambda n: {"q": "as agreed", "per_type": 20},
    "/v1/calendar": lambda n: {"from": n.today, "to": n.today},
    "/v1/changes": lambda n: {"after": "0.0."},  # from the first event on
    "/v1/expenses/summary": lambda n: {"group_by": "gst_code"},
    "/v1/invoices/summary": lambda n: {"group_by": "client"},
    # More than 100,000 starts would be too many.
    "/v1/availability": lambda n: {"service_id": n.service, "from": n.today, "to": n.today},
    "/v1/reports/gst": lambda n: n.year(),
    "/v1/reports/gst/documents": lambda n: {**n.year(), "label": "1A"},
    "/v1/reports/gst/periods": lambda n: n.year(),
}
# Requests whose body is a file.
FILES: dict[str, Callable[[Noisy], Request]] = {
    "/v1/attachments": lambda n: Request(
        # A record has only so many.
        "POST",
        f"/v1/attachments?resource={n.make('contacts')['id']}&filename=a.pdf",
        b"%PDF-1.7\n" + b"x" * n.sizes.file_bytes,
    ),
    "/v1/imports": lambda n: Request("POST", "/v1/imports?resource=contacts", n.table()),
}
