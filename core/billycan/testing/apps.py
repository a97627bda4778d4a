"""Reuse apps from test to test: those with the same plugins and settings that earlier tests left intact.

Building an app takes longer than most tests. An app is not reused if a test replaced one of its parts or closed it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Hashable
from functools import cached_property
from operator import is_
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..app import App

MOST_RESTING = 48  # each takes a few MB


class AppPool:
    """Apps that no test is using, by the plugins and settings they were built with."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._resting: dict[Hashable, App] = {}
        self._lent: dict[App, tuple[Hashable, list[Any]]] = {}

    def lend(self, key: Hashable, clock: Any, build: Callable[[], App]) -> App:
        """Take the app that rests under `key`, or build one, with this clock and nothing counted yet."""
        app = self._resting.pop(key, None) or build()
        app.clock = clock
        app.epoch.bump()  # forgets everything that is cached for a second
        self._lent[app] = key, _list_parts(app)
        return app

    def give_back(self, app: App) -> None:
        """Keep an app for a later test, or close it if it cannot be reused."""
        key, parts = self._lent.pop(app, ((), []))
        is_whole = len(parts) == len(now := _list_parts(app)) and all(map(is_, parts, now))
        if is_whole and app.counts.is_open:
            for observer in app.observers:
                observer.close()
            self._renew_counters(app)
            self._resting[key] = app
            if len(self._resting) > MOST_RESTING:
                self._resting.pop(next(iter(self._resting))).close()
        else:
            app.close()

    def close(self) -> None:
        for app in self._resting.values():
            app.close()

    def _renew_counters(self, app: App) -> None:
        """Give an app new counters: each key that a test used holds a file descriptor in the old ones."""
        from ..apart import Shares  # noqa: PLC0415 - as above
        from ..lists.queries import Totals  # noqa: PLC0415 - pytest loads this in every run, with or without billycan's tests
        from ..sharing.folder import Counts  # noqa: PLC0415 - as above
        from ..sharing.limits import Limiter  # noqa: PLC0415 - as above

        folder = Path(tempfile.mkdtemp(prefix="shared-", dir=self._folder))
        app.counts.close()
        app.counts, app.shares, app.totals = Counts(folder), Shares(), Totals()
        app.limiter = Limiter(folder)


def _list_parts(app: App) -> list[Any]:
    """List the objects that an app is made of, and those in its dictionaries and lists."""
    found: list[Any] = [*app.plugins.get_plugins()]
    for name, part in vars(app).items():
        if not isinstance(getattr(type(app), name, None), cached_property):
            found.append(part)
            found += part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return found
