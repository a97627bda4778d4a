"""Text by clients is only text on every page that shows it, and no page shows another business's records."""

import re
from html.parser import HTMLParser
from urllib.parse import quote

import pytest

from billycan import demo
from billycan.starting.packages import first_party
from billycan.tenants import Profile
from billycan.testing import Client, run_timed
from billycan_dashboard.resources import forms
from billycan_dashboard.resources.kinds import kinds
from billycan_users.tables import users
from billycan_users.testing import Browser

pytestmark = [pytest.mark.whole, pytest.mark.sqlite_alone]
EVIL = "evil\"'></textarea></script></title><x-evil onfocus=alert(1)>{{7*7}}"
SHORT = "\"'><x-evil>"
# Texts with a form of their own, which no hostile text fits.
CHECKED = {"account_code", "tracking", "abn", "email", "payment_method", "phone", "supplier_abn", "timezone", "website"}
CHECKED |= {"custom", "choices"}  # a map, and the choices of another type of custom field
PLACES = (
    "overview",
    "keys",
    "people",
    "profile",
    "account",
    "businesses",
    "events",
    "webhooks",
    "requests",
    "deliveries",
)


class Reader(HTMLParser):
    """An HTML parser that works as browsers do; `found` lists what must not be in the page."""

    def __init__(self, page):
        super().__init__()
        self.found, self.text = [], ""
        self.feed(page.text)

    def handle_starttag(self, tag, attributes):
        self.found += [tag] if tag == "x-evil" or (tag == "script" and not dict(attributes).get("src")) else []
        for name, value in attributes:
            if name.startswith("on") or "x-evil" in name or name == "style":
                self.found.append(f"{tag} {name}")
            if name in ("href", "src", "action", "formaction") and not re.match(
                r"(/(?!/)|[?#]|https?://|mailto:|data:image/)", value or "/"
            ):
                self.found.append(f"{tag} {name}={value}")

    def handle_data(self, data):
        self.text += data


@pytest.fixture
def app(make_app):
    return make_app(*first_party(), fresh=True)


@pytest.fixture
def client(app):
    """Return a client of the sample business, with records of every kind."""
    return Client(app, demo.first(app).sandbox)


def is_text(control):
    return control.form in ("text", "word", "area", "lines", "map", "email", "url")


def with_evil(control, text):
    """Return the value with which a member holds that text."""
    return {"evil": text} if control.form == "map" else [text] if control.form == "lines" else text


def writes(client, method, path, body):
    return client.call(method, path, body).status_int < 400


def spoil(client, path, asked, record, method="PATCH"):
    """Write hostile text into each member of a record that takes it; return their names."""
    taken = set()

    def try_each(control, name, within):
        if any(writes(client, method, path, within(with_evil(control, text))) for text in (EVIL, SHORT)):
            taken.add(name)

    for each in asked:
        now = record.get(each.name)
        if is_text(each):
            try_each(each, each.name, lambda value, each=each: {each.name: value})
        elif each.form == "rows" and now:
            names = {part.name for part in each.parts}
            row = {name: value for name, value in now[0].items() if name in names and value is not None}
            for part in filter(is_text, each.parts):
                try_each(part, part.name, lambda value, p=part, e=each, row=row: {e.name: [{**row, p.name: value}]})
        elif each.form == "object" and now:
            for part in filter(is_text, each.parts):
                try_each(part, part.name, lambda value, p=part, e=each: {e.name: {p.name: value}})
    return taken


def make_like(client, kind, record):
    """Make a record like another, with hostile text in each member that takes it; return their names."""
    asked = {control.name: control for control in forms.controls(kind.routes["make"].signature.body)}
    body = {n: v for n, v in record.items() if n in asked and v not in (None, [], {}) and not is_text(asked[n])}
    taken = set()
    for name in filter(lambda name: is_text(asked[name]), asked):
        if writes(
            client, "POST", kind.path, {**body, name: with_evil(asked[name], EVIL), **_named(record, asked, name)}
        ):
            taken.add(name)
    return taken


