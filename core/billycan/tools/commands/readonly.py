"""Commands of the read-only mode, for maintenance."""

from typing import TYPE_CHECKING

import click

from ..opening import bump_epoch, open_checked_app, operator
from ..printing import as_json, print_json

if TYPE_CHECKING:
    from ...app import App


@click.group()
def readonly() -> None:
    """Let nothing be changed in this deployment, on any host, until it is off again.

    Whoever writes gets a 503 `read_only` with Retry-After and the reason, and timed work, imports, emails and
    deliveries wait. What is under way is finished. It applies within a second, without a restart.

    \b
    billycan readonly on --reason "We are moving to a larger server until 9 pm." --minutes 45
    billycan readonly off
    billycan readonly show
    """


@readonly.command()
@click.option("--reason", required=True, help="What people and clients are told: a sentence or two.")
@click.option("--minutes", type=click.IntRange(1, 10_080), help="How long it will take; Retry-After says so.")
@as_json
def on(reason: str, minutes: int | None, as_json: bool) -> None:
    """Let nothing be changed from now on.

    \b
    billycan readonly on --reason "We are moving to a larger server until 9 pm." --minutes 45
    """
    if not 1 <= len(reason.strip()) <= 500:
        raise click.BadParameter("say it in 1 to 500 characters", param_hint="--reason")
    with open_checked_app() as app:
        app.operations.start_read_only(reason.strip(), operator(), minutes)
        _print_standing(app, as_json, changed=True)


@readonly.command()
@as_json
def off(as_json: bool) -> None:
    """Let the deployment be changed again.

    \b
    billycan readonly off
    """
    with open_checked_app() as app:
        app.operations.end_read_only(operator())
        _print_standing(app, as_json, changed=True)


@readonly.command()
@as_json
def show(as_json: bool) -> None:
    """Show whether the deployment is read only, since when and why.

    \b
    billycan readonly show
    """
    with open_checked_app() as app:
        _print_standing(app, as_json, changed=False)


def _print_standing(app: "App", as_json: bool, *, changed: bool) -> None:
    at_once = not changed or bump_epoch(app)
    standing = app.read_only
    if as_json:
        shown = {"since": standing.since, "ends_at": standing.ends_at, "reason": standing.reason} if standing else None
        print_json({"read_only": shown})
        return
    if standing is None:
        click.echo("everything can be changed")
    else:
        since = f" since {standing.since}" if standing.since else ", by the setting read_only"
        until = f", until about {standing.ends_at}" if standing.ends_at else ""
        click.echo(f"nothing can be changed{since}{until}: {standing.reason}")
    if not at_once:
        click.echo("This applies within a second, because this user cannot notify the workers at once")
