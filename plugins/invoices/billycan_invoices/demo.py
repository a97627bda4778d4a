"""Sample invoices of an invented plumber in Hobart: last month's work, in every state, and adjustment notes."""

from decimal import Decimal
from typing import Any

from billycan import Context
from billycan.demo import ago
from billycan.fields import Description
from billycan_contacts import api as contacts

from .api import make
from .invoices.handlers import send_invoice, void_invoice, write_off_invoice
from .invoices.schemas import InvoiceVoiding, InvoiceWriteOff, PaymentMethod, Reason
from .note_resource import NewAdjustmentNote, NewNoteLine
from .notes.handlers import create_adjustment_note, issue_adjustment_note
from .payments.invoice_handlers import add_payment, pay_invoice, reverse_payment
from .payments.schemas import NewPayment, PaymentReversal, Settlement
from .resource import Invoice

_CALL_OUT = {"description": "Call-out and first half hour", "unit_price": "145.00"}
_LABOUR = {"description": "Labour, licensed plumber", "unit": "hour", "unit_price": "120.00"}
_CARD, _TRANSFER = PaymentMethod("card"), PaymentMethod("bank_transfer")


def add_samples(ctx: Context) -> None:
    """Add the sample invoices, the oldest first, so that numbers follow dates."""
    old = _send_sample(ctx, "Odo", 140, _CALL_OUT)
    with ago(ctx, 60):
        write_off_invoice(ctx, old.id, InvoiceWriteOff(reason=Reason("The tenant moved away")))

    trap = _send_sample(
        ctx,
        "Brindle Wren",
        45,
        {"description": "Grease trap pump-out, 1,000 L", "unit_price": "385.00"},
        {"description": "Waste disposal levy", "unit_price": "62.40"},
        reference="Quarterly service",
    )
    with ago(ctx, 39):
        pay_invoice(ctx, trap.id, Settlement(payment_method=_TRANSFER, reference="Brindle Wren 0045"))
    # Not issued yet.
    levy = NewNoteLine(invoice_line_id=trap.line_items[1].id, quantity=Decimal(1))
    waived = Description("The levy was waived")
    note = NewAdjustmentNote(invoice_id=trap.id, reason="price_change", description=waived, line_items=[levy])
    create_adjustment_note(ctx, note)

    # Overdue.
    _send_sample(
        ctx, "Odo", 30, _CALL_OUT, {**_LABOUR, "quantity": "1.5"}, {"description": "CCTV", "unit_price": "180.00"}
    )

    risers = _send_sample(
        ctx,
        "Saltmarram",
        20,
        {**_LABOUR, "quantity": 38, "discount_percent": 5},
        {"description": "Copper riser, 50 mm", "quantity": 24, "unit": "m", "unit_price": "87.35"},
        {"description": "Scaffold, one week", "unit_price": "940.00"},
        purchase_order="PO 4471",
        notes="Second of three stages.",
    )
    with ago(ctx, 5):
        add_payment(ctx, risers.id, NewPayment(amount=Decimal("3000.00"), payment_method=_TRANSFER))

    heater = _send_sample(
        ctx, "Little Tern", 12, {**_LABOUR, "quantity": 2}, {"description": "Thermostat", "unit_price": "94.50"}
    )
    with ago(ctx, 9):
        bounced = pay_invoice(ctx, heater.id, Settlement(payment_method=_TRANSFER)).payments[0]
    with ago(ctx, 7):
        reverse_payment(ctx, heater.id, bounced.id, PaymentReversal(reason=Reason("Returned by the bank")))
    with ago(ctx, 6):
        pay_invoice(ctx, heater.id, Settlement(payment_method=_CARD))

    _send_sample(ctx, "Marnie", 6, _CALL_OUT, {"description": "Kitchen mixer tap", "unit_price": "289.00"})

    twice = _send_sample(ctx, "Marnie", 6, _CALL_OUT)
    with ago(ctx, 5):
        void_invoice(ctx, twice.id, InvoiceVoiding(reason=Reason("Already on the invoice for the mixer tap")))

    # Credited after it was paid: the client has credit.
    visit = _send_sample(ctx, "Odo", 4, _CALL_OUT)
    with ago(ctx, 3):
        pay_invoice(ctx, visit.id, Settlement(payment_method=_CARD))
    with ago(ctx, 2):
        words = Description("Nobody was home, by our mistake")
        note = NewAdjustmentNote(invoice_id=visit.id, reason="cancelled", description=words, full=True)
        issue_adjustment_note(ctx, create_adjustment_note(ctx, note).id)

    _draft_sample(
        ctx,
        "Little Tern",
        {"description": "Basin, child height", "quantity": 2, "unit_price": "210.00"},
        {**_LABOUR, "quantity": 5},
        {"description": "Removal of the old basins", "unit_price": "0.00"},
        discount_amount="50.00",
        notes="Draft: check the hours with the apprentice.",
    )


def _send_sample(ctx: Context, client: str, days_ago: int, *lines: dict[str, Any], **members: Any) -> Invoice:
    """Make and send an invoice, dated this many days ago."""
    with ago(ctx, days_ago):
        return send_invoice(ctx, _draft_sample(ctx, client, *lines, **members).id)


def _draft_sample(ctx: Context, client: str, *lines: dict[str, Any], **members: Any) -> Invoice:
    """Draft an invoice for one of the sample contacts, found by part of the name."""
    client_id = ctx.db.execute(contacts.named_like(ctx, client)).scalar_one()
    return make(ctx, {"client_id": client_id, "line_items": lines, **members})
