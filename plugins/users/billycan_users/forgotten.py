"""The page for a forgotten password: it emails a link to choose a new one."""

import hashlib
import secrets

import sqlalchemy as sa

from billycan import Invalid
from billycan.fields import Email

from . import emails, people, sign_in_attempts
from .field_values import read_field
from .page_request import Led, Shown, Visit
from .page_routes import Answer, Screen, page_address
from .tables import attempts as table
from .tables import users

HERE = "/dashboard/forgot"
_ASK = "Ask whoever runs this service for a link to choose a new one."
_SENT = "If this address belongs to an account, a link to choose a new password is on its way. It works for an hour."


def show(visit: Visit) -> Answer:
    return Shown("users/forgot.html", {"text": "" if emails.can_send(visit.app) else _ASK})


def ask(visit: Visit) -> Answer:
    """Email a link to the account with this address. The answer, and the work, is the same if there is none."""
    app = visit.app
    if not emails.can_send(app):
        raise Invalid(_ASK)
    email = read_field(Email, "email", visit.form.get("email", "")).casefold()
    counted = _count_link(visit, email)
    with app.db.writing() as db:
        # Written either way, so that the time does not tell if the account exists.
        db.execute(sa.update(table).where(table.c.name == counted).values(until=table.c.until))
        known = db.execute(sa.select(users.c.id).where(users.c.email == email, users.c.password.is_not(None))).first()
        nested = db.begin_nested()
        if known:
            _write_letter(visit, db, email, people.new_reset_link(db, known.id, app.now()))
            nested.commit()
        else:
            for _ in range(3):  # as many statements as a link takes
                people.forget_links(db, "")
            _write_letter(visit, db, email, secrets.token_urlsafe(32))
            nested.rollback()
    return Led("/dashboard/sign-in", _SENT)


def mail_link(visit: Visit, user_id: str, email: str) -> None:
    """Email a person who is signed in a link to choose a password."""
    if not emails.can_send(visit.app):
        raise Invalid(_ASK)
    _count_link(visit, email)
    with visit.app.db.writing() as db:
        _write_letter(visit, db, email, people.new_reset_link(db, user_id, visit.app.now()))


def _count_link(visit: Visit, email: str) -> str:
    """Count a link for an address, and return what it counts as. Raise Invalid after too many."""
    counted = f"letters:{hashlib.sha256(email.encode()).hexdigest()}"
    try:
        sign_in_attempts.count_attempt(visit.app, counted, f"forgot:{visit.network}")
    except sign_in_attempts.Wait as wait:
        raise Invalid(f"Too many links were asked for: please try again in {wait}.") from None
    return counted


def _write_letter(visit: Visit, db: sa.Connection, email: str, token: str) -> None:
    link = page_address(visit.app, f"/dashboard/join/{token}")
    text = f"Choose a new password here. The link works once, within an hour:\n\n{link}\n\n"
    text += "If you did not ask for it, ignore this message: your password stays as it is.\n"
    emails.send(visit.app, db, to=email, subject="Choose a new password", text=text)


screens = (Screen(HERE, show, ask, role=None, anybody=True, per_minute=60),)
