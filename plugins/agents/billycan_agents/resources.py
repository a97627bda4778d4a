"""Records and files as resources of the protocol: people choose them in their client, for their model to read."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any
from urllib.parse import unquote

import falcon
from msgspec import Struct

from billycan import App, Identity

from .calling import SCHEME, Called, address_of, call_tool, policy_of
from .done import decode
from .tools import ANYTHING, JSON, Attached, Tool, all_tools, allowed_tools

RECORD = {
    "uriTemplate": SCHEME + "{id}",
    "name": "record",
    "title": "A record by its id",
    "description": "An invoice, a contact, a job or any other record, as its `get_` tool returns it.",
    "mimeType": JSON,
}


class Readable(Struct, frozen=True):
    """Something that people can choose in their client: the answer of an operation, at an address of its plugin's own.

    address: Such as `assets://due`. What stands in braces is passed to the operation: `assets://{id}/manual`.
    operation: The operation that answers, a GET.
    """

    address: str
    operation: str


# What helps whatever the question is. All else is found by search or by the tools: a list of all records has no end.
ALWAYS = (
    Readable(f"{SCHEME}me", "get_me"),
    Readable(f"{SCHEME}receivables", "get_receivables"),
    Readable(f"{SCHEME}tenant", "get_tenant"),
)

# What words do not show.
ATTACHED = (Attached("get_branding", (f"{SCHEME}attachments/{{logo_attachment_id}}/content",)),)


def list_resources(app: App, identity: Identity) -> list[dict[str, Any]]:
    """List the resources that plugins offer, as far as the caller may read them."""
    return [{"uri": address, **_described(address, tool)} for address, tool in _allowed(app, identity, templates=False)]


def list_templates(app: App, identity: Identity) -> list[dict[str, Any]]:
    """List the templates of addresses: of all records, of files, and those that plugins offer."""
    found = _allowed(app, identity, templates=True)
    return [RECORD, *({"uriTemplate": address, **_described(address, tool)} for address, tool in found)]


def read_resource(app: App, identity: Identity, uri: str, req: falcon.Request) -> Called | None:
    """Read a resource by the tool that answers it; return None for an address that is none."""
    for address, tool in _readable(app):
        if found := _form(address).fullmatch(uri):
            given = {name: unquote(value) for name, value in found.groupdict().items()}
            return call_tool(app, identity, tool.name, given, req)
    name = uri.removeprefix(SCHEME)
    path = f"{app.prefixes.get(name.partition('_')[0])}/{{id}}" if name != uri else ""
    for tool in all_tools(app).values():
        if (tool.method, tool.path) == ("GET", path):
            return call_tool(app, identity, tool.name, {"id": name}, req)
    return None


def complete(
    app: App, identity: Identity, template: Any, name: Any, value: str, req: falcon.Request
) -> list[str] | None:
    """Return the ids of the records that a search finds best, if a template stands for them.

    Return None if there is no such template, or nothing of that name in it.
    """
    known = {each["uriTemplate"] for each in list_templates(app, identity)}
    if not isinstance(template, str) or template not in known or f"{{{name}}}" not in template:
        return None
    if name != "id" or not value.strip():
        return []
    found = look_up(app, identity, "search_records", {"q": value, "per_type": 5}, req)
    ids = [each["id"] for each in found]
    homes = {id: address_of(app.prefixes.get(id.partition("_")[0], "")) for id in ids}
    return [id for id in ids if template == RECORD["uriTemplate"] or template.startswith(f"{homes[id]}/{{id}}")]


def look_up(app: App, identity: Identity, operation: str, arguments: dict[str, Any], req: falcon.Request) -> list[Any]:
    """Return what a tool lists, and nothing if the caller may not ask for it."""
    names = {tool.name for tool in allowed_tools(app, identity, policy_of(app, identity))}
    called = call_tool(app, identity, operation, arguments, req) if operation in names else None
    return [] if called is None or called.is_error else decode(called.value)


def _readable(app: App) -> Iterator[tuple[str, Tool]]:
    """Yield the addresses that plugins offer and those of files, with the tools that answer there."""
    tools = all_tools(app)
    for _, each in app.offered(Readable):
        if each.operation in tools and not tools[each.operation].writes:
            yield each.address, tools[each.operation]
    for tool in tools.values():
        if tool.is_file and "{" in tool.path:
            yield address_of(tool.path), tool


def _allowed(app: App, identity: Identity, *, templates: bool) -> list[tuple[str, Tool]]:
    found = [(address, tool) for address, tool in _readable(app) if ("{" in address) is templates]
    return sorted(((address, tool) for address, tool in found if tool.is_allowed(identity)), key=lambda each: each[0])


def _described(address: str, tool: Tool) -> dict[str, Any]:
    described = {"name": address.partition("://")[2], "title": tool.title, "description": tool.description}
    return described if tool.answers == ANYTHING else {**described, "mimeType": tool.answers}


@cache
def _form(address: str) -> re.Pattern[str]:
    """Return the form of the addresses that a template stands for."""
    parts = re.split(r"{(\w+)}", address)
    return re.compile("".join(f"(?P<{part}>[^/?#]+)" if i % 2 else re.escape(part) for i, part in enumerate(parts)))
