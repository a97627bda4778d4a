"""The eight events of the specification, made for real and delivered: documents and samples must look just so.

BILLYCAN_WRITE_SAMPLES=1 writes samples.json and the examples in docs/webhooks.md anew.
"""

import json
import os
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from billycan import plugins
from billycan.testing import Client
from billycan_webhooks import commands

EVENTS = (
    "invoice.created", "invoice.paid", "quote.accepted", "booking.created", "booking.cancelled", "contact.created",
    "job.completed", "expense.created",
)  # fmt: skip
SAMPLES = Path(commands.__file__).with_name("samples.json")
DOCUMENT = Path(__file__).parents[3] / "docs" / "webhooks.md"
ALL = ("bookings", "contacts", "expenses", "gst", "hosted", "invoices", "jobs", "quotes", "staff", "webhooks")
BEGIN, END = "<!-- examples -->", "<!-- end of examples -->"


def make_all_eight(client):
    """A tap mended in Hobart, from the first call to the receipt for the parts."""
    ada = client.post(
        "/v1/contacts",
        {
            "name": "Salamanca Bakery",
            "email": "orders@example.com",
            "phone": "03 5550 0134",
            "billing_address": {"line1": "12 Salamanca Place", "suburb": "Hobart", "state": "TAS", "postcode": "7000"},
        },
    )["data"]
    lines = [{"description": "Hot water unit, fitted", "quantity": 1, "unit_price": "1100.00"}]
    quote = client.post("/v1/quotes", {"client_id": ada["id"], "title": "New hot water", "line_items": lines})["data"]
    client.post(f"/v1/quotes/{quote['id']}/send", status=200)
    client.post(f"/v1/quotes/{quote['id']}/accept", {"name": "Ada Baker", "email": "ada@example.com"}, 200)
    hours = [{"day": day, "start": "08:00", "end": "17:00"} for day in ("monday", "tuesday")]
    grace = client.post("/v1/staff", {"name": "Grace", "hours": hours})["data"]
    service = client.post("/v1/services", {"name": "Hot water", "duration_minutes": 120, "price": "180.00"})["data"]
    slot = {"service_id": service["id"], "client_id": ada["id"], "staff_id": grace["id"]}
    booking = client.post("/v1/bookings", {**slot, "start_at": "2026-11-23T09:00:00+11:00"})["data"]
    client.post(f"/v1/bookings/{booking['id']}/cancel", {"reason": "Rain"}, 200)
    job = client.post("/v1/jobs", {"client_id": ada["id"], "title": "Fit hot water unit", "line_items": lines})["data"]
    client.post(f"/v1/jobs/{job['id']}/complete", {"notes": "Old unit taken away"}, 200)
    invoice = client.post("/v1/invoices", {"client_id": ada["id"], "line_items": lines})["data"]
    client.post(f"/v1/invoices/{invoice['id']}/pay", {"payment_method": "bank_transfer"}, 200)
    category = client.get("/v1/expense_categories")["data"][0]
    client.post(
        "/v1/expenses",
        {"date": "2026-11-20", "amount": "64.90", "category_id": category["id"], "description": "Copper elbows"},
    )


def shape(value):
    """What a value is made of: members in their order, and kinds of values; null goes with anything."""
    if isinstance(value, dict):
        return {name: shape(member) for name, member in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return "number" if isinstance(value, int | Decimal) and not isinstance(value, bool) else type(value).__name__


def exact(body):
    return json.loads(body, parse_float=Decimal)


@pytest.fixture
def delivered(make_app, receive, drain, subscribe):
    if missing := set(ALL) - set(plugins.installed()):
        pytest.skip(f"not installed: {missing}")
    app, receiver = make_app(*ALL, fresh=True, webhooks={"allow_private": True}), receive()
    client = Client(app)
    endpoint = subscribe(client, receiver.url)
    make_all_eight(client)
    for _ in range(4):
        drain(app)
    found = {}
    for i, (_, body, _) in enumerate(receiver.requests):
        receiver.verified(endpoint["secret"], i)
        found[exact(body)["event"]] = body
    return found


def test_each_event_is_delivered_as_documented(delivered):
    assert set(EVENTS) <= set(delivered)
    if os.environ.get("BILLYCAN_WRITE_SAMPLES"):
        _write(delivered)
    samples, document = SAMPLES.read_text(), DOCUMENT.read_text()
    for name in EVENTS:
        real, sample = exact(delivered[name]), exact(samples)[name]
        assert list(real) == ["event", "timestamp", "data"] == list(sample)
        assert shape(real) == shape(sample), f"{name}: run this test with BILLYCAN_WRITE_SAMPLES=1"
        assert f"```json\n{_formatted(samples, name)}\n```" in document, name
    paid = exact(delivered["invoice.paid"])["data"]
    assert {"id", "number", "total", "paid_at", "payment_method"} <= set(paid) and paid["paid_at"]


def test_no_payload_holds_a_link_or_a_secret(delivered):
    for body in delivered.values():
        text = body.decode()
        assert "hosted" not in text and "http" not in text and "whsec_" not in text and "svc_" not in text


def _formatted(samples, name):
    raw = msgspec.json.decode(samples.encode(), type=dict[str, msgspec.Raw])[name]
    return msgspec.json.format(bytes(raw), indent=2).decode()


def _write(delivered):
    members = ",\n".join(f'"{name}": {delivered[name].decode()}' for name in EVENTS)
    SAMPLES.write_bytes(msgspec.json.format(f"{{{members}}}".encode(), indent=1) + b"\n")
    parts = [f"### `{name}`\n\n```json\n{_formatted(SAMPLES.read_text(), name)}\n```\n" for name in EVENTS]
    before, _, rest = DOCUMENT.read_text().partition(BEGIN)
    DOCUMENT.write_text(before + BEGIN + "\n\n" + "\n".join(parts) + "\n" + END + rest.partition(END)[2])
