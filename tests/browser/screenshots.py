"""The pictures in docs/: the demo's records, and the reports of a plumber's year; `make screenshots` takes them."""

import base64
import importlib.util
import threading
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import sqlalchemy as sa

from billycan import Context, demo
from billycan.starting.packages import first_party
from billycan.testing import Client
from billycan.working import worker
from billycan_access import records as access
from billycan_users.tables import users

DOCS = Path(__file__).parents[2] / "docs"
YEAR = DOCS.parent / "examples" / "a_year_of_business.py"
MOST_BYTES, MOST_BYTES_OF_A_REPORT = 150_000, 180_000
WIDTH, HEIGHT = 1280, 800
MONTHS = ((4, 1.0), (6, 0.9), (5, 1.0), (7, 0.8), (8, 0.9), (6, 0.5))  # invoices of each, and how many of them are paid
JOBS = (("Hot water service, supplied and fitted", "1890"), ("Blocked drain cleared by jetting", "420"),
        ("Leaking tap repaired", "165"), ("Bathroom rough-in, second stage", "2750"), ("Gutters and downpipes", "980"),
        ("Backflow test and report", "310"), ("Gas heater commissioned", "540"))  # fmt: skip


@pytest.fixture
def receiver():
    """Run a receiver that refuses every seventh delivery."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            server.count += 1
            self.send_response(500 if server.count % 7 == 0 else 204)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads, server.count = True, 0
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_pictures(browser, serve, join, works, receiver, clock):
    browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
    app = serve(*first_party(), webhooks={"allow_private": True})
    now = clock.time
    business = demo.first(app)
    live = Client(app, business.tenant)
    for manifest in app.manifests.values():
        if manifest.demo:
            with (ctx := Context(app, live.tenant_id)).transaction():
                manifest.demo(ctx)
    traded(live, clock)
    clock.time = now - timedelta(days=6)
    url = f"http://127.0.0.1:{receiver.server_port}/hooks"
    live.post("/v1/webhook_endpoints", {"url": url, "events": ["*"], "description": "Stock system"})
    known = live.get("/v1/contacts")["data"][0]["id"]
    for day in range(7):
        clock.time = now - timedelta(days=6 - day)
        for i in range(3 + day * 5 % 7):
            live.patch(f"/v1/contacts/{known}", {"notes": f"Seen {i + 1} times on day {day + 1}."})
        works(app)
    receiver.count = 6  # so that the next is refused
    owed = live.get("/v1/invoices?status=sent")["data"][0]["id"]
    live.post(f"/v1/invoices/{owed}/pay", {"payment_method": "card"}, status=200)
    works(app)
    clock.time = now + timedelta(minutes=2)
    person = join(app, live, "owner", name="Tamsin")
    invoice = live.get("/v1/invoices?status=partially_paid")["data"][0]["id"]
    endpoint = live.get("/v1/webhook_endpoints")["data"][0]["id"]
    failed = live.get("/v1/webhook_deliveries?status=pending")["data"][-1]["id"]
    for name, path in (
        ("overview", ""),
        ("invoice", f"/invoices/{invoice}"),
        ("endpoint", f"/webhooks/{endpoint}"),
        ("delivery", f"/deliveries/{failed}"),
    ):
        for theme in ("light", "dark"):
            person.open(f"/dashboard{path}")
            taken = picture(browser, theme)
            assert len(taken) < MOST_BYTES, f"{name}: {len(taken):,} bytes"
            (DOCS / f"dashboard-{name}-{theme}.webp").write_bytes(taken)


def test_pictures_of_the_console(browser, serve, join, works, clock):
    browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
    app = serve(*first_party(), webhooks={"allow_private": True}, access={"mode": "request"})
    business = demo.first(app)
    names = ("Salamanca Bakery", "Bass Strait Electrical", "Huon Valley Fencing", "Wren & Lark Joinery")
    clients = [Client(app, profile={"name": name, "timezone": "Australia/Hobart"}) for name in names]
    for calls, client in zip((64, 23, 9, 4), clients, strict=True):
        for _ in range(calls):
            clock.move(seconds=1)
            client.get("/v1/contacts")
    clients[0].post("/v1/webhook_endpoints", {"url": "http://127.0.0.1:1/hooks", "events": ["contact.created"]})
    works(app)
    app.operations.limit(clients[0].tenant_id, "tamsin@example.com", 3_000, 200)
    app.operations.suspend(clients[2].tenant_id, "root (command)")
    with app.db.writing() as db:
        asked = access.Asked("Derwent Joinery", "47555222000", "ada@example.com", "Quotes from our own website.")
        access.store_request(db, app, asked, "192.0.2.2")
    person = join(app, Client(app, business.tenant), "owner", name="Tamsin", is_operator=True)
    with app.db.writing() as db:
        db.execute(sa.update(users).values(totp=b"a second factor"))
    worker.tick(app)
    clients[0].post("/v1/contacts", {"name": "Ada"})
    clock.move(seconds=75)
    for observer in app.observers:
        observer.write()
    person.open("/dashboard/operator")  # takes away what greets whoever signs in
    for theme in ("light", "dark"):
        person.open("/dashboard/operator")
        taken = picture(browser, theme)
        assert len(taken) < MOST_BYTES, f"console: {len(taken):,} bytes"
        (DOCS / f"operator-console-{theme}.webp").write_bytes(taken)


def test_pictures_of_reports(browser, serve, join, clock):
    """The year of examples/a_year_of_business.py, and what the reports of a year besides need: see `besides`."""
    browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})

    def on(day):
        clock.time = datetime.fromisoformat(day).replace(hour=2, tzinfo=UTC)

    spec = importlib.util.spec_from_file_location("a_year_of_business", YEAR)
    year = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(year)
    on("2026-07-01")
    business = {"name": "Kestrel Plumbing", "abn": "47555222000", "timezone": "Australia/Hobart"}
    client = Client(serve(*first_party()), profile=business)
    year.live(client, on)
    debtor = besides(client, on)
    person = join(client.app, client, "owner", name="Tamsin")
    for name, path in (
        ("gst", "gst"),
        ("gst-documents", "gst/documents?from=2027-04-01&to=2027-06-30&label=G7"),
        ("gst-lodged", "gst?from=2027-01-01&to=2027-03-31"),
        ("receivables", "receivables"),
        ("payables", "payables"),
        ("statement", f"statements/{debtor}?from=2027-01-01&to=2027-07-31"),
        ("taxable-payments", "taxable-payments?year=2027"),
    ):
        person.open(f"/dashboard/reports/{path}")
        taken = whole(browser, ".labels" if name == "gst-lodged" else "main")
        assert len(taken) < MOST_BYTES_OF_A_REPORT, f"{name}: {len(taken):,} bytes"
        (DOCS / f"report-{name}.webp").write_bytes(taken)
    person.open("/dashboard/ledger_entries?date_from=2027-07-07&date_to=2027-07-20&per_page=10&sort=created_at")
    taken = whole(browser)
    assert len(taken) < MOST_BYTES_OF_A_REPORT, f"ledger: {len(taken):,} bytes"
    (DOCS / "report-ledger.webp").write_bytes(taken)


def besides(client, on):
    """Add contractors, three lodged quarters, a receipt found later, and debts and bills at the end of July."""
    address = {"line1": "3 Wharf Street", "suburb": "Hobart", "state": "TAS", "postcode": "7000"}
    contact = {"payment_terms_days": 14, "billing_address": address}
    category = client.get("/v1/expense_categories")["data"][0]["id"]

    def known(name, **more):
        return client.post("/v1/contacts", {"name": name, **contact, **more})["data"]["id"]

    def buy(day, amount, words, **more):
        body = {"date": day, "amount": amount, "description": words, "category_id": category, "tax_invoice_held": True}
        client.post("/v1/expenses", {**body, **more})

    def sell(to, day, price, words):
        line = {"description": words, "unit_price": price}
        body = {"client_id": to, "issue_date": day, "amounts_are": "inclusive", "line_items": [line]}
        id = client.post("/v1/invoices", body)["data"]["id"]
        client.post(f"/v1/invoices/{id}/send", status=200)
        return id

    on("2027-07-05")
    hired = {"roles": ["supplier"], "contractor": True}
    tiler = known("Ridgeway Tiling", abn="91888222000", gst_registered=True, **hired)
    labourer = known("Jo Farrell", **hired)
    buy("2026-11-16", "1200.00", "Trench for the laundry", supplier_id=labourer, tax_withheld="564.00")
    buy("2026-11-30", "2750.00", "Tiling of the bathroom", supplier_id=tiler)
    buy("2027-02-19", "1980.00", "Tiling of the laundry", supplier_id=tiler)
    strata, cafe = known("Old Wharf Strata"), known("Kingston Café")
    sell(strata, "2027-03-10", "1980.00", "Backflow tests")
    for since, until in (("2026-07-01", "2026-09-30"), ("2026-10-01", "2026-12-31"), ("2027-01-01", "2027-03-31")):
        client.post("/v1/gst_periods", {"from": since, "to": until})
    buy("2027-03-22", "132.00", "Fittings, receipt found in the ute")
    on("2027-07-07")
    stove = sell(cafe, "2027-07-07", "1650.00", "Gas stove connected")
    on("2027-07-16")
    client.post(f"/v1/invoices/{stove}/payments", {"amount": "660.00", "payment_method": "bank_transfer"})
    pipes, shop = (
        {"supplier_id": known("Derwent Pipe Supplies", roles=["supplier"])},
        {"supplier_name": "Corner Hardware"},
    )
    buy("2027-07-01", "1540.00", "Tiling of the ensuite", supplier_id=tiler, due_date="2027-07-15")
    buy("2027-07-12", "880.00", "Copper pipe", due_date="2027-08-11", **pipes)
    buy("2027-07-13", "88.00", "Fittings", paid_on=None, **shop)
    buy("2027-07-14", "-66.00", "Pipe that went back", paid_on=None, **pipes)
    on("2027-07-28")
    sell(strata, "2027-07-28", "2420.00", "Pump replaced")
    on("2027-07-31")
    return client.get("/v1/contacts?search=Marnie")["data"][0]["id"]


def traded(client, clock):
    """Make half a year of invoices, most of them paid."""
    clients = [each["id"] for each in client.get("/v1/contacts?role=client")["data"]]
    now, made = clock.time, 0
    for month, (count, paid) in enumerate(MONTHS):
        for i in range(count):
            clock.time = now - timedelta(days=30 * (len(MONTHS) - 1 - month) + (count - i) * 2)
            (words, price), made = JOBS[made % len(JOBS)], made + 1
            line = {"description": words, "unit_price": price}
            body = {"client_id": clients[made % len(clients)], "line_items": [line]}
            invoice = client.post("/v1/invoices", body)["data"]["id"]
            client.post(f"/v1/invoices/{invoice}/send", status=200)
            if i < count * paid:
                clock.move(days=1)
                client.post(f"/v1/invoices/{invoice}/pay", {"payment_method": "bank_transfer"}, status=200)
    clock.time = now


def picture(browser, theme):
    """Take a screenshot as WebP."""
    look(browser, theme, 1.5)
    return captured(browser)


def whole(browser, until="main"):
    """Take a screenshot of the page without its navigation, up to the end of an element, as WebP in the light theme."""
    look(browser, "light", 1)
    ends = "const [r, end] = ['main', arguments[0]].map(e => document.querySelector(e).getBoundingClientRect());"
    sizes = "return {x: r.x, y: r.y, width: r.width, height: end.bottom - r.y, scale: 1.2}"
    place = browser.execute_script(ends + sizes, until)
    return captured(browser, clip=place, captureBeyondViewport=True)


def look(browser, theme, scale):
    metrics = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": scale, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    feature = {"name": "prefers-color-scheme", "value": theme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})


def captured(browser, **more):
    options = {"format": "webp", "quality": 82, **more}
    return base64.b64decode(browser.execute_cdp_cmd("Page.captureScreenshot", options)["data"])
