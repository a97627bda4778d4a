"""The pages of a business's people: list, invite, change, remove and leave."""

from collections.abc import Callable
from typing import Any, get_args

from billycan import Context, Fault, Invalid, NotFound
from billycan.fields import Email

from . import emails, key_makers, people, rules, sessions, sign_in_attempts
from .field_values import read_field
from .key_makers import SetUp
from .page_request import Led, Shown, Visit
from .page_routes import Answer, Screen, page_address
from .people import Business
from .rules import Role
from .tables import sessions as table

_HERE = "/dashboard/people"
_STAFF = "/v1/staff"


def show_people(visit: Visit) -> Answer:
    with visit.app.db.reading() as db:
        live = people.live_of(db, visit.tenant_id)
        members = people.list_members(db, live)
    made = key_makers.list_by_maker(visit.app, live)
    named = [(role, f"{role.capitalize()}: {rules.WORDS[role].lower()}") for role in rules.ROLES]
    staff = _list_staff(visit)
    values = {
        "members": members,
        "roles": named,
        "made": made,
        "live": live,
        "staff": [("", "Not a member of staff"), *((each["id"], each["name"]) for each in staff)] if staff else [],
        "works_as": {member.id: "" for member in members} | {each["user_id"]: each["id"] for each in staff},
    }
    return Shown("users/people.html", values)


def _list_staff(visit: Visit) -> list[dict[str, Any]]:
    """List the members of staff that a person can sign in as, in the environment shown; none without that plugin."""
    if ("GET", _STAFF) not in visit.app.at:
        return []
    asked = {"per_page": 100, "sort": "name", "fields": "id,name,user_id,version"}
    found: list[dict[str, Any]] = visit.call("GET", _STAFF, asked)["data"]
    return found


def _link_staff(visit: Visit, user_id: str, staff_id: str) -> None:
    """Link a person to this member of staff and to no other; to none if the id is empty."""
    for each in _list_staff(visit):
        wanted = user_id if each["id"] == staff_id else None if each["user_id"] == user_id else each["user_id"]
        if each["user_id"] != wanted:
            path = f"{_STAFF}/{each['id']}"
            visit.call("PATCH", path, body={"user_id": wanted}, version=each["version"])


def invite(visit: Visit) -> Answer:
    email = read_field(Email, "email", visit.form.get("email", ""))
    role = _read_role(visit.form.get("role"))
    app, has_mail = visit.app, emails.can_send(visit.app)
    if has_mail:  # limited, because the email could go to anybody's address
        try:
            sign_in_attempts.count_attempt(app, f"invitations:{visit.tenant_id}")
        except sign_in_attempts.Wait as wait:
            raise Invalid(f"You sent many invitations in a short time: please try again in {wait}.") from None
    with app.db.writing() as db:
        by = visit.session.user_id
        user_id, token = people.invite_person(
            db, visit.tenant_id, email, role, app.now(), made_by=by, is_mailed_only=has_mail
        )
        live = people.live_of(db, visit.tenant_id)
        if is_inside := people.has_role(db, live, user_id):  # a member has the new role at once
            key_makers.revoke_beyond(db, app, live, user_id, role, by)
        link = page_address(app, f"/dashboard/join/{token}")
        name = _business_name(visit)
        text = f"You have been invited to {name}. This link lets you in; it works once, within 72 hours:\n\n{link}\n"
        emails.send(app, db, to=email, subject=f"You are invited to {name}", text=text)
    if is_inside:
        key_makers.end_beyond(app, live, user_id, role, (), _contexts_of_business(visit))
    app.epoch.bump()
    # The link tells if there is an account, and sets one up: only the address's owner may have it.
    return Led(_HERE, f"The invitation is on its way to {email}.") if has_mail else visit.reveal(_HERE, link)


def change_member(visit: Visit, id: str) -> Answer:
    app, removes = visit.app, visit.form.get("remove") == "yes"
    role = None if removes else _read_role(visit.form.get("role"))
    keep, ended, context_of = visit.form.get("keep", "").split(), list[SetUp](), _contexts_of_business(visit)
    with app.db.writing() as db:
        live = people.live_of(db, visit.tenant_id)
        was_inside = people.change_role(db, live, id, role, by=visit.session.user_id)
        if was_inside:
            ended += key_makers.revoke_beyond(db, app, live, id, role, visit.session.user_id, keep)
        if removes and was_inside:
            sessions.end_sessions(db, table.c.user_id == id)
    if removes and not was_inside:
        return Led(_HERE, "The invitation is withdrawn.")
    if was_inside and (removes or "staff" in visit.form):
        _link_staff(visit, id, "" if removes else visit.form["staff"])
    ended += key_makers.end_beyond(app, live, id, role, keep, context_of)
    if ended:
        app.epoch.bump()
    said = "The person is removed, and signed out everywhere." if removes else "The role is changed."
    return Led(_HERE, said + key_makers.describe_ended(ended))


def show_leave(visit: Visit, id: str) -> Answer:
    """Show the page to leave a business, with what ends with it."""
    made = key_makers.list_by_maker(visit.app, _own_business(visit, id).id).get(visit.session.user_id, [])
    return Shown("users/leave.html", {"business": _own_business(visit, id), "made": made})


def leave(visit: Visit, id: str) -> Answer:
    """Remove the visitor from a business with all that they set up there. Raise Conflict for its only owner.

    They cannot choose anything that stays: a person who leaves must not keep a key of the business.
    """
    app, user_id, business = visit.app, visit.session.user_id, _own_business(visit, id)
    context_of = visit.contexts_of(business)
    with app.db.writing() as db:
        people.change_role(db, business.id, user_id, None)
        ended = key_makers.revoke_beyond(db, app, business.id, user_id, None, user_id)
    ended += key_makers.end_beyond(app, business.id, user_id, None, (), context_of)
    app.epoch.bump()
    return Led("/dashboard/businesses", f"You have left {business.name}.{key_makers.describe_ended(ended)}")


def _own_business(visit: Visit, id: str) -> Business:
    """Return one of the visitor's businesses, by its live id. Raise NotFound for any other."""
    found = next((business for business in visit.businesses() if business.id == id), None)
    if found is None:
        raise NotFound
    return found


def _contexts_of_business(visit: Visit) -> Callable[[str], Context]:
    """Return a function that makes the visitor's contexts in the business shown."""
    return visit.contexts_of(next(b for b in visit.businesses() if visit.tenant_id in (b.id, b.sandbox_id)))


def _business_name(visit: Visit) -> str:
    """Return the name of the business shown."""
    return next((b.name for b in visit.businesses() if visit.tenant_id in (b.id, b.sandbox_id)), "a business")


def _read_role(text: str | None) -> Any:
    if text not in get_args(Role):
        raise Invalid.of(Fault("role", "invalid_value", "is not a role"))
    return text


screens = (
    Screen(_HERE, show_people, invite, role="owner", proof=True, nav="People", group="Business"),
    Screen("/dashboard/businesses/{id}/leave", show_leave, leave, role=None, proof=True),
    Screen(f"{_HERE}/{{id}}", post=change_member, role="owner", proof=True, on=_HERE),
)
