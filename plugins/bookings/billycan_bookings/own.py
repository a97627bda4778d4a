"""The bookings and contacts that are a person's own: what they carry out as a member of staff, and its clients."""

from typing import Any

import sqlalchemy as sa

from billycan import Context, Records, own
from billycan_staff.api import signing_in_as

from .tables import bookings


def bookings_of(ctx: Context, user_id: str) -> sa.Select[Any]:
    """Select the bookings that a person carries out."""
    return _select_own(ctx, user_id, bookings.c.id)


def clients_of(ctx: Context, user_id: str) -> sa.Select[Any]:
    """Select the clients of those bookings."""
    return _select_own(ctx, user_id, bookings.c.client_id)


def _select_own(ctx: Context, user_id: str, column: sa.Column[Any]) -> sa.Select[Any]:
    return sa.select(column.label("id")).where(own(ctx, bookings), bookings.c.staff_id.in_(signing_in_as(ctx, user_id)))


owns = (Records.Own(prefix="bkg", ids=bookings_of, writes=True), Records.Own(prefix="con", ids=clients_of))
