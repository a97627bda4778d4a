"""Structs that clients send and receive: endpoints, deliveries and their attempts."""

import re
from typing import Annotated, Literal

from msgspec import Meta, Struct

from billycan import Member, NewResource, Paging, Query, Resource, RuleBroken
from billycan.fields import DayOrInstant, Moment, Notes, Text

Status = Literal["pending", "delivered", "failed", "held", "cancelled"]
Reason = Literal["gone", "failing", "consent"]


WebhookUrl = Annotated[
    str,
    Text(
        "Where deliveries go: https, and no private or internal host unless the deployment allows them.",
        least=8,
        most=2048,
        format="uri",
    ),
]


def _event_name(text: str) -> str:
    noun, dot, verb = text.partition(".")
    words = [noun, verb] if dot else []
    if text != "*" and not (words and all(w.replace("_", "a").isalpha() or w == "*" for w in words)):
        raise RuleBroken("invalid_value", "must be an event such as invoice.paid, or invoice.*, or *")
    return text


EventName = Annotated[
    str,
    Text(
        "An event such as `invoice.paid`, all of a kind such as `invoice.*`, or `*` for every event.",
        least=1,
        most=100,
        pattern=r"^\s*(\*|[a-z_]+\.(\*|[a-z_]+))\s*$",
        check=_event_name,
    ),
]


_WEBHOOK_ID = "(evt|dlv)_[0-9a-z]{1,40}"


def _webhook_id(text: str) -> str:
    if not re.fullmatch(_WEBHOOK_ID, text):
        raise RuleBroken("invalid_value", "must be an event's id, which begins with evt_, or a ping's with dlv_")
    return text


WebhookId = Annotated[
    str,
    Text(
        "An event's id or, for a ping, the delivery's.",
        least=1,
        most=100,
        pattern=f"^{_WEBHOOK_ID}$",
        check=_webhook_id,
    ),
]


class NewEndpoint(NewResource, kw_only=True):
    """The events to deliver, and the URL to deliver them to.

    url: Where deliveries go: https, and no private or internal host unless the deployment allows them.
    events: Which events: by name, all of one kind such as `invoice.*`, or all with `*`.
    description: What the endpoint is for.
    enabled: Whether deliveries are sent; those to a disabled endpoint are held.
    """

    url: WebhookUrl
    events: Annotated[list[EventName], Meta(min_length=1, max_length=100)]
    description: Notes | None = None
    enabled: bool = True


class Endpoint(Resource):
    """An endpoint as it is shown.

    disabled_reason: Why it was disabled automatically: it answered 410 (`gone`), no delivery succeeded for days
      (`failing`), or its app may no longer read what it delivers (`consent`).
    failing_since: Since when no delivery has succeeded.
    secret: The secret that signs its deliveries; null except when it is created or rotated.
    connection_id: The connection of the app that it belongs to; null for the business's own.
    """

    url: str
    events: list[str]
    description: str | None
    enabled: bool
    disabled_reason: Reason | None
    failing_since: Moment | None
    secret: str | None
    connection_id: str | None


class EndpointQuery(Query[Endpoint], kw_only=True):
    """Filters of endpoints."""

    enabled: bool | None = None


class NewRecovery(Struct, forbid_unknown_fields=True, kw_only=True):
    """The period whose failed and held deliveries are sent again, by when they were created.

    since: The time from which deliveries are sent again.
    until: The time up to which they are sent again; defaults to now.
    """

    since: Moment
    until: Moment | None = None


class Recovery(Struct, kw_only=True):
    """The number of deliveries that will be sent again.

    endpoint_id: The endpoint they go to.
    since: The start of the period.
    until: The end of the period.
    deliveries: How many; 10,000 if there are more.
    """

    endpoint_id: str
    since: Moment
    until: Moment
    deliveries: int


class Sent(Struct, kw_only=True):
    """The request. `body` is null for a key that may not read the event.

    url: The URL it was sent to.
    headers: The request's headers.
    body: The request's body; also null once its event is no longer kept, and for older attempts if it is large: 8 MiB
        are shown in all.
    """

    url: str
    headers: dict[str, str]
    body: str | None


class Received(Struct, kw_only=True):
    """The response: the first 16 KiB of it.

    status: The HTTP status.
    headers: The response's headers, at most 8 KiB.
    body: The response's body. Null for a key that may not read the event, and for old attempts: only the newest 64 MiB
      of each business are kept.
    """

    status: int
    headers: dict[str, str]
    body: str | None


class Phases(Struct, kw_only=True):
    """The duration of each phase of an attempt, in milliseconds; null for one that did not begin.

    dns: Looking up the host.
    connect: Connecting to its address.
    tls: The TLS handshake and the check of the certificate.
    first_byte: Sending the request, and waiting for the headers of the response.
    body: Reading the body of the response.
    """

    dns: int | None = None
    connect: int | None = None
    tls: int | None = None
    first_byte: int | None = None
    body: int | None = None


class Attempt(Struct, kw_only=True):
    """One attempt. `finished_at` is null while it runs, and stays null if the process died; then `error` says so.

    number: Which attempt it was, from 1.
    started_at: When it began.
    finished_at: When it ended.
    duration_ms: How long it took, in milliseconds.
    phases: How long each of its phases took.
    error: The kind of failure; null for a success.
    detail: The error message of TLS or the network; null for other failures.
    request: What was sent.
    response: The response, if there was one.
    """

    number: int
    started_at: Moment
    finished_at: Moment | None
    duration_ms: int | None
    phases: Phases
    error: str | None
    detail: str | None
    request: Sent
    response: Received | None


class ListedDelivery(Struct, kw_only=True):
    """An event on its way to one endpoint, as lists show it.

    id: Its id.
    endpoint_id: The endpoint it goes to.
    webhook_id: The event's id; the same for each attempt and replay.
    event: What happened, such as `invoice.paid`.
    status: Its status; `held` means that the endpoint is disabled.
    attempts_made: How many attempts were made.
    next_attempt_at: When the next one is due.
    last_error: Why the last attempt failed, as the attempt's `error`: null before the first and after a success. A
      delivery that was `cancelled` because it was held too long has `held_too_long`, and one whose event is no longer
      kept has `event_expired`.
    finished_at: When it was delivered, failed or cancelled.
    replay_of: The delivery that this one repeats.
    created_at: When it was created.
    """

    id: str
    endpoint_id: str
    webhook_id: str
    event: str
    status: Annotated[
        Status,
        Member(
            role="status", good=("delivered",), info=("pending",), warn=("held",), bad=("failed",), ends=("cancelled",)
        ),
    ]
    attempts_made: int
    next_attempt_at: Moment | None
    last_error: str | None
    finished_at: Moment | None
    replay_of: str | None
    created_at: Moment


class Delivery(ListedDelivery):
    """A delivery with each attempt.

    attempts: Its attempts, in order; only the newest 50 if there are more.
    """

    attempts: list[Attempt]


class DeliveryQuery(Paging, kw_only=True):
    """Filters of deliveries.

    event: Deliveries of any of these events; `invoice.*` means all of a kind, `*` every event, and `ping` the test
      deliveries.
    """

    endpoint_id: list[str] | None = None
    webhook_id: list[WebhookId] | None = None
    event: list[str] | None = None
    status: list[Status] | None = None
    created_at_from: DayOrInstant | None = None
    created_at_to: DayOrInstant | None = None
    finished_at_from: DayOrInstant | None = None
    finished_at_to: DayOrInstant | None = None


class Ping(Struct):
    """The data of a `ping`."""

    endpoint_id: str
