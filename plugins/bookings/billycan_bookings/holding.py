"""Holds: a place in a slot that is kept for minutes while somebody decides, as if it were booked."""

from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import App, Context, Invalid, new_id, own
from billycan.fields import Moment
from billycan_staff.api import people

from . import slots as taking
from .records import service_records
from .tables import holds, slots


class Held(Struct, frozen=True, kw_only=True):
    """A place that is held: what, when and with whom, and until when."""

    id: str
    service_id: str
    staff_id: str
    start_at: Moment
    expires_at: Moment


def hold_time(
    ctx: Context, service_id: str, start: Moment, staff_id: str | None, *, holder: str, lasts: timedelta
) -> Held:
    """Hold a start with the given person, or with anybody free, for a while of real time.

    `holder` is a digest of who holds it, for `count_holds`. Raise Conflict `slot_unavailable` as for a booking.
    """
    service = service_records.find(ctx, service_id)
    if not service.active:
        raise Invalid.member("service_id", "invalid_value", "is not active")
    place = taking.hold_slot(ctx, service, start, staff_id, force=False)
    values = {"id": new_id("hld"), "slot_id": place["slot_id"], "expires_at": Moment.of(ctx.app.now() + lasts)}
    ctx.db.execute(sa.insert(holds).values(tenant_id=ctx.tenant_id, holder=holder, **values))
    return Held(
        id=values["id"],
        service_id=service_id,
        staff_id=place["staff_id"],
        start_at=place["start_at"],
        expires_at=values["expires_at"],
    )


def count_holds(ctx: Context, *, holder: str | None = None, starts: tuple[datetime, datetime] | None = None) -> int:
    """Count the holds that have not expired: those of one holder, or with a start between two moments, or all."""
    where = [own(ctx, holds), holds.c.expires_at > ctx.app.now()]
    if holder is not None:
        where.append(holds.c.holder == holder)
    if starts is not None:
        where.append(slots.c.start_at.between(*starts))
    found = sa.select(sa.func.count()).select_from(_WITH_SLOTS).where(*where)
    return int(ctx.db.execute(found).scalar_one())


def find_hold(ctx: Context, id: str) -> Held | None:
    """Return a hold; None if it has expired or was given back."""
    c = slots.c
    columns = (holds.c.id, c.service_id, c.staff_id, c.start_at, holds.c.expires_at)
    live = (holds.c.id == id) & (holds.c.expires_at > ctx.app.now())
    row = ctx.db.execute(sa.select(*columns).select_from(_WITH_SLOTS).where(own(ctx, holds), live)).first()
    return Held(**row._mapping) if row else None


def extend_hold(ctx: Context, id: str, lasts: timedelta) -> None:
    """Let a hold that has not expired last so long from now."""
    live = own(ctx, holds) & (holds.c.id == id) & (holds.c.expires_at > ctx.app.now())
    ctx.db.execute(sa.update(holds).where(live).values(expires_at=ctx.app.now() + lasts))


def give_back(ctx: Context, id: str) -> Held | None:
    """End a hold and return it; None if it had expired.

    The member of staff stays locked until the transaction ends, so that nobody takes the time before a booking with
    the same person in this transaction does.
    """
    held = find_hold(ctx, id)
    if held is None:
        return None
    people(ctx, [held.staff_id], lock=True)
    this = own(ctx, holds) & (holds.c.id == id) & (holds.c.expires_at > ctx.app.now())
    slot_id = ctx.db.execute(sa.delete(holds).where(this).returning(holds.c.slot_id)).scalar_one_or_none()
    if slot_id is None:
        return None
    taking.remove_unshared(ctx, [slot_id])
    return held


_WITH_SLOTS = sa.join(holds, slots, (holds.c.tenant_id == slots.c.tenant_id) & (holds.c.slot_id == slots.c.id))


def holds_to_remove(app: App, now: Moment) -> sa.Select[Any]:
    """Select the holds that have expired."""
    return sa.select(holds.c.tenant_id, holds.c.id).where(holds.c.expires_at <= now).order_by(holds.c.expires_at)


def remove_hold(ctx: Context, id: str) -> None:
    """Remove an expired hold, and its slot unless bookings or other holds share it."""
    this = own(ctx, holds) & (holds.c.id == id)
    found = sa.select(slots.c.id, slots.c.staff_id).select_from(_WITH_SLOTS).where(this)
    if row := ctx.db.execute(found).first():
        people(ctx, [row.staff_id], lock=True)
        ctx.db.execute(sa.delete(holds).where(this))
        taking.remove_unshared(ctx, [row.id])
