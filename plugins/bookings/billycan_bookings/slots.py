"""Slots of staff: finding, holding and freeing them.

Every function that holds or frees a slot locks the member of staff first, so bookings with one person are made one at a
time. Rows are locked in this order: a booking, then staff by id, then counters.
"""

import sys
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import sqlalchemy as sa

from billycan import Conflict, Context, Invalid, Row, UTCDateTime, new_id, own
from billycan.fields import Moment
from billycan.web import in_turns
from billycan_staff.api import Person, people

from . import rules
from .resource import DAY
from .rules import Span, Taken, Terms
from .schemas import Opening
from .tables import bookings, holds, slots

MOST_ALTERNATIVES = 5
MOST_STARTS = 50_000  # checked for alternatives, counting each person
NOT_FOUND = ("not_found", "there is no such record")
NOT_FREE = "Nobody is free then; see alternatives."
OR_FORCE = "see alternatives, or send `force`."


def list_openings(
    ctx: Context,
    service: Row,
    staff: Iterable[Person],
    since: datetime,
    until: datetime,
    job_id: str | None = None,
    instead_of: Row | None = None,
) -> list[Opening]:
    """Return the openings of a service with these people, within its notice and maximum advance.

    The job `job_id` and the booking `instead_of` occupy no time. This may take a while, so do not call it in a write
    transaction.
    """
    sys.audit("billycan.slow", "to look for what can be booked")
    earliest, latest = _bookable_span(ctx, service)
    since, until = max(since, earliest), min(until, latest)
    terms, staff = terms_of(service), list(staff)
    if since >= until or not staff:
        return []
    within = terms.occupied(since)[0], terms.occupied(until)[1]
    busy = _busy_spans(ctx, staff, within, job_id)
    taken = _taken_slots(ctx, staff, within, instead_of)
    return rules.find_openings(terms, staff, taken, since, until, busy, pace=in_turns)


def list_providers(service: Row, staff: Mapping[str, Person]) -> list[Person]:
    """Return the people who provide a service, in the order in which the service lists them."""
    ids = service.staff_ids or sorted(staff)
    return [staff[id] for id in ids if id in staff and staff[id].active]


def hold_slot(
    ctx: Context,
    service: Row,
    start: datetime,
    staff_id: str | None,
    *,
    force: bool,
    instead_of: Row | None = None,
    job_id: str | None = None,
) -> dict[str, Any]:
    """Hold a start with the given person, or with anybody free who provides the service; return the booking's columns.

    The slot of the booking `instead_of` is freed first, and the job `job_id` occupies no time. Raise Conflict
    `slot_unavailable` if there is no room or, without `force`, if nobody works then or the service is not offered then.
    """
    wanted = [staff_id] if staff_id else service.staff_ids or None
    if instead_of is not None and wanted is not None:
        wanted = [*wanted, instead_of.staff_id]
    locked = people(ctx, wanted, lock=True)
    if instead_of is not None:
        _give_back(ctx, instead_of)
    candidates = [p for p in list_providers(service, locked) if staff_id in (None, p.id)]
    if staff_id is not None and not candidates:
        if staff_id not in locked:
            raise Invalid.member("staff_id", *NOT_FOUND)
        text = "does not provide this service" if locked[staff_id].active else "is not active: name somebody else"
        raise Invalid.member("staff_id", "invalid_value", text)
    terms, (earliest, latest) = terms_of(service), _bookable_span(ctx, service)
    dead: list[str] = []
    taken = _taken_slots(ctx, candidates, terms.occupied(start), dead=dead)
    _remove_unused(ctx, dead)
    busy = _busy_spans(ctx, candidates, terms.occupied(start), job_id)
    room = [p for p in candidates if not busy[p.id] and rules.places_left(terms, taken[p.id], start)]
    free = room if force else [p for p in room if earliest <= start < latest and rules.can_start(terms, p, start)]
    # Fill shared slots first.
    for person in sorted(free, key=lambda p: not taken[p.id]):
        shared = rules.overlapped_slot(terms, taken[person.id], start)
        if slot_id := shared.id if shared else _insert_slot(ctx, terms, person.id, start):
            return {
                "slot_id": slot_id,
                "staff_id": person.id,
                "start_at": Moment.of(start),
                "end_at": Moment.of(start + terms.duration),
            }
    message = _why_not(ctx, service, start) if room and not force else NOT_FREE
    nearest = partial(
        _nearest_openings, service=service, staff=candidates, start=start, job_id=job_id, instead_of=instead_of
    )
    raise Conflict(message, code="slot_unavailable", param="start_at", find_more=nearest)


def free_slot(ctx: Context, booking: Row) -> None:
    """Free the time that a booking holds, unless other bookings share it."""
    if booking.slot_id is not None:
        people(ctx, [booking.staff_id], lock=True)
        _give_back(ctx, booking)


def terms_of(service: Row) -> Terms:
    return Terms(
        service_id=service.id,
        duration=timedelta(minutes=service.duration_minutes),
        before=timedelta(minutes=service.buffer_before_minutes),
        after=timedelta(minutes=service.buffer_after_minutes),
        interval_minutes=service.slot_interval_minutes,
        capacity=service.capacity,
    )


def _bookable_span(ctx: Context, service: Row) -> Span:
    """Return the times between which a service can be booked: its notice, and whole days ahead in the tenant's zone."""
    days = service.max_advance_days
    last = Moment.LAST_DATE if days is None else ctx.today() + timedelta(days=days)
    return ctx.now() + timedelta(minutes=service.min_notice_minutes), Moment.start_of(
        last + timedelta(days=1), ctx.tenant.timezone
    )


