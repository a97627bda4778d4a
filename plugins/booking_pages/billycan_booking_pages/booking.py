"""Requests of visitors, from the chosen time to the booking, and the page on which they follow them.

The page has two links: the visitor's own, and the one that is emailed, which proves the address.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from billycan import App, Conflict, Context, Invalid, NotFound, Row, decode, new_id, own
from billycan.fields import Moment
from billycan_bookings import api as bookings
from billycan_contacts import api as contacts
from billycan_hosted.api import DocumentPage, Link, Shown, brand_of, day, moment, money
from billycan_staff import api as staff

from . import emails, offering
from .emails import EMAILED, REQUEST_PATH
from .handlers import PATH, load_page
from .schemas import BookingPage, Details
from .tables import requests

HELD, HELD_FOR_EMAIL = timedelta(minutes=10), timedelta(minutes=30)
_DAY = timedelta(days=1)
_TRAP = "website"  # a field that people do not see
_TAKEN = "Somebody else has taken this time meanwhile. Please choose another."


def request_page(app: App) -> DocumentPage:
    """Return the page at `/booking/{token}`."""
    return DocumentPage(app, REQUEST_PATH, show_request, answer_request)


def add_request(ctx: Context, service_id: str, start: Moment, staff_id: str | None, hold: bookings.Held | None) -> Row:
    """Store the time that a visitor chose, and return the row."""
    now = ctx.app.now()
    values = {
        "id": new_id("bkr"),
        "service_id": service_id,
        "start_at": start,
        "created_at": now,
        "ends_at": now + _DAY,
    }
    held = {"staff_id": hold.staff_id if hold else staff_id, "hold_id": hold.id if hold else None}
    added = sa.insert(requests).values(tenant_id=ctx.tenant_id, **values, **held)
    return ctx.db.execute(added.returning(requests)).one()


def show_request(ctx: Context, link: Link) -> Shown:
    """Show the page: it asks for details, then for the email's link, and then it shows the booking."""
    page, row = load_page(ctx), _find_request(ctx, link.id)
    booking = _booking_of(ctx, row) if row is not None else None
    if row is None or (row.booking_id and booking is None) or (booking is None and not page.active):
        gone = {"title": "This booking is no longer here", "text": "Please choose a time again, or ask the business."}
        return Shown("closed.html", gone, status=404, framed_by=page.embedded_in)
    service = offering.call(ctx, "GET", "/v1/services/{id}", id=row.service_id)
    zone, held = ctx.tenant.timezone, bookings.find_hold(ctx, row.hold_id) if row.hold_id else None
    start = booking.start_at if booking else row.start_at
    local = start.astimezone(ZoneInfo(zone))
    end = (start + timedelta(minutes=service.duration_minutes)).astimezone(local.tzinfo)
    people = staff.names(ctx, [booking.staff_id if booking else row.staff_id]) if page.offers_staff else {}
    state = booking.status if booking else "emailed" if row.sent_at and link.edition == EMAILED else ""
    values = {
        "business": ctx.tenant,
        "brand": brand_of(ctx),
        "page": page,
        "service": service,
        "lasts": offering.lasts(service.duration_minutes),
        "price": offering.price_of(ctx, service) if page.shows_prices else "",
        "day": f"{local:%A} {day(local.date())}",
        "time": f"{clock(local)} to {clock(end)}",
        "with_whom": next(iter(people.values()), ""),
        "held_until": clock(held.expires_at.astimezone(local.tzinfo)) if held else "",
        "state": state or ("sent" if row.sent_at else "details"),
        "email": row.email,
        "tells": emails.can_write(ctx, row.email),
        "deposit": offering.deposit_of(ctx, page, service),
        "deposit_due": _deposit_due(ctx, row),
        "deposit_url": row.deposit_url,
        "can_cancel": booking is not None and _may_cancel(ctx, page, booking),
        "cancel_until": moment(Moment.of(start - timedelta(minutes=page.cancel_notice_minutes)), zone),
        "back": f"{PATH}{page.name}/{row.service_id}?from={local.date()}&instead={emails.request_link(ctx, row)}",
    }
    return Shown("booking_pages/request.html", values, framed_by=page.embedded_in)


