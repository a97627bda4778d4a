"""Ids: a type prefix and 26 characters that grow with time within a process."""

import os
import re
import threading
import time

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS = [a + b for a in _ALPHABET for b in _ALPHABET]
_FORM = re.compile(r"[a-z]{2,5}_[0-9a-z]{1,40}")
_SHIFTS = range(110, -1, -10)  # of all pairs but the last
_lock = threading.Lock()
_last = 0


def is_id(text: str, prefix: str = "") -> bool:
    """Tell whether a text has the form of an id, and this prefix if one is given."""
    return _FORM.fullmatch(text) is not None and text.startswith(f"{prefix}_" if prefix else "")


def new_id(prefix: str) -> str:
    """Return a new id: 48 bits of milliseconds, 80 random bits, in lower-case base 32."""
    return new_ids(prefix, 1)[0]


def new_ids(prefix: str, count: int) -> list[str]:
    """Return this many new ids, in order: the first as `new_id` gives it, and those that follow it in base 32."""
    global _last  # noqa: PLW0603 - the clock of this process
    value = (time.time_ns() // 1_000_000 << 80) | int.from_bytes(os.urandom(10), "big")
    with _lock:
        # Ids of one millisecond, or made after the clock stepped back, still grow.
        if value <= _last:
            value = _last + 1
        _last = value + count - 1
    ids: list[str] = []
    start, of = "", -1
    for each in range(value, value + count):
        if each >> 10 != of:
            of = each >> 10
            start = prefix + "_" + "".join([_PAIRS[of >> shift & 1023] for shift in _SHIFTS])
        ids.append(start + _PAIRS[each & 1023])
    return ids
