"""Only who gives the password and the second factor changes how an account is entered, and nothing outlasts it."""

import hashlib
import json
import re
import secrets

import pytest
import sqlalchemy as sa
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2.cose import ES256
from fido2.utils import websafe_decode, websafe_encode
from fido2.webauthn import AttestationObject, AttestedCredentialData, AuthenticatorData, CollectedClientData

from billycan.starting.packages import first_party
from billycan.testing import Client
from billycan_users import people, rules
from billycan_users.tables import passkeys, users
from billycan_users.testing import PASSWORD, Browser

pytestmark = pytest.mark.either

ACCOUNT, OPERATOR = "/dashboard/account", "/dashboard/operator"
NEW = "quite another sentence"
# Forms of the account's page that change no way in: each ends something, begins what another form completes, mails a
# link to the account's own address, or says what the person is called.
HARMLESS = {
    f"{ACCOUNT}/{form}" for form in ("name", "totp", "link", "notifications", "passkeys/new", "sessions/{id}/end")
}


@pytest.fixture
def app(make_app):
    return make_app("contacts", "users", "dashboard", "access", public_url="http://localhost")


@pytest.fixture
def operator(app, client):
    return Browser(app).join(client, is_operator=True)


def token_of(page):
    return re.search(r'name="token" value="(\w+)"', page.text)[1]


def ways_in(app, email):
    """Everything that lets somebody into an account, as it is stored."""
    with app.db.reading() as db:
        row = db.execute(sa.select(users).where(users.c.email == email)).one()
        keys = db.execute(sa.select(passkeys.c.id).where(passkeys.c.user_id == row.id).order_by(passkeys.c.id))
        return row.email, row.password, row.totp and bytes(row.totp), row.recovery, [*keys.scalars()]


