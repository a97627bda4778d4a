"""The pages of who may enter a business."""

from typing import Any, get_args

from billycan import Fault, Invalid
from billycan.fields import Email

from . import attempts, letters, makers, people, rules, sessions
from .reading import checked
from .rules import Role
from .screens import Answer, Screen, address
from .tables import sessions as table
from .visits import Led, Shown, Visit

_HERE = "/dashboard/people"


def show_people(visit: Visit) -> Answer:
    with visit.app.db.reading() as db:
        live = people.live_of(db, visit.tenant_id)
        members, keys = people.members(db, live), makers.keys_by_maker(db, visit.app, live)
    named = [(role, f"{role.capitalize()}: {rules.WORDS[role].lower()}") for role in reversed(rules.ROLES)]
    return Shown("users/people.html", {"members": members, "roles": named, "keys": keys})


def invite(visit: Visit) -> Answer:
    email = checked(Email, "email", visit.form.get("email", ""))
    role = _role(visit.form.get("role"))
    app, has_mail = visit.app, letters.can_send(visit.app)
    if has_mail:  # anybody's address may be named, and the business's name is what the letter says
        try:
            attempts.take(app, f"invitations:{visit.tenant_id}")
        except attempts.Wait as wait:
            raise Invalid(f"You sent many invitations in a short time: please try again in {wait}.") from None
    with app.db.writing() as db:
        by = visit.session.user_id
        user_id, token = people.invite(db, visit.tenant_id, email, role, app.now(), made_by=by, is_mailed_only=has_mail)
        live = people.live_of(db, visit.tenant_id)
        if people.has_role(db, live, user_id):  # whoever is in the business has the role at once
            makers.revoke_beyond(db, app, live, user_id, role, by)
        link = address(app, f"/dashboard/join/{token}")
        name = _name(visit)
        text = f"You have been invited to {name}. This link lets you in; it works once, within 72 hours:\n\n{link}\n"
        letters.send(app, db, to=email, subject=f"You are invited to {name}", text=text)
    app.epoch.bump()
    # Whoever has the link can tell whether there is an account, and set one up: it is only the address's.
    return Led(_HERE, f"The invitation is on its way to {email}.") if has_mail else visit.reveal(_HERE, link)


def change_member(visit: Visit, id: str) -> Answer:
    app, removes = visit.app, visit.form.get("remove") == "yes"
    role = None if removes else _role(visit.form.get("role"))
    revoked: list[str] = []
    with app.db.writing() as db:
        live = people.live_of(db, visit.tenant_id)
        was_inside = people.change_role(db, live, id, role)
        if was_inside and visit.form.get("revoke_keys") == "yes":
            revoked = makers.revoke_beyond(db, app, live, id, role, visit.session.user_id)
        if removes and was_inside:
            sessions.end(db, table.c.user_id == id)
    if revoked:
        app.epoch.bump()
    if removes and not was_inside:
        return Led(_HERE, "The invitation is withdrawn.")
    said = "The person is removed, and signed out everywhere." if removes else "The role is changed."
    return Led(_HERE, said + makers.told(revoked))


def _name(visit: Visit) -> str:
    """What the business is called that the visitor looks at."""
    return next((b.name for b in visit.businesses() if visit.tenant_id in (b.id, b.sandbox_id)), "a business")


def _role(text: str | None) -> Any:
    if text not in get_args(Role):
        raise Invalid.of(Fault("role", "invalid_value", "is not a role"))
    return text


screens = (
    Screen(_HERE, show_people, invite, role="owner", proof=True, nav="People", group="Business"),
    Screen(f"{_HERE}/{{id}}", post=change_member, role="owner", proof=True, on=_HERE),
)
