"""People's rules for emails about events: at once, in a digest the next morning, or not at all."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args

import sqlalchemy as sa
from msgspec import Struct

from billycan import App, Context, NotFound, own
from billycan.sql import upsert

from .current_role import identity_of
from .people import live_of
from .rules import Role
from .tables import notification_rules, roles

How = Literal["mail", "daily", "none"]
HOWS: tuple[How, ...] = get_args(How)
# The order gives the rules their ids: add at the end.
EVENTS: Mapping[str, str] = {
    "quote.accepted": "A quote was accepted",
    "quote.declined": "A quote was declined",
    "payment.recorded": "A payment was recorded",
    "booking.created": "A booking was made",
    "booking.cancelled": "A booking was cancelled",
    "email.failed": "An email could not be delivered",
    "invoice.overdue": "An invoice is overdue",
    "app.connected": "An app was given access",
    "proposal.created": "An agent waits for approval",
    "archive.ready": "A file with everything of the business is ready",
}
_MAILED = {"quote.accepted", "quote.declined", "booking.created", "email.failed", "app.connected"}
_BY_DEFAULT: Mapping[str, set[str]] = {"owner": {*_MAILED, "proposal.created", "archive.ready"}, "office": _MAILED}


class NotificationRule(Struct):
    """A person's rule for emails about an event.

    id: Its id, the same for as long as the person is in the business.
    user_id: The person.
    event: The event, such as `quote.accepted`.
    how: By an email at once (`mail`), in a digest the next morning (`daily`), or not at all (`none`).
    """

    id: str
    user_id: str
    event: str
    how: How


class NotificationChange(Struct, forbid_unknown_fields=True, kw_only=True):
    """The new rule of a person for emails about an event.

    how: `mail`, `daily` or `none`.
    """

    how: How


def default_how(role: Role, event: str) -> How:
    """Return how people with a role are notified of an event by default."""
    return "mail" if event in _BY_DEFAULT.get(role, ()) else "none"


def rule_id(user_id: str, event: str) -> str:
    """Return the id of a rule, whether it is stored or the default."""
    return f"ntr_{user_id.partition('_')[2]}{[*EVENTS].index(event):02}"


def rules_of(ctx: Context, people: Iterable[tuple[str, Role]]) -> list[NotificationRule]:
    """List the rules in force for these people, given with their roles: for events that their roles may read."""
    stored = sa.select(notification_rules.c.id, notification_rules.c.how).where(own(ctx, notification_rules))
    chosen: dict[str, Any] = {row.id: row.how for row in ctx.db.execute(stored)}
    found = []
    for user_id, role in people:
        for event in _events_for(ctx, role):
            id = rule_id(user_id, event)
            found.append(NotificationRule(id, user_id, event, chosen.get(id, default_how(role, event))))
    return found


def _events_for(ctx: Context, role: Role) -> list[str]:
    """List the events that people with a role can be notified of: those of enabled plugins that they may read."""
    person = identity_of(ctx.app, ctx.tenant_id, "live", "", "", role)
    return [event for event in EVENTS if event in ctx.app.events and person.holds(ctx.app.scope_of(event))]


def people_of(app: App, tenant_id: str) -> list[tuple[str, Role]]:
    """List the people of a business with their roles, in order of their ids."""
    with app.db.reading(across="a person's role is kept with the live tenant") as db:
        live = live_of(db, tenant_id)
        found = sa.select(roles.c.id, roles.c.role).where(roles.c.tenant_id == live).order_by(roles.c.id)
        return [(row.id, row.role) for row in db.execute(found)]


def list_notification_rules(ctx: Context) -> list[NotificationRule]:
    """Each person's rules for emails about what happens in the business.

    These are the rules in force: the defaults of each role, and what people chose instead. A person is told only of
    what their role may read.
    """
    return rules_of(ctx, people_of(ctx.app, ctx.tenant_id))


def get_notification_rule(ctx: Context, id: str) -> NotificationRule:
    """One person's rule for emails about one event.

    It is the default of the person's role until somebody changes it.
    """
    people = [(user_id, role) for user_id, role in people_of(ctx.app, ctx.tenant_id) if _is_of(id, user_id)]
    found = next((rule for rule in rules_of(ctx, people) if rule.id == id), None)
    if found is None:
        raise NotFound
    return found


def update_notification_rule(ctx: Context, id: str, body: NotificationChange) -> NotificationRule:
    """Change how a person is told of an event.

    People change their own rules on the page of their account.
    """
    rule = get_notification_rule(ctx, id)
    row = {"tenant_id": ctx.tenant_id, "id": id, "user_id": rule.user_id, "how": body.how}
    stored = upsert(notification_rules, ctx.db).values(row)
    ctx.db.execute(stored.on_conflict_do_update(index_elements=["tenant_id", "id"], set_={"how": body.how}))
    rule.how = body.how
    return rule


def _is_of(id: str, user_id: str) -> bool:
    return id[:-2] == f"ntr_{user_id.partition('_')[2]}"


def shown_name(data: Mapping[str, Any]) -> str:
    """Name a record with its client: `QUO-0012 for Salamanca Bakery`."""
    names = (data.get(name) for name in ("number", "title", "subject", "name", "operation"))
    client = (data.get("client") or {}).get("name")
    return " for ".join(filter(None, (next(filter(None, names), None), client)))
