"""Passkeys (WebAuthn): made on the account's page, and a way in that needs no password."""

import json
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa
from fido2.server import Fido2Server
from fido2.utils import websafe_encode
from fido2.webauthn import (
    AttestedCredentialData,
    AuthenticationResponse,
    PublicKeyCredentialRpEntity,
    PublicKeyCredentialUserEntity,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)
from itsdangerous import BadData, URLSafeSerializer

from billycan import App, Invalid, NotFound
from billycan.fields import Moment, Name
from billycan.sql import upsert
from billycan.web import encode

from . import attempts, sealing, ways_in
from .reading import checked
from .screens import SIGN_IN, Answer, Screen, address, local
from .tables import answered, passkeys, users
from .visits import Led, Sent, Visit

_HERE = "/dashboard/account"
_VALID = timedelta(minutes=5)
_MOST_PROOF = 20_000  # characters, ten times what browsers send: fido2 takes the square of their number to read CBOR
# What fido2 raises of bytes that no browser sends: besides ValueError, whatever its readers of CBOR and JSON run into.
_UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, RuntimeError)
_VERIFIED = UserVerificationRequirement.REQUIRED  # what only its owner can use needs no password besides


def are_possible(app: App) -> bool:
    """Whether this deployment's address can have passkeys: browsers bind them to a domain, not to an IP address."""
    host = urlsplit(address(app)).hostname or ""
    return not host.replace(".", "").isdecimal() and ":" not in host


def _server(app: App) -> Fido2Server:
    # From the settings, never from the Host header: whoever sends that would choose what they prove.
    url = urlsplit(address(app))
    party = PublicKeyCredentialRpEntity(name=url.hostname or "", id=url.hostname)
    return Fido2Server(party, verify_origin=lambda origin: origin == f"{url.scheme}://{url.netloc}")


def _begin(visit: Visit, use: str, options: Any, state: Any) -> Answer:
    until = str(visit.app.now() + _VALID)
    visit.cookies["passkey"] = str(_states(visit.app).dumps([use, until, state]))
    return Sent(encode(dict(options)["publicKey"]), "application/json")


def _state(visit: Visit, use: str) -> Any:
    """What the browser was asked for this use; Invalid where nothing was, too long ago, or it was answered before."""
    visit.cookies["passkey"] = None
    app = visit.app
    try:
        asked_for, until, state = _states(app).loads(visit.asked)
    except BadData:
        raise Invalid("That took too long, or came from another page: please try again.") from None
    now, expires_at = app.now(), Moment.fromisoformat(until)
    if asked_for != use or expires_at <= now:
        raise Invalid("That took too long: please try again.")
    with app.db.writing() as db:
        db.execute(sa.delete(answered).where(answered.c.expires_at <= now))
        mine = upsert(answered, db).values(digest=sealing.digest(state["challenge"]), expires_at=expires_at)
        if db.execute(mine.on_conflict_do_nothing().returning(answered.c.digest)).first() is None:
            raise Invalid("This was answered already: please try again.")
    return state


def _states(app: App) -> URLSafeSerializer:
    return URLSafeSerializer(app.secrets, salt="a passkey's challenge")


def _given(visit: Visit) -> Any:
    """What the browser proved, as it wrote it down; raises one of _UNREADABLE for what no browser writes."""
    return json.loads(visit.form.get("credential", "")[:_MOST_PROOF])


def of_user(db: sa.Connection, user_id: str) -> list[Any]:
    """Somebody's passkeys, the oldest first."""
    return [*db.execute(sa.select(passkeys).where(passkeys.c.user_id == user_id).order_by(passkeys.c.created_at))]


def ask_for_new(visit: Visit) -> Answer:
    """Check the proof before the browser makes a passkey, which would otherwise stay on the device unused."""
    checked(Name, "name", visit.form.get("name", ""))
    ways_in.prove(visit)
    session = visit.session
    with visit.app.db.reading() as db:
        known = [AttestedCredentialData(row.credential) for row in of_user(db, session.user_id)]
    user = PublicKeyCredentialUserEntity(
        id=session.user_id.encode(), name=session.email, display_name=session.name or session.email
    )
    resident = ResidentKeyRequirement.REQUIRED  # so that it signs in without an email address
    asked = _server(visit.app).register_begin(
        user, known, resident_key_requirement=resident, user_verification=_VERIFIED
    )
    return _begin(visit, _adding(visit), *asked)


