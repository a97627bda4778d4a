"""Make the databases that tests/test_released.py upgrades: rows in all states, as a release stored and showed them.

Run it once for each release, with the release's own code: see docs/releasing.md. It writes a database of each kind, and
writes the API's answers about every record and in every report to figures.json.
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
from billycan.starting.plugins import first_party
from billycan.starting.settings import Config, Settings
from billycan.testing import Client, throwaway

SECRET = "a secret for tests that is long enough"  # as the kit's, so that links stay what they were
END = datetime(2026, 11, 21, tzinfo=UTC)  # when all is shown, and the time at which tests begin
# Sent from here on without anybody's doing: no worker runs.
PASSING = ("/v1/emails", "/v1/webhook_deliveries")
REPORTS = (
    *(f"/v1/expenses/summary?group_by={by}" for by in ("category", "gst_code", "month")),
    *(f"/v1/invoices/summary?group_by={by}" for by in ("client", "month")),
    *(
        f"/v1/reports/gst?from={since}&to={until}&basis={basis}"
        for basis in ("accrual", "cash")
        for since, until in (("2026-01-01", "2026-03-31"), ("2026-04-01", "2026-06-30"), ("2026-07-01", "2026-09-30"))
    ),
    "/v1/reports/gst/periods?from=2026-01-01",
    "/v1/reports/receivables",
    "/v1/reports/taxable_payments?year=2026",
    "/v1/tenant",
)
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
    """Return the record that a POST makes, after these actions: names, or names with a body."""
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
    made(client, "/v1/webhook_endpoints", {"url": "https://example.com/hooks", "events": ["*"]})
    labour = {"name": "Labour", "unit": "hour", "unit_price": "98.0000"}
    item = made(client, "/v1/items", {**labour, "gst_code": "gst" if registered else "out_of_scope"})["id"]
    sell(client, clock, ada, registered=registered)
    receive(client, ada)
    take_off(client, ada)
    repeat(client, ada, item)
    offer_and_work(client, clock, ada, registered=registered)
    claim(client, clock, ada)
    spend(client, clock, bea)


def sell(client: Client, clock: Clock, ada: str, *, registered: bool) -> None:
    codes = CODES if registered else ("out_of_scope",)
    mixed = [line for i, code in enumerate(codes) for line in lines(f"{i + 1}33.3333", quantity="3", gst_code=code)]
    mixed[0]["discount_percent"] = "12.5"
    paid = {"amount": "40.05", "payment_method": "cash", "paid_at": "2026-05-04T13:45:00+10:00"}
    card = {"amount": "25.10", "payment_method": "card", "reference": "R-1"}
    for terms in ({"amounts_are": "inclusive"}, {"gst_rounding": "per_line", "discount_amount": "10.01"}):
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


def receive(client: Client, ada: str) -> None:
    """Payments in every state: for two invoices, with some left over, refunded in part, and reversed."""
    one, two = (made(client, "/v1/invoices", {"client_id": ada, "line_items": lines("70")}, "send") for _ in range(2))
    receipt = {"client_id": ada, "payment_method": "bank_transfer", "paid_at": "2026-05-05"}
    parts = [{"invoice_id": one["id"], "amount": str(one["amount_due"])}, {"invoice_id": two["id"], "amount": "5.50"}]
    made(client, "/v1/payments", {**receipt, "amount": "100.00", "allocations": parts})
    refund = ("refund", {"amount": "30.00", "payment_method": "bank_transfer"})
    made(client, "/v1/payments", {**receipt, "amount": "80.00"}, refund)
    made(client, "/v1/payments", {**receipt, "amount": "60.00"}, ("reverse", {"reason": "Bounced", "mistake": False}))


def take_off(client: Client, ada: str) -> None:
    """Adjustment notes in every state, of invoices that were paid and were not; and a write-off that was undone."""
    body = {"client_id": ada, "line_items": lines("200", "99.95")}
    part = [{"description": "Less", "unit_price": "10.01"}]
    for actions in (("send",), (("pay", {"payment_method": "card"}),)):
        for does in ((), ("issue",), ("issue", ("void", {"reason": "Wrong"}))):
            invoice = made(client, "/v1/invoices", body, *actions)["id"]
            made(
                client,
                "/v1/adjustment_notes",
                {"invoice_id": invoice, "reason": "price_change", "line_items": part},
                *does,
            )
    invoice = made(client, "/v1/invoices", body, "send")["id"]
    made(client, "/v1/adjustment_notes", {"invoice_id": invoice, "reason": "cancelled", "full": True}, "issue")
    made(client, "/v1/invoices", body, "send", ("write_off", {}), ("undo_write_off", {"mistake": False}))


def repeat(client: Client, ada: str, item: str) -> None:
    body = {"client_id": ada, "frequency": "month", "line_items": [{"item_id": item, "quantity": "1.5"}]}
    made(client, "/v1/recurring_invoices", {**body, "start_on": "2026-12-31", "then": "send"})
    made(client, "/v1/recurring_invoices", {**body, "start_on": "2026-12-15", "then": "draft", "count": 3}, "pause")
    made(client, "/v1/recurring_invoices", {**body, "start_on": "2027-01-01", "then": "email"}, "end")


def claim(client: Client, clock: Clock, ada: str) -> None:
    """A deposit, a progress claim with retention, a part payment and a final invoice, of three jobs."""
    work = {"client_id": ada, "title": "Bathroom", "line_items": lines("4000.05", "700")}
    jobs = [made(client, "/v1/jobs", work, "start")["id"] for _ in range(3)]
    for job, *parts in (
        (jobs[0], {"percent": 20, "claim": "deposit"}),
        (jobs[1], {"percent": 30, "claim": "progress", "retention_percent": 5}, {}),
        (jobs[2], {"percent": 25, "claim": "part_payment"}, {}),
    ):
        for part in parts:
            invoice = made(client, f"/v1/jobs/{job}/invoice", part)["id"]
            client.post(f"/v1/invoices/{invoice}/send", {}, 200)
            clock.time += timedelta(days=1)
        client.post(f"/v1/invoices/{invoice}/payments", {"amount": "100.00", "payment_method": "card"})


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


def close_books(client: Client) -> None:
    """Lodge two quarters, open the later one again, and lock the books before."""
    made(client, "/v1/gst_periods", {"from": "2026-04-01", "to": "2026-06-30"})
    made(client, "/v1/gst_periods", {"from": "2026-07-01", "to": "2026-09-30"}, ("reopen", {"reason": "Too early"}))
    client.patch("/v1/tenant", {"locked_until": "2026-03-31"})


def lists(app: App) -> list[str]:
    """The paths of everything that has a list and records of its own."""
    paths = {route.path for one in app.manifests.values() for route in one.routes if route.method == "GET"}
    return sorted(path for path in paths if f"{path}/{{id}}" in paths and path not in PASSING)


def shown(client: Client) -> dict[str, Any]:
    """Return the API's answers for every record of a business, and its reports."""
    found = {path: client.get(path)["data"] for path in REPORTS}
    for name in lists(client.app):
        page = client.get(f"{name}?per_page=100") if name != "/v1/attachments" else {"data": [], "pagination": {}}
        assert page["pagination"].get("next_cursor") is None, f"{name} has more than a page"
        for record in page["data"]:
            found[f"{name}/{record['id']}"] = client.get(f"{name}/{record['id']}")["data"]
            if name == "/v1/contacts":
                path = f"{name}/{record['id']}/statement?from=2026-01-01&to=2026-11-20"
                found[path] = client.get(path)["data"]
    return found


