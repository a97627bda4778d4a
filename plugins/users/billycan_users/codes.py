"""Codes of the second factor: from an authenticator app or the recovery codes, each good once."""

import hashlib
from typing import Any

import sqlalchemy as sa

from billycan import App, Fault, Invalid

from . import encryption, rules, sign_in_attempts
from .sessions import Session
from .tables import sessions, users

_HOW_MANY = 10


def prove_code(app: App, user_id: str, code: str, counted_as: str, *, field: str = "code") -> None:
    """Use up a code of the person's app or a recovery code. Raise Invalid, naming the field, if it is neither.

    The attempt is counted under the name `counted_as`; wrong ones wait longer each time.
    """
    try:
        taken = sign_in_attempts.count_attempt(app, counted_as)
    except sign_in_attempts.Wait as wait:
        raise _refuse_code(f"was wrong too often: please try again in {wait}", field) from None
    if not _takes_code(app, user_id, code.strip().casefold()):
        raise _refuse_code("is wrong, or was used already" if code.strip() else "is required to do this", field)
    with app.db.writing() as db:
        sign_in_attempts.clear_attempts(db, app.now(), taken)


def _takes_code(app: App, id: str, code: str) -> bool:
    with app.db.writing() as db:
        row = db.execute(sa.select(users).where(users.c.id == id).with_for_update()).one()
        secret = encryption.decrypt_text(encryption.deployment_cipher(app, "totp"), row.totp) if row.totp else None
        if secret is None:
            return False
        step = rules.totp_step(secret, code.replace(" ", ""), app.now().timestamp(), row.totp_step or 0)
        if step is not None:
            db.execute(sa.update(users).where(users.c.id == id).values(totp_step=step))
            return True
        digest = _digest_code(code)
        if digest not in row.recovery:
            return False
        left = [each for each in row.recovery if each != digest]
        db.execute(sa.update(users).where(users.c.id == id).values(recovery=left))
        return True


def offer_secret(app: App, session: Session) -> None:
    """Begin to set up an authenticator app: store a new secret with the session until one of its codes is given."""
    sealed = encryption.deployment_cipher(app, "totp").encrypt(rules.new_totp_secret().encode())
    with app.db.writing() as db:
        db.execute(sa.update(sessions).where(sessions.c.id == session.id).values(offered=sealed))


def offered_secret(app: App, db: sa.Connection, session: Session) -> str | None:
    """Return the secret that is stored with the session."""
    sealed = db.execute(sa.select(sessions.c.offered).where(sessions.c.id == session.id)).scalar()
    return encryption.decrypt_text(encryption.deployment_cipher(app, "totp"), sealed) if sealed else None


def find_step(app: App, secret: str, code: str) -> int:
    """Return the step of a new secret that has this code. Raise Invalid if none does."""
    step = rules.totp_step(secret, code.replace(" ", ""), app.now().timestamp(), 0)
    if step is None:
        raise _refuse_code("is not the code that the app shows now")
    return step


def replace_recovery_codes(db: sa.Connection, user_id: str, **values: Any) -> list[str]:
    """Replace a person's recovery codes, change these columns with them, and return the new codes."""
    made = [rules.new_recovery_code() for _ in range(_HOW_MANY)]
    changed = sa.update(users).where(users.c.id == user_id)
    db.execute(changed.values(recovery=[_digest_code(code) for code in made], **values))
    return made


def _digest_code(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


def _refuse_code(words: str, field: str = "code") -> Invalid:
    return Invalid.of(Fault(field, "invalid_value", words))
