"""billycan for the soak: each answer also tells its worker, and the worker's reading of the clock."""

import os
import threading
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

from billycan.app import App
from billycan.starting import settings

_request = threading.local()


def clock() -> datetime:
    """Return the time to the millisecond, as billycan reads it."""
    now = datetime.now(UTC)
    now = now.replace(microsecond=now.microsecond // 1000 * 1000)
    _request.__dict__.setdefault("asked", now)  # The first look in a request is the one for the limiter.
    return now


def application() -> Callable[..., Iterable[bytes]]:
    app = App(settings.load_settings(), clock).start()

    def told(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        _request.__dict__.clear()

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            asked = _request.__dict__.get("asked")
            milliseconds = round(asked.timestamp() * 1000) if asked else 0
            more = [("X-Soak-Worker", str(os.getpid())), ("X-Soak-Asked", str(milliseconds))]
            return start_response(status, [*headers, *more], exc_info)

        answer: Iterable[bytes] = app.wsgi(environ, start)
        return answer

    return told
