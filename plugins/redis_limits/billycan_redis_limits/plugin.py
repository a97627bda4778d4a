"""Redis limits: requests of all hosts counted in one place; while Redis is away, each host counts its own."""

from msgspec import Struct

from billycan import App, Manifest, hookimpl

from .store import Store


class Settings(Struct, forbid_unknown_fields=True, kw_only=True):
    """`url` is the Redis that all hosts share, `timeout_seconds` the longest a request waits for it."""

    url: str = "redis://127.0.0.1:6379/0"
    timeout_seconds: float = 0.25


manifest = Manifest(name="redis_limits", settings=Settings)


@hookimpl
def startup(app: App) -> None:
    settings = app.settings_of(Settings)
    # All limits use it: those of keys, of addresses, and of pages with their own.
    app.limiter = Store(
        settings.url, settings.timeout_seconds, meanwhile=app.limiter.take_each, is_clock_given=app.is_clock_given
    )
