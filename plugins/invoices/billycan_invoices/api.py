"""What other plugins may use of invoices."""

from collections.abc import Mapping
from typing import Any

from billycan import Context, decode, names_of

from .claims import Billing, Extra, Work, already_invoiced, billings, claim, hand_over, work_of
from .documents import neighbours
from .due import Unpaid, lock_unpaid, unpaid
from .handlers import create_invoice, preview_invoice, send_invoice
from .owing import owed_by_each
from .paying import Payable, payable, take_payment
from .schemas import Invoice, NewInvoice, Preview
from .tables import entries, invoices
from .turnover import count_drafts, turnover

__all__ = [
    "Billing",
    "Extra",
    "Payable",
    "Unpaid",
    "Work",
    "already_invoiced",
    "billings",
    "claim",
    "count_drafts",
    "entries",
    "hand_over",
    "lock_unpaid",
    "make",
    "names",
    "owed_by_each",
    "payable",
    "preview",
    "send",
    "take_payment",
    "turnover",
    "unpaid",
    "work_of",
]

# Maps each id to the invoice's number, in one query; `lock=True` keeps them from being deleted until the transaction
# ends.
names = names_of(invoices.c.number)


def make(ctx: Context, members: Mapping[str, Any]) -> Invoice:
    """Make a draft of these members, as `POST /v1/invoices` takes them, in the caller's transaction.

    A quote, job or booking that is gone or whose plugin is off is passed over. Forbidden where the caller's key lacks
    `invoices:write`.
    """
    ctx.require("invoices:write")
    return create_invoice(ctx, decode(neighbours.without_gone(ctx, members), NewInvoice))


def preview(ctx: Context, members: Mapping[str, Any]) -> Preview:
    """What an invoice of these members would come to, as `POST /v1/invoices/preview` answers; nothing is stored."""
    return preview_invoice(ctx, decode(members, NewInvoice))


def send(ctx: Context, id: str) -> Invoice:
    """Send a draft, as `POST /v1/invoices/{id}/send` does. Forbidden where the caller's key lacks `invoices:write`."""
    ctx.require("invoices:write")
    return send_invoice(ctx, id)
