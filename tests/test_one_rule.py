"""One rule for data wherever it is shown: of other resources' records, a key sees only their names.

Every resource is filled with texts and amounts that appear nowhere else. Then every GET route, POST that stores
nothing, event, delivery, search and page of a record is read with the scope of its own plugin alone. The tests derive
from the routes, so a new one is covered.
"""

import runpy
from collections import defaultdict
from decimal import Decimal
from itertools import product
from pathlib import Path
from string import ascii_lowercase as LETTERS
from typing import Annotated, get_args, get_origin

import pytest
import sqlalchemy as sa
from msgspec.structs import fields

from billycan import Context, Deleted, new_id
from billycan.endpoints import PARAMETER
from billycan.fields import Text
from billycan.members import is_struct
from billycan.starting import plugins
from billycan.testing import Client
from billycan_mail import records as mail
from billycan_users import current_role
from billycan_users.testing import Browser
from billycan_webhooks.tables import attempts, deliveries

pytestmark = [pytest.mark.whole, pytest.mark.either]

# Members that name a record to every key that may read a reference to it; a label names a custom field on each page
# that has its value.
NAMES = {"name", "title", "number", "label"}
PRICES = {"unit_price", "price", "amount", "cost"}
# Members that take no free text, and the values of other members with a form of their own.
CODES = {"state", "postcode", "country", "account_code", "tracking"}
SHAPES = {"email": "zq{}@example.com", "phone": "+61 491 57{}", "website": "https://zq{}.example"}
ADDRESS = {"line1": "", "line2": "", "suburb": "", "state": "TAS", "postcode": "7004"}
# Further members of a body; null if a member cannot be sent with the others.
MORE = {
    "/v1/contacts": {"billing_address": ADDRESS, "site_address": ADDRESS, "people": [{"name": ""}]},
    "/v1/expenses": {"supplier_name": None, "supplier_abn": None},
    "/v1/invoices": {"job_id": "{/v1/jobs}"},
    "/v1/jobs": {
        "checklist": [{"text": ""}],
        "line_items": [{"description": "", "unit_price": 0}],
        "site_address": ADDRESS,
    },
    "/v1/services": {"price": 0},
}
QUERIES = {
    "/v1/availability": "service_id={/v1/services}&from=2026-11-23&to=2026-11-25",
    "/v1/contacts/{id}/statement": "from=2026-07-01&to=2026-12-31",
    "/v1/reports/gst": "from=2026-07-01&to=2026-12-31",
    "/v1/reports/gst.csv": "from=2026-07-01&to=2026-12-31",
    "/v1/reports/gst/documents": "from=2026-07-01&to=2026-12-31&label=1A",
    "/v1/reports/gst/documents.csv": "from=2026-07-01&to=2026-12-31&label=1A",
    "/v1/reports/taxable_payments": "year=2027",
    "/v1/search": "q=mark",
    "/v1/reports/taxable_payments.csv": "year=2027",
}
# Events whose data no GET route shows; checked by hand to contain nothing of other records.
SHOWN_NOWHERE = {"app.connected", "audit.checkpointed", "app.disconnected", "contact.merged", "visit.due"}
SHOWN_NOWHERE |= {"archive.ready"}


class Marks:
    """Texts and amounts that appear in the records of one collection alone, each with the collection and the member.

    Words begin alike that are of one collection and are all names, or none; `groups` lists them by that beginning.
    """

    def __init__(self):
        self.count, self.of, self.groups, starts = 1000, {}, defaultdict(list), map("".join, product(LETTERS, LETTERS))
        self.starts = defaultdict(lambda: f"zq{next(starts)}")

    def mark(self, path, member, shape="zq{}"):
        self.count += 1
        start = self.starts[path, member.rpartition(".")[2] in NAMES]
        text = shape.replace("zq", start).format(self.count)
        self.of[text] = (path, member)
        if "zq" in shape:
            self.groups[start].append(text)
        return text

    def price(self, path, member):
        """Return a new amount; the amount with GST, its GST, and their forms for people are marks as well."""
        amount = Decimal(self.mark(path, member, "{}.37"))
        for each in (amount * Decimal("1.1"), amount / 10, amount / 11):
            self.of |= {f"{each:.2f}": (path, member), f"{each:,.2f}": (path, member)}
        return str(amount)

    def filled(self, path, kind, body, above=""):
        """Return a body with a mark in each member that takes text, and in each price."""
        body = {**body}
        for field in fields(kind):
            name, given = field.name, body.get(field.name)
            member, (rule, struct, is_list) = above + name, parts(field.type)
            if (name in body and given is None) or name in CODES or str(given).startswith("{/"):
                continue
            if isinstance(given, dict) and struct:
                body[name] = self.filled(path, struct, given, f"{member}.")
            elif isinstance(given, list) and struct:
                body[name] = [self.filled(path, struct, each, f"{member}.") for each in given]
            elif name == "metadata":
                body[name] = {"a": self.mark(path, member)}
            elif name in PRICES and given is not None:
                body[name] = self.price(path, member)
            elif rule and not name.endswith(("id", "_ids")):
                shape = SHAPES.get(name) or (None if rule.check or "format" in rule.schema else "zq{}")
                if shape:
                    marked = self.mark(path, member, shape)
                    body[name] = [marked] if is_list else marked
        return body

    def beyond(self, app, text, scope):
        """List the marks in a text from collections that need another scope to read, except names of records."""
        for mark, (path, member) in self.of.items():
            takes = app.at["GET", path].route.scope or OF_ATTACHMENTS
            if takes != scope and mark in text and member.rpartition(".")[2] not in NAMES:
                yield f"{member} of {path}"


