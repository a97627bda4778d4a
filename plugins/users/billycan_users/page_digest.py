"""Digests of pages: a form carries the digest of what its page showed, so that people approve only what they saw."""

import hashlib
from typing import Any

from billycan import Conflict
from billycan.web import encode


class ChangedMeanwhile(Conflict):
    """The record changed since the page on which it is being approved was shown."""

    code = "changed_meanwhile"
    message = "This has changed since you opened the page. Below is what it is now: look at it, then decide again."


def check_digest(given: str | None, current: Any) -> None:
    """Raise ChangedMeanwhile unless this is the digest of `current`.

    Call it where `current` can no longer change: in the transaction that acts on it, with its row locked.
    """
    if given != digest_of(current):
        raise ChangedMeanwhile


def digest_of(shown: Any) -> str:
    """Return the digest of what a page shows: of a Struct, or of a list of Structs and values."""
    return hashlib.sha256(encode(shown)).hexdigest()[:32]
