"""Cards of reminders on the dashboard's overview."""

from datetime import timedelta

import sqlalchemy as sa

from billycan import Context, Manifest, own
from billycan.fields import Moment

from .tables import sent

_DAYS = 30


def reminded_lately(ctx: Context) -> Manifest.Card | None:
    """Return the card of recently sent reminders; None if none were sent."""
    since = Moment.of(ctx.now() - timedelta(_DAYS))
    query = sa.select(sent.c.status, sa.func.count()).where(own(ctx, sent), sent.c.created_at > since)
    found: dict[str, int] = {row[0]: row[1] for row in ctx.db.execute(query.group_by(sent.c.status))}
    if not found:
        return None
    skipped = found.get("skipped", 0)
    note = f"in {_DAYS} days" + (f"; {skipped} skipped" if skipped else "")
    return Manifest.Card(title="Reminders sent", figure=found.get("sent", 0), note=note, path="/v1/sent_reminders")