class Phone:
    """An authenticator app, set up on the account's page."""

    def __init__(self, app, browser, **fields):
        self.app = app
        browser.get(ACCOUNT)
        page = browser.send(f"{ACCOUNT}/totp")
        self.secret = re.search(r"Or type: <span[^>]*>([A-Z2-7 ]+)", page.text)[1].replace(" ", "")
        browser.send(f"{ACCOUNT}/totp-on", code=self.code(), current_password=PASSWORD, **fields)
        self.recovery = re.search(r"<pre[^>]*>([^<]+)", browser.page.text)[1].split()

    def code(self):
        return rules.totp_code(self.secret, int(self.app.now().timestamp() // 30))


class Device:
    """A person's device, which adds a passkey and signs in with it, with or without verifying its owner."""

    def __init__(self):
        self.key, self.id = ec.generate_private_key(ec.SECP256R1()), secrets.token_bytes(32)

    def add(self, browser, **fields):
        """Add a passkey on the account's page; the last answer of the server."""
        sent = {"token": token_of(browser.get(ACCOUNT)), "name": "Device", **fields}
        asked = browser.web.post(f"{ACCOUNT}/passkeys/new", sent, status="*")
        if asked.status_int != 200:
            return asked
        credential = AttestedCredentialData.create(
            b"\0" * 16, self.id, ES256.from_cryptography_key(self.key.public_key())
        )
        made = AttestationObject.create("none", self._data(credential=credential), {})
        sent["credential"] = self._proof("webauthn.create", asked.json["challenge"], {"attestationObject": made})
        return browser.web.post(f"{ACCOUNT}/passkeys", sent, status="*")

    def sign_in(self, browser, *, verifies=True):
        """Sign in; the status of the answer."""
        sent = {"token": token_of(browser.get("/dashboard/sign-in"))}
        challenge = browser.web.post("/dashboard/sign-in/passkey/ask", sent).json["challenge"]
        data = self._data(verifies=verifies)
        client = self._client("webauthn.get", challenge)
        signature = self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        parts = {"authenticatorData": data, "signature": signature, "userHandle": b""}
        sent["credential"] = self._proof("webauthn.get", challenge, parts)
        return browser.web.post("/dashboard/sign-in/passkey", sent, status="*").status_int

    def _data(self, *, verifies=True, credential=b""):
        flags = AuthenticatorData.FLAG.UP | (AuthenticatorData.FLAG.UV if verifies else 0)
        flags |= AuthenticatorData.FLAG.AT if credential else 0
        return AuthenticatorData.create(hashlib.sha256(b"localhost").digest(), flags, 0, credential)

    def _client(self, kind, challenge):
        return CollectedClientData.create(kind, websafe_decode(challenge), "http://localhost")

    def _proof(self, kind, challenge, parts):
        parts = {"clientDataJSON": self._client(kind, challenge), **parts}
        response = {name: websafe_encode(bytes(part)) for name, part in parts.items()}
        id = websafe_encode(self.id)
        return json.dumps({"id": id, "rawId": id, "type": "public-key", "response": response})


def test_every_form_of_the_account_that_changes_a_way_in_asks_for_the_proof(app, owner, clock, monkeypatch):
    """Each is sent with all that it needs but the proof, which is missing, half there or wrong; then with it.

    Each change sends one letter, and what was refused sends none.
    """
    device, letters = Device(), []
    monkeypatch.setattr("billycan_users.emails.send", lambda app, db, **letter: letters.append(letter))
    assert device.add(owner, current_password=PASSWORD).status_int == 303
    phone = Phone(app, owner, keep=True)
    clock.move(minutes=1)
    owner.get(ACCOUNT)
    owner.send(f"{ACCOUNT}/totp")
    offered = re.search(r"Or type: <span[^>]*>([A-Z2-7 ]+)", owner.page.text)[1].replace(" ", "")
    id = ways_in(app, owner.email)[-1][0]
    valid = {
        f"{ACCOUNT}/recovery": lambda: {},
        f"{ACCOUNT}/totp-on": lambda: {
            "code": rules.totp_code(offered, int(app.now().timestamp() // 30)),
            "keep": id,
        },
        f"{ACCOUNT}/passkeys/{{id}}/remove": lambda: {},
        f"{ACCOUNT}/passkeys": None,
        f"{ACCOUNT}/password": lambda: {"password": NEW},
        f"{ACCOUNT}/totp-off": lambda: {},
    }
    forms = {
        path
        for path, _, page in app.pages
        if path.startswith(ACCOUNT) and getattr(page, "screen", None) and page.screen.post
    }
    assert forms == {*valid} | HARMLESS, "a new form: say here whether it changes how the account is entered"
    password = PASSWORD
    for path, fields in valid.items():
        before = ways_in(app, owner.email)
        letters.clear()
        # A session that has just begun is no proof.
        for given in (
            {},
            {"current_password": password},
            {"current_code": "now"},
            {"current_password": "not this one", "current_code": "now"},
            {"current_password": password, "current_code": "000000"},
        ):
            clock.move(hours=1)
            proof = {name: phone.code() if text == "now" else text for name, text in given.items()}
            if fields is None:
                answer = Device().add(owner, **proof)
            else:
                sent = {"token": token_of(owner.get(ACCOUNT)), **fields(), **proof}
                answer = owner.web.post(path.replace("{id}", id), sent, status="*")
            assert answer.status_int == 422, (path, given)
            assert "required to do this" in answer.text or "is wrong" in answer.text.casefold(), (path, given)
            now = ways_in(app, owner.email)
            assert now == before and not letters, (path, given)
        clock.move(hours=1)
        proof = {"current_password": password, "current_code": phone.code()}
        if fields is None:
            answer = Device().add(owner, **proof)
        else:
            sent = {"token": token_of(owner.get(ACCOUNT)), **fields(), **proof}
            answer = owner.web.post(path.replace("{id}", id), sent, status="*")
        assert answer.status_int == 303, (path, answer.text)
        owner.page = answer.follow()
        assert ways_in(app, owner.email) != before, path
        assert [letter["to"] for letter in letters] == [owner.email], path
        if path.endswith("/totp-on"):
            phone.secret = offered
        if path.endswith("/password"):
            password = NEW


@pytest.mark.whole
@pytest.mark.sqlite_alone  # the forms of the account, which are for that, are sent on PostgreSQL, too
def test_no_form_at_all_changes_a_way_in_without_the_proof(make_app):
    """Whatever page it is on, of whatever plugin."""
    app = make_app(*first_party())
    owner = Browser(app).join(Client(app), is_operator=True)
    Phone(app, owner)
    before, walked = ways_in(app, owner.email), 0
    guess = {"current_password": "not this one", "current_code": "000000", "code": "000000", "old_password": "x"}
    more = {"name": "x", "email": "eve@example.com", "password": NEW, "remove": "yes", "role": "viewer"}
    for path, _, page in app.pages:
        screen = getattr(page, "screen", None)
        if screen is None or screen.post is None or path in ("/dashboard/sign-out", "/dashboard/sign-in"):
            continue
        app.clock.move(minutes=16)
        with app.db.reading() as db:
            id = db.execute(sa.select(users.c.id).where(users.c.email == owner.email)).scalar_one()
        # The ids of a path are their own, and then nobody's; most paths have none.
        for place in dict.fromkeys(re.sub(r"{\w+}", filled, path) for filled in (id, secrets.token_urlsafe(8))):
            sent = {"token": token_of(owner.get(ACCOUNT)), **guess, **more}
            owner.web.post(place, sent, status="*")
            assert ways_in(app, owner.email) == before, path
        walked += 1
    assert walked > 40


def test_a_passkey_is_added_in_the_session_that_gave_the_proof_alone(app, owner):
    """A cookie that somebody took of a challenge adds nothing elsewhere."""
    sent = {"token": token_of(owner.get(ACCOUNT)), "name": "Phone", "current_password": PASSWORD}
    owner.web.post(f"{ACCOUNT}/passkeys/new", sent, status=200)
    thief = Browser(app)
    thief.sign_in(PASSWORD, owner.email)
    thief.web.set_cookie("billycan_passkey", owner.web.cookies["billycan_passkey"])
    sent = {"token": token_of(thief.get(ACCOUNT)), "name": "Mine", "credential": "{}"}
    assert "took too long" in thief.web.post(f"{ACCOUNT}/passkeys", sent, status=422).text


def test_a_passkey_opens_the_operators_pages_only_where_it_verified_its_owner(app, operator, clock):
    phone = Phone(app, operator)
    clock.move(minutes=1)
    device = Device()
    assert device.add(operator, current_password=PASSWORD).status_int == 422, "a code is asked for"
    assert device.add(operator, current_password=PASSWORD, current_code=phone.code()).status_int == 303
    found = Browser(app)
    assert device.sign_in(found, verifies=False) == 422, "whoever found it has one factor"
    assert found.get(OPERATOR).request.path == "/dashboard/sign-in"
    own = Browser(app)
    assert device.sign_in(own) == 303
    assert own.get(OPERATOR).request.path == OPERATOR


def test_a_passkey_that_a_password_alone_added_ends_with_the_second_factor(app, operator, clock):
    """Somebody with the password waits in the account: whoever turns a second factor on shuts them out."""
    planted, known = Device(), Device()
    for device in (planted, known):
        assert device.add(operator, current_password=PASSWORD).status_int == 303
    Phone(app, operator)
    for device in (planted, known):
        assert device.sign_in(Browser(app)) == 422
    assert ways_in(app, operator.email)[-1] == []


def test_after_a_new_password_nothing_else_enters_but_what_was_kept(app, owner):
    planted, known, elsewhere = Device(), Device(), Browser(app)
    for device in (planted, known):
        assert device.add(owner, current_password=PASSWORD).status_int == 303
    assert planted.sign_in(elsewhere) == 303
    sent = {"token": token_of(owner.get(ACCOUNT)), "password": NEW, "current_password": PASSWORD}
    sent["keep"] = websafe_encode(known.id)
    page = owner.web.post(f"{ACCOUNT}/password", sent, status=303).follow()
    assert "1 passkey is removed" in page.text
    assert elsewhere.get("/dashboard").request.path == "/dashboard/sign-in"
    assert planted.sign_in(Browser(app)) == 422
    assert known.sign_in(Browser(app)) == 303
    sent = {"token": token_of(owner.get(ACCOUNT)), "password": PASSWORD, "current_password": NEW}
    owner.web.post(f"{ACCOUNT}/password", sent, status=303)
    assert known.sign_in(Browser(app)) == 422


def test_wrong_codes_of_whoever_has_the_password_spare_a_browser_that_is_known(app, owner, clock):
    phone, stranger = Phone(app, owner), Browser(app)
    stranger.sign_in(PASSWORD, owner.email)
    for _ in range(8):
        page = stranger.send(code="000000", status=422)
        clock.move(seconds=1)
    assert "wrong too often" in page.text
    owner.get("/dashboard")
    owner.send("/dashboard/sign-out")
    owner.sign_in()
    assert owner.send(code=phone.recovery[0]).request.path == "/dashboard"
    assert "wrong too often" in stranger.send(code=phone.recovery[1], status=422).text


def mallorys(app, client, owner):
    """An account that somebody made with a link which was shown to them: with a passkey, an app and a session."""
    ann = f"ann.{client.tenant_id}@example.com".lower()
    with app.db.writing() as db:
        boss = db.execute(sa.select(users.c.id).where(users.c.email == owner.email)).scalar_one()
        _, token = people.invite_person(db, client.tenant_id, ann, "viewer", app.now(), made_by=boss)
    mallory, device = Browser(app), Device()
    mallory.email = ann
    mallory.get(f"/dashboard/join/{token}")
    mallory.send(name="Mallory", password=PASSWORD)
    assert device.add(mallory, current_password=PASSWORD).status_int == 303
    Phone(app, mallory, keep=True)
    return mallory, device


def test_a_reset_of_an_account_that_nobody_proved_clears_all_factors(app, client, owner):
    mallory, device = mallorys(app, client, owner)
    with app.db.writing() as db:
        id = db.execute(sa.select(users.c.id).where(users.c.email == mallory.email)).scalar_one()
        token = people.new_reset_link(db, id, app.now())
    ann = Browser(app)
    ann.get(f"/dashboard/join/{token}")
    assert ann.send(password=NEW).request.path == ACCOUNT, "no code of somebody else's app is asked for"
    assert ways_in(app, mallory.email)[2:] == (None, [], []) and device.sign_in(Browser(app)) == 422
    assert mallory.get("/dashboard").request.path == "/dashboard/sign-in"
    # From now on the account is Ann's, and a reset leaves her second factor.
    ann.get(ACCOUNT)
    page = ann.send(f"{ACCOUNT}/totp")
    secret = re.search(r"Or type: <span[^>]*>([A-Z2-7 ]+)", page.text)[1].replace(" ", "")
    code = rules.totp_code(secret, int(app.now().timestamp() // 30))
    ann.send(f"{ACCOUNT}/totp-on", code=code, current_password=NEW)
    with app.db.writing() as db:
        token = people.new_reset_link(db, id, app.now())
    ann.get(f"/dashboard/join/{token}")
    assert "One more step" in ann.send(password=PASSWORD).text


def test_an_invitation_that_only_the_mailbox_has_clears_all_factors_of_an_unproved_account(app, client, owner):
    mallory, device = mallorys(app, client, owner)
    other = Client(app, profile={"name": "Second"})
    with app.db.writing() as db:
        _, token = people.invite_person(db, other.tenant_id, mallory.email, "viewer", app.now(), is_mailed_only=True)
    ann = Browser(app)
    ann.get(f"/dashboard/join/{token}")
    ann.send(name="Ann", password=NEW)
    assert "Second" in ann.get("/dashboard/businesses").text
    assert ways_in(app, mallory.email)[2:] == (None, [], []) and device.sign_in(Browser(app)) == 422
    assert mallory.get("/dashboard").request.path == "/dashboard/sign-in"
