"""Commands that describe the deployment and check its health."""
# ruff: noqa: PLC0415 - a command imports what it needs, so that the others start quickly

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from ..opening import open_app
from ..printing import as_json, print_json, print_table

if TYPE_CHECKING:
    pass


@click.command()
@click.option(
    "--restore-test",
    "backup",
    type=click.Path(file_okay=False, path_type=Path),
    help="Restore this backup into a throwaway database, and check that instead.",
)
@click.option("--into", metavar="URL", help="An empty database for that, which is not dropped.  [default: a new one]")
@as_json
def doctor(backup: Path | None, into: str | None, as_json: bool) -> None:
    """Check the deployment and say how to fix what is wrong; the exit code is then 1.

    \b
    billycan doctor
    billycan doctor --json
    billycan doctor --restore-test /var/backups/billycan/2026-11-27
    """
    from ..doctor import examine
    from ..restore_test import examine_backup

    if into and not backup:
        raise click.UsageError("--into: give --restore-test, too")
    found = list(examine_backup(backup, into) if backup else examine())
    ok = all(finding.ok for finding in found)
    if as_json:
        print_json({"ok": ok, "checks": found})
    else:
        for finding in found:
            click.echo(f"{'ok  ' if finding.ok else 'FAIL'} {finding.check}: {finding.message}")
            if finding.cure:
                click.echo(f"     cure: {finding.cure}")
    sys.exit(0 if ok else 1)


@click.command()
@as_json
def routes(as_json: bool) -> None:
    """List every endpoint and the scope it needs.

    \b
    billycan routes
    """
    with open_app() as app:
        listed = [
            {"method": e.route.method, "path": e.route.path, "scope": e.route.scope, "plugin": e.plugin}
            for e in sorted(app.endpoints, key=lambda e: (e.plugin, e.route.path, e.route.method))
        ]
    if as_json:
        print_json(listed)
    else:
        print_table([tuple(route.values()) for route in listed], "no routes")


@click.group(invoke_without_command=True)
@click.option("--surface", is_flag=True, help="A line for each operation, parameter and member instead, to compare.")
@click.pass_context
def openapi(context: click.Context, surface: bool) -> None:
    """Print this deployment's OpenAPI 3.1 document.

    \b
    billycan openapi > openapi.json
    billycan openapi --surface > surface.json
    """
    from ...describe.surface import facts_of, write_surface

    if context.invoked_subcommand:
        return
    with open_app() as app:
        if surface:
            click.echo(write_surface(facts_of(app)), nl=False)
        else:
            print_json(app.openapi())


@openapi.command()
@click.argument("old", type=click.File(encoding="utf-8"))
@click.argument("new", type=click.File(encoding="utf-8"))
def diff(old: TextIO, new: TextIO) -> None:
    """Print what changed between two documents, as a changelog in Markdown; the exit code is 1 if it breaks clients.

    OLD and NEW are both documents, from this command or from /v1/openapi.json, or both from --surface.

    \b
    billycan openapi diff docs/released/openapi-1.0.0.json docs/openapi.json
    """
    from ...describe.comparing import find_broken, write_changes
    from ...describe.surface import facts_in

    before, now = (json.load(file) for file in (old, new))
    if ("openapi" in before) != ("openapi" in now):
        raise click.ClickException("one is a document and the other is from --surface: give two of a kind")
    if "openapi" in before:
        before, now = facts_in(before), facts_in(now)
    click.echo(write_changes(before, now), nl=False)
    sys.exit(1 if find_broken(before, now) else 0)


@click.command()
@click.argument("name")
@as_json
def resource(name: str, as_json: bool) -> None:
    """Print a resource, a member a line: its column, and how clients send, see, filter, sort and search it.

    NAME is the path of its list without /v1/. What is neither sent nor shown is a parameter of the list alone.

    \b
    billycan resource items
    billycan resource items --json
    """
    from ...describe.resource import describe_resource, resource_names

    with open_app() as app:
        names = resource_names(app)
        if name not in names:
            raise click.ClickException(f"there is no resource {name}: name one of {', '.join(names)}")
        described = describe_resource(app, name)
    if as_json:
        print_json(described)
        return
    rows: list[tuple[str, ...]] = [("MEMBER", "TYPE", "COLUMN", "SENT", "SHOWN", "FILTERS", "SORT", "SEARCH")]
    for each in described:
        type_ = f"{each.type} | null" if each.nullable else each.type
        filters = " ".join(each.filters)
        row = (
            each.member,
            type_,
            each.column,
            each.sent,
            each.shown and "yes",
            filters,
            each.sort,
            each.search and "yes",
        )
        rows.append(tuple(str(cell or "-") for cell in row))
    print_table(rows, "")
