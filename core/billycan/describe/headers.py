"""The response headers in the OpenAPI document."""

from collections.abc import Iterable

from .. import problems
from .schemas import Json

_WHOLE = {"type": "integer", "minimum": 0}
ALWAYS = ("X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
HEADERS: dict[str, Json] = {
    "X-Request-Id": {
        "description": "The request's id in the server's logs.",
        "required": True,
        "schema": {"type": "string"},
    },
    "X-RateLimit-Limit": {"description": "Requests in the window.", "required": True, "schema": _WHOLE},
    "X-RateLimit-Remaining": {"description": "Requests left in the window.", "required": True, "schema": _WHOLE},
    "X-RateLimit-Reset": {
        "description": "When the oldest counted request leaves the window, in Unix seconds.",
        "required": True,
        "schema": _WHOLE,
    },
    "ETag": {
        "description": "The record's version, for If-Match; with `fields`, followed by a mark of the members.",
        "required": True,
        "schema": {"type": "string", "pattern": '^"[0-9]+(-[0-9a-f]{8})?"$'},
    },
    "Location": {"description": "The URL of the new record.", "required": True, "schema": {"type": "string"}},
    "Link": {
        "description": 'The URL of the next page, with `rel="next"`, if there is one.',
        "schema": {"type": "string"},
    },
    "Idempotent-Replayed": {
        "description": "Present if this is the stored response to an earlier request with the same key.",
        "schema": {"const": "true"},
    },
    "Retry-After": {"description": "Seconds to wait.", "required": True, "schema": _WHOLE},
    "WWW-Authenticate": {
        "description": "How to authenticate.",
        "required": True,
        "schema": {"const": "Bearer"},
    },
}
WITH: dict[type[problems.Problem], tuple[str, ...]] = {
    problems.RateLimited: ("Retry-After",),
    problems.Unavailable: ("Retry-After",),
    problems.Unauthenticated: ("WWW-Authenticate",),
}


def deprecation_headers(goes: bool) -> Json:
    """Return the headers of a deprecated route; `goes` tells whether it has a date for its removal."""
    since = {
        "description": "When the route was deprecated, in Unix seconds after an @ (RFC 9745).",
        "required": True,
        "schema": {"type": "string", "pattern": "^@[0-9]+$"},
    }
    until = {
        "description": "When the route will be removed (RFC 8594).",
        "required": True,
        "schema": {"type": "string"},
    }
    return {"Deprecation": since} | ({"Sunset": until} if goes else {})


def pick_headers(names: Iterable[str]) -> Json:
    """Return the headers with these names."""
    return {name: refer_to("headers", name) for name in names}


def refer_to(kind: str, name: str) -> Json:
    """Return a reference to a component of the document."""
    return {"$ref": f"#/components/{kind}/{name}"}
