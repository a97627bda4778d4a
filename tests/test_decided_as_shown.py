"""A decision made on a page is refused if the record has changed since the page showed it.

Tries each action, email and deletion of every plugin, as the pages of records have them: makes a record that allows it,
opens its page, changes the record, and sends the form.
"""

import json
from pathlib import Path

import pytest
import sqlalchemy as sa

from billycan.describe.parameters import checks_version
from billycan.starting.packages import first_party
from billycan_dashboard.resources import forms
from billycan_dashboard.resources.kinds import kinds
from billycan_dashboard.resources.record_page import has_members, has_own_page
from billycan_users.testing import Browser

pytestmark = [pytest.mark.whole, pytest.mark.either]
SAID = "has changed since you opened the page"


@pytest.fixture
def app(make_app):
    return make_app(*first_party(), mail={"url": "smtp://127.0.0.1:1", "sender": "mail@example.com"}, fresh=True)


@pytest.fixture
def noisy(app, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parent / "lab" / "fair")
    from noise import Noisy

    return Noisy(app)


@pytest.fixture
def owner(app, noisy):
    return Browser(app).join(noisy.client, "owner")


def change(app, kind, id):
    """Give a record a new version, as if somebody had changed it."""
    tables = [t for t in app.manifests[kind.plugin].tables if {"tenant_id", "id", "version"} <= {*t.c.keys()}]
    with app.db.writing(across="a test changes a record") as db:
        done = [db.execute(sa.update(t).where(t.c.id == id).values(version=t.c.version + 1)).rowcount for t in tables]
    assert sum(done) == 1


def send(browser, page, path, more):
    """Send the page's form for a path, with these fields."""
    form = next(form for form in page.forms.values() if form.action == path)
    given = {name: text for name, text in form.submit_fields() if name}
    return browser.web.post(path, {**given, **more}, status="*")


def test_no_action_is_carried_out_on_what_has_changed_since(app, noisy, owner):
    tried = set()
    for kind in kinds(app).values():
        resource = kind.path.removeprefix("/v1/")
        acts = [(name, name, "", endpoint) for name, endpoint in kind.actions.items()]
        rows = [(table, name, endpoint) for table, of in kind.nested.items() for name, endpoint in of.items()]
        start = f"{kind.path}/{{id}}/"
        acts += [(of.route.path.removeprefix(start), name, table, of) for table, name, of in rows]
        for action, name, table, endpoint in acts:
            app.clock.move(seconds=10)  # or they would be too many at once
            ids = noisy.ready(resource, action)
            record, api = f"{kind.page}/{ids['id']}", f"{kind.path}/{ids['id']}"
            path = f"{record}/{action.format(**ids)}"
            before = noisy.client.get(api)["data"]
            page, more = owner.get(record), {}
            if has_own_page(kind, endpoint, name, table):
                link = page.html.find("a", href=lambda to, path=path: to and to.partition("?")[0] == path)
                page = owner.get(link["href"] if link else path)
            if has_members(endpoint):
                body = json.loads(noisy._body(endpoint, resource, action))
                more = forms.fill_fields(forms.controls(endpoint.signature.body), body, "Australia/Hobart")
            change(app, kind, ids["id"])
            refused = send(owner, page, path, more)
            assert refused.status_int == 409 and SAID in refused.text, f"{path}: {refused.status}"
            forged = {"token": next(f["token"].value for f in page.forms.values() if "token" in f.fields), **more}
            assert owner.web.post(path, forged, status="*").status_int == 409, f"{path}: without a version"
            assert noisy.client.get(api)["data"] == {**before, "version": before["version"] + 1}, path
            tried.add((kind.path, action))
    assert len(tried) > 40
    assert {("/v1/invoices", "email"), ("/v1/invoices", "payments/{pay_id}/reverse")} <= tried


def test_nothing_is_deleted_that_has_changed_since(app, noisy, owner):
    tried = set()
    for kind in kinds(app).values():
        if "delete" not in kind.routes:
            continue
        app.clock.move(seconds=10)
        (id,) = noisy.ready(kind.path.removeprefix("/v1/"), "DELETE").values()
        page = owner.get(f"{kind.page}/{id}")
        if not any(form.action == f"{kind.page}/{id}/delete" for form in page.forms.values()):
            continue  # something else needs it
        change(app, kind, id)
        refused = send(owner, page, f"{kind.page}/{id}/delete", {})
        assert refused.status_int == 409 and SAID in refused.text, f"{kind.page}: {refused.status}"
        noisy.client.get(f"{kind.path}/{id}")
        tried.add(kind.path)
    assert len(tried) > 8


def test_what_is_looked_at_again_is_done(app, noisy, owner):
    """After the refusal: the record's page shows what is sent now, and the page of an email its new preview."""
    invoice = noisy.make("invoices")
    record, api = f"/dashboard/invoices/{invoice['id']}", f"/v1/invoices/{invoice['id']}"
    page = owner.get(owner.get(record).html.find("a", string="Mark as sent")["href"])
    dearer = [{"description": "Tap", "unit_price": "9999.00"}]
    noisy.client.patch(api, {"line_items": dearer})
    refused = send(owner, page, f"{record}/send", {})
    assert refused.status_int == 409 and "$10,998.90" in refused.text and SAID in refused.text
    email = owner.get(f"{record}/email")
    noisy.client.patch(api, {"line_items": [{**dearer[0], "unit_price": "8.00"}]})
    refused = send(owner, email, f"{record}/email", {"to": "ada@example.com"})
    assert refused.status_int == 409 and SAID in refused.text and noisy.client.get(api)["data"]["status"] == "draft"
    assert noisy.client.get("/v1/emails")["data"] == []
    done = send(owner, refused, f"{record}/email", {"to": "ada@example.com"})
    assert done.status_int == 303 and noisy.client.get(api)["data"]["status"] == "sent"


def test_no_route_passes_over_the_version_that_a_client_names(app, noisy):
    """Whatever it says in If-Match is compared, under a lock; a record without a version has none that fits."""
    passed, tried = [], 0
    for endpoint in filter(checks_version, app.endpoints):
        app.clock.move(seconds=10)
        request, tried = noisy.requests(endpoint)[0], tried + 1
        stale = {"If-Match": '"999999"'}
        client = noisy.sandbox if request.in_sandbox else noisy.client
        answer = client.call(request.method, request.path, raw=request.body, headers=stale)
        if answer.status_int != 412:
            passed.append((request.method, endpoint.route.path, answer.status_int))
    assert passed == [] and tried > 80


def test_a_statement_is_not_emailed_to_a_client_who_has_changed_since(app, noisy, owner):
    contacts = kinds(app)["/v1/contacts"]
    path = f"{contacts.page}/{noisy.contact}/statement/email"
    page = owner.get(path)
    change(app, contacts, noisy.contact)
    refused = send(owner, page, path, {"to": "ada@example.com"})
    assert refused.status_int == 409 and SAID in refused.text
    assert noisy.client.get("/v1/emails")["data"] == []
    assert send(owner, refused, path, {"to": "ada@example.com"}).status_int == 303
