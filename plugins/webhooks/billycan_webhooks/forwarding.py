"""Forwarding for `billycan webhooks listen`: follows a sandbox's events and sends each to a local receiver."""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import click
import httpcore

from billycan.web import encode

from . import signing

POLL_SECONDS = 2.0


def forward_events(
    url: str, key: str, forward_to: str, secret: str, stop: threading.Event, tell: Callable[[str], None]
) -> None:
    """Follow the events from now on until `stop` is set."""
    try:
        try:
            newest = _read_feed(url, key, "per_page=1")
        except _UNREACHED as error:
            raise click.ClickException(
                f"{url} cannot be reached ({_cause_of(error)}): if billycan runs elsewhere, give its address with --url"
            ) from None
        after = newest[0]["id"] if newest else None
        tell(f"forwarding new events to {forward_to}")
        while not stop.wait(POLL_SECONDS):
            for event in _follow_events(url, key, after, tell):
                after = event["id"]
                came = "not forwarded: the key may not read it" if event["data"] is None else None
                tell(f"{event['event']} {after}: {came or _forward_event(event, forward_to, secret)}")
    except KeyboardInterrupt:
        tell("stopped")


def _follow_events(url: str, key: str, after: str | None, tell: Callable[[str], None]) -> Iterator[dict[str, Any]]:
    query = f"after={after}&per_page=100" if after else "sort=created_at&per_page=100"
    try:
        yield from _read_feed(url, key, query)
    except _UNREACHED as error:
        tell(f"{url} cannot be reached ({_cause_of(error)}): trying again")


def _read_feed(url: str, key: str, query: str) -> list[dict[str, Any]]:
    given: Any = {"headers": {"Authorization": f"Bearer {key}"}, "extensions": _LIMITS}
    while (answer := httpcore.request("GET", f"{url}/v1/events?{query}", **given)).status in (429, 503):
        time.sleep(1)
    try:
        envelope = json.loads(answer.content, parse_float=Decimal)
        if answer.status == 400 and envelope["error"]["code"] == "page_too_large":
            fewer = f"per_page={envelope['error']['per_page']}"
            return _read_feed(url, key, re.sub("per_page=[0-9]+", fewer, query))
        if answer.status != 200:
            raise click.ClickException(envelope["error"]["message"])
    except (ValueError, KeyError, TypeError):
        raise click.ClickException(f"{url} answered {answer.status} without an envelope: it is not billycan") from None
    found: list[dict[str, Any]] = envelope["data"]
    return found


def _forward_event(event: dict[str, Any], forward_to: str, secret: str) -> str:
    body = encode({"event": event["event"], "timestamp": event["created_at"], "data": event["data"]})
    headers = signing.common_headers("sandbox")
    headers |= signing.signature_headers(event["id"], int(time.time()), body, [signing.decode_secret(secret)])
    try:
        answer = httpcore.request(
            "POST",
            forward_to,
            headers=list(headers.items()),
            content=body,
            extensions=_LIMITS,
        )
    except _UNREACHED as error:
        return f"not delivered ({_cause_of(error)})"
    return str(answer.status)


def _cause_of(error: Exception) -> str:
    return str(error) or type(error).__name__


_UNREACHED = (
    httpcore.NetworkError,
    httpcore.TimeoutException,
    httpcore.ProtocolError,
    httpcore.UnsupportedProtocol,
)
_LIMITS = {"timeout": {"connect": 5.0, "read": 10.0, "write": 10.0, "pool": 5.0}}
