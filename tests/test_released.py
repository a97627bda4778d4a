"""A database of the release before the books, with rows in all states, is upgraded: it shows what it showed.

tests/released/make.py says how such a database is made.
"""

import json
import lzma
from decimal import Decimal
from pathlib import Path

import pytest
import sqlalchemy as sa

from billycan.starting import migrate
from billycan.testing import Client

FOLDER = Path(__file__).parent / "released" / "before_books"
PLUGINS = ("bookings", "contacts", "documents", "expenses", "hosted", "invoices", "jobs", "quotes", "staff", "webhooks")
D = Decimal
# All that there were then: quotes that were sent half a year ago have expired.
STATES = {
    "contacts": {"active", "archived"},
    "invoices": {"draft", "sent", "partially_paid", "paid", "void", "written_off"},
    "quotes": {"draft", "accepted", "declined", "expired", "cancelled", "invoiced", "converted"},
    "jobs": {"open", "scheduled", "in_progress", "on_hold", "complete", "cancelled"},
    "bookings": {"pending", "confirmed", "declined", "cancelled", "completed", "no_show"},
    "expenses": {"recorded", "void"},
}


def unpacked(name):
    return lzma.decompress((FOLDER / f"{name}.xz").read_bytes())


@pytest.fixture
def app(make_app, engine, databases):
    url = sa.make_url(databases.empty(engine))
    if engine == "sqlite":
        Path(url.database).touch(0o600)
        Path(url.database).write_bytes(unpacked("sqlite.db"))
    else:
        db = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
        with db.connect() as connection:
            connection.connection.driver_connection.execute(unpacked("postgresql.sql"))
    app = make_app(*PLUGINS, "reports", database=url.render_as_string(hide_password=False), migrated=False)
    migrate.upgrade(app.db, app.manifests)
    return app.start()


def differing(before, now, at=""):
    """Where what is shown now is not what was shown before; what was added since is no difference."""
    if at.endswith(".allowed_actions"):
        return sorted({*before} - {*now})
    if isinstance(before, dict) and isinstance(now, dict):
        return [x for name, value in before.items() for x in differing(value, now.get(name), f"{at}.{name}")]
    if isinstance(before, list) and isinstance(now, list) and len(now) == len(before):
        return [x for i, value in enumerate(before) for x in differing(value, now[i], f"{at}[{i}]")]
    return [] if before == now else [f"{at}: {before} {now}"]


def test_everything_is_what_it_was_and_adds_up_as_the_books_do(app, engine):
    for tenant_id, before in json.loads(unpacked("figures.json"))[engine].items():
        client = Client(app, tenant_id)
        now = json.loads(json.dumps({path: client.get(path)["data"] for path in before}, default=str))
        now_without_abn = [
            path for path, one in now.items() if path.startswith("/v1/expenses/exp_") and awaits_abn(one)
        ]
        # A named supplier without an ABN gives no tax invoice (s 29-70(1)(c) GST Act), which was not asked then.
        for path in (*now_without_abn, *(path for path in now if path.startswith("/v1/expenses/summary"))):
            for shown in (before, now):
                without_claim(shown[path])
        assert differing(before, now) == []
        invoices = [one for path, one in before.items() if path.startswith("/v1/invoices/")]
        for name, states in STATES.items():
            found = [one for path, one in before.items() if path.startswith(f"/v1/{name}/") and "summary" not in path]
            assert {one["status"] for one in found} == states
        due = sum(D(one["amount_due"]) for one in invoices if one["status"] in ("sent", "partially_paid"))
        assert client.get("/v1/reports/receivables")["data"]["total"] == due > 0
        paid = client.get("/v1/payments?per_page=100&status=recorded")["data"]
        assert sum(one["amount"] for one in paid) == sum(D(one["amount_paid"]) for one in invoices) > 0
        counted = [one for one in invoices if one["status"] not in ("draft", "void")]
        gst = client.get("/v1/reports/gst?from=2000-01-01&to=2026-11-21&basis=accrual")["data"]
        registered = now["/v1/tenant"]["gst_registered"]
        price = sum(D(part["net"]) + D(part["gst"]) for one in counted for part in taxable(one))
        assert gst["G1"]["amount"] == (price if registered else 0)
        spent = [
            one["gst_breakdown"]
            for path, one in before.items()
            if path.startswith("/v1/expenses/exp_") and path not in now_without_abn
        ]
        credits = [one["amount"] for one in gst["1B"]["documents"] if one["id"].startswith("exp_")]
        assert sum(credits) == sum(D(one["gst_claimable"]) for one in spent)


def awaits_abn(expense):
    return expense["gst_breakdown"]["claim_status"] == "awaiting_abn"


def without_claim(shown):
    """Leave out of an expense, or of sums of expenses, what can be claimed."""
    for one in shown if isinstance(shown, list) else [shown["gst_breakdown"]]:
        for name in ("gst_claimable", "claim_status"):
            one.pop(name, None)


def taxable(invoice):
    return [part for part in invoice["gst_breakdown"] if part["gst_code"] != "out_of_scope"]
