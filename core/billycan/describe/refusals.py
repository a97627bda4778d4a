"""The errors that a route may answer with, as in the OpenAPI document."""

import inspect
import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from .. import problems
from ..problems import Problem
from ..resources import Reply
from ..web import encode, parse
from .codes import Code
from .parameters import checks_version, reads_body
from .schemas import Json

if TYPE_CHECKING:
    from ..app import App
    from ..endpoints import Endpoint


def find_refusals(
    listed: Mapping[str, Code], endpoint: "Endpoint", *others: "Endpoint", besides: Collection[str] = ()
) -> Iterator[tuple[type[problems.Problem], str, list[str]]]:
    """Yield the problems that a route may answer with, by status: class, label of the response, codes.

    Core's own follow from what the route takes. The others are those of the `listed` codes that the handler names in
    its docstring, and likewise for the handlers of `others`, which answer in its place with other media types; and
    those `besides`.
    """
    own = {code for each in (endpoint, *others) for code in named_words(each) if code in listed} | {*besides}
    possible = [*_possible_refusals(endpoint)]
    for kind, label, codes in possible:
        more = sorted(code for code in own if listed[code].status == kind.status and code not in codes)
        yield kind, label + "".join(f"_{code}" for code in more), [*codes, *more]
    known = {kind for kind, _, _ in possible}
    for refusal in (problems.Conflict, problems.Gone):
        named = sorted(code for code in own if listed[code].status == refusal.status)
        if named and refusal not in known:
            yield refusal, "".join(f"_{code}" for code in named), named


def _possible_refusals(endpoint: "Endpoint") -> Iterator[tuple[type[Problem], str, list[str]]]:
    route = endpoint.route
    writes, has_body = endpoint.writes, reads_body(endpoint)
    yield problems.BadRequest, *_unreadable_bodies(endpoint)
    if not route.public:
        keys = ["missing_api_key", "invalid_api_key", "revoked_api_key", "expired_api_key"]
        yield problems.Unauthenticated, "", keys
    scoped = ["insufficient_scope"] if route.scope or "insufficient_scope" in named_words(endpoint) else []
    standing = ["business_suspended", "business_closed"] if writes and not route.public else []
    if scoped or standing:
        yield problems.Forbidden, "Write" * bool(standing) + "AnyKey" * (not scoped), [*scoped, *standing]
    if endpoint.signature.params or "resource_not_found" in named_words(endpoint):
        yield problems.NotFound, "", ["resource_not_found"]
    if endpoint.signature.answer is not Reply:
        yield problems.NotAcceptable, "", ["not_acceptable"]
    if has_body:
        yield problems.Timeout, "", ["timeout"]
    if writes:
        with_external_id = "external_id" in getattr(endpoint.signature.body, "__struct_fields__", ())
        conflicts = [
            "conflict",
            "idempotency_in_progress",
            "idempotency_answer_gone",
            *(["duplicate_external_id"] if with_external_id else []),
        ]
        yield problems.Conflict, "Record" if with_external_id else "", conflicts
    if checks_version(endpoint):
        yield problems.VersionConflict, "", ["version_conflict"]
    if has_body:
        yield problems.PayloadTooLarge, "", ["payload_too_large"]
        yield problems.UnsupportedMediaType, "", ["unsupported_media_type"]
        yield problems.Invalid, "Body", ["validation_failed", "idempotency_key_reused"]
    elif writes:
        yield problems.Invalid, "", ["idempotency_key_reused"]
    is_list = endpoint.signature.listed is not None
    limits = [*(["too_many_at_once"] if not route.public else []), *(["too_many_exports"] if is_list else [])]
    yield problems.RateLimited, "Public" * bool(route.public) + "List" * is_list, ["rate_limited", *limits]
    yield problems.Problem, "", ["internal_error"]
    yield problems.Unavailable, "", ["unavailable"]


def _unreadable_bodies(endpoint: "Endpoint") -> tuple[str, list[str]]:
    codes = ["malformed_request", "unknown_parameter", "invalid_parameter"]
    if reads_body(endpoint):
        asked = ["invalid_filter"] if endpoint.signature.query else []
        return "Body" + "Query" * bool(asked), [*codes, *asked, "malformed_json", "duplicate_key", "too_deep"]
    if endpoint.signature.listed:
        return "List", [*codes, "invalid_filter", "invalid_sort", "invalid_cursor", "page_too_large"]
    return ("Query", [*codes, "invalid_filter"]) if endpoint.signature.query else ("", codes)


def named_words(endpoint: "Endpoint") -> tuple[str, ...]:
    """List the words in backticks in the handler's docstring, error codes and events among them."""
    return _words_of(endpoint.route.handler)


@cache  # each event asks every handler
def _words_of(handler: Any) -> tuple[str, ...]:
    return (*re.findall(r"`([a-z_.]+)`", inspect.getdoc(handler) or ""),)


def example_errors(app: "App") -> dict[str, Json]:
    """Return an example of each error whose answer is always the same, built as it is in a request."""
    found = {}
    for kind in _ALWAYS_THE_SAME:
        problem = kind()
        problem.request_id = "req_01ke0000000000000000000001"
        found[problem.code] = parse(encode(app.hook.envelope(data=None, page=None, problem=problem)))
    return found


_ALWAYS_THE_SAME: tuple[type[problems.Problem], ...] = (
    problems.Unauthenticated,
    problems.NotFound,
    problems.RouteNotFound,
    problems.NotAcceptable,
    problems.Timeout,
    problems.VersionConflict,
    problems.PayloadTooLarge,
    problems.UnsupportedMediaType,
    problems.TooManyAtOnce,
    problems.Problem,
    problems.Unavailable,
)