def opened(url: str, clock: Any) -> App:
    folder = tempfile.mkdtemp(prefix="billycan-released-")
    room = dict.fromkeys(("per_minute", "per_second", "business_per_minute", "business_per_second"), 100_000)
    given = {"secret": SECRET, "shared_folder": folder, **room}
    plugins = ",".join(sorted(first_party()))
    attachments = {"attachments": {"folder": f"{folder}/attachments"}}
    return App(Config(Settings(database=url, plugins=plugins, **given), attachments), clock)


def make(url: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Fill an empty database; what is shown of each business, by its id."""
    clock = Clock()
    app = opened(url, clock)
    migrate.upgrade_all(app.db, app.manifests)
    app.start()
    zone = {"timezone": "Australia/Hobart", "address": {"state": "TAS"}}
    gst = Client(app, profile={"name": "Derwent Plumbing", "legal_name": "Derwent Pty Ltd", **zone})
    without = Client(
        app, profile={"name": "Hobby", "abn": None, "gst_registered": False, "timezone": "Australia/Perth"}
    )
    clients = [(gst, True), (without, False)]
    for client, registered in clients:
        live(client, clock, registered=registered)
    made(gst.sandbox(), "/v1/contacts", {"name": "Ada, tried out"})
    clock.time = END
    for client, registered in clients:
        if registered:
            close_books(client)
        yield client.tenant_id, shown(client)
    app.close()


def packed(content: bytes) -> bytes:
    return lzma.compress(content, preset=9 | lzma.PRESET_EXTREME)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    scratch, figures = Path(tempfile.mkdtemp()), {}
    figures["sqlite"] = dict(make(f"sqlite:///{scratch / 'made.db'}"))
    with sa.create_engine(f"sqlite:///{scratch / 'made.db'}").connect() as db:
        db.exec_driver_sql(f"VACUUM INTO '{scratch / 'small.db'}'")
    (folder / "sqlite.db.xz").write_bytes(packed((scratch / "small.db").read_bytes()))
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
    (folder / "postgresql.sql.xz").write_bytes(packed("\n".join(kept).encode()))
    text = json.dumps(figures, default=str)
    (folder / "figures.json.xz").write_bytes(packed(text.encode()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
