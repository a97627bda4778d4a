"""The pages on which a visitor chooses a service, a day and a free time; a time that is chosen is held for minutes."""

import hashlib
import hmac
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import falcon
import sqlalchemy as sa

from billycan import App, Conflict, Context, NotFound, Problem, own
from billycan.fields import Moment
from billycan_bookings import api as bookings
from billycan_hosted.api import brand_of, form_of, logo_url, read_link, render
from billycan_staff import api as staff

from . import offering
from .booking import HELD, add_request, clock, move_booking
from .emails import REQUEST_PATH, request_link
from .handlers import load_page
from .schemas import BookingPage
from .tables import pages, requests

PER_MINUTE, PER_SECOND = 60, 10  # pages that an address may open
MOST_HELD_BY_ONE, MOST_HELD = 5, 50  # times that an address, and all visitors of a business, hold at once
_LOOKED_FOR = 5  # weeks that are searched for the first free time
_NOT_HERE = {
    "title": "There is no booking page here",
    "text": "The address may be wrong, or the business no longer takes bookings online.",
}


class HoldsEnough(Problem):
    """429: a visitor holds as many times as one may."""

    status, type, code = 429, "rate_limit", "too_many_holds"
    message = "You hold five times already: book one of them, or try again in ten minutes."


@contextmanager
def open_page(app: App, req: falcon.Request, name: str) -> Iterator[tuple[Context, BookingPage]]:
    """Open the booking page of this name for reading. Raise NotFound if there is none, or if it is off."""
    app.count_visit("booking", req, PER_MINUTE, PER_SECOND)
    with app.db.reading(across="only the address says whose page it is") as db:
        found = db.execute(sa.select(pages.c.tenant_id).where(pages.c.name == name, pages.c.active)).first()
    if found is None:
        raise NotFound
    app.take_share(req, found.tenant_id, is_visited=True)
    ctx = Context(app, found.tenant_id, request_id=req.context.request_id, writes=False)
    with app.db.reading(found.tenant_id) as ctx.db:
        yield ctx, load_page(ctx)


def show_problem(resp: falcon.Response, problem: Problem) -> None:
    """Write an error as a page; the pipeline sets the status."""
    if problem.status == 404:
        render(resp, "closed.html", **_NOT_HERE)
    elif isinstance(problem, HoldsEnough):
        render(resp, "closed.html", title="One moment", text=problem.message)
    elif problem.status == 429:
        text = "Too many requests came from your address: please try again in a few minutes."
        render(resp, "closed.html", title="One moment", text=text)
    else:
        text = problem.message if problem.status < 500 else "Please try again in a few minutes."
        render(resp, "closed.html", title="That did not work", text=text)


def look_of(ctx: Context, page: BookingPage) -> dict[str, Any]:
    """Return what each of these pages shows of the business."""
    return {"business": ctx.tenant, "brand": brand_of(ctx), "logo": logo_url(ctx), "page": page}


class ServicesPage:
    """The page at `/b/{name}`: the services that can be booked."""

    is_entrance = False

    def __init__(self, app: App) -> None:
        self.app = app

    def refuse(self, resp: falcon.Response, problem: Problem) -> None:
        show_problem(resp, problem)

    def on_get(self, req: falcon.Request, resp: falcon.Response, name: str) -> None:
        with open_page(self.app, req, name) as (ctx, page):
            services = [
                (service, offering.lasts(service.duration_minutes), price)
                for service in offering.list_services(ctx, page)
                for price in [offering.price_of(ctx, service) if page.shows_prices else ""]
            ]
            values = look_of(ctx, page)
        render(resp, "booking_pages/services.html", framed_by=page.embedded_in, services=services, **values)


