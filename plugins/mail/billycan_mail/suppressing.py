"""Suppressed addresses: those that failed, unsubscribed, or that the business added."""

from collections.abc import Sequence

import sqlalchemy as sa

from billycan import Conflict, Context, Deleted, Page, Records, own
from billycan.sql import fold

from .schemas import Covers, NewSuppressedAddress, Reason, SuppressedAddress, SuppressedQuery
from .tables import recipients, suppressed


def _match_addresses(ctx: Context, addresses: Sequence[str]) -> sa.ColumnElement[bool]:
    return suppressed.c.address_folded.in_([fold(address) for address in addresses])


_records = Records(suppressed, SuppressedAddress, prefix="sup", filters={"address": _match_addresses})


def list_suppressed(ctx: Context, query: SuppressedQuery) -> Page[SuppressedAddress]:
    """The addresses that the business does not write to.

    An address that its mail server refused is added by itself.
    """
    return _records.page(ctx, query)


def get_suppressed(ctx: Context, id: str) -> SuppressedAddress:
    """One address that the business does not write to.

    `reason` and `detail` say why.
    """
    return _records.get(ctx, id)


def add_suppressed(ctx: Context, body: NewSuppressedAddress) -> SuppressedAddress:
    """Never write to an address, or send it no reminders.

    Refused with `already_suppressed` if it is on the list. Emits `suppressed_address.created`.
    """
    if _is_listed(ctx, body.address, body.covers):
        raise Conflict("The address is on the list already.", code="already_suppressed")
    return _emit_created(ctx, _records.add(ctx, body, reason="added", detail=None, email_id=None))


def delete_suppressed(ctx: Context, id: str) -> Deleted:
    """Write to an address again.

    Make sure that it works now: repeated failures harm how all mail of the deployment is received. Emits
    `suppressed_address.deleted`.
    """
    deleted = _records.remove(ctx, id)
    ctx.emit("suppressed_address.deleted", deleted)
    return deleted


def suppress(
    ctx: Context, address: str, covers: Covers, reason: Reason, detail: str | None = None, email_id: str | None = None
) -> None:
    """Add an address to the list unless it is there already. Call it under the lock of an email."""
    if _is_listed(ctx, address, covers):
        return
    values = {"address": address, "covers": covers, "reason": reason, "detail": detail, "email_id": email_id}
    try:
        with ctx.db.begin_nested():
            row = _records.insert(ctx, **values, metadata={})
    except sa.exc.IntegrityError:
        return  # another message to it failed at the same moment
    _emit_created(ctx, _records.show(ctx, [row])[0])


def suppressed_among(ctx: Context, addresses: Sequence[str], *, reminder: bool) -> set[str]:
    """Return those of the addresses that are suppressed, folded."""
    found = sa.select(suppressed.c.address_folded).where(own(ctx, suppressed), _match_addresses(ctx, addresses))
    return set(ctx.db.execute(found.where(_match_kind(reminder=reminder))).scalars())


def skip_suppressed(db: sa.Connection, tenant_id: str, email_id: str, *, reminder: bool) -> None:
    """Remove recipients who were suppressed after the email was queued."""
    r = recipients.c
    listed = sa.select(suppressed.c.address_folded).where(suppressed.c.tenant_id == tenant_id)
    waiting = (r.tenant_id == tenant_id) & (r.email_id == email_id) & (r.status == "waiting")
    mine = waiting & r.address_folded.in_(listed.where(_match_kind(reminder=reminder)))
    db.execute(sa.update(recipients).where(mine).values(status="suppressed"))


def _match_kind(*, reminder: bool) -> sa.ColumnElement[bool]:
    return suppressed.c.covers.in_(["everything", "reminders"] if reminder else ["everything"])


def _is_listed(ctx: Context, address: str, covers: Covers) -> bool:
    this = own(ctx, suppressed) & (suppressed.c.address_folded == fold(address)) & (suppressed.c.covers == covers)
    return ctx.db.execute(sa.select(suppressed.c.id).where(this)).first() is not None


def _emit_created(ctx: Context, shown: SuppressedAddress) -> SuppressedAddress:
    ctx.emit("suppressed_address.created", shown)
    return shown
