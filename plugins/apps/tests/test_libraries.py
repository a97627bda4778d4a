"""Libraries that others wrote connect to a real server: requests-oauthlib, by way of the example, and oauth4webapi."""

import importlib.util
import json
import re
import subprocess
import threading
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from socketserver import ThreadingMixIn
from unittest import mock
from urllib.parse import urlsplit
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest
import requests
import standardwebhooks.webhooks as package
from requests_oauthlib import OAuth2Session

from billycan.testing import Client, throwaway
from billycan_apps.testing import OAuthApp
from billycan_webhooks.dispatch import Dispatcher

pytestmark = pytest.mark.sqlite_alone

ROOT = Path(__file__).parents[3]
FOLDER = Path(__file__).parent / "oauth4webapi"
PLUGINS = ("apps", "contacts", "documents", "hosted", "invoices", "users", "dashboard", "webhooks")


class Quiet(WSGIRequestHandler):
    def log_message(self, *args):
        pass


class Threaded(ThreadingMixIn, WSGIServer):
    daemon_threads = True


@contextmanager
def running(server):
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def client(make_app):
    """A business of a server that is reached over HTTP, at its public URL."""
    with (
        make_server("127.0.0.1", 0, None, server_class=Threaded, handler_class=Quiet) as server,
        running(server) as url,
    ):
        app = make_app(*PLUGINS, public_url=url, webhooks={"allow_private": True})
        server.set_app(app.wsgi)
        yield Client(app)


def led_to(oauth, to, scopes=None):
    """Return the URL that a person who consents, to some scopes or all, is redirected to."""
    page = oauth.person().web.get(f"{urlsplit(to).path}?{urlsplit(to).query}", status=200)
    form = next(form for form in page.forms.values() if "environment" in form.fields)
    for tick in form.fields["scope"] if scopes else ():
        tick.checked = tick._value in scopes
    return form.submit("decision", value="allow", status=303).headers["Location"]


