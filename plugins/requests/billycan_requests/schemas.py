"""Structs that clients send and receive: requests of a key, as they were answered."""

from typing import Annotated

from msgspec import Meta, Struct

from billycan.fields import Moment

MOST = 100  # requests in an answer


class LogQuery(Struct, forbid_unknown_fields=True, kw_only=True):
    """The number of requests to return.

    per_page: The most requests; default 25.
    """

    per_page: Annotated[int, Meta(ge=1, le=MOST)] = 25


class LoggedRequest(Struct, kw_only=True):
    """A request that was answered.

    at: When it arrived.
    method: Its method, such as `POST`.
    route: Its route, such as `/v1/contacts/{id}`; null if no route has its path.
    status: The status of the response.
    milliseconds: How long it took.
    request_id: The `X-Request-Id` of the response.
    code: The code of an error.
    param: The member that an error names.
    """

    at: Moment
    method: str
    route: str | None
    status: int
    milliseconds: int
    request_id: str
    code: str | None
    param: str | None
