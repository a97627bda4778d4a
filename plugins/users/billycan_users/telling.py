"""Emails that tell people what happened: noted with the event, and sent once by the worker."""

import hashlib
from collections.abc import Sequence
from datetime import datetime, time, timedelta
from decimal import Decimal
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import sqlalchemy as sa
from itsdangerous import BadData, URLSafeSerializer
from msgspec import Struct

from billycan import App, Context, Identity, NotFound, Unauthenticated, new_id, own
from billycan.fields import Moment
from billycan.sql import events

from . import emails, notifying
from .current_role import find_identity
from .notifying import EVENTS, HOWS, NotificationChange
from .page_request import Led, Shown, Visit
from .page_routes import Answer, Screen, page_address
from .tables import digests, untold, users

HOUR = 9
MOST_IN_DIGEST = 200
MOST_AT_ONCE = 10  # from so many waiting events on, one email tells of them all
_decode = msgspec.json.Decoder(float_hook=Decimal).decode
_HERE = "/dashboard/account/notifications"
_LEAVE = "/dashboard/unsubscribe"
_PAGES = {"proposal": "approvals", "app": "connections", "archive": "archive"}


class Happened(Struct):
    """The parts of an event's data that emails use."""

    id: str


def note_events(ctx: Context, record: Happened) -> None:
    """Note each event of the call of which people may be told. A sandbox tells nobody."""
    if not emails.can_send(ctx.app) or not _is_live(ctx):
        return
    noted: set[str] = ctx.memo.setdefault("users", set())
    for event in ctx.events:
        if event.name in EVENTS and event.id not in noted:
            noted.add(event.id)
            ctx.db.execute(sa.insert(untold).values(tenant_id=ctx.tenant_id, id=event.id, created_at=ctx.app.now()))


def to_tell(app: App, now: Moment) -> sa.Select[Any]:
    """Select the events of which nobody was told yet, oldest first."""
    return sa.select(untold.c.tenant_id, untold.c.id).where(untold.c.created_at <= now).order_by(untold.c.created_at)


def tell(ctx: Context, id: str) -> None:
    """Tell each person of an event by their rule, in the transaction that deletes it, so that it happens only once."""
    if ctx.db.execute(sa.delete(untold).where(own(ctx, untold), untold.c.id == id)).rowcount != 1:
        return  # another worker was faster
    (event,) = _load_events(ctx, [id]) or (None,)
    if event is None:
        return
    waiting = ctx.db.execute(sa.select(untold.c.id).where(own(ctx, untold)).limit(MOST_AT_ONCE)).all()
    for rule in notifying.rules_of(ctx, notifying.people_of(ctx.app, ctx.tenant_id)):
        if rule.event != event.event or rule.how == "none" or rule.user_id == event.actor:
            continue
        if event.event == "booking.created" and (event.actor or "").startswith("usr_"):
            continue  # somebody of the business made it, not the client
        is_many = len(waiting) == MOST_AT_ONCE  # as of imported payments: one email has all of them
        if rule.how == "mail" and not is_many:
            _email_person(ctx, rule.user_id, [event])
        else:
            due_at = ctx.app.now() if rule.how == "mail" else _next_morning(ctx)
            row = {"tenant_id": ctx.tenant_id, "id": new_id("dig"), "user_id": rule.user_id, "event_id": id}
            ctx.db.execute(sa.insert(digests).values(**row, due_at=due_at))


def digests_due(app: App, now: Moment) -> sa.Select[Any]:
    """Select what people are to be told of this morning."""
    return sa.select(digests.c.tenant_id, digests.c.id).where(digests.c.due_at <= now).order_by(digests.c.due_at)


def send_digest(ctx: Context, id: str) -> None:
    """Send a person one email of all that they are to be told of by now."""
    due = own(ctx, digests) & (digests.c.due_at <= ctx.app.now())
    whose = sa.select(digests.c.user_id).where(due, digests.c.id == id).scalar_subquery()
    its = sa.delete(digests).where(due, digests.c.user_id == whose)
    rows = ctx.db.execute(its.returning(digests.c.id, digests.c.user_id, digests.c.event_id)).all()
    if rows:
        _email_person(ctx, rows[0].user_id, _load_events(ctx, [row.event_id for row in sorted(rows)]))


def _load_events(ctx: Context, ids: Sequence[str]) -> Sequence[Any]:
    c = events.c
    found = sa.select(c.id, c.event, c.data, c.actor).where(own(ctx, events), c.id.in_(ids[:MOST_IN_DIGEST]))
    return ctx.db.execute(found.order_by(c.sequence)).all()


