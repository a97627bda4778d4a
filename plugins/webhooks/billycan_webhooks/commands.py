"""Commands for those who build on webhooks: deliveries to a laptop."""

import json
import secrets
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


@click.group("webhooks")
def webhooks() -> None:
    """Tools for building a receiver of webhooks.

    \b
    billycan webhooks listen --forward-to http://127.0.0.1:3000/hooks
    """


@webhooks.command("listen")
@click.option("--forward-to", required=True, metavar="URL", help="Your receiver, such as http://127.0.0.1:3000/hooks.")
@click.option(
    "--key",
    required=True,
    envvar="BILLYCAN_KEY",
    metavar="SVC_TEST",
    help="A sandbox key with events:read and the read scope of what to forward.",
)
@click.option("--url", default="http://127.0.0.1:8000", show_default=True, help="Where billycan is served.")
def listen(forward_to: str, key: str, url: str) -> None:
    """Forward a sandbox's new events to a machine without a public address, signed like deliveries.

    It polls /v1/events, so it needs no webhook endpoint. Events are forwarded once and not retried. Ctrl-C stops it.

    Set the key in BILLYCAN_KEY: other users of the machine can see the arguments of a command.

    \b
    BILLYCAN_KEY=svc_test_… billycan webhooks listen --forward-to http://127.0.0.1:3000/hooks
    """
    if not key.startswith("svc_test_"):
        raise click.UsageError("--key: must be a sandbox key, which starts with svc_test_")
    secret = signing.shown(secrets.token_bytes(32))
    click.echo(f"signed with {secret} (for this run only)")
    forward(url.rstrip("/"), key, forward_to, secret, threading.Event(), click.echo)


def forward(
    url: str, key: str, forward_to: str, secret: str, stop: threading.Event, tell: Callable[[str], None]
) -> None:
    """Follow the feed from now on until `stop` is set."""
    try:
        try:
            newest = _feed(url, key, "per_page=1")
        except _UNREACHED as error:
            raise click.ClickException(
                f"{url} cannot be reached ({_why(error)}): if billycan runs elsewhere, name its address with --url"
            ) from None
        after = newest[0]["id"] if newest else None
        tell(f"forwarding new events to {forward_to}")
        while not stop.wait(POLL_SECONDS):
            for event in _following(url, key, after, tell):
                after = event["id"]
                came = "not forwarded: the key may not read it" if event["data"] is None else None
                tell(f"{event['event']} {after}: {came or _forward(event, forward_to, secret)}")
    except KeyboardInterrupt:
        tell("stopped")


def _following(url: str, key: str, after: str | None, tell: Callable[[str], None]) -> Iterator[dict[str, Any]]:
    query = f"after={after}&per_page=100" if after else "sort=created_at&per_page=100"
    try:
        yield from _feed(url, key, query)
    except _UNREACHED as error:
        tell(f"{url} cannot be reached ({_why(error)}): trying again")


def _feed(url: str, key: str, query: str) -> list[dict[str, Any]]:
    given: Any = {"headers": {"Authorization": f"Bearer {key}"}, "extensions": _LIMITS}
    while (answer := httpcore.request("GET", f"{url}/v1/events?{query}", **given)).status in (429, 503):
        time.sleep(1)
    try:
        envelope = json.loads(answer.content, parse_float=Decimal)
        if answer.status != 200:
            raise click.ClickException(envelope["error"]["message"])
    except (ValueError, KeyError, TypeError):
        raise click.ClickException(f"{url} answered {answer.status} and no envelope: it is not billycan") from None
    found: list[dict[str, Any]] = envelope["data"]
    return found


def _forward(event: dict[str, Any], forward_to: str, secret: str) -> str:
    body = encode({"event": event["event"], "timestamp": event["created_at"], "data": event["data"]})
    headers = signing.common_headers("sandbox")
    headers |= signing.headers(event["id"], int(time.time()), body, [signing.read(secret)])
    try:
        answer = httpcore.request(
            "POST",
            forward_to,
            headers=list(headers.items()),
            content=body,
            extensions=_LIMITS,
        )
    except _UNREACHED as error:
        return f"not delivered ({_why(error)})"
    return str(answer.status)


def _why(error: Exception) -> str:
    return str(error) or type(error).__name__


_UNREACHED = (
    httpcore.NetworkError,
    httpcore.TimeoutException,
    httpcore.ProtocolError,
    httpcore.UnsupportedProtocol,
)
_LIMITS = {"timeout": {"connect": 5.0, "read": 10.0, "write": 10.0, "pool": 5.0}}


commands = (webhooks,)
