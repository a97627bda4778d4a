"""Redis limits: requests counted in one place for all hosts; while it is away, each host counts by itself."""

from msgspec import Struct

from billycan import App, Manifest, hookimpl

from .store import Store


class Settings(Struct, forbid_unknown_fields=True, kw_only=True):
    """`url` is the Redis that all hosts share, `timeout_seconds` how long a request may wait for it."""

    url: str = "redis://127.0.0.1:6379/0"
    timeout_seconds: float = 0.25


manifest = Manifest(name="redis_limits", settings=Settings)


@hookimpl
def startup(app: App) -> None:
    settings = app.settings_of(Settings)
    # Everything that counts uses it: keys, addresses, and the pages that have allowances of their own.
    app.limiter = Store(
        settings.url, settings.timeout_seconds, meanwhile=app.limiter.take_each, is_clock_given=app.is_clock_given
    )
