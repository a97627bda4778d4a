"""Handlers of bookings: one function for each route of services, availability and bookings."""

from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from msgspec.structs import asdict

from billycan import (
    BadRequest,
    Conflict,
    Context,
    Deleted,
    Fault,
    Invalid,
    Page,
    Patch,
    Query,
    Reply,
    Row,
    own,
)
from billycan.fields import Moment
from billycan_contacts import api as contacts
from billycan_staff import api as staff

from . import rules, slots
from .calendar import MEDIA_TYPE, calendar_file
from .records import emit_booking, records, service_records, show_bookings
from .resource import DAY, Booking, BookingChange, NewBooking, NewService, Service, neighbours
from .schemas import AvailabilityQuery, BookingCancellation, NewTime, Opening
from .tables import services

MOST_DAYS = 31
MOST_STARTS = 100_000  # checked for one answer, counting each person; a single day is always answered


def list_services(ctx: Context, query: Query[Service]) -> Page[Service]:
    """All services, including inactive ones unless you filter by `active`.

    For a price list, sort by `name` or `price`.
    """
    return service_records.page(ctx, query)


def create_service(ctx: Context, body: NewService) -> Service:
    """Add a service.

    Emits `service.created`.
    """
    _check_staff(ctx, body)
    service = service_records.add(ctx, body)
    ctx.emit("service.created", service)
    return service


def get_service(ctx: Context, id: str) -> Service:
    """One service.

    It includes the duration, the buffers and the booking rules.
    """
    return service_records.get(ctx, id)


def update_service(ctx: Context, id: str, body: Patch[NewService]) -> Service:
    """Change a service; existing bookings keep their times.

    Emits `service.updated` if anything changed.
    """
    before = service_records.lock(ctx, id)
    service = body.over(before._mapping)
    if service.staff_ids != before.staff_ids:
        _check_staff(ctx, service)
    after = service_records.save(ctx, before, **asdict(service))
    (shown,) = service_records.show(ctx, [after])
    if after.version != before.version:
        ctx.emit("service.updated", shown)
    return shown


def delete_service(ctx: Context, id: str) -> Deleted:
    """Delete a service that was never booked; if you no longer offer one, set `active` to false instead.

    Refused with `has_dependents` once it has been booked. Emits `service.deleted`.
    """
    deleted = service_records.remove(ctx, id)
    ctx.emit("service.deleted", deleted)
    return deleted


