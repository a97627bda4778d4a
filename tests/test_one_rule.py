"""One rule for data wherever it is shown: a key sees of other resources' records no more than which ones they are.

Every resource is filled with texts and amounts that stand nowhere else, and every GET route and every event is read with
a key that has the read scope of its own plugin alone. Both come from the routes themselves: a new one is covered.
"""

import runpy
from decimal import Decimal
from pathlib import Path
from typing import Annotated, get_args, get_origin

import pytest
from msgspec.structs import fields

from billycan.endpoints import PARAMETER
from billycan.fields import Text
from billycan.plain import is_struct
from billycan.starting import plugins
from billycan.testing import Client

pytestmark = [pytest.mark.whole, pytest.mark.either]


@pytest.fixture
def isolation():
    return runpy.run_path(str(Path(__file__).with_name("test_isolation.py")))


@pytest.fixture
def app(make_app):
    return make_app(*sorted(set(plugins.installed()) - {"sso_auth"}))


# What texts with a form of their own are marked with; `{}` is a number.
SHAPES = {"email": "zq{}@example.com", "phone": "+61 491 57{}", "abn": "91888222000", "website": "https://zq{}.example"}
ADDRESS = {"line1": "", "line2": "", "suburb": "", "state": "TAS", "postcode": "7004"}
ADDRESS_CODES = {"state", "postcode", "country"}
MORE = {
    "/v1/contacts": {"billing_address": ADDRESS, "site_address": ADDRESS, "people": [{"name": ""}]},
    "/v1/jobs": {"site_address": ADDRESS, "line_items": [{"description": "", "unit_price": 0}], "checklist": [{"text": ""}]},
    "/v1/services": {"price": 0},
    "/v1/expenses": {"supplier_name": None, "supplier_abn": None},
}
PRICES = {"unit_price", "price", "amount", "cost"}
# By these a record is named to whoever may read what refers to it.
NAMES = {"name", "title", "number"}


class Marks:
    """Texts and amounts that stand in the records of one collection alone, with the collection and the member."""

    def __init__(self):
        self.count, self.of = 1000, {}

    def mark(self, path, member, shape="zq{}"):
        self.count += 1
        text = shape.format(self.count)
        self.of[text] = (path, member)
        return text

    def price(self, path, member):
        """An amount, and what it comes to with GST."""
        amount = self.mark(path, member, "{}.37")
        with_gst = Decimal(amount) * Decimal("1.1")
        self.of |= {f"{found:.2f}": (path, member) for found in (with_gst, with_gst - Decimal(amount))}
        return amount

    def filled(self, path, kind, body, above=""):
        """A body with a mark in each member that takes a text, and in each price."""
        body = {**body}
        for field in fields(kind):
            name, given = field.name, body.get(field.name)
            member, (rule, struct, is_list) = above + name, parts(field.type)
            if name in body and given is None:  # MORE says that it cannot be sent with the others
                continue
            if isinstance(given, dict) and struct:
                body[name] = self.filled(path, struct, given, f"{member}.")
            elif isinstance(given, list) and struct:
                body[name] = [self.filled(path, struct, each, f"{member}.") for each in given]
            elif name == "metadata":
                body[name] = {"a": self.mark(path, member)}
            elif name in PRICES and given is not None:
                body[name] = self.price(path, member)
            elif rule and name not in ADDRESS_CODES and not str(given).startswith("{/") and not name.endswith(("id", "_ids")):
                shape = SHAPES.get(name) or (None if rule.check or "format" in rule.schema else "zq{}")
                if shape:
                    marked = self.mark(path, member, shape)
                    body[name] = [marked] if is_list else marked
        return body


def parts(hint):
    """The rule of a member that takes texts, the Struct that it holds, and whether it is a list."""
    rule = struct = None
    is_list, left = False, [hint]
    while left:
        each = left.pop()
        if get_origin(each) is Annotated:
            rule = next((m for m in each.__metadata__ if isinstance(m, Text)), rule)
        is_list |= get_origin(each) is list
        struct = each if is_struct(each) else struct
        left += get_args(each)
    return rule, struct, is_list


def world(app, isolation, marks):
    """A business whose records are marked, and have been turned into one another."""
    bodies, otherwise = isolation["BODIES"], isolation["OTHERWISE"]
    for path, body in bodies.items():
        if endpoint := app.at.get(("POST", path)):
            bodies[path] = marks.filled(path, endpoint.signature.body, {**body, **MORE.get(path, {})})

    def attach(client, ids):
        path = f"/v1/attachments?resource={ids['/v1/expenses']}&filename={marks.mark('/v1/attachments', 'filename')}.pdf"
        return client.call("POST", path, raw=b"%PDF-1.7", status=201).json["data"]["id"]

    otherwise["/v1/attachments"] = attach
    params = [
        (e.route, {m[1]: e.route.path[: m.start()].rstrip("/") for m in PARAMETER.finditer(e.route.path)})
        for e in app.endpoints
        if e.signature.params
    ]
    return isolation["Tenant"](Client(app), params)


# What is read with required parameters, and how.
QUERIES = {
    "/v1/availability": "service_id={/v1/services}&from=2026-11-23&to=2026-11-25",
    "/v1/reports/gst": "from=2026-07-01&to=2026-12-31",
    "/v1/reports/gst.csv": "from=2026-07-01&to=2026-12-31",
    "/v1/reports/gst/documents": "from=2026-07-01&to=2026-12-31&label=1A",
    "/v1/reports/gst/documents.csv": "from=2026-07-01&to=2026-12-31&label=1A",
}


def test_a_key_sees_only_what_its_own_resource_holds(app, isolation):
    marks = Marks()
    tenant = world(app, isolation, marks)
    client, ids = tenant.client, tenant.ids
    keys = {}
    found = set()
    for e in app.endpoints:
        if e.route.method != "GET" or e.route.path == "/v1/openapi.json":
            continue
        path = PARAMETER.sub(ids.get(e.route.path.partition("/{")[0], ""), e.route.path)
        query = QUERIES.get(e.route.path, "")
        query = query.replace("{/v1/services}", ids["/v1/services"])
        scope = e.route.scope or "expenses:read"
        key = keys.setdefault(scope, client.key(scope))
        for accept in ("application/json", "text/csv"):
            answer = key.call("GET", f"{path}?{query}", headers={"Accept": accept})
            if answer.status_int not in (200, 406):
                print(path, answer.status_int, answer.text[:200])
            for text, (owner, member) in marks.of.items():
                own_scope = app.at["GET", owner].route.scope or "expenses:read"
                if answer.content_type != "application/pdf" and text in answer.text and own_scope != scope and member.split(".")[-1] not in NAMES:
                    found.add((e.route.path, accept[-4:], owner, member))
    print(*sorted(found), sep="\n")
    for scope in sorted({e.route.scope for e in app.endpoints if e.route.scope}|{*app.event_scopes.values()}):
        key = client.key("events:read", scope)
        page = key.get("/v1/events?per_page=100")["data"]
        for event in page:
            own = app.event_scopes[event["event"]]
            for text, (owner, member) in marks.of.items():
                own_scope = app.at["GET", owner].route.scope or "expenses:read"
                if text in str(event["data"]) and own_scope != scope and member.split(".")[-1] not in NAMES:
                    found.add((event["event"], scope, owner, member))
    print()
    print(*sorted(found), sep="\n")
    assert not found
