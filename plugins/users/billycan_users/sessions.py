"""Sessions: a random cookie for each browser that is signed in. The database stores only its digest."""

import logging
import secrets
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import App, new_id
from billycan.fields import Moment
from billycan.sql import Statement, counters, events, tenants

from .encryption import secret_digest
from .people import list_businesses
from .rules import FRESH, IDLE, LONGEST
from .tables import roles, sessions, users

MOST_SESSIONS = 100  # of a person, which the page of the account lists
_NOTED_SECONDS = 60
_MOST_NOTING_SECONDS = 0.1

log = logging.getLogger("billycan.users")


class Session(Struct, frozen=True, kw_only=True):
    """A browser that is signed in: its person, the business shown, and their role there.

    `tenant_id`, `environment`, `business` and `role` are None if no business is shown; `zone` is its time zone.
    `is_fresh`: the person signed in or gave the password a moment ago. `has_password` is false for a person who came by
    a link and has not chosen one. `is_settled`: they have finished or dismissed the first steps in the business shown.
    """

    id: str
    user_id: str
    email: str
    name: str | None
    is_operator: bool
    has_totp: bool
    is_complete: bool
    is_fresh: bool
    has_password: bool
    tenant_id: str | None = None
    environment: Any = None
    business: str | None = None
    zone: str = "UTC"
    role: str | None = None
    is_settled: bool = False


_LIVE = sa.case((tenants.c.environment == "live", tenants.c.id), else_=tenants.c.paired_id)
_LAST_EVENT = Statement(
    sa.select(counters.c.number).where(
        counters.c.tenant_id == sa.bindparam("tenant_id"), counters.c.name == events.name
    )
)
_FIND = Statement(
    sa.select(
        sessions.c.id,
        sessions.c.user_id,
        sessions.c.is_complete,
        sessions.c.created_at,
        sessions.c.seen_at,
        sessions.c.proved_at,
        users.c.email,
        users.c.name,
        users.c.is_operator,
        users.c.totp,
        users.c.password.is_not(None).label("has_password"),
        tenants.c.id.label("tenant_id"),
        tenants.c.environment,
        tenants.c.profile,
        roles.c.role,
        roles.c.settled_at,
    )
    .select_from(
        sessions.join(users, users.c.id == sessions.c.user_id)
        .outerjoin(tenants, tenants.c.id == sessions.c.business_id)
        .outerjoin(roles, (roles.c.tenant_id == _LIVE) & (roles.c.id == users.c.id))
    )
    .where(sessions.c.digest == sa.bindparam("cookie"))
)


def start_session(
    db: sa.Connection,
    user_id: str,
    now: Moment,
    address: str,
    browser: str,
    *,
    is_complete: bool,
    business_id: str = "",
) -> str:
    """Sign a person in and return the cookie. Delete those of their sessions that have expired or are too many."""
    cookie = secrets.token_urlsafe(32)
    over = (sessions.c.seen_at <= now - IDLE) | (sessions.c.created_at <= now - LONGEST)
    db.execute(sa.delete(sessions).where(sessions.c.user_id == user_id, over))
    business_id = _choose_first(db, user_id, business_id)
    db.execute(
        sa.insert(sessions).values(
            digest=secret_digest(cookie),
            id=new_id("ses"),
            user_id=user_id,
            business_id=business_id or None,
            is_complete=is_complete,
            address=address,
            browser=browser[:300],
            created_at=now,
            seen_at=now,
            proved_at=now,
        )
    )
    # Apart from each other: somebody who only knows the password ends no session that is complete.
    alike = (sessions.c.user_id == user_id) & (sessions.c.is_complete == is_complete)
    newest = sa.select(sessions.c.id).where(alike).order_by(sessions.c.created_at.desc(), sessions.c.id.desc())
    end_sessions(db, alike, sessions.c.id.in_(newest.offset(MOST_SESSIONS)))
    if business_id:
        _remember_business(db, user_id, business_id)
    return cookie


