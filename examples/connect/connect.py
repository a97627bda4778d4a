"""A small app that businesses connect: it lists their invoices, and receives events about them.

    pip install requests-oauthlib standardwebhooks
    CLIENT_ID=app_… CLIENT_SECRET=ocs_… python examples/connect/connect.py --url http://127.0.0.1:8000 --port 5000

Register it with the redirect URI http://127.0.0.1:5000/callback and the scopes below, then open http://127.0.0.1:5000.
It contains nothing of billycan but the address: public packages do the rest.
"""

import argparse
import os
import secrets
from decimal import Decimal
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl

import requests
from oauthlib.oauth2 import OAuth2Error
from requests_oauthlib import OAuth2Session
from standardwebhooks import Webhook

os.environ.setdefault(
    "OAUTHLIB_RELAX_TOKEN_SCOPE", "1"
)  # people may remove scopes, which oauthlib would report as an error
SCOPES = ["invoices:read", "webhooks:read", "webhooks:write"]


class Refused(Exception):
    """The API refused a call; the message says why."""


class App:
    """One connected business. A real app stores tokens and secrets in a database, for each business that connects."""

    def __init__(self, url: str, client_id: str, client_secret: str, here: str) -> None:
        self.url, self.client_id, self.client_secret, self.here = url, client_id, client_secret, here
        self.server = requests.get(f"{url}/.well-known/oauth-authorization-server", timeout=10).json()
        # By state, so that only flows started here can finish. A real app binds the state to the browser by a cookie.
        self.begun: dict[str, OAuth2Session] = {}
        self.session: Any = None
        self.webhook: Any = None
        self.heard: list[str] = []

    def connect(self) -> str:
        """Return the address of the page where the person consents or refuses."""
        session = OAuth2Session(self.client_id, redirect_uri=f"{self.here}/callback", scope=SCOPES, pkce="S256")
        url, state = session.authorization_url(self.server["authorization_endpoint"], secrets.token_urlsafe(16))
        self.begun[state] = session
        return str(url)

    def finish(self, state: str, issuer: str, answered: str) -> None:
        """Exchange the code; from then on the session refreshes tokens itself, and `keep` stores them."""
        session = self.begun.pop(state)
        if issuer != self.server["issuer"]:
            raise ValueError("the answer is another server's")
        how = {"client_secret": self.client_secret, "include_client_id": True}
        session.token = session.fetch_token(self.server["token_endpoint"], authorization_response=answered, **how)
        who = {"client_id": self.client_id, "client_secret": self.client_secret}
        self.session = OAuth2Session(
            self.client_id,
            token=session.token,
            auto_refresh_url=self.server["token_endpoint"],
            auto_refresh_kwargs=who,
            token_updater=self.keep,
        )
        self.heard = []
        try:
            self.listen()
        except Refused as why:  # people may remove that scope, and the server may not reach this address
            self.heard.append(f"nothing: {why}")

    def keep(self, token: Any) -> None:
        """Store the new pair of tokens before using it."""
        self.session.token = token

    def listen(self) -> None:
        """Subscribe to events of invoices, once, however often the business connects."""
        for mine in self.call("GET", "/v1/webhook_endpoints"):
            self.call("DELETE", f"/v1/webhook_endpoints/{mine['id']}")
        made = self.call("POST", "/v1/webhook_endpoints", {"url": f"{self.here}/hooks", "events": ["invoice.*"]})
        self.webhook = Webhook(made["secret"])

    def invoices(self) -> list[Any]:
        return list(self.call("GET", "/v1/invoices?sort=-number"))

    def hear(self, body: bytes, headers: dict[str, str]) -> None:
        """Receive a delivery. Raise WebhookVerificationError unless it is the server's."""
        event = self.webhook.verify(body, headers)
        self.heard.append(f"{event['event']} {event['data']['number']}")

    def call(self, method: str, path: str, body: Any = None) -> Any:
        answer = self.session.request(method, self.url + path, json=body, timeout=10)
        said = answer.json(parse_float=Decimal)  # money is exact
        if said["error"]:
            raise Refused(said["error"]["message"])
        return said["data"]


def server(app: App, port: int) -> ThreadingHTTPServer:
    """Return a server of the app's pages, on loopback."""

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            if path == "/connect":
                return self.answer(303, location=app.connect())
            if path == "/callback":
                given = dict(parse_qsl(query))
                if "error" in given or given.get("state") not in app.begun:
                    return self.answer(400, f"Not connected: {given.get('error', 'this was begun elsewhere')}")
                app.finish(given["state"], given.get("iss", ""), app.here + self.path)
                return self.answer(303, location="/")
            if app.session is None:
                return self.answer(200, '<a href="/connect">Connect your business</a>', is_html=True)
            try:
                listed = app.invoices()
            except (Refused, OAuth2Error) as why:  # the business may have disconnected the app
                return self.answer(200, f'{escape(str(why))} <a href="/connect">Connect again</a>', is_html=True)
            rows = "".join(f"<li>{escape(i['number'])}: ${i['total']} {escape(i['status'])}</li>" for i in listed)
            heard = "".join(f"<li>{escape(each)}</li>" for each in app.heard)
            return self.answer(200, f"<h1>Invoices</h1><ul>{rows}</ul><h2>Heard</h2><ul>{heard}</ul>", is_html=True)

        def do_POST(self) -> None:
            body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), 4 * 1024 * 1024))
            try:
                app.hear(body, dict(self.headers))
            except Exception as error:  # noqa: BLE001 - any malformed delivery gets one answer
                return self.answer(401, f"refused: {error}")
            return self.answer(204)

        def answer(self, status: int, text: str = "", location: str = "", *, is_html: bool = False) -> None:
            body = text.encode()
            self.send_response(status)
            if location:
                self.send_header("Location", location)
            self.send_header("Content-Type", f"text/{'html' if is_html else 'plain'}; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Log nothing: the pages show enough."""

    return ThreadingHTTPServer(("127.0.0.1", port), Pages)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument("--port", type=int, default=5000)
    given = parser.parse_args()
    if given.url.startswith("http:"):
        os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"  # for a server on this machine; everywhere else use https
    here = f"http://127.0.0.1:{given.port}"
    serving = server(App(given.url, os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"], here), given.port)
    print(f"open {here}", flush=True)
    serving.serve_forever()
