"""People: their roles in businesses, invitations, and the links that let them in."""

import secrets
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import Conflict, Fault, Forbidden, Invalid, NotFound, new_id
from billycan.fields import Moment
from billycan.sql import Statement, tenants, upsert

from . import passwords
from .encryption import secret_digest
from .rules import ROLES, Role
from .tables import links, notification_rules, passkeys, roles, sessions, users

JOIN, OPERATE, RESET, ENTER = "join", "operate", "reset", "enter"  # purposes of a link
INVITATIONS = (JOIN, OPERATE)
MOST_INVITATIONS = 100  # open at once in a business
_MOST_FORGOTTEN = 100  # people who never came, with each invitation
_LONG = timedelta(hours=72)
_LINK = Statement(
    sa.select(links, users.c.email, users.c.name, users.c.password, users.c.is_operator, users.c.is_proved)
    .join(users, users.c.id == links.c.user_id)
    .where(links.c.digest == sa.bindparam("digest"), links.c.expires_at > sa.bindparam("now"))
)
_BUSINESSES = Statement(
    sa.select(roles.c.role, tenants.c.id, tenants.c.paired_id, tenants.c.profile)
    .join(tenants, tenants.c.id == roles.c.tenant_id)
    .where(roles.c.id == sa.bindparam("user_id"))
    .execution_options(billycan_across="a person may belong to several businesses")
)
KEPT = {JOIN: _LONG, OPERATE: _LONG, RESET: timedelta(hours=1), ENTER: timedelta(minutes=30)}


class Link(Struct, frozen=True):
    """A one-use link, as it was opened.

    `has_account`: the person has a password or another business, to which the link of one business must not give
    access. `proves`: only the address's mailbox has the link, or the operator handed it over. `is_proved`: the
    account's password was chosen with such a link.
    """

    purpose: str
    user_id: str
    email: str
    name: str | None
    business_id: str | None
    role: str | None
    has_account: bool
    proves: bool
    is_proved: bool

    @property
    def needs_sign_in(self) -> bool:
        """True if accepting needs a sign-in: the account is in use, and this link does not prove whose it is."""
        return self.purpose in INVITATIONS and self.has_account and (self.is_proved or not self.proves)


class Business(Struct, frozen=True):
    """A business that a person may enter: its live tenant, its sandbox and the person's role."""

    id: str
    sandbox_id: str
    name: str
    role: str


class Member(Struct, frozen=True):
    """A member of a business, or somebody invited to it; `id` is the person's, or that of the invitation.

    A person's own id begins with the time of its making: it would reveal an account that is older than the invitation.
    """

    id: str
    email: str
    name: str | None
    role: Role
    has_joined: bool
    has_second_factor: bool
    seen_at: Moment | None


def invite_person(
    db: sa.Connection,
    tenant_id: str | None,
    email: str,
    role: Role,
    now: Moment,
    *,
    is_operator: bool = False,
    made_by: str | None = None,
    is_mailed_only: bool = False,
) -> tuple[str, str]:
    """Invite a person to a business, or only to run the deployment. Return the person's id and the link's token.

    Nothing is given until the link is followed, or once `made_by`, the owner who invites, is no longer an owner. A
    person who is in the business already gets the role at once. Following the link proves the address if the link
    `is_mailed_only`, so that not even `made_by` sees it, or if the operator makes it. Raises NotFound if there is no
    such business, Forbidden if `made_by` is not an owner of it, and Conflict if too many of its invitations are open.
    """
    email = email.strip().casefold()
    _forget_absent(db)
    # Upserted in any case, so that the work does not tell if the address has an account, and the row is locked.
    added = {"id": new_id("usr"), "email": email, "is_operator": False, "created_at": now}
    row = upsert(users, db).values(recovery=[], **added)
    row = row.on_conflict_do_update(index_elements=["email"], set_={"email": email}).returning(users.c.id)
    user_id = str(db.execute(row).scalar_one())
    if tenant_id is not None:
        tenant_id = live_of(db, tenant_id)
        if made_by is not None:
            _lock_owner(db, tenant_id, made_by)
            _check_open_invitations(db, tenant_id, user_id, now)
        if has_role(db, tenant_id, user_id):
            change_role(db, tenant_id, user_id, role)
    db.execute(sa.delete(links).where(*_invitation_links(tenant_id, user_id)))
    purpose, proves = OPERATE if is_operator else JOIN, is_mailed_only or made_by is None
    return user_id, new_link(db, purpose, user_id, now, tenant_id, role, made_by, proves=proves)


