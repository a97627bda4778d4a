"""Bookings: services, when they are available, and clients' bookings."""

from billycan import Deleted, Every, Manifest, Route

from . import handlers as h
from . import record_pages
from .cards import todays_bookings
from .demo import add_samples
from .holding import holds_to_remove, remove_hold
from .neighbours import hears
from .own import owns
from .reminding import emit_reminder, to_remind
from .resource import Booking, Service
from .tables import bookings, holds, services, slots

manifest = Manifest(
    name="bookings",
    requires=("contacts", "staff"),
    uses=("jobs",),
    tables=(services, slots, bookings, holds),
    events={
        "service.created": Service,
        "service.updated": Service,
        "service.deleted": Deleted,
        "booking.created": Booking,
        "booking.updated": Booking,
        "booking.confirmed": Booking,
        "booking.declined": Booking,
        "booking.rescheduled": Booking,
        "booking.completed": Booking,
        "booking.no_show": Booking,
        "booking.reopened": Booking,
        "booking.cancelled": Booking,
        "booking.reminder": Booking,
        "booking.deleted": Deleted,
    },
    routes=(
        Route("GET", "/v1/services", h.list_services, scope="bookings:read"),
        Route("POST", "/v1/services", h.create_service, scope="bookings:write", status=201),
        Route("GET", "/v1/services/{id}", h.get_service, scope="bookings:read"),
        Route("PATCH", "/v1/services/{id}", h.update_service, scope="bookings:write"),
        Route("DELETE", "/v1/services/{id}", h.delete_service, scope="bookings:write"),
        Route("GET", "/v1/availability", h.list_availability, scope="bookings:read"),
        Route("GET", "/v1/bookings", h.list_bookings, scope="bookings:read"),
        Route("POST", "/v1/bookings", h.create_booking, scope="bookings:write", status=201),
        Route(
            "GET",
            "/v1/bookings/{id}",
            h.get_booking,
            scope="bookings:read",
            also={"text/calendar": "/v1/bookings/{id}.ics"},
        ),
        Route(
            "GET",
            "/v1/bookings/{id}.ics",
            h.get_booking_calendar,
            scope="bookings:read",
            answers="text/calendar",
            own=True,
        ),
        Route("PATCH", "/v1/bookings/{id}", h.update_booking, scope="bookings:write"),
        Route("DELETE", "/v1/bookings/{id}", h.delete_booking, scope="bookings:write"),
        Route("POST", "/v1/bookings/{id}/confirm", h.confirm_booking, scope="bookings:write"),
        Route("POST", "/v1/bookings/{id}/decline", h.decline_booking, scope="bookings:write"),
        Route("POST", "/v1/bookings/{id}/cancel", h.cancel_booking, scope="bookings:write"),
        Route("POST", "/v1/bookings/{id}/complete", h.complete_booking, scope="bookings:write"),
        Route("POST", "/v1/bookings/{id}/no_show", h.mark_no_show, scope="bookings:write"),
        Route("POST", "/v1/bookings/{id}/reopen", h.reopen_booking, scope="bookings:write"),
        Route("POST", "/v1/bookings/{id}/reschedule", h.reschedule_booking, scope="bookings:write"),
    ),
    records=(record_pages.bookings, record_pages.services),
    cards=(todays_bookings,),
    hears=hears,
    tasks=(
        Every(seconds=60, due=to_remind, run=emit_reminder),
        Every(seconds=60, due=holds_to_remove, run=remove_hold, real_time=True),
    ),
    demo=add_samples,
    codes={"slot_unavailable": (409, "The time is taken or not offered; `alternatives` are free.")},
    offers=owns,
)
