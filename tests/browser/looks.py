"""Pictures of every page in every state and look, for people to judge; `make looks` takes them."""

import importlib.util
import os
import urllib.error
import urllib.request
from base64 import b64decode
from collections import defaultdict
from contextlib import suppress
from datetime import timedelta
from html import escape
from pathlib import Path

import pytest
import sqlalchemy as sa

from billycan import Context, demo
from billycan.counters import counters
from billycan.events import events
from billycan.starting.packages import first_party
from billycan.testing import Client
from billycan_access import records as access
from billycan_apps.testing import OAuthApp
from billycan_contacts import resource
from billycan_expenses.tables import expenses
from billycan_invoices.tables import entries, invoices, lines
from billycan_mail import unsubscribe
from billycan_requests.tables import log
from billycan_users.people import invite_person, new_reset_link
from billycan_users.tables import users
from billycan_webhooks.tables import deliveries

contacts = resource.contacts.table

HERE = Path(__file__).parent
STATES = ("demo", "empty", "one", "many", "hostile")
LOOKS = [(width, theme) for theme in ("light", "dark") for width in (1280, 390)]
TALLEST = 2_400  # pixels of a page that are pictured
SHEET, SCALE = 1_800, 0.45  # pixels of a sheet's height, if no page takes more, and the scale of its pictures
MANY = 10_000
SECTIONS = {"webhook_endpoints": "webhooks", "webhook_deliveries": "deliveries"}  # pages that have names of their own
FORMS = ("/dashboard/contacts/new", "/dashboard/invoices/new", "/dashboard/keys", "/dashboard/webhooks")
STYLE = """
body { margin: 0; padding: 8px; background: #888; font: 600 14px sans-serif }
figure { margin: 0 0 12px } figcaption { padding: 4px 0; white-space: nowrap; overflow: hidden }
div { display: grid; grid-template-columns: repeat(3, max-content); gap: 8px; align-items: start }
img { grid-row: 1 / 3 } img:nth-child(1), img:nth-child(3) { grid-area: 1 / 1 } img:nth-child(3) { grid-row: 2 }
"""