def answer_request(ctx: Context, link: Link, form: Mapping[str, str]) -> Mapping[str, str] | None:
    """Carry out a form of the page: send the details, confirm the address, or cancel. Return the form's faults."""
    page, row = load_page(ctx), _find_request(ctx, link.id)
    if row is None:
        raise NotFound
    decision = form.get("decision")
    if row.booking_id is not None:
        booking = _booking_of(ctx, row)
        if decision == "cancel" and booking is not None and _may_cancel(ctx, page, booking):
            body = {"reason": "Cancelled by the client, by the link"}
            offering.call(ctx, "POST", "/v1/bookings/{id}/cancel", body=body, id=booking.id)
        return None
    row = _find_request(ctx, link.id, lock=True)
    if row is None or row.booking_id or not page.active or row.service_id not in page.service_ids:
        raise NotFound
    if row.sent_at is not None:
        return _make_booking(ctx, page, row) if decision == "confirm" and link.edition == EMAILED else None
    details, faults = _read_details(form)
    if details is None:
        return faults
    confirms = page.confirms_email and emails.can_write(ctx)
    row = _store_details(ctx, row, details)
    if not confirms:
        return _make_booking(ctx, page, row)
    if not emails.can_write(ctx, row.email):
        _ask_again(ctx, row)
        return {"email": "Many bookings were asked for with this address today. Please contact the business."}
    if row.hold_id:
        bookings.extend_hold(ctx, row.hold_id, HELD_FOR_EMAIL)
    emails.write(ctx, row, "Please confirm your booking", "To book this time, open this page and confirm it:")
    return None


def move_booking(ctx: Context, request_id: str, opening: Any) -> str | None:
    """Move the booking of a request to a free time, and return the new link to its page.

    Return None if there is no booking yet, or if it can no longer be changed by the link.
    """
    row, page = _find_request(ctx, request_id), load_page(ctx)
    booking = _booking_of(ctx, row) if row is not None else None
    if booking is None or not _may_cancel(ctx, page, booking):
        return None
    body = {"start_at": opening.start_at.isoformat()}
    if booking.staff_id not in opening.staff_ids:
        body["staff_id"] = opening.staff_ids[0]
    offering.call(ctx, "POST", "/v1/bookings/{id}/reschedule", body=body, id=booking.id)
    moved = _find_request(ctx, request_id)
    return emails.request_link(ctx, moved) if moved is not None else None


def _find_request(ctx: Context, id: str, *, lock: bool = False) -> Row | None:
    found = sa.select(requests).where(own(ctx, requests), requests.c.id == id)
    return ctx.db.execute(found.with_for_update() if lock else found).first()


def _booking_of(ctx: Context, row: Row) -> Any:
    """Return the booking that was made; None if there is none, or it was deleted."""
    try:
        return offering.call(ctx, "GET", "/v1/bookings/{id}", id=row.booking_id) if row.booking_id else None
    except NotFound:
        return None


def _may_cancel(ctx: Context, page: BookingPage, booking: Any) -> bool:
    """Tell whether the client may cancel by the link: the booking is open, and the notice has not begun."""
    notice = timedelta(minutes=page.cancel_notice_minutes)
    return "cancel" in booking.allowed_actions and ctx.now() + notice <= booking.start_at


def _deposit_due(ctx: Context, row: Row) -> str:
    """Return what is still to be paid of the deposit that was asked for; empty if nothing is."""
    if row.deposit_id is None or not ctx.has("invoices"):
        return ""
    try:
        deposit = offering.call(ctx, "GET", "/v1/invoices/{id}", id=row.deposit_id)
    except NotFound:
        return ""
    return money(deposit.amount_due) if deposit.status in ("sent", "partially_paid") else ""


def _read_details(form: Mapping[str, str]) -> tuple[Details | None, dict[str, str]]:
    """Read a visitor's details; None with the faults by field."""
    if form.get(_TRAP):
        return None, {"name": "Please leave the field “Website” empty, and send the form again."}
    sent = {name: form.get(name) or None for name in ("phone", "notes")}
    try:
        return decode({"name": form.get("name", ""), "email": form.get("email", ""), **sent}, Details), {}
    except Invalid as invalid:
        missing = {name: f"Please enter your {name}." for name in ("name", "email") if not form.get(name)}
        return None, {fault.param: f"This {fault.message}." for fault in invalid.details} | missing


