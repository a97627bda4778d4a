"""The explorer in a real browser against real processes: everything that a person sees, types and presses."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import closing
from decimal import Decimal

import msgspec
import pytest
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.wait import WebDriverWait
from webtest.http import StopableWSGIServer

from billycan import demo
from billycan.app import App
from billycan.hosting.served import serving
from billycan.starting.plugins import first_party
from billycan.starting.settings import Config
from billycan.testing import Client
from billycan_agents.testing import agent_of
from billycan_users.testing import Browser

PLUGINS = ("attachments", "contacts", "documents", "explorer", "hosted", "invoices", "requests", "staff", "users")
DESK, PHONE = (1440, 900), (390, 844)
SECONDS = 60
EVIL = '<img src=x onerror="window.harmed=1"><script>window.harmed=1</script>'


class Explorer:
    """The page as a person uses it; `client` is the business whose sandbox key it has."""

    def __init__(self, browser, url, client):
        self.browser, self.url, self.client = browser, url, client

    def open(self, operation="", key=True, example=False):
        """Load the page at an endpoint, with the sandbox key in use and the form empty unless `example`."""
        self.browser.get("about:blank")
        self.browser.get(f"{self.url}/explore{operation and '#' + operation}")
        self.find("#form" if operation else "#endpoints a")
        if key:
            self.set("#key-input", self.client.secret)
            self.type("#key-input", Keys.ENTER)
            self.find(".held:not([hidden]) .whose")
        if not example and (starts := self.all("[aria-label='Start from']")):
            Select(starts[0]).select_by_visible_text("Empty")
        return self

    def wait(self, true, what):
        return WebDriverWait(self.browser, SECONDS, 0.03).until(lambda _: true(), what)

    def all(self, css):
        return self.browser.find_elements(By.CSS_SELECTOR, css)

    def find(self, css, text=""):
        """Wait for a visible element with this text, and return the first one."""

        found = (
            "return [...document.querySelectorAll(arguments[0])].find("
            "(e) => e.checkVisibility() && e.innerText.includes(arguments[1]))"
        )
        return self.wait(lambda: self.script(found, css, text), f"no {css} with {text!r}")

    def press(self, css, text=""):
        self.find(css, text).click()

    def field(self, param):
        return self.find(f'[data-param="{param}"]')

    def set(self, css, value):
        """Paste a value that depends on the browser's language when typed, such as a date."""
        change = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input', {bubbles: true}))"
        self.script(change, self.find(css), value)

    def type(self, css, text):
        self.find(css).send_keys(text)

    def fill(self, **values):
        for param, text in values.items():
            field = self.field(param)
            if field.get_attribute("value"):
                field.clear()
            field.send_keys(text)

    def run(self, status):
        """Run the endpoint; return the envelope once the answer with that status is shown."""
        self.press("#run")
        return self.answer(status)

    def answer(self, status):
        self.find("#answer[aria-busy=false] .bar .status", str(status))
        return json.loads(self.script("return document.querySelector('.body').textContent.replaceAll('\\u2026', '')"))

    def code(self, name="curl"):
        self.press("#code [role=tab]", name)
        return self.find("#code pre:not([hidden])").text

    def script(self, source, *arguments):
        return self.browser.execute_script(source, *arguments)

    def faults(self):
        """List the browser's complaints, except answers that are refusals."""
        return [entry for entry in self.browser.get_log("browser") if entry["source"] != "network"]

    def requests(self):
        return self.script("return performance.getEntriesByType('resource').map((entry) => entry.name)")

    def keys(self, *keys):
        chain = ActionChains(self.browser)
        for key in keys:
            chain.send_keys(key)
        chain.perform()

    def chord(self, key):
        ActionChains(self.browser).key_down(Keys.CONTROL).send_keys(key).key_up(Keys.CONTROL).perform()

    def focused(self):
        return self.browser.switch_to.active_element


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explorer")
    with serving(f"sqlite:///{folder}/explorer.db", PLUGINS, folder, workers=1) as running:
        yield running


@pytest.fixture
def page(server, browser):
    resize(browser, *DESK)
    prefer(browser, "light")
    browser.get_log("browser")
    live = Client(server.app)
    explorer = Explorer(browser, f"http://127.0.0.1:{server.port}", live.sandbox())
    explorer.live = live
    yield explorer
    explorer.browser.get(explorer.url + "/-/health")
    explorer.script("sessionStorage.clear(); localStorage.clear()")
    assert explorer.faults() == []


