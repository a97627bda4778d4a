"""No business stops another: its requests share a quarter of a process, and their waits hold up nobody else."""

import http.client
import json
import re
import socket
from contextlib import closing, contextmanager

import pytest
import sqlalchemy as sa
import webtest

from billycan import Context
from billycan import apart as shares
from billycan.apart import LIVE, Share
from billycan.hosting.served import Call, serving
from billycan.starting.packages import first_party
from billycan.testing import Client
from billycan.testing.sockets import readable

pytestmark = pytest.mark.either

SECONDS = 180
NOBODYS = "con_" + "0" * 26
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc0000003010100c9fe92ef"
    "0000000049454e44ae426082"
)
# Routes of no business: core's own pages, files, descriptions of the deployment; and an app's own (below).
# The caller of /mcp is admitted, and takes part, by the function that does so for calls of the API.
OF_NO_BUSINESS = ("/-/", "/explore", "/dashboard/-/", "/.well-known/", "/oauth/", "/mcp")


@contextmanager
def used_up(app, business, monkeypatch):
    """While the block runs, a business has all its places in use, and nobody waits for it."""
    all_of_it = [Share(app.shares, business, LIVE) for _ in range(app.shares.most)]
    assert all(share.begin() for share in all_of_it)
    with monkeypatch.context() as patch:
        patch.setattr(shares, "MOST_WAITING", 0)
        yield
    for share in all_of_it:
        share.leave()


def documents(client):
    """Send an invoice, an adjustment note and a quote, so that they have pages."""
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    lines = [{"description": "Taps", "unit_price": "100"}]
    invoice = client.post("/v1/invoices", {"client_id": contact, "line_items": lines})["data"]["id"]
    invoice = client.post(f"/v1/invoices/{invoice}/send", status=200)["data"]
    about = {"invoice_id": invoice["id"], "reason": "price_change", "line_items": lines}
    note = client.post("/v1/adjustment_notes", about)["data"]["id"]
    note = client.post(f"/v1/adjustment_notes/{note}/issue", status=200)["data"]
    quote = client.post("/v1/quotes", {"client_id": contact, "line_items": lines})["data"]["id"]
    quote = client.post(f"/v1/quotes/{quote}/send", status=200)["data"]
    path = f"/v1/attachments?resource={contact}&filename=logo.png"
    made = client.call("POST", path, raw=PNG, headers={"Content-Type": "application/octet-stream"}, status=201)
    client.patch("/v1/branding", {"logo_attachment_id": made.json["data"]["id"]})
    return invoice, note, quote


def booking_pages(app, client):
    """Have a time chosen on a booking page; return the paths of the pages, and the addresses."""
    from billycan_booking_pages.booking import add_request
    from billycan_booking_pages.emails import request_link

    client.post("/v1/staff", {"name": "Grace"})
    service = client.post("/v1/services", {"name": "Blocked drain", "duration_minutes": 60})["data"]["id"]
    page = {"active": True, "name": client.tenant_id.replace("_", "-"), "service_ids": [service]}
    client.patch("/v1/booking_page", page)
    ctx = Context(app, client.tenant_id)
    with ctx.transaction():
        token = request_link(ctx, add_request(ctx, service, ctx.now(), None, None))
    found = {"/b/{name}": "", "/b/{name}/{service_id}": f"/{service}"}
    return {path: f"/b/{page['name']}{end}" for path, end in found.items()} | {"/booking/{token}": f"/booking/{token}"}


def feed_of(app, client, browser):
    """Make a link to a person's calendar, and return its path."""
    from billycan_feeds.links import add_link
    from billycan_users.tables import users

    ctx = Context(app, client.tenant_id)
    with app.db.reading(client.tenant_id) as db:
        user_id = db.execute(sa.select(users.c.id).where(users.c.email == browser.email)).scalar_one()
    with ctx.transaction():
        return f"/calendar/{add_link(ctx, client.tenant_id, user_id, 'Phone')}.ics"


