"""The services, times and people that a booking page offers, from the API's own handlers."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from billycan import BadRequest, Context, NotFound
from billycan_hosted.api import money

from .schemas import BookingPage

MOST_DAYS_AHEAD = 92  # for services that set no bound themselves
DAYS = 7  # shown at a time
_TAXED = (None, "gst")
_CENT = Decimal("0.01")


def call(
    ctx: Context, method: str, path: str, body: Any = None, query: Mapping[str, Any] | None = None, **ids: str
) -> Any:
    """Run a handler of the API for the business itself, in the open transaction; return its record."""
    endpoint = ctx.app.at[method, path]
    values: dict[str, Any] = {}
    if body is not None:
        values["body"] = endpoint.read(ctx, body)[0]
    if query is not None:
        values["query"] = endpoint.signature.query(**query)
    return endpoint.run(ctx, values, ids)


def list_services(ctx: Context, page: BookingPage) -> list[Any]:
    """List the active services that a page offers, in its order."""
    found = []
    for first in range(0, len(page.service_ids), 100):
        records = ctx.app.read_records(ctx, "/v1/services", page.service_ids[first : first + 100])
        found += [records[id] for id in page.service_ids[first : first + 100] if id in records]
    return [service for service in found if service.active]


def find_service(ctx: Context, page: BookingPage, id: str) -> Any:
    """Return a service that a page offers. Raise NotFound if it does not."""
    if id in page.service_ids:
        service = call(ctx, "GET", "/v1/services/{id}", id=id)
        if service.active:
            return service
    raise NotFound


def list_openings(ctx: Context, service: Any, first: date, last: date, staff_id: str = "") -> Sequence[Any]:
    """List the times at which a service can be booked on these days."""
    query = {"service_id": service.id, "since": first, "until": last, "staff_id": staff_id or None}
    try:
        found: Sequence[Any] = call(ctx, "GET", "/v1/availability", query=query)
    except BadRequest:  # too many staff for so many days at once
        if first == last:
            raise
        middle = first + (last - first) // 2
        later = list_openings(ctx, service, middle + timedelta(days=1), last, staff_id)
        return [*list_openings(ctx, service, first, middle, staff_id), *later]
    return found


def last_day(ctx: Context, service: Any) -> date:
    """Return the last day on which the page offers a service."""
    ahead = MOST_DAYS_AHEAD if service.max_advance_days is None else service.max_advance_days
    return ctx.today() + timedelta(days=min(ahead, MOST_DAYS_AHEAD))


def price_of(ctx: Context, service: Any) -> str:
    """Return a service's price as a client pays it, including GST; empty if it has none."""
    return "" if service.price is None else money(_including_gst(ctx, service))


def deposit_of(ctx: Context, page: BookingPage, service: Any) -> str:
    """Return the deposit that is asked for a service; empty for none."""
    if not page.deposit_percent or not service.price:
        return ""
    return money((_including_gst(ctx, service) * page.deposit_percent / 100).quantize(_CENT, ROUND_HALF_UP))


def _including_gst(ctx: Context, service: Any) -> Decimal:
    price: Decimal = service.price
    adds = ctx.tenant.gst_registered and ctx.tenant.amounts_are == "exclusive" and service.gst_code in _TAXED
    return (price * Decimal("1.1")).quantize(_CENT, ROUND_HALF_UP) if adds else price


def lasts(minutes: int) -> str:
    """Say how long a service takes: `1 hour 30 minutes`."""
    days, rest = divmod(minutes, 24 * 60)
    hours, rest = divmod(rest, 60)
    parts = ((days, "day"), (hours, "hour"), (rest, "minute"))
    return " ".join(f"{count} {word}{'s' if count > 1 else ''}" for count, word in parts if count)
