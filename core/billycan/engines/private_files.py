"""Files and folders of a database, and others, that only this user may read, from their first byte on."""

import logging
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

log = logging.getLogger("billycan")


def make_file(path: Path) -> None:
    """Create an empty file for this user only, if possible; an existing one stays as it is."""
    with suppress(OSError):  # The code that opens it raises the error.
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def close_to_others(paths: Iterable[Path]) -> None:
    """Make this user's own files and folders private, if others than the owner and the group may use them.

    Those that are closed to others stay as they are: their group was let in on purpose.
    """
    for path in paths:
        with suppress(OSError):  # The code that opens it raises the error.
            found = path.stat()
            if found.st_uid == os.geteuid() and found.st_mode & stat.S_IRWXO:
                path.chmod(0o700 if stat.S_ISDIR(found.st_mode) else 0o600)
                mode = stat.S_IMODE(found.st_mode)
                log.warning("%s was open to other users (mode %04o): now only its owner may use it", path, mode)


def open_to_others(paths: Iterable[Path]) -> list[Path]:
    """List the paths that others than the owner and the group may read or write."""
    return [path for path in paths if path.exists() and _is_open(path)]


def _is_open(path: Path) -> bool:
    folder, found = path.resolve().parent.stat().st_mode, path.stat().st_mode
    if stat.S_ISDIR(found) and found & stat.S_IWOTH and not found & stat.S_ISVTX:
        return True  # A user who can write to a folder can replace its files.
    # Files in a folder that others cannot enter are closed to them.
    return bool(folder & stat.S_IXOTH and found & (stat.S_IROTH | stat.S_IWOTH))
