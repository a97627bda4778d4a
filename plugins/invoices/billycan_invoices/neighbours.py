"""Reactions of invoices when something happens in other plugins, inside the same transaction."""

from collections.abc import Callable

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Deleted, Neighbours
from billycan_documents.api import keeps_items

from .books import early_gst
from .invoices.documents import neighbours
from .payments.earlier_invoices import continue_numbers
from .tables import invoices, lines


def keep_named(ctx: Context, gone: Deleted) -> None:
    """Refuse to delete a quote, job or booking that an invoice names."""
    named = sa.or_(*(invoices.c[member] == gone.id for member in neighbours.plugins))
    Neighbours.check_unused(ctx, invoices, named)


class Job(Struct):
    """The members of a cancelled job that invoices read."""

    id: str


def end_supply(ctx: Context, cancelled: Job) -> None:
    """Stop counting the unfinished part of a cancelled job ahead of its invoices."""
    early_gst.end_early_gst(ctx, cancelled.id)


hears: dict[str, Callable[..., None]] = {
    **dict.fromkeys(("quote.deleted", "job.deleted", "booking.deleted"), keep_named),
    "job.cancelled": end_supply,
    "import.finished": continue_numbers,
    "item.deleted": keeps_items(invoices, lines),
}
