"""What expenses do when something happens in other plugins, inside the same transaction."""

from collections.abc import Callable

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Deleted, check_unused, own

from .records import records, tell
from .tables import expenses


class Gone(Struct):
    """An invoice that was deleted or voided."""

    id: str


def keep_job(ctx: Context, job: Deleted) -> None:
    """Refuse to delete a job that expenses were made for."""
    check_unused(ctx, expenses, expenses.c.job_id == job.id)


def free(ctx: Context, invoice: Gone) -> None:
    """Let an expense be charged by another invoice when the one that did is deleted or voided."""
    charged = own(ctx, expenses) & (expenses.c.invoice_id == invoice.id)
    for row in ctx.db.execute(sa.select(expenses).where(charged).order_by(expenses.c.id).with_for_update()).all():
        tell(ctx, records.save(ctx, row, invoice_id=None), "expense.updated")


hears: dict[str, Callable[..., None]] = {
    "job.deleted": keep_job,
    "invoice.deleted": free,
    "invoice.voided": free,
}
