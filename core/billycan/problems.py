"""Failures that clients see; each becomes the envelope's `error` member."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import msgspec

if TYPE_CHECKING:
    from .context import Context

MOST_FAULTS = 100  # in one answer
MOST_SHOWN = 100  # characters of a client's own name in a message


class Fault(msgspec.Struct, frozen=True):
    """One thing wrong with one member or parameter: where, which rule, and how to fix it.

    param: Where it is, such as `line_items[0].quantity`; empty for the body as a whole.
    code: Which rule it breaks; never changes.
    message: What is wrong and how to fix it.
    """

    param: str
    code: str
    message: str


class Problem(Exception):
    """A failure with an HTTP status, a stable code and a sentence that says how to mend it.

    `param` names the member or parameter, and `details` lists every fault found. Anything in `more`, such as
    `allowed_actions`, joins the error object. `find_more` looks up more of it on a reading context, after the
    transaction, so that nothing waits for it. `settle` is called once the transaction is undone, may open one of its
    own, and what it returns joins the error, too.
    """

    status: ClassVar[int] = 500
    type: ClassVar[str] = "api"
    code = "internal_error"
    message = "Something went wrong on the server; it has been logged under this request id."

    def __init__(
        self,
        message: str | None = None,
        *,
        code: str | None = None,
        param: str | None = None,
        details: Sequence[Fault] = (),
        headers: Mapping[str, str] | None = None,
        find_more: Callable[["Context"], Mapping[str, Any]] | None = None,
        settle: Callable[[], Mapping[str, Any]] | None = None,
        **more: Any,
    ) -> None:
        self.message = message or self.message
        self.code = code or self.code
        self.param = param
        self.details = list(details)
        self.headers = dict(headers or {})
        self.find_more, self.settle, self.more = find_more, settle, more
        self.request_id: str | None = None
        super().__init__(self.message)

    def as_error(self) -> dict[str, Any]:
        """Return the `error` member of the envelope. For core alone."""
        return {
            "type": self.type,
            "code": self.code,
            "message": self.message,
            "param": self.param,
            "details": self.details,
            "request_id": self.request_id,
            **self.more,
        }


class BadRequest(Problem):
    """400: a query parameter is wrong, or the request cannot be read."""

    status, type, code = 400, "invalid_request", "invalid_parameter"
    message = "The request cannot be read."


class Unauthenticated(Problem):
    """401: the caller is unknown."""

    status, type, code = 401, "authentication", "missing_api_key"
    message = "Send an API key as `Authorization: Bearer <API_KEY>`."

    def __init__(self, message: str | None = None, *, challenge: str = "Bearer", **more: Any) -> None:
        super().__init__(message, headers={"WWW-Authenticate": challenge}, **more)


class Forbidden(Problem):
    """403: the caller may not do this."""

    status, type, code = 403, "permission", "insufficient_scope"
    message = "This key may not do that."


class NotFound(Problem):
    """404: there is no such record, or it is not this business's."""

    # One message for every id that the caller cannot see: another tenant's, unknown or malformed.
    status, type, code = 404, "not_found", "resource_not_found"
    message = "There is no record with this id."


class RouteNotFound(NotFound):
    """404: there is no such path."""

    code = "route_not_found"
    message = "There is no such path; see /v1/openapi.json for those that exist."


class MethodNotAllowed(Problem):
    """405: the path does not support this method."""

    status, type, code = 405, "invalid_request", "method_not_allowed"
    message = "This path does not support that method; see the Allow header."


class NotAcceptable(Problem):
    status, type, code = 406, "invalid_request", "not_acceptable"
    message = "This path answers in application/json."


class Timeout(Problem):
    status, type, code = 408, "invalid_request", "timeout"
    message = "The body did not arrive in time."


class Conflict(Problem):
    """409: the record's state forbids it."""

    status, type, code = 409, "conflict", "conflict"
    message = "The request conflicts with the current state."


class Gone(Problem):
    """410: what the request continues from is no longer there."""

    status, type, code = 410, "invalid_request", "gone"
    message = "This is no longer there."


class VersionConflict(Problem):
    status, type, code = 412, "precondition", "version_conflict"
    message = "The record has changed since the version in If-Match: fetch it and repeat your change."


class PayloadTooLarge(Problem):
    """413: the body is too large."""

    status, type, code = 413, "invalid_request", "payload_too_large"
    message = "The body is larger than 1 MiB."


class HeadersTooLarge(PayloadTooLarge):
    status = 431
    message = "The headers are too large: at most 100 of them, of 8,190 bytes each and 32,768 in all."


class UnsupportedMediaType(Problem):
    """415: the body has another media type than is read here."""

    status, type, code = 415, "invalid_request", "unsupported_media_type"
    message = "Send JSON in UTF-8 with `Content-Type: application/json`."


class Invalid(Problem):
    """422: the request is well formed but breaks a rule: a list of faults, or one rule by its own code."""

    status, type, code = 422, "validation", "validation_failed"
    message = "The request has invalid values; see details."

    @classmethod
    def of(cls, *faults: Fault) -> Self:
        """Return a refusal with all the faults of a body, up to 100; the first one's message leads."""
        first = faults[0]
        message = f"{first.param or 'The body'}: {first.message}"
        if len(faults) > MOST_FAULTS:
            message += f" (only the first {MOST_FAULTS} faults are listed)"
        return cls(message, param=first.param or None, details=faults[:MOST_FAULTS])

    @classmethod
    def member(cls, param: str, code: str, message: str) -> Self:
        """Return a refusal of one member that breaks one rule."""
        return cls.of(Fault(param, code, message))


class RateLimited(Problem):
    status, type, code = 429, "rate_limit", "rate_limited"
    message = "Too many requests: wait as many seconds as Retry-After says."


class TooManyAtOnce(RateLimited):
    code = "too_many_at_once"
    message = "This business has too many requests at work at once: please try again in a second."

    def __init__(self) -> None:
        super().__init__(headers={"Retry-After": "1"}, retry_after=1)


class Unavailable(Problem):
    """503: something that the request needs does not answer; it may be tried again after a second."""

    status, type, code = 503, "api", "unavailable"
    message = "The service is temporarily unavailable: try again shortly."

    def __init__(self, message: str | None = None, *, wait_seconds: int = 1, **more: Any) -> None:
        super().__init__(message, headers={"Retry-After": str(wait_seconds)}, **more)


class ReadOnly(Unavailable):
    """503: nothing can be changed for now, because the operator maintains the deployment."""

    code = "read_only"

    def __init__(self, reason: str, wait_seconds: int) -> None:
        said = f"Nothing can be changed for now: {reason}"
        super().__init__(said, wait_seconds=wait_seconds, retry_after=wait_seconds)


class RuleBroken(ValueError):
    """Raised in a Struct's `__post_init__`, or by a Rule that reads a value: the client gets a 422.

    `at` is the place inside the value, such as `.key` or `[0]`.
    """

    def __init__(self, code: str, message: str, at: str = "") -> None:
        super().__init__(message)
        self.code, self.at = code, at
