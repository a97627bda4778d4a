"""The arithmetic of docs/scale.md: its day can be had, and its table and picture follow from what a day costs."""

import re
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from billycan.starting.plugins import first_party
from billycan.testing import Client

pytestmark = pytest.mark.sqlite_alone
LAB = Path(__file__).parent / "lab" / "scale"
PAGE = Path(__file__).parents[1] / "docs" / "scale.md"


@pytest.fixture
def needs(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Import tests/lab/scale/needs.py."""
    monkeypatch.syspath_prepend(LAB)
    import needs

    return needs


def costs(needs, **given):
    """Return a day that costs a millisecond of everything, with what is given."""
    return needs.Costs(**{member.name: 1.0 for member in msgspec.structs.fields(needs.Costs)} | given)


def test_each_request_of_the_day_is_answered(make_app, needs):
    c = Client(make_app(*first_party()))
    contact = c.post("/v1/contacts", {"name": "Ada Lovelace"})["data"]["id"]
    category = c.get("/v1/expense_categories")["data"][0]["id"]
    bodies = {
        "contacts": {"name": "Grace Hopper"},
        "expenses": {"date": "2026-04-01", "amount": 110, "category_id": category, "gst_code": "gst"},
    }
    document = {"client_id": contact, "line_items": [{"description": "Tap", "unit_price": 90}]}
    ids = {}
    for resource, (_, actions) in needs.WRITES.items():
        ids[resource] = c.post(f"/v1/{resource}", bodies.get(resource, document))["data"]["id"]
        for action, body in actions.items():
            c.post(f"/v1/{resource}/{ids[resource]}/{action}", body, 200)
    for path in needs.READS:
        c.get(path.format(id=ids["invoices"], contact=contact))


def test_needs_grow_with_the_number_of_businesses(needs):
    few, many = ({n.what: n.amount for n in needs.needs(costs(needs), number)} for number in (1_000, 100_000))
    for what in ("web processes", "workers", "PostgreSQL", "PostgreSQL beside replicas", "disk of 5 years"):
        assert many[what] == pytest.approx(100 * few[what])
    # 15 % of two requests of each come in one hour, and twice as many in its busiest seconds.
    assert many["web processes"] == pytest.approx(100_000 * 0.15 / 3600 * 2 * 2 / 1000 / 0.6)
    assert few["sessions without a pooler"] == 2 * 32  # a web process and a worker


def test_what_does_not_fit_on_a_host_is_bold(needs):
    found = needs.table(costs(needs, kept_kib=50.0))
    assert re.search(r"disk of 5 years, TiB \| 0\.09 \| 0\.8\d \| \*\*8\.\d\*\* \| 2 \|", found), found


def test_the_page_has_what_is_drawn(needs, tmp_path):
    (tmp_path / "scale.md").write_text(PAGE.read_text("utf-8"), "utf-8")
    needs.write(costs(needs), tmp_path)
    page = (tmp_path / "scale.md").read_text("utf-8")
    assert needs.table(costs(needs)) in page
    assert page.startswith("# From one host to many")
    assert page.endswith(PAGE.read_text("utf-8").partition(needs.END)[2])
    assert (tmp_path / "scale.svg").read_text("utf-8").count("<rect") == 1 + 3 + 3 * 7  # the paper, the names, the bars
