"""No tenant learns anything about another's records, on any route of any installed plugin; refusals have one order.

The tests derive from the routes themselves: a new route is covered, or a test here names the data it lacks.
"""

import re

import pytest
import sqlalchemy as sa
from msgspec import inspect

from billycan import Context
from billycan.endpoints import PARAMETER
from billycan.starting import plugins
from billycan.starting.packages import absent
from billycan.testing import Client

# PostgreSQL is asked in the long tests; what stands behind each query there is tested by tests/test_walls.py.
pytestmark = pytest.mark.either
LINE = {"description": "Tap washers", "unit_price": "4.95"}

# A valid body for each collection; a string in braces is the id of a record of that collection.
BODIES = {
    "/v1/contacts": {"name": "Ada"},
    "/v1/items": {"name": "Tap washers", "unit_price": "4.95"},
    "/v1/invoices": {"client_id": "{/v1/contacts}", "line_items": [LINE]},
    "/v1/adjustment_notes": {"invoice_id": "{/v1/invoices}", "reason": "other", "full": True},
    "/v1/payments": {"client_id": "{/v1/contacts}", "amount": "20.00", "payment_method": "card"},
    "/v1/quotes": {"client_id": "{/v1/contacts}", "line_items": [LINE]},
    "/v1/staff": {"name": "Grace", "hours": [{"day": "monday", "start": "00:00", "end": "24:00"}]},
    "/v1/services": {"name": "Blocked drain", "duration_minutes": 60, "staff_ids": ["{/v1/staff}"]},
    "/v1/bookings": {
        "client_id": "{/v1/contacts}",
        "service_id": "{/v1/services}",
        "staff_id": "{/v1/staff}",
        "start_at": "2026-11-23T09:00:00+11:00",
        "force": True,
    },
    "/v1/jobs": {"client_id": "{/v1/contacts}", "title": "Fix the tap", "assignee_ids": ["{/v1/staff}"]},
    "/v1/expense_categories": {"name": "Pipe"},
    "/v1/expenses": {
        "date": "2026-11-20",
        "amount": "64.90",
        "description": "Elbows",
        "category_id": "{/v1/expense_categories}",
        "supplier_id": "{/v1/contacts}",
        "job_id": "{/v1/jobs}",
    },
    "/v1/gst_periods": {"from": "2026-07-01", "to": "2026-09-30"},
    "/v1/accounts": {"code": "4-1100", "name": "Parts", "type": "income"},
    "/v1/payment_methods": {"name": "card", "account_code": "100"},
    "/v1/tracking_categories": {"name": "Region", "options": ["North"]},
    "/v1/opening_balances": {"number": "TB", "date": "2020-06-30", "balances": [{"account_code": "100", "debit": "0"}]},
    "/v1/ledger_exports": {"from": "2026-07-01", "to": "2026-09-30", "format": "csv"},
    "/v1/suppressed_addresses": {"address": "grace@example.com"},
    "/v1/recurring_invoices": {
        "client_id": "{/v1/contacts}",
        "frequency": "month",
        "start_on": "2027-01-31",
        "line_items": [LINE],
    },
    "/v1/custom_fields": {"resource": "contacts", "key": "size", "type": "number"},
    "/v1/webhook_endpoints": {"url": "https://example.com/hook", "events": ["*"]},
    "/v1/assets": {"name": "Van", "cost": "31500.00", "custodian_id": "{/v1/contacts}"},
    "/v1/visits": {"job_id": "{/v1/jobs}", "visited_on": "2026-11-20", "minutes": 45},
}


def newest(path):
    return lambda client, ids: client.get(f"{path}?per_page=1")["data"][0]["id"]


def pay(client, ids):
    # Of another invoice: a paid one is locked, and the one in `ids` must stay open to change.
    invoice = client.post("/v1/invoices", filled(BODIES["/v1/invoices"], ids))["data"]
    paid = client.post(f"/v1/invoices/{invoice['id']}/pay", {"payment_method": "cash"}, 200)
    return paid["data"]["payments"][-1]["id"]


def pay_bill(client, ids):
    # Of another expense: one with payments is locked.
    body = {**filled(BODIES["/v1/expenses"], ids), "paid_on": None}
    expense = client.post("/v1/expenses", body)["data"]["id"]
    return client.post(f"/v1/expenses/{expense}/payments", {"amount": "1.00"})["data"]["payments"][-1]["id"]


