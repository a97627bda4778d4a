"""Deliveries of webhooks: verified by Standard Webhooks, then decoded."""

import base64
import binascii
import datetime as dt
import hashlib
import hmac
import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from .decoding import decoder
from .errors import UnexpectedAnswer


class VerificationError(Exception):
    """A delivery with a wrong signature, or one that is too old: answer 401 and do nothing."""


class Delivery(Struct, kw_only=True):
    """The members of every event. The same event may come again: keep the ids of the last three days."""

    event: str
    timestamp: dt.datetime
    id: str = ""
    environment: str = ""


class OtherEvent(Delivery, kw_only=True):
    """An event without a type in this client: a later version's, a plugin's, or a `ping`."""

    data: Any


def verified(
    events: Mapping[str, type[Delivery]],
    secret: str,
    headers: Mapping[str, str],
    body: bytes,
    tolerance_seconds: float = 300,
    now: Callable[[], float] = time.time,
) -> Delivery:
    """Return the event of a delivery as its type in `events`. Raise VerificationError for a wrong signature or time."""
    found = {name.lower(): value for name, value in headers.items()}
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        raise ValueError("a webhook secret is whsec_ and base64") from None  # the message must not show it
    try:
        id, timestamp, signatures = (found[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
        sent_at = int(timestamp)
    except (KeyError, ValueError):
        raise VerificationError("the webhook- headers are missing or malformed") from None
    if abs(now() - sent_at) > tolerance_seconds:
        raise VerificationError("the delivery is too old or from the future")
    expected = base64.b64encode(hmac.digest(key, f"{id}.{timestamp}.".encode() + body, hashlib.sha256))
    # For a day after a secret is rotated there are several signatures; one match is enough.
    offered = [s.removeprefix("v1,").encode() for s in signatures.split() if s.startswith("v1,")]
    if not any(hmac.compare_digest(expected, signature) for signature in offered):
        raise VerificationError("no signature matches")
    return _read_delivery(events, id, found.get("billycan-environment", ""), body)


def _read_delivery(events: Mapping[str, type[Delivery]], id: str, environment: str, body: bytes) -> Delivery:
    try:
        name = decoder(Delivery).decode(body).event
        event: Delivery = decoder(events.get(name, OtherEvent)).decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        message = f"a verified delivery holds what this client does not know: {error}"
        raise UnexpectedAnswer(message, code="unexpected_answer") from error
    event.id, event.environment = id, environment
    return event
