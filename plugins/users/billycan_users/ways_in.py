"""Change how an account is entered: its password, second factor and passkeys. Nothing else writes these.

Each change takes a Proof, which only this module makes, and a letter to the account's address tells of it.
"""

from collections.abc import Collection
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import App, Fault, Forbidden, Invalid, NotFound

from . import codes, letters, people
from .drawing import moment
from .people import Link
from .screens import address
from .tables import passkeys, sessions, users
from .visits import Visit

PASSWORD, CODE = "current_password", "current_code"  # the fields of a form that prove who sends it
MOST_PASSKEYS = 20  # of one person
_TOO_LATE = "You have no password yet. This works within 15 minutes of signing in: sign in with a new link first."


class Proof(Struct, frozen=True):
    """Somebody may change how an account is entered; get one from a function below.

    `asked_from` is the network address that the letter names; empty if whoever runs the deployment did it.
    """

    user_id: str
    email: str
    asked_from: str


def prove(visit: Visit) -> Proof:
    """Check the password and, if one is set, the second factor that a form holds. Raise Invalid if either is wrong.

    Both are asked for each time, however recently the person signed in: a browser left alone for a minute must not be
    enough to enter the account for ever. Somebody whom a link let in has no password yet; they need a session that has
    just begun, or Forbidden is raised.
    """
    session, form = visit.session, visit.form
    if not session.has_password and not session.is_fresh:
        raise Forbidden(_TOO_LATE)
    asked = [PASSWORD] * session.has_password + [CODE] * session.has_totp
    if missing := [name for name in asked if not form.get(name, "").strip()]:
        raise Invalid.of(*(Fault(name, "required", "is required to do this") for name in missing))
    if session.has_password:
        visit.try_password(PASSWORD)
    if session.has_totp:
        codes.prove(visit.app, session.user_id, form[CODE], visit.counted_as(f"code:{session.user_id}"), field=CODE)
    return Proof(session.user_id, session.email, visit.address)


def by_challenge(visit: Visit) -> Proof:
    """Take a passkey's challenge that was just answered as proof: `prove` came before it, in the same session."""
    return Proof(visit.session.user_id, visit.session.email, visit.address)


def by_link(link: Link, asked_from: str) -> Proof:
    """Take a one-use link that was just used up as proof."""
    return Proof(link.user_id, link.email, asked_from)


def by_operator(db: sa.Connection, user_id: str) -> Proof:
    """Take the command of whoever runs the deployment as proof."""
    return Proof(user_id, db.execute(sa.select(users.c.email).where(users.c.id == user_id)).scalar_one(), "")


def set_password(
    db: sa.Connection,
    app: App,
    proof: Proof,
    hashed: str,
    *,
    name: str = "",
    keep: Collection[str] = (),
    proves_address: bool = False,
) -> int:
    """Set a password and return how many passkeys went with the old one: all but those to `keep`, by id.

    Every session of the person ends, and every link but invitations, which now ask for the new password. With
    `proves_address`, the person is known to read the account's mail; if that is news, whoever had the account before
    may have been anybody, so the second factor goes, too.
    """
    user_id = proof.user_id
    values: dict[str, Any] = {"password": hashed, **({"name": name} if name else {})}
    if proves_address and not db.execute(sa.select(users.c.is_proved).where(users.c.id == user_id)).scalar_one():
        values |= {"is_proved": True, **_NO_SECOND_FACTOR}
    db.execute(sa.update(users).where(users.c.id == user_id).values(**values))
    db.execute(sa.delete(sessions).where(sessions.c.user_id == user_id))
    people.forget_links(db, user_id)
    removed = forget_passkeys(db, proof, keep)
    _tell(db, app, proof, "A new password was chosen", _lost(removed))
    return removed


def turn_totp_on(
    db: sa.Connection, app: App, proof: Proof, sealed: bytes, step: int, *, session_id: str, keep: Collection[str] = ()
) -> list[str]:
    """Set an authenticator app, in place of the one there is, and return new recovery codes.

    All sessions but this one end, and all passkeys but those to `keep`: they were added without the second factor.
    """
    made = codes.replace(db, proof.user_id, totp=sealed, totp_step=step)
    db.execute(sa.delete(sessions).where(sessions.c.user_id == proof.user_id, sessions.c.id != session_id))
    db.execute(sa.update(sessions).where(sessions.c.id == session_id).values(offered=None))
    forget_passkeys(db, proof, keep)
    _tell(db, app, proof, "An authenticator app was set up as the second factor")
    return made