def take_off(client, ids):
    # Of another invoice, for the same reason: only one that was sent can be reduced.
    invoice = client.post("/v1/invoices", filled(BODIES["/v1/invoices"], ids))["data"]
    client.post(f"/v1/invoices/{invoice['id']}/send", status=200)
    return client.post("/v1/adjustment_notes", {**BODIES["/v1/adjustment_notes"], "invoice_id": invoice["id"]})["data"][
        "id"
    ]


def attach(client, ids):
    path = f"/v1/attachments?resource={ids['/v1/contacts']}&filename=a.pdf"
    return client.call("POST", path, raw=b"%PDF-1.7", status=201).json["data"]["id"]


def bring_in(client, ids):
    return client.call("POST", "/v1/imports?resource=contacts", raw=b"name\nAda\n", status=202).json["data"]["id"]


def email(client, ids):
    # Of another invoice: the one in `ids` must stay a draft.
    invoice = client.post("/v1/invoices", filled(BODIES["/v1/invoices"], ids))["data"]
    return client.post(f"/v1/invoices/{invoice['id']}/email", {"to": ["ada@example.com"]})["data"]["id"]


def remind(client, ids):
    # Of another invoice: one that was sent is locked.
    from billycan_reminders.reminding import remind as once  # there only where that plugin is

    rule = {"days": 0, "subject": "Due", "message": "Hello {client}"}
    client.patch("/v1/reminders", {"enabled": True, "rules": [rule]})
    body = filled(BODIES["/v1/invoices"], ids) | {"issue_date": "2026-11-21", "due_date": "2026-11-21"}
    invoice = client.post("/v1/invoices", body)["data"]["id"]
    client.post(f"/v1/invoices/{invoice}/send", status=200)
    ctx = Context(client.app, client.tenant_id)
    with ctx.transaction():
        once(ctx, invoice)
    return newest("/v1/sent_reminders")(client, ids)


# Records whose collection takes no POST, or that need others first; made in this order, after all others.
def enter(client, ids):
    """Record an expense, which has entries in the ledger at once."""
    category = client.get("/v1/expense_categories")["data"][0]["id"]
    client.post("/v1/expenses", {"date": "2026-11-02", "amount": "11.00", "category_id": category})
    return client.get("/v1/ledger_entries")["data"][0]["id"]


def propose(client, ids):
    from billycan_agents.testing import agent_of

    agent = agent_of(client, "propose")
    body, headers = {"name": "Ada"}, {"Prefer": "propose"}
    return agent.call("POST", "/v1/contacts", body, 403, headers).json["error"]["proposal_id"]


def told(client, ids):
    from billycan_users.testing import Browser

    Browser(client.app).join(client, email=f"told.{client.tenant_id}@example.com")
    return client.get("/v1/notification_rules")["data"][0]["id"]


OTHERWISE = {
    "/v1/notification_rules": told,
    "/v1/adjustment_notes": take_off,
    "/v1/attachments": attach,
    "/v1/emails": email,
    "/v1/sent_reminders": remind,
    "/v1/imports": bring_in,
    "/v1/invoices/{id}/payments": pay,
    "/v1/expenses/{id}/payments": pay_bill,
    "/v1/ledger_entries": enter,
    "/v1/proposals": propose,
    "/v1/events": newest("/v1/events"),
    "/v1/webhook_deliveries": newest("/v1/webhook_deliveries"),
}

