"""The databases of each release, with rows in all states, are upgraded: the API shows the same, and work goes on.

tests/released/make.py makes these databases.
"""

import json
import lzma
import re
from decimal import Decimal
from pathlib import Path

import pytest
import sqlalchemy as sa

from billycan.starting import migrate
from billycan.starting.plugins import first_party
from billycan.testing import Client

FOLDER = Path(__file__).parent / "released"
RELEASES = sorted(path.name for path in FOLDER.glob("*.*.*"))
D = Decimal
STATES = {
    "contacts": {"active", "archived"},
    "invoices": {"draft", "sent", "partially_paid", "paid", "void", "written_off", "credited"},
    "payments": {"recorded", "reversed"},
    "adjustment_notes": {"draft", "issued", "void"},
    "recurring_invoices": {"active", "paused", "ended"},
    "gst_periods": {"lodged", "reopened"},
    # Those that were sent half a year ago have expired.
    "quotes": {"draft", "accepted", "declined", "expired", "cancelled", "invoiced", "converted"},
    "jobs": {"open", "scheduled", "in_progress", "on_hold", "complete", "cancelled"},
    "bookings": {"pending", "confirmed", "declined", "cancelled", "completed", "no_show"},
    "expenses": {"recorded", "void"},
}


@pytest.fixture(params=RELEASES)
def release(request):
    return request.param


def unpacked(release, name):
    return lzma.decompress((FOLDER / release / f"{name}.xz").read_bytes())


@pytest.fixture
def app(make_app, engine, databases, release):
    url = sa.make_url(databases.empty(engine))
    if engine == "sqlite":
        Path(url.database).touch(0o600)
        Path(url.database).write_bytes(unpacked(release, "sqlite.db"))
    else:
        db = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
        with db.connect() as connection:
            connection.connection.driver_connection.execute(unpacked(release, "postgresql.sql"))
    app = make_app(*first_party(), database=url.render_as_string(hide_password=False), migrated=False)
    migrate.upgrade_all(app.db, app.manifests)
    return app.start()


def differing(before, now, at=""):
    """List the differences between what the API shows now and what it showed before; members added since are none."""
    if at.endswith(".allowed_actions"):
        return sorted({*before} - {*now})
    if isinstance(before, dict) and isinstance(now, dict):
        return [x for name, value in before.items() for x in differing(value, now.get(name), f"{at}.{name}")]
    if isinstance(before, list) and isinstance(now, list) and len(now) == len(before):
        return [x for i, value in enumerate(before) for x in differing(value, now[i], f"{at}[{i}]")]
    return [] if before == now else [f"{at}: {before} {now}"]


@pytest.mark.long
@pytest.mark.whole
def test_everything_is_what_it_was_and_goes_on(app, engine, release):
    for name, manifest in app.manifests.items():
        assert migrate.find_differences(app.db, name, manifest.tables) == [], name
    for tenant_id, before in json.loads(unpacked(release, "figures.json"))[engine].items():
        client = Client(app, tenant_id)
        now = json.loads(json.dumps({path: client.get(path)["data"] for path in before}, default=str))
        assert differing(before, now) == []
        registered = now["/v1/tenant"]["gst_registered"]
        for name, states in STATES.items():
            found = {one["status"] for path, one in before.items() if is_record(path, name)}
            assert found == (states if registered or name != "gst_periods" else set()), name
        invoices = [one for path, one in before.items() if is_record(path, "invoices")]
        due = sum(D(one["amount_due"]) for one in invoices if one["status"] in ("sent", "partially_paid"))
        assert client.get("/v1/reports/receivables")["data"]["total"] == due > 0
        go_on(client, next(one for one in invoices if one["status"] == "sent"))


def test_each_release_left_its_databases():
    changelog = (FOLDER.parents[1] / "docs" / "changelog.md").read_text("utf-8")
    days = re.findall(r"^## (\d+\.\d+\.\d+) \(", changelog, re.MULTILINE)
    assert RELEASES and {*days[:1]} <= {*RELEASES}, "docs/releasing.md says how tests/released is filled"


def is_record(path, name):
    return path.startswith(f"/v1/{name}/") and path.count("/") == 3 and "summary" not in path


def go_on(client, invoice):
    """Pay a sent invoice, and check that the next number of each kind follows the last."""
    paid = client.post(f"/v1/invoices/{invoice['id']}/pay", {"payment_method": "card"}, 200)["data"]
    assert (paid["status"], paid["amount_due"]) == ("paid", 0)
    kinds = {"invoices": {}, "quotes": {}, "jobs": {"title": "Fix"}}
    for name, more in kinds.items():
        last = client.get(f"/v1/{name}?sort=-number&per_page=1")["data"][0]["number"]
        body = {"client_id": invoice["client"]["id"], "line_items": [{"description": "Labour", "unit_price": "1"}]}
        made = client.post(f"/v1/{name}", {**body, **more})["data"]["number"]
        assert int(made.rpartition("-")[2]) == int(last.rpartition("-")[2]) + 1
    before = client.get("/v1/contacts?per_page=1")["pagination"]["total"]
    client.post("/v1/contacts", {"name": "Later"})
    assert client.get("/v1/contacts?per_page=1")["pagination"]["total"] == before + 1
