"""Passwords: Argon2id, with a limit on hashes computed at once."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from billycan import Problem
from billycan.web import run_apart

LEAST, MOST = 12, 256  # characters

# OWASP's smallest recommendation: 19 MiB and about 30 ms each, of which two at a time leave room for requests.
_hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
AT_ONCE, WAITING = 2, 6
_working = threading.BoundedSemaphore(AT_ONCE)
_admitted = threading.BoundedSemaphore(AT_ONCE + WAITING)


class Busy(Problem):
    """Too many passwords are being hashed or waiting to be."""

    status, type, code = 503, "api", "unavailable"
    message = "Many people are signing in at this moment: please try again in a few seconds."


def hash_password(password: str) -> str:
    """Return the hash of a password. Raise Busy. Call it outside any transaction, which would wait with it."""
    with _hashing_turn():
        return run_apart(lambda: _hasher.hash(password))


def matches_password(stored: str | None, password: str) -> bool:
    """Tell whether a password matches. Without a stored hash, False takes as long. Raise Busy."""
    with _hashing_turn():
        try:
            return run_apart(lambda: _hasher.verify(stored or _NOBODYS, password)) and stored is not None
        except (VerificationError, InvalidHashError):
            return False


@contextmanager
def _hashing_turn() -> Iterator[None]:
    """Wait briefly for one of the few turns to hash, so that strangers cannot block every thread."""
    sys.audit("billycan.slow", "to hash a password")
    if not _admitted.acquire(blocking=False):
        raise Busy
    try:
        with _working:
            yield
    finally:
        _admitted.release()


def is_outdated(stored: str) -> bool:
    """Tell whether a hash was made with other parameters than today's."""
    return _hasher.check_needs_rehash(stored)


def password_fault(password: str, email: str) -> str | None:
    """Return the reason that a new password is refused, or None."""
    if len(password) < LEAST:
        return f"must have at least {LEAST} characters"
    if len(password) > MOST:
        return f"must have at most {MOST} characters"
    if len(set(password)) < 5 or password.casefold() in (email, email.partition("@")[0]):
        return "is too easy to guess"
    return None


# The hash of random bytes that were not stored.
_NOBODYS = "$argon2id$v=19$m=19456,t=2,p=1$4sW/2jiHPEFZ6Jhqfw9cRg$Idse1vsNXY3iP4+c8JeLeMFdE+ZW3tz8Yxr7xxCqMhE"