class TimesPage:
    """The page at `/b/{name}/{service_id}`: the free times of a week; its form holds one of them."""

    is_entrance = False

    def __init__(self, app: App) -> None:
        self.app = app

    def refuse(self, resp: falcon.Response, problem: Problem) -> None:
        show_problem(resp, problem)

    def on_get(self, req: falcon.Request, resp: falcon.Response, name: str, service_id: str) -> None:
        self.show(req, resp, name, service_id)

    def show(self, req: falcon.Request, resp: falcon.Response, name: str, service_id: str, taken: str = "") -> None:
        with open_page(self.app, req, name) as (ctx, page):
            service = offering.find_service(ctx, page, service_id)
            chosen = (req.get_param("staff") or "") if page.offers_staff else ""
            today, last = ctx.today(), offering.last_day(ctx, service)
            asked = _read_day(req.get_param("from") or "")
            first = min(max(asked or today, today), last)
            openings = _list_week(ctx, service, first, last, chosen)
            for _ in range(0 if asked else _LOOKED_FOR):
                if openings or first + timedelta(days=offering.DAYS) > last:
                    break
                first += timedelta(days=offering.DAYS)
                openings = _list_week(ctx, service, first, last, chosen)
            week = timedelta(days=offering.DAYS)
            values = {
                **look_of(ctx, page),
                "service": service,
                "lasts": offering.lasts(service.duration_minutes),
                "price": offering.price_of(ctx, service) if page.shows_prices else "",
                "days": _by_day(openings, ctx.tenant.timezone),
                "said": _say_days(first, min(first + week - timedelta(days=1), last)),
                "before": max(first - week, today) if first > today else None,
                "after": first + week if first + week <= last else None,
                "people": _list_people(ctx, service) if page.offers_staff else [],
                "chosen": chosen,
                "instead": (req.get_param("instead") or "")[:1_000],
                "taken": taken,
            }
        render(resp, "booking_pages/times.html", framed_by=page.embedded_in, **values)

    def on_post(self, req: falcon.Request, resp: falcon.Response, name: str, service_id: str) -> None:
        """Hold the chosen time, and lead to the page that asks for the visitor's details."""
        if req.get_header("Sec-Fetch-Site") not in (None, "same-origin", "none"):
            raise falcon.HTTPMethodNotAllowed(["GET", "HEAD"], description="This page does not accept this form.")
        form = form_of(req)
        with open_page(self.app, req, name) as (ctx, page):
            service = offering.find_service(ctx, page, service_id)
            try:
                start = Moment.read(form.get("start", ""))
            except ValueError:
                raise NotFound from None
            chosen = form.get("staff", "") if page.offers_staff else ""
            on = start.astimezone(ZoneInfo(ctx.tenant.timezone)).date()
            is_near = ctx.today() <= on <= offering.last_day(ctx, service)
            free = offering.list_openings(ctx, service, on, on, chosen) if is_near else []
            tenant_id = ctx.tenant_id
        token, opening = None, next((opening for opening in free if opening.start_at == start), None)
        if opening is not None:
            self.app.check_open(tenant_id)
            token = self.move(req, tenant_id, form.get("instead", ""), opening)
        if opening is not None and token is None:
            self.give_back(req, tenant_id, form.get("instead", ""))
            token = self.hold(req, tenant_id, service.id, start, chosen, sum(opening.remaining for opening in free))
        if token is None:
            resp.status = falcon.HTTP_409
            self.show(
                req, resp, name, service_id, taken="Somebody else has just taken this time. Please choose another."
            )
        else:
            resp.status, resp.location = falcon.HTTP_303, f"{REQUEST_PATH}{token}"

    def move(self, req: falcon.Request, tenant_id: str, token: str, opening: Any) -> str | None:
        """Move the booking of a link to this time, and return the link to its page; None if it has none to move."""
        link = read_link(self.app, REQUEST_PATH, token) if token else None
        if link is None or link.tenant_id != tenant_id:
            return None
        ctx = Context(self.app, tenant_id, request_id=req.context.request_id)
        with suppress(Conflict), ctx.transaction():  # taken meanwhile: then it is taken for a new booking, too
            return move_booking(ctx, link.id, opening)
        return None

    def hold(
        self, req: falcon.Request, tenant_id: str, service_id: str, start: Moment, staff_id: str, free: int
    ) -> str | None:
        """Hold a time for the visitor, and return the link to the page of what they ask for; None if it is taken.

        Visitors hold at most half of what is free on a day. Beyond that a time is not held but can still be booked.
        """
        ctx = Context(self.app, tenant_id, request_id=req.context.request_id)
        holder = _holder_of(self.app, req, tenant_id)
        try:
            with ctx.transaction():
                ctx.take_turns()  # so that nobody holds more by asking twice at once
                if bookings.count_holds(ctx, holder=holder) >= MOST_HELD_BY_ONE:
                    raise HoldsEnough(headers={"Retry-After": str(int(HELD.total_seconds()))})
                zone = ZoneInfo(ctx.tenant.timezone)
                midnight = Moment.start_of(start.astimezone(zone).date(), ctx.tenant.timezone)
                held = bookings.count_holds(ctx, starts=(midnight, midnight + timedelta(days=1)))
                hold = None
                if held < free and bookings.count_holds(ctx) < MOST_HELD:
                    hold = bookings.hold_time(ctx, service_id, start, staff_id or None, holder=holder, lasts=HELD)
                return request_link(ctx, add_request(ctx, service_id, start, staff_id or None, hold))
        except Conflict:
            return None

    def give_back(self, req: falcon.Request, tenant_id: str, token: str) -> None:
        """End what the visitor held before choosing again, in a transaction of its own: it locks another person."""
        link = read_link(self.app, REQUEST_PATH, token) if token else None
        if link is None or link.tenant_id != tenant_id:
            return
        ctx = Context(self.app, tenant_id, request_id=req.context.request_id)
        with ctx.transaction():
            this = own(ctx, requests) & (requests.c.id == link.id) & requests.c.sent_at.is_(None)
            hold_id = ctx.db.execute(sa.select(requests.c.hold_id).where(this)).scalar_one_or_none()
            if hold_id is not None:
                bookings.give_back(ctx, hold_id)


def _holder_of(app: App, req: falcon.Request, tenant_id: str) -> str:
    """Return a digest of a visitor's network address, so that no address is stored."""
    said = f"held {tenant_id} {app.network_of(app.address_of(req))}"
    return hmac.new(app.secrets[-1].encode(), said.encode(), hashlib.sha256).hexdigest()


def _list_week(ctx: Context, service: Any, first: date, last: date, staff_id: str) -> list[Any]:
    until = min(first + timedelta(days=offering.DAYS - 1), last)
    return [*offering.list_openings(ctx, service, first, until, staff_id)]


def _list_people(ctx: Context, service: Any) -> list[tuple[str, str]]:
    """List the ids and names of whoever provides a service."""
    found = staff.people(ctx, service.staff_ids or None)
    return [(id, found[id].name) for id in service.staff_ids or found if id in found and found[id].active]


def _read_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _say_days(first: date, last: date) -> str:
    """Write the days of a week: `21 to 27 November`."""
    return f"{first.day if first.month == last.month else f'{first.day} {first:%B}'} to {last.day} {last:%B}"


def _by_day(openings: list[Any], timezone: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """List the days that have free times, each with the starts and how they are written."""
    zone, found = ZoneInfo(timezone), dict[str, list[tuple[str, str]]]()
    for opening in openings:
        local = opening.start_at.astimezone(zone)
        said = f"{local:%A} {local.day} {local:%B}"
        found.setdefault(said, []).append((f"{opening.start_at:%Y-%m-%dT%H:%M:%SZ}", clock(local)))
    return [*found.items()]
