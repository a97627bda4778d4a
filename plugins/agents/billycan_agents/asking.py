"""Questions to a person, as 2026-07-28 has them, where the client takes them: a task, a URL to open, or a form.

A change is decided behind the sign-in, so it waits as a task, or until the URL was opened. The id of the proposal is
the id of the task and the state of the request. It opens only what its own caller may see. Forms are for arguments:
those of prompts, and those of calls that a model would make up. The state of such a call is its answers, signed.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from itsdangerous import BadData, URLSafeSerializer

from billycan import App, Context, Identity, NotFound, Problem
from billycan.web import encode

from . import proposing
from .calling import Called
from .done import decode, home_of
from .prompts import MOST_CHARACTERS, Prompt
from .schemas import Proposal
from .tools import all_tools

TASKS = "io.modelcontextprotocol/tasks"
FORM = "arguments"  # the name of the answer to what a prompt lacks
ANSWERS_LAST = timedelta(hours=1)
POLL_MILLISECONDS = 15_000
_OF_FORMS = ("type", "title", "description", "minLength", "maxLength", "minimum", "maximum", "enum")
_LASTS_MILLISECONDS = int(proposing.LASTS.total_seconds() * 1000)
_TELLS = {
    "pending": "It is waiting for a person of the business to decide.",
    "declined": "A person of the business has declined it.",
    "expired": "Nobody decided it in time, or it was withdrawn.",
    "failed": "It was approved, but it failed when it was carried out.",
    "done": "It was approved and carried out.",
}


def takes_tasks(capabilities: Mapping[str, Any]) -> bool:
    """Tell whether a client takes tasks instead of results."""
    extensions = capabilities.get("extensions")
    return isinstance(extensions, Mapping) and TASKS in extensions


def takes_forms(capabilities: Mapping[str, Any]) -> bool:
    """Tell whether a client lets the person in front of it fill in a form."""
    elicitation = capabilities.get("elicitation")
    return isinstance(elicitation, Mapping) and (not elicitation or "form" in elicitation)


def ask_for_arguments(prompt: Prompt, missing: Sequence[str]) -> dict[str, Any]:
    """Return the result that has the person fill in the missing arguments of a prompt that they chose."""
    members = {
        name: {"type": "string", "description": prompt.arguments[name].description, "maxLength": MOST_CHARACTERS}
        for name in missing
    }
    return _form(FORM, prompt.title, members)


def ask_question(
    app: App, identity: Identity, params: Mapping[str, Any], called: Called, answers: Any
) -> dict[str, Any] | None:
    """Return the result that has the person answer the next question of a call; None if there is none."""
    if called.question is None:
        return None
    members = {name: {key: each[key] for key in _OF_FORMS if key in each} for name, each in called.value.items()}
    until = (app.now() + ANSWERS_LAST).timestamp()
    state = _answers_serializer(app, identity, params).dumps([until, encode(answers).decode()])
    return {**_form(called.question.name, called.question.text, members), "requestState": state}


def read_answers(app: App, identity: Identity, params: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what people answered to the questions of a call so far; None if its state is no such thing, or too old."""
    state = params.get("requestState")
    if state is None:
        return {}
    try:
        until, answers = _answers_serializer(app, identity, params).loads(state if isinstance(state, str) else "")
    except BadData:
        return None
    return dict(decode(answers)) if until > app.now().timestamp() else None


