"""What other plugins may use of invoices."""

from collections.abc import Mapping
from typing import Any

from billycan import Context
from billycan.wire import decode

from .documents import neighbours
from .handlers import create_invoice
from .schemas import Invoice, NewInvoice


def make(ctx: Context, members: Mapping[str, Any]) -> Invoice:
    """Make a draft of these members, as `POST /v1/invoices` takes them, in the caller's transaction.

    A quote, job or booking that is gone or whose plugin is off is passed over.
    """
    return create_invoice(ctx, decode(neighbours.without_gone(ctx, members), NewInvoice))
