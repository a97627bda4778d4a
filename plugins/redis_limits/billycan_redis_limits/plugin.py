"""Redis limits: requests of all hosts counted in one place; while Redis is away, each host counts its own."""

import weakref
from collections.abc import Sequence

from msgspec import Struct

from billycan import App, Limit, Manifest, hookimpl

from .store import Store


class Settings(Struct, forbid_unknown_fields=True, kw_only=True):
    """`url` is the Redis that all hosts share, `timeout_seconds` the longest a request waits for it."""

    url: str = "redis://127.0.0.1:6379/0"
    timeout_seconds: float = 0.25


manifest = Manifest(name="redis_limits", settings=Settings)

_stores: "weakref.WeakKeyDictionary[App, Store]" = weakref.WeakKeyDictionary()


@hookimpl
def startup(app: App) -> None:
    settings = app.settings_of(Settings)
    _stores[app] = Store(settings.url, settings.timeout_seconds, is_clock_given=app.is_clock_given)


@hookimpl
def rate_limit(app: App, limits: Sequence[Limit], now: float) -> Limit.Allowance | None:
    """Count a request in Redis; None while Redis does not answer, so that core counts it on this host."""
    return _stores[app].take_each(now, *limits)
