"""The command `billycan`: core's own commands, and those of the enabled plugins."""
# ruff: noqa: PLC0415 - a command imports what it needs, so that the others start quickly

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from ..problems import Problem
from ..starting import settings
from .opening import open_app

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# Where each of core's commands is.
CORE = {
    "backup": "backups",
    "database": "database",
    "doctor": "inspecting",
    "events": "events",
    "keys": "keys",
    "migrate": "database",
    "new-plugin": "plugins",
    "openapi": "inspecting",
    "plugins": "plugins",
    "readonly": "readonly",
    "resource": "inspecting",
    "restore": "backups",
    "routes": "inspecting",
    "serve": "running",
    "tenants": "tenants",
    "worker": "running",
}


class _Commands(click.Group):
    """Core's commands, and those of plugins, each loaded only when it is used."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return _core_command(cmd_name) if cmd_name in CORE else _plugin_commands().get(cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        try:
            return [*CORE, *_plugin_commands()]
        except click.ClickException as error:
            click.echo(f"The commands of plugins are not listed: {error.message}", err=True)
            return [*CORE]

    def invoke(self, ctx: click.Context) -> Any:
        with _one_line():
            return super().invoke(ctx)


def _core_command(name: str) -> click.Command:
    module = import_module(f".commands.{CORE[name]}", __package__)
    command: click.Command = getattr(module, name.replace("-", "_"))
    return command


@contextmanager
def _one_line() -> Iterator[None]:
    """Show a user's mistake as one line; only errors of our own keep their traceback."""
    try:
        yield
    except Problem as problem:
        said = "; ".join(f"{d.param}: {d.message}" for d in problem.details) or problem.message
        raise click.UsageError(said) from None
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except Exception as error:
        from ..starting.explain import explain_error

        if (said_ := explain_error(error)) is None:
            raise
        raise click.ClickException(said_) from None


def _plugin_commands() -> dict[str, click.Command]:
    from ..starting import packages

    with _one_line():
        brought = packages.commands(packages.enabled_names(settings.load_settings().settings.plugins))
        return {name: _load_command(name, entry) for name, entry in sorted(brought.items())}


def _load_command(name: str, entry: "EntryPoint") -> click.Command:
    """Load a plugin's command; raise ClickException if it cannot be imported, or has the name of one of core's."""
    if name in CORE:
        raise click.ClickException(f"{entry.value}: billycan has a command {name} of its own: rename the plugin's")
    try:
        command: click.Command = entry.load()
    except Exception as error:  # noqa: BLE001 - whatever a plugin raises
        raise click.ClickException(f"{entry.value} cannot be imported: {error!r}: mend or disable its plugin") from None
    return command


def _tell_release(ctx: click.Context, param: click.Parameter, is_asked: bool) -> None:
    from .release import release_text

    if is_asked:
        click.echo(release_text())
        ctx.exit()


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_tell_release,
    help="Show the version and the commit.",
)
@click.pass_context
def commands(ctx: click.Context) -> None:
    """Run and manage an API for small businesses.

    \b
    billycan serve                        run everything on this machine
    billycan tenants create "A Business"  create a business, its sandbox and keys
    billycan doctor                       find out what is wrong, and how to fix it
    """
    ctx.obj = open_app


def main() -> None:
    """The console script."""
    commands(prog_name="billycan")


if __name__ == "__main__":
    main()
