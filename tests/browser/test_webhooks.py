"""Webhooks debugged in a real browser: made, failing, found, understood, mended, replayed; with JavaScript off, too."""

import re
import threading
from contextlib import contextmanager, nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import msgspec
import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from billycan.testing import Client
from billycan_webhooks.settings import Settings

pytestmark = pytest.mark.sqlite_alone


@pytest.fixture
def receiver():
    """Run a receiver that answers with `answer`: a status, or None for far too late."""
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            if server.answer is None:
                over.wait(60)
                return
            self.send_response(server.answer)
            self.end_headers()
            self.wfile.write(b"<script>document.title = 'hostile'</script>")

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads, server.answer = True, 401
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield server
    over.set()
    server.shutdown()
    server.server_close()


@contextmanager
def impatient(app):
    """While the block runs, a worker of the app waits half a second for an answer."""
    as_set = app.plugin_settings[Settings]
    app.plugin_settings[Settings] = msgspec.structs.replace(as_set, timeout_seconds=0.5)
    yield
    app.plugin_settings[Settings] = as_set


def test_a_receiver_that_fails_is_found_understood_mended_and_replayed(scripted, browser, serve, join, works, receiver):
    hooks = {"allow_private": True, "timeout_seconds": 60, "lease_seconds": 90}
    place = serve("contacts", "dashboard", "users", "webhooks", webhooks=hooks)
    client, port = Client(place), receiver.server_port
    developer = join(place, client, "developer").press("Live", within="body")
    WebDriverWait(browser, 60).until(lambda _: not browser.find_elements(By.CSS_SELECTOR, "body.sandbox"))
    developer.open("/dashboard/webhooks").type(url=f"http://127.0.0.1:{port}/hooks")
    browser.find_element(By.CSS_SELECTOR, "[name=events][value='*']").click()
    developer.press("Add the endpoint").sees("The endpoint's secret")
    secret = re.search(r"whsec_[\w+/=]{40,}", browser.page_source)[0]
    endpoint = client.get("/v1/webhook_endpoints")["data"][0]["id"]
    for answer, url, told in (
        (401, f"http://127.0.0.1:{port}/", "most likely its check of the signature fails"),
        (500, f"http://127.0.0.1:{port}/", "It answered 500"),
        (None, f"http://127.0.0.1:{port}/", "time ran out while waiting for the response"),
        (200, f"https://127.0.0.1:{port}/", "No safe connection could be made"),
        (200, "https://no-such-host.invalid/", "The host name in the URL has no address"),
    ):
        client.patch(f"/v1/webhook_endpoints/{endpoint}", {"url": url})
        receiver.answer = answer
        client.post("/v1/contacts", {"name": "Ada"})
        with impatient(place) if answer is None else nullcontext():
            works(place)
        developer.open(f"/dashboard/deliveries?endpoint_id={endpoint}&status=pending")
        browser.find_element(By.CSS_SELECTOR, "td a.whole").click()
        developer.sees(told, "attempt 2 of 4", "The signature, step by step")
        assert "hostile" not in browser.title and secret not in browser.page_source
    receiver.answer = 200
    client.patch(f"/v1/webhook_endpoints/{endpoint}", {"url": f"http://127.0.0.1:{port}/"})
    developer.press("Replay").sees("It is sent again")
    works(place)
    if not scripted:
        browser.refresh()
    developer.sees("Received at attempt 1")
    developer.open(f"/dashboard/replays?endpoint_id={endpoint}&status=pending").press("Replay them").sees("5 done")
    works(place)
    developer.open(f"/dashboard/deliveries?endpoint_id={endpoint}&status=delivered")
    assert len(browser.find_elements(By.CSS_SELECTOR, "td a.whole")) == 6