def _adding(visit: Visit) -> str:
    """What a challenge for a new passkey is for: only the session that gave the proof can answer it."""
    return f"add to {visit.session.user_id} in {visit.session.id}"


def add(visit: Visit) -> Answer:
    """Keep a new passkey: it answers the challenge that `ask_for_new` gave for the proof, a few minutes ago."""
    name = checked(Name, "name", visit.form.get("name", ""))
    state = _state(visit, _adding(visit))
    proof = ways_in.by_challenge(visit)
    try:
        made = _server(visit.app).register_complete(state, _given(visit))
    except _UNREADABLE:
        raise Invalid("This passkey could not be verified: please try again.") from None
    assert made.credential_data is not None  # noqa: S101 - fido2 says so
    id, credential = websafe_encode(made.credential_data.credential_id), bytes(made.credential_data)
    with visit.app.db.writing() as db:
        ways_in.add_passkey(db, visit.app, proof, id, name, credential, made.counter)
    return Led(_HERE, "The passkey is added: it signs you in without a password.")


def remove(visit: Visit, id: str) -> Answer:
    with visit.app.db.reading() as db:
        if id not in {row.id for row in of_user(db, visit.session.user_id)}:
            raise NotFound  # before a code is used up
    proof = ways_in.prove(visit)
    with visit.app.db.writing() as db:
        ways_in.remove_passkey(db, visit.app, proof, id)
    return Led(_HERE, "The passkey is removed.")


def ask_to_sign_in(visit: Visit) -> Answer:
    return _begin(visit, "enter", *_server(visit.app).authenticate_begin(user_verification=_VERIFIED))


def sign_in(visit: Visit) -> Answer:
    """Whoever holds a passkey and proved to it that they are its owner has given two factors."""
    app, state = visit.app, _state(visit, "enter")
    try:
        taken = attempts.take(app, f"address:{visit.network}")
    except attempts.Wait as wait:
        raise Invalid(f"Too many attempts: please try again in {wait}.") from None
    try:
        answer = AuthenticationResponse.from_dict(_given(visit))
        with app.db.reading() as db:
            row = db.execute(
                sa.select(passkeys, passkeys.c.count.label("times"), users.c.email)
                .join(users, users.c.id == passkeys.c.user_id)
                .where(passkeys.c.id == websafe_encode(answer.raw_id))
            ).one()
        _server(app).authenticate_complete(state, [AttestedCredentialData(row.credential)], answer)
        count = answer.response.authenticator_data.counter
        if row.times and count <= row.times:
            raise ValueError("a copy of the passkey was used")  # synced ones stay at 0
    except (*_UNREADABLE, sa.exc.NoResultFound):
        raise Invalid("This passkey is not known here.") from None
    with app.db.writing() as db:
        attempts.forgive(db, app.now(), taken)
        used = {"count": count, "used_at": app.now()}
        db.execute(sa.update(passkeys).where(passkeys.c.id == row.id).values(**used))
        visit.enter(db, row.user_id, row.email, is_complete=True)
    return Led(local(visit.form.get("next") or "/dashboard"))


screens = (
    Screen(f"{_HERE}/passkeys/new", post=ask_for_new, role=None, on=_HERE),
    Screen(f"{_HERE}/passkeys", post=add, role=None, on=_HERE),
    Screen(f"{_HERE}/passkeys/{{id}}/remove", post=remove, role=None, on=_HERE),
    Screen(f"{SIGN_IN}/passkey/ask", post=ask_to_sign_in, role=None, anybody=True, on=SIGN_IN, per_minute=60),
    Screen(f"{SIGN_IN}/passkey", post=sign_in, role=None, anybody=True, on=SIGN_IN, per_minute=60),
)
