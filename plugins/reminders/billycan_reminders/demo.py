"""Sample reminders of an invented plumber in Hobart: turned on, with one sent a week after an invoice was due."""

from datetime import timedelta

import sqlalchemy as sa

from billycan import Context, Patch
from billycan.demo import ago
from billycan_invoices import api as invoices

from .handlers import update_reminders
from .reminding import remind
from .schemas import NewReminders

_DAYS = 7  # of one of the rules that a business starts with


def add_samples(ctx: Context) -> None:
    """Turn reminders on, and send the one for the invoice that is overdue longest."""
    with ago(ctx, 60):
        update_reminders(ctx, Patch(NewReminders, {"enabled": True}))
    of = invoices.unpaid().c
    late = sa.select(of.id, of.due_date).where(
        of.tenant_id == ctx.tenant_id, of.due_date <= ctx.today() - timedelta(_DAYS)
    )
    for row in ctx.db.execute(late.order_by(of.due_date).limit(1)).all():
        with ago(ctx, (ctx.today() - row.due_date).days - _DAYS):
            remind(ctx, row.id)
