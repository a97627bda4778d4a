"""A real receiver on loopback, which verifies what arrives with the public standardwebhooks package."""

import json
import threading
import time
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest import mock

import pytest
import standardwebhooks.webhooks as package

from billycan.testing import Client
from billycan_webhooks.dispatch import Dispatcher


class Receiver:
    """`answers` gives the status of each request in turn, the last one for ever; a function answers by itself."""

    def __init__(self, *answers):
        self.answers = list(answers) or [204]
        self.requests, self.active, self.most_active, self.secrets = [], 0, 0, set()
        lock, outer = threading.Lock(), self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with lock:
                    self.active = 1
                    outer.active += 1
                    outer.most_active = max(outer.most_active, outer.active)
                    outer.requests.append((dict(self.headers), body, self.path))
                    answer = outer.answers.pop(0) if len(outer.answers) > 1 else outer.answers[0]
                try:
                    if callable(answer):
                        answer(self)
                    else:
                        self.send_response(answer)
                        self.send_header("Content-Length", "0")
                        self.end_headers()
                finally:
                    self.leave()

            do_GET = do_POST

            def leave(self):
                with lock:
                    outer.active -= self.active
                    self.active = 0

            def send_response(self, *args):
                # Whoever has its answer may send the next before this thread gets on.
                self.leave()
                super().send_response(*args)

            def log_message(self, *args):
                pass

        class Server(ThreadingHTTPServer):
            request_queue_size = 128
            daemon_threads = True

            def handle_error(self, *args):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        self.url = f"http://127.0.0.1:{self.port}/hooks"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    @property
    def events(self):
        return [json.loads(body)["event"] for _, body, _ in self.requests]

    def verified(self, secret, i=-1):
        """The payload of a request, verified by standardwebhooks at the moment it says."""
        headers, body, _ = self.requests[i]
        then = datetime.fromtimestamp(int(headers["webhook-timestamp"]), UTC)
        with mock.patch.object(package, "datetime", mock.Mock(wraps=datetime, now=lambda tz: then)):
            return package.Webhook(secret).verify(body.decode(), headers)

    def verifies(self, secret, i):
        try:
            return bool(self.verified(secret, i))
        except package.WebhookVerificationError:
            return False

    def wait(self, count, seconds=120.0):
        """Wait until so many have arrived; the sweep, which finds what lost its hint, comes each minute."""
        end = time.monotonic() + seconds
        while len(self.requests) < count and time.monotonic() < end:
            time.sleep(0.005)
        assert len(self.requests) >= count, f"{len(self.requests)} of {count} arrived"


@pytest.fixture
def receive():
    """Start a receiver: `receive(500, 200)`. In the end all it got must verify with one of its endpoints' secrets."""

    def start(*answers):
        start.all.append(Receiver(*answers))
        return start.all[-1]

    start.all = []
    yield start
    for receiver in start.all:
        receiver.close()
        for i in range(len(receiver.requests) if receiver.secrets else 0):
            assert any(receiver.verifies(secret, i) for secret in receiver.secrets), receiver.requests[i]


@pytest.fixture
def hooks(make_app):
    """An app with contacts and webhooks that may deliver to loopback, on a database of its own."""

    def make(walled=True, **settings):
        return make_app("contacts", "webhooks", fresh=True, walled=walled, webhooks={"allow_private": True, **settings})

    return make


@pytest.fixture
def dispatcher():
    """Return a dispatcher of an app, which runs only when a test runs it."""
    made = {}

    def of(app):
        return made.setdefault(app, Dispatcher(app))

    return of


@pytest.fixture
def drain(dispatcher):
    """Do what a worker would now: sweep, and round after round until nothing is due."""

    def run(app):
        dispatcher(app).sweep()
        while dispatcher(app).is_busy():
            dispatcher(app).round()

    return run


@pytest.fixture
def subscribe(receive):
    """An endpoint of a client's: its record, with the secret."""

    def make(client, url, *events, **more):
        made = client.post("/v1/webhook_endpoints", {"url": url, "events": list(events or ["*"]), **more})["data"]
        for receiver in receive.all:
            if receiver.url == url:
                receiver.secrets.add(made["secret"])
        return made

    return make


@pytest.fixture
def business():
    return Client