def turn_totp_off(db: sa.Connection, app: App, proof: Proof) -> None:
    """Remove the second factor with what is left of the recovery codes."""
    db.execute(sa.update(users).where(users.c.id == proof.user_id).values(_NO_SECOND_FACTOR))
    _tell(db, app, proof, "The second factor was turned off")


def remove_second_factor(db: sa.Connection, app: App, proof: Proof) -> None:
    """Remove the authenticator app, the recovery codes and all passkeys; nothing happens if there are none."""
    has_totp = db.execute(sa.select(users.c.totp).where(users.c.id == proof.user_id)).scalar_one() is not None
    db.execute(sa.update(users).where(users.c.id == proof.user_id).values(_NO_SECOND_FACTOR))
    removed = forget_passkeys(db, proof)
    if has_totp or removed:
        _tell(db, app, proof, "The second factor was turned off", _lost(removed))


def make_recovery_codes(db: sa.Connection, app: App, proof: Proof) -> list[str]:
    """Replace the recovery codes that are left, and return the new ones."""
    made = codes.replace(db, proof.user_id)
    _tell(db, app, proof, "New recovery codes were created")
    return made


def add_passkey(db: sa.Connection, app: App, proof: Proof, id: str, name: str, credential: bytes, count: int) -> None:
    """Add a passkey. Raise Invalid if the person has as many as they may."""
    # The person is locked, or of several that are added at once each would find room.
    db.execute(sa.select(users.c.id).where(users.c.id == proof.user_id).with_for_update())
    there_are = sa.select(sa.func.count()).select_from(passkeys).where(passkeys.c.user_id == proof.user_id)
    if db.execute(there_are).scalar_one() >= MOST_PASSKEYS:
        raise Invalid(f"You have {MOST_PASSKEYS} passkeys, which is the maximum: remove one first.")
    row = {"id": id, "user_id": proof.user_id, "name": name, "credential": credential, "count": count}
    db.execute(sa.insert(passkeys).values(**row, created_at=app.now()))
    _tell(db, app, proof, f"The passkey “{name}” was added")


def remove_passkey(db: sa.Connection, app: App, proof: Proof, id: str) -> None:
    """Remove one of the person's passkeys. Raise NotFound for any other."""
    this = (passkeys.c.user_id == proof.user_id) & (passkeys.c.id == id)
    removed = db.execute(sa.delete(passkeys).where(this).returning(passkeys.c.name)).first()
    if removed is None:
        raise NotFound
    _tell(db, app, proof, f"The passkey “{removed.name}” was removed")


def forget_passkeys(db: sa.Connection, proof: Proof, keep: Collection[str] = ()) -> int:
    """Remove all passkeys of the person but those to `keep`, by id, and return how many."""
    beyond = (passkeys.c.user_id == proof.user_id) & passkeys.c.id.not_in(sorted(keep))
    return int(db.execute(sa.delete(passkeys).where(beyond)).rowcount)


def _lost(passkeys: int) -> str:
    """What a letter says of the passkeys that a change removed."""
    return f" {passkeys} passkey{'s were' if passkeys > 1 else ' was'} removed as well." if passkeys else ""


def _tell(db: sa.Connection, app: App, proof: Proof, what: str, more: str = "") -> None:
    """Send the letter that tells of a change."""
    when = moment(app.now(), "UTC")
    by = f"from the address {proof.asked_from}" if proof.asked_from else "by whoever runs this service"
    text = f"{what} for your account at {address(app)}, on {when} UTC, {by}.{more}\n\n"
    text += "If that was you, there is nothing to do.\n\n"
    text += f"If it was not you, choose a new password at once: {address(app, '/dashboard/forgot')}\n"
    letters.send(app, db, to=proof.email, subject=what, text=text)


_NO_SECOND_FACTOR: dict[str, Any] = {"totp": None, "totp_step": None, "recovery": []}
