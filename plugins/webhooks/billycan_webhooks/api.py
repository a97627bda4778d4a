"""Webhooks' functions for other plugins: the health of endpoints, and the signatures of deliveries."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import App, Context, own

from . import addresses, signing
from .endpoints_by_owner import delete_of_connection, end_set_up, follow_consent, set_up_by_people
from .settings import Settings
from .signature_mistakes import Signed, Verdict, find_mistakes, fingerprint
from .tables import deliveries, endpoints

__all__ = [
    "Fetched",
    "Health",
    "Verdict",
    "Work",
    "attempts_in_all",
    "compare_signature",
    "delete_of_connection",
    "end_set_up",
    "explain_signature",
    "fetch_document",
    "follow_consent",
    "health",
    "health_by_time",
    "request_headers",
    "request_line",
    "set_up_by_people",
    "timeout_seconds",
]

_MOST_VERSIONS = 20


class Health(Struct, frozen=True, kw_only=True):
    """The number of an endpoint's deliveries in each status, counting those created in a period."""

    delivered: int = 0
    failed: int = 0
    pending: int = 0
    held: int = 0
    cancelled: int = 0
    retrying: int = 0

    @property
    def total(self) -> int:
        return self.delivered + self.failed + self.pending + self.held


class Work(Struct, frozen=True, kw_only=True):
    """The steps that lead to the signature of an attempt. `fingerprint` identifies the secret without revealing it.

    `text` is the signed text, `signatures` are those of the request, and `made` is the signature computed from the text
    with the secret; None if no known secret gives any of them.
    """

    webhook_id: str
    timestamp: str
    text: str
    length: int
    signatures: list[str]
    made: str | None
    version: int | None
    is_current: bool
    key_bytes: int
    fingerprint: str | None


class Fetched(Struct, frozen=True, kw_only=True):
    """The answer of a stranger's server.

    error: The kind of failure, as deliveries have it; None if the answer is there.
    body, headers: The answer; the names of headers are in lower case.
    """

    error: str | None
    body: str
    headers: Mapping[str, str]


def fetch_document(app: App, url: str, business: str) -> Fetched:
    """GET a small document from a stranger's server as deliveries are sent: only from a public address, within 5 s, of
    at most 16 kB, and without following redirects. `business` is the one on whose behalf it is fetched.
    """
    from . import sender  # noqa: PLC0415 - its library takes a while to import

    private = app.settings_of(Settings).allow_private is True
    found = sender.fetch_document(url, timeout=5.0, private=private, business=business)
    body, error = found.response_body or "", found.error
    if error is None and len(body.encode()) >= sender.MOST_BODY:
        error = "too_large"
    return Fetched(error=error, body=body, headers=found.response_headers)


def health(ctx: Context, since: datetime, endpoint_id: str | None = None) -> Mapping[str, Health]:
    """Map the ids of a business's endpoints to their health, in one query; those without deliveries are left out."""
    of_one = [_d.endpoint_id == endpoint_id] if endpoint_id else []
    retrying = sa.func.sum(sa.case(((_d.status == "pending") & (_d.failures > 0), 1), else_=0))
    asked = sa.select(_d.endpoint_id, _d.status, sa.func.count().label("count"), retrying.label("retrying"))
    of_time = asked.where(own(ctx, deliveries), _d.created_at >= since, *of_one)
    found: dict[str, dict[str, int]] = {}
    for row in ctx.db.execute(of_time.group_by(_d.endpoint_id, _d.status)):
        counts = found.setdefault(row.endpoint_id, {})
        counts[row.status] = row._mapping["count"]
        counts["retrying"] = counts.get("retrying", 0) + row.retrying
    return {id: Health(**counts) for id, counts in found.items()}


def health_by_time(ctx: Context, endpoint_id: str, starts: Sequence[datetime]) -> list[Health]:
    """Return an endpoint's health from each of these ascending times to the next, and from the last until now."""
    since = sa.case(*((_d.created_at >= start, i) for i, start in reversed([*enumerate(starts)]))).label("since")
    asked = sa.select(since, _d.status, sa.func.count().label("count"))
    of_one = asked.where(own(ctx, deliveries), _d.endpoint_id == endpoint_id, _d.created_at >= starts[0])
    found: list[dict[str, int]] = [{} for _ in starts]
    for row in ctx.db.execute(of_one.group_by(sa.literal_column("since"), _d.status)):
        found[row.since][row.status] = row._mapping["count"]
    return [Health(**counts) for counts in found]


def attempts_in_all(app: App) -> int:
    """Return the number of attempts after which a delivery has failed."""
    return 1 + len(app.settings_of(Settings).retry_offsets)


def timeout_seconds(app: App) -> float:
    """Return the longest time that an attempt may take."""
    return app.settings_of(Settings).timeout_seconds


def request_line(url: str) -> str:
    """Return the first line of a request."""
    return f"POST {addresses.parse_url(url, private=True).path} HTTP/1.1"