def _why_not(ctx: Context, service: Row, start: datetime) -> str:
    """Explain why a service is not offered at a time that somebody could take."""
    earliest, latest = _bookable_span(ctx, service)
    if start < ctx.now():
        return "This time is in the past: see alternatives, or send `force` to record what took place."
    if start < earliest:
        return f"This service is booked at least {service.min_notice_minutes} minutes ahead: {OR_FORCE}"
    if start >= latest:
        return f"This is later than the service can be booked: {OR_FORCE}"
    return f"This is outside working hours: {OR_FORCE}"


def _busy_spans(ctx: Context, staff: Iterable[Person], within: Span, job_id: str | None) -> dict[str, list[Span]]:
    """Map each person to the times between two moments that jobs other than `job_id` occupy; empty if jobs is off."""
    found: dict[str, list[Span]] = {person.id: [] for person in staff}
    if ctx.has("jobs"):
        from billycan_jobs import api as jobs  # noqa: PLC0415 - the plugin may be off

        for work in jobs.work(ctx, found, *within):
            if work.job_id != job_id:
                found[work.staff_id].append((work.start_at, work.end_at))
    return found


_BOOKED = (
    sa.select(sa.func.count())
    .where(bookings.c.tenant_id == sa.bindparam("of_tenant"), bookings.c.slot_id == slots.c.id)
    .scalar_subquery()
    .label("booked")
)
_HELD = (
    sa.select(sa.func.count())
    .where(
        holds.c.tenant_id == sa.bindparam("of_tenant"),
        holds.c.slot_id == slots.c.id,
        holds.c.expires_at > sa.bindparam("real_time", type_=UTCDateTime),
    )
    .scalar_subquery()
    .label("held")
)


def _taken_slots(
    ctx: Context,
    staff: Iterable[Person],
    within: Span,
    instead_of: Row | None = None,
    dead: list[str] | None = None,
) -> dict[str, list[Taken]]:
    """Map each person to the slots that overlap these times, in order, without the booking `instead_of`.

    The ids of slots that only holds had that have expired are added to `dead`.
    """
    gone = instead_of.slot_id if instead_of is not None else None
    found: dict[str, list[Taken]] = {person.id: [] for person in staff}
    since, until = within
    overlap = (slots.c.occupied_until > since) & (slots.c.occupied_from < until)
    select = sa.select(slots, _BOOKED, _HELD).where(own(ctx, slots), slots.c.staff_id.in_(found), overlap)
    for row in ctx.db.execute(
        select.order_by(slots.c.occupied_from), {"real_time": ctx.app.now(), "of_tenant": ctx.tenant_id}
    ):
        occupied, booked = (row.occupied_from, row.occupied_until), row.booked + row.held - (row.id == gone)
        if booked:
            found[row.staff_id].append(Taken(row.id, row.service_id, row.start_at, occupied, booked))
        elif dead is not None:
            dead.append(row.id)
    return found


def _insert_slot(ctx: Context, terms: Terms, staff_id: str, start: datetime) -> str | None:
    """Insert a slot and return its id; None if the database refuses it, which the staff's lock should prevent."""
    since, until = terms.occupied(start)
    values = {
        "id": new_id("slt"),
        "staff_id": staff_id,
        "service_id": terms.service_id,
        "start_at": start,
        "occupied_from": since,
        "occupied_until": until,
    }
    try:
        with ctx.db.begin_nested():
            ctx.db.execute(sa.insert(slots).values(tenant_id=ctx.tenant_id, **values))
    except sa.exc.IntegrityError:
        return None
    return str(values["id"])


def _give_back(ctx: Context, booking: Row) -> None:
    mine = own(ctx, bookings) & (bookings.c.id == booking.id)
    ctx.db.execute(sa.update(bookings).where(mine).values(slot_id=None))
    remove_unshared(ctx, [booking.slot_id])


def remove_unshared(ctx: Context, ids: Iterable[str]) -> None:
    """Remove those of these slots that no booking and no hold has; their staff are locked."""
    booked = sa.exists().where(own(ctx, bookings), bookings.c.slot_id == slots.c.id)
    held = sa.exists().where(own(ctx, holds), holds.c.slot_id == slots.c.id)
    ctx.db.execute(sa.delete(slots).where(own(ctx, slots), slots.c.id.in_(list(ids)), ~booked, ~held))


def _remove_unused(ctx: Context, ids: list[str]) -> None:
    """Remove slots that only expired holds had; their staff are locked."""
    if ids:
        ctx.db.execute(sa.delete(holds).where(own(ctx, holds), holds.c.slot_id.in_(ids)))
        remove_unshared(ctx, ids)


def _nearest_openings(
    ctx: Context, service: Row, staff: list[Person], start: datetime, job_id: str | None, instead_of: Row | None
) -> dict[str, list[Opening]]:
    """Return the few openings closest to a start, in order, among as many people and days as can be checked."""
    earliest, latest = _bookable_span(ctx, service)
    middle = min(max(start, earliest), latest)
    found: list[Opening] = []
    starts_a_day = DAY // service.slot_interval_minutes
    staff = staff[: max(1, MOST_STARTS // (2 * starts_a_day))]
    for days in (1, 7, 30):
        if days > 1 and 2 * days * starts_a_day * len(staff) > MOST_STARTS:
            break
        around = timedelta(days=days)
        found = list_openings(ctx, service, staff, middle - around, middle + around, job_id, instead_of)
        if len(found) >= MOST_ALTERNATIVES:
            break
    closest = sorted(found, key=lambda opening: abs(opening.start_at - Moment.of(start)))[:MOST_ALTERNATIVES]
    return {"alternatives": sorted(closest, key=lambda opening: opening.start_at)}
