"""Booking pages: a page on which a business's clients choose a free time and book it, also within other sites."""

from billycan import Every, Manifest, Route

from .booking import remove_request, request_page, requests_to_remove
from .deposits import deposits_due, request_deposit
from .handlers import get_booking_page, update_booking_page
from .neighbours import hears
from .pages import ServicesPage, TimesPage
from .settings_page import screens
from .tables import pages, requests

manifest = Manifest(
    name="booking_pages",
    requires=("bookings", "contacts", "hosted", "mail", "staff", "users"),
    uses=("invoices", "jobs"),
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
    hears=hears,
    tasks=(
        Every(seconds=2, due=deposits_due, run=request_deposit, real_time=True),
        Every(seconds=600, due=requests_to_remove, run=remove_request, real_time=True),
    ),
    codes={"too_many_holds": (429, "A visitor of a booking page holds five times: book one of them, or wait.")},
)