def request_headers(url: str, headers: Mapping[str, str], body: str) -> Mapping[str, str]:
    """Return all headers of a request, in the order in which they are sent."""
    return addresses.request_headers(addresses.parse_url(url, private=True), headers, len(body.encode()))


def explain_signature(ctx: Context, endpoint_id: str, request: Mapping[str, Any]) -> Work | None:
    """Explain the signature of an attempt, given its request as the API shows it. Return None if it was not signed."""
    headers, body = request["headers"], request["body"]
    if body is None or not (sent := _split_signatures(headers)):
        return None
    version, secret, made = _find_signer(ctx, endpoint_id, headers, body.encode()) or (None, b"", None)
    text = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}"
    return Work(
        webhook_id=headers["webhook-id"],
        timestamp=headers["webhook-timestamp"],
        text=text,
        length=len(text.encode()),
        signatures=sent,
        made=made,
        version=version,
        is_current=version is not None and version == _current_version(ctx, endpoint_id),
        key_bytes=len(secret),
        fingerprint=fingerprint(secret) if secret else None,
    )


def compare_signature(
    ctx: Context, delivery: Mapping[str, Any], attempt: Mapping[str, Any], pasted: str, secret_id: str
) -> Verdict | None:
    """Find the mistakes that lead to a pasted signature of an attempt. Return None if no usual mistake does.

    The delivery and its attempt are as the API shows them, the attempt with its body. `secret_id` is the fingerprint of
    the secret that was used, or empty.
    """
    headers, body = attempt["request"]["headers"], attempt["request"]["body"].encode()
    found = _find_signer(ctx, delivery["endpoint_id"], headers, body)
    if found is None:
        return None
    others = dict(_other_secrets(ctx, delivery["endpoint_id"], found[1]))
    signed = Signed(
        found[1],
        headers["webhook-id"],
        headers["webhook-timestamp"],
        body,
        others,
        [each["request"]["headers"].get("webhook-timestamp", "") for each in delivery["attempts"]],
        delivery["id"],
    )
    verdict = find_mistakes(pasted, signed)
    given, used = secret_id.strip().lower()[:12], fingerprint(found[1])
    if not given or given == used or (verdict and verdict.matches):
        return verdict
    whose = {fingerprint(secret): what for what, secret in others.items()}
    wrong = f"The fingerprint {given} is that of {whose.get(given, 'no secret of this business')}: use {used}."
    return Verdict(False, [wrong, *(verdict.mistakes if verdict else [])])


def _split_signatures(headers: Mapping[str, str]) -> list[str]:
    return [each[3:] for each in headers.get("webhook-signature", "").split() if each.startswith("v1,")]


def _find_signer(
    ctx: Context, endpoint_id: str, headers: Mapping[str, str], body: bytes
) -> tuple[int, bytes, str] | None:
    """Return the newest secret that made one of an attempt's signatures, with its version and that signature."""
    sent = _split_signatures(headers)
    for version, secret in _secrets_of(ctx, endpoint_id, _current_version(ctx, endpoint_id) or _MOST_VERSIONS):
        made = signing.signature_headers(headers["webhook-id"], int(headers["webhook-timestamp"]), body, [secret])
        if (signature := _split_signatures(made)[0]) in sent:
            return version, secret, signature
    return None


def _current_version(ctx: Context, endpoint_id: str) -> int | None:
    """Return the version of an endpoint's secret, or None if the endpoint was deleted."""
    asked = sa.select(endpoints.c.secret_version).where(own(ctx, endpoints), endpoints.c.id == endpoint_id)
    return ctx.db.execute(asked).scalar()


def _secrets_of(ctx: Context, endpoint_id: str, newest: int) -> Iterator[tuple[int, bytes]]:
    """Yield the secrets that an endpoint has had, newest first, with their versions."""
    masters = ctx.app.secrets
    for version in range(newest, max(newest - _MOST_VERSIONS, 0), -1):
        for master in reversed(masters):
            yield version, signing.derive_secret(masters, ctx.tenant_id, endpoint_id, version, signing.key_id(master))


def _other_secrets(ctx: Context, endpoint_id: str, used: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield every other secret that could be mistaken for the one used, each with its description."""
    current = _current_version(ctx, endpoint_id)
    for version, secret in _secrets_of(ctx, endpoint_id, current or _MOST_VERSIONS):
        if secret != used:
            yield f"{'the new' if version == current else 'an old'} secret of this endpoint ({version})", secret
    rows = sa.select(endpoints.c.id, endpoints.c.url, endpoints.c.secret_version).where(own(ctx, endpoints))
    for row in ctx.db.execute(rows.where(endpoints.c.id != endpoint_id)):
        for _, secret in [*_secrets_of(ctx, row.id, row.secret_version)][:4]:
            yield f"the secret of another endpoint ({row.url[:80]}, {row.id})", secret


_d = deliveries.c