def _named(record, asked, name):
    """Return the other texts that a record must have."""
    return {n: record[n] for n, each in asked.items() if is_text(each) and each.required and n != name}


def act(client, kind, record):
    """Carry out the actions that take text, with hostile text; return the names of those that did."""
    taken = set()
    for name in record.get("allowed_actions", ()):
        body = kind.actions[name].signature.body if name in kind.actions else None
        asked = forms.controls(body) if body and body.__struct_fields__ else ()
        given = {c.name: EVIL for c in asked if is_text(c)}
        given |= {c.name: c.choices[0] for c in asked if c.required and c.form == "choice"}
        if given and writes(client, "POST", f"{kind.path}/{record['id']}/{name}", given):
            taken.add(name)
            break
    return taken


def look(browser, path):
    """Return a page's text, after checking that the page contains no markup by clients."""
    browser.app.clock.move(seconds=1)  # to stay within the rate limit
    page = browser.web.get(path, status="*")
    assert page.status_int in (200, 303, 400, 403, 404, 409), (path, page.status)
    read = Reader(page)
    assert not read.found, (path, read.found)
    assert "49" not in re.findall(r"x-evil onfocus=alert\(1\)>(\w*)", read.text), path
    return read.text


def test_text_is_text_on_every_page(app, client):
    """Each text of each resource, of the profile, keys, people and browsers; on lists, records, forms and all else."""
    owner = Browser(app).join(client)
    owner.web.extra_environ["HTTP_USER_AGENT"] = EVIL
    owner.send("/dashboard/sign-out")
    owner.sign_in()
    page = owner.get("/dashboard/account")
    owner.send("/dashboard/switch", button="environment=sandbox")
    owner.get("/dashboard/keys")
    owner.send("/dashboard/keys", name=EVIL, everything="read")
    with app.db.writing() as db:
        db.execute(users.update().where(users.c.email == owner.email).values(name=EVIL))
    hook = {"url": 'https://example.com/"><x-evil>', "events": ["*"], "description": EVIL}
    client.call("POST", "/v1/webhook_endpoints", hook)
    client.call("POST", "/v1/webhook_endpoints", {**hook, "url": "https://example.com/hook"}, 201)
    client.call("POST", "/v1/contacts", {"name": "Ann", EVIL: 1}, 422)
    client.post("/v1/custom_fields", {"resource": "contacts", "key": "size", "type": "text"})
    assert "name" in spoil(client, "/v1/tenant", forms.controls(Profile), client.get("/v1/tenant")["data"])
    for invoice in client.get("/v1/invoices?status=sent")["data"]:  # so that a note can be changed
        client.call("POST", "/v1/adjustment_notes", {"invoice_id": invoice["id"], "reason": "other", "full": True})
    shown = []
    for kind in kinds(app).values():
        records = client.get(f"{kind.path}?per_page=4&sort=-created_at")["data"]
        if not records:
            # Not lodged and without text; a record that only failed mail makes; and what the demo has none of.
            without = {"gst_periods", "suppressed_addresses", "ledger_exports", "payment_methods"}
            without |= {"tracking_categories", "opening_balances"}
            assert kind.path.removeprefix("/v1/") in without
            continue
        if not {"make", "change"} & kind.routes.keys():  # its texts come from other records
            look(owner, kind.page)
            continue
        records = [client.get(f"{kind.path}/{record['id']}")["data"] for record in records]
        asked = forms.controls(kind.routes["change" if "change" in kind.routes else "make"].signature.body)
        is_free = (record for record in records if not record.get("invoice_id"))  # a paid invoice takes no payment
        taken = make_like(client, kind, next(is_free, records[0])) if "make" in kind.routes else set()
        for record in records:
            if "change" in kind.routes:
                taken |= spoil(client, f"{kind.path}/{record['id']}", asked, record)
            act(client, kind, record)
        left = {control.name for control in asked if is_text(control)} - taken - CHECKED
        assert not left, f"{kind.path}: no record took text in {left}"
        shown += [look(owner, f"{kind.page}?per_page=100"), look(owner, f"{kind.page}/new")]
        for record in client.get(f"{kind.path}?per_page=4")["data"]:
            shown.append(look(owner, f"{kind.page}/{record['id']}"))
            look(owner, f"{kind.page}/{record['id']}/edit")
            look(owner, f"{kind.page}/{record['id']}/{next(iter(kind.actions), 'edit')}")
    assert sum("x-evil onfocus=alert(1)>{{7*7}}" in text for text in shown) > 25
    app.observers[0].write()
    for place in PLACES:
        look(owner, f"/dashboard/{place}")
    for event in client.get("/v1/events?per_page=5")["data"]:
        look(owner, f"/dashboard/events/{event['id']}")
    for path in (
        f"/dashboard/contacts?search={EVIL}&sort={EVIL}",
        f"/dashboard/{EVIL}",
        f"/dashboard/sign-in?next={EVIL}",
    ):
        look(owner, quote(path, safe="/?=&"))
    assert page.status_int == 200


