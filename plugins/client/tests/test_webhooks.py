"""Deliveries are verified by Standard Webhooks and read as typed events."""

import base64
import datetime as dt
import json
import os
from decimal import Decimal
from functools import partial

import httpx2
import pytest
from standardwebhooks import Webhook

from billycan.starting.plugins import first_party
from billycan.testing import Client
from billycan_client import Billycan, UnexpectedAnswer, webhooks
from billycan_client.webhooks import (
    EVENTS,
    Event,
    InvoicePaid,
    OtherEvent,
    VerificationError,
    verify,
)

pytestmark = pytest.mark.either

SECRET = "whsec_" + base64.b64encode(b"k" * 32).decode()
NOW = 1_795_219_200
PAYLOAD = b'{"event": "ping", "timestamp": "2026-11-21T00:00:00.005Z", "data": {"total": 0.10}}'


def signed(body=PAYLOAD, secret=SECRET, at=NOW):
    sent_at = dt.datetime.fromtimestamp(at, dt.UTC)
    return {
        "Webhook-Id": "evt_1",
        "Webhook-Timestamp": str(at),
        "Webhook-Signature": Webhook(secret).sign("evt_1", sent_at, body.decode()),
        "Billycan-Environment": "sandbox",
    }


def read(headers, body=PAYLOAD, now=NOW, **given) -> Event:
    return verify(SECRET, headers, body, now=lambda: now, **given)


def test_a_delivery_is_an_event():
    event = read(signed())
    assert isinstance(event, OtherEvent) and (event.event, event.id, event.environment) == ("ping", "evt_1", "sandbox")
    assert event.timestamp == dt.datetime(2026, 11, 21, microsecond=5000, tzinfo=dt.UTC)
    assert event.data == {"total": Decimal("0.10")}


def test_one_of_several_signatures_is_enough():
    other = "whsec_" + base64.b64encode(os.urandom(24)).decode()
    both = {**signed(), "Webhook-Signature": f"v1a,xx {signed(secret=other)['Webhook-Signature']} "}
    with pytest.raises(VerificationError, match="no signature"):
        read(both)
    both["Webhook-Signature"] += signed()["Webhook-Signature"]
    assert read(both).id == "evt_1"


@pytest.mark.parametrize(
    "headers, body",
    [
        (signed(), PAYLOAD + b" "),
        (signed() | {"Webhook-Id": "evt_2"}, PAYLOAD),
        (signed() | {"Webhook-Timestamp": str(NOW + 1)}, PAYLOAD),
        (signed() | {"Webhook-Timestamp": "soon"}, PAYLOAD),
        (signed() | {"Webhook-Signature": ""}, PAYLOAD),
        (signed() | {"Webhook-Signature": "v1,"}, PAYLOAD),
        (signed() | {"Webhook-Signature": "v1,ünïcode"}, PAYLOAD),
        (signed() | {"Webhook-Signature": signed()["Webhook-Signature"].removeprefix("v1,")}, PAYLOAD),
        (signed() | {"Webhook-Signature": signed()["Webhook-Signature"].replace("v1,", "v2,")}, PAYLOAD),
        ({}, PAYLOAD),
    ],
)
def test_what_is_not_signed_is_refused(headers, body):
    with pytest.raises(VerificationError):
        read(headers, body)


def test_a_delivery_too_old_or_too_new_is_refused():
    for away in (-301, 301):
        with pytest.raises(VerificationError, match="too old or from the future"):
            read(signed(), now=NOW + away)
        assert read(signed(), now=NOW + away, tolerance_seconds=400).id == "evt_1"
    assert read(signed(), now=NOW + 299).id == "evt_1"


def test_a_secret_that_is_none_is_not_shown():
    with pytest.raises(ValueError, match="whsec_") as caught:
        verify("whsec_not*base64", signed(), PAYLOAD)
    assert "not*" not in str(caught.value) and caught.value.__cause__ is None


def test_a_signed_body_that_is_no_event_is_an_error():
    for body in (b"{}", b"", b'{"event": "invoice.paid", "timestamp": "2026-11-21T00:00:00Z", "data": {}}'):
        with pytest.raises(UnexpectedAnswer):
            read(signed(body), body)


@pytest.mark.whole
def test_every_declared_event_has_a_type(make_app):
    app = make_app(*sorted(first_party()))
    declared = {name for manifest in app.manifests.values() for name in manifest.events}
    assert declared == set(EVENTS) and all(hasattr(webhooks, kind.__name__) for kind in EVENTS.values())


@pytest.mark.whole
def test_real_events_are_read(make_app, example, monkeypatch):
    app = make_app(*sorted(first_party()))
    business = Client(app)
    with Billycan("http://api.test", business.secret, transport=httpx2.WSGITransport(app=app.wsgi)) as api:
        ada = api.contacts.create(name="Ada")
        line = webhooks.models.NewLine(description="Labour", unit_price="95.50")
        draft = api.invoices.create(client_id=ada.id, line_items=[line])
        api.invoices.pay(draft.id, payment_method="card")
        expense = {"date": dt.date(2026, 11, 20), "amount": "11.00", "description": "Elbows"}
        category = api.expense_categories.list().first().id
        api.expenses.void(api.expenses.create(category_id=category, **expense).id, reason="Twice")
        api.contacts.delete(api.contacts.create(name="Bob").id)
    monkeypatch.setattr(example, "verify", partial(verify, now=lambda: NOW))
    kinds, heard = {}, []
    for logged in business.get("/v1/events?per_page=100")["data"]:
        payload = {"event": logged["event"], "timestamp": logged["created_at"], "data": logged["data"]}
        body = json.dumps(payload, default=float).encode()
        event = read(signed(body), body)
        kinds[event.event] = event
        heard.append(example.heard(SECRET, signed(body), body))
        assert type(event) is EVENTS[event.event]
    assert len(kinds) >= 7
    paid = kinds["invoice.paid"]
    assert isinstance(paid, InvoicePaid) and paid.data.id == draft.id and paid.data.total == Decimal("105.05")
    assert paid.data.payment_method == "card" and kinds["contact.deleted"].data.id
    assert {"INV-0001 was paid", "Ada was added", "contact.deleted"} <= {*heard}
    assert example.heard(SECRET, signed(), PAYLOAD) == "ping is new"
