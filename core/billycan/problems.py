"""Failures the client is told about; each becomes the envelope's `error` member."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import msgspec

MOST_FAULTS = 100  # that one answer tells


class Fault(msgspec.Struct, frozen=True):
    """One thing wrong with one member or parameter: where, which rule, and how to fix it.

    param: Where it is, such as `line_items[0].quantity`; empty for the body as a whole.
    code: Which rule it breaks; never changes.
    message: What is wrong and how to fix it.
    """

    param: str
    code: str
    message: str


class Code(msgspec.Struct, frozen=True):
    """What an `error.code` says to a client, and the status it comes with."""

    status: int
    meaning: str


# Every code that core answers with; a plugin's own are in its manifest.
CODES: Mapping[str, Code] = {
    "malformed_request": Code(400, "The request is not well-formed HTTP/1.1."),
    "malformed_json": Code(
        400, "The body is not JSON in UTF-8, or contains something that JSON does not allow, such as NaN."
    ),
    "duplicate_key": Code(400, "A member appears twice in the body."),
    "too_deep": Code(400, "The body is nested deeper than 32 levels."),
    "unknown_parameter": Code(400, "This route has no such query parameter; the message names the ones it has."),
    "invalid_parameter": Code(400, "A query parameter or header has an invalid value, or appears twice."),
    "invalid_filter": Code(400, "A filter has an invalid value."),
    "invalid_sort": Code(400, "`sort` names a member that this list cannot be sorted by, or one member twice."),
    "invalid_cursor": Code(400, "The cursor does not belong to this list with these filters and this sort."),
    "event_expired": Code(400, "Not all events after `after` are still kept: fetch the records again."),
    "page_too_large": Code(
        400, "The response would be too large: ask for fewer records, as `per_page` suggests, or fewer days."
    ),
    "missing_api_key": Code(401, "There is no Authorization header."),
    "invalid_api_key": Code(401, "The Authorization header contains no key, or one that never existed."),
    "revoked_api_key": Code(401, "The key was revoked: use another."),
    "expired_api_key": Code(401, "The key has expired: use another."),
    "insufficient_scope": Code(403, "The key lacks the scope in `required_scope`."),
    "resource_not_found": Code(404, "There is no record with this id, or it belongs to another tenant."),
    "route_not_found": Code(404, "There is no such path."),
    "method_not_allowed": Code(405, "The path does not support this method; the Allow header names those it supports."),
    "not_acceptable": Code(406, "The Accept header excludes application/json."),
    "timeout": Code(408, "The request did not arrive in time: send it again."),
    "conflict": Code(409, "Another request changed the same records at the same time: fetch them and try again."),
    "duplicate_external_id": Code(409, "Another record of this kind has this `external_id`."),
    "idempotency_in_progress": Code(409, "The first request with this Idempotency-Key is still running: try again."),
    "idempotency_answer_gone": Code(409, "The request was carried out, but its response was too large to be kept."),
    "invalid_state_transition": Code(409, "The action is not possible in this `status`; `allowed_actions` are."),
    "document_locked": Code(409, "The record cannot be changed or deleted in its current status."),
    "has_dependents": Code(409, "Other records refer to this one; `dependents` counts those that your key may read."),
    "version_conflict": Code(412, "The record no longer has the version in If-Match: fetch it and try again."),
    "payload_too_large": Code(413, "The body is larger than 1 MiB; as 414 or 431, the URL or headers are too long."),
    "unsupported_media_type": Code(415, "The body is not sent as application/json in UTF-8."),
    "validation_failed": Code(422, "Members of the body are invalid: `details` lists them."),
    "idempotency_key_reused": Code(422, "This Idempotency-Key was used for another request: use a new one."),
    "rate_limited": Code(429, "Too many requests: wait for `retry_after` seconds."),
    "internal_error": Code(500, "Something went wrong on the server; it is logged under `request_id`."),
    "unavailable": Code(503, "The service is temporarily unavailable: try again shortly."),
}

# The codes of single faults in `details`, besides those of the parameters above.
FAULTS: Mapping[str, str] = {
    "required": "The member is missing or empty.",
    "invalid_type": "The member has the wrong JSON type.",
    "invalid_value": "The value has the wrong format, or is not one of the possible values.",
    "too_long": "The value has too many characters, items or keys.",
    "out_of_range": "The value is below the minimum or above the maximum.",
    "invalid_date": "The value is not a date or time, or is one that does not exist.",
    "offset_required": "A time must include its offset from UTC.",
    "invalid_abn": "The value is not a valid ABN: 11 digits, the first two of which are check digits.",
    "currency_not_supported": "Only AUD is supported.",
    "unknown_field": "There is no such member; the message names the ones there are.",
    "read_only": "Only the server sets this member: leave it out, or send it back unchanged.",
    "not_found": "The member refers to a record that does not exist.",
}


class Problem(Exception):
    """A failure with an HTTP status, a stable code and a sentence that says how to mend it.

    `details` lists every fault found; anything in `more` (such as `allowed_actions`) joins the error object.
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
        **more: Any,
    ) -> None:
        self.message = message or self.message
        self.code = code or self.code
        self.param = param
        self.details = list(details)
        self.headers = dict(headers or {})
        self.more = more
        self.request_id: str | None = None
        super().__init__(self.message)

    def as_error(self) -> dict[str, Any]:
        """The `error` member of the envelope."""
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
    status, type, code = 400, "invalid_request", "invalid_parameter"
    message = "The request cannot be read."