def list_availability(ctx: Context, query: AvailabilityQuery) -> list[Opening]:
    """The times when a service can be booked, and with whom: the complete list for up to 31 days, in order.

    Working hours are local time: a daylight-saving gap shortens the day, and a repeated hour is offered once. Jobs
    occupy their assignees from `scheduled_start` to `scheduled_end`. A listed time may be gone by the time you book it.
    With many staff and short intervals, ask for fewer days at a time: if more than 100,000 starts would have to be
    checked, counting each person, the error is `page_too_large`.
    """
    if not 0 <= (query.until - query.since).days < MOST_DAYS:
        raise BadRequest(f"to: must be from `from` to {MOST_DAYS - 1} days after it", param="to")
    service = _find_service(ctx, query.service_id)
    if service is None:
        raise BadRequest("service_id: there is no such record", param="service_id")
    if not service.active:
        return []
    zone = ctx.tenant.timezone
    people = staff.people(ctx, [query.staff_id] if query.staff_id else service.staff_ids or None)
    giving = slots.list_providers(service, people)
    starts_a_day = DAY // service.slot_interval_minutes * len(giving)
    if query.until != query.since and starts_a_day * ((query.until - query.since).days + 1) > MOST_STARTS:
        fits = max(1, MOST_STARTS // starts_a_day)
        said = f"to: with this many staff, ask for {fits} day{'' if fits == 1 else 's'} at a time."
        raise BadRequest(said, code="page_too_large", param="to")
    since, until = Moment.start_of(query.since, zone), Moment.start_of(query.until + timedelta(days=1), zone)
    return slots.list_openings(ctx, service, giving, since, until)


def _check_staff(ctx: Context, service: NewService) -> None:
    found = staff.names(ctx, service.staff_ids) if service.staff_ids else {}
    faults = [Fault(f"staff_ids[{i}]", *slots.NOT_FOUND) for i, id in enumerate(service.staff_ids) if id not in found]
    if faults:
        raise Invalid.of(*faults)


def list_bookings(ctx: Context, query: Query[Booking]) -> Page[Booking]:
    """All bookings, whatever their status.

    For a calendar, filter by a range of `start_at`.
    """
    page = records.rows(ctx, query, columns=records.columns(ctx))
    return page.of(show_bookings(ctx, page.items))


def create_booking(ctx: Context, body: NewBooking) -> Booking:
    """Book a service; the booking is pending if the service requires confirmation, and holds the time in any case.

    Refused with `slot_unavailable` and `alternatives` if another booking or a job has the time, and for times in the
    past or outside working hours unless you send `force`. Emits `booking.created`.
    """
    service = _service_to_book(ctx, body)
    place = slots.hold_slot(ctx, service, body.start_at, body.staff_id, force=body.force, job_id=body.job_id)
    columns = {name: value for name, value in asdict(body).items() if name != "force"}
    status = "pending" if service.requires_confirmation else "confirmed"
    row = records.insert(ctx, **{**columns, **place, "status": status})
    return emit_booking(ctx, row, "booking.created")


def get_booking(ctx: Context, id: str) -> Booking:
    """One booking; with `Accept: text/calendar` as a calendar file.

    Times are in UTC.
    """
    return show_bookings(ctx, [records.find(ctx, id, records.columns(ctx))])[0]


def get_booking_calendar(ctx: Context, id: str) -> Reply:
    """One booking as a calendar file.

    In iCalendar format, to import into a calendar or attach to an email.
    """
    booking = get_booking(ctx, id)
    headers = {"ETag": f'"{booking.version}"', "Content-Disposition": f'attachment; filename="{id}.ics"'}
    return Reply(calendar_file(booking), MEDIA_TYPE, headers)


def update_booking(ctx: Context, id: str, body: Patch[BookingChange]) -> Booking:
    """Change a booking's details; use `reschedule` to move it.

    Emits `booking.updated` if anything changed.
    """
    row = records.lock(ctx, id)
    known = {**row._mapping, **neighbours.shown(ctx, row._mapping)}
    change = body.over(known)
    neighbours.check(ctx, change, known)
    columns = {name: value for name, value in asdict(change).items() if value != known[name]}
    after = records.save(ctx, row, **columns)
    return (
        emit_booking(ctx, after, "booking.updated") if after.version != row.version else show_bookings(ctx, [after])[0]
    )


def delete_booking(ctx: Context, id: str) -> Deleted:
    """Delete a booking that never took place.

    Only if pending, declined or cancelled; otherwise `document_locked`. `has_dependents` while other records refer to
    it. Emits `booking.deleted`.
    """
    row = records.lock(ctx, id)
    if row.status not in rules.DELETABLE:
        raise Conflict(
            f"A {row.status} booking must be kept: only {', '.join(sorted(rules.DELETABLE))} ones can be deleted.",
            code="document_locked",
            status=row.status,
        )
    slots.free_slot(ctx, row)
    deleted = records.delete(ctx, row)
    ctx.emit("booking.deleted", deleted)
    return deleted


def confirm_booking(ctx: Context, id: str) -> Booking:
    """Accept a pending booking.

    From pending to confirmed; otherwise `invalid_state_transition`. Emits `booking.confirmed`.
    """
    return _move_booking(ctx, id, "confirm", "booking.confirmed")


def decline_booking(ctx: Context, id: str) -> Booking:
    """Decline a pending booking, which frees its time.

    From pending to declined; otherwise `invalid_state_transition`. Emits `booking.declined`.
    """
    return _move_booking(ctx, id, "decline", "booking.declined")


def cancel_booking(ctx: Context, id: str, body: BookingCancellation) -> Booking:
    """Cancel a booking, which frees its time.

    From pending or confirmed to cancelled; otherwise `invalid_state_transition`. Emits `booking.cancelled`.
    """
    return _move_booking(ctx, id, "cancel", "booking.cancelled", cancel_reason=body.reason)


def complete_booking(ctx: Context, id: str) -> Booking:
    """Record that the booking took place.

    From confirmed to completed; otherwise `invalid_state_transition`. Emits `booking.completed`.
    """
    return _move_booking(ctx, id, "complete", "booking.completed")


def mark_no_show(ctx: Context, id: str) -> Booking:
    """Record that the client did not come, which frees the time.

    From confirmed to no_show; otherwise `invalid_state_transition`. Emits `booking.no_show`.
    """
    return _move_booking(ctx, id, "no_show", "booking.no_show")


def reopen_booking(ctx: Context, id: str) -> Booking:
    """Undo `complete` or `no_show`.

    From completed or no_show to confirmed; otherwise `invalid_state_transition`. After `no_show` the time is booked
    again: `slot_unavailable` if somebody else has it by now. Emits `booking.reopened`.
    """
    row = records.lock(ctx, id)
    status, place = rules.actions.check("reopen", row.status), {}
    if row.slot_id is None:
        service = service_records.find(ctx, row.service_id)
        place = slots.hold_slot(ctx, service, row.start_at, row.staff_id, force=True, job_id=row.job_id)
    return emit_booking(ctx, records.save(ctx, row, status=status, **place), "booking.reopened")


def reschedule_booking(ctx: Context, id: str, body: NewTime) -> Booking:
    """Move a booking to another time, with the same person unless you name another.

    Only if pending or confirmed; otherwise `invalid_state_transition`. The id and status stay the same. Refused with
    `slot_unavailable` and `alternatives` if somebody else has the time. Emits `booking.rescheduled`.
    """
    row = records.lock(ctx, id)
    rules.actions.check("reschedule", row.status)
    service = service_records.find(ctx, row.service_id)
    staff_id = body.staff_id or row.staff_id
    if (body.start_at, staff_id) == (row.start_at, row.staff_id):
        return show_bookings(ctx, [row])[0]
    place = slots.hold_slot(ctx, service, body.start_at, staff_id, force=body.force, instead_of=row, job_id=row.job_id)
    return emit_booking(ctx, records.save(ctx, row, **place), "booking.rescheduled")


def _move_booking(ctx: Context, id: str, action: str, event: str, **columns: Any) -> Booking:
    row = records.lock(ctx, id)
    status = rules.actions.check(action, row.status)
    if status not in rules.HOLDING:
        slots.free_slot(ctx, row)
        columns["slot_id"] = None
    return emit_booking(ctx, records.save(ctx, row, status=status, **columns), event)


def _find_service(ctx: Context, id: str) -> Row | None:
    return ctx.db.execute(sa.select(services).where(own(ctx, services), services.c.id == id)).first()


def _service_to_book(ctx: Context, body: NewBooking) -> Row:
    """Return the service to book. Raise Invalid for each id in the body that does not exist."""
    service = _find_service(ctx, body.service_id)
    exists = {
        "service_id": service is not None,
        "client_id": bool(contacts.names(ctx, [body.client_id])),
        "staff_id": body.staff_id is None or bool(staff.names(ctx, [body.staff_id])),
        "job_id": not neighbours.gone(ctx, {"job_id": body.job_id}),
    }
    if faults := [Fault(name, *slots.NOT_FOUND) for name, there in exists.items() if not there]:
        raise Invalid.of(*faults)
    if service is None or not service.active:
        raise Invalid.member("service_id", "invalid_value", "is not active")
    return service
