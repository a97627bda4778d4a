"""Every page in a real browser, found by its links: checked by axe-core at a desk and on a phone, in light and dark."""

import re
from collections import deque

import pytest
import sqlalchemy as sa
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from billycan_agents.testing import agent_of
from billycan_apps.testing import OAuthApp
from billycan_users.tables import users

pytestmark = pytest.mark.sqlite_alone

# The rules that look at colours and layout, which alone differ between screens: the elements are the same.
OF_LOOKS = ["color-contrast", "link-in-text-block", "scrollable-region-focusable"]
# A desk in light and a phone in dark, with the rules, if not all. Empty pages are seen on a phone with all of them.
SCREENS = ((1280, "light", None), (390, "dark", OF_LOOKS))
# A theme has the same colours on every screen, so that dark at a desk adds what a phone hides: the sides and heads.
DARK_DESK = ((1280, "dark", OF_LOOKS),)
AT_A_DARK_DESK = (
    "/access", "/dashboard", "/dashboard/account", "/dashboard/calendar", "/dashboard/components",
    "/dashboard/deliveries/{id}", "/dashboard/invoices", "/dashboard/invoices/{id}", "/dashboard/invoices/new",
    "/dashboard/keys", "/dashboard/reports/gst", "/dashboard/reports/receivables", "/explore", "/i/{token}",
)  # fmt: skip
MOST_BYTES = 110_000  # of a page and all that it loads, before it is compressed
ID = re.compile(r"/[a-z]{2,4}_[0-9a-z]{20,}")
TOKEN = re.compile(r"^/([aiq])/.+")
FOUND = """
const [rules, known, done] = arguments;
document.querySelectorAll('details').forEach((e) => (e.open = true));
const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
const beyond = !wide ? [] : ['is wider than the screen: ' + ([...document.querySelectorAll('body *')]
  .filter((e) => e.checkVisibility() && !e.closest('.scroll, pre') && e.getBoundingClientRect().right > innerWidth)
  .map((e) => e.outerHTML.slice(0, 80)).slice(-3).join(' ') || 'wide')];
// Of looks, a table's first rows show all. What is the same beside every page is looked at once on each screen.
const beside = document.querySelector('.side')?.innerHTML.replace(/ (aria-current|value)="[^"]*"/g, '') ?? '';
const side = [...beside + document.body.className].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) | 0, 0);
const exclude = [...(rules ? [['tbody tr:nth-child(n+6)']] : []), ...(known.includes(side) ? [['.side']] : [])];
const how = {resultTypes: ['violations'], ...(rules && {runOnly: rules})};
axe.run(exclude.length ? {exclude} : document, how).then(({violations}) => done([side, ...violations
  .filter(({impact}) => impact === 'serious' || impact === 'critical')
  .map(({id, nodes}) => `${id}: ${nodes.slice(0, 3).map(({html}) => html.slice(0, 200)).join(' ')}`), ...beyond]))
"""
WEIGHT = """
// The typeface stays in the browser for a year.
return performance.getEntries().filter((entry) => !entry.name.includes("/-/fonts/"))
  .map((entry) => entry.encodedBodySize || 0).reduce((sum, bytes) => sum + bytes, 0)
"""


# Files and frames within pages, which are not pages themselves.
FILES = ("/csv", ".csv", "/file", "/file/{token}", "/content", "/pdf", "/attachments/{id}", "/email/preview")


