"""Payments of a file, such as one of bank lines: recorded at once, and soon allocated to the invoices they name."""

from typing import Any

import sqlalchemy as sa

from billycan import App, Context, Invalid, Named, NewResource, Problem, own
from billycan.fields import Day, Id, Moment, Reference
from billycan_contacts import api as contacts
from billycan_documents.api import Positive, client_of

from .. import rules
from ..invoices.schemas import PaymentMethod
from ..tables import invoices, payments, settling
from .earlier_invoices import InvoiceNumber, find_client
from .handlers import allocate_payment
from .records import check_coins
from .schemas import NewAllocation, NewPayment, Payment, PaymentAllocation
from .settlement import lock_invoices, lock_payments, most_payable, receive_payment, take_clients_turn


class EarlierPayment(NewResource, kw_only=True):
    """Money that was received, and the invoice that it is for.

    invoice_number: The number of the invoice that it settles; what is more than due stays the client's credit.
    client_id: Without an invoice, the contact who paid; or name it by what is in `client`.
    client: What the contact is known by.
    amount: The amount received. Cash must be a multiple of 0.05.
    payment_method: How, such as `bank_transfer`, `card` or `cash`.
    paid_at: When it was received.
    reference: The payer's reference.
    """

    invoice_number: InvoiceNumber | None = None
    client_id: Id | None = None
    client: contacts.KnownAs | None = None
    amount: Positive
    payment_method: PaymentMethod = "bank_transfer"
    paid_at: Day
    reference: Reference | None = None


def add_earlier_payment(ctx: Context, body: EarlierPayment) -> Payment:
    """Record money that was received, for the invoice of a number or for none.

    It is recorded as the client's credit, and allocated to the invoice within seconds, as `allocate` does; what is more
    than due then, or all of it if the invoice cannot be paid, stays credit. It counts on `paid_at` either way. Refused
    with `period_locked` if the books are locked on that day. Emits `payment.recorded`, and `payment.allocated` once it
    is allocated.
    """
    invoice = None
    if body.invoice_number is not None:
        of_number = own(ctx, invoices) & (invoices.c.number == body.invoice_number)
        asked = sa.select(invoices.c.id, invoices.c.client_id, invoices.c.status).where(of_number)
        invoice = ctx.db.execute(asked).first()
        if invoice is None:
            raise Invalid.member("invoice_number", "not_found", "there is no such invoice")
        if invoice.status in ("draft", "void"):
            message = f"is the number of an invoice that is {invoice.status}, which cannot be paid"
            raise Invalid.member("invoice_number", "invalid_value", message)
        if body.client_id not in (None, invoice.client_id):
            raise Invalid.member("invoice_number", "invalid_value", "is an invoice of another client")
    client = client_of(ctx, invoice.client_id if invoice else body.client_id or find_client(ctx, body.client))
    check_coins(body.payment_method, body.amount)
    paid = NewPayment(
        amount=body.amount, payment_method=body.payment_method, paid_at=body.paid_at, reference=body.reference
    )
    members = {"external_id": body.external_id, "metadata": body.metadata}
    payment, _ = receive_payment(ctx, Named(client.id, client.name), body.amount, paid, (), **members)
    if invoice:
        ctx.db.execute(sa.insert(settling), [{"tenant_id": ctx.tenant_id, "id": payment.id, "invoice_id": invoice.id}])
    ctx.emit("payment.recorded", payment)
    return payment


def payments_to_settle(app: App, now: Moment) -> sa.Select[Any]:
    """Select the payments that are to be allocated, in the order in which they were recorded."""
    return sa.select(settling.c.tenant_id, settling.c.id).order_by(settling.c.id)


def settle_payment(ctx: Context, id: str) -> None:
    """Allocate a payment to its invoice, up to what is due. It is tried once, whatever the outcome."""
    this = own(ctx, settling) & (settling.c.id == id)
    take_clients_turn(ctx, payments, id)
    invoice_id = ctx.db.execute(sa.delete(settling).where(this).returning(settling.c.invoice_id)).scalar_one_or_none()
    if invoice_id is None:
        return
    invoice = lock_invoices(ctx, [invoice_id])[invoice_id]
    payment = lock_payments(ctx, [id])[id]
    amount = min(payment.unallocated, most_payable(invoice)) if invoice.status != "void" else rules.ZERO
    if amount > 0 and payment.status == "recorded":
        told = len(ctx.events)
        try:
            with ctx.db.begin_nested():
                allocation = NewAllocation(invoice_id=invoice_id, amount=amount)
                allocate_payment(ctx, id, PaymentAllocation(allocations=[allocation]))
        except Problem:  # such as locked books, or a full list: it stays credit
            del ctx.events[told:]
