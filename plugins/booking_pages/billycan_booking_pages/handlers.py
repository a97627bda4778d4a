"""Handlers of the booking page: one function for each route."""

from typing import Any

import sqlalchemy as sa
from msgspec.structs import asdict

from billycan import Context, Fault, Invalid, Patch, own
from billycan.sql import upsert
from billycan_bookings import api as bookings
from billycan_mail.api import can_send

from .schemas import BookingPage, NewBookingPage
from .tables import pages

PATH = "/b/"
_ID = "booking_page"
_COLUMNS = NewBookingPage.__struct_fields__


def get_booking_page(ctx: Context) -> BookingPage:
    """The page on which clients book.

    It is off until you set `active`.
    """
    return load_page(ctx)


def update_booking_page(ctx: Context, body: Patch[NewBookingPage]) -> BookingPage:
    """Change the page on which clients book, or turn it on or off.

    An active page has a name and at least one service. `confirms_email` needs a deployment that sends mail.
    """
    ctx.take_turns()  # two first changes at once would find no row to lock
    stored = load_page(ctx, lock=True)
    ctx.check_version(stored.version)
    before = {name: getattr(stored, name) for name in _COLUMNS}
    after = body.over(before)
    columns: dict[str, Any] = asdict(after)
    if columns == before:
        return stored
    _check_page(ctx, after)
    columns |= {"version": stored.version + 1, "updated_at": ctx.now()}
    written = upsert(pages, ctx.db).values(tenant_id=ctx.tenant_id, id=_ID, **columns)
    try:
        with ctx.db.begin_nested():
            ctx.db.execute(written.on_conflict_do_update(index_elements=["tenant_id", "id"], set_=columns))
    except sa.exc.IntegrityError:
        raise Invalid.member("name", "invalid_value", "is taken: choose another") from None
    return load_page(ctx)


def load_page(ctx: Context, *, lock: bool = False) -> BookingPage:
    """Return the business's booking page; the defaults if it never set one up."""
    query = sa.select(pages).where(own(ctx, pages))
    row = ctx.db.execute(query.with_for_update() if lock else query).first()
    if row is None:
        found = asdict(NewBookingPage(confirms_email=can_send(ctx.app)))
        return BookingPage(**found, url=None, version=0, updated_at=None)
    url = f"{ctx.app.public_url}{PATH}{row.name}" if row.name else None
    columns = {name: getattr(row, name) for name in _COLUMNS}
    return BookingPage(**columns, url=url, version=row.version, updated_at=row.updated_at)


def _check_page(ctx: Context, page: NewBookingPage) -> None:
    """Raise Invalid for services that there are not, and for what an active page lacks."""
    known = bookings.service_names(ctx, page.service_ids)
    faults = [
        Fault(f"service_ids[{i}]", "not_found", "there is no such record")
        for i, id in enumerate(page.service_ids)
        if id not in known
    ]
    faults += [
        Fault(f"service_ids[{i}]", "invalid_value", "appears twice")
        for i, id in enumerate(page.service_ids)
        if id in page.service_ids[:i]
    ]
    if page.active and not page.name:
        faults.append(Fault("name", "required", "is required for an active page"))
    if page.active and not page.service_ids:
        faults.append(Fault("service_ids", "required", "must name at least one service for an active page"))
    if page.active and page.confirms_email and not can_send(ctx.app):
        message = "must be false: this deployment sends no mail"
        faults.append(Fault("confirms_email", "invalid_value", message))
    if page.deposit_percent and not (ctx.has("jobs") and ctx.has("invoices")):
        message = "must be null: deposits need the plugins jobs and invoices"
        faults.append(Fault("deposit_percent", "invalid_value", message))
    if faults:
        raise Invalid.of(*faults)