def switch_business(db: sa.Connection, session_id: str, user_id: str, business_id: str) -> None:
    """Show another tenant in a session, and remember it for the person's next sign-in."""
    change_session(db, session_id, business_id=business_id)
    _remember_business(db, user_id, business_id)


def _remember_business(db: sa.Connection, user_id: str, business_id: str) -> None:
    db.execute(sa.update(users).where(users.c.id == user_id).values(last_business_id=business_id))


def _choose_first(db: sa.Connection, user_id: str, business_id: str) -> str:
    """Return the tenant that a person sees first: of this business, else the one used last, else their first by name.

    A developer begins in the sandbox. For everybody else it is the live tenant even after the sandbox: nobody should
    mistake one for the other the next morning. But a link to the sandbox leads there. Empty if the person has no
    business.
    """
    there_are = list_businesses(db, user_id)
    last = business_id or db.execute(sa.select(users.c.last_business_id).where(users.c.id == user_id)).scalar()
    found = next((each for each in there_are if last in (each.id, each.sandbox_id)), None)
    if found is None and not business_id:
        found = next(iter(there_are), None)
    if found is None:
        return business_id
    return found.sandbox_id if found.role == "developer" or business_id == found.sandbox_id else found.id


def find_session(app: App, cookie: str, *, is_used: bool = True) -> Session | None:
    """Return the session of a cookie, or None if it has ended. It ends later if it `is_used`."""
    now = app.now()
    with app.db.reading(across="only the session says which business somebody looks at") as db:
        row = _FIND.first(db, {"cookie": secret_digest(cookie)})
    if row is None or row.seen_at <= now - IDLE or row.created_at <= now - LONGEST:
        return None
    if is_used and abs((now - row.seen_at).total_seconds()) >= _NOTED_SECONDS:
        try:
            with app.db.noting(_MOST_NOTING_SECONDS) as db:
                db.execute(sa.update(sessions).where(sessions.c.id == row.id).values(seen_at=now))
        except sa.exc.SQLAlchemyError as error:
            # A page that only reads is served even if nothing can be written.
            log.warning("the use of %s could not be noted: %s", row.id, type(error).__name__)
    who: dict[str, Any] = {
        "id": row.id,
        "user_id": row.user_id,
        "email": row.email,
        "name": row.name,
        "is_operator": row.is_operator,
        "has_totp": row.totp is not None,
        "is_complete": row.is_complete,
        "is_fresh": now - row.proved_at < FRESH,
        "has_password": row.has_password,
    }
    if row.role is None:
        return Session(**who)  # no access yet, or none any more
    profile = row.profile
    at = {"tenant_id": row.tenant_id, "environment": row.environment, "business": profile["name"]}
    return Session(
        **who,
        **at,
        zone=profile["timezone"],
        role=row.role,
        is_settled=row.settled_at is not None,
    )


def last_event(app: App, tenant_id: str) -> int:
    """Return the number of the business's last event; 0 if it has none.

    Read it before whatever a page reads, so that what happens meanwhile is in the next answer.
    """
    with app.db.reading(tenant_id) as db:
        row = _LAST_EVENT.first(db, {"tenant_id": tenant_id})
    return row.number if row else 0


def change_session(db: sa.Connection, session_id: str, **values: Any) -> None:
    """Set columns of a session, for instance when the sign-in is complete or the password was given again."""
    db.execute(sa.update(sessions).where(sessions.c.id == session_id).values(**values))


def end_sessions(db: sa.Connection, *conditions: sa.ColumnElement[bool]) -> int:
    """End the sessions that meet the conditions. Return their number."""
    return int(db.execute(sa.delete(sessions).where(*conditions)).rowcount)


def list_sessions(db: sa.Connection, user_id: str, now: Moment) -> Sequence[Any]:
    """List a person's sessions, latest first."""
    going = (sessions.c.seen_at > now - IDLE) & (sessions.c.created_at > now - LONGEST)
    chosen = sa.select(sessions).where(sessions.c.user_id == user_id, going).order_by(sessions.c.seen_at.desc())
    return db.execute(chosen).all()