def _lock_owner(db: sa.Connection, tenant_id: str, user_id: str) -> None:
    """Keep a person an owner until the commit; otherwise an invitation could outlive an owner removed meanwhile."""
    this = sa.select(roles.c.role).where(roles.c.tenant_id == tenant_id, roles.c.id == user_id)
    if db.execute(this.with_for_update(read=True)).scalar() != "owner":
        raise Forbidden("Only an owner of the business may invite somebody.")


def _check_open_invitations(db: sa.Connection, tenant_id: str, user_id: str, now: Moment) -> None:
    of = links.c.business_id == tenant_id, links.c.purpose.in_(INVITATIONS), links.c.expires_at > now
    others = sa.select(sa.func.count()).where(*of, links.c.user_id != user_id)
    if db.execute(others).scalar_one() >= MOST_INVITATIONS:
        raise Conflict(f"A business has at most {MOST_INVITATIONS} open invitations: withdraw some of them first.")


def _forget_absent(db: sa.Connection) -> None:
    """Delete some of the people who were invited, never came, and have no invitation left."""
    mine = (sa.exists().where(table.c[name] == users.c.id) for table, name in _OF_USERS)
    absent = sa.select(users.c.id).where(users.c.password.is_(None), ~users.c.is_operator, *(~each for each in mine))
    some = absent.limit(_MOST_FORGOTTEN).with_for_update(skip_locked=True)  # skips people who are being invited
    across = {"billycan_across": "somebody who is invited belongs to no business yet"}
    ids = list(db.execute(some.execution_options(**across)).scalars())
    db.execute(sa.delete(users).where(users.c.id.in_(ids)))


def accept_invitation(db: sa.Connection, link: Link, now: Moment) -> None:
    """Give the person what a used invitation offers. A role that they have meanwhile stays as it is."""
    if link.purpose == OPERATE:
        db.execute(sa.update(users).where(users.c.id == link.user_id).values(is_operator=True))
    if link.business_id and not has_role(db, link.business_id, link.user_id):
        given = {"tenant_id": link.business_id, "id": link.user_id, "role": link.role, "created_at": now}
        db.execute(sa.insert(roles).values(**given))


def has_role(db: sa.Connection, tenant_id: str, user_id: str) -> bool:
    """Tell whether a person is in a business, given its live id."""
    this = sa.select(roles.c.id).where(roles.c.tenant_id == tenant_id, roles.c.id == user_id)
    return db.execute(this).first() is not None


def _invitation_links(tenant_id: str | None, user_id: str) -> tuple[sa.ColumnElement[bool], ...]:
    """Return the condition for the links that invite a person to a business."""
    return links.c.user_id == user_id, links.c.business_id == tenant_id, links.c.purpose.in_(INVITATIONS)


def business_name(db: sa.Connection, tenant_id: str) -> str:
    """Return the name of a business."""
    return str(db.execute(sa.select(tenants.c.profile).where(tenants.c.id == tenant_id)).scalar_one()["name"])


def live_of(db: sa.Connection, tenant_id: str) -> str:
    """Return the live tenant of a business, by either of its ids. Raise NotFound if there is none."""
    row = db.execute(sa.select(tenants.c.environment, tenants.c.paired_id).where(tenants.c.id == tenant_id)).first()
    if row is None:
        raise NotFound(f"There is no tenant {tenant_id}.")
    return str(tenant_id if row.environment == "live" else row.paired_id)


def new_link(
    db: sa.Connection,
    purpose: str,
    user_id: str,
    now: Moment,
    business_id: str | None = None,
    role: str | None = None,
    made_by: str | None = None,
    *,
    proves: bool = False,
) -> str:
    """Make a one-use link and return its token. Delete links that have expired."""
    token = secrets.token_urlsafe(32)
    db.execute(sa.delete(links).where(links.c.expires_at <= now))
    row: dict[str, Any] = {"purpose": purpose, "user_id": user_id, "business_id": business_id, "role": role}
    row |= {"made_by": made_by, "proves": proves}
    db.execute(
        sa.insert(links).values(digest=secret_digest(token), id=new_id("lnk"), expires_at=now + KEPT[purpose], **row)
    )
    return token


def new_reset_link(db: sa.Connection, user_id: str, now: Moment) -> str:
    """Make a link to choose a new password and return its token. Earlier such links stop working.

    It proves the address: mail it, or hand it to the person.
    """
    forget_links(db, user_id)
    return new_link(db, RESET, user_id, now, proves=True)