def _email_person(ctx: Context, user_id: str, told: Sequence[Any]) -> None:
    """Email a person about the events that their role may read now; do nothing if there are none or the person left."""
    try:
        identity = find_identity(ctx.app, ctx.tenant_id, user_id)
    except Unauthenticated:
        return
    seen = [line for event in told if (line := _describe_event(ctx.acting_as(identity), identity, event))]
    if not seen:
        return
    address = ctx.db.execute(sa.select(users.c.email).where(users.c.id == user_id)).scalar_one()
    name = ctx.tenant.name
    subject = seen[0][0] if len(seen) == 1 else f"{len(seen)} notifications"
    text = "\n\n".join("\n".join(line) for line in seen)
    of_event = told[0].event if len(told) == 1 else ""
    token = str(_token_serializer(*ctx.app.secrets).dumps([ctx.tenant_id, user_id, of_event]))
    leave = page_address(ctx.app, f"{_LEAVE}/{token}")
    text += f"\n\nYou get this email because you have access to {name}. To stop such emails, open this page:\n{leave}\n"
    emails.send(ctx.app, ctx.db, to=address, subject=f"{subject} · {name}", text=text)


def _describe_event(ctx: Context, identity: Identity, event: Any) -> tuple[str, str] | None:
    """Describe what happened, with the page to look at; None if the person may not read it."""
    data, kind = _decode(event.data), event.event.partition(".")[0]
    if not identity.holds(ctx.app.scope_of(event.event)) or not ctx.may_see(data["id"]):
        return None
    amount = next((data[name] for name in ("amount_due", "amount", "total") if data.get(name) is not None), None)
    shown = [notifying.shown_name(data), "" if amount is None or ctx.hides_amounts else f"${amount:,.2f}"]
    path = ctx.app.prefixes.get(data["id"].partition("_")[0], "")
    page = _PAGES.get(kind) or path.removeprefix("/v1/") + f"/{data['id']}"
    said = ", ".join(filter(None, shown))
    return f"{EVENTS[event.event]}{f': {said}' if said else ''}", page_address(ctx.app, f"/dashboard/{page}")


def _next_morning(ctx: Context) -> Moment:
    """Return the next 09:00 of the business."""
    local = ctx.app.now().astimezone(ZoneInfo(ctx.tenant.timezone))
    day = local.date() + timedelta(days=local.hour >= HOUR)
    return Moment.of(datetime.combine(day, time(HOUR), local.tzinfo))


def _is_live(ctx: Context) -> bool:
    return ctx.app.tenants.business_of(ctx.app.db, ctx.tenant_id) == ctx.tenant_id


def show_notifications(visit: Visit) -> Answer:
    """Show how the visitor is told of what happens in the business shown."""
    with visit.reading() as ctx:
        found = notifying.rules_of(ctx, _visitor_with_role(visit))
    return Shown("users/notifications.html", {"rules": found, "words": EVENTS, "can_send": emails.can_send(visit.app)})


def change_notifications(visit: Visit) -> Answer:
    """Store how the visitor wants to be told."""
    with visit.writing() as ctx:
        for rule in notifying.rules_of(ctx, _visitor_with_role(visit)):
            how: Any = visit.form.get(rule.event.replace(".", "_"), rule.how)
            if how in HOWS and how != rule.how:
                notifying.update_notification_rule(ctx, rule.id, NotificationChange(how=how))
    return Led(_HERE, "Your choices were saved.")


def _visitor_with_role(visit: Visit) -> list[tuple[str, Any]]:
    return [(visit.session.user_id, visit.session.role)]


def show_unsubscribe(visit: Visit, token: str) -> Answer:
    """Ask whether to stop these emails. Mail scanners open every link, so this changes nothing."""
    _, _, event = _read_token(visit.app, token)
    return Shown("users/unsubscribe.html", {"what": EVENTS.get(event, ""), "done": visit.query.get("done") == "yes"})


def unsubscribe(visit: Visit, token: str) -> Answer:
    """Stop a person's emails about the event that a link names, or about all events if it names none."""
    tenant_id, user_id, event = _read_token(visit.app, token)
    ctx = Context(visit.app, tenant_id, request_id=visit.request_id)
    with ctx.transaction():
        people = [each for each in notifying.people_of(ctx.app, tenant_id) if each[0] == user_id]
        for rule in notifying.rules_of(ctx, people):
            if rule.event == event or not event:
                notifying.update_notification_rule(ctx, rule.id, NotificationChange(how="none"))
    return Led(f"{_LEAVE}/{token}?done=yes")


def _read_token(app: App, token: str) -> tuple[str, str, str]:
    try:
        tenant_id, user_id, event = _token_serializer(*app.secrets).loads(token)
    except (BadData, ValueError):
        raise NotFound from None
    return tenant_id, user_id, event


@cache
def _token_serializer(*secrets: str) -> URLSafeSerializer:
    return URLSafeSerializer(secrets, salt="told no more", signer_kwargs={"digest_method": hashlib.sha256})


screens = (
    Screen(_HERE, show_notifications, change_notifications, role="field"),
    Screen(f"{_LEAVE}/{{token}}", show_unsubscribe, unsubscribe, role=None, anybody=True, per_minute=60),
)