# An attachment is shown by the scope of its record; the one here is of an expense.
OF_ATTACHMENTS = "expenses:read"


def parts(hint):
    """Return the rule of a member that takes text, its Struct, and whether it is a list."""
    rule = struct = None
    is_list, left = False, [hint]
    while left:
        each = left.pop()
        if get_origin(each) is Annotated:
            rule = next((found for found in each.__metadata__ if isinstance(found, Text)), rule)
        is_list |= get_origin(each) is list
        struct = each if is_struct(each) else struct
        left += get_args(each)
    return rule, struct, is_list


@pytest.fixture
def app(make_app):
    return make_app(*sorted(set(plugins.installed()) - {"sso_auth"}))  # which does not start without settings


@pytest.fixture
def marks():
    return Marks()


@pytest.fixture
def tenant(app, marks):
    """Make a business with a marked record of every collection, and an email that failed."""
    isolation = runpy.run_path(str(Path(__file__).with_name("test_isolation.py")))
    bodies = isolation["BODIES"]
    for path in bodies:
        if endpoint := app.at.get(("POST", path)):
            bodies[path] |= marks.filled(path, endpoint.signature.body, bodies[path] | MORE.get(path, {}))

    def attach(client, ids):
        query = f"resource={ids['/v1/expenses']}&filename={marks.mark('/v1/attachments', 'filename')}.pdf"
        return client.call("POST", f"/v1/attachments?{query}", raw=b"%PDF-1.7", status=201).json["data"]["id"]

    isolation["OTHERWISE"]["/v1/attachments"] = attach
    routes = [
        (e.route, {m[1]: e.route.path[: m.start()].rstrip("/") for m in PARAMETER.finditer(e.route.path)})
        for e in app.endpoints
        if e.signature.params
    ]
    made = isolation["Tenant"](Client(app), routes)
    ctx = Context(app, made.client.tenant_id)
    with ctx.transaction():
        mail.settle_email(ctx, mail.lock_email(ctx, made.ids["/v1/emails"]))
    made.bodies = {path: isolation["filled"](body, made.ids) for path, body in bodies.items()}
    made.unpaid = made.client.post("/v1/invoices", made.bodies["/v1/invoices"])["data"]["id"]
    made.client.post(f"/v1/invoices/{made.unpaid}/send", {}, 200)
    return made


def test_every_route_shows_only_what_its_own_scope_is_for(app, marks, tenant):
    wrong, looked = [], 0
    for endpoint in app.endpoints:
        route, path, scope = endpoint.route, endpoint.route.path, endpoint.route.scope or OF_ATTACHMENTS
        # A PDF is a picture of a document, and shown with the document's own scope.
        if endpoint.writes or path == "/v1/openapi.json" or path.endswith((".pdf", "/pdf")):
            continue
        body = tenant.bodies.get(path.removesuffix("/preview"), {}) if route.method == "POST" else None
        query = QUERIES.get(path, "").replace("{/v1/services}", tenant.ids["/v1/services"])
        here = PARAMETER.sub(lambda _, path=path: tenant.ids[path.partition("/{")[0]], path)
        if path.endswith("/send_reminder/preview"):
            here = path.replace("{id}", tenant.unpaid)
        reader = tenant.client.key(scope)
        for accept in ("application/json", "text/csv"):
            answer = reader.call(route.method, f"{here}?{query}", body, headers={"Accept": accept})
            assert answer.status_int in (200, 403, 406), f"add to QUERIES what {path} needs: {answer.text}"
            found = {*marks.beyond(app, answer.text, scope.replace(":write", ":read"))}
            if endpoint.plugin == "reports":  # its own scope covers the totals of all documents
                found -= {each for each in found if each.split()[0].rpartition(".")[2] in PRICES}
            wrong += [f"{scope} shows at {path} ({accept}) {each}" for each in sorted(found)]
            looked += answer.status_int == 200
    assert not wrong, "\n".join(wrong)
    assert looked > 80 and len(marks.of) > 100


