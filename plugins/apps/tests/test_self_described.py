"""Apps that describe themselves by a document at their client_id, and tokens that are for one resource alone."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import sqlalchemy as sa

from billycan.testing import Client
from billycan_apps import self_described
from billycan_apps.tables import apps
from billycan_apps.testing import OAuthApp
from billycan_users.testing import Browser

PLUGINS = ("agents", "apps", "contacts", "users", "webhooks", "dashboard")
HOSTILE_URLS = Path(__file__).parents[2] / "webhooks" / "tests" / "hostile_urls.txt"
REDIRECT = "http://127.0.0.1:33418/callback"


@pytest.fixture
def site():
    """A server of somebody else's, with documents by path; it notes what it was asked."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):
            self.server.asked.append(self.path)
            status, headers, body = self.server.answers[self.path]
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    server.asked, server.answers = [], {}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def publish(site, path="/app.json", status=200, headers=None, body=None, **changes):
    """Put a document on the site; return its address."""
    url = f"http://127.0.0.1:{site.server_address[1]}{path}"
    said = {"client_id": url, "client_name": "Model Desk", "redirect_uris": [REDIRECT], **changes}
    document = {name: value for name, value in said.items() if value is not None}
    site.answers[path] = (status, headers or {}, json.dumps(document).encode() if body is None else body)
    return url


def app_at(client, address):
    """Return an app that nobody registered."""
    oauth = OAuthApp(client, redirect_uris=[REDIRECT])
    oauth.id, oauth.secret = address, None
    return oauth


@pytest.fixture
def client(make_app):
    return Client(make_app(*PLUGINS, webhooks={"allow_private": True}))


def test_an_app_that_describes_itself_connects_and_changes_nothing_alone(client, site):
    oauth = app_at(client, publish(site))
    assert oauth.web.get(oauth.asks(), status="*").status_int in (302, 303) and site.asked == []  # signs in first
    page = oauth.person().web.get(oauth.asks(), status=200).text
    host = oauth.id.split("/")[2]
    assert f"describes itself at {host}" in page and "Model Desk" in page and "this device" in page
    app = oauth.connect()
    assert app.get("/v1/me")["data"]["policy"]["mode"] == "propose"
    app.refused(403, "approval_required", "POST", "/v1/contacts", {"name": "Ada"})
    assert app.get("/v1/contacts")["data"] == []
    assert oauth.refresh(app.tokens["refresh_token"])["access_token"]
    assert site.asked == ["/app.json"]  # once, for its answer is kept for a while
    # A freeze and its end leave the policy as it was; an owner may set another.
    path = f"/dashboard/agents/{app.key_id}"
    oauth.person().get("/dashboard/agents")
    assert "Every change is approved first" in oauth.person().page.text
    oauth.person().get(path)
    oauth.person().send(f"{path}/freeze")
    oauth.person().send(f"{path}/unfreeze")
    app.refused(403, "approval_required", "POST", "/v1/contacts", {"name": "Ada"})
    oauth.person().send(path, mode="full", never="", propose="", contacts="")
    app.post("/v1/contacts", {"name": "Ada"})
    # Another business has it for itself; its codes and tokens do not serve the first.
    other = app_at(Client(client.app), oauth.id)
    tokens = other.tokens("sandbox")
    assert client.get("/v1/me")["data"]["tenant"]["id"] != other.client.tenant_id
    assert oauth.post("/oauth/revoke", {"token": tokens["access_token"], **oauth.credentials()}) == {}
    assert other.refresh(tokens["refresh_token"])
    # Disconnected, it is forgotten by the business, and stays the other's.
    oauth.person().get("/dashboard/connections")
    oauth.person().send(f"/dashboard/connections/{app.key_id}/disconnect")
    app.refused(401, "invalid_api_key", "GET", "/v1/me")
    with client.app.db.reading() as db:
        found = db.execute(sa.select(apps.c.business_id).where(apps.c.address == oauth.id)).scalars().all()
    assert found == [other.client.tenant_id]


def test_its_row_is_no_app_of_the_business_by_its_id(client, site):
    oauth = app_at(client, publish(site))
    app = oauth.connect()
    row = app.get("/v1/me")["data"]["app"]["id"]
    oauth.id = row
    assert "There is no app" in oauth.person().web.get(oauth.asks(), status=400).text
    assert oauth.refresh(app.tokens["refresh_token"], 401)["error"] == "invalid_client"
    assert row not in Browser(client.app).join(client, "owner", "o2@example.com").get("/dashboard/apps").text


