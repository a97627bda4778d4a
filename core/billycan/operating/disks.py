"""The free space of the folders that billycan writes to on this host."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from ..app import App

_MIB = 1024 * 1024


class Disk(Struct):
    """The file system of a folder, with its size and its free space in bytes."""

    use: str
    folder: Path
    total: int
    free: int

    @property
    def is_full(self) -> bool:
        """True if writes are about to fail: less than a hundredth is free, and less than 64 MiB."""
        return self.free < min(self.total // 100, 64 * _MIB)

    @property
    def is_short(self) -> bool:
        """True if somebody should see to it: less than a twentieth is free, and less than 1 GiB."""
        return self.free < min(self.total // 20, 1024 * _MIB)


def measure_disks(app: "App") -> Iterator[Disk]:
    """Measure the file systems of the folders that core writes to; PostgreSQL's own is on its host."""
    folders = {"shared": app.shared}
    if app.db.is_sqlite and app.db.url.database:
        folders["database"] = Path(app.db.url.database).resolve().parent
    for use, folder in sorted(folders.items()):
        usage = shutil.disk_usage(folder)
        yield Disk(use, folder, usage.total, usage.free)
