"""The pages of API keys: made here, shown once, revoked at once."""

import base64
import hashlib
from datetime import date, timedelta
from typing import Annotated, Any

from msgspec import Struct

from billycan import Fault, Invalid
from billycan.fields import Day, Moment, Name, Whole
from billycan.web import encode
from billycan_users.api import (
    Answer,
    Led,
    Screen,
    Sent,
    Shown,
    Visit,
    mounted,
    names_of_people,
    page_address,
    read_field,
)

_HERE = "/dashboard/keys"
_WHOLE = Annotated[int, Whole()]


class Key(Struct, frozen=True):
    """A key as its list shows it."""

    id: str
    name: str | None
    hint: str
    scopes: list[str]
    state: str
    created_at: Moment
    last_used_at: Moment | None
    expires_at: Moment | None
    per_minute: int
    made_by: str
    revoked_by: str


def list_keys(visit: Visit) -> Answer:
    app = visit.app
    with visit.reading() as ctx:
        rows = ctx.app.keys.list(ctx)
    with app.db.reading() as db:
        who = names_of_people(db, {id for row in rows for id in (row.made_by, row.revoked_by) if id})
    now = app.now()

    def state(row: Any) -> str:
        if row.revoked_at:
            return "revoked"
        return "expired" if row.expires_at and row.expires_at <= now else "active"

    found = [
        Key(
            row.id,
            row.name,
            row.hint,
            row.scopes,
            state(row),
            row.created_at,
            row.last_used_at,
            row.expires_at,
            _per_minute(visit, row),
            who.get(row.made_by, row.made_by or ""),
            who.get(row.revoked_by, row.revoked_by or ""),
        )
        for row in rows
    ]
    values = {
        "keys": [key for key in found if key.state == "active"],
        "over": [key for key in found if key.state != "active"],
        "resources": resources(visit),
        "defaults": app.settings,
        "url": app.public_url,
        "header": "Authorization: Bearer",
        "dashboard": page_address(app),
    }
    return Shown("dashboard/keys.html", values)


def _per_minute(visit: Visit, row: Any) -> int:
    """Return the number of requests a minute that a key may make."""
    given = visit.app.settings
    own = row.per_minute or given.per_minute, row.per_second or given.per_second
    return visit.app.ceilings.in_force(visit.tenant_id, *own)[0]


def resources(visit: Visit) -> list[tuple[str, list[str]]]:
    """List the scopes that the visitor may give a key: each resource's name, and `read`, `write` or both."""
    found: dict[str, set[str]] = {}
    for endpoint in visit.app.endpoints:
        if endpoint.route.scope and visit.identity.holds(endpoint.route.scope):
            name, _, verb = endpoint.route.scope.partition(":")
            found.setdefault(name, set()).add(verb)
    return [(name, sorted(verbs)) for name, verbs in sorted(found.items())]


def make_key(visit: Visit) -> Answer:
    """Make a key of this environment, which may do no more than who makes it, and who sees it once."""
    form, app = visit.form, visit.app
    scopes = _chosen_scopes(visit)
    given: dict[str, Any] = {"name": read_field(Name, "name", form.get("name", ""))}
    if text := form.get("expires_on"):
        day_after: date = read_field(Day, "expires_on", text) + timedelta(days=1)
        given["expires_at"] = Moment.of(Moment.start_of(day_after, visit.session.zone) - timedelta(seconds=1))
        if given["expires_at"] <= app.now():
            raise Invalid.of(Fault("expires_on", "invalid_value", "must be in the future"))
    # A business may give its key less than the deployment does, and only the operator more.
    for member, most in (("per_minute", app.settings.per_minute), ("per_second", app.settings.per_second)):
        if text := form.get(member):
            number = read_field(_WHOLE, member, int(text) if text.isdecimal() and len(text) < 10 else text)
            if not 1 <= number <= most:
                raise Invalid.of(Fault(member, "out_of_range", f"must be from 1 to {most:,}"))
            given[member] = number
    with app.db.writing() as db:
        visit.check_scopes(db, scopes)
        _, key = app.keys.create(db, visit.tenant_id, scopes, app.now(), made_by=visit.session.user_id, **given)
    return visit.reveal(_HERE, key)


def _chosen_scopes(visit: Visit) -> list[str]:
    everything, ticked = visit.form.get("everything", ""), visit.form.get("scope", "").split()
    if everything in ("read", "write"):
        if ticked:
            said = "must be “Only what is ticked below”, as you ticked resources; otherwise untick them"
            raise Invalid.of(Fault("everything", "invalid_value", said))
        return [*visit.identity.scopes] if everything == "write" else ["read"]
    known = {f"{name}:{verb}" for name, verbs in resources(visit) for verb in verbs}
    chosen = [scope for scope in ticked if scope in known]
    if not chosen:
        raise Invalid.of(Fault("scope", "required", "must name at least one thing that the key may do"))
    return chosen


def revoke_key(visit: Visit, id: str) -> Answer:
    with visit.writing() as ctx:
        ctx.app.keys.revoke_own(ctx, id)
    return Led(_HERE, "The key is revoked: it is refused from now on.")


def offer_to_explorer(visit: Visit) -> Answer:
    """Send the token that the explorer needs to create a key; only a page of this site can read it."""
    return Sent(encode({"token": visit.token}), "application/json")


def make_for_explorer(visit: Visit) -> Answer:
    """A key of the business's sandbox for a day, in place of the one that the visitor's explorer had before."""
    app, here = visit.app, visit.tenant_id
    sandbox = next(each.sandbox_id for each in visit.businesses() if here in (each.id, each.sandbox_id))
    expires = Moment.of(app.now() + timedelta(days=1))
    user_id = visit.session.user_id
    only: dict[str, Any] = {"made_by": user_id, "instead_of": _of_explorer(user_id, sandbox), "expires_at": expires}
    with app.db.writing() as db:
        visit.check_scopes(db, visit.identity.scopes)
        _, key = app.keys.create(db, sandbox, [*visit.identity.scopes], app.now(), name="Explorer", **only)
    app.epoch.bump()  # the one before is refused at once
    return Sent(encode({"key": key}), "application/json")


def _of_explorer(user_id: str, sandbox_id: str) -> str:
    """The id of the one key that somebody's explorer has in a sandbox, so that clicks do not fill the list."""
    digest = hashlib.sha256(f"explorer {user_id} {sandbox_id}".encode()).digest()
    return f"key_{base64.b32hexencode(digest).decode()[:26].lower()}"


screens = mounted(
    Screen(_HERE, list_keys, make_key, role="developer", proof=True, nav="API keys", group="Developers"),
    Screen(f"{_HERE}/{{id}}/revoke", post=revoke_key, role="developer", proof=True, on=_HERE),
    Screen(f"{_HERE}/explorer", offer_to_explorer, make_for_explorer, role="developer"),
)
