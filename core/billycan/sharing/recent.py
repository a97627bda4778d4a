"""A cache of what was read from the database within the last second."""

import time
from collections.abc import Callable
from typing import Generic, TypeVar

from .folder import Epoch

T = TypeVar("T")
SECONDS = 1.0
MOST = 10_000


class Recent(Generic[T]):
    """A small cache of values at most a second old, and read since any process of this host last bumped the epoch."""

    def __init__(self, epoch: Epoch) -> None:
        self.epoch = epoch
        self._seen: dict[str, tuple[float, int, T]] = {}

    def get(self, key: str, load: Callable[[], T]) -> T:
        """Return the value of `key`; call `load` if there is no recent one."""
        now, epoch = time.monotonic(), self.epoch.read()
        found = self._seen.get(key)
        if found and now - found[0] < SECONDS and found[1] == epoch:
            return found[2]
        value = load()
        if len(self._seen) >= MOST:
            self._seen.clear()
        self._seen[key] = (now, epoch, value)
        return value

    def last(self, key: str) -> T | None:
        """Return the value of `key` that was loaded last, however old it is; None if there is none."""
        found = self._seen.get(key)
        return found[2] if found else None

    def forget(self, key: str) -> None:
        """Load the value of `key` anew when it is needed next."""
        self._seen.pop(key, None)
