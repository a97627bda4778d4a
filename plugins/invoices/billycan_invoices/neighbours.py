"""What invoices do when something happens in other plugins, inside the same transaction."""

from collections.abc import Callable

import sqlalchemy as sa

from billycan import Context, Deleted, check_unused

from .documents import neighbours
from .tables import invoices


def keep_named(ctx: Context, gone: Deleted) -> None:
    """Refuse to delete a quote, job or booking that an invoice names."""
    named = sa.or_(*(invoices.c[member] == gone.id for member in neighbours.plugins))
    check_unused(ctx, invoices, named)


hears: dict[str, Callable[..., None]] = dict.fromkeys(("quote.deleted", "job.deleted", "booking.deleted"), keep_named)
