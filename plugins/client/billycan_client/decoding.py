"""Decoders of what the API sends, each made once: msgspec crashes where two threads are the first to need one."""

from decimal import Decimal
from functools import cache
from threading import Lock
from typing import Any

import msgspec

_ALONE = Lock()


def decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    """What reads this type, for any number of threads; no number in it is rounded to a float."""
    with _ALONE:
        return _made(kind)


@cache
def _made(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind, float_hook=Decimal)