def imported(path):
    """Import another file of tests as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


pages, isolation = imported(HERE / "test_pages.py"), imported(HERE.parent / "test_isolation.py")
routes = isolation.routes


@pytest.mark.parametrize("state", STATES)
def test_looks(state, app, client, browser, visit, join):
    browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
    looks = Looks(browser, app, Path(os.environ["LOOKS"]).resolve() / state)
    look_from_outside(looks, client, visit, join)
    person = join(app, client, "owner", name="Tamsin", is_operator=True)
    if state == "hostile":
        person.press("Sandbox", within="header").sees("nothing here is real")
    looks.look("/dashboard/account", "account-without-second-factor")
    with app.db.writing() as db:
        db.execute(sa.update(users).values(totp=b"a second factor"))
    records = chosen(app, client)
    # Of each resource one, with all that it leads to; rather one that is hostile.
    ordered = sorted(records, key=lambda name: name.endswith(("-hostile", "-endless")))
    firsts = {name.partition("-")[0]: name for name in ordered}
    looks.go(*(records.pop(name) for name in firsts.values()), "/dashboard", "/dashboard/components")
    looks.go("/dashboard/operator", "/dashboard/replays", "/explore", "/dashboard/no-such-page")
    if state != "many":
        for name, path in records.items():
            looks.look(path, name)
    else:
        for section in ("contacts", "invoices", "expenses", "events", "deliveries", "requests"):
            looks.look(f"/dashboard/{section}?page=3", f"{section}-page-3")
        looks.look("/dashboard/invoices?search=77", "invoices-search")
        looks.look("/dashboard/contacts?search=nobody+is+called+so", "contacts-search-nothing")
    for path in FORMS:
        looks.send(path)
    oauth = OAuthApp(client.sandbox(), name="W" * 100) if state == "hostile" else OAuthApp(client)
    looks.look(oauth.asks(), "consent")
    looks.lay_out()


def look_from_outside(looks, client, visit, join):
    """Picture the pages of visitors who are not signed in or have few rights."""
    app, proof = looks.app, access.requests.c
    with app.db.writing() as db:
        _, invitation = invite_person(db, client.tenant_id, "grace@example.com", "viewer", app.now())
        asked = access.Asked("Derwent Joinery", None, "ada@example.com", "To try it.")
        access.store_request(db, app, asked, "192.0.2.2")
        sent = {"digest": access._digest_token("sent")}
        db.execute(sa.update(access.requests).where(proof.email == "ada@example.com").values(sent))
    visit(app)
    looks.go("/dashboard/sign-in", "/access", "/access/sent", "/access/confirm/sent")
    looks.look(f"/dashboard/join/{invitation}", "invitation")
    looks.look("/dashboard/join/gone", "invitation-gone")
    looks.look("/i/gone", "hosted-gone")
    looks.look("/nothing", "nothing")
    looks.look(
        unsubscribe.unsubscribe_url(app, client.tenant_id, "ada@example.com").removeprefix(app.public_url),
        "unsubscribe",
    )
    for name, path in chosen(app, client, "hosted_url").items():
        looks.look(path, f"hosted-{name}")
    looks.send("/dashboard/sign-in")
    join(app, client, "viewer", name="Vera")
    looks.look("/dashboard/keys", "not-allowed")
    with app.db.writing() as db:
        person = db.execute(sa.select(users.c.id).where(users.c.email == "vera@example.com")).scalar_one()
        token = new_reset_link(db, person, app.now())
    looks.look(f"/dashboard/join/{token}", "new-password")
    for _ in range(30):
        with suppress(urllib.error.HTTPError):
            urllib.request.urlopen(f"{app.public_url}/i/gone").close()
    looks.look("/i/gone", "too-many-at-once", seconds=0)


def chosen(app, client, shown=""):
    """Map names to paths of pages: one record of each status, a hostile one, and a very long one.

    `shown` is the member with the page's address, unless it is the dashboard's page of the record.
    """
    found = {}
    for endpoint in app.endpoints:
        path, signature = endpoint.route.path, endpoint.signature
        if endpoint.route.method == "GET" and signature.listed and not signature.params:
            section = path.removeprefix("/v1/")
            section = SECTIONS.get(section, section)
            for record in client.call("GET", f"{path}?per_page=100").json["data"] or ():
                says = str(record)
                kind = "endless" if "W" * 100 in says else "hostile" if "<script" in says else record.get("status", "")
                url = record.get(shown) if shown else f"/dashboard/{section}/{record['id']}"
                if url:
                    found.setdefault(f"{section}-{kind or 'id'}", url.removeprefix(app.public_url))
    return found


@pytest.fixture
def app(state, serve, request):
    if state == "hostile":
        return request.getfixturevalue("filled")[0]
    return serve(*first_party(), "assets", webhooks={"allow_private": True}, access={"mode": "request"})


@pytest.fixture
def client(state, app, works, request):
    """Return a client of the pictured business, once the business is in its state."""
    if state == "hostile":
        return request.getfixturevalue("filled")[1]
    if state in ("empty", "one"):
        client = Client(app)
        if state == "one":
            isolation.Tenant(client, request.getfixturevalue("routes"))
        return client
    client = Client(app, demo.first(app).tenant)
    hook = {"url": "http://127.0.0.1:1/hooks", "events": ["*"], "description": "Stock system"}
    client.post("/v1/webhook_endpoints", hook)
    for manifest in app.manifests.values():
        if manifest.demo:
            with (ctx := Context(app, client.tenant_id)).transaction():
                manifest.demo(ctx)
    works(app)
    if state == "many":
        with app.db.writing() as db:
            multiply(db, client.tenant_id, app.now())
    return client


def multiply(db, tenant_id, now):
    """Copy the demo's records until the commonest kinds have 10,000 more each; each copy is a little older."""

    def copy(table, **changed):
        own = sa.select(table).where(table.c.tenant_id == tenant_id).order_by(table.c.id)
        rows = [dict(row) for row in db.execute(own).mappings()]
        start = rows[0]["id"].partition("_")[0]
        always = {name: lambda i, row: older(i) for name in ("created_at", "updated_at")}
        always["external_id"] = lambda i, row: None
        changed |= {name: change for name, change in always.items() if name in table.c}
        made = []
        for i in range(MANY):
            row = rows[i % len(rows)]
            other = {name: change(i, row) for name, change in changed.items()}
            made.append({**row, "id": f"{start}_{i:026}", **other})
        db.execute(sa.insert(table), made)
        counted = (counters.c.tenant_id == tenant_id) & (counters.c.name == table.name)
        db.execute(sa.update(counters).where(counted).values(live=counters.c.live + MANY))
        return rows

    def older(i):
        return now - timedelta(days=1, minutes=10 * i)

    def named(column):
        return lambda i, row: f"{row[column]} {i}"

    copy(contacts, **{column: named(column) for column in ("name", "name_folded", "search_text")})
    number = {"number": lambda i, row: f"INV-{i + 10_000}", "sequence": lambda i, row: i + 10_000}
    client = {"client_id": lambda i, row: f"con_{i:026}", "search_text": lambda i, row: f"inv-{i + 10_000}"}
    originals = copy(invoices, **number, **client)
    for table, column in ((lines, "document_id"), (entries, "invoice_id")):
        parts = defaultdict(list)
        for row in db.execute(sa.select(table).where(table.c.tenant_id == tenant_id)).mappings():
            parts[row[column]].append(row)
        rows = [
            {**row, "id": f"{row['id'][:4]}{i:020}{n:06}", column: f"inv_{i:026}"}
            for i in range(MANY)
            for n, row in enumerate(parts[originals[i % len(originals)]["id"]])
        ]
        db.execute(sa.insert(table), rows)
    copy(expenses, date=lambda i, row: older(i).date())
    copy(events, sequence=lambda i, row: -i)
    copy(deliveries)
    at = [round(older(i).timestamp() * 1000) for i in range(MANY)]
    asked = {"method": "GET", "route": "/v1/invoices", "status": 200, "microseconds": 4_000}
    rows = [
        {"tenant_id": tenant_id, "id": f"{moment:012x}{i:08}", "at": moment, "caller_id": "key_1", **asked}
        | {"request_id": f"req_{i:026}"}
        for i, moment in enumerate(at)
    ]
    db.execute(sa.insert(log), rows)


