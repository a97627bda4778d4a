"""Links to feeds: made, listed and revoked by their person, and looked up by their secret."""

import logging
from collections.abc import Sequence
from datetime import timedelta

import sqlalchemy as sa

from billycan import App, Conflict, Context, Identity, Invalid, NotFound, Row, Unauthenticated, new_id, own
from billycan.fields import Moment

from .tables import links

PATH = "/calendar/"
MOST = 10  # links of a person in a business
_START = "ics_"
_NOTED = timedelta(hours=1)
_MOST_NOTING_SECONDS = 0.1
_SCOPES = ("read",)  # of what the person's role allows, a feed only reads
log = logging.getLogger("billycan.feeds")


def add_link(ctx: Context, business_id: str, user_id: str, name: str) -> str:
    """Add a link to a person's feed and return its secret, which is stored as a digest. The caller is that person."""
    if not (name := " ".join(name.split())) or len(name) > 100:
        raise Invalid.member("name", "required" if not name else "too_long", "must have 1 to 100 characters")
    ctx.take_turns()  # or two forms at once could make one link too many
    if len(list_links(ctx, user_id)) >= MOST:
        raise Conflict(f"You have {MOST} links already: revoke one that you no longer use.", code="too_many_links")
    secret = Identity.Secret.new(_START)
    values = {"id": new_id("ics"), "digest": Identity.Secret.digest(secret), "created_at": ctx.app.now()}
    of = {"tenant_id": ctx.tenant_id, "business_id": business_id, "user_id": user_id, "name": name}
    ctx.db.execute(sa.insert(links).values(**values, **of))
    return secret


def list_links(ctx: Context, user_id: str) -> Sequence[Row]:
    """List a person's links, oldest first."""
    return ctx.db.execute(
        sa.select(links).where(own(ctx, links), links.c.user_id == user_id).order_by(links.c.id)
    ).all()


def revoke_link(ctx: Context, user_id: str, id: str) -> None:
    """End a link from the next request on. Raise NotFound unless it is this person's."""
    mine = own(ctx, links) & (links.c.user_id == user_id) & (links.c.id == id)
    if ctx.db.execute(sa.delete(links).where(mine)).rowcount != 1:
        raise NotFound


def find_reader(app: App, secret: str) -> Identity:
    """Return the person whose link this is, with what their role lets them read now. Raise NotFound if it has ended."""
    if not Identity.Secret.is_well_formed(secret, _START):
        raise NotFound
    with app.db.reading(across="only the secret says whose it is") as db:
        row = db.execute(sa.select(links).where(links.c.digest == Identity.Secret.digest(secret))).first()
    if row is None:
        raise NotFound
    try:
        identity = Identity.later(app, row.tenant_id, row.user_id, _SCOPES)
    except Unauthenticated:
        raise NotFound from None
    _note_reading(app, row, app.now())
    return identity


def _note_reading(app: App, row: Row, now: Moment) -> None:
    """Store when a link was last read, to the hour, so that its person sees which are in use."""
    if row.read_at is not None and abs(now - row.read_at) < _NOTED:
        return
    try:
        with app.db.noting(_MOST_NOTING_SECONDS) as db:
            this = (links.c.tenant_id == row.tenant_id) & (links.c.id == row.id)
            db.execute(sa.update(links).where(this).values(read_at=now))
    except sa.exc.SQLAlchemyError as error:
        log.warning("could not note that a calendar feed was read: %s", type(error).__name__)
