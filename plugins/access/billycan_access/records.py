"""Requests for access as stored and as shown: made, confirmed, decided."""

import hashlib
import secrets
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, Literal

import sqlalchemy as sa
from msgspec import Struct

from billycan import App, Conflict, NotFound, new_id
from billycan.fields import Moment
from billycan.sql import tenants
from billycan_users.api import can_send, invite_person, page_address, send

from .settings import Settings
from .tables import requests

PER_ADDRESS, PER_EMAIL = 10, 3  # in 24 hours
_DAY = timedelta(days=1)
_PROVABLE = timedelta(hours=72)
_KEPT = timedelta(days=90)  # after a decision

State = Literal["unproved", "proved", "approved", "refused", "expired"]
OPEN = ("unproved", "proved")
HIDDEN = ("digest", "address")  # the confirmation link's digest, and the network address


class Asked(Struct, frozen=True):
    """The fields of the public form."""

    business: str
    abn: str | None
    email: str
    purpose: str


class TooMany(Exception):
    """Too many requests today, from one address or in all."""


class Approved(Struct, frozen=True):
    """The result of an approval: the business, its sandbox, its owner, and the link to send to the owner."""

    request: str
    tenant: str
    sandbox: str
    user: str
    link: str


def store_request(db: sa.Connection, app: App, asked: Asked, network: str) -> None:
    """Store a request and email its confirmation link; `network` is the address it came from, or an IPv6 /64.

    A request above the limit for its email address is dropped silently, so that the answer reveals nothing about the
    address. Raise TooMany above the other limits.
    """
    now = app.now()
    _take_turns(db)
    expire_requests(db, app)
    email = asked.email.casefold()
    made = {
        "all": sa.func.count(),
        "address": sa.func.count(sa.case((requests.c.address == network, 1))),
        "email": sa.func.count(sa.case((requests.c.email == email, 1))),
    }
    columns = [count.label(f"of_{name}") for name, count in made.items()]
    counts = db.execute(sa.select(*columns).where(requests.c.created_at > now - _DAY)).one()
    if counts.of_all >= app.settings_of(Settings).per_day or counts.of_address >= PER_ADDRESS:
        raise TooMany
    if counts.of_email >= PER_EMAIL:
        return
    token = secrets.token_urlsafe(32)
    row: dict[str, Any] = {"business": asked.business, "abn": asked.abn, "email": email, "purpose": asked.purpose}
    row |= {"address": network, "digest": _digest_token(token), "created_at": now}
    db.execute(sa.insert(requests).values(id=new_id("acc"), state="unproved", **row))
    # Nothing the requester wrote: otherwise anybody could email anybody in the deployment's name.
    text = "Somebody asked for access with your email address.\n\nIf it was you, please confirm within 72 hours:\n\n"
    link = page_address(app, f"/access/confirm/{token}")
    send(app, db, to=email, subject="Please confirm your email address", text=f"{text}{link}\n")


def _take_turns(db: sa.Connection) -> None:
    """Make requests wait for each other, since concurrent ones would each pass the limits."""
    if db.dialect.name == "postgresql":  # SQLite has only one writer
        name = sa.func.hashtextextended("access requests", 0)
        db.execute(sa.select(sa.func.pg_advisory_xact_lock(name)))


def find_confirmable(db: sa.Connection, app: App, token: str) -> Any:
    """Return the request whose email address a link confirms; None if the link is used, expired or unknown."""
    this = (requests.c.digest == _digest_token(token)) & (requests.c.state == "unproved")
    return db.execute(sa.select(requests).where(this, requests.c.created_at > app.now() - _PROVABLE)).first()


def confirm_address(db: sa.Connection, app: App, token: str) -> str | None:
    """Mark the email address as confirmed; return the sandbox's key if one is given at once. Raise NotFound."""
    row = find_confirmable(db, app, token)
    this = (requests.c.digest == _digest_token(token)) & (requests.c.state == "unproved")
    if row is None or db.execute(sa.update(requests).where(this).values(state="proved", digest=None)).rowcount != 1:
        raise NotFound
    settings = app.settings_of(Settings)
    if settings.mode != "sandbox":
        return None
    live, sandbox = app.tenants.create(db, _profile_of(app, row), app.now())
    db.execute(sa.update(requests).where(requests.c.id == row.id).values(business_id=live))
    expires_at = Moment.of(app.now() + timedelta(days=settings.idle_days))
    _, key = app.keys.create(db, sandbox, ["read", "write"], app.now(), name="First key", expires_at=expires_at)
    return key


