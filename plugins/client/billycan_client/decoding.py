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
        return _decoder_of(kind)


@cache
def _decoder_of(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind, float_hook=Decimal)