def _store_details(ctx: Context, row: Row, details: Details) -> Row:
    """Store a visitor's details; the row ends two days after the start."""
    said = {"name": details.name, "email": details.email.lower(), "phone": details.phone, "notes": details.notes}
    ends_at = max(row.ends_at, row.start_at + 2 * _DAY)
    this = own(ctx, requests) & (requests.c.id == row.id)
    kept = sa.update(requests).where(this).values(**said, sent_at=ctx.app.now(), ends_at=ends_at)
    return ctx.db.execute(kept.returning(requests)).one()


def _make_booking(ctx: Context, page: BookingPage, row: Row) -> Mapping[str, str] | None:
    """Make the booking by the API's own handlers; return a fault if the time was taken.

    A time that is held can be booked, even if the service's notice began meanwhile.
    """
    held = bookings.give_back(ctx, row.hold_id) if row.hold_id else None
    if held is None:
        try:  # Before anything is written: the form is shown again, and nothing else is kept.
            again = bookings.hold_time(ctx, row.service_id, row.start_at, row.staff_id, holder="", lasts=HELD)
        except (Conflict, Invalid):
            _ask_again(ctx, row)
            return {"start": _TAKEN}
        held = bookings.give_back(ctx, again.id)
        assert held is not None  # noqa: S101 - it was made in this transaction
    body = {
        "service_id": row.service_id,
        "staff_id": held.staff_id,
        "start_at": held.start_at.isoformat(),
        "client_id": _client_of(ctx, row),
        "notes": "\n".join(filter(None, (f"Booked online by {_visitor_text(row)}", "", row.notes))).strip(),
        "force": True,
    }
    booking = offering.call(ctx, "POST", "/v1/bookings", body=body)
    this = own(ctx, requests) & (requests.c.id == row.id)
    values: dict[str, Any] = {"booking_id": booking.id, "hold_id": None, "staff_id": held.staff_id}
    if booking.status == "confirmed" and page.deposit_percent:
        values["deposit_due_at"] = ctx.app.now()
    row = ctx.db.execute(sa.update(requests).where(this).values(values).returning(requests)).one()
    if booking.status == "pending":
        says = "The business has yet to confirm this time. To look at it or cancel it, open this page:"
        emails.write(ctx, row, "We have your request", says)
    else:
        emails.write(ctx, row, "Your booking is confirmed", "To look at it or cancel it, open this page:")
    return None


def _ask_again(ctx: Context, row: Row) -> None:
    """Let the page ask for the details again."""
    this = own(ctx, requests) & (requests.c.id == row.id)
    ctx.db.execute(sa.update(requests).where(this).values(sent_at=None))


def _client_of(ctx: Context, row: Row) -> str:
    """Return the contact with the visitor's email address, or a new one. The visitor is not told which."""
    if found := contacts.known_as(ctx, contacts.KnownAs(email=row.email)):
        return found[0]
    body = {"name": row.name, "kind": "person", "email": row.email, "phone": row.phone}
    return str(offering.call(ctx, "POST", "/v1/contacts", body=body).id)


def _visitor_text(row: Row) -> str:
    return ", ".join(filter(None, (row.name, row.email, row.phone)))


def requests_to_remove(app: App, now: Moment) -> sa.Select[Any]:
    """Select what visitors asked for that is over, or that they did not go on with."""
    over = sa.select(requests.c.tenant_id, requests.c.id).where(requests.c.ends_at <= now)
    return over.order_by(requests.c.ends_at)


def remove_request(ctx: Context, id: str) -> None:
    """Delete what a visitor asked for; the booking stays."""
    ctx.db.execute(sa.delete(requests).where(own(ctx, requests), requests.c.id == id))


def clock(at: datetime) -> str:
    """Write a local time: `9:30 am`."""
    return f"{at.hour % 12 or 12}:{at:%M} {'am' if at.hour < 12 else 'pm'}"