# The members that an action or a query needs before its id is looked up.
NEEDED = {
    "/v1/expenses/{id}/payments": {"amount": "1.00"},
    "/v1/imports/{id}/correct": {"rows": [{"row": 1, "leave_out": True}]},
    "/v1/imports/{id}/map": {"columns": {"name": "name"}},
    "/v1/contacts/{id}/merge": {"into": "con_0"},
    "/v1/gst_periods/{id}/reopen": {"reason": "Too early"},
    "/v1/invoices/{id}/payments": {"amount": 1, "payment_method": "cash"},
    "/v1/invoices/{id}/payments/{pay_id}/reverse": {"reason": "Bounced"},
    "/v1/invoices/{id}/pay": {"payment_method": "cash"},
    "/v1/invoices/{id}/void": {"reason": "Wrong"},
    "/v1/invoices/{id}/write_off": {"reason": "Gone"},
    "/v1/notification_rules/{id}": {"how": "none"},
    "/v1/payments/{id}/allocate": {"allocations": [{"invoice_id": "inv_0", "amount": 1}]},
    "/v1/payments/{id}/deallocate": {"invoice_id": "inv_0"},
    "/v1/payments/{id}/refund": {"amount": 1, "payment_method": "cash"},
    "/v1/quotes/{id}/accept": {"name": "Ada"},
    "/v1/quotes/{id}/convert": {"to": "invoice"},
    "/v1/bookings/{id}/reschedule": {"start_at": "2026-11-24T09:00:00+11:00"},
    "/v1/jobs/{id}/schedule": {"scheduled_start": "2026-11-24T09:00:00+11:00"},
    "/v1/webhook_endpoints/{id}/recover": {"since": "2026-11-20T00:00:00Z"},
}


@pytest.fixture
def app(make_app):
    return make_app(*sorted(set(plugins.installed()) - {"sso_auth"}))  # which does not start without settings


@pytest.fixture(params=["key", pytest.param("token", marks=pytest.mark.long)])
def enter(request):
    """Return the client of a business in an app: with an API key, or with the access token of a connected app."""
    if request.param == "key":
        return Client
    from billycan_apps.testing import enters_with  # keys are tested without apps, too

    return enters_with(request.param)


@pytest.fixture
def routes(app):
    """List the routes that take ids, with the collection of each id."""
    return [
        (e.route, {m[1]: e.route.path[: m.start()].rstrip("/") for m in PARAMETER.finditer(e.route.path)})
        for e in app.endpoints
        if e.signature.params
    ]


def filled(body, ids):
    """Replace the placeholders in a body of BODIES with real ids, where such records exist."""
    if isinstance(body, dict):
        return {name: filled(value, ids) for name, value in body.items()}
    if isinstance(body, list):
        return [found for value in body if (found := filled(value, ids)) is not None]
    return ids.get(body[1:-1]) if isinstance(body, str) and body.startswith("{/") else body


class Tenant:
    """A business with one record of every collection; `ids` maps a collection's path to its id."""

    def __init__(self, client, routes):
        self.client, self.ids = client, {}
        self.collections = collections = {path for _, params in routes for path in params.values()}
        lacking = collections - BODIES.keys() - OTHERWISE.keys()
        assert not lacking, f"add to BODIES, or to OTHERWISE, how a record comes to be at: {', '.join(sorted(lacking))}"
        for path in collections - OTHERWISE.keys():
            self.make(path)
        for path in (path for path in OTHERWISE if path in collections):
            self.ids[path] = OTHERWISE[path](client, self.ids)

    def make(self, path):
        for needed in re.findall(r"{(/[^}]*)}", str(BODIES[path])):
            if needed in self.collections:
                self.make(needed)
            else:
                assert absent(), f"there is no {needed}, which {path} names"
        if path not in self.ids:
            self.ids[path] = self.client.post(path, filled(BODIES[path], self.ids))["data"]["id"]

    def shown(self):
        """Return all its records as the API shows them."""
        return {
            path: self.client.call("GET", f"{path}/{id}").text.partition('"request_id"')[0]
            for path, id in self.ids.items()
        }


def unknown(id):
    return id[:-6] + "zzzzzz"


def strange(own, others, engine):
    """Return ids, by name, that must be indistinguishable: other tenants', unknown and malformed ones.

    To PostgreSQL a malformed id is a text like any other: there two are tried, in another case and with a quote.
    """
    malformed = [own.upper(), own + "'"]
    if engine == "sqlite":
        malformed += ["nope", f"{own}%0a", "x_1", own.partition("_")[0] + "_", own[:-6] + "0" * 60]
    return others | {"unknown": unknown(own)} | {f"malformed {i}": id for i, id in enumerate(malformed)}


def answer(client, method, path, body):
    """Return status and body of a refusal, without the parts that may differ."""
    found = client.call(method, path, body)
    error = Client.decoded(found)["error"] or {}
    headers = {k: v for k, v in found.headers.items() if not k.startswith(("x-ratelimit", "x-request-id"))}
    return found.status_int, {**error, "request_id": None}, headers


