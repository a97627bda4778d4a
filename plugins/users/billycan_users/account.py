"""The pages of one's own account: password, second factor, and where one is signed in."""

import hashlib
from urllib.parse import quote

import segno
import sqlalchemy as sa

from billycan import Fault, Invalid, NotFound

from . import passkeys, people, rules, sealing, sessions
from .screens import Answer, Screen, address
from .tables import sessions as table
from .tables import users
from .visits import Led, Shown, Visit

_CODES = 10
_LETTERS = 32  # of a secret: 160 bits in base 32


def show_account(visit: Visit) -> Answer:
    person, app = visit.person, visit.app
    with app.db.reading() as db:
        row = db.execute(sa.select(users.c.recovery).where(users.c.id == person.user_id)).one()
        kept = passkeys.of_user(db, person.user_id)
        signed_in = sessions.of_user(db, person.user_id, app.now())
    given = visit.form.get("secret", "")
    secret = given if len(given) == _LETTERS else rules.new_totp_secret()
    issuer = address(app).partition("//")[2]
    uri = f"otpauth://totp/{quote(f'{issuer}:{person.email}')}?secret={secret}&issuer={quote(issuer)}"
    values = {
        "codes_left": len(row.recovery),
        "signed_in": signed_in,
        "totp_secret": secret,
        "totp_words": " ".join(secret[i : i + 4] for i in range(0, len(secret), 4)),
        "qr": segno.make(uri).svg_data_uri(border=2, light="#fff"),
        "passkeys": kept if passkeys.are_possible(app) else None,
    }
    return Shown("users/account.html", values)


def turn_totp_on(visit: Visit) -> Answer:
    secret, code = visit.form.get("secret", ""), visit.form.get("code", "").replace(" ", "")
    try:
        step = rules.totp_step(secret, code, visit.app.now().timestamp(), 0)
    except ValueError:
        step = None
    if step is None:
        raise Invalid.of(Fault("code", "invalid_value", "is not the code that the app shows now"))
    sealed = sealing.of_deployment(visit.app, "totp").encrypt(secret.encode())
    return _with_new_codes(visit, totp=sealed, totp_step=step)


def make_recovery_codes(visit: Visit) -> Answer:
    return _with_new_codes(visit)


def _with_new_codes(visit: Visit, **values: object) -> Answer:
    codes = [rules.new_recovery_code() for _ in range(_CODES)]
    digests = [hashlib.sha256(code.encode()).hexdigest() for code in codes]
    with visit.app.db.writing() as db:
        changed = sa.update(users).where(users.c.id == visit.person.user_id)
        db.execute(changed.values(recovery=digests, **values))
        sessions.end(db, table.c.user_id == visit.person.user_id, table.c.id != visit.person.id)
    return visit.reveal("/dashboard/account", "\n".join(codes))


def turn_totp_off(visit: Visit) -> Answer:
    with visit.app.db.writing() as db:
        changed = sa.update(users).where(users.c.id == visit.person.user_id)
        db.execute(changed.values(totp=None, totp_step=None, recovery=[]))
    return Led("/dashboard/account", "The second factor is off.")


def change_password(visit: Visit) -> Answer:
    app, person = visit.app, visit.person
    visit.try_password("old_password")
    with app.db.writing() as db:
        people.choose_password(db, person.user_id, person.email, visit.form.get("password", ""))
        visit.enter(db, person.user_id, person.email, is_complete=True, business_id=person.tenant_id or "")
    return Led("/dashboard/account", "Your password is changed, and you are signed out everywhere else.")


def end_session(visit: Visit, id: str) -> Answer:
    with visit.app.db.writing() as db:
        if not sessions.end(db, table.c.user_id == visit.person.user_id, table.c.id == id):
            raise NotFound
    return Led("/dashboard/account", "That browser is signed out.")


_HERE = "/dashboard/account"

screens = (
    Screen(_HERE, show_account, role=None),
    Screen(f"{_HERE}/totp", post=turn_totp_on, role=None, proof=True, on=_HERE),
    Screen(f"{_HERE}/totp-off", post=turn_totp_off, role=None, proof=True, on=_HERE),
    Screen(f"{_HERE}/recovery", post=make_recovery_codes, role=None, proof=True, on=_HERE),
    Screen(f"{_HERE}/password", post=change_password, role=None, on=_HERE),
    Screen(f"{_HERE}/sessions/{{id}}/end", post=end_session, role=None, on=_HERE),
)
