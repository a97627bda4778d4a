"""What a business wants to know of its reminders at a glance."""

from datetime import timedelta

import sqlalchemy as sa

from billycan import Card, Context, own
from billycan.fields import Moment

from .tables import sent

_DAYS = 30


def reminded_lately(ctx: Context) -> Card | None:
    """How many reminders were sent lately; none where there are none."""
    since = Moment.of(ctx.now() - timedelta(_DAYS))
    asked = sa.select(sent.c.status, sa.func.count()).where(own(ctx, sent), sent.c.created_at > since)
    found: dict[str, int] = {row[0]: row[1] for row in ctx.db.execute(asked.group_by(sent.c.status))}
    if not found:
        return None
    skipped = found.get("skipped", 0)
    note = f"in {_DAYS} days" + (f"; {skipped} skipped" if skipped else "")
    return Card(title="Reminders sent", figure=found.get("sent", 0), note=note, path="/v1/sent_reminders")