def resize(browser, width, height):
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def prefer(browser, theme):
    feature = {"name": "prefers-color-scheme", "value": theme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})


def test_it_loads_without_a_fault_and_asks_nobody_else(page):
    page.open()
    groups = [group.text.lower().rstrip("0123456789") for group in page.all("#endpoints summary")]
    assert groups == ["core", "attachments", "contacts", "users", "staff", "requests", "hosted", "invoices"]
    assert page.requests()
    assert all(name.startswith(f"{page.url}/") for name in page.requests())
    assert page.faults() == []


def test_a_contact_is_made_with_the_form_and_answered_to_the_last_decimal(page):
    page.open("create_contact")
    page.fill(name="Salamanca Bakery", email="orders@example.com", payment_terms_days="30")
    page.press(".chip", "supplier")
    page.press("summary", "billing_address")
    page.fill(**{"billing_address.line1": "2 Castray Esplanade", "billing_address.suburb": "Hobart"})
    page.press("button", "Add tag")
    page.focused().send_keys("food")
    page.press("[role=tab]", "JSON")
    sent = json.loads(page.find("textarea.raw").get_attribute("value"))
    page.press("[role=tab]", "Form")
    shown = page.run(201)["data"]
    stored = page.client.get(f"/v1/contacts/{shown['id']}")["data"]
    assert shown == json.loads(json.dumps(stored, default=float))
    assert stored["billing_address"]["suburb"] == "Hobart"
    assert {name: stored[name] for name in sent if name != "billing_address"} == {
        name: value for name, value in sent.items() if name != "billing_address"
    }
    assert (sent["tags"], sent["roles"], sent["payment_terms_days"]) == (["food"], ["supplier"], 30)
    assert "of 100000 requests left" in page.find(".limit").text
    assert page.find("[role=meter]").get_attribute("aria-valuemax") == "100000"
    page.press("summary", "Headers")
    assert shown["id"] in page.find(".headers").text
    assert "201" in page.find("#history li").text


def test_form_and_json_stay_in_step_and_decimals_stay_exact(page):
    client = page.client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    page.open("create_invoice")
    page.press("[role=tab]", "JSON")
    raw = page.find("textarea.raw")
    raw.clear()
    raw.send_keys('{"client_id": ')
    page.press("[role=tab]", "Form")
    assert "Not a JSON object" in page.find(".fault").text
    raw.send_keys(f'"{client}", "line_items": [{{"description": "Washers", "unit_price": "0.1000"}}]}}')
    page.press("[role=tab]", "Form")
    assert page.field("client_id").get_attribute("value") == client
    page.fill(**{"line_items[0].quantity": "3"})
    page.set('[data-param="due_date"]', "2026-12-31")
    page.press("button", "Add line item")
    assert page.focused() == page.field("line_items[1].id")
    page.press("[aria-label='Remove line item 2']")
    made = page.run(201)["data"]
    assert (made["due_date"], len(made["line_items"])) == ("2026-12-31", 1)
    assert '"total": 0.33' in page.find(".body").text
    assert '"subtotal": 0.30' in page.find(".body").text
    assert page.client.get(f"/v1/invoices/{made['id']}")["data"]["total"] == Decimal("0.33")


def test_a_patch_can_clear_a_member_and_only_if_nobody_else_changed_it(page):
    contact = page.client.post("/v1/contacts", {"name": "Ada", "email": "ada@example.com"})["data"]
    page.open("update_contact")
    page.fill(id=contact["id"], name="Ada Lovelace", **{"If-Match": '"1"'})
    page.press("[aria-label='email is null']")
    changed = page.run(200)["data"]
    assert (changed["name"], changed["email"], changed["version"]) == ("Ada Lovelace", None, 2)
    assert page.run(412)["error"]["code"] == "version_conflict"


def test_faults_are_shown_beside_their_fields_until_they_are_mended(page):
    page.open("create_contact")
    page.fill(email="nobody")
    page.run(422)
    name, email = page.field("name"), page.field("email")
    said = page.find(f"#{email.get_attribute('aria-describedby')}.fault").text
    assert name.get_attribute("aria-invalid") == email.get_attribute("aria-invalid") == "true"
    assert "required" in page.find(f"#{name.get_attribute('aria-describedby')}.fault").text
    email.send_keys("@example.com")
    assert email.get_attribute("aria-invalid") is None
    assert page.browser.find_element(By.ID, email.get_attribute("aria-describedby")).text != said
    page.open("get_event")
    page.press("#run")
    assert "part of the path" in page.find(".fault").text
    assert page.focused() == page.field("id")


