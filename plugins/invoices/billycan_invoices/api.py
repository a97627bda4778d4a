"""What other plugins may use of invoices."""

from collections.abc import Mapping
from typing import Any

from billycan import Context
from billycan.wire import decode

from .handlers import create_invoice
from .schemas import Invoice, NewInvoice


def make(ctx: Context, members: Mapping[str, Any]) -> Invoice:
    """Make a draft of these members, as `POST /v1/invoices` takes them, in the caller's transaction."""
    return create_invoice(ctx, decode(dict(members), NewInvoice))
