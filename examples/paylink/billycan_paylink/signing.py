"""Signatures of requests to the provider and of its notices, by Standard Webhooks. Pure functions."""

import base64
import hmac
from collections.abc import Mapping
from datetime import datetime

TOLERANCE_SECONDS = 300


def signature_headers(secret: str, id: str, now: datetime, body: bytes) -> dict[str, str]:
    """Return the headers that sign a message."""
    at = str(int(now.timestamp()))
    return {"webhook-id": id, "webhook-timestamp": at, "webhook-signature": _signature(secret, id, at, body)}


def is_signed(secret: str, given: Mapping[str, str], now: datetime, body: bytes) -> bool:
    """Tell whether a message has a signature by this secret from the last five minutes."""
    id, at = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    if (
        not id
        or not (at.isascii() and at.isdecimal() and len(at) < 12)
        or abs(int(at) - now.timestamp()) > TOLERANCE_SECONDS
    ):
        return False
    right = _signature(secret, id, at, body).encode()
    return any(hmac.compare_digest(each.encode(), right) for each in given.get("webhook-signature", "").split())


def _signature(secret: str, id: str, at: str, body: bytes) -> str:
    made = hmac.digest(secret.encode(), f"{id}.{at}.".encode() + body, "sha256")
    return f"v1,{base64.b64encode(made).decode()}"