def test_a_list_is_paged_and_an_id_in_it_followed(page):
    for number in range(5):
        page.client.post("/v1/contacts", {"name": f"Contact {number}"})
    page.open("list_contacts")
    page.fill(per_page="2", sort="name")
    names = [record["name"] for record in page.run(200)["data"]]
    for last in (4, 5):
        page.press("button", "Next page")
        page.find(".pages", f"Page {last - 2}")
        found = page.answer(200)["data"]
        names += [record["name"] for record in found]
    assert names == [f"Contact {number}" for number in range(5)]
    assert not page.find("button[data-way=next]").is_enabled()
    assert len(page.all("#history li")) == 3
    page.press("button.id", found[-1]["id"])
    offered = [button.text.split() for button in page.all("#follow li button")]
    assert ["GET", "/v1/contacts/{id}"] in offered
    page.press("#follow li button", "GET\n/v1/contacts/{id}")
    assert page.field("id").get_attribute("value") == found[-1]["id"]
    assert page.run(200)["data"] == found[-1]
    assert page.browser.current_url.endswith("/explore#get_contact")
    page.press("#history li:last-child button")
    assert page.find(".pages", "Page 1")
    assert page.field("per_page").get_attribute("value") == "2"


def test_examples_can_be_run_as_they_are_one_after_the_other(page):
    page.open("create_contact", example=True)
    for _ in range(2):
        client = page.run(201)["data"]["id"]
    page.press("button.id", client)
    page.press("#follow li button", "POST\n/v1/invoices\nas client_id")
    assert page.field("client_id").get_attribute("value") == client
    invoice = page.run(201)["data"]
    assert invoice["client_id"] == client
    page.press("#endpoints a", "/invoices/{id}/send")
    assert page.field("id").get_attribute("value") == invoice["id"]


def test_a_record_that_there_is_not_is_made_first_and_the_code_does_the_same(page, tmp_path):
    page.open("get_contact")
    said = page.find("#code .note", "First runs").text
    assert "POST /v1/contacts" in said and "enter its id" in said
    code = page.code("Python")
    made = page.run(200)["data"]
    assert page.field("id").get_attribute("value") == made["id"]
    assert [call.text.split()[0] for call in page.all("#history li")] == ["GET", "POST"]
    assert "First runs" not in page.find("#code").text and made["id"] in page.code("Python")
    environ = {**os.environ, "KEY": page.client.secret}
    subprocess.run([sys.executable, "-c", code], env=environ, cwd=tmp_path, check=True, timeout=SECONDS)
    assert page.client.get("/v1/contacts")["pagination"]["total"] == 2
    # What is deleted is what was made for it, never what was there.
    page.open("delete_contact")
    assert page.field("id").get_attribute("value") == ""
    page.run(200)
    assert page.client.get("/v1/contacts")["pagination"]["total"] == 2