class Looks(pages.Walk):
    """A walk that takes pictures of each page."""

    def __init__(self, browser, app, folder):
        super().__init__(browser, app)
        self.folder, self.taken, self.heights = folder, {}, {}

    def look(self, path="", name="", seconds=30):
        """Picture a page, or the present one after a form, this many seconds after the one before."""
        if path:
            self.app.clock.move(seconds=seconds)
            self.open(path)
        here = path or self.browser.current_url.removeprefix(self.app.public_url)
        kind = pages.TOKEN.sub(r"/\1/token", pages.ID.sub("/id", here.partition("?")[0]))
        name = name or kind.removeprefix("/dashboard/").strip("/").replace("/", "-") + ("" if path else "-faulty")
        self.taken[name], heights = here, []
        for width, theme in LOOKS:
            pages.resize(self.browser, width)
            pages.prefer(self.browser, theme)
            file = self.picture(name, width, theme)
            file.parent.mkdir(parents=True, exist_ok=True)
            heights.append(self.save(file, width, quality=90))
        pages.resize(self.browser, 1280)
        self.heights[name] = round(SCALE * max(heights[0] + heights[2], *heights)) + 50

    def picture(self, name, width, theme):
        return self.folder / f"{width}-{theme}" / f"{name}.webp"

    def save(self, file, width, **options):
        """Save a picture of the page, this many pixels wide; return its height."""
        height = min(self.browser.execute_script("return document.documentElement.scrollHeight"), TALLEST)
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        given = {"format": file.suffix[1:], "captureBeyondViewport": True, "clip": clip, **options}
        file.write_bytes(b64decode(self.browser.execute_cdp_cmd("Page.captureScreenshot", given)["data"]))
        return height

    def lay_out(self):
        """Arrange all pictures on contact sheets, and list the sheet of each page."""
        sheets = []
        for name in sorted(self.taken):
            fits = (names for names in sheets if sum(map(self.heights.get, [*names, name])) <= SHEET)
            if sheet := next(fits, None):
                sheet.append(name)
            else:
                sheets.append([name])
        pages.prefer(self.browser, "light")
        pages.resize(self.browser, 1280)
        for number, names in enumerate(sheets, 1):
            self.draw(self.folder / f"sheet-{number}.png", names)
        lines = (f"{name} (sheet {n}): {self.taken[name]}\n" for n, names in enumerate(sheets, 1) for name in names)
        (self.folder / "index.txt").write_text("".join(lines), "utf-8")

    def draw(self, sheet, names):
        figures = []
        for name in names:
            files = [(self.picture(name, *look).relative_to(self.folder), look[0] * SCALE) for look in LOOKS]
            images = "".join(f'<img src="{file}" width="{width}">' for file, width in files)
            title = escape(f"{name}: {self.taken[name][:150]}")
            figures.append(f"<figure><figcaption>{title}</figcaption><div>{images}</div></figure>")
        page = sheet.with_suffix(".html")
        page.write_text(f"<meta charset=utf-8><style>{STYLE}</style>{''.join(figures)}", "utf-8")
        self.browser.get(page.as_uri())
        page.unlink()
        self.save(sheet, round(SCALE * (1280 + 2 * 390)) + 40)