@pytest.mark.whole
def test_every_route_treats_a_strangers_id_like_one_that_never_was(app, routes, enter, engine):
    me, stranger = Tenant(enter(app), routes), Tenant(enter(app), routes)
    sandbox = Tenant(me.client.sandbox(), routes)
    keys = {scope: me.client.key(scope) for scope in ("read", "write")} | {"sandbox": sandbox.client}
    before = [tenant.shown() for tenant in (me, stranger, sandbox)]
    wrong, refusals = [], set()
    for route, params in routes:
        body = None if route.method in ("GET", "DELETE") else NEEDED.get(route.path, {})
        for key, client in keys.items():
            home, away = (sandbox, me) if key == "sandbox" else (me, sandbox)
            # A resource without a scope of its own uses that of its record.
            scope = route.scope or (":read" if route.method == "GET" else ":write")
            allowed = key == "sandbox" or (scope.endswith(f":{key}"))
            wanted = (404, "resource_not_found") if allowed else (403, "insufficient_scope")
            for name, collection in params.items():
                others = {"another tenant's": stranger.ids[collection], "the other environment's": away.ids[collection]}
                if collection == "/v1/notification_rules":  # a person's rule has one id in both
                    del others["the other environment's"]
                own = home.ids[collection]
                # A key without the scope is refused before any id is read, and the sandbox's are read by the same code.
                is_enough = key == "sandbox" or not allowed
                tried = others | {"unknown": unknown(own)} if is_enough else strange(own, others, engine)
                for kind, id in tried.items():
                    ids = {p: home.ids[c] for p, c in params.items()} | {name: id}
                    path = route.path.format(**ids)
                    status, error, headers = answer(client, route.method, path, body)
                    if (status, error.get("code")) != wanted:
                        wrong.append(
                            f"{key} key, {kind} {name}: {route.method} {route.path} gives {status} {error.get('code')}"
                        )
                    if status == 404:
                        refusals.add(str((error, headers)))
    assert not wrong, "\n".join(["(a body that is needed goes into NEEDED)", *wrong])
    assert len(refusals) == 1, refusals
    assert [tenant.shown() for tenant in (me, stranger, sandbox)] == before


# Tables that keep what was said at its time.
HISTORY = {"core_events", "core_idempotency", "webhooks_deliveries", "audit", "mail_emails.paper", "contacts_merged.id"}
# Copies of records learn here that the contact is gone.
HISTORY |= {"changes_untold.id"}
# Entries are never rewritten: exports look up the contact that is left.
HISTORY |= {"reports_ledger_entries.contact_id"}


def is_history(place):
    return bool({place, place.partition(".")[0]} & HISTORY)


def places_naming(app, id):
    """Count the rows that contain an id anywhere, for each column of every table."""
    found = {}
    with app.db.reading(across="to look for an id everywhere") as db:
        for table in (table for manifest in app.parts.values() for table in manifest.tables):
            for column in table.c:
                if not isinstance(column.type, sa.Text | sa.JSON):
                    continue
                holds = sa.cast(column, sa.Text).contains(id)
                if rows := db.execute(sa.select(sa.func.count()).select_from(table).where(holds)).scalar_one():
                    found[f"{table.name}.{column.name}"] = rows
    return found


@pytest.mark.whole
def test_whatever_names_a_merged_contact_names_the_one_that_is_left(app, routes):
    me, stranger = Tenant(Client(app), routes), Tenant(Client(app), routes)
    client, old = me.client, me.ids["/v1/contacts"]
    client.post(f"/v1/contacts/{old}/statement/email", {"to": ["ada@example.com"]})
    client.patch(f"/v1/contacts/{old}", {"reminders": False})
    new = client.post("/v1/contacts", {"name": "Ada Lovelace"})["data"]["id"]
    before, others = places_naming(app, old), stranger.shown()
    assert {"assets.custodian_id", "attachments.resource", "reminders_off.id", "mail_emails.document_id"} <= {*before}
    client.post(f"/v1/contacts/{old}/merge", {"into": new}, 200)
    left = {place for place in places_naming(app, old) if not is_history(place)}
    assert not left, f"move these, in a function that hears contact.merged: {', '.join(sorted(left))}"
    after = places_naming(app, new)
    moved = {place: rows for place, rows in before.items() if place != "contacts.id" and not is_history(place)}
    assert {place: after.get(place) for place in moved} == moved and stranger.shown() == others
    shown = {path: client.get(f"{path}/{id}")["data"] for path, id in me.ids.items() if "{" not in path}
    named = [path for path in shown if BODIES.get(path, {}).get("client_id") == "{/v1/contacts}"]
    assert {shown[path]["client"]["id"] for path in named} == {new} and len(named) == 6
    assert {shown[path]["version"] for path in ("/v1/assets", "/v1/quotes")} == {2}
    assert client.get(f"/v1/contacts/{old}")["data"]["reminders"] is False
    assert client.get(f"/v1/contacts/{old}/statement")["data"]["client"]["id"] == new


