"""Webhooks debugged in a real browser: made, failing, found, understood, mended, replayed; with JavaScript off, too."""

import re
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait
from webtest.http import StopableWSGIServer

from billycan.testing import Client
from billycan_users.people import invite
from billycan_users.testing import PASSWORD
from billycan_webhooks.dispatch import Dispatcher

pytestmark = pytest.mark.either


@pytest.fixture
def place(browser, make_app):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://localhost:{port}"
    hooks = {"allow_private": True, "timeout_seconds": 0.8}
    app = make_app("contacts", "dashboard", "users", "webhooks", fresh=True, public_url=url, webhooks=hooks)
    server = StopableWSGIServer.create(app.wsgi, host="127.0.0.1", port=port)
    yield app
    browser.get("about:blank")
    server.shutdown()


@pytest.fixture
def receiver():
    """Answers with `answer`: a status, or None for far too late."""
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            if server.answer is None:
                over.wait(5)
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


class Developer:
    """Somebody before the screen, who has just accepted an invitation."""

    def __init__(self, browser, app, client):
        self.browser, self.app, self.dispatcher = browser, app, Dispatcher(app)
        with app.db.writing() as db:
            _, token = invite(db, client.tenant_id, "dev@example.com", "developer", app.now())
        browser.delete_all_cookies()
        self.open(f"/dashboard/join/{token}")
        for name, value in (("name", "Dee"), ("password", PASSWORD)):
            browser.find_element(By.NAME, name).send_keys(value)
        self.press("Accept the invitation")
        self.sees("Overview")

    def open(self, path):
        self.browser.get(self.app.public_url + path)

    def press(self, text):
        found = self.browser.find_elements(By.XPATH, f"//main//button[normalize-space()='{text}']")
        next(button for button in found if button.is_displayed()).click()

    def sees(self, *texts):
        for text in texts:
            WebDriverWait(self.browser, 20, 0.05).until(lambda b, t=text: t in b.page_source, f"{text} is not shown")

    def drain(self):
        """Let a worker do what is due."""
        self.dispatcher.sweep()
        while self.dispatcher.is_busy():
            self.dispatcher.round()


@pytest.mark.parametrize("scripted", [True, False], ids=["with JavaScript", "without"])
def test_a_receiver_that_fails_is_found_understood_mended_and_replayed(browser, place, receiver, scripted):
    client, port = Client(place), receiver.server_port
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not scripted})
    try:
        developer = Developer(browser, place, client)
        developer.open("/dashboard/webhooks")
        browser.find_element(By.NAME, "url").send_keys(f"http://127.0.0.1:{port}/hooks")
        browser.find_element(By.CSS_SELECTOR, "[name=events][value='*']").click()
        developer.press("Add the endpoint")
        developer.sees("The endpoint's secret")
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
            developer.drain()
            developer.open(f"/dashboard/deliveries?endpoint_id={endpoint}&status=pending")
            browser.find_element(By.CSS_SELECTOR, "td a.whole").click()
            developer.sees(told, "attempt 2 of 4", "The signature, step by step")
            assert "hostile" not in browser.title and secret not in browser.page_source
        receiver.answer = 200
        client.patch(f"/v1/webhook_endpoints/{endpoint}", {"url": f"http://127.0.0.1:{port}/"})
        developer.press("Replay")
        developer.sees("It is sent again")
        developer.drain()
        if not scripted:
            browser.refresh()
        developer.sees("Received at attempt 1")
        developer.open(f"/dashboard/replays?endpoint_id={endpoint}&status=pending")
        developer.press("Replay them")
        developer.sees("5</strong> done")
        developer.drain()
        developer.open(f"/dashboard/deliveries?endpoint_id={endpoint}&status=delivered")
        assert len(browser.find_elements(By.CSS_SELECTOR, "td a.whole")) == 6
        said = [entry["message"] for entry in browser.get_log("browser") if entry["level"] != "INFO"]
        assert said == []
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
