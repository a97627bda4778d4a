"""What a business sold, and what it has not sent yet, by date."""

from datetime import date
from decimal import Decimal

import sqlalchemy as sa

from billycan import Context, own

from .sums import amount_of, in_cents
from .tables import entries, invoices


def turnover(ctx: Context, since: date, until: date) -> Decimal:
    """What was invoiced on these days, less what notes and voids took off, without GST and input taxed sales."""
    value = in_cents(entries.c.total) - in_cents(entries.c.gst) - in_cents(entries.c.input_taxed)
    mine = own(ctx, entries), entries.c.counts_on.between(since, until)
    return amount_of(ctx.db.execute(sa.select(sa.func.coalesce(sa.func.sum(value), 0)).where(*mine)).scalar_one())


def count_drafts(ctx: Context, since: date, until: date) -> int:
    """How many invoices that are dated on these days are still drafts."""
    mine = own(ctx, invoices), invoices.c.status == "draft", invoices.c.issue_date.between(since, until)
    return int(ctx.db.execute(sa.select(sa.func.count()).where(*mine)).scalar_one())
