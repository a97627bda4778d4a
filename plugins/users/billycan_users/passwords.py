"""Passwords: Argon2id, with a bound on how many are worked on at once."""

import threading

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

LEAST, MOST = 12, 256  # characters

# OWASP's smallest recommendation: 19 MiB and about 30 ms each, of which two at a time leave room for requests.
_hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
_working = threading.BoundedSemaphore(2)


def hashed(password: str) -> str:
    """What is stored of a password."""
    with _working:
        return _hasher.hash(password)


def matches(stored: str | None, password: str) -> bool:
    """Whether this is the password; where none is stored it takes as long to say that it is not."""
    with _working:
        try:
            return _hasher.verify(stored or _NOBODYS, password) and stored is not None
        except (VerificationError, InvalidHashError):
            return False


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
