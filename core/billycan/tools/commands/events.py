"""The command that makes events happen."""
# ruff: noqa: PLC0415 - a command imports what it needs, so that the others start quickly

from typing import TYPE_CHECKING

import click

from ...problems import Problem

if TYPE_CHECKING:
    from ..opening import Opened


@click.group("events")
def events() -> None:
    """Make events happen in a sandbox, to test what they trigger.

    \b
    billycan events trigger invoice.paid --tenant ten_01abc
    """


@events.command("trigger")
@click.argument("event")
@click.option("--tenant", required=True, metavar="TEN", help="The id of a sandbox: see `billycan tenants list`.")
@click.pass_obj
def trigger_event(opened: "Opened", event: str, tenant: str) -> None:
    """Make an event happen in a sandbox: create a record and take it through every step that leads to the event.

    The events are printed, logged and delivered like any others.

    \b
    billycan events trigger invoice.paid --tenant ten_01abc
    """
    from ..trigger import CannotTrigger, trigger

    with opened() as app:
        app.start()  # as the server does, whose part this plays
        try:
            happened = trigger(app, tenant, event)
        except (CannotTrigger, Problem) as error:
            raise click.ClickException(str(error)) from None
    for name, id in happened:
        click.echo(f"{name} {id}")
