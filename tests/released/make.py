"""Make what tests/test_released.py upgrades: a business with rows in all states, as a release stored and showed them.

Run it with the code of that release: `python tests/released/make.py FOLDER`. It writes a database of each kind, and
what the API answers about every record to figures.json. Anything that a later release cannot do is not done here.
"""

import json
import lzma
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from billycan.app import App
from billycan.starting import migrate
from billycan.starting.settings import Config, Settings
from billycan.testing import Client, throwaway

PLUGINS = ("bookings", "contacts", "documents", "expenses", "hosted", "invoices", "jobs", "quotes", "staff", "webhooks")
SECRET = "a secret for tests that is long enough"  # as the kit's, so that links stay what they were
LISTS = ("contacts", "invoices", "quotes", "jobs", "bookings", "services", "staff", "expense_categories", "expenses")
SUMMARIES = tuple(f"/v1/expenses/summary?group_by={by}" for by in ("category", "gst_code", "month"))
CODES = ("gst", "gst_free", "export", "input_taxed", "out_of_scope")
D = Decimal


class Clock:
    """A clock that moves by a millisecond each time it is asked, and by days when it is told."""

    def __init__(self) -> None:
        self.time = datetime(2026, 5, 4, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.time += timedelta(milliseconds=1)
        return self.time


def made(client: Client, path: str, body: Any, *actions: Any) -> Any:
    """What a POST makes, after these actions: names, or names with what is sent."""
    record = client.post(path, body)["data"]
    for action in actions:
        name, sent = action if isinstance(action, tuple) else (action, None)
        record = json.loads(client.call("POST", f"{path}/{record['id']}/{name}", sent).text)["data"] or record
        assert client.last.status_int < 300, client.last.text
    return record


def lines(*prices: str, **more: Any) -> list[dict[str, Any]]:
    return [{"description": f"Work {price}", "unit_price": price, **more} for price in prices]


def live(client: Client, clock: Clock, *, registered: bool) -> None:
    """Half a year of a business, every kind of record in every state."""
    address = {"line1": "7 Main Road", "suburb": "Franklin", "state": "TAS", "postcode": "7113"}
    ada = made(client, "/v1/contacts", {"name": "Ada", "email": "ada@example.com", "billing_address": address})["id"]
    bea = {
        "name": "Bea Pty Ltd",
        "kind": "company",
        "abn": "91888222000",
        "gst_registered": True,
        "roles": ["supplier"],
    }
    bea = made(client, "/v1/contacts", {**bea, "payment_terms_days": 7, "tags": ["trade"]})["id"]
    made(client, "/v1/contacts", {"name": "Old"}, "archive")
    sell(client, clock, ada, registered=registered)
    offer_and_work(client, clock, ada, registered=registered)
    spend(client, clock, bea)


def sell(client: Client, clock: Clock, ada: str, *, registered: bool) -> None:
    codes = CODES if registered else ("out_of_scope",)
    mixed = [line for i, code in enumerate(codes) for line in lines(f"{i + 1}33.3333", quantity="3", gst_code=code)]
    mixed[0]["discount_percent"] = "12.5"
    paid = {"amount": "40.05", "payment_method": "cash", "paid_at": "2026-05-04T13:45:00+10:00"}
    card = {"amount": "25.10", "payment_method": "card", "reference": "R-1"}
    for terms in ({}, {"amounts_are": "inclusive"}, {"gst_rounding": "per_line", "discount_amount": "10.01"}):
        body = {"client_id": ada, "line_items": mixed, "reference": "PO 7", **terms}
        made(client, "/v1/invoices", body)
        made(client, "/v1/invoices", body, "send")
        made(client, "/v1/invoices", body, "send", ("payments", paid))
        made(client, "/v1/invoices", body, ("pay", {"payment_method": "card"}))
        made(client, "/v1/invoices", body, ("pay", {"payment_method": "cash"}))
        made(client, "/v1/invoices", body, "send", ("void", {"reason": "Wrong"}))
        made(client, "/v1/invoices", body, "send", ("payments", paid), ("write_off", {"reason": "Gone"}))
        made(client, "/v1/invoices", body, "send", ("payments", paid), ("write_off", {}), ("payments", card))
        bounced = made(client, "/v1/invoices", body, "send", ("payments", paid), ("payments", card))
        for payment in bounced["payments"]:
            client.post(f"/v1/invoices/{bounced['id']}/payments/{payment['id']}/reverse", {"reason": "Bounced"}, 200)
            clock.time += timedelta(days=5)
    made(client, "/v1/invoices", {"client_id": ada, "line_items": lines("0")}, "send")
    made(client, "/v1/invoices", {"client_id": ada, "line_items": lines("100", "-40.55")}, "send")
    gone = made(client, "/v1/invoices", {"client_id": ada, "line_items": lines("1")})
    client.delete(f"/v1/invoices/{gone['id']}")


def offer_and_work(client: Client, clock: Clock, ada: str, *, registered: bool) -> None:
    accept, body = (
        ("accept", {"name": "Ada"}),
        {"client_id": ada, "title": "Bathroom", "line_items": lines("990.95", "8")},
    )
    for actions in (
        (),
        ("send",),
        ("send", accept),
        ("send", ("decline", {"reason": "Too dear"})),
        ("send", "revise"),
        ("cancel",),
        ("send", accept, ("convert", {"to": "invoice"})),
        ("send", accept, ("convert", {"to": "job"})),
    ):
        made(client, "/v1/quotes", body, *actions)
    made(client, "/v1/quotes", {**body, "expiry_date": str(clock.time.date())}, "send")
    clock.time += timedelta(days=3)
    when = {"scheduled_start": "2026-09-01T22:00:00Z"}
    work = {**body, "checklist": [{"text": "Water off"}], "priority": "high"}
    for actions in (
        (),
        (("schedule", when),),
        ("start",),
        ("start", "hold"),
        (("complete", {"notes": "Done"}),),
        (("cancel", {"reason": "Moved"}),),
        ("complete", "reopen"),
        ("complete", "invoice"),
    ):
        made(client, "/v1/jobs", work, *actions)
    hours = [{"day": day, "start": "08:00", "end": "17:00"} for day in ("monday", "tuesday", "wednesday")]
    cy = made(client, "/v1/staff", {"name": "Cy", "hours": hours})["id"]
    visit = {"name": "Visit", "duration_minutes": 60, "price": "80.00", "staff_ids": [cy]}
    visit["gst_code"] = "gst" if registered else "out_of_scope"
    asked = made(client, "/v1/services", {**visit, "requires_confirmation": True})["id"]
    given = made(client, "/v1/services", visit)["id"]
    start = clock.time.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=20)
    for service, *actions in (
        (asked,),
        (asked, "confirm"),
        (asked, "decline"),
        (given,),
        (given, ("cancel", {"reason": "Ill"})),
        (given, "no_show"),
        (given, "complete"),
    ):
        start += timedelta(days=1)
        booking = {"service_id": service, "client_id": ada, "start_at": start.isoformat(), "force": True}
        made(client, "/v1/bookings", booking, *actions)


