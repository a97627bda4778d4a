"""Cards of bookings on the dashboard's overview."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from billycan import Context, Manifest, own
from billycan.fields import Moment

from .tables import bookings, services

_MOST = 6


def todays_bookings(ctx: Context) -> Manifest.Card:
    """Return the card of today's bookings, in order."""
    day, zone = ctx.today(), ctx.tenant.timezone
    since, until = Moment.start_of(day, zone), Moment.start_of(day + timedelta(days=1), zone)
    query = (
        sa.select(bookings.c.start_at, services.c.name, sa.func.count().over().label("total"))
        .join(services, (services.c.tenant_id == bookings.c.tenant_id) & (services.c.id == bookings.c.service_id))
        .where(own(ctx, bookings), bookings.c.start_at >= since, bookings.c.start_at < until)
        .where(bookings.c.status.in_(("pending", "confirmed", "completed")))
        .order_by(bookings.c.start_at, bookings.c.id)
        .limit(_MOST)
    )
    rows = ctx.db.execute(query).all()
    total = rows[0].total if rows else 0
    times = [row.start_at.astimezone(ZoneInfo(zone)) for row in rows]
    shown = tuple((row.name, f"{at:%H:%M}") for row, at in zip(rows, times, strict=True))
    note = f"the first {_MOST} of them" if total > _MOST else ""
    path = f"/v1/bookings?start_at_from={day}&start_at_to={day}&sort=start_at"
    return Manifest.Card(title="Bookings today", figure=int(total), note=note, rows=shown, path=path)