def test_another_businesss_records_are_as_if_they_had_never_been(app, client):
    """On every page of every kind of record, in words and in what is done."""
    stranger = Browser(app).join(Client(app))
    token = re.search(r'name="token" value="(\w+)"', stranger.get("/dashboard/account").text)[1]
    client.post("/v1/expense_categories", {"name": "Pipe"})  # the others are in every business
    client.post("/v1/accounts", {"code": "4-1100", "name": "Pipe", "type": "income"})  # as are these
    client.post("/v1/gst_periods", {"from": "2026-07-01", "to": "2026-09-30"})
    client.post("/v1/payment_methods", {"name": "card", "account_code": "100"})
    client.post("/v1/tracking_categories", {"name": "Region", "options": ["North"]})
    zero = [{"account_code": "100"}]
    client.post("/v1/opening_balances", {"number": "TB", "date": "2020-06-30", "balances": zero})
    client.post("/v1/ledger_exports", {"from": "2026-07-01", "to": "2026-09-30", "format": "csv"})
    client.post("/v1/suppressed_addresses", {"address": "grace@example.com"})
    client.post("/v1/custom_fields", {"resource": "contacts", "key": "size", "type": "text"})
    invoice = client.get("/v1/invoices?status=unpaid&per_page=1")["data"][0]["id"]
    client.post(f"/v1/invoices/{invoice}/email", {"to": ["ada@example.com"]})
    rule = {"days": 0, "subject": "Due", "message": "Hello {client}"}
    client.patch("/v1/reminders", {"enabled": True, "rules": [rule]})
    client.patch(f"/v1/invoices/{invoice}", {"due_date": "2026-11-21"})
    run_timed(app)
    for kind in kinds(app).values():
        theirs = client.get(f"{kind.path}?per_page=1&sort=-created_at")["data"][0]
        never = theirs["id"][:-6] + "zzzzzz"
        before = client.get(f"{kind.path}/{theirs['id']}")["data"]
        assert theirs["id"] not in stranger.get(kind.page).text
        for end in ("", "/edit", "/delete", *(f"/{action}" for action in kind.actions)):
            for method in ("get", "post"):
                sent = [{"params": {"token": token, "name": "x", "version": "1"}}] if method == "post" else [{}]
                answers = [
                    getattr(stranger.web, method)(f"{kind.page}/{id}{end}", status="*", **sent[0])
                    for id in (theirs["id"], never)
                ]
                assert len({(a.status_int, told(a.text, theirs["id"], never)) for a in answers}) == 1, (kind.path, end)
                assert answers[0].status_int in (404, 405, 422), (kind.path, end, method, answers[0].status)
                app.clock.move(seconds=2)
        assert client.get(f"{kind.path}/{theirs['id']}")["data"] == before


def told(text, *ids):
    """Return a page without the parts that differ each time."""
    for id in ids:
        text = text.replace(id, "")
    return re.sub(r'value="[\w-]{10,}"|req_\w+', "", text)
