"""Tests that money reported by a payment provider's plugin is checked like a client's request."""

from datetime import datetime
from decimal import Decimal

import pytest

from billycan import Context, Invalid
from billycan.testing import Client
from billycan_invoices.api import take_payment


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(
    ("wrong", "param"),
    [
        ({"amount": Decimal("-5.00")}, "amount"),
        ({"amount": Decimal("0.001")}, "amount"),
        ({"payment_method": ""}, "payment_method"),
        ({"external_id": "x" * 101}, "external_id"),
        ({"reference": "a\0b"}, "reference"),
        ({"paid_at": datetime(2026, 11, 20, 9, 0)}, "paid_at"),  # noqa: DTZ001 - in no time zone
    ],
)
def test_money_that_cannot_be_is_refused(make_app, wrong, param):
    client = Client(make_app("contacts", "documents", "hosted", "invoices"))
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    lines = [{"description": "Tap", "unit_price": "10.00"}]
    invoice = client.post("/v1/invoices", {"client_id": ada, "line_items": lines})["data"]["id"]
    client.post(f"/v1/invoices/{invoice}/send", status=200)
    ctx = Context(client.app, client.tenant_id)
    given = {"amount": Decimal("5.00"), "payment_method": "card", "external_id": "pay 1", **wrong}
    with pytest.raises(Invalid) as refused, ctx.transaction():
        take_payment(ctx, invoice, **given)
    assert [fault.param for fault in refused.value.details] == [param]
    assert client.get("/v1/payments")["data"] == []
