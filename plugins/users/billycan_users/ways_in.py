"""Changes to the ways into an account: its password, second factor and passkeys. Nothing else writes these.

Each change takes a Proof, which only this module makes, and sends an email about it to the account's address.
"""

from collections.abc import Collection
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import App, Fault, Forbidden, Invalid, NotFound

from . import codes, emails, people
from .page_request import Visit
from .page_routes import page_address
from .people import Link
from .tables import passkeys, sessions, users
from .templates import moment

PASSWORD, CODE = "current_password", "current_code"  # the form fields that prove the sender
MOST_PASSKEYS = 20  # for each person
_TOO_LATE = (
    "You have no password yet. This works within 15 minutes of signing in: your account's page shows how to get a new"
    " link."
)


class Proof(Struct, frozen=True):
    """The proof that a person may change the ways into an account; the functions below make it.

    `asked_from` is the network address that the email names; empty if the operator made the change.
    """

    user_id: str
    email: str
    asked_from: str


def prove_way_in(visit: Visit) -> Proof:
    """Check the password and, if one is set, the second factor in a form. Raise Invalid if either is wrong.

    Both are required each time, however recently the person signed in: a browser left alone for a minute must not be
    enough to enter the account for ever. A person who came by a link has no password yet; they need a session that has
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
        codes.prove_code(
            visit.app, session.user_id, form[CODE], visit.counted_as(f"code:{session.user_id}"), field=CODE
        )
    return Proof(session.user_id, session.email, visit.address)


def prove_by_challenge(visit: Visit) -> Proof:
    """Take a passkey's challenge that was just answered as proof: `prove_way_in` came first, in the same session."""
    return Proof(visit.session.user_id, visit.session.email, visit.address)


def prove_by_link(link: Link, asked_from: str) -> Proof:
    """Take a one-use link that was just used up as proof."""
    return Proof(link.user_id, link.email, asked_from)


def prove_by_operator(db: sa.Connection, user_id: str) -> Proof:
    """Take the operator's command as proof."""
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
    """Set a password and remove all passkeys but those with ids in `keep`. Return the number removed.

    Every session of the person ends, and every link except invitations, which then ask for the new password. With
    `proves_address`, the person is known to read the account's mail; if that is new, anybody may have had the account
    before, so the second factor is removed too.
    """
    user_id = proof.user_id
    values: dict[str, Any] = {"password": hashed, **({"name": name} if name else {})}
    if proves_address and not db.execute(sa.select(users.c.is_proved).where(users.c.id == user_id)).scalar_one():
        values |= {"is_proved": True, **_NO_SECOND_FACTOR}
    db.execute(sa.update(users).where(users.c.id == user_id).values(**values))
    db.execute(sa.delete(sessions).where(sessions.c.user_id == user_id))
    people.forget_links(db, user_id)
    removed = forget_passkeys(db, proof, keep)
    _send_notice(db, app, proof, "A new password was chosen", _removed_passkeys(removed))
    return removed


def turn_totp_on(
    db: sa.Connection, app: App, proof: Proof, sealed: bytes, step: int, *, session_id: str, keep: Collection[str] = ()
) -> list[str]:
    """Set an authenticator app, replacing any other, and return new recovery codes.

    All other sessions end, and all passkeys except those with ids in `keep`: they were added without the second factor.
    """
    made = codes.replace_recovery_codes(db, proof.user_id, totp=sealed, totp_step=step)
    db.execute(sa.delete(sessions).where(sessions.c.user_id == proof.user_id, sessions.c.id != session_id))
    db.execute(sa.update(sessions).where(sessions.c.id == session_id).values(offered=None))
    forget_passkeys(db, proof, keep)
    _send_notice(db, app, proof, "An authenticator app was set up as the second factor")
    return made


def turn_totp_off(db: sa.Connection, app: App, proof: Proof) -> None:
    """Remove the second factor and the recovery codes."""
    db.execute(sa.update(users).where(users.c.id == proof.user_id).values(_NO_SECOND_FACTOR))
    _send_notice(db, app, proof, "The second factor was turned off")


def remove_second_factor(db: sa.Connection, app: App, proof: Proof) -> None:
    """Remove the authenticator app, the recovery codes and all passkeys. Do nothing if there are none."""
    has_totp = db.execute(sa.select(users.c.totp).where(users.c.id == proof.user_id)).scalar_one() is not None
    db.execute(sa.update(users).where(users.c.id == proof.user_id).values(_NO_SECOND_FACTOR))
    removed = forget_passkeys(db, proof)
    if has_totp or removed:
        _send_notice(db, app, proof, "The second factor was turned off", _removed_passkeys(removed))


def make_recovery_codes(db: sa.Connection, app: App, proof: Proof) -> list[str]:
    """Replace the recovery codes and return the new ones."""
    made = codes.replace_recovery_codes(db, proof.user_id)
    _send_notice(db, app, proof, "New recovery codes were created")
    return made


def add_passkey(db: sa.Connection, app: App, proof: Proof, id: str, name: str, credential: bytes, count: int) -> None:
    """Add a passkey. Raise Invalid if the person has the maximum number."""
    # Locks the person: otherwise several passkeys added at once could exceed the limit.
    db.execute(sa.select(users.c.id).where(users.c.id == proof.user_id).with_for_update())
    there_are = sa.select(sa.func.count()).select_from(passkeys).where(passkeys.c.user_id == proof.user_id)
    if db.execute(there_are).scalar_one() >= MOST_PASSKEYS:
        raise Invalid(f"You have {MOST_PASSKEYS} passkeys, which is the maximum: remove one first.")
    row = {"id": id, "user_id": proof.user_id, "name": name, "credential": credential, "count": count}
    db.execute(sa.insert(passkeys).values(**row, created_at=app.now()))
    _send_notice(db, app, proof, f"The passkey “{name}” was added")


def remove_passkey(db: sa.Connection, app: App, proof: Proof, id: str) -> None:
    """Remove one of the person's passkeys. Raise NotFound for any other."""
    this = (passkeys.c.user_id == proof.user_id) & (passkeys.c.id == id)
    removed = db.execute(sa.delete(passkeys).where(this).returning(passkeys.c.name)).first()
    if removed is None:
        raise NotFound
    _send_notice(db, app, proof, f"The passkey “{removed.name}” was removed")


def forget_passkeys(db: sa.Connection, proof: Proof, keep: Collection[str] = ()) -> int:
    """Remove the person's passkeys except those with ids in `keep`. Return the number removed."""
    beyond = (passkeys.c.user_id == proof.user_id) & passkeys.c.id.not_in(sorted(keep))
    return int(db.execute(sa.delete(passkeys).where(beyond)).rowcount)


def _removed_passkeys(passkeys: int) -> str:
    """Return the sentence about the passkeys that a change removed."""
    return f" {passkeys} passkey{'s were' if passkeys > 1 else ' was'} removed as well." if passkeys else ""


def _send_notice(db: sa.Connection, app: App, proof: Proof, what: str, more: str = "") -> None:
    """Email the person about a change."""
    when = moment(app.now(), "UTC")
    by = f"from the address {proof.asked_from}" if proof.asked_from else "by whoever runs this service"
    text = f"{what} for your account at {page_address(app)}, on {when} UTC, {by}.{more}\n\n"
    text += "If that was you, there is nothing to do.\n\n"
    text += f"If it was not you, choose a new password at once: {page_address(app, '/dashboard/forgot')}\n"
    emails.send(app, db, to=proof.email, subject=what, text=text)


_NO_SECOND_FACTOR: dict[str, Any] = {"totp": None, "totp_step": None, "recovery": []}
