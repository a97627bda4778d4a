"""Errors: one class for each type of error that the API answers with."""

from typing import Any

import msgspec
from msgspec import Struct


class Fault(Struct, kw_only=True):
    """One fault of a body: the member, and how to fix it."""

    param: str | None = None
    code: str = ""
    message: str = ""


# Built at import: msgspec crashes if two threads build it at once.
msgspec.json.Decoder(list[Fault])


class BillycanError(Exception):
    """A failed call. Members missing from the answer are None or empty; `body` is the whole `error` of the envelope."""

    status: int | None
    """The HTTP status; None where no answer came."""
    code: str
    message: str
    param: str | None
    details: list[Fault]
    request_id: str | None
    allowed_actions: list[str]
    required_scope: str | None
    retry_after: float | None
    """Seconds to wait before another attempt."""
    body: dict[str, Any]

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int | None = None,
        body: dict[str, Any] | None = None,
        retry_after: float | None = None,
    ) -> None:
        self.message, self.code, self.status, self.body = message, code, status, body or {}
        self.retry_after = retry_after
        self.param = self.body.get("param")
        self.details = msgspec.convert(self.body.get("details") or [], list[Fault])
        self.request_id = self.body.get("request_id")
        self.allowed_actions = self.body.get("allowed_actions") or []
        self.required_scope = self.body.get("required_scope")
        faults = [f"{fault.param}: {fault.message}" for fault in self.details if len(self.details) > 1]
        known = ", ".join(filter(None, (code, self.request_id)))
        super().__init__("\n".join([f"{message} ({known})", *faults]))

    def __reduce__(self) -> Any:
        # Exceptions are pickled by their args, which differ from this one's parameters.
        return _build_error, (type(self), self.message, self.code, self.status, self.body, self.retry_after)


class InvalidRequest(BillycanError):
    """The request is malformed: 400, 404 of a path, 405, 413, 415 and the like."""


class Unauthenticated(BillycanError):
    """The key is missing, wrong, revoked or expired: 401."""


class Forbidden(BillycanError):
    """The key lacks `required_scope`: 403."""


class NotFound(BillycanError):
    """The record does not exist in this business: 404."""


class Conflict(BillycanError):
    """The record's state does not allow the call: 409. `allowed_actions` lists the actions it allows."""


class VersionConflict(BillycanError):
    """The record changed since the version in `if_match`: 412."""


class Invalid(BillycanError):
    """The body breaks a rule: 422. `details` names each member and its fault."""


class RateLimited(BillycanError):
    """Too many requests, after all retries: 429."""


class ServerFault(BillycanError):
    """The server failed: 500, 503."""


class ConnectionFailed(BillycanError):
    """No answer, after all retries. A change may have been made nevertheless."""


class UnexpectedAnswer(BillycanError):
    """An answer that the API never gives: a proxy's page, or a member of another type."""


TYPES: dict[str, type[BillycanError]] = {
    "invalid_request": InvalidRequest,
    "authentication": Unauthenticated,
    "permission": Forbidden,
    "not_found": NotFound,
    "conflict": Conflict,
    "precondition": VersionConflict,
    "validation": Invalid,
    "rate_limit": RateLimited,
    "api": ServerFault,
}


def error_of(status: int, content: bytes, retry_after: float | None) -> BillycanError:
    """Return the error of an answer other than 2xx."""
    try:
        body = msgspec.json.decode(content)["error"]
        kind = TYPES.get(body["type"], BillycanError)
        return kind(body["message"], code=body["code"], status=status, body=body, retry_after=retry_after)
    except (msgspec.MsgspecError, UnicodeDecodeError, LookupError, TypeError):
        message = f"HTTP {status} without the API's envelope; is the URL right?"
        return UnexpectedAnswer(message, code="unexpected_answer", status=status, retry_after=retry_after)


def _build_error(kind: type[BillycanError], message: str, code: str, status: Any, body: Any, retry_after: Any) -> Any:
    return kind(message, code=code, status=status, body=body, retry_after=retry_after)
