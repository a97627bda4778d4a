"""Questions that only a person can answer: arguments that a model would have to make up."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

_LEAVE_OUT = "Leave it out unless somebody told you: the person is then asked."


class Question(Struct, frozen=True):
    """Arguments that the person in front of a client is asked for by a form, if a call lacks them.

    operation: The operation that takes them, such as `accept_quote`.
    name: What the answer is called. Several questions of an operation are asked one after another.
    text: What the person reads.
    asks: Members of the operation's query or body that are text, a number or true and false.
    """

    operation: str
    name: str
    text: str
    asks: tuple[str, ...]


# Others rely on what is recorded here: the client on who agreed, and the tax office on why figures changed.
QUESTIONS = (
    Question("accept_quote", "accepted_by", "Who accepts the quote for the client?", ("name",)),
    Question("reopen_gst_period", "reopened_for", "Why is the period reopened?", ("reason",)),
)


def may_lack(schema: Mapping[str, Any], asks: tuple[str, ...]) -> dict[str, Any]:
    """Return a schema of arguments, or of their `body`, without the need for those that are asked for."""
    properties = dict(schema["properties"])
    for name in properties.keys() & {*asks}:
        said = properties[name].get("description", "")
        properties[name] = {**properties[name], "description": f"{said} {_LEAVE_OUT}".strip()}
    if "properties" in properties.get("body", {}):
        properties["body"] = may_lack(properties["body"], asks)
    required = [name for name in schema.get("required", ()) if name not in asks]
    return {**schema, "properties": properties, **({"required": required} if "required" in schema else {})}


def for_people(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a member that is asked for, without the sentence for models."""
    return {**schema, "description": schema["description"].removesuffix(_LEAVE_OUT).strip()}
