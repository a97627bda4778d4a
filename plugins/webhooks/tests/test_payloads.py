"""The eight events of the specification, made for real and delivered, look just as the recorded examples do.

BILLYCAN_RECORD=1 writes the example of docs/webhooks.md anew.
"""

import json
import os
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from billycan.starting.plugins import first_party
from billycan.testing import Client
from billycan.tools.trigger import trigger
from billycan.web import encode

pytestmark = [pytest.mark.whole, pytest.mark.either]

EVENTS = (
    "invoice.created", "invoice.paid", "quote.accepted", "booking.created", "booking.cancelled", "contact.created",
    "job.completed", "expense.created",
)  # fmt: skip
DOCUMENT = Path(__file__).parents[3] / "docs" / "webhooks.md"
BEGIN, END = "<!-- examples -->\n", "<!-- end of examples -->\n"
ALL = sorted(first_party())


def alike(one, other):
    """Tell whether two values have the same members and kinds of values; null and an empty list match anything."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[name], other[name]) for name in one if name != "metadata")
    if isinstance(one, list) and isinstance(other, list):
        return not one or not other or alike(one[0], other[0])
    numbers = all(isinstance(v, int | Decimal) and not isinstance(v, bool) for v in (one, other))
    return one is None or other is None or numbers or type(one) is type(other)


def exact(body):
    return json.loads(body, parse_float=Decimal)


@pytest.fixture
def delivered(make_app, receive, drain, subscribe):
    """The body of each of the eight, as it arrived."""
    app, receiver = make_app(*ALL, fresh=True, webhooks={"allow_private": True}), receive()
    client = Client(app).sandbox()
    endpoint = subscribe(client, receiver.url, *EVENTS)
    for event in EVENTS:
        trigger(app, client.tenant_id, event)
    while client.get("/v1/webhook_deliveries?status=pending")["data"]:
        drain(app)
    for i in range(len(receiver.requests)):
        receiver.verified(endpoint["secret"], i)
    return {exact(body)["event"]: body for _, body, _ in receiver.requests}, app.openapi()["webhooks"]


def recorded(webhooks, name):
    return webhooks[name]["post"]["requestBody"]["content"]["application/json"]["example"]


def test_each_event_is_delivered_as_documented(delivered):
    bodies, webhooks = delivered
    assert set(bodies) == set(EVENTS)
    document = DOCUMENT.read_text("utf-8")
    for name in EVENTS:
        assert list(exact(bodies[name])) == ["event", "timestamp", "data"]
        assert alike(exact(bodies[name]), exact(encode(recorded(webhooks, name)))), name
        assert f"| `{name}` |" in document
    paid = exact(bodies["invoice.paid"])["data"]
    assert {"id", "number", "total", "paid_at", "payment_method"} <= set(paid) and paid["paid_at"]


def test_the_example_of_the_document_is_the_recorded_one(make_app):
    example = encode(recorded(make_app(*ALL).openapi()["webhooks"], "invoice.paid"))
    block = f"{BEGIN}\n```json\n{msgspec.json.format(example, indent=2).decode()}\n```\n\n{END}"
    text = DOCUMENT.read_text("utf-8")
    if os.environ.get("BILLYCAN_RECORD"):
        text = text.partition(BEGIN)[0] + block + text.partition(END)[2]
        DOCUMENT.write_text(text, "utf-8")
    assert block in text, "BILLYCAN_RECORD=1 writes it anew"


def test_no_payload_holds_a_link_or_a_secret(delivered):
    for body in delivered[0].values():
        text = body.decode()
        assert "hosted" not in text and "http" not in text and "whsec_" not in text and "svc_" not in text
