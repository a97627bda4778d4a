"""Redis limits: requests of all hosts counted in one place; while Redis is away, each host counts its own."""

import weakref
from collections.abc import Sequence

import sqlalchemy as sa
from msgspec import Struct

from billycan import App, Limit, Manifest, hookimpl
from billycan.fields import Moment

from .store import Store


class Settings(Struct, forbid_unknown_fields=True, kw_only=True):
    """`url` is the Redis that all hosts share, `timeout_seconds` the longest a request waits for it."""

    url: str = "redis://127.0.0.1:6379/0"
    timeout_seconds: float = 0.25


_stores: "weakref.WeakKeyDictionary[App, Store]" = weakref.WeakKeyDictionary()


def find_away(db: sa.Connection, now: Moment) -> dict[str, float]:
    """Return 1 while Redis does not answer this process, and 0 otherwise; nothing where it counts no requests."""
    stores = [*_stores.values()]
    return {"": float(any(store.is_away() for store in stores))} if stores else {}


def check_redis(app: App) -> str:
    """Tell where requests are counted. Raise OSError if Redis does not answer."""
    settings = app.settings_of(Settings)
    if Store(settings.url, settings.timeout_seconds).is_away():
        raise OSError("Redis does not answer: each host counts requests by itself")
    return "Redis answers: requests of all hosts are counted together"


manifest = Manifest(
    name="redis_limits",
    settings=Settings,
    gauges=(
        Manifest.Gauge(
            "redis_limits_away",
            "Whether Redis does not answer, so that each host counts requests by itself.",
            "",
            find_away,
            most=0,
            cure="start Redis, or correct redis_limits.url",
        ),
    ),
    doctor=check_redis,
)


@hookimpl
def startup(app: App) -> None:
    settings = app.settings_of(Settings)
    _stores[app] = Store(settings.url, settings.timeout_seconds, is_clock_given=app.is_clock_given)


@hookimpl
def rate_limit(app: App, limits: Sequence[Limit], now: float) -> Limit.Allowance | None:
    """Count a request in Redis; None while Redis does not answer, so that core counts it on this host."""
    return _stores[app].take_each(now, *limits)
