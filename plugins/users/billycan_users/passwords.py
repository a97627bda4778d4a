"""Passwords: Argon2id, with a bound on how many are worked on at once."""

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
    """So many passwords are hashed, and wait for it, that no more are taken."""

    status, type, code = 503, "api", "unavailable"
    message = "Many people are signing in at this moment: please try again in a few seconds."


def hashed(password: str) -> str:
    """What is stored of a password. Raises Busy; call it outside any transaction, which would wait with it."""
    with _turn():
        return run_apart(lambda: _hasher.hash(password))


def matches(stored: str | None, password: str) -> bool:
    """Whether this is the password; where none is stored it takes as long to say that it is not. Raises Busy."""
    with _turn():
        try:
            return run_apart(lambda: _hasher.verify(stored or _NOBODYS, password)) and stored is not None
        except (VerificationError, InvalidHashError):
            return False


@contextmanager
def _turn() -> Iterator[None]:
    """One of the few that are hashed at once, after a short wait: strangers must not hold up every thread."""
    sys.audit("billycan.slow", "to hash a password")
    if not _admitted.acquire(blocking=False):
        raise Busy
    try:
        with _working:
            yield
    finally:
        _admitted.release()


def is_outdated(stored: str) -> bool:
    """Whether it was hashed with other parameters than today's."""
    return _hasher.check_needs_rehash(stored)


def fault(password: str, email: str) -> str | None:
    """Why a new password is not taken; None where it is."""
    if len(password) < LEAST:
        return f"must have at least {LEAST} characters"
    if len(password) > MOST:
        return f"must have at most {MOST} characters"
    if len(set(password)) < 5 or password.casefold() in (email, email.partition("@")[0]):
        return "is too easy to guess"
    return None


# Of random bytes that nobody kept.
_NOBODYS = "$argon2id$v=19$m=19456,t=2,p=1$4sW/2jiHPEFZ6Jhqfw9cRg$Idse1vsNXY3iP4+c8JeLeMFdE+ZW3tz8Yxr7xxCqMhE"