@pytest.mark.whole
def test_no_list_search_or_count_shows_a_strangers_records(app, routes, enter):
    me, stranger = Tenant(enter(app), routes), Tenant(enter(app), routes)
    hidden = set(stranger.ids.values()) | set(Tenant(me.client.sandbox(), routes).ids.values())
    queries, looked = ["", "&search=a"], set()
    for endpoint in app.endpoints:
        if not endpoint.signature.listed or endpoint.signature.params:
            continue
        path, fields = endpoint.route.path, endpoint.signature.query.__struct_fields__
        for query in queries if "search" in fields else queries[:1]:
            page = me.client.get(f"{path}?per_page=100{query}")
            assert page["pagination"]["total"] == len(page["data"]) and not hidden & {r["id"] for r in page["data"]}, (
                path
            )
            assert not any(id in me.client.last.text for id in hidden), f"{path}{query} names a stranger's record"
        for name in (name for name in fields if name.endswith("_id") and name != "external_id"):
            for id in hidden:
                answer = me.client.call("GET", f"{path}?{name}={id}")
                if answer.status_int == 400:  # an id of another kind
                    assert answer.json["error"]["code"] == "invalid_filter", f"{path}?{name}={id}"
                    continue
                found = Client.decoded(answer)
                assert found["data"] == [] and found["pagination"]["total"] == 0, f"{path}?{name}={id}"
                looked.add((path, name))
    assert {("/v1/invoices", "client_id"), ("/v1/bookings", "staff_id"), ("/v1/expenses", "job_id")} <= looked


def references(body, at=()):
    """Yield the place in a body of each id of another record, and the record's collection."""
    for name, value in body.items() if isinstance(body, dict) else enumerate(body) if isinstance(body, list) else ():
        if isinstance(value, str) and value.startswith("{/"):
            yield (*at, name), value[1:-1]
        else:
            yield from references(value, (*at, name))


def replaced(body, at, id):
    """Return the body with another id at this place."""
    if not at:
        return id
    items = body.items() if isinstance(body, dict) else enumerate(body)
    changed = {k: replaced(v, at[1:], id) if k == at[0] else v for k, v in items}
    return changed if isinstance(body, dict) else list(changed.values())


@pytest.mark.whole
def test_no_record_can_point_at_a_strangers(app, routes, enter):
    me, stranger = Tenant(enter(app), routes), Tenant(enter(app), routes)
    sandbox = Tenant(me.client.sandbox(), routes)
    for path, body in BODIES.items():
        for at, collection in references(body):
            own = filled(body, me.ids)
            foreign = (stranger.ids[collection], sandbox.ids[collection], unknown(me.ids[collection]), "nope")
            changes = (path, "PATCH") in {(r.path.removesuffix("/{id}"), r.method) for r, _ in routes}
            for method, where in (("POST", path), ("PATCH", f"{path}/{me.ids[path]}"))[: 1 + changes]:
                found = []
                for id in foreign:
                    sent = replaced(own, at, id)
                    sent = sent if method == "POST" else {at[0]: sent[at[0]]}
                    status, error, _ = answer(me.client, method, where, sent)
                    codes = {fault["code"] for fault in error.get("details", ())}
                    fits = codes == {"not_found"} or (
                        method == "PATCH" and codes and codes <= {"unknown_field", "read_only"}
                    )
                    assert status == 422 and fits, f"{method} {path} {at} {id}: {status} {error}"
                    found.append(str(error).replace(id, ""))
                assert len(set(found)) <= 1, found