def test_the_example_connects_lists_invoices_and_hears_of_them(client, monkeypatch, clock):
    # What verifies a delivery goes by the wall clock, and the app by the test's.
    monkeypatch.setattr(package, "datetime", mock.Mock(wraps=datetime, now=lambda tz: clock.time))
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    spec = importlib.util.spec_from_file_location("connect", ROOT / "examples" / "connect" / "connect.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    held = throwaway.hold_port()
    here = f"http://127.0.0.1:{held.getsockname()[1]}"
    oauth = OAuthApp(client, *example.SCOPES, redirect_uris=[f"{here}/callback"])
    app = example.App(client.app.public_url, oauth.id, oauth.secret, here)
    pages = example.server(app, held.getsockname()[1])
    held.close()
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    body = {"client_id": contact, "line_items": [{"description": "Tap", "unit_price": "10.00"}]}
    client.post("/v1/invoices", body)
    with running(pages):
        assert "Connect your business" in requests.get(here, timeout=60).text
        to = requests.get(f"{here}/connect", allow_redirects=False, timeout=60).headers["Location"]
        back = led_to(oauth, to)
        assert requests.get(back.replace("state=", "state=x"), timeout=60).status_code == 400
        assert "INV-0001: $11.00 draft" in requests.get(back, timeout=60).text
        client.post("/v1/invoices", body)
        dispatcher = Dispatcher(client.app)
        dispatcher.sweep()
        while dispatcher.is_busy():
            dispatcher.round()
        assert "invoice.created INV-0002" in requests.get(here, timeout=60).text
        # The library refreshes by its own clock; to it the token is over.
        app.session.token = {**app.session.token, "expires_at": 1}
        old = app.session.token["refresh_token"]
        assert "INV-0002" in requests.get(here, timeout=60).text
        assert app.session.token["refresh_token"] != old
        requests.post(f"{here}/hooks", data=b"{}", timeout=60)
        assert app.heard == ["invoice.created INV-0002"]
        # Somebody connects again, and lets it listen no more; then they let it see nothing at all.
        for scopes, said in ((["invoices:read"], "nothing: This key lacks"), (["webhooks:read"], "Connect again")):
            to = requests.get(f"{here}/connect", allow_redirects=False, timeout=60).headers["Location"]
            assert said in requests.get(led_to(oauth, to, scopes), timeout=60).text


def test_the_document_connects_a_business(client, monkeypatch, tmp_path, capsys):
    pytest.importorskip("billycan_client", reason="The client was NOT TESTED: not installed")
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    monkeypatch.chdir(tmp_path)
    oauth = OAuthApp(client, "invoices:read", redirect_uris=["http://127.0.0.1:5000/callback"])
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    lines = [{"description": "Tap", "unit_price": "10.00"}]
    client.post("/v1/invoices", {"client_id": contact, "line_items": lines})
    text = (ROOT / "docs" / "apps.md").read_text("utf-8").replace("https://api.example.com", client.app.public_url)
    known = {"CLIENT_ID": oauth.id, "CLIENT_SECRET": oauth.secret}
    for block in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        exec(block, known)
        if "authorization_url" in block:
            known["url_of_the_request"] = led_to(oauth, known["url"])
        if "app.begin" in block:
            known["url_of_the_request"] = led_to(oauth, known["begun"].url)
    assert [invoice["number"] for invoice in known["invoices"]] == ["INV-0001"]
    assert "INV-0001 11.00" in capsys.readouterr().out


def test_a_business_that_takes_a_scope_away_is_connected_all_the_same(client, monkeypatch):
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    monkeypatch.setenv("OAUTHLIB_RELAX_TOKEN_SCOPE", "1")
    oauth = OAuthApp(client, redirect_uris=["http://127.0.0.1:5000/callback"])
    here = {"redirect_uri": oauth.edition.redirect_uris[0], "scope": oauth.edition.scopes}
    session = OAuth2Session(oauth.id, pkce="S256", **here)
    url, _ = session.authorization_url(f"{client.app.public_url}/oauth/authorize")
    page = oauth.person().web.get(f"{urlsplit(url).path}?{urlsplit(url).query}")
    form = next(form for form in page.forms.values() if "environment" in form.fields)
    next(tick for tick in form.fields["scope"] if tick._value == "contacts:write").checked = False
    back = form.submit("decision", value="allow", status=303).headers["Location"]
    how = {"client_secret": oauth.secret, "include_client_id": True}
    token = session.fetch_token(f"{client.app.public_url}/oauth/token", authorization_response=back, **how)
    assert token["scope"] == ["contacts:read"]


@pytest.fixture(scope="module")
def node(fetch_packages):
    return fetch_packages(FOLDER, "oauth4webapi")


@pytest.mark.parametrize("is_public", [False, True])
def test_oauth4webapi_discovers_connects_refreshes_calls_and_revokes(client, node, is_public):
    oauth = OAuthApp(client, is_public=is_public, redirect_uris=["http://127.0.0.1:1/cb"])
    given = (client.app.public_url, oauth.id, oauth.secret or "none", "http://127.0.0.1:7/cb", "contacts:read")
    process = subprocess.Popen(
        [node, "client.mjs", *given], cwd=FOLDER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        to = json.loads(process.stdout.readline())["to"]
        out, _ = process.communicate(led_to(oauth, to) + "\n", timeout=60)
    finally:
        process.kill()
        process.wait()
    told = json.loads(out)
    assert told["scope"] == "contacts:read" and told["rotated"]
    assert told["before"]["data"]["app"]["id"] == oauth.id
    assert told["after"]["error"]["code"] == "invalid_api_key"


def test_the_lock_names_hashes_and_no_place():
    packages = json.loads((FOLDER / "package-lock.json").read_text("utf-8"))["packages"]
    assert not [name for name, package in packages.items() if "resolved" in package]
    assert all("integrity" in package for name, package in packages.items() if name)