def forget_links(db: sa.Connection, user_id: str) -> None:
    """Delete a person's links except invitations."""
    db.execute(sa.delete(links).where(links.c.user_id == user_id, links.c.purpose.not_in(INVITATIONS)))


def read_link(db: sa.Connection, token: str, now: Moment) -> Link | None:
    """Return the link of a token, or None if it was used, has expired or never existed."""
    row = _LINK.first(db, {"digest": secret_digest(token), "now": now})
    if row is None:
        return None
    has_account = row.password is not None or row.is_operator
    has_account = has_account or any(each.id != row.business_id for each in list_businesses(db, row.user_id))
    who = (row.purpose, row.user_id, row.email, row.name, row.business_id, row.role)
    return Link(*who, has_account, row.proves, row.is_proved)


def use_link(db: sa.Connection, token: str, purpose: str, now: Moment) -> Link:
    """Return the link of a token and use it up. Raise NotFound if somebody else was faster.

    The person is locked first: of two invitations followed at once, the second finds the account that the first made.
    """
    whose = sa.select(links.c.user_id).where(links.c.digest == secret_digest(token)).scalar_subquery()
    db.execute(sa.select(users.c.id).where(users.c.id == whose).with_for_update())
    link = read_link(db, token, now)
    this = sa.delete(links).where(links.c.digest == secret_digest(token), links.c.purpose == purpose)
    if link is None or db.execute(this).rowcount != 1:
        raise NotFound
    return link


def hash_new_password(email: str, password: str) -> str:
    """Return the hash of a new password. Raise Invalid if it is too weak. Call it outside any transaction."""
    check_password(email, password)
    return passwords.hash_password(password)


def check_password(email: str, password: str) -> None:
    """Raise Invalid if a password is too weak."""
    if fault := passwords.password_fault(password, email):
        raise Invalid.of(Fault("password", "invalid_value", fault))


def read_name(form: Mapping[str, str], field: str) -> str:
    """Return a person's name from a form: stripped, and cut to 200 letters. Raise Invalid if it is empty."""
    name = form.get(field, "").strip()[:200]
    if not name:
        raise Invalid.of(Fault(field, "required", "is required"))
    return name


def list_businesses(db: sa.Connection, user_id: str) -> list[Business]:
    """List the businesses that a person may enter, by name."""
    rows = _BUSINESSES.all(db, {"user_id": user_id})
    found = [Business(row.id, row.paired_id, row.profile["name"], row.role) for row in rows]
    return sorted(found, key=lambda business: (business.name.casefold(), business.id))


def list_members(db: sa.Connection, tenant_id: str) -> list[Member]:
    """List the members of a business and the people invited to it, owners first."""
    seen = (
        sa.select(sa.func.max(sessions.c.seen_at)).where(sessions.c.user_id == users.c.id).correlate(users)
    ).scalar_subquery()
    rows = db.execute(
        sa.select(users, roles.c.role, seen.label("seen_at"))
        .join(roles, roles.c.id == users.c.id)
        .where(roles.c.tenant_id == tenant_id)
    )
    found = [Member(r.id, r.email, r.name, r.role, r.password is not None, r.totp is not None, r.seen_at) for r in rows]
    asked = sa.select(links.c.id, links.c.user_id, users.c.email, links.c.role).join(
        users, links.c.user_id == users.c.id
    )
    invited = db.execute(asked.where(links.c.business_id == tenant_id, links.c.purpose.in_(INVITATIONS))).all()
    inside = {member.id for member in found}
    # An open invitation shows only what the inviter typed.
    found += [Member(r.id, r.email, None, r.role, False, False, None) for r in invited if r.user_id not in inside]
    return sorted(found, key=lambda member: (ROLES.index(member.role), member.email))


def list_people(db: sa.Connection, now: Moment, live_id: str | None = None) -> list[dict[str, Any]]:
    """List the people of one business or of all, with roles, invitations or neither, by email address.

    There is a row for each business; `has_joined` is true once the invitation was followed.
    """
    shown = [users.c[name] for name in ("id", "email", "name", "is_operator", "created_at")]
    inside = sa.select(*shown, users.c.password.is_not(None).label("has_joined"), roles.c.tenant_id, roles.c.role)
    inside = inside.select_from(users.outerjoin(roles, roles.c.id == users.c.id))
    asked = sa.select(*shown, links.c.business_id.label("tenant_id"), links.c.role)
    asked = asked.join(links, links.c.user_id == users.c.id)
    asked = asked.where(links.c.purpose.in_(INVITATIONS), links.c.expires_at > now)
    if live_id:
        inside, asked = inside.where(roles.c.tenant_id == live_id), asked.where(links.c.business_id == live_id)
    rows = [dict(row._mapping) for row in db.execute(inside)]
    there = {(row["id"], row["tenant_id"]) for row in rows}
    invited = [{**row._mapping, "has_joined": False} for row in db.execute(asked)]
    invited = [row for row in invited if (row["id"], row["tenant_id"]) not in there]
    waiting = {row["id"] for row in invited}
    found = [row for row in rows if row["role"] or row["id"] not in waiting] + invited
    return sorted(found, key=lambda row: (row["email"], row["tenant_id"] or ""))


