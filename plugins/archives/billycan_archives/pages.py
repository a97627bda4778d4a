"""The page on which an owner has everything of the business put into one file, and downloads it."""

import hashlib
from datetime import timedelta
from functools import cache

from itsdangerous import BadData, URLSafeSerializer

from billycan import Context, NotFound
from billycan_attachments.api import open_stored
from billycan_users.api import Answer, Led, Screen, Sent, Shown, Visit, can_send, live_of, mounted

from . import records

LINK = timedelta(minutes=15)
_HERE = "/dashboard/archive"


def show_archive(visit: Visit) -> Answer:
    ctx = _live_context(visit)
    with visit.app.db.reading(ctx.tenant_id) as ctx.db:
        making, made = (records.newest_archive(ctx, finished=finished) for finished in (False, True))
    values = {
        "making": making,
        "made": made if records.can_be_sent(visit.app, made) else None,
        "fault": made.fault if made and made.expires_at > visit.app.now() else None,
        "days": records.KEPT.days,
        "minutes": LINK // timedelta(minutes=1),
        "tells": can_send(visit.app),
    }
    return Shown("archives/archive.html", values)


def ask_for_archive(visit: Visit) -> Answer:
    """Queue the file; the worker makes it."""
    ctx = _live_context(visit)
    with ctx.transaction():
        records.queue_archive(ctx, visit.session.user_id)
    told = ": all owners get an email once it is ready" if can_send(visit.app) else ""
    return Led(_HERE, f"The file is being made. You can leave this page{told}.")


def make_link(visit: Visit) -> Answer:
    """Lead to a link of the visitor's own, which expires."""
    ctx = _live_context(visit)
    with visit.app.db.reading(ctx.tenant_id) as ctx.db:
        made = records.newest_archive(ctx, finished=True)
    if made is None or not records.can_be_sent(visit.app, made):
        return Led(_HERE, "The file is no longer there: have it made again.", "warn")
    until = (visit.app.now() + LINK).timestamp()
    token = _link_serializer(*visit.app.secrets).dumps([made.id, visit.session.user_id, until])
    return Led(f"{_HERE}/file/{token}")


def send_archive(visit: Visit, token: str) -> Answer:
    """Send the file to the owner that the link was made for, until it expires."""
    try:
        id, user_id, until = _link_serializer(*visit.app.secrets).loads(token)
    except (BadData, ValueError):
        raise NotFound from None
    ctx = _live_context(visit)
    with visit.app.db.reading(ctx.tenant_id) as ctx.db:
        made = records.newest_archive(ctx, finished=True)
    if made is None or made.id != id or not records.can_be_sent(visit.app, made) or user_id != visit.session.user_id:
        raise NotFound
    if until <= visit.app.now().timestamp():
        return Led(_HERE, "That link has expired: download the file from here.", "warn")
    try:
        pieces = open_stored(visit.app, ctx.tenant_id, id)
    except FileNotFoundError:
        raise NotFound from None
    name = f"{ctx.tenant_id}-{made.finished_at.date()}.zip"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Content-Length": str(made.bytes)}
    return Sent(pieces, "application/zip", {**headers, "Cache-Control": "no-store"})


def _live_context(visit: Visit) -> Context:
    """Return the visitor's context in the live business, whichever environment is shown."""
    with visit.app.db.reading() as db:
        live = live_of(db, visit.tenant_id)
    return Context(
        visit.app, live, visit.identity_at(live, "live", visit.session.role or ""), request_id=visit.request_id
    )


@cache
def _link_serializer(*secrets: str) -> URLSafeSerializer:
    return URLSafeSerializer(secrets, salt="a business's archive", signer_kwargs={"digest_method": hashlib.sha256})


screens = mounted(
    Screen(_HERE, show_archive, ask_for_archive, role="owner", proof=True, nav="Download everything", group="Business"),
    Screen(f"{_HERE}/link", post=make_link, role="owner", proof=True, on=_HERE),
    Screen(f"{_HERE}/file/{{token}}", send_archive, role="owner"),
)
