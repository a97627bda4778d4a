"""Commands for those who build on webhooks: deliveries to a laptop, and sample events in a sandbox."""

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import click
import httpcore
import msgspec
import sqlalchemy as sa

from billycan import Context, Event, unit_of_work
from billycan.app import App
from billycan.ids import new_id
from billycan.problems import BadRequest
from billycan.tenants import tenants
from billycan.wire import encode, parse

from . import signing

POLL_SECONDS = 2.0
_SAMPLES = Path(__file__).with_name("samples.json")


def samples() -> dict[str, Any]:
    """A real payload of each event of the specification, as it was once delivered; numbers exact."""
    found: dict[str, Any] = parse(_SAMPLES.read_bytes())
    return found


@click.group("webhooks")
def webhooks() -> None:
    """What helps to build a receiver of webhooks."""


@webhooks.command("listen")
@click.option("--forward-to", required=True, metavar="URL", help="Your receiver, such as http://127.0.0.1:3000/hooks.")
@click.option("--key", required=True, envvar="BILLYCAN_KEY", metavar="SVC_TEST", help="A sandbox key with events:read.")
@click.option("--url", default="http://127.0.0.1:8000", show_default=True, help="Where billycan is served.")
def listen(forward_to: str, key: str, url: str) -> None:
    """Forward a sandbox's new events to a machine without a public address, signed like a delivery.

    It follows /v1/events, so it needs no endpoint; what it forwards is not repeated. Ctrl-C ends it.

    \b
    billycan webhooks listen --forward-to http://127.0.0.1:3000/hooks --key svc_test_…
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
            raise click.ClickException(f"{url} cannot be reached ({error!r}): is billycan served there?") from None
        after = newest[0]["id"] if newest else None
        tell(f"forwarding what happens from now on to {forward_to}")
        while not stop.wait(POLL_SECONDS):
            for event in _following(url, key, after, tell):
                after = event["id"]
                tell(f"{event['event']} {after}: {_forward(event, forward_to, secret)}")
    except KeyboardInterrupt:
        tell("stopped")


def _following(url: str, key: str, after: str | None, tell: Callable[[str], None]) -> Iterator[dict[str, Any]]:
    query = f"after={after}&per_page=100" if after else "sort=created_at&per_page=100"
    try:
        yield from _feed(url, key, query)
    except _UNREACHED as error:
        tell(f"{url} cannot be reached ({error!r}): trying again")


def _feed(url: str, key: str, query: str) -> list[dict[str, Any]]:
    given: Any = {"headers": {"Authorization": f"Bearer {key}"}, "extensions": _LIMITS}
    while (answer := httpcore.request("GET", f"{url}/v1/events?{query}", **given)).status in (429, 503):
        time.sleep(1)
    try:
        envelope = parse(answer.content)
        if answer.status != 200:
            raise click.ClickException(envelope["error"]["message"])
    except (BadRequest, KeyError, TypeError):
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
        return f"did not arrive ({error!r})"
    return str(answer.status)


_UNREACHED = (
    httpcore.NetworkError,
    httpcore.TimeoutException,
    httpcore.ProtocolError,
    httpcore.UnsupportedProtocol,
)
_LIMITS = {"timeout": {"connect": 5.0, "read": 10.0, "write": 10.0, "pool": 5.0}}


@click.group("events")
def events() -> None:
    """Events, for trying out what they set off."""


@events.command("trigger")
@click.argument("event")
@click.option("--tenant", required=True, metavar="TEN", help="The id of a sandbox: see `billycan tenants list`.")
@click.pass_obj
def trigger(opened: Callable[[], AbstractContextManager[App]], event: str, tenant: str) -> None:
    """Make a sample event in a sandbox, which is logged and delivered like any other.

    \b
    billycan events trigger invoice.paid --tenant ten_01abc
    """
    found = samples()
    if event not in found:
        raise click.UsageError(f"there is no sample of {event}; there are: {', '.join(sorted(found))}")
    with opened() as app:
        if event not in app.events:
            raise click.ClickException(f"no enabled plugin declares {event}: enable the one that does")
        with app.db.reading() as db:
            row = db.execute(sa.select(tenants).where(tenants.c.id == tenant)).first()
        if row is None:
            raise click.ClickException(f"there is no tenant {tenant}: see `billycan tenants list`")
        if row.environment != "sandbox":
            raise click.ClickException(f"{tenant} is live, and its sandbox is {row.paired_id}: name that one")
        ctx = Context(app, tenant)
        with unit_of_work(ctx):
            # Not by emit, which takes a record: a sample is its JSON already.
            ctx.events.append(Event(new_id("evt"), event, ctx.now(), msgspec.Raw(encode(found[event]["data"]))))
    click.echo(f"{event} {ctx.events[0].id}")


commands = (webhooks, events)
