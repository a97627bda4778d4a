"""The README's Python runs as it stands, one snippet after the other."""

import base64
import datetime as dt
import re
from functools import partial
from pathlib import Path

import httpx2
import pytest
from standardwebhooks import Webhook

import billycan_client
from billycan.starting.plugins import first_party
from billycan.testing import Client
from billycan_client import webhooks

pytestmark = pytest.mark.either

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
NOW = dt.datetime(2026, 11, 21, tzinfo=dt.UTC)
SECRET = "whsec_" + base64.b64encode(b"k" * 32).decode()


def test_every_snippet_runs(make_app, monkeypatch, capsys):
    app = make_app(*sorted(first_party() | {"invoices"}))
    business = Client(app)
    connected = partial(billycan_client.Billycan, transport=httpx2.WSGITransport(app=app.wsgi))
    monkeypatch.setattr(billycan_client, "Billycan", connected)
    monkeypatch.setattr(webhooks, "verify", partial(webhooks.verify, now=NOW.timestamp))
    body = b'{"event": "other.happened", "timestamp": "2026-11-21T00:00:00Z", "data": {}}'
    good = Webhook(SECRET).sign("evt_1", NOW, body.decode())
    headers = {"webhook-id": "evt_1", "webhook-timestamp": str(int(NOW.timestamp())), "webhook-signature": "v1,eA=="}
    names = {"secret": SECRET, "body": body, "headers": headers}
    snippets = re.findall("```python\n(.*?)```", README, re.DOTALL)
    assert len(snippets) == 6
    for snippet in snippets:
        exec(snippet.replace("svc_test_…", business.secret), names)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("INV-0001 262.63 2026-12-05 http")
    assert printed[1:] == ["INV-0001 262.63", "1 of 1", "reason required must not be empty"]
    assert names["bakery"].tags == ["north"] and names["newest"].number == "INV-0001" and names["how_many"] == 1
    assert names["status"] == 401
    headers["webhook-signature"] = good
    exec(snippets[4], names)
    assert names["status"] == 204
    made = {"client_id": names["bakery"].id, "line_items": [{"description": "Tap", "unit_price": "10.00"}]}
    names["push_new"]("L-1", **made)
    names["pull"]()
    (ours,) = [each for each in names["ledger"].values() if each.external_id == "L-1"]
    path = f"/v1/invoices/{ours.id}"
    business.patch(path, {"notes": "theirs"})
    assert names["push_change"](ours.id, notes="ours") is False
    assert names["ledger"][ours.id].notes == "theirs"
    business.patch(path, {"reference": "theirs"})
    assert names["push_change"](ours.id, notes="ours") is True
    stored = business.get(path)["data"]
    assert (stored["notes"], stored["reference"]) == ("ours", "theirs")
    assert (names["ledger"][ours.id].notes, names["ledger"][ours.id].version) == ("ours", stored["version"])
    business.delete(path)
    assert names["push_change"](ours.id, notes="too late") is False
    names["pull"]()
    listed = business.get("/v1/invoices")["data"]
    assert {id: each.version for id, each in names["ledger"].items()} == {
        each["id"]: each["version"] for each in listed
    }
