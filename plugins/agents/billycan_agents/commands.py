"""The command `billycan agents`: the tools that a key is shown."""
# ruff: noqa: PLC0415 - a command imports what it needs, so that the others start quickly

from typing import Any

import click


@click.group("agents")
def agents() -> None:
    """See which tools an agent has.

    \b
    billycan agents tools
    """


@agents.command("tools")
@click.option("--key", envvar="BILLYCAN_KEY", help="Whose tools: an API key. By default that of BILLYCAN_KEY.")
@click.option("--all", "shows_all", is_flag=True, help="Print those, too, that search_tools finds.")
@click.option("--json", "as_json", is_flag=True, help="Print them as the protocol does.")
@click.pass_obj
def tools(opened: Any, key: str | None, shows_all: bool, as_json: bool) -> None:
    """Print the tools that a key is shown at /mcp.

    \b
    BILLYCAN_KEY=svc_test_… billycan agents tools
    """
    from billycan import Problem
    from billycan.web import encode

    from .calling import policy_of
    from .tools import allowed_tools, list_tools

    if not key:
        raise click.ClickException("say whose tools: put an API key into BILLYCAN_KEY, or pass --key")
    with opened() as app:
        if "agents" not in app.manifests:
            raise click.ClickException("the plugin agents is not enabled: add it to plugins")
        try:
            identity = app.keys.identify(key)
        except Problem as problem:
            raise click.ClickException(problem.message) from problem
        policy = policy_of(app, identity)
        listed = list_tools(app, identity, policy)
        if shows_all:
            listed = [tool.describe() for tool in allowed_tools(app, identity, policy)]
    if as_json:
        click.echo(encode({"tools": listed}).decode())
        return
    for tool in listed:
        hints = tool["annotations"]
        kind = "reads" if hints["readOnlyHint"] else "ends or changes" if hints["destructiveHint"] else "adds"
        click.echo(f"{tool['name']}  {kind}  {tool['title']}")
    if not listed:
        click.echo("this key has no scope that a tool needs")
