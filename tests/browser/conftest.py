"""Fixtures for tests of pages: a browser, an app that it reaches, and people who use it."""

import re
import shutil
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait
from webtest.http import StopableWSGIServer

from billycan import demo
from billycan.starting.packages import first_party
from billycan.testing import Client

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--lang=en-AU",
    "--disable-ipc-flooding-protection",  # which drops visits if there are more than 200 in ten seconds
)  # fmt: skip
AXE = Path(__file__).parent / "axe"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Leave what a browser does to the long tests."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    if not (CHROMIUM and DRIVER):
        pytest.skip("Pages were NOT TESTED in a browser: apt-get install -y chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    found = webdriver.Chrome(options, Service(DRIVER))
    found.set_script_timeout(110)  # for axe on a busy machine; whoever asks the browser waits for it two minutes
    yield found
    found.quit()


@pytest.fixture(scope="module")
def browser(chromium):
    """Return the browser of this run, which starts once; leave it to the next file as it was."""
    yield chromium
    chromium.get("about:blank")
    chromium.delete_all_cookies()
    chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    chromium.execute_cdp_cmd("Browser.resetPermissions", {})


@pytest.fixture(params=[pytest.param(True, id="with JavaScript"), pytest.param(False, id="without")])
def scripted(browser, request):
    """Run the test twice, with and without scripts in pages; tell whether they run."""
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not request.param})
    yield request.param
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@pytest.fixture
def serve(browser, make_app):
    """Build an app at localhost, which browsers trust as they do https: `serve("contacts", "users")`.

    Afterwards, fail if the console or the content security policy complained about any page.
    """
    servers = []
    browser.get_log("browser")

    def start(*plugins, **settings):
        # The server has its port before there is an app, which must know it.
        built = []

        def wsgi(environ, start_response):
            return built[0].wsgi(environ, start_response)

        # select() takes no descriptor above 1023, and a long run of tests has so many.
        servers.append(StopableWSGIServer.create(wsgi, host="127.0.0.1", port=0, asyncore_use_poll=True))
        public_url = f"http://localhost:{servers[-1].effective_port}"
        built.append(make_app(*plugins, public_url=public_url, **settings))
        return built[0]

    yield start
    browser.get("about:blank")
    browser.delete_all_cookies()
    for server in servers:
        server.shutdown()
    assert [e["message"] for e in browser.get_log("browser") if e["source"] != "network"] == []


class Person:
    """A person who uses the browser."""

    def __init__(self, browser, app):
        self.browser, self.app = browser, app

    def open(self, path):
        self.browser.get(self.app.public_url + path)
        return self

    def type(self, within="main", **values):
        # The page to type into may be on its way.
        wait = WebDriverWait(self.browser, 60, 0.05, [NoSuchElementException, StaleElementReferenceException])
        for name, value in values.items():
            wait.until(
                lambda _, name=name, value=value: self._type(within, name, value), f"there is no {name} to type into"
            )
        return self

    def _type(self, within, name, value):
        field = self.browser.find_element(By.CSS_SELECTOR, f"{within} [name={name}]:not([type=hidden])")
        field.clear()
        field.send_keys(value)
        return True

    def press(self, text, within="main"):
        """Press the first button with this text, or else follow the link or open the details with it."""
        # A page that shows what happens may take over a part of itself at this moment.
        wait = WebDriverWait(self.browser, 60, 0.05, [StaleElementReferenceException])
        assert wait.until(lambda _: [self._press(text, within)]) == [True], f"there is no {text} to press"
        return self

    def _press(self, text, within):
        for kind in ("button", "a", "summary"):
            named = f"//*[self::{within}]//{kind}[normalize-space()='{text}']"
            for found in self.browser.find_elements(By.XPATH, named):
                if kind == "a" and not found.is_displayed():  # in a part of the navigation that is closed
                    for part in found.find_elements(By.XPATH, "ancestor::details[not(@open)]/summary"):
                        if part.is_displayed():
                            part.click()
                if found.is_displayed():
                    found.click()
                    return True
        return False

    def sees(self, *texts):
        """Wait until the page's source contains these texts, which needs no script."""
        for text in texts:
            wait = WebDriverWait(self.browser, 60, 0.05)
            wait.until(lambda _, text=text: text in self.text, f"{text} is not shown")
        return self

    @property
    def text(self):
        return re.sub(r"(<[^>]+>|\s)+", " ", self.browser.page_source)