@pytest.mark.whole
def test_every_page_of_a_business_takes_part_in_its_share(make_app, monkeypatch):
    from billycan_mail import unsubscribe
    from billycan_users.testing import Browser

    app = make_app(*first_party())
    client = Client(app)
    pages = [each["hosted_url"].removeprefix(app.public_url) for each in documents(client)]
    logo = re.search('<img class="logo" src="([^"]+)"', webtest.TestApp(app.wsgi).get(pages[0]).text)[1]
    signed = dict(zip(("/i/{token}", "/a/{token}", "/q/{token}"), pages, strict=True))
    signed["/logo/{token}"] = logo.removeprefix(app.public_url)
    link = unsubscribe.unsubscribe_url(app, client.tenant_id, "ada@example.com")
    signed["/mail/unsubscribe/{token}"] = link.removeprefix(app.public_url)
    signed |= booking_pages(app, client)
    browser, shown = Browser(app).join(client, "owner", is_operator=True), 0
    signed["/calendar/{secret}.ics"] = feed_of(app, client, browser)
    for path, plugin, page in app.pages:
        address = signed.pop(path, "")
        if hasattr(page, "screen"):
            address = re.sub(r"{\w+}", NOBODYS, path)
        elif path == "/" or path.startswith(OF_NO_BUSINESS):
            continue
        assert address, f"{plugin}: {path} belongs to a business, or to none: say here which"
        app.clock.move(seconds=30)  # to stay within the limit of one address
        with used_up(app, client.tenant_id, monkeypatch):
            refused = browser.web.get(address, status="*")
            assert refused.status_int == 429 and refused.headers["Retry-After"] == "1", path
            assert "please try again" in refused.text, path
        assert browser.web.get(address, status="*").status_int != 429, path
        shown += 1
    assert signed == {} and shown > 30
    assert app.shares._queues == {}


@pytest.mark.whole
def test_an_app_has_a_share_of_its_own_for_its_tokens(make_app, monkeypatch):
    from billycan_apps.testing import OAuthApp

    app = make_app("apps", "contacts", "dashboard", "users", "webhooks")
    oauth = OAuthApp(Client(app))
    tokens = oauth.tokens()
    with used_up(app, oauth.credentials()["client_id"], monkeypatch):
        refused = oauth.refresh(tokens["refresh_token"], 429)
        assert refused["error"] == "temporarily_unavailable"
    oauth.refresh(tokens["refresh_token"])


@contextmanager
def nobody_writes(app):
    """While the block runs, every request that makes a contact waits."""
    with app.db.writing() as db:
        if not app.db.is_sqlite:
            db.exec_driver_sql("LOCK TABLE contacts IN EXCLUSIVE MODE")
        yield


def send(port, client, method, path, body=""):
    """Send a request and receive nothing; return its connection."""
    connection = socket.create_connection(("127.0.0.1", port), SECONDS)
    head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {client.secret}\r\nConnection: close\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    connection.sendall(head.encode())
    return connection


def received(connection):
    """Return the answer's status and JSON, and close the connection."""
    with closing(connection):
        response = http.client.HTTPResponse(connection)
        response.begin()
        return response.status, json.loads(response.read())


def are_readable(connections, number):
    """Wait until this many connections have an answer, and return them."""
    while len(found := readable(connections, SECONDS)) < number:
        pass
    return found


@pytest.mark.parametrize("worker_class", ["gthread", pytest.param("gevent", marks=pytest.mark.long)])
def test_a_business_whose_requests_wait_holds_up_no_other(engine, databases, tmp_path, worker_class):
    """Forty requests of one business wait for a lock in a process of eight places; meanwhile others are answered."""
    if worker_class == "gevent":
        pytest.importorskip("gevent")
    environ = {"worker_class": worker_class, "threads": "8", "pool_size": "4"}
    with serving(databases.empty(engine), ["contacts"], tmp_path, workers=1, **environ) as server:
        noisy, quiet = Client(server.app), Client(server.app)
        most = 1 if (engine, worker_class) == ("sqlite", "gevent") else 2
        with nobody_writes(server.app):
            asked = [send(server.port, noisy, "POST", "/v1/contacts", '{"name": "Ada"}') for _ in range(40)]
            for each in are_readable(asked, 40 - most - shares.MOST_WAITING):
                asked.remove(each)
                status, answer = received(each)
                assert (status, answer["error"]["code"]) == (429, "too_many_at_once")
            for path in ("/-/health", "/-/ready"):
                assert server.call(Call("GET", path)).status == 200
            for _ in range(10):
                assert server.call(Call("GET", "/v1/contacts", headers=quiet.headers)).status == 200
            assert len(asked) >= most
        statuses = [received(each)[0] for each in asked]
        # On a busy machine some may have waited too long.
        assert 201 in statuses and set(statuses) <= {201, 429, 503}
        for client in (noisy, quiet):
            assert server.call(Call("POST", "/v1/contacts", {"name": "Ada"}, client.headers)).status == 201