def names_of_people(db: sa.Connection, user_ids: Iterable[str]) -> dict[str, str]:
    """Map the ids of people to their names. People who are gone from the deployment are left out."""
    chosen = sa.select(users.c.id, users.c.name, users.c.email).where(users.c.id.in_(sorted(set(user_ids))))
    return {row.id: row.name or row.email for row in db.execute(chosen)}


def list_names(db: sa.Connection, tenant_id: str) -> dict[str, str]:
    """Map the ids of the people of a business, by either of its ids, to their names, in the order of these."""
    chosen = sa.select(users.c.id, users.c.name, users.c.email).join(roles, roles.c.id == users.c.id)
    rows = db.execute(chosen.where(roles.c.tenant_id == live_of(db, tenant_id))).all()
    return dict(sorted(((row.id, row.name or row.email) for row in rows), key=lambda one: one[1].casefold()))


def change_role(db: sa.Connection, tenant_id: str, id: str, role: Role | None, *, by: str | None = None) -> bool:
    """Change or end a person's role in a business. Return True if they were in it.

    The `id` is that of a `Member`: an invitation that is still open is changed or withdrawn. Raise NotFound if there is
    no such person or invitation in the business, Forbidden if `by` is given and is no longer an owner, and Conflict if
    no owner would be left. The invitations that an owner sent end when they are no longer one.
    """
    # The owners' rows are locked in one order, so that two who remove each other at once do not both succeed.
    rows = db.execute(
        sa.select(roles.c.id, roles.c.role).where(roles.c.tenant_id == tenant_id).order_by(roles.c.id).with_for_update()
    ).all()
    if by is not None and by not in {row.id for row in rows if row.role == "owner"}:
        raise Forbidden("Only an owner of the business may change who is in it.")
    if id not in {row.id for row in rows}:
        invited = links.c.id == id, links.c.business_id == tenant_id, links.c.purpose.in_(INVITATIONS)
        changed = sa.update(links).where(*invited).values(role=role) if role else sa.delete(links).where(*invited)
        if not db.execute(changed).rowcount:
            raise NotFound
        return False
    if role != "owner" and not [row for row in rows if row.role == "owner" and row.id != id]:
        raise Conflict("A business must have an owner: make somebody else one first.")
    if role is None:
        remove_from_business(db, tenant_id, id)
        return True
    this = (roles.c.tenant_id == tenant_id) & (roles.c.id == id)
    db.execute(sa.update(roles).where(this).values(role=role))
    if role != "owner":
        _withdraw_invitations(db, tenant_id, id)
    return True


def settle(db: sa.Connection, tenant_id: str, user_id: str, now: Moment) -> None:
    """Note that a person has finished or dismissed the first steps in a business."""
    this = (roles.c.tenant_id == live_of(db, tenant_id)) & (roles.c.id == user_id)
    db.execute(sa.update(roles).where(this).values(settled_at=now))


def remove_from_business(db: sa.Connection, tenant_id: str, user_id: str) -> None:
    """Remove a person from a business, with their links to it and the invitations they sent."""
    db.execute(sa.delete(roles).where(roles.c.tenant_id == tenant_id, roles.c.id == user_id))
    db.execute(sa.delete(links).where(links.c.user_id == user_id, links.c.business_id == tenant_id))
    of_person = notification_rules.c.tenant_id == tenant_id, notification_rules.c.user_id == user_id
    db.execute(sa.delete(notification_rules).where(*of_person))
    _withdraw_invitations(db, tenant_id, user_id)


def _withdraw_invitations(db: sa.Connection, tenant_id: str, user_id: str) -> None:
    db.execute(sa.delete(links).where(links.c.business_id == tenant_id, links.c.made_by == user_id))


_OF_USERS = (roles, "id"), (links, "user_id"), (sessions, "user_id"), (passkeys, "user_id")
