"""The command `billycan webhooks`: tools for building a receiver."""

import secrets
import threading

import click

from . import signing


@click.group("webhooks")
def webhooks() -> None:
    """Tools for building a webhook receiver.

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
@click.option("--url", default="http://127.0.0.1:8000", show_default=True, help="Where billycan runs.")
def listen(forward_to: str, key: str, url: str) -> None:
    """Forward a sandbox's new events to a machine without a public address, signed like deliveries.

    It polls /v1/events, so it needs no webhook endpoint. Events are forwarded once and not retried. Ctrl-C stops it.

    Set the key in BILLYCAN_KEY: other users of the machine can see the arguments of a command.

    \b
    BILLYCAN_KEY=svc_test_… billycan webhooks listen --forward-to http://127.0.0.1:3000/hooks
    """
    from .forwarding import forward_events  # noqa: PLC0415 - whoever asks for help waits for no HTTP library

    if not key.startswith("svc_test_"):
        raise click.UsageError("--key: must be a sandbox key, which starts with svc_test_")
    secret = signing.encode_secret(secrets.token_bytes(32))
    click.echo(f"signed with {secret} (for this run only)")
    forward_events(url.rstrip("/"), key, forward_to, secret, threading.Event(), click.echo)