@pytest.fixture
def works():
    """Let a worker do the work due: `works(app)`."""

    def run(app):
        from billycan_webhooks.dispatch import Dispatcher

        dispatcher = Dispatcher(app)
        dispatcher.sweep()
        while dispatcher.is_busy():
            dispatcher.round()

    return run


@pytest.fixture
def visit(browser):
    """Return a person unknown to the app, in a browser without cookies: `visit(app)`."""

    def enter(app):
        browser.get(app.public_url + "/-/health")
        browser.delete_all_cookies()
        return Person(browser, app)

    return enter


@pytest.fixture
def join(visit):
    """Return a person who has just accepted an invitation: `join(app, client, "owner")`."""

    def enter(app, client, role, name="Ann", **more):
        from billycan_users.people import invite_person
        from billycan_users.testing import PASSWORD

        email = f"{name}@example.com".lower()
        with app.db.writing() as db:
            _, token = invite_person(db, client.tenant_id, email, role, app.now(), **more)
        person = visit(app).open(f"/dashboard/join/{token}")
        return person.type(name=name, password=PASSWORD).press("Accept the invitation").sees("Overview")

    return enter


@pytest.fixture(scope="session")
def axe(fetch_packages):
    """Return the script of axe-core, in the locked version."""
    fetch_packages(AXE, "The accessibility of pages")
    return (AXE / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")


HOSTILE = "<script>document.title='harmed'</script>“Ünïcödé” & 'quotes' \u202e\u2066 {{ 7*7 }} 🙂"
ENDLESS = "W" * 200  # the longest name, without a place to break it


@pytest.fixture
def filled(serve):
    """Return an app with every plugin and the demo's records, and clients of its sandbox and its empty live business.

    In the sandbox one webhook fails and another has no receiver, names are hostile or very long, and something waits
    for the operator.
    """
    from billycan_access import records as access
    from billycan_webhooks.dispatch import Dispatcher

    app = serve(*first_party(), "assets", webhooks={"allow_private": True}, access={"mode": "request"})
    made = demo.first(app)
    box, live = Client(app, made.sandbox), Client(app, made.tenant)
    for name in (HOSTILE, ENDLESS):
        client = box.post("/v1/contacts", {"name": name, "notes": name * 5, "tags": [name[:30]]})["data"]["id"]
        line = {"description": name * 4, "quantity": "9999.99", "unit_price": "9999.99"}
        box.post("/v1/invoices", {"client_id": client, "reference": name[:100], "line_items": [line, line]})
        box.post("/v1/quotes", {"client_id": client, "title": name, "line_items": [line]})
        box.post("/v1/jobs", {"client_id": client, "title": name, "description": name * 5})
        box.post("/v1/assets", {"name": name, "cost": "99999999.99", "custodian_id": client})
        box.post("/v1/staff", {"name": name})
    for description in (HOSTILE, ENDLESS):
        url = f"http://127.0.0.1:1/{'a' * 300}"
        box.post("/v1/webhook_endpoints", {"url": url, "events": ["*"], "description": description})
    box.post("/v1/contacts", {"name": "Told of"})
    columns = ",".join((HOSTILE.partition(" \u202e")[0], ENDLESS))
    box.call("POST", "/v1/imports?resource=contacts", raw=columns.encode(), status=202)
    Dispatcher(app).sweep()
    with app.db.writing() as db:
        access.store_request(db, app, access.Asked(ENDLESS, None, f"{'w' * 60}@example.com", HOSTILE), "192.0.2.1")
    return app, box, live