@pytest.mark.sqlite_alone
@pytest.mark.whole
@pytest.mark.parametrize("needed", [BODIES, OTHERWISE, NEEDED], ids=["BODIES", "OTHERWISE", "NEEDED"])
def test_no_entry_here_is_for_a_route_that_is_gone(app, needed):
    gone = needed.keys() - {e.route.path for e in app.endpoints}
    assert gone <= {"/v1/assets", "/v1/visits"}, "only an example's plugin may be missing"


def structs(kind):
    """Yield every Struct within a type."""
    if isinstance(kind, inspect.StructType):
        yield kind
    below = (
        [field.type for field in kind.fields] if isinstance(kind, inspect.StructType) else getattr(kind, "types", ())
    )
    for part in (*below, getattr(kind, "item_type", None)):
        if part is not None:
            yield from structs(part)


@pytest.mark.sqlite_alone
def test_no_body_takes_members_it_does_not_know(app):
    for endpoint in app.endpoints:
        if endpoint.signature.body:
            open_ones = [
                k.cls for k in structs(inspect.type_info(endpoint.signature.body)) if not k.forbid_unknown_fields
            ]
            assert not open_ones, f"{endpoint.route.path}: give {open_ones} forbid_unknown_fields=True"


@pytest.mark.sqlite_alone
def test_refusals_come_in_one_order(make_app, clock):
    """A request with every fault there is, mended one by one."""
    client = Client(make_app("contacts", per_minute=50, per_second=50))
    mine = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    client.post("/v1/contacts", {"name": "Bob", "external_id": "X"})
    client.post("/v1/contacts", {"name": "Eve"}, Idempotency_Key="used")
    client.patch(f"/v1/contacts/{mine}", {"notes": "new"})
    reader, limited = client.key("read"), client.key("read", per_minute=1)
    limited.get("/v1/me")
    anonymous = {"Authorization": ""}
    call = {
        "method": "PUT",
        "path": "/v1/contacts/con_1/nope?colour=blue",
        "raw": b'{"name": "", "external_id": "X", "billing_address": {"state": "Mars"},}',
        "headers": {"Content-Type": "text/plain", "If-Match": '"1"', "Idempotency-Key": "used", "Accept": "text/html"},
    }

    def refused(status, code, by=client, **mended):
        headers = {**call["headers"], **mended.pop("headers", {})}
        call.update(mended, headers={k: v for k, v in headers.items() if v is not None})
        by.refused(status, code, **call)

    refused(401, "missing_api_key", headers=anonymous)
    refused(429, "rate_limited", limited, headers={"Authorization": None})
    refused(404, "route_not_found", reader)
    refused(405, "method_not_allowed", reader, path="/v1/contacts/con_1?colour=blue")
    refused(403, "insufficient_scope", reader, method="PATCH")
    refused(406, "not_acceptable", headers={})
    refused(415, "unsupported_media_type", headers={"Accept": None})
    refused(400, "unknown_parameter", headers={"Content-Type": "application/json"})
    refused(400, "malformed_json", path="/v1/contacts/con_1")
    refused(422, "validation_failed", raw=b'{"name": "", "external_id": "X", "billing_address": {"state": "Mars"}}')
    refused(
        422, "idempotency_key_reused", raw=b'{"name": "Zed", "external_id": "X", "billing_address": {"state": "Mars"}}'
    )
    refused(404, "resource_not_found", headers={"Idempotency-Key": "new"})
    refused(412, "version_conflict", path=f"/v1/contacts/{mine}")
    refused(422, "validation_failed", headers={"If-Match": '"2"'})
    refused(409, "duplicate_external_id", raw=b'{"external_id": "X"}')
    call.update(raw=b'{"external_id": "Y"}')
    client.call(**call, status=200)


@pytest.mark.sqlite_alone
def test_a_state_refuses_after_the_version_and_before_nothing_else(make_app):
    client = Client(make_app("contacts"))
    path = f"/v1/contacts/{client.post('/v1/contacts', {'name': 'Ada'})['data']['id']}/restore"
    client.refused(422, "validation_failed", "POST", path, {"x": 1}, headers={"If-Match": '"9"'})
    client.refused(412, "version_conflict", "POST", path, {}, headers={"If-Match": '"9"'})
    client.refused(409, "invalid_state_transition", "POST", path, {}, headers={"If-Match": '"1"'})