class Walk:
    """All pages that links lead to, each kind of page once: one record stands for its kind."""

    def __init__(self, browser, app):
        self.browser, self.app = browser, app
        self.screens, self.width, self.theme = SCREENS, 0, ""
        self.sides, self.seen, self.faults = {}, {}, []

    def go(self, *starts):
        waiting = deque(starts)
        while waiting:
            path = waiting.popleft()
            if (kind := TOKEN.sub(r"/\1/{token}", ID.sub("/{id}", path.partition("?")[0]))) in self.seen:
                continue
            self.seen[kind] = path
            self.app.clock.move(seconds=30)  # or the address would have asked too often
            self.look(path)
            waiting += self.links()
        return self

    def links(self):
        for link in self.browser.execute_script("return [...document.links].map((link) => link.href)"):
            path = link.removeprefix(self.app.public_url).partition("#")[0]
            ours = link.startswith(self.app.public_url) and not path.startswith(("/v1", "/dashboard/-/"))
            if ours and not ID.sub("/{id}", path.partition("?")[0]).endswith(FILES):
                yield path  # as it is asked for: a page of documents is nothing without its period and label

    def look(self, path=""):
        """Check a page, or the present one."""
        if path:
            self.open(path)
        here = path or f"after a form: {self.browser.current_url}"
        for width, theme, rules in self.screens:
            if width != self.width:
                resize(self.browser, width)
            if theme != self.theme:
                prefer(self.browser, theme)
            self.width, self.theme = width, theme
            known = self.sides.setdefault((width, theme), [])
            side, *found = self.browser.execute_async_script(FOUND, rules, known)
            known.append(side)
            self.faults += [f"{here} ({width}, {theme}) {each}" for each in found]
        self.screens = self.screens[::-1]  # the next page begins on the screen that this one ends on
        if path.startswith(("/dashboard", "/access")) and (heavy := self.browser.execute_script(WEIGHT)) > MOST_BYTES:
            self.faults.append(f"{here} loads {heavy:,} bytes")
        if "harmed" in self.browser.title:
            self.faults.append(f"{here} ran a script of its records")

    def open(self, path):
        self.browser.get(self.app.public_url + path)

    def send(self, path):
        """Send a page's main form unchanged, and check the page that comes back."""
        self.app.clock.move(seconds=30)
        self.open(path)
        sends = "main form.fields button:not([type=button], .unseen, .small)"
        buttons = self.browser.find_elements(By.CSS_SELECTOR, sends)
        next(button for button in buttons if button.is_displayed()).click()
        told = (By.CSS_SELECTOR, "main > [role=alert]")
        WebDriverWait(self.browser, 60, 0.05).until(lambda browser: browser.find_elements(*told), f"{path} is in order")
        self.look()


def resize(browser, width):
    height = 844 if width < 500 else 900
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def prefer(browser, theme):
    feature = {"name": "prefers-color-scheme", "value": theme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})


@pytest.fixture
def walk(browser, axe):
    # Sent once for all pages: to send it takes as long as to run it.
    script = {"source": f"addEventListener('DOMContentLoaded', () => {{{axe}}})"}
    kept = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", script)
    yield lambda app: Walk(browser, app)
    browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", kept)
    prefer(browser, "light")
    resize(browser, 1280)


@pytest.mark.whole
@pytest.mark.parametrize("state", ["full", "empty"])
def test_every_page_is_accessible_fits_its_screen_and_loads_fast(state, walk, filled, join):
    app, box, live = filled
    walks = walk(app)
    walks.go("/dashboard/sign-in", "/access", "/access/sent")
    person = join(app, live, "owner", is_operator=True)
    with app.db.writing() as db:
        db.execute(sa.update(users).values(totp=b"a second factor"))
    if state == "empty":
        walks.screens = ((390, "light", None),)  # what is at a desk or dark, a full page shows
    else:
        person.press("Sandbox", within="header").sees("nothing here is real")
        agent = agent_of(box, "propose")
        for name in ("Ada", "Eve"):
            agent.call("POST", "/v1/contacts", {"name": name}, 403, {"Prefer": "propose"})
        paid = box.get("/v1/invoices?status=partially_paid")["data"][0]["id"]
        payment = box.get(f"/v1/invoices/{paid}")["data"]["payments"][0]["id"]
        endless = max(box.get("/v1/contacts?per_page=100")["data"], key=lambda contact: len(contact["name"]))
        walks.go(f"/dashboard/reports/statements/{endless['id']}", OAuthApp(live, name="W" * 100).asks())
        walks.go(f"/dashboard/invoices/{paid}/payments/{payment}/reverse", "/dashboard/unsubscribe/nobodys")
    walks.go("/dashboard", "/dashboard/components", "/dashboard/operator", "/dashboard/replays", "/explore")
    for path in ("/dashboard/contacts/new", "/dashboard/invoices/new", "/dashboard/keys", "/dashboard/webhooks"):
        walks.send(path)
    with app.db.writing() as db:
        db.execute(sa.update(users).values(totp=None))
    walks.look("/dashboard/account")  # as it is without a second factor
    if state == "full":
        walks.screens = DARK_DESK
        for kind in AT_A_DARK_DESK:
            app.clock.move(seconds=30)
            walks.look(walks.seen[kind])
    assert walks.faults == []
    if state == "full":
        reached = [path for path, _, page in app.pages if getattr(page, "screen", None) and page.screen.get]
        pages = [path for path in reached if not path.endswith(FILES)]
        missed = {path for path in pages if not any(fits(path, kind) for kind in walks.seen)}
        letters_and_parts = {"/dashboard/join/{token}", "/access/confirm/{token}", "/dashboard/suggest/{resource}"}
        leads_on = "/dashboard/reminders/{id}"  # to the form of an invoice, and has no page of its own
        assert missed <= {*letters_and_parts, leads_on, "/dashboard/keys/explorer"}


def fits(path, kind):
    return re.fullmatch(re.sub(r"{\w+}", "[^/]+", path), kind)
