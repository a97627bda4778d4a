"""The error codes and their meanings."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..app import App
    from ..manifest import Manifest


class Code(NamedTuple):
    """The status that an `error.code` comes with, and what it means, in a sentence."""

    status: int
    meaning: str


def every_code(app: "App") -> dict[str, Code]:
    """Return every error code that this deployment can answer with."""
    return {**CODES, **of_manifests(*app.parts.values())}


def of_manifests(*manifests: "Manifest") -> dict[str, Code]:
    """Return the codes that plugins declare."""
    return {code: Code(*declared) for manifest in manifests for code, declared in manifest.codes.items()}


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
    "too_many_operations": Code(400, "The request counts as more requests than the key may make in a minute."),
    "missing_api_key": Code(401, "There is no Authorization header."),
    "invalid_api_key": Code(401, "The Authorization header contains no key, or one that never existed."),
    "revoked_api_key": Code(401, "The key was revoked: use another."),
    "expired_api_key": Code(401, "The key has expired: use another."),
    "insufficient_scope": Code(403, "The key lacks the scope in `required_scope`."),
    "business_suspended": Code(403, "The business is suspended by whoever runs the service: it can only be read."),
    "business_closed": Code(403, "The business is closed and will be deleted: it can only be read."),
    "business_moving": Code(403, "The business is being moved in or deleted: it can be neither read nor changed."),
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
    "period_locked": Code(409, "The books are locked up to a date, and this would change what counts until then."),
    "has_dependents": Code(409, "Other records refer to this one; `dependents` counts those that your key may read."),
    "has_payments": Code(409, "Payments of the record are recorded: reverse them first."),
    "list_full": Code(409, "The record lists 500 of these, which is as many as it can."),
    "too_many_records": Code(409, "More records refer to this one than can be changed at once: 4,000."),
    "too_many_keys": Code(409, "The business has 200 keys, the most there can be: revoke those no longer used."),
    "version_conflict": Code(412, "The record no longer has the version in If-Match: fetch it and try again."),
    "payload_too_large": Code(
        413, "The body is larger than 1 MiB, or than the route says; as 414 or 431, the URL or headers are too long."
    ),
    "unsupported_media_type": Code(
        415, "The body is not sent as application/json in UTF-8, or is of a type that the route does not take."
    ),
    "validation_failed": Code(422, "Members of the body are invalid: `details` lists them."),
    "overpayment_not_allowed": Code(422, "The payment is more than is due, or than was written off."),
    "idempotency_key_reused": Code(422, "This Idempotency-Key was used for another request: use a new one."),
    "rate_limited": Code(429, "Too many requests: wait for `retry_after` seconds."),
    "too_many_at_once": Code(429, "The business has too many requests at work and waiting: try again in a second."),
    "too_many_exports": Code(429, "The business has as many CSV files made as it may at once: wait for one of them."),
    "internal_error": Code(500, "Something went wrong on the server; it is logged under `request_id`."),
    "read_only": Code(503, "The service is being maintained: nothing can be changed for now, as the message explains."),
    "unavailable": Code(503, "The service is temporarily unavailable: try again shortly."),
}
