"""Hints to the workers, sent by whatever made a delivery due, without waiting for the queue."""

import logging
import weakref
from collections import deque
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from billycan import App
from billycan.fields import Moment

if TYPE_CHECKING:
    from .queue import Queue

log = logging.getLogger("billycan.webhooks")

_MOST_WAITING = 1000
_PATIENCE_SECONDS = 0.5
Hint = tuple[str, str]  # a tenant's id and an endpoint's: something may be due there
CHORES = ""  # in place of an endpoint's id: the business has chores


def nudger_of(app: App) -> "Nudger":
    """Return the app's nudger."""
    return _nudgers.get(app) or _nudgers.setdefault(app, Nudger(app))  # another thread may have set it


class Nudger:
    """Sends hints to the queue in a thread of its own, so that no request waits for the queue."""

    def __init__(self, app: App) -> None:
        self._app = weakref.ref(app)
        self._thread = ThreadPoolExecutor(1, "webhooks nudger")
        self._waiting: deque[tuple[list[Hint], Moment | None]] = deque(maxlen=_MOST_WAITING)
        self._queue: Queue | None = None

    def send_hints_soon(self, hints: Iterable[Hint], at: Moment | None = None) -> None:
        """Send hints soon, as `Queue.hint` does. Those that find no room are left to the sweep."""
        self._waiting.append((list(hints), at))
        self._thread.submit(self._send_waiting)

    def _send_waiting(self) -> None:
        try:
            from .queue import Queue  # noqa: PLC0415 - Huey is for the workers, and for who has a hint for them

            while self._waiting and (app := self._app()):
                if self._queue and not self._queue.is_whole():
                    self._close()
                self._queue = self._queue or Queue(app, patience=_PATIENCE_SECONDS)
                self._queue.hint(*self._waiting.popleft())
        except Exception as error:  # noqa: BLE001 - whatever a queue raises, the sweep finds the delivery
            self._waiting.clear()
            self._close()
            log.info("hints were lost: %s", error_line(error))

    def _close(self) -> None:
        if self._queue:
            self._queue.close()
        self._queue = None

    __del__ = _close


_nudgers: "weakref.WeakKeyDictionary[App, Nudger]" = weakref.WeakKeyDictionary()


def error_line(error: Exception) -> str:
    """Return the first line of an error: further lines quote the statement and its values."""
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