class Unauthenticated(Problem):
    status, type, code = 401, "authentication", "missing_api_key"
    message = "Send an API key as `Authorization: Bearer <API_KEY>`."

    def __init__(self, message: str | None = None, **more: Any) -> None:
        super().__init__(message, headers={"WWW-Authenticate": "Bearer"}, **more)


class Forbidden(Problem):
    status, type, code = 403, "permission", "insufficient_scope"
    message = "This key may not do that."


class NotFound(Problem):
    # One sentence for every id that is not the caller's to see: another tenant's, unknown or malformed.
    status, type, code = 404, "not_found", "resource_not_found"
    message = "There is no record with this id."


class RouteNotFound(NotFound):
    code = "route_not_found"
    message = "There is no such path; see /v1/openapi.json for those that exist."


class MethodNotAllowed(Problem):
    status, type, code = 405, "invalid_request", "method_not_allowed"
    message = "This path does not support that method; see the Allow header."


class NotAcceptable(Problem):
    status, type, code = 406, "invalid_request", "not_acceptable"
    message = "This path answers in application/json."


class Timeout(Problem):
    status, type, code = 408, "invalid_request", "timeout"
    message = "The body did not arrive in time."


class Conflict(Problem):
    status, type, code = 409, "conflict", "conflict"
    message = "The request conflicts with the current state."


class VersionConflict(Problem):
    status, type, code = 412, "precondition", "version_conflict"
    message = "The record has changed since the version in If-Match: fetch it and repeat your change."


class PayloadTooLarge(Problem):
    status, type, code = 413, "invalid_request", "payload_too_large"
    message = "The body is larger than 1 MiB."


class UnsupportedMediaType(Problem):
    status, type, code = 415, "invalid_request", "unsupported_media_type"
    message = "Send JSON in UTF-8 with `Content-Type: application/json`."


class Invalid(Problem):
    """The request is well formed but breaks a rule: a list of faults, or one rule by its own code."""

    status, type, code = 422, "validation", "validation_failed"
    message = "The request has invalid values; see details."

    @classmethod
    def of(cls, *faults: Fault) -> "Invalid":
        """All the faults of a body at once, up to 100; the first one's message leads."""
        first = faults[0]
        message = f"{first.param or 'The body'}: {first.message}"
        if len(faults) > MOST_FAULTS:
            message += f" (only the first {MOST_FAULTS} faults are listed)"
        return cls(message, param=first.param or None, details=faults[:MOST_FAULTS])

    @classmethod
    def member(cls, param: str, code: str, message: str) -> "Invalid":
        """One member that breaks one rule."""
        return cls.of(Fault(param, code, message))


class RateLimited(Problem):
    status, type, code = 429, "rate_limit", "rate_limited"
    message = "Too many requests: wait as many seconds as Retry-After says."


class Unavailable(Problem):
    status, type, code = 503, "api", "unavailable"
    message = "The service is temporarily unavailable: try again shortly."

    def __init__(self, message: str | None = None, **more: Any) -> None:
        super().__init__(message, headers={"Retry-After": "1"}, **more)


class RuleBroken(ValueError):
    """Raised while a value is read: its code, what is wrong, and where inside the value (`.key`, `[0]`)."""

    def __init__(self, code: str, message: str, at: str = "") -> None:
        super().__init__(message)
        self.code, self.at = code, at