def spend(client: Client, clock: Clock, bea: str) -> None:
    category = client.get("/v1/expense_categories?per_page=1")["data"][0]["id"]
    for i, code in enumerate(("gst", "gst_free", "input_taxed", "capital", "capital_gst_free", "out_of_scope")):
        body = {"date": f"2026-0{i + 1}-30" if i != 1 else "2026-02-28", "category_id": category, "gst_code": code}
        for amount, more in (
            ("82.50", {}),
            ("82.51", {"supplier_id": bea}),
            ("1234.56", {"tax_invoice_held": True, "business_use_percent": "37.5", "billable": True}),
            ("99.99", {"tax_invoice_held": True, "supplier_name": "Shop", "date": "2019-06-30"}),
        ):
            made(client, "/v1/expenses", {**body, "amount": amount, **more})
        made(client, "/v1/expenses", {**body, "amount": "11.00"}, ("void", {"reason": "Twice"}))
    made(client, "/v1/expenses", {**body, "amount": "55.00", "gst_code": "gst", "gst": "4.32"})


def shown(client: Client) -> dict[str, Any]:
    """What the API answers about every record of a business."""
    found = {path: client.get(path)["data"] for path in (*SUMMARIES, "/v1/tenant")}
    for name in LISTS:
        for record in client.get(f"/v1/{name}?per_page=100&sort=created_at")["data"]:
            path = f"/v1/{name}/{record['id']}"
            found[path] = client.get(path)["data"]
    return found


def opened(url: str, clock: Any) -> App:
    folder = tempfile.mkdtemp(prefix="billycan-released-")
    given = {"secret": SECRET, "per_minute": 100_000, "per_second": 100_000, "shared_folder": folder}
    return App(Config(Settings(database=url, plugins=",".join(PLUGINS), **given), {}), clock)


def make(url: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Fill an empty database; what is shown of each business, by its id."""
    clock = Clock()
    app = opened(url, clock)
    migrate.upgrade(app.db, app.manifests)
    app.start()
    zone = {"timezone": "Australia/Hobart", "address": {"state": "TAS"}}
    gst = Client(app, profile={"name": "Derwent Plumbing", "legal_name": "Derwent Pty Ltd", **zone})
    without = Client(
        app, profile={"name": "Hobby", "abn": None, "gst_registered": False, "timezone": "Australia/Perth"}
    )
    clients = [(gst, True), (without, False), (gst.sandbox(), True)]
    for client, registered in clients:
        live(client, clock, registered=registered)
    clock.time = datetime(2026, 11, 21, tzinfo=UTC)
    for client, _ in clients:
        yield client.tenant_id, shown(client)
    app.close()


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    scratch, figures = Path(tempfile.mkdtemp()), {}
    figures["sqlite"] = dict(make(f"sqlite:///{scratch / 'made.db'}"))
    with sa.create_engine(f"sqlite:///{scratch / 'made.db'}").connect() as db:
        db.exec_driver_sql(f"VACUUM INTO '{scratch / 'small.db'}'")
    (folder / "sqlite.db.xz").write_bytes(lzma.compress((scratch / "small.db").read_bytes()))
    server = throwaway.start()
    assert server is not None
    url = server.database("made")
    figures["postgresql"] = dict(make(url.render_as_string(hide_password=False)))
    where = ["-h", str(url.query["host"]), "-p", str(url.query["port"]), "-U", "postgres"]
    dump = [shutil.which("pg_dump") or "pg_dump", *where, "--inserts", "--no-owner", "--no-privileges", "made"]
    written = subprocess.run(dump, check=True, capture_output=True, text=True).stdout.splitlines()
    # Settings of the session that dumps, and psql's own commands, are of no use to who reads it.
    kept = [
        line for line in written if line and not line.startswith(("--", "SET ", "SELECT pg_catalog.set_config", "\\"))
    ]
    (folder / "postgresql.sql.xz").write_bytes(lzma.compress("\n".join(kept).encode()))
    text = json.dumps(figures, default=str)
    (folder / "figures.json.xz").write_bytes(lzma.compress(text.encode()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
