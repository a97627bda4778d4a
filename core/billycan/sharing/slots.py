"""Limits on how many things of one kind run at once for each name, over all processes of a host."""

import fcntl
import hashlib
import os
import weakref
from pathlib import Path
from typing import Self

from .folder import private_folder


class Slot:
    """One slot, held until it is closed or nothing refers to it any more."""

    def __init__(self, fd: int) -> None:
        self._closed = weakref.finalize(self, os.close, fd)

    def close(self) -> None:
        """Release the slot; a second call does nothing."""
        self._closed()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Slots:
    """At most `most` slots for each name. A slot is the lock of a file, which the kernel drops with its process."""

    def __init__(self, folder: Path, most: int) -> None:
        self._folder, self._most = folder, most

    def take(self, name: str) -> Slot | None:
        """Return a slot, or None if all are taken."""
        private_folder(self._folder)
        begins = hashlib.sha256(name.encode()).hexdigest()[:32]
        for number in range(self._most):
            fd = os.open(self._folder / f"{begins}-{number}", os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(fd)
            else:
                return Slot(fd)
        return None
