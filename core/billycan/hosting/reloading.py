"""Restart when a source file changes, for authors of plugins: `billycan serve --reload`."""

import logging
import os
import sys
import traceback
from collections.abc import Callable
from threading import Event

from gunicorn.reloader import reloader_engines

from ..app import App
from ..starting.explain import explain_error

log = logging.getLogger("billycan")


class NotLoaded(SyntaxError):
    """The application cannot be loaded: under `--reload`, gunicorn waits for a change, as after a SyntaxError."""


def not_loaded(error: Exception) -> NotLoaded:
    """Return the error with the file that was being imported, so that it is watched though it made no module."""
    found = NotLoaded(explain_error(error) or repr(error))
    root: BaseException = error
    while cause := root.__cause__ or root.__context__:
        root = cause
    modules = [f.filename for f in traceback.extract_tb(root.__traceback__) if f.name == "<module>"]
    found.filename = root.filename if isinstance(root, SyntaxError) else modules[-1] if modules else None
    return found


def run_again_on_change(build: Callable[[], App], run: Callable[[App, Event], None], stop: Event) -> None:
    """Run until `stop` is set; replace this process by a new one when a file changes."""
    changed = Event()

    def tell(name: str) -> None:
        log.warning("%s changed: the worker starts again", name)
        changed.set()
        stop.set()

    reloader = reloader_engines["auto"](callback=tell)
    try:
        app = build()
    except Exception as error:  # noqa: BLE001 - whatever the author wrote
        broken = not_loaded(error)
        log.error("%s", broken.msg)
        if broken.filename:
            reloader.add_extra_file(broken.filename)
        reloader.start()
        stop.wait()
    else:
        reloader.start()
        try:
            run(app, stop)
        finally:
            app.close()
    if changed.is_set():
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - itself
