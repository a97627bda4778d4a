"""Who there is, and what each may do in which business."""

import secrets
from datetime import timedelta

import sqlalchemy as sa
from msgspec import Struct

from billycan import App, Conflict, Fault, Invalid, NotFound, new_id
from billycan.fields import Moment
from billycan.sql import tenants

from . import passwords
from .rules import Role
from .sealing import digest
from .tables import links, roles, sessions, users

JOIN, RESET, ENTER = "join", "reset", "enter"  # what a link is for
KEPT = {JOIN: timedelta(hours=72), RESET: timedelta(hours=1), ENTER: timedelta(minutes=30)}


class Link(Struct, frozen=True):
    """What a link that was opened is for."""

    purpose: str
    user_id: str
    email: str
    name: str | None
    business_id: str | None
    role: str | None
    has_password: bool


class Business(Struct, frozen=True):
    """A business that somebody may enter: its live tenant, its sandbox and the role there."""

    id: str
    sandbox_id: str
    name: str
    role: str


class Member(Struct, frozen=True):
    """Somebody who may enter a business, or was invited to."""

    id: str
    email: str
    name: str | None
    role: str
    has_joined: bool
    has_second_factor: bool
    seen_at: Moment | None


def invite(
    db: sa.Connection, tenant_id: str | None, email: str, role: Role, now: Moment, *, is_operator: bool = False
) -> tuple[str, str]:
    """Let somebody into a business, or only run the deployment; the person's id and the link's token.

    Who has a password already may enter at once. Raises NotFound where there is no such business.
    """
    email = email.strip().casefold()
    user = db.execute(sa.select(users.c.id).where(users.c.email == email)).first()
    user_id = user.id if user else new_id("usr")
    if not user:
        added = {"id": user_id, "email": email, "is_operator": is_operator, "created_at": now}
        db.execute(sa.insert(users).values(recovery=[], **added))
    elif is_operator:
        db.execute(sa.update(users).where(users.c.id == user_id).values(is_operator=True))
    if tenant_id is not None:
        tenant_id = live_of(db, tenant_id)
        has_one = sa.select(roles.c.id).where(roles.c.tenant_id == tenant_id, roles.c.id == user_id)
        if db.execute(has_one).first():
            change_role(db, tenant_id, user_id, role)
        else:
            db.execute(sa.insert(roles).values(tenant_id=tenant_id, id=user_id, role=role, created_at=now))
    return user_id, new_link(db, JOIN, user_id, now, tenant_id, role)


def live_of(db: sa.Connection, tenant_id: str) -> str:
    """The live tenant of a business, by either of its ids; NotFound where there is none."""
    row = db.execute(sa.select(tenants.c.environment, tenants.c.paired_id).where(tenants.c.id == tenant_id)).first()
    if row is None:
        raise NotFound(f"There is no tenant {tenant_id}.")
    return str(tenant_id if row.environment == "live" else row.paired_id)


def new_link(
    db: sa.Connection, purpose: str, user_id: str, now: Moment, business_id: str | None = None, role: str | None = None
) -> str:
    """The token of a new one-use link; those that expired are gone with it."""
    token = secrets.token_urlsafe(32)
    db.execute(sa.delete(links).where(links.c.expires_at <= now))
    row = {"purpose": purpose, "user_id": user_id, "business_id": business_id, "role": role}
    db.execute(sa.insert(links).values(digest=digest(token), expires_at=now + KEPT[purpose], **row))
    return token


def opened(db: sa.Connection, token: str, now: Moment) -> Link | None:
    """What a link is for; None for one that was used, has expired or never was."""
    row = db.execute(
        sa.select(links, users.c.email, users.c.name, users.c.password)
        .join(users, users.c.id == links.c.user_id)
        .where(links.c.digest == digest(token), links.c.expires_at > now)
    ).first()
    if row is None:
        return None
    has_password = row.password is not None
    return Link(row.purpose, row.user_id, row.email, row.name, row.business_id, row.role, has_password)


def use(db: sa.Connection, token: str, purpose: str, now: Moment) -> Link:
    """The same, and the link is used up with it; NotFound where another was quicker."""
    link = opened(db, token, now)
    this = sa.delete(links).where(links.c.digest == digest(token), links.c.purpose == purpose)
    if link is None or db.execute(this).rowcount != 1:
        raise NotFound
    return link


def choose_password(db: sa.Connection, user_id: str, email: str, password: str, name: str | None = None) -> None:
    """Set a password; every session and every other link of the person ends. Raises Invalid."""
    if fault := passwords.fault(password, email):
        raise Invalid.of(Fault("password", "invalid_value", fault))
    values = {"password": passwords.hashed(password), **({"name": name} if name else {})}
    db.execute(sa.update(users).where(users.c.id == user_id).values(**values))
    db.execute(sa.delete(sessions).where(sessions.c.user_id == user_id))
    db.execute(sa.delete(links).where(links.c.user_id == user_id))


def businesses(db: sa.Connection, user_id: str) -> list[Business]:
    """Where somebody may enter, by name."""
    rows = db.execute(
        sa.select(roles.c.role, tenants.c.id, tenants.c.paired_id, tenants.c.profile)
        .join(tenants, tenants.c.id == roles.c.tenant_id)
        .where(roles.c.id == user_id)
        .execution_options(billycan_across="a person may belong to several businesses")
    )
    found = [Business(row.id, row.paired_id, row.profile["name"], row.role) for row in rows]
    return sorted(found, key=lambda business: (business.name.casefold(), business.id))


def members(db: sa.Connection, tenant_id: str) -> list[Member]:
    """Who may enter a business, owners first."""
    seen = (
        sa.select(sa.func.max(sessions.c.seen_at)).where(sessions.c.user_id == users.c.id).correlate(users)
    ).scalar_subquery()
    rows = db.execute(
        sa.select(users, roles.c.role, seen.label("seen_at"))
        .join(roles, roles.c.id == users.c.id)
        .where(roles.c.tenant_id == tenant_id)
    )
    found = [Member(r.id, r.email, r.name, r.role, r.password is not None, r.totp is not None, r.seen_at) for r in rows]
    order = ("owner", "developer", "viewer")
    return sorted(found, key=lambda member: (order.index(member.role), member.email))


def change_role(db: sa.Connection, tenant_id: str, user_id: str, role: Role | None) -> None:
    """Give somebody another role in a business, or none; NotFound for somebody who has none there.

    Raises Conflict where nobody would be left who may do everything.
    """
    # The owners' rows are locked in one order, so that two who remove each other at once do not both succeed.
    rows = db.execute(
        sa.select(roles.c.id, roles.c.role).where(roles.c.tenant_id == tenant_id).order_by(roles.c.id).with_for_update()
    ).all()
    if user_id not in {row.id for row in rows}:
        raise NotFound
    if role != "owner" and not [row for row in rows if row.role == "owner" and row.id != user_id]:
        raise Conflict("A business must have an owner: make somebody else one first.")
    this = (roles.c.tenant_id == tenant_id) & (roles.c.id == user_id)
    if role:
        db.execute(sa.update(roles).where(this).values(role=role))
        return
    db.execute(sa.delete(roles).where(this))
    db.execute(sa.delete(links).where(links.c.user_id == user_id, links.c.business_id == tenant_id))


def first_operator(app: App) -> bool:
    """Whether anybody runs the deployment."""
    with app.db.reading() as db:
        return db.execute(sa.select(users.c.id).where(users.c.is_operator).limit(1)).first() is not None
