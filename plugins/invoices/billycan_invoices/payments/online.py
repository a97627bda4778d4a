"""Payment providers: the buttons by which a client pays an invoice, and the money they bring in."""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal

import sqlalchemy as sa
from msgspec import Struct

from billycan import Conflict, Context, NotFound, decode, own
from billycan_hosted.api import PayButton

from ..full_lists import PAYMENTS
from ..invoices.documents import amount_due, documents, hosted_url, records
from ..rules import OPEN
from ..tables import payments
from .handlers import create_payment, get_payment
from .schemas import NewAllocation, NewReceipt, Payment
from .settlement import lock_invoices, most_payable


class Payable(Struct, frozen=True, kw_only=True):
    """The amount that a client can pay on an invoice now; `url` is the page where they read it."""

    number: str
    amount_due: Decimal
    url: str


class PaymentProvider(Struct, frozen=True):
    """A way for clients to pay an invoice on its page: a plugin has it in the `offers` of its manifest.

    button: `button(ctx, invoice_id)` gives the button of an invoice on which something is due; None for none.
    """

    button: Callable[[Context, str], PayButton | None]


def pay_buttons(ctx: Context, invoice_id: str) -> list[PayButton]:
    """Return the buttons of all plugins that take payments for an invoice with an amount due."""
    found = (provider.button(ctx, invoice_id) for _, provider in ctx.app.offered(PaymentProvider))
    return [button for button in found if button]


def payable(ctx: Context, invoice_id: str) -> Payable | None:
    """Return what can be paid on an invoice; None if nothing is due. Raises NotFound."""
    row = records.find(ctx, invoice_id)
    url = hosted_url(ctx, row)
    if row.status not in OPEN or url is None:
        return None
    return Payable(number=row.number, amount_due=amount_due(row), url=url)


def take_payment(
    ctx: Context,
    invoice_id: str,
    amount: Decimal,
    *,
    payment_method: str,
    external_id: str,
    paid_at: datetime | None = None,
    reference: str | None = None,
) -> Payment:
    """Record money that a provider received for an invoice, once for each `external_id`, whatever the invoice's state.

    It settles what is due or was written off. The rest becomes the client's credit: all of it if the invoice was
    meanwhile paid, credited or voided, or has as many payments as it can list. Emits the same events as `POST
    /v1/payments`. Raises NotFound, and Invalid for anything that route refuses.
    """
    ctx.require("invoices:write")
    row = lock_invoices(ctx, [invoice_id]).get(invoice_id)  # a request with the same payment waits here
    if row is None:
        raise NotFound
    known = sa.select(payments.c.id).where(own(ctx, payments), payments.c.external_id == external_id)
    if id := ctx.db.execute(known).scalar():
        return get_payment(ctx, id)
    try:
        documents.check(ctx, row, "payments")
        PAYMENTS.check_rows(ctx, [(row, None)])
        settled = min(amount, most_payable(row))
    except Conflict:
        settled = Decimal(0)
    given = {
        "client_id": row.client_id,
        "amount": amount,
        "payment_method": payment_method,
        "paid_at": paid_at and paid_at.isoformat(),
        "reference": reference,
        "external_id": external_id,
    }
    receipt = decode(given, NewReceipt)
    receipt.allocations = [NewAllocation(invoice_id=invoice_id, amount=settled)] if settled else []
    return create_payment(ctx, receipt)
