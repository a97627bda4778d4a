"""The links to the page of what a visitor asked for, and the emails that bring them."""

from datetime import timedelta

import sqlalchemy as sa

from billycan import Context, Row, own
from billycan.fields import Moment
from billycan_bookings import api as bookings
from billycan_hosted.api import link_url, moment
from billycan_mail import api as mail

from .tables import requests

REQUEST_PATH = "/booking/"
VISITORS, EMAILED = 1, 2  # editions of the link
MOST_REQUESTS = 5  # within a day that lead to emails to one address
_DAY = timedelta(days=1)


def request_link(ctx: Context, row: Row, edition: int = VISITORS) -> str:
    """Return the token of a link to the page of a request."""
    last_day = (row.start_at + 2 * _DAY).date()
    return link_url(ctx, REQUEST_PATH, row.id, edition, last_day).rpartition("/")[2]


def can_write(ctx: Context, email: str | None = None) -> bool:
    """Tell whether visitors are sent emails: a sandbox writes to nobody.

    An address gets none once many were asked for with it today, because anybody can enter any address.
    """
    if not mail.can_send(ctx.app) or ctx.tenant.environment != "live":
        return False
    recent = (requests.c.email == (email or "").lower()) & (requests.c.sent_at > ctx.app.now() - _DAY)
    asked = sa.select(sa.func.count()).where(own(ctx, requests), recent)
    return email is None or ctx.db.execute(asked).scalar_one() <= MOST_REQUESTS


def write(ctx: Context, row: Row, subject: str, says: str, url: str | None = None) -> None:
    """Email the visitor a link, by default to the page of the request, unless `can_write` says no."""
    if not can_write(ctx, row.email):
        return
    service = next(iter(bookings.service_names(ctx, [row.service_id]).values()), "Your booking")
    business = ctx.tenant
    reach = " or ".join(filter(None, (business.phone, business.email)))
    lines = [
        f"{service} at {business.name}",
        moment(Moment.of(row.start_at), business.timezone),
        "",
        says,
        url or f"{ctx.app.public_url}{REQUEST_PATH}{request_link(ctx, row, EMAILED)}",
        "",
        *([f"Questions? {reach}", ""] if reach else []),
        "If you did not ask for this, ignore this email.",
    ]
    mail.send(ctx.app, ctx.db, to=row.email, subject=f"{subject}: {business.name}", text="\n".join(lines))
