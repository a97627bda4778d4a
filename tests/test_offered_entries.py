"""Entries that a plugin of somebody else adds to the ledger: the example of docs/plugin-topics.md, with the assets."""

import re
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec.structs import replace

import billycan_assets.plugin
from billycan import Context, LedgerEntries
from billycan.testing import Client, run_timed
from billycan_reports.ledger.posting import post

pytestmark = pytest.mark.either
TOPICS = Path(__file__).parents[1] / "docs" / "plugin-topics.md"


@pytest.fixture
def in_ledger():
    section = TOPICS.read_text("utf-8").partition("\n## Ledger\n")[2].partition("\n## ")[0]
    (code,) = re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    made = {}
    exec(code, made)
    return made["in_ledger"]


def test_assets_are_in_the_ledger_too(make_app, monkeypatch, in_ledger):
    plugins = ("assets", "contacts", "reports")
    before = Client(make_app(*plugins))
    van = {"name": "Van", "cost": "33000.00", "bought_on": "2026-11-02"}
    before.post("/v1/assets", van)
    assert before.get("/v1/ledger_entries")["data"] == []
    monkeypatch.setattr(
        billycan_assets.plugin, "manifest", replace(billycan_assets.plugin.manifest, offers=(in_ledger,))
    )
    app = make_app(*plugins)
    client = Client(app, before.tenant_id)
    trailer = client.post("/v1/assets", {**van, "name": "Trailer", "cost": "1100.00"})["data"]["id"]
    shown = client.get("/v1/ledger_entries?sort=created_at")["data"]
    assert [(one["document"]["kind"], one["account"]["name"], one["debit"], one["credit"]) for one in shown] == [
        ("asset", "Equipment", Decimal("1100.00"), Decimal("0.00")),
        ("asset", "Bank", Decimal("0.00"), Decimal("1100.00")),
    ]
    run_timed(app)  # finds what was there before
    assert len(client.get("/v1/ledger_entries")["data"]) == 4
    client.delete(f"/v1/assets/{trailer}")
    taken_off = client.get(f"/v1/ledger_entries?document_id={trailer}")["data"]
    assert sum(one["debit"] - one["credit"] for one in taken_off if one["account"]["name"] == "Bank") == 0


def test_entries_that_do_not_add_up_are_refused(make_app, in_ledger):
    app = make_app("contacts", "reports")
    line = LedgerEntries.Line(date=date(2026, 11, 2), role="bank", amount=Decimal("1.00"))
    stands = {"ast_1": LedgerEntries.Standing(kind="asset", lines=[line])}
    unbalanced = replace(in_ledger, standing=lambda ctx, ids: stands)
    ctx = Context(app, Client(app).tenant_id)
    with pytest.raises(ValueError, match=r"add up to 1\.00 and not to zero"), ctx.transaction():
        post(ctx, unbalanced, ["ast_1"])
