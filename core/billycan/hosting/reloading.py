"""Restart when a source file changes, for authors of plugins: `billycan serve --reload`."""

import logging
import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.machinery import SourceFileLoader
from pathlib import Path
from threading import Event
from typing import Any

from gunicorn import reloader

from ..app import App
from ..starting.explain import explain_error

log = logging.getLogger("billycan")


class NotLoaded(SyntaxError):
    """The application cannot be loaded: under `--reload`, gunicorn waits for a change, as after a SyntaxError."""


class Reloader(reloader.Reloader):  # type: ignore[misc]
    """Reports each file that is not as it was when Python began to load it, or tried to.

    gunicorn's own compares files with what they were once all are loaded, and misses what was saved until then.
    """

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._modified: dict[str, float] = {}  # when each file was, as Python found it before it read it
        path_stats = SourceFileLoader.path_stats

        def note(loader: SourceFileLoader, path: str) -> Mapping[str, Any]:
            stats = path_stats(loader, path)
            self._modified.setdefault(path, stats["mtime"])
            return stats

        SourceFileLoader.path_stats = note  # type: ignore[assignment, method-assign]

    def get_files(self) -> list[str]:
        return [*super().get_files(), *self._modified]

    def run(self) -> None:
        while True:
            for name in self.get_files():
                if self._is_changed(name):
                    self._callback(name)
                    return
            time.sleep(self._interval)

    def _is_changed(self, name: str) -> bool:
        with suppress(OSError):  # it may be about to be replaced
            modified = Path(name).stat().st_mtime
            return modified != self._modified.setdefault(name, modified)
        return False


def watch_in_gunicorn() -> None:
    """Have gunicorn's workers use this Reloader; called before they make theirs."""
    reloader.reloader_engines["auto"] = Reloader


def run_again_on_change(build: Callable[[], App], run: Callable[[App, Event], None], stop: Event) -> None:
    """Run until `stop` is set; replace this process by a new one when a file changes."""
    changed = Event()

    def tell(name: str) -> None:
        log.warning("%s changed: the worker starts again", name)
        changed.set()
        stop.set()

    watching = Reloader(callback=tell)
    try:
        app = build()
    except Exception as error:  # noqa: BLE001 - whatever the author wrote
        log.error("%s", not_loaded(error).msg)
        watching.start()
        stop.wait()
    else:
        watching.start()
        try:
            run(app, stop)
        finally:
            app.close()
    if changed.is_set():
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - itself


def not_loaded(error: Exception) -> NotLoaded:
    """Return the error that lets gunicorn wait for a change."""
    return NotLoaded(explain_error(error) or repr(error))
