"""The secrets of endpoints, derived and never stored, and the signatures of Standard Webhooks made with them."""

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
    """The master secret an endpoint's secret was derived from is no longer configured."""


def key_id(master: str) -> str:
    """Which master secret, told apart without telling it."""
    return hmac.digest(master.encode(), b"billycan webhooks key", "sha256").hex()[:12]


def secret(masters: Sequence[str], tenant_id: str, endpoint_id: str, version: int, key: str) -> bytes:
    """An endpoint's secret of one version. A stolen database does not hold it; the deployment's secret is needed."""
    for master in masters:
        if hmac.compare_digest(key_id(master), key):
            text = f"billycan webhooks\n{tenant_id}\n{endpoint_id}\n{version}"
            return hmac.digest(master.encode(), text.encode(), "sha256")
    raise KeyGone


def shown(raw: bytes) -> str:
    """A secret as its owner keeps it: `whsec_…`."""
    return PREFIX + base64.b64encode(raw).decode()


def read(text: str) -> bytes:
    """The bytes of a `whsec_…`."""
    return base64.b64decode(text.removeprefix(PREFIX))


def headers(webhook_id: str, timestamp: int, body: bytes, secrets: Iterable[bytes]) -> dict[str, str]:
    """The three headers of Standard Webhooks: one signature for each secret that is live."""
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    signatures = (base64.b64encode(hmac.new(raw, signed, hashlib.sha256).digest()).decode() for raw in secrets)
    return {
        "webhook-id": webhook_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(f"v1,{signature}" for signature in signatures),
    }


def headers_to(masters: Sequence[str], endpoint: "Row", webhook_id: str, body: bytes, now: datetime) -> dict[str, str]:
    """All that is sent to an endpoint with a body; nothing where its secret is gone and so nothing can be signed."""
    try:
        signed = headers(webhook_id, int(now.timestamp()), body, _live(masters, endpoint, now))
    except KeyGone:
        return {}
    return {**common_headers(endpoint.environment), **signed}


def _live(masters: Sequence[str], endpoint: "Row", now: datetime) -> list[bytes]:
    """The endpoint's secret, and for 24 hours after a rotation the one before it too."""
    whose = masters, endpoint.tenant_id, endpoint.id
    live = [secret(*whose, endpoint.secret_version, endpoint.secret_key)]
    if endpoint.secret_rotated_at and now < endpoint.secret_rotated_at + OVERLAP:
        try:
            live.append(secret(*whose, endpoint.secret_version - 1, endpoint.previous_secret_key))
        except KeyGone:
            log.warning("the previous secret of %s is gone with BILLYCAN_SECRET_PREVIOUS", endpoint.id)
    return live


def common_headers(environment: Any) -> dict[str, str]:
    """What every delivery carries besides its signature."""
    return {
        "content-type": "application/json",
        "user-agent": "billycan-webhooks/1.0",
        "billycan-environment": str(environment),
    }
