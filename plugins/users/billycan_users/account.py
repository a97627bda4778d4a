"""The pages of a person's own account: password, second factor, passkeys and sessions."""

from urllib.parse import quote

import segno
import sqlalchemy as sa

from billycan import Forbidden, Invalid, NotFound

from . import codes, emails, encryption, forgotten, passkeys, people, sessions, ways_in
from .page_request import Led, Shown, Visit
from .page_routes import Answer, Screen, page_address
from .tables import sessions as table
from .tables import users


def show_account(visit: Visit) -> Answer:
    session, app = visit.session, visit.app
    with app.db.reading() as db:
        row = db.execute(sa.select(users.c.recovery).where(users.c.id == session.user_id)).one()
        kept = passkeys.list_passkeys(db, session.user_id)
        signed_in = sessions.list_sessions(db, session.user_id, app.now())
        secret = codes.offered_secret(app, db, session)
    values = {
        "codes_left": len(row.recovery),
        "signed_in": signed_in,
        "browser_of": _browser_name,
        "offered": _offer_secret(visit, secret) if secret else None,
        "passkeys": kept,
        "can_have_passkeys": passkeys.are_possible(app),
        "can_send": emails.can_send(app),
    }
    return Shown("users/account.html", values)


def _browser_name(agent: str) -> str:
    """Return the everyday name of a browser, such as `Firefox on Windows`."""
    words = (next((word for mark, word in known if mark in agent), "") for known in (_BROWSERS, _SYSTEMS))
    return " on ".join(filter(None, words)) or agent[:80] or "Unknown browser"


def _offer_secret(visit: Visit, secret: str) -> dict[str, str]:
    """Return a new secret for an authenticator app: as a QR code, and as text."""
    issuer = page_address(visit.app).partition("//")[2]
    uri = f"otpauth://totp/{quote(f'{issuer}:{visit.session.email}')}?secret={secret}&issuer={quote(issuer)}"
    words = " ".join(secret[i : i + 4] for i in range(0, len(secret), 4))
    return {"qr": segno.make(uri).svg_data_uri(border=2, light="#fff"), "words": words}


def save_name(visit: Visit) -> Answer:
    """Change the name that the people of the visitor's businesses see."""
    name = people.read_name(visit.form, "known_as")
    with visit.app.db.writing() as db:
        db.execute(sa.update(users).where(users.c.id == visit.session.user_id).values(name=name))
    return Led(_HERE, "Your name was saved.")


def offer_totp(visit: Visit) -> Answer:
    """Begin to set up an authenticator app. Nothing changes until `turn_totp_on`, which asks for the proof."""
    codes.offer_secret(visit.app, visit.session)
    return Led(f"{_HERE}#totp")


def turn_totp_on(visit: Visit) -> Answer:
    """Set the app that this code is from. The secret is the one stored with the session, never one from a form."""
    app, session = visit.app, visit.session
    with app.db.reading() as db:
        secret = codes.offered_secret(app, db, session)
    if secret is None:
        raise Invalid("There is no authenticator app to turn on: begin by setting one up.")
    step = codes.find_step(app, secret, visit.form.get("code", ""))
    sealed = encryption.deployment_cipher(app, "totp").encrypt(secret.encode())
    proof, keep = ways_in.prove_way_in(visit), _kept_passkeys(visit)
    with app.db.writing() as db:
        made = ways_in.turn_totp_on(db, app, proof, sealed, step, session_id=visit.session.id, keep=keep)
    return visit.reveal(_HERE, "\n".join(made))


def make_recovery_codes(visit: Visit) -> Answer:
    proof = ways_in.prove_way_in(visit)
    with visit.app.db.writing() as db:
        made = ways_in.make_recovery_codes(db, visit.app, proof)
    return visit.reveal(_HERE, "\n".join(made))


def turn_totp_off(visit: Visit) -> Answer:
    proof = ways_in.prove_way_in(visit)
    with visit.app.db.writing() as db:
        ways_in.turn_totp_off(db, visit.app, proof)
    return Led(_HERE, "The second factor is off.")


def change_password(visit: Visit) -> Answer:
    """Change the password. The first can be chosen only in a session that has just begun: there is none to check."""
    app, session = visit.app, visit.session
    people.check_password(session.email, visit.form.get("password", ""))
    proof = ways_in.prove_way_in(visit)
    chosen = people.hash_new_password(session.email, visit.form.get("password", ""))
    with app.db.writing() as db:
        removed = ways_in.set_password(db, app, proof, chosen, keep=_kept_passkeys(visit))
        visit.enter(db, session.user_id, session.email, is_complete=True, business_id=session.tenant_id or "")
    done = "Your password is changed" if session.has_password else "You have a password now"
    lost = f" {removed} passkey{'s are' if removed > 1 else ' is'} removed." if removed else ""
    return Led(_HERE, f"{done}, and you are signed out everywhere else.{lost}")


def mail_link(visit: Visit) -> Answer:
    """Email the visitor a link to choose the first password. Whoever has only the session does not get it."""
    if visit.session.has_password:
        raise Forbidden("You have a password: change it here, or use “Forgotten password” on the sign-in page.")
    forgotten.mail_link(visit, visit.session.user_id, visit.session.email)
    return Led(_HERE, f"A link to choose a password is on its way to {visit.session.email}. It works for an hour.")


def _kept_passkeys(visit: Visit) -> list[str]:
    """Return the ids of the passkeys that a form keeps."""
    return visit.form.get("keep", "").split()


def end_session(visit: Visit, id: str) -> Answer:
    with visit.app.db.writing() as db:
        if not sessions.end_sessions(db, table.c.user_id == visit.session.user_id, table.c.id == id):
            raise NotFound
    return Led("/dashboard/account", "That browser is signed out.")


# Parts of the User-Agent, in this order: most browsers also claim to be later ones.
_BROWSERS = (("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
_SYSTEMS = (
    *((name, name) for name in ("Android", "iPhone", "iPad", "Windows")),
    ("Mac OS", "Mac"),
    ("Linux", "Linux"),
)
_HERE = "/dashboard/account"

screens = (
    Screen(_HERE, show_account, role=None),
    Screen(f"{_HERE}/name", post=save_name, role=None, on=_HERE),
    Screen(f"{_HERE}/totp", post=offer_totp, role=None, on=_HERE),
    Screen(f"{_HERE}/totp-on", post=turn_totp_on, role=None, on=_HERE),
    Screen(f"{_HERE}/totp-off", post=turn_totp_off, role=None, on=_HERE),
    Screen(f"{_HERE}/recovery", post=make_recovery_codes, role=None, on=_HERE),
    Screen(f"{_HERE}/password", post=change_password, role=None, on=_HERE),
    Screen(f"{_HERE}/link", post=mail_link, role=None, on=_HERE),
    Screen(f"{_HERE}/sessions/{{id}}/end", post=end_session, role=None, on=_HERE),
)
