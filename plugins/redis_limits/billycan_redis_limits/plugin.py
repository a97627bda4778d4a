"""Redis limits: requests counted in one place for all hosts; while it is away, each host counts by itself."""

from weakref import WeakKeyDictionary

from msgspec import Struct

from billycan import Manifest, hookimpl
from billycan.app import App
from billycan.keys import Identity
from billycan.limits import Allowance

from .store import Store


class Settings(Struct, forbid_unknown_fields=True, kw_only=True):
    """`url` is the Redis that all hosts share, `timeout_seconds` how long a request may wait for it."""

    url: str = "redis://127.0.0.1:6379/0"
    timeout_seconds: float = 0.25


manifest = Manifest(name="redis_limits", settings=Settings)

_stores: "WeakKeyDictionary[App, Store]" = WeakKeyDictionary()


@hookimpl
def startup(app: App) -> None:
    settings = app.settings_of(Settings)
    _stores[app] = Store(settings.url, settings.timeout_seconds)


@hookimpl
def rate_limit(app: App, identity: Identity | None, address: str, now: float) -> Allowance | None:
    limits = identity or app.settings
    name = f"key:{identity.id}" if identity else f"address:{address}"
    # None leaves the answer to core, whose limiter is exact for this host.
    return _stores[app].take(name, limits.per_minute, limits.per_second, now)
