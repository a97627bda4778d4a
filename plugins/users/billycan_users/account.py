"""The pages of one's own account: password, second factor, and where one is signed in."""

from urllib.parse import quote

import segno
import sqlalchemy as sa

from billycan import Forbidden, Invalid, NotFound

from . import codes, passkeys, people, sealing, sessions
from .screens import Answer, Screen, address
from .tables import sessions as table
from .tables import users
from .visits import Led, Shown, Visit


def show_account(visit: Visit) -> Answer:
    session, app = visit.session, visit.app
    with app.db.reading() as db:
        row = db.execute(sa.select(users.c.recovery).where(users.c.id == session.user_id)).one()
        kept = passkeys.of_user(db, session.user_id)
        signed_in = sessions.of_user(db, session.user_id, app.now())
        secret = codes.offered(app, db, session)
    values = {
        "codes_left": len(row.recovery),
        "signed_in": signed_in,
        "browser_of": _browser,
        "offered": _offered(visit, secret) if secret else None,
        "passkeys": kept,
        "can_have_passkeys": passkeys.are_possible(app),
    }
    return Shown("users/account.html", values)


def _browser(agent: str) -> str:
    """A browser as people call it: `Firefox on Windows`."""
    words = (next((word for mark, word in known if mark in agent), "") for known in (_BROWSERS, _SYSTEMS))
    return " on ".join(filter(None, words)) or agent[:80] or "Unknown browser"


def _offered(visit: Visit, secret: str) -> dict[str, str]:
    """A new secret as an app takes it: to scan, and to type."""
    issuer = address(visit.app).partition("//")[2]
    uri = f"otpauth://totp/{quote(f'{issuer}:{visit.session.email}')}?secret={secret}&issuer={quote(issuer)}"
    words = " ".join(secret[i : i + 4] for i in range(0, len(secret), 4))
    return {"qr": segno.make(uri).svg_data_uri(border=2, light="#fff"), "words": words}


def offer_totp(visit: Visit) -> Answer:
    """Begin to set up an authenticator app, in place of the one there is."""
    _prove_code(visit)
    codes.offer(visit.app, visit.session)
    return Led(f"{_HERE}#totp")


def turn_totp_on(visit: Visit) -> Answer:
    """Take the app whose code this is; the secret is the one that waits here, never one that a form brings."""
    app, session = visit.app, visit.session
    with app.db.reading() as db:
        secret = codes.offered(app, db, session)
    if secret is None:
        raise Invalid("There is no authenticator app to turn on: begin by setting one up.")
    step = codes.step_of(app, secret, visit.form.get("code", ""))
    sealed = sealing.of_deployment(app, "totp").encrypt(secret.encode())
    return _with_new_codes(visit, totp=sealed, totp_step=step)


def make_recovery_codes(visit: Visit) -> Answer:
    _prove_code(visit)
    return _with_new_codes(visit)


def _prove_code(visit: Visit) -> None:
    """Where there is a second factor, it is asked for besides the password before it is changed."""
    if visit.session.has_totp:
        codes.prove(visit.app, visit.session, visit.form.get("code", ""))


def _with_new_codes(visit: Visit, **values: object) -> Answer:
    session = visit.session
    with visit.app.db.writing() as db:
        made = codes.replace(db, session.user_id, **values)
        sessions.end(db, table.c.user_id == session.user_id, table.c.id != session.id)
        sessions.change(db, session.id, offered=None)
    return visit.reveal(_HERE, "\n".join(made))


def turn_totp_off(visit: Visit) -> Answer:
    _prove_code(visit)
    with visit.app.db.writing() as db:
        codes.forget(db, visit.session.user_id)
    return Led(_HERE, "The second factor is off.")


def change_password(visit: Visit) -> Answer:
    """Change the password, or choose the first: only in a session that has just begun, as there is none to ask for."""
    app, session = visit.app, visit.session
    if session.has_password:
        visit.try_password("old_password")
    elif not session.is_fresh:
        raise Forbidden(_TOO_LATE)
    chosen = people.new_password(session.email, visit.form.get("password", ""))
    with app.db.writing() as db:
        people.set_password(db, session.user_id, chosen)
        visit.enter(db, session.user_id, session.email, is_complete=True, business_id=session.tenant_id or "")
    done = "Your password is changed" if session.has_password else "You have a password now"
    return Led(_HERE, f"{done}, and you are signed out everywhere else.")


def end_session(visit: Visit, id: str) -> Answer:
    with visit.app.db.writing() as db:
        if not sessions.end(db, table.c.user_id == visit.session.user_id, table.c.id == id):
            raise NotFound
    return Led("/dashboard/account", "That browser is signed out.")


# By what the User-Agent has; most claim to be the later ones, too.
_BROWSERS = (("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
_SYSTEMS = (
    *((name, name) for name in ("Android", "iPhone", "iPad", "Windows")),
    ("Mac OS", "Mac"),
    ("Linux", "Linux"),
)
_HERE = "/dashboard/account"
_TOO_LATE = (
    "A first password can be chosen within 15 minutes of signing in: sign in with a new link, and choose it then."
)

screens = (
    Screen(_HERE, show_account, role=None),
    Screen(f"{_HERE}/totp", post=offer_totp, role=None, proof=True, on=_HERE),
    Screen(f"{_HERE}/totp-on", post=turn_totp_on, role=None, proof=True, on=_HERE),
    Screen(f"{_HERE}/totp-off", post=turn_totp_off, role=None, proof=True, on=_HERE),
    Screen(f"{_HERE}/recovery", post=make_recovery_codes, role=None, proof=True, on=_HERE),
    Screen(f"{_HERE}/password", post=change_password, role=None, on=_HERE),
    Screen(f"{_HERE}/sessions/{{id}}/end", post=end_session, role=None, on=_HERE),
)
