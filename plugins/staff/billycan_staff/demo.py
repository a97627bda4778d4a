"""Sample staff: the two plumbers of an invented business in Hobart."""

from datetime import datetime, time, timedelta
from typing import Any, get_args
from zoneinfo import ZoneInfo

from billycan import Context, decode
from billycan.demo import ago

from .handlers import create_staff
from .resource import NewStaff, Weekday


def add_samples(ctx: Context) -> None:
    """Add the sample staff."""
    weekdays = get_args(Weekday)
    long_days = [{"day": day, "start": "07:30", "end": "16:00"} for day in weekdays[:5]]
    split_days = [
        {"day": day, "start": start, "end": end}
        for day in weekdays[:4]
        for start, end in (("08:00", "12:00"), ("12:30", "16:30"))
    ]
    samples: tuple[dict[str, Any], ...] = (
        {
            "name": "Tamsin Arkwright",
            "email": "tamsin@quollbrook.example",
            "phone": "0491 570 159",
            "hours": long_days,
            "time_off": [_day_off(ctx, 10, "Dentist and school concert")],
        },
        {
            "name": "Jory Penhallow",
            "email": "jory@quollbrook.example",
            "phone": "0491 570 110",
            "hours": [*split_days, {"day": "saturday", "start": "08:00", "end": "12:00"}],
        },
    )
    with ago(ctx, 390):
        for values in samples:
            create_staff(ctx, decode(values, NewStaff))


def _day_off(ctx: Context, days_ahead: int, reason: str) -> dict[str, str]:
    midnight = datetime.combine(ctx.today() + timedelta(days=days_ahead), time(), ZoneInfo(ctx.tenant.timezone))
    return {
        "start_at": midnight.isoformat(),
        "end_at": (midnight + timedelta(days=1)).isoformat(),
        "reason": reason,
    }
