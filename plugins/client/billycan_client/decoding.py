"""Decoders of answers, each built once: msgspec crashes if two threads build one of the same type at once."""

from decimal import Decimal
from functools import cache
from threading import Lock
from typing import Any

import msgspec

_ALONE = Lock()


def decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    """Return a decoder of this type that threads can share; it never rounds numbers to floats."""
    with _ALONE:
        return _made(kind)


@cache
def _made(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind, float_hook=Decimal)