def decision_members(row: Any) -> list[Any]:
    """Return the members of a request that an approval depends on."""
    return [row.business, row.abn, row.email, row.purpose, row.state == "proved"]


def approve_request(
    db: sa.Connection, app: App, id: str, check_seen: Callable[[Any], None] = lambda _: None
) -> Approved:
    """Create the business, its sandbox and its owner's invitation. Raise NotFound, or Conflict if already decided.

    `check_seen` gets the members that the approval depends on, and raises if the operator saw others.
    """
    row = lock_request(db, app, id)
    check_seen(decision_members(row))
    live = row.business_id or app.tenants.create(db, _profile_of(app, row), app.now())[0]
    # If the link is emailed, only the address's owner gets it; otherwise the operator checks the address.
    user_id, token = invite_person(db, live, row.email, "owner", app.now(), is_mailed_only=can_send(app))
    _decide_request(db, app, id, "approved", business_id=live)
    link = page_address(app, f"/dashboard/join/{token}")
    text = f"{row.business} has access now. This link lets you in; it works once, within 72 hours:\n\n{link}\n"
    send(app, db, to=row.email, subject="Your access is approved", text=text)
    return Approved(id, live, sandbox_of(db, live), user_id, link)


def refuse_request(db: sa.Connection, app: App, id: str) -> None:
    """Refuse a request without notifying anybody. Raise NotFound, or Conflict if already decided."""
    lock_request(db, app, id)
    _decide_request(db, app, id, "refused")


def sandbox_of(db: sa.Connection, tenant_id: str) -> str:
    """Return the sandbox of a live tenant."""
    return str(db.execute(sa.select(tenants.c.paired_id).where(tenants.c.id == tenant_id)).scalar_one())


def list_requests(db: sa.Connection, app: App, *, all_states: bool = False) -> Sequence[Any]:
    """Return requests that await a decision, confirmed ones first, or all stored requests, the newest first."""
    shown = [column for column in requests.c if column.name not in (*HIDDEN, "state")]
    state = sa.case((_is_idle(app), "expired"), else_=requests.c.state).label("state")
    select = sa.select(*shown, state).order_by(requests.c.created_at.desc(), requests.c.id)
    stored = sa.or_(requests.c.decided_at.is_(None), requests.c.decided_at > app.now() - _KEPT)
    rows = db.execute(select.where(stored if all_states else requests.c.state.in_(OPEN) & ~_is_idle(app))).all()
    return sorted(rows, key=lambda row: row.state != "proved") if not all_states else rows


def lock_request(db: sa.Connection, app: App, id: str) -> Any:
    """Return a request that awaits a decision, and lock it. Raise NotFound, or Conflict if already decided."""
    expire_requests(db, app)
    row = db.execute(sa.select(requests).where(requests.c.id == id).with_for_update()).first()
    if row is None:
        raise NotFound(f"There is no request {id}.")
    if row.state not in OPEN:
        raise Conflict(f"This request is {row.state} already.")
    return row


def _decide_request(db: sa.Connection, app: App, id: str, state: State, **values: Any) -> None:
    decided = {"state": state, "digest": None, "decided_at": app.now(), **values}
    db.execute(sa.update(requests).where(requests.c.id == id).values(**decided))


def expire_requests(db: sa.Connection, app: App) -> None:
    """Expire requests that await a decision for too long, and delete those decided long ago."""
    now = app.now()
    expired = {"state": "expired", "digest": None, "decided_at": now}
    db.execute(sa.update(requests).where(_is_idle(app)).values(**expired))
    db.execute(sa.delete(requests).where(requests.c.decided_at <= now - _KEPT))


def _is_idle(app: App) -> sa.ColumnElement[bool]:
    """Match requests that have waited too long for a decision."""
    until = app.now() - timedelta(days=app.settings_of(Settings).idle_days)
    return requests.c.state.in_(OPEN) & (requests.c.created_at <= until)


def _profile_of(app: App, row: Any) -> Any:
    return app.tenants.PROFILE(name=row.business, abn=row.abn, email=row.email)


def _digest_token(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()
