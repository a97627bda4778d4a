"""Invoices' functions for other plugins: draft an invoice, preview it and send it."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

import msgspec

from billycan import Context, Records, decode
from billycan_documents.api import NewLine

from .books.double_entry import charged
from .books.receivables import owed_by_each
from .books.turnover import count_drafts, turnover
from .invoices.claim_lines import Extra, Work
from .invoices.claims import Billing, already_invoiced, billings, claim, hand_over, prepare_whole, work_of
from .invoices.documents import neighbours
from .invoices.due import Unpaid, find_unpaid, lock_unpaid, unpaid
from .invoices.handlers import create_invoice, preview_invoice, send_invoice
from .invoices.schemas import Preview
from .payments.online import Payable, PaymentProvider, payable, take_payment
from .resource import Invoice, NewInvoice
from .tables import entries, invoices

__all__ = [
    "Billing",
    "Extra",
    "NewInvoice",
    "NewLine",
    "Payable",
    "PaymentProvider",
    "Unpaid",
    "Work",
    "already_invoiced",
    "billings",
    "charged",
    "claim",
    "count_drafts",
    "entries",
    "find_unpaid",
    "hand_over",
    "lock_unpaid",
    "make",
    "names",
    "owed_by_each",
    "payable",
    "prepare_whole",
    "preview",
    "send",
    "take_payment",
    "turnover",
    "unpaid",
    "work_of",
]

# Maps each id to the invoice's number, in one query; `lock=True` prevents their deletion until the transaction
# ends.
names = Records.names_of(invoices.c.number)


def make(ctx: Context, invoice: NewInvoice | Mapping[str, Any]) -> Invoice:
    """Make a draft in the caller's transaction: `make(ctx, NewInvoice(client_id=…, line_items=[NewLine(…)]))`.

    A mapping has the members that `POST /v1/invoices` takes; both forms are checked by the same rules. A quote, job or
    booking is ignored if it no longer exists or its plugin is off. Raises Forbidden if the caller's key lacks
    `invoices:write`.
    """
    ctx.require("invoices:write")
    return create_invoice(ctx, decode(neighbours.without_gone(ctx, _members_to_decode(invoice)), NewInvoice))


def preview(ctx: Context, invoice: NewInvoice | Mapping[str, Any]) -> Preview:
    """Work out an invoice without storing it, as `POST /v1/invoices/preview` does."""
    members = _members_to_decode(invoice)
    return preview_invoice(ctx, ctx.ahead("invoices.preview", members, lambda: decode(members, NewInvoice)))


def send(ctx: Context, id: str) -> Invoice:
    """Send a draft, as `POST /v1/invoices/{id}/send` does. Raises Forbidden if the key lacks `invoices:write`."""
    ctx.require("invoices:write")
    return send_invoice(ctx, id)


def _members_to_decode(invoice: NewInvoice | Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the members to decode. Creating the Struct directly would check no rules."""
    if isinstance(invoice, Mapping):
        return invoice
    members: dict[str, Any] = msgspec.to_builtins(invoice, builtin_types=(date, Decimal))
    return members