def _form(name: str, text: str, members: Mapping[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": members, "required": [*members]}
    form = {"mode": "form", "message": text, "requestedSchema": schema}
    return {"resultType": "input_required", "inputRequests": {name: {"method": "elicitation/create", "params": form}}}


def _answers_serializer(app: App, identity: Identity, params: Mapping[str, Any]) -> URLSafeSerializer:
    """Return a serializer for the answers to one call of one caller; those of old secrets stay valid."""
    call = encode([identity.tenant_id, identity.id, params.get("name"), params.get("arguments")])
    salt = b"answers" + hashlib.sha256(call).digest()
    return URLSafeSerializer([*app.secrets], salt=salt, signer_kwargs={"digest_method": hashlib.sha256})


def ask_to_decide(
    app: App, identity: Identity, called: Called, capabilities: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return the result of a call that waits for a person, in a form that the client takes; None if there is none."""
    error = called.value if called.is_error else {}
    id, url = error.get("proposal_id"), error.get("approval_url")
    if error.get("code") != "approval_required" or id is None:
        return None
    if takes_tasks(capabilities):
        return {"resultType": "task", **_task(find_own(app, identity, id))}
    elicitation = capabilities.get("elicitation")
    if not isinstance(elicitation, Mapping) or "url" not in elicitation:
        return None
    text = error["message"].removesuffix(proposing.ASKED)
    question = {"mode": "url", "message": f"{text} Open the page to decide.", "url": url}
    asks = {"approval": {"method": "elicitation/create", "params": question}}
    return {"resultType": "input_required", "inputRequests": asks, "requestState": id}


def find_own(app: App, identity: Identity, id: Any) -> Proposal:
    """Return a proposal that the caller made itself. Raise NotFound."""
    ctx = Context(app, identity.tenant_id, identity, writes=False)
    with app.db.reading(identity.tenant_id) as ctx.db:
        found = proposing.get_proposal(ctx, id) if isinstance(id, str) else None
    if found is None or found.caller.id != identity.id:
        raise NotFound("There is no such task.")
    return found


def outcome_of(app: App, identity: Identity, proposal: Proposal) -> Called:
    """Return the outcome of a proposed call: the record that it made, as it is now, or why it was not carried out."""
    if proposal.status == "done":
        return Called(_record_of(app, identity, proposal), note=_TELLS["done"])
    error = proposal.error or {
        "type": "permission",
        "code": "approval_required",
        "message": f"{_TELLS[proposal.status]} Do not repeat the call.",
        "proposal_id": proposal.id,
        "approval_url": proposal.approval_url,
        "decline_reason": proposal.decline_reason,
    }
    return Called(error, is_error=True)


def describe_task(app: App, identity: Identity, id: Any) -> tuple[dict[str, Any], Called | None]:
    """Return a task, and the outcome of the call if it has come to an end: an error of the server's if it `failed`."""
    proposal = find_own(app, identity, id)
    is_over = proposal.status in ("done", "failed")
    return _task(proposal), outcome_of(app, identity, proposal) if is_over else None


def withdraw(app: App, identity: Identity, id: Any) -> None:
    """Withdraw a proposal that nobody has decided. Raise NotFound for another's."""
    found = find_own(app, identity, id)
    app.check_open(identity.tenant_id)
    ctx = Context(app, identity.tenant_id, identity)
    with ctx.transaction():
        proposing.expire(ctx, found.id)


def _task(proposal: Proposal) -> dict[str, Any]:
    status = {"pending": "working", "done": "completed", "failed": "completed"}.get(proposal.status, "cancelled")
    if proposal.error and proposal.error["type"] == Problem.type:
        status = "failed"  # without an answer of the tool's
    text = _TELLS[proposal.status]
    if proposal.decline_reason:
        text += f" {proposal.decline_reason}"
    if proposal.status == "pending":
        text += f" They decide at {proposal.approval_url}"
    return {
        "taskId": proposal.id,
        "status": status,
        "statusMessage": text,
        "createdAt": proposal.created_at,
        "lastUpdatedAt": proposal.decided_at or proposal.created_at,
        "ttlMs": _LASTS_MILLISECONDS,
        "pollIntervalMs": POLL_MILLISECONDS,
    }


def _record_of(app: App, identity: Identity, proposal: Proposal) -> Any:
    """Return the record that a call made or changed, as the caller may read it; its id if it may not."""
    tool = all_tools(app).get(proposal.operation)
    if tool is None or proposal.record_id is None:
        return {"proposal_id": proposal.id, "status": "done"}
    try:
        answer = app.call(identity, "GET", f"{home_of(tool.path)}/{proposal.record_id}", {}, b"")
    except Problem:
        return {"id": proposal.record_id}
    return decode(answer.body)["data"]