def test_every_event_shows_only_what_its_own_scope_is_for(app, marks, tenant):
    shown = {e.signature.answer for e in app.endpoints if e.route.method == "GET"}
    unknown = {name for name, kind in app.events.items() if kind is not Deleted and kind not in shown}
    assert unknown <= SHOWN_NOWHERE, "their data is no record that GET shows, nor is it looked at here"
    wrong, read = [], set()
    for scope in scopes_of_events(app):
        key, after = tenant.client.key("events:read", scope), ""
        while page := key.get(f"/v1/events?per_page=100&sort=created_at{after}")["data"]:
            after = f"&after={page[-1]['id']}"
            for event in page:
                read |= {event["event"]} if event["data"] else set()
                found = {*marks.beyond(app, str(event["data"]), scope)}
                wrong += [f"{scope} shows in {event['event']} {each}" for each in sorted(found)]
    assert not wrong, "\n".join(wrong)
    assert {"email.failed", "attachment.created", "invoice.sent", "contact.created"} <= read


def scopes_of_events(app):
    return sorted({app.scope_of(name) for name in app.events})


def test_every_delivery_shows_only_what_its_events_scope_is_for(app, marks, tenant):
    with app.db.writing(tenant.client.tenant_id) as db:
        mine = deliveries.c.tenant_id == tenant.client.tenant_id
        made = {row.id: row.event for row in db.execute(sa.select(deliveries.c.id, deliveries.c.event).where(mine))}
        told = str(marks.of)  # a receiver may answer with all that it was ever sent
        given = {"tenant_id": tenant.client.tenant_id, "number": 1, "url": "", "headers": {}, "response_status": 200}
        given |= {"response_headers": {}, "response_body": told, "started_at": app.now(), "finished_at": app.now()}
        db.execute(sa.insert(attempts), [{**given, "id": new_id("atm"), "delivery_id": id} for id in made])
    wrong, read = [], set()
    for id, event in made.items():
        shown = tenant.client.key("webhooks:read").get(f"/v1/webhook_deliveries/{id}")["data"]["attempts"]
        assert [*marks.beyond(app, str(shown), "")] == [], event
        scope = app.scope_of(event)
        (shown,) = tenant.client.key("webhooks:read", scope).get(f"/v1/webhook_deliveries/{id}")["data"]["attempts"]
        assert shown["response"]["body"], f"{scope} shows what came back for {event}"
        wrong += [f"{scope} shows in {event} {each}" for each in marks.beyond(app, str(shown["request"]), scope)]
        read.add(event)
    assert not wrong, "\n".join(wrong)
    assert {"email.failed", "attachment.created", "invoice.sent"} <= read


def test_no_search_finds_what_another_resource_holds(app, marks, tenant):
    wrong, looked = [], 0
    for endpoint in app.endpoints:
        path, scope, query = endpoint.route.path, endpoint.route.scope, endpoint.signature.query
        if not endpoint.signature.listed or "{" in path or "search" not in query.__struct_fields__:
            continue
        key = tenant.client.key(scope)
        for start, group in marks.groups.items():
            # All of a group at once: a search finds any part of a text.
            if others := [place for mark in group for place in marks.beyond(app, mark, scope)]:
                looked += len(others)
                if key.get(f"{path}?search={start}&per_page=1")["data"]:
                    wrong.append(f"{scope} finds at {path} by one of: {', '.join(others)}")
    assert not wrong, "\n".join(wrong)
    assert looked > 200


def test_every_page_shows_only_what_its_own_scope_is_for(app, marks, tenant, monkeypatch):
    browser = Browser(app).join(tenant.client, "owner", "reader@example.com")
    wrong, looked = [], 0
    for path, id in tenant.ids.items():
        listing = app.at.get(("GET", path))
        if listing is None or not (scope := listing.route.scope):
            continue
        monkeypatch.setattr(
            current_role.rules, "scopes_of_role", lambda role, known, scope=scope: (scope, "events:read")
        )
        for page in (path, f"{path}/{id}"):
            app.clock.move(seconds=5)  # to stay within the rate limit
            answer = browser.web.get(page.replace("/v1/", "/dashboard/"), status="*")
            looked += answer.status_int == 200
            found = {*marks.beyond(app, answer.text, scope)}
            if listing.plugin == "reports":  # as above
                found -= {each for each in found if each.split()[0].rpartition(".")[2] in PRICES}
            wrong += [f"{scope} shows on the page of {page} {each}" for each in sorted(found)]
    assert not wrong, "\n".join(wrong)
    assert looked > 25


def test_a_refused_deletion_counts_only_what_the_key_may_read(app, tenant):
    refused = 0
    for endpoint in app.endpoints:
        path, scope = endpoint.route.path, endpoint.route.scope
        id = tenant.ids.get(path.removesuffix("/{id}"))
        if endpoint.route.method != "DELETE" or not scope or not id:
            continue
        for reads in ((), (scope.replace(":write", ":read"),), ("read",)):
            error = tenant.client.key(scope, *reads).call("DELETE", path.replace("{id}", id)).json["error"]
            if error is None or error["code"] != "has_dependents":
                break  # it is gone now, or something else keeps it
            assert {app.scope_of(kind) for kind in error["dependents"]} <= {*reads} or reads == ("read",), error
            refused += bool(error["dependents"])
    assert refused > 3
