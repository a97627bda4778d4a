"""The demo business that `billycan serve` makes on its first run."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from .context import Context
from .events import unit_of_work
from .fields import Moment
from .keys import Business, create_business
from .reader import decode
from .tenants import Profile, tenants

if TYPE_CHECKING:
    from .app import App

__all__ = ["ago", "working_day"]

log = logging.getLogger("billycan")

_PROFILE = {
    "name": "Quollbrook Plumbing",
    "legal_name": "Quollbrook Plumbing Pty Ltd",
    "abn": "47555222000",
    "gst_registered": True,
    "timezone": "Australia/Hobart",
    "address": {"line1": "7 Billycan Lane", "suburb": "Moonah", "state": "TAS", "postcode": "7009"},
    "email": "office@quollbrook.example",
    "phone": "03 5550 0170",
    "bank_account": {"bsb": "000-000", "account_number": "12345678", "account_name": "Quollbrook Plumbing Pty Ltd"},
    "payid": "pay@quollbrook.example",
}


def first(app: "App") -> Business | None:
    """Create the demo business with sample records in its sandbox; return None if there is a tenant already."""
    with app.db.writing() as db:
        if db.execute(sa.select(tenants.c.id).limit(1)).first():
            return None
        business = create_business(db, decode(_PROFILE, Profile), app.now())
    for manifest in app.manifests.values():
        if manifest.demo is None:
            continue
        ctx = Context(app, business.sandbox)
        try:
            with unit_of_work(ctx):
                manifest.demo(ctx)
        except Exception:
            log.exception("%s: its sample records could not be added", manifest.name)
    return business


@contextmanager
def ago(ctx: Context, days: int, hour: int = 10) -> Iterator[None]:
    """Let what the block does happen so many days ago at that hour of the business's day, and never after now."""
    now = ctx.now()
    then = datetime.combine(ctx.today() - timedelta(days=days), time(hour), ZoneInfo(ctx.tenant.timezone))
    ctx._now, ctx._days = min(Moment.of(then), now), {}
    try:
        yield
    finally:
        ctx._now, ctx._days = now, {}


def working_day(ctx: Context, days: int) -> date:
    """Return the date so many working days from today."""
    day, step = ctx.today(), timedelta(days=1 if days > 0 else -1)
    for _ in range(abs(days)):
        day += step
        while day.weekday() > 4:
            day += step
    return day