def test_the_code_makes_the_same_call_without_the_key(page, tmp_path):
    name = 'O\'Brien & "Söhne" $(touch harmed) `x` \\ 🙂'
    page.open("create_contact")
    page.press("[role=tab]", "JSON")
    page.set(".raw", json.dumps({"name": name, "gst_registered": True, "notes": None}))
    commands = runnable()
    environ = {**os.environ, "KEY": page.client.secret}
    for kind, command in commands.items():
        code = page.code(kind)
        assert page.client.secret not in code
        subprocess.run([*command, code], env=environ, cwd=tmp_path, check=True, timeout=SECONDS)
        (made,) = page.client.get("/v1/contacts?per_page=1")["data"]
        assert (made["name"], made["gst_registered"]) == (name, True)
        page.client.delete(f"/v1/contacts/{made['id']}")
    assert not (tmp_path / "harmed").exists()
    page.open("list_contacts", example=True)
    page.fill(search="nobody")
    for kind, command in commands.items():
        code = page.code(kind)
        done = subprocess.run(
            [*command, code], env=environ, capture_output=True, text=True, check=True, timeout=SECONDS
        )
        assert '"data":[],' in done.stdout, kind
    grant = {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"], "origin": page.url}
    page.browser.execute_cdp_cmd("Browser.grantPermissions", grant)
    page.press("#code .copy")
    page.find("#code .copy", "Copied")
    assert page.browser.execute_async_script("navigator.clipboard.readText().then(arguments[0])").strip() == code


def test_a_file_is_sent_and_the_code_sends_it_too(page, tmp_path):
    contact = page.client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    (tmp_path / "gate's code.txt").write_text("7", "utf-8")
    page.open("add_attachment")
    page.fill(resource=contact, filename="code.txt")
    page.find("input[type=file]").send_keys(str(tmp_path / "gate's code.txt"))
    made = page.run(201)["data"]
    assert (made["filename"], made["content_type"], made["size"]) == ("code.txt", "text/plain", 1)
    commands = runnable()
    for kind, command in commands.items():
        environ = {**os.environ, "KEY": page.client.secret}
        subprocess.run([*command, page.code(kind)], env=environ, cwd=tmp_path, check=True, timeout=SECONDS)
    found = page.client.get(f"/v1/attachments?resource={contact}")["data"]
    assert [each["sha256"] for each in found] == [made["sha256"]] * (len(commands) + 1)


def test_events_are_followed_from_now_on_whoever_makes_them(page):
    page.client.post("/v1/contacts", {"name": "Before"})
    page.open("create_contact")
    page.press("#tail-on")
    # It asked once, for the newest event of before.
    page.wait(lambda: any("/v1/events" in name for name in page.requests()), "events were asked for")
    other = page.client.post("/v1/contacts", {"name": "Other"})["data"]["id"]
    page.find("#tail li", other)
    page.fill(name="Own")
    own = page.run(201)["data"]["id"]
    page.find("#tail li", own)
    assert [line.text.split() for line in page.all("#tail li")] == [["contact.created", id] for id in (own, other)]
    page.press("#tail button", other)
    page.press("#follow li button", "GET\n/v1/contacts/{id}")
    assert page.run(200)["data"]["name"] == "Other"


def test_the_log_of_the_key_is_beside_its_calls(page):
    page.open("create_contact")
    page.press("#log-on")
    page.run(422)
    page.find("#log li", "POST\n422 validation_failed\n/contacts")
    assert not [line for line in page.all("#log li") if "/requests" in line.text]
    page.press("#log button", "/staff")
    page.find("h1", "/v1/staff")


def runnable():
    """Map each language in which this machine can run code to the command for it."""
    shell = shutil.which("curl") and shutil.which("bash")
    typescript = [shutil.which("node"), "--input-type=module", "--eval"]
    commands = {"curl": [shell, "-c"], "Python": [sys.executable, "-c"], "TypeScript": typescript}
    return {kind: command for kind, command in commands.items() if command[0]}


def test_what_the_key_is_stays_in_memory_or_where_it_was_told(page):
    page.open("get_me")
    kept = "JSON.stringify({...localStorage, ...sessionStorage})"
    shows = f"return document.documentElement.outerHTML + location.href + {kept}"
    assert page.run(200)["data"]["environment"] == "sandbox"
    assert page.client.secret not in page.script(shows) + " ".join(page.requests())
    page.browser.refresh()
    page.find("#key-input")
    page.press("#key-keep")
    page.type("#key-input", page.client.secret + Keys.ENTER)
    page.find(".held:not([hidden])")
    page.browser.refresh()
    assert "Derwent Plumbing" in page.find(".whose").text
    assert page.script("return localStorage.length") == 0
    page.press("button", "Forget key")
    assert page.script("return sessionStorage.length") == 0
    page.press("#run")
    assert "Paste a key" in page.find("#key-said").text


def test_a_live_key_is_refused_before_it_is_sent(page):
    page.open("list_contacts", key=False)
    for text in (page.live.secret, f"  Bearer {page.live.secret}", "svc_live_anything"):
        page.type("#key-input", text + Keys.ENTER)
        assert "sandbox keys only" in page.find("#key-said", "live key").text
        assert page.find("#key-input").get_attribute("value") == ""
    page.press("#run")
    assert not [name for name in page.requests() if name.endswith(("/v1/me", "/v1/contacts"))]
    # One that was kept from before, too.
    page.script("sessionStorage.setItem('billycan-explorer-key', arguments[0])", page.live.secret)
    page.browser.refresh()
    assert "sandbox keys only" in page.find("#key-said", "live key").text
    assert page.script("return sessionStorage.length") == 0


def test_a_live_key_is_taken_where_the_setting_says_so_beneath_a_warning(page, server, tmp_path):
    given = msgspec.structs.replace(server.app.settings, shared_folder=str(tmp_path))
    with closing(App(Config(given, {"explorer": {"live": "true"}}))) as app:
        web = StopableWSGIServer.create(app.wsgi, host="127.0.0.1", asyncore_use_poll=True)
        live = Explorer(page.browser, f"http://127.0.0.1:{web.effective_port}", page.live).open("create_contact")
        assert "real records" in live.find("#warning").text
        live.fill(name="Ada")
        live.run(201)
        live.press("button", "Forget key")
        assert not page.all("#warning:not([hidden])")
        live.type("#key-input", page.client.secret + Keys.ENTER)
        assert "sandbox" in live.find(".whose").text
        assert not page.all("#warning:not([hidden])")
        page.browser.get("about:blank")
        web.shutdown()


def test_everything_can_be_done_from_the_keyboard(page):
    page.open(key=False)
    page.chord("k")
    page.keys("contact add", Keys.ARROW_DOWN)
    assert page.focused().get_attribute("href").endswith("#create_contact")
    page.keys(Keys.ENTER)
    page.find("#form")
    page.chord(Keys.ENTER)
    assert page.focused().get_attribute("id") == "key-input"
    page.keys(page.client.secret, Keys.ENTER)
    page.find(".held:not([hidden])")
    page.script("document.getElementById('request').focus()")
    for _ in range(6):
        page.keys(Keys.TAB)
        if page.focused().get_attribute("data-param") == "name":
            break
    page.keys("Ada")
    page.chord(Keys.ENTER)
    made = page.answer(201)["data"]
    page.find("button.id").send_keys(Keys.ENTER)
    assert page.find("#follow").get_attribute("open")
    page.keys(Keys.ENTER)
    page.find("h1", "/v1/contacts/{id}")
    page.chord(Keys.ENTER)
    assert page.answer(200)["data"]["id"] == made["id"]
    page.find("button.id").send_keys(Keys.ENTER)
    page.keys(Keys.ESCAPE)
    assert not page.all("#follow[open]")


def test_what_an_answer_holds_stays_text(page):
    page.client.post("/v1/contacts", {"name": EVIL, "notes": EVIL, "metadata": {EVIL[:40]: EVIL}, "tags": [EVIL[:50]]})
    page.open("list_contacts")
    images = len(page.all("img"))
    assert page.run(200)["data"][0]["name"] == EVIL
    assert EVIL.replace('"', '\\"') in page.find(".body").text
    page.open("create_contact")
    page.fill(name=EVIL, email=EVIL)
    page.run(422)
    assert len(page.all("img")) == images
    assert page.script("return window.harmed") is None
    # Even a script of this page may make no HTML from text.
    refused = "try { document.body.innerHTML = ''; return 'made' } catch (error) { return error.name }"
    assert page.script(refused) == "TypeError"
    page.browser.get_log("browser")


ALL = tuple(sorted(first_party() - {"redis_limits"}))


def working_demo(app):
    """A client of a fresh demo's sandbox, whose business has an owner, and an agent that waits for their approval."""
    business = demo.first(app)
    Browser(app).join(Client(app, business.tenant))
    client = Client(app, business.sandbox)
    agent = agent_of(client, "propose")
    agent.refused(403, "approval_required", "POST", "/v1/contacts", {"name": "Ada"}, headers={"Prefer": "propose"})
    return client


# The only sent quote was declined before, and an imported invoice is not in the trial balance of the example.
USED_UP = {"#revise_quote", "#create_opening_balance", "#get_opening_balance", "#delete_opening_balance"}
# What sets the time of the sandbox, and what empties it.
LAST = ("#set_clock", "#get_clock", "#advance_clock", "#delete_clock", "#reset_sandbox", "#get_reset")
MAY_FIT = {
    "#reschedule_booking",
    "#decline_booking",
    "#delete_booking",
}  # on some days nobody is free at the time of the example


# Open an operation, run it, and return the answer's status and message; no status if the form lacks something.
RUN = """
const [hash, done] = arguments;
const find = (css) => document.querySelector(css);
const until = (true_) => new Promise((go) => {
  const look = () => (true_() ? go() : setTimeout(look, 10));
  look();
});
(async () => {
  location.hash = hash;
  await until(() => find('#form') && find('a[aria-current=page]')?.hash === hash && find('#run')?.checkVisibility());
  find('#run').click();
  await new Promise((go) => setTimeout(go, 20));
  await until(() => find('#answer[aria-busy=false] .bar .status') || find('#form .fault:not([role])'));
  if (find('#form .fault:not([role])') && !find('#answer .bar')) return done(['', '']);
  const status = find('#answer .bar .status').innerText;
  done([status, status.startsWith('2') ? '' : JSON.parse(find('.body').textContent).error.message]);
})();
"""


def test_every_example_works_on_a_fresh_demo_as_it_is(browser, tmp_path):
    with serving(f"sqlite:///{tmp_path}/demo.db", ALL, tmp_path, workers=1) as server:
        resize(browser, *DESK)
        page = Explorer(browser, f"http://127.0.0.1:{server.port}", working_demo(server.app)).open()
        operations = page.script("return [...document.querySelectorAll('#endpoints a')].map((a) => a.hash)")
        assert len(operations) > 220
        operations = [*(name for name in operations if name not in LAST), *LAST]
        refused, lacking = {}, set()
        for name in operations:
            status, message = browser.execute_async_script(RUN, name)
            if not status:
                lacking.add(name.removeprefix("#"))
            elif not status.startswith("2"):
                refused[name] = message
        assert refused.keys() - MAY_FIT == USED_UP, refused
        assert not lacking
        assert page.faults() == []


PAPER = "return getComputedStyle(document.body).backgroundColor"

CONTRAST = """
const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
function rgba(colour) {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data].map((part) => part / 255);
}
const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
function behind(element) {
  if (!element) return [1, 1, 1, 1];
  const own = rgba(getComputedStyle(element).backgroundColor);
  return own[3] === 1 ? own : over(own, behind(element.parentElement));
}
const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
const poor = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const element = node.parentElement;
  if (!node.data.trim() || !element.checkVisibility() || element.closest(":disabled, .hidden")) continue;
  const back = behind(element);
  const [one, other] = [light(over(rgba(getComputedStyle(element).color), back)), light(back)];
  const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  if (ratio < 4.5) poor.push(`${ratio.toFixed(2)} ${element.className || element.tagName}: ${node.data}`);
}
return poor;
"""

NAMELESS = """
return [...document.querySelectorAll("input, select, textarea, button, a")].filter((e) => e.checkVisibility())
  .filter((e) => !(e.labels?.length || e.ariaLabel || e.textContent.trim())).map((e) => e.outerHTML)
"""


def test_every_text_can_be_read_in_either_theme_and_every_field_has_a_name(page):
    page.client.post("/v1/contacts", {"name": "Ada", "notes": None})
    papers = set()
    for operation, status in (("list_contacts", 200), ("create_invoice", 422)):
        page.open(operation)
        page.run(status)
        for theme in ("light", "dark"):
            prefer(page.browser, theme)
            papers.add(page.script(PAPER))
            assert page.script(CONTRAST) == [], theme
    assert len(papers) == 2
    assert page.script(NAMELESS) == []
    page.press("#theme")
    chosen = page.script(PAPER)
    page.browser.refresh()
    page.find("#form")
    assert page.script(PAPER) == chosen
    assert page.find("#theme").text == "Dark"


SHIFTS = """
const done = arguments[0];
const unasked = (entry) => (entry.hadRecentInput ? 0 : entry.value);
new PerformanceObserver((list) => done(list.getEntries().reduce((sum, entry) => sum + unasked(entry), 0)))
  .observe({type: "layout-shift", buffered: true});
setTimeout(() => done(0), 300);
"""


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_nothing_jumps_and_nothing_is_wider_than_the_screen(page, size):
    resize(page.browser, *size)
    page.open("update_invoice")
    page.browser.refresh()
    page.find("#form")
    assert page.browser.execute_async_script(SHIFTS) < 0.1
    assert page.script("return document.documentElement.scrollWidth") <= size[0]


def test_on_a_phone_the_endpoints_open_and_close_and_the_answer_comes_into_view(page):
    resize(page.browser, *PHONE)
    page.open("list_invoices")
    assert not page.browser.find_element(By.ID, "nav").is_displayed()
    page.press("#menu")
    page.type("#search", "list contacts")
    page.press("#endpoints a", "/contacts")
    page.find("h1", "/v1/contacts")
    assert not page.browser.find_element(By.ID, "nav").is_displayed()
    page.run(200)
    assert page.script("return document.getElementById('answer').getBoundingClientRect().top < innerHeight / 2")
    assert page.script("return document.documentElement.scrollWidth") <= PHONE[0]
