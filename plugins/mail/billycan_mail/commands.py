"""The command `billycan mail`: test the mail server, and process reports on undelivered mail."""
# ruff: noqa: PLC0415 - a command imports what it needs, so that the others start quickly

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from billycan import App


@click.group("mail")
def mail() -> None:
    """Test mail, and process reports on undelivered mail.

    \b
    billycan mail test you@example.com
    """


@mail.command("test")
@click.argument("address")
@click.pass_obj
def test(opened: Any, address: str) -> None:
    """Send a message to an address at once, and print what the mail server answers.

    \b
    billycan mail test you@example.com
    """
    from billycan import Invalid, new_id

    from . import message
    from .relay import Relay, Unreachable
    from .schemas import read_address
    from .settings import Settings

    with _open_app(opened) as app:
        settings = app.settings_of(Settings)
        if settings.url is None:
            raise click.ClickException("mail.url is not set, so no mail is sent: see docs/mail.md")
        try:
            address = read_address(address)
        except Invalid as invalid:
            raise click.ClickException(invalid.message) from invalid
        id, text = new_id("ltr"), f"Mail from {app.public_url} works.\n"
        raw = message.build_message(app, id=id, at=app.now(), subject="Mail works", text=text, to=[address])
        try:
            relay = Relay(settings)
        except Unreachable as error:
            raise click.ClickException(f"the mail server cannot be reached: {error}") from error
        outcome = relay.send(message.return_path_of(app, id), [address], raw)
        relay.close()
    fate, said = outcome.fates[address]
    if fate != "sent":
        raise click.ClickException(f"the mail server did not take the message: {said or outcome.detail}")
    click.echo(f"the mail server took the message for {address}: {said}")


@mail.command("bounce")
@click.argument("message", type=click.File("rb"), default="-")
@click.pass_obj
def bounce(opened: Any, message: Any) -> None:
    """Read a report on undelivered mail, from standard input or a file.

    Addresses that failed permanently are suppressed. Have your mail server pipe each message that arrives at the
    address in mail.bounces to this command.

    \b
    billycan mail bounce <report.eml
    """
    from . import bouncing

    with _open_app(opened) as app:
        failed = bouncing.handle_bounce(app, message.read(bouncing.MOST_BYTES))
    click.echo("\n".join(failed) or "no address failed for good")


@contextmanager
def _open_app(opened: Any) -> Iterator["App"]:
    with opened() as app:
        if "mail" not in app.manifests:
            raise click.ClickException("the plugin mail is not enabled: add it to plugins")
        yield app
