"""Secrets of endpoints, derived and never stored, and the Standard Webhooks signatures made with them."""

import base64
import hashlib
import hmac
import logging
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from billycan import Row

log = logging.getLogger("billycan.webhooks")

PREFIX = "whsec_"
OVERLAP = timedelta(hours=24)


class KeyGone(Exception):
    """The master secret that an endpoint's secret was derived from is no longer configured."""


def key_id(master: str) -> str:
    """Return an id of a master secret that does not reveal it."""
    return hmac.digest(master.encode(), b"billycan webhooks key", "sha256").hex()[:12]


def derive_secret(masters: Sequence[str], tenant_id: str, endpoint_id: str, version: int, key: str) -> bytes:
    """Derive one version of an endpoint's secret. A stolen database is not enough: it needs the deployment's secret."""
    for master in masters:
        if hmac.compare_digest(key_id(master), key):
            text = f"billycan webhooks\n{tenant_id}\n{endpoint_id}\n{version}"
            return hmac.digest(master.encode(), text.encode(), "sha256")
    raise KeyGone


def encode_secret(raw: bytes) -> str:
    """Return a secret as its owner sees it: `whsec_…`."""
    return PREFIX + base64.b64encode(raw).decode()


def decode_secret(text: str) -> bytes:
    """Return the bytes of a `whsec_…` secret."""
    return base64.b64decode(text.removeprefix(PREFIX))


def signature_headers(webhook_id: str, timestamp: int, body: bytes, secrets: Iterable[bytes]) -> dict[str, str]:
    """Return the three headers of Standard Webhooks, with one signature for each secret."""
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    signatures = (base64.b64encode(hmac.new(raw, signed, hashlib.sha256).digest()).decode() for raw in secrets)
    return {
        "webhook-id": webhook_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(f"v1,{signature}" for signature in signatures),
    }


def signed_headers(
    masters: Sequence[str], endpoint: "Row", webhook_id: str, body: bytes, now: datetime
) -> dict[str, str]:
    """Return all headers of a delivery. Return none if the endpoint's secret is gone, since nothing can be signed."""
    try:
        signed = signature_headers(webhook_id, int(now.timestamp()), body, _live_secrets(masters, endpoint, now))
    except KeyGone:
        return {}
    return {**common_headers(endpoint.environment), **signed}


def _live_secrets(masters: Sequence[str], endpoint: "Row", now: datetime) -> list[bytes]:
    """Return the endpoint's secret and, for 24 hours after a rotation, the previous one."""
    whose = masters, endpoint.tenant_id, endpoint.id
    live = [derive_secret(*whose, endpoint.secret_version, endpoint.secret_key)]
    if endpoint.secret_rotated_at and now < endpoint.secret_rotated_at + OVERLAP:
        try:
            live.append(derive_secret(*whose, endpoint.secret_version - 1, endpoint.previous_secret_key))
        except KeyGone:
            log.warning("the previous secret of %s is gone with BILLYCAN_SECRET_PREVIOUS", endpoint.id)
    return live


def common_headers(environment: Any) -> dict[str, str]:
    """Return the headers that every delivery has besides its signature."""
    return {
        "content-type": "application/json",
        "user-agent": "billycan-webhooks/1.0",
        "billycan-environment": str(environment),
    }
