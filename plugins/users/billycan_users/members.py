"""The pages of who may enter a business."""

from collections.abc import Callable
from typing import Any, get_args

from billycan import Context, Fault, Invalid, NotFound
from billycan.fields import Email

from . import attempts, letters, makers, people, rules, sessions
from .makers import Made
from .people import Business
from .reading import checked
from .rules import Role
from .screens import Answer, Screen, address
from .tables import sessions as table
from .visits import Led, Shown, Visit

_HERE = "/dashboard/people"


def show_people(visit: Visit) -> Answer:
    with visit.app.db.reading() as db:
        live = people.live_of(db, visit.tenant_id)
        members = people.members(db, live)
    made = makers.list_by_maker(visit.app, live)
    named = [(role, f"{role.capitalize()}: {rules.WORDS[role].lower()}") for role in reversed(rules.ROLES)]
    return Shown("users/people.html", {"members": members, "roles": named, "made": made, "live": live})


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
        if is_inside := people.has_role(db, live, user_id):  # whoever is in the business has the role at once
            makers.revoke_beyond(db, app, live, user_id, role, by)
        link = address(app, f"/dashboard/join/{token}")
        name = _name(visit)
        text = f"You have been invited to {name}. This link lets you in; it works once, within 72 hours:\n\n{link}\n"
        letters.send(app, db, to=email, subject=f"You are invited to {name}", text=text)
    if is_inside:
        makers.end_beyond(app, live, user_id, role, (), _contexts(visit))
    app.epoch.bump()
    # Whoever has the link can tell whether there is an account, and set one up: it is only the address's.
    return Led(_HERE, f"The invitation is on its way to {email}.") if has_mail else visit.reveal(_HERE, link)


def change_member(visit: Visit, id: str) -> Answer:
    app, removes = visit.app, visit.form.get("remove") == "yes"
    role = None if removes else _role(visit.form.get("role"))
    keep, ended, context_of = visit.form.get("keep", "").split(), list[Made](), _contexts(visit)
    with app.db.writing() as db:
        live = people.live_of(db, visit.tenant_id)
        was_inside = people.change_role(db, live, id, role, by=visit.session.user_id)
        if was_inside:
            ended += makers.revoke_beyond(db, app, live, id, role, visit.session.user_id, keep)
        if removes and was_inside:
            sessions.end(db, table.c.user_id == id)
    if removes and not was_inside:
        return Led(_HERE, "The invitation is withdrawn.")
    ended += makers.end_beyond(app, live, id, role, keep, context_of)
    if ended:
        app.epoch.bump()
    said = "The person is removed, and signed out everywhere." if removes else "The role is changed."
    return Led(_HERE, said + makers.told(ended))


def show_leave(visit: Visit, id: str) -> Answer:
    """The page on which somebody leaves a business, and sees what ends with it."""
    made = makers.list_by_maker(visit.app, _own(visit, id).id).get(visit.session.user_id, [])
    return Shown("users/leave.html", {"business": _own(visit, id), "made": made})


def leave(visit: Visit, id: str) -> Answer:
    """Take the visitor out of a business, with all that they set up there. Raise Conflict for its only owner.

    They choose nothing that stays: whoever leaves must not keep a key of the business.
    """
    app, user_id, business = visit.app, visit.session.user_id, _own(visit, id)
    context_of = visit.contexts_of(business)
    with app.db.writing() as db:
        people.change_role(db, business.id, user_id, None)
        ended = makers.revoke_beyond(db, app, business.id, user_id, None, user_id)
    ended += makers.end_beyond(app, business.id, user_id, None, (), context_of)
    app.epoch.bump()
    return Led("/dashboard/businesses", f"You have left {business.name}.{makers.told(ended)}")


def _own(visit: Visit, id: str) -> Business:
    """One of the visitor's businesses, by its live id. Raise NotFound for any other."""
    found = next((business for business in visit.businesses() if business.id == id), None)
    if found is None:
        raise NotFound
    return found


def _contexts(visit: Visit) -> Callable[[str], Context]:
    """Contexts of the visitor's in the business that they look at."""
    return visit.contexts_of(next(b for b in visit.businesses() if visit.tenant_id in (b.id, b.sandbox_id)))


def _name(visit: Visit) -> str:
    """What the business is called that the visitor looks at."""
    return next((b.name for b in visit.businesses() if visit.tenant_id in (b.id, b.sandbox_id)), "a business")


def _role(text: str | None) -> Any:
    if text not in get_args(Role):
        raise Invalid.of(Fault("role", "invalid_value", "is not a role"))
    return text


screens = (
    Screen(_HERE, show_people, invite, role="owner", proof=True, nav="People", group="Business"),
    Screen("/dashboard/businesses/{id}/leave", show_leave, leave, role=None, proof=True),
    Screen(f"{_HERE}/{{id}}", post=change_member, role="owner", proof=True, on=_HERE),
)
