"""Passkeys (WebAuthn): added on the account's page, and used to sign in without a password."""

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

from . import encryption, sign_in_attempts, ways_in
from .field_values import read_field
from .page_request import Led, Sent, Visit
from .page_routes import SIGN_IN, Answer, Screen, local_path, page_address
from .tables import answered, passkeys, users

_HERE = "/dashboard/account"
_VALID = timedelta(minutes=5)
_MOST_PROOF = 20_000  # characters, ten times what browsers send: fido2 reads CBOR in quadratic time
# Errors of fido2 for bytes that no browser sends: ValueError, and those of its CBOR and JSON readers.
_UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, RuntimeError)
_VERIFIED = UserVerificationRequirement.REQUIRED  # a passkey that verifies its owner needs no password


def are_possible(app: App) -> bool:
    """Tell whether this deployment can have passkeys: browsers bind them to a domain, not to an IP address."""
    host = urlsplit(page_address(app)).hostname or ""
    return not host.replace(".", "").isdecimal() and ":" not in host


def _passkey_server(app: App) -> Fido2Server:
    # From the settings, not from the Host header: its sender could choose what to prove.
    url = urlsplit(page_address(app))
    party = PublicKeyCredentialRpEntity(name=url.hostname or "", id=url.hostname)
    return Fido2Server(party, verify_origin=lambda origin: origin == f"{url.scheme}://{url.netloc}")


def _begin_challenge(visit: Visit, use: str, options: Any, state: Any) -> Answer:
    until = str(visit.app.now() + _VALID)
    visit.cookies["passkey"] = str(_challenge_serializer(visit.app).dumps([use, until, state]))
    return Sent(encode(dict(options)["publicKey"]), "application/json")


def _read_challenge(visit: Visit, use: str) -> Any:
    """Return the challenge for this use. Raise Invalid if there is none, or if it is too old or was answered."""
    visit.cookies["passkey"] = None
    app = visit.app
    try:
        asked_for, until, state = _challenge_serializer(app).loads(visit.asked)
    except BadData:
        raise Invalid("That took too long, or came from another page: please try again.") from None
    now, expires_at = app.now(), Moment.fromisoformat(until)
    if asked_for != use or expires_at <= now:
        raise Invalid("That took too long: please try again.")
    with app.db.writing() as db:
        db.execute(sa.delete(answered).where(answered.c.expires_at <= now))
        mine = upsert(answered, db).values(digest=encryption.secret_digest(state["challenge"]), expires_at=expires_at)
        if db.execute(mine.on_conflict_do_nothing().returning(answered.c.digest)).first() is None:
            raise Invalid("This was answered already: please try again.")
    return state


def _challenge_serializer(app: App) -> URLSafeSerializer:
    return URLSafeSerializer(app.secrets, salt="a passkey's challenge")


def _read_browser_answer(visit: Visit) -> Any:
    """Return the browser's answer. Raise one of _UNREADABLE if no browser writes such an answer."""
    return json.loads(visit.form.get("credential", "")[:_MOST_PROOF])


def list_passkeys(db: sa.Connection, user_id: str) -> list[Any]:
    """List a person's passkeys, oldest first."""
    return [*db.execute(sa.select(passkeys).where(passkeys.c.user_id == user_id).order_by(passkeys.c.created_at))]


def ask_for_new(visit: Visit) -> Answer:
    """Check the proof before the browser makes a passkey, which would otherwise stay on the device unused."""
    read_field(Name, "name", visit.form.get("name", ""))
    ways_in.prove_way_in(visit)
    session = visit.session
    with visit.app.db.reading() as db:
        known = [AttestedCredentialData(row.credential) for row in list_passkeys(db, session.user_id)]
    user = PublicKeyCredentialUserEntity(
        id=session.user_id.encode(), name=session.email, display_name=session.name or session.email
    )
    resident = ResidentKeyRequirement.REQUIRED  # signs in without an email address
    asked = _passkey_server(visit.app).register_begin(
        user, known, resident_key_requirement=resident, user_verification=_VERIFIED
    )
    return _begin_challenge(visit, _adding_use(visit), *asked)


