"""Structs that clients send and receive: the booking page, and what its visitors enter."""

import re
from typing import Annotated

from msgspec import Meta, Struct, field

from billycan import RuleBroken
from billycan.fields import Email, Id, Moment, Name, Percent, Phone, Text

MOST_SITES = 10
_NAME = re.compile(r"^[a-z0-9]+(-[a-z0-9]+)*$")
_SITE = re.compile(r"^https://[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?$")


def _read_name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise RuleBroken("invalid_value", "must have small letters, digits and single hyphens between them")
    return text


def _read_site(text: str) -> str:
    if not _SITE.fullmatch(text):
        raise RuleBroken("invalid_value", "must be a site such as https://www.example.com, without a path")
    return text


PageName = Annotated[
    str,
    Text(
        "The end of its address: 3 to 60 small letters, digits and single hyphens.",
        least=3,
        most=60,
        pattern=_NAME.pattern,
        check=_read_name,
    ),
]
Site = Annotated[
    str,
    Text(
        "A site such as `https://www.example.com`, without a path.",
        least=9,
        most=200,
        pattern=_SITE.pattern,
        check=_read_site,
    ),
]
Introduction = Annotated[str, Text("A few words at the top of the page.", least=1, most=500)]


class NewBookingPage(Struct, forbid_unknown_fields=True, kw_only=True):
    """The page on which clients book.

    active: Whether the page can be opened.
    name: The end of its address, `/b/<name>`; no other business of the deployment has it.
    introduction: A few words at the top of the page.
    service_ids: The services that can be booked there, in this order; their own rules say when.
    offers_staff: Whether clients choose with whom, among those who are free.
    shows_prices: Whether the services' prices are shown, including GST.
    confirms_email: Whether a client confirms the email address before the booking is made.
    cancel_notice_minutes: Until how long before the start a client can move or cancel the booking by the link.
    deposit_percent: So much of a service's price is asked for as a deposit once the booking is confirmed.
    embedded_in: Sites that may show the page in a frame.
    """

    active: bool = False
    name: PageName | None = None
    introduction: Introduction | None = None
    service_ids: Annotated[list[Id], Meta(max_length=50)] = field(default_factory=list)
    offers_staff: bool = False
    shows_prices: bool = True
    confirms_email: bool = True
    cancel_notice_minutes: Annotated[int, Meta(ge=0, le=366 * 24 * 60)] = 24 * 60
    deposit_percent: Percent | None = None
    embedded_in: Annotated[list[Site], Meta(max_length=MOST_SITES)] = field(default_factory=list)


class BookingPage(Struct, kw_only=True):
    """The page on which clients book, as it is shown.

    active: Whether the page can be opened.
    name: The end of its address.
    url: Its address; null while it has no name.
    introduction: A few words at the top of the page.
    service_ids: The services that can be booked there.
    offers_staff: Whether clients choose with whom.
    shows_prices: Whether the services' prices are shown.
    confirms_email: Whether a client confirms the email address before the booking is made.
    cancel_notice_minutes: Until how long before the start a client can move or cancel the booking by the link.
    deposit_percent: How much of a service's price is asked for as a deposit, in percent; null for none.
    embedded_in: Sites that may show the page in a frame.
    version: Goes up by one with each change; the `ETag`, for If-Match.
    updated_at: When it was last changed.
    """

    active: bool
    name: str | None
    url: str | None
    introduction: str | None
    service_ids: list[str]
    offers_staff: bool
    shows_prices: bool
    confirms_email: bool
    cancel_notice_minutes: int
    deposit_percent: Percent | None
    embedded_in: list[str]
    version: int
    updated_at: Moment | None


class Details(Struct, forbid_unknown_fields=True, kw_only=True):
    """The details that a visitor enters.

    name: Their name.
    email: Where the confirmation goes.
    phone: How to reach them.
    notes: What the business should know.
    """

    name: Name
    email: Email
    phone: Phone | None = None
    notes: Annotated[str, Text("What the business should know: at most 2,000 characters.", most=2_000)] | None = None
