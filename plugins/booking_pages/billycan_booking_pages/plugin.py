"""Booking pages: a page on which a business's clients choose a free time and book it, also within other sites."""

from billycan import Every, Manifest, Route

from .booking import remove_request, request_page, requests_to_remove
from .handlers import get_booking_page, update_booking_page
from .pages import ServicesPage, TimesPage
from .settings_page import screens
from .tables import pages, requests

manifest = Manifest(
    name="booking_pages",
    requires=("bookings", "contacts", "hosted", "mail", "staff", "users"),
    tables=(pages, requests),
    routes=(
        Route("GET", "/v1/booking_page", get_booking_page, scope="booking_pages:read"),
        Route("PATCH", "/v1/booking_page", update_booking_page, scope="booking_pages:write"),
    ),
    pages=(
        ("/b/{name}", ServicesPage),
        ("/b/{name}/{service_id}", TimesPage),
        ("/booking/{token}", request_page),
        *screens,
    ),
    tasks=(Every(seconds=600, due=requests_to_remove, run=remove_request, real_time=True),),
    codes={"too_many_holds": (429, "A visitor of a booking page holds five times: book one of them, or wait.")},
)