def _adding_use(visit: Visit) -> str:
    """Return the use of a challenge for a new passkey: only the session that gave the proof can answer it."""
    return f"add to {visit.session.user_id} in {visit.session.id}"


def add(visit: Visit) -> Answer:
    """Store a new passkey. It answers the challenge that `ask_for_new` gave for the proof a few minutes ago."""
    name = read_field(Name, "name", visit.form.get("name", ""))
    state = _read_challenge(visit, _adding_use(visit))
    proof = ways_in.prove_by_challenge(visit)
    try:
        made = _passkey_server(visit.app).register_complete(state, _read_browser_answer(visit))
    except _UNREADABLE:
        raise Invalid("This passkey could not be verified: please try again.") from None
    assert made.credential_data is not None  # noqa: S101 - fido2 says so
    id, credential = websafe_encode(made.credential_data.credential_id), bytes(made.credential_data)
    with visit.app.db.writing() as db:
        ways_in.add_passkey(db, visit.app, proof, id, name, credential, made.counter)
    return Led(_HERE, "The passkey is added: it signs you in without a password.")


def remove(visit: Visit, id: str) -> Answer:
    with visit.app.db.reading() as db:
        if id not in {row.id for row in list_passkeys(db, visit.session.user_id)}:
            raise NotFound  # before a code is used up
    proof = ways_in.prove_way_in(visit)
    with visit.app.db.writing() as db:
        ways_in.remove_passkey(db, visit.app, proof, id)
    return Led(_HERE, "The passkey is removed.")


def ask_to_sign_in(visit: Visit) -> Answer:
    return _begin_challenge(visit, "enter", *_passkey_server(visit.app).authenticate_begin(user_verification=_VERIFIED))


def sign_in(visit: Visit) -> Answer:
    """Sign in with a passkey. It counts as two factors, because its device checked its owner."""
    app, state = visit.app, _read_challenge(visit, "enter")
    try:
        taken = sign_in_attempts.count_attempt(app, f"address:{visit.network}")
    except sign_in_attempts.Wait as wait:
        raise Invalid(f"Too many attempts: please try again in {wait}.") from None
    try:
        answer = AuthenticationResponse.from_dict(_read_browser_answer(visit))
        with app.db.reading() as db:
            row = db.execute(
                sa.select(passkeys, passkeys.c.count.label("times"), users.c.email)
                .join(users, users.c.id == passkeys.c.user_id)
                .where(passkeys.c.id == websafe_encode(answer.raw_id))
            ).one()
        _passkey_server(app).authenticate_complete(state, [AttestedCredentialData(row.credential)], answer)
        count = answer.response.authenticator_data.counter
        if row.times and count <= row.times:
            raise ValueError("a copy of the passkey was used")  # synced ones stay at 0
    except (*_UNREADABLE, sa.exc.NoResultFound):
        raise Invalid("This passkey is not known here.") from None
    with app.db.writing() as db:
        sign_in_attempts.clear_attempts(db, app.now(), taken)
        used = {"count": count, "used_at": app.now()}
        db.execute(sa.update(passkeys).where(passkeys.c.id == row.id).values(**used))
        visit.enter(db, row.user_id, row.email, is_complete=True)
    return Led(local_path(visit.form.get("next") or "/dashboard"))


screens = (
    Screen(f"{_HERE}/passkeys/new", post=ask_for_new, role=None, on=_HERE),
    Screen(f"{_HERE}/passkeys", post=add, role=None, on=_HERE),
    Screen(f"{_HERE}/passkeys/{{id}}/remove", post=remove, role=None, on=_HERE),
    Screen(
        f"{SIGN_IN}/passkey/ask", post=ask_to_sign_in, role=None, anybody=True, always=True, on=SIGN_IN, per_minute=60
    ),
    Screen(f"{SIGN_IN}/passkey", post=sign_in, role=None, anybody=True, always=True, on=SIGN_IN, per_minute=60),
)
