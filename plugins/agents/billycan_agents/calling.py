"""Calls of tools: each is a call of the API, with the same authorization, validation, events and refusals."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

import falcon
import msgspec
from msgspec import Struct

from billycan import App, Context, Fault, Identity, Invalid, NotFound, Problem
from billycan.web import encode

from .done import decode
from .policies import own_policy, refuse_if_frozen
from .questions import Question
from .tools import CALL, SEARCH, Tool, all_tools, allowed_tools, fill_in_addresses, may_propose, search_tools

SCHEME = "billycan://"
MOST_ANSWERED_BYTES = 200_000
MOST_FILE_BYTES = 2_000_000  # a photo that was made smaller before it was uploaded has a fifth of that


class _Answer(Struct):
    data: msgspec.Raw
    pagination: dict[str, Any] | None


_open = msgspec.json.Decoder(_Answer).decode  # the data is passed on as it is


class Called(Struct, frozen=True):
    """The outcome of a call: what it answered, or the API's error.

    note: A sentence beside it, such as which page of a list it is.
    lacks: The scope that the caller lacks for the tool.
    media_type: Of a file, whose bytes are the value.
    address: Of a file, as a resource of the protocol.
    attached: The addresses of resources that follow.
    question: What a person has to be asked first, by a form with the schemas that are the value. Nothing was called.
    """

    value: Any
    is_error: bool = False
    note: str = ""
    lacks: str = ""
    media_type: str = ""
    address: str = ""
    attached: Sequence[str] = ()
    question: Question | None = None


def call_tool(
    app: App,
    identity: Identity,
    name: str,
    arguments: Mapping[str, Any],
    req: falcon.Request,
    answers: Mapping[str, Any] | None = None,
) -> Called | None:
    """Call a tool for a caller whom the page let in; None if there is no such tool.

    `answers` are those of people to the tool's questions, by their names; None if the client takes no forms.
    """
    request_id: str = req.context.request_id
    try:
        if name == SEARCH:
            refuse_if_frozen(app, identity)
            return _found(app, identity, arguments)
        if name == CALL:
            name, inner = arguments.get("name", ""), arguments.get("arguments")
            if not isinstance(name, str) or not isinstance(inner, Mapping | None):
                raise Invalid.member("arguments", "invalid_type", "give a name and an object of arguments")
            if name not in all_tools(app):
                raise Invalid.member("name", "invalid_value", f"is none of the tools: find one by {SEARCH}")
            arguments = inner or {}
        tool = all_tools(app).get(name)
        if tool is None:
            return None
        question = None if answers is None else tool.next_question(arguments, answers)
        # Who may not call it is refused, and nobody is asked.
        if question and tool in allowed_tools(app, identity, policy_of(app, identity)):
            refuse_if_frozen(app, identity)
            return Called(tool.members(question.asks), question=question)
        return _carry_out(app, identity, tool, tool.fill_in(arguments, answers or {}), req)
    except Problem as problem:
        problem.request_id = request_id
        lacks = str(problem.more.get("required_scope", "")) if problem.code == "insufficient_scope" else ""
        return Called(problem.as_error(), is_error=True, lacks=lacks)


def _found(app: App, identity: Identity, arguments: Mapping[str, Any]) -> Called:
    query = arguments.get("query")
    if not isinstance(query, str) or not query.strip():
        raise Invalid.of(Fault("query", "required", "must be words of what you want to do"))
    policy = policy_of(app, identity)
    found = search_tools(allowed_tools(app, identity, policy), query)
    takes_reason = may_propose(policy)
    return Called({"tools": [tool.describe(takes_reason=takes_reason) for tool in found]})


def address_of(path: str) -> str:
    """Return the address of the file at a path of the API, as a resource of the protocol."""
    return SCHEME + path.removeprefix("/v1/")


def policy_of(app: App, identity: Identity) -> Identity.Policy | None:
    """Return the policy of a caller; None if it has none."""
    return own_policy(Context(app, identity.tenant_id, identity, writes=False))


def _carry_out(app: App, identity: Identity, tool: Tool, arguments: Mapping[str, Any], req: falcon.Request) -> Called:
    # Whoever has a policy may say why, and a person who has to approve the call is asked.
    takes_reason = tool.writes and may_propose(policy_of(app, identity))
    sent = {name: value for name, value in arguments.items() if name != "reason"} if takes_reason else arguments
    path, query, body, version, key = tool.request(sent)
    route = app.route_at(tool.method, path)
    if route is None or route.path != tool.path:
        raise NotFound  # such as an id that ends in .pdf
    reason = arguments.get("reason") if takes_reason else None
    answer = app.call(
        identity,
        tool.method,
        path,
        query,
        body,
        version=version,
        key=key,
        request_id=req.context.request_id,
        req=req,
        proposes=str(reason or "") if takes_reason else None,
    )
    if tool.is_file:
        kind = answer.headers["Content-Type"].partition(";")[0]
        file = _read_file(answer.body if answer.pieces is None else answer.pieces, tool, kind)
        return Called(file, media_type=kind, address=address_of(path))
    found = _open(answer.body)
    data, page = found.data, found.pagination
    if len(answer.body) <= MOST_ANSWERED_BYTES:
        return Called(data, note=_page_note(page) if page else "", attached=_attached(tool, data))
    if tool.writes:
        # It is done, whatever can be shown of it.
        few = {name: value for name, value in decode(data).items() if not isinstance(value, dict | list)}
        return Called(few, note="It is done. The answer is too large to show its lists: read them with other tools.")
    raise TooLarge(tool, MOST_ANSWERED_BYTES)


def _attached(tool: Tool, data: msgspec.Raw) -> list[str]:
    members = decode(data) if tool.attaches else None
    known = members.items() if isinstance(members, Mapping) else ()
    texts = {name: quote(value, safe="") for name, value in known if isinstance(value, str) and value}
    return fill_in_addresses(tool.attaches, texts)


class TooLarge(Invalid):
    """422: an answer that is too large for a model."""

    code = "answer_too_large"

    def __init__(self, tool: Tool, most: int) -> None:
        by = [name for name in ("fields", "per_page") if name in tool.places]
        cure = f"ask for less with {' and '.join(f'`{name}`' for name in by)}" if by else "ask for a part of it"
        if tool.is_file:
            cure = "a person has to open it"
        super().__init__(f"The answer has more than {most // 1000} kB: {cure}.", fields=by)


def _read_file(body: bytes | Iterable[bytes], tool: Tool, media_type: str) -> bytes:
    """Return all of a file; raise TooLarge as soon as it has too many bytes."""
    most, found = MOST_ANSWERED_BYTES if media_type.startswith("text/") else MOST_FILE_BYTES, bytearray()
    try:
        for piece in [body] if isinstance(body, bytes) else body:
            found += piece
            if len(found) > most:
                raise TooLarge(tool, most)
    finally:
        if end := getattr(body, "close", None):
            end()
    return bytes(found)


def _page_note(page: Mapping[str, Any]) -> str:
    return encode({"pagination": page}).decode()