@pytest.mark.sqlite_alone
def test_a_document_that_is_wrong_describes_nothing(client, site):
    wrong = {
        "another's": publish(site, "/a.json", client_id="https://other.example/app.json"),
        "secret": publish(site, "/b.json", client_secret="x"),
        "proves itself": publish(site, "/c.json", token_endpoint_auth_method="private_key_jwt"),
        "no name": publish(site, "/d.json", client_name=None),
        "turned name": publish(site, "/e.json", client_name="Mo\u202edel"),
        "no redirect": publish(site, "/f.json", redirect_uris=[]),
        "javascript": publish(site, "/g.json", redirect_uris=["javascript:alert(1)"]),
        "wildcard": publish(site, "/h.json", redirect_uris=["https://*.example.com/cb"]),
        "no code": publish(site, "/i.json", grant_types=["client_credentials"]),
        "no JSON": publish(site, "/j.json", body=b"<html>"),
        "a list": publish(site, "/k.json", body=b"[]"),
        "not told to be JSON": publish(site, "/l.json", headers={"Content-Type": "text/html"}),
        "missing": publish(site, "/m.json", status=404),
        "elsewhere": publish(site, "/n.json", status=302, headers={"Location": "/app.json"}),
        "vast": publish(site, "/o.json", client_name="x" * 20_000),
        "root": publish(site, "/"),
        "dots": publish(site, "/x/../app.json"),
        "numbers": publish(site, "/p.json", redirect_uris=[1]),
        "deep": publish(site, "/q.json", body=b"[" * 9_000),
    }
    person = Browser(client.app).join(client)
    for name, address in wrong.items():
        page = person.web.get(app_at(client, address).asks(), status=400).text
        assert "description at" in page or "client_id" in page, name
    assert "/app.json" not in site.asked  # no redirect is followed
    # An answer goes nowhere but where the document says.
    good = app_at(client, publish(site, "/z.json"))
    person.web.get(good.asks(redirect_uri="https://evil.example/cb"), status=400)


@pytest.mark.sqlite_alone
def test_nothing_is_fetched_from_inside(make_app, monkeypatch):
    """The addresses that webhooks refuse, and names that lead to them."""
    from billycan_webhooks import sender  # where webhooks is not installed, nothing is fetched

    client = Client(make_app(*PLUGINS))
    person = Browser(client.app).join(client)
    connected = []
    monkeypatch.setattr("socket.create_connection", lambda address, *_, **__: connected.append(address))
    hostile = [url for url in HOSTILE_URLS.read_text("utf-8").split() if url.startswith(("http:", "https:"))]
    for url in [*hostile, *(f"{url.rstrip('/')}/app.json" for url in hostile)]:
        with pytest.raises(self_described.Unreadable):
            self_described.find_described(client.app, url, client.tenant_id)
    for answer in ("127.0.0.1", "169.254.169.254", "10.0.0.1", "::1", "::ffff:127.0.0.1"):
        monkeypatch.setattr(sender, "look_up", lambda host, port, found=answer: ["93.184.216.34", found])
        person.web.get(app_at(client, "https://app.example.com/app.json").asks(), status=400)
    assert connected == []


@pytest.mark.sqlite_alone
def test_it_is_taken_only_where_what_it_does_can_be_held_back(make_app, client):
    described = "/.well-known/oauth-authorization-server"
    assert client.web.get(described).json["client_id_metadata_document_supported"] is True
    alone = Client(make_app(*PLUGINS[1:], webhooks={"allow_private": True}))
    assert alone.web.get(described).json["client_id_metadata_document_supported"] is False
    person = Browser(alone.app).join(alone)
    asks = app_at(alone, "https://app.example.com/app.json").asks()
    assert "has to register it" in person.web.get(asks, status=400).text


def test_a_token_opens_only_the_resource_that_it_was_asked_for(client):
    url = client.app.public_url
    oauth = OAuthApp(client)
    discover = {"jsonrpc": "2.0", "id": 1, "method": "ping"}

    def opens(tokens):
        """Tell whether a token opens /v1, and /mcp."""
        headers = {"Authorization": f"Bearer {tokens['access_token']}"}
        of_api = client.web.get("/v1/contacts", headers=headers, status="*")
        of_mcp = client.web.post_json("/mcp", discover, headers=headers, status="*")
        for each in (of_api, of_mcp):
            if each.status_int == 401:
                assert 'error="invalid_token"' in each.headers["WWW-Authenticate"]
        return of_api.status_int == 200, of_mcp.status_int == 200

    assert opens(oauth.tokens()) == (True, True)
    assert opens(oauth.tokens(resource=url)) == opens(oauth.tokens(resource=f"{url}/")) == (True, True)
    code = oauth.consents(resource=f"{url}/mcp")["code"]
    mcp = oauth.redeem(code, resource=f"{url.upper().replace('HTTP', 'http')}/mcp/")
    assert opens(mcp) == (False, True)
    again = oauth.refresh(mcp["refresh_token"])
    assert opens(again) == (False, True)
    assert oauth.refresh(again["refresh_token"], 400, resource=f"{url}/v1")["error"] == "invalid_target"
    assert opens(oauth.refresh(again["refresh_token"], resource=f"{url}/mcp")) == (False, True)
    assert opens(oauth.tokens(resource=f"{url}/v1")) == (True, False)
    # The app may say so when it redeems the code, too, but not take another.
    assert opens(oauth.redeem(oauth.consents()["code"], resource=f"{url}/mcp")) == (False, True)
    code = oauth.consents(resource=f"{url}/mcp")["code"]
    assert oauth.redeem(code, 400, resource=f"{url}/v1")["error"] == "invalid_target"
    assert opens(oauth.redeem(code)) == (False, True)
    elsewhere = (
        "https://other.example/mcp",
        f"{url}.evil.example",
        f"{url}/mcp#x",
        f"{url}/v1/../mcp",
        "mcp",
        "http://[",
    )
    for other in elsewhere:
        answer = oauth.person().web.get(oauth.asks(resource=other), status=303)
        assert "error=invalid_target" in answer.headers["Location"], other
        assert oauth.redeem(oauth.consents()["code"], 400, resource=other)["error"] == "invalid_target"
