"""What other plugins may use of invoices."""

from collections.abc import Mapping
from typing import Any

from billycan import Context
from billycan.wire import decode

from .documents import missing_neighbours
from .handlers import create_invoice
from .rules import NEIGHBOURS
from .schemas import Invoice, NewInvoice


def make(ctx: Context, members: Mapping[str, Any]) -> Invoice:
    """Make a draft of these members, as `POST /v1/invoices` takes them, in the caller's transaction.

    A quote, job or booking that is gone or whose plugin is off is passed over.
    """
    gone = missing_neighbours(ctx, {name: members.get(name) for name in NEIGHBOURS})
    return create_invoice(ctx, decode({**members, **dict.fromkeys(gone)}, NewInvoice))
