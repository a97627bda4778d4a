"""The pictures of the dashboard in docs/, which `make screenshots` takes: the demo's records, at the tests' time."""

import base64
import threading
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from billycan import Context, demo, unit_of_work
from billycan.starting.packages import first_party
from billycan.testing import Client

DOCS = Path(__file__).parents[2] / "docs"
MOST_BYTES = 150_000
WIDTH, HEIGHT = 1280, 800
MONTHS = ((4, 1.0), (6, 0.9), (5, 1.0), (7, 0.8), (8, 0.9), (6, 0.5))  # invoices of each, and how many of them are paid
JOBS = (("Hot water service, supplied and fitted", "1890"), ("Blocked drain cleared by jetting", "420"),
        ("Leaking tap repaired", "165"), ("Bathroom rough-in, second stage", "2750"), ("Gutters and downpipes", "980"),
        ("Backflow test and report", "310"), ("Gas heater commissioned", "540"))  # fmt: skip


@pytest.fixture
def receiver():
    """Refuses every seventh delivery."""

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
            with unit_of_work(ctx := Context(app, live.tenant_id)):
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


def traded(client, clock):
    """Half a year of invoices, most of them paid."""
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
    """What is on the screen, as a WebP."""
    metrics = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1.5, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    feature = {"name": "prefers-color-scheme", "value": theme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    taken = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "webp", "quality": 82})
    return base64.b64decode(taken["data"])
