"""The guards of an account: guesses at once, codes and challenges good once, resets, and a bound on hashing."""

import hashlib
import json
import re
import secrets
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from fido2.utils import websafe_encode

from billycan.testing import Client
from billycan_users import passwords, people, rules, ways_in
from billycan_users.commands import users as command
from billycan_users.people import invite_person
from billycan_users.sign_in_attempts import Wait, count_attempt
from billycan_users.tables import attempts, passkeys, sessions, users
from billycan_users.testing import PASSWORD, Browser

ACCOUNT = "/dashboard/account"


@pytest.fixture
def app(make_app):
    return make_app("contacts", "users", "dashboard", public_url="http://localhost")


def token_of(browser):
    return re.search(r'name="token" value="(\w+)"', browser.page.text)[1]


def id_of(app, browser):
    with app.db.reading() as db:
        return db.execute(sa.select(users.c.id).where(users.c.email == browser.email)).scalar_one()


def at_once(count, work):
    """Run `work` in this many threads that begin together, and return the results."""
    ready = threading.Barrier(count)

    def one(number):
        ready.wait()
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return [*pool.map(one, range(count))]


def stranger(app, email):
    """A browser at the sign-in page, and what a wrong guess there sends."""
    browser = Browser(app)
    browser.get("/dashboard/sign-in")
    return browser, {"email": email, "password": "a wrong sentence", "token": token_of(browser)}


def test_guesses_at_once_share_no_allowance(app, owner, monkeypatch):
    """From many addresses: as many are looked at as one after the other would be."""
    monkeypatch.setattr(passwords, "_admitted", threading.BoundedSemaphore(100))
    guessing = [stranger(app, owner.email) for _ in range(12)]
    pages = at_once(12, lambda n: guessing[n][0].web.post("/dashboard/sign-in", guessing[n][1], status="*").text)
    assert sum("is wrong" in page for page in pages) == 4
    assert sum("try again in" in page for page in pages) == 8


def test_whoever_waits_behind_another_attempt_has_guessed_no_more_often(app, monkeypatch):
    noting, name = app.db.noting, f"account:{secrets.token_hex(8)}"

    @contextmanager
    def noting_after_another():
        monkeypatch.undo()
        count_attempt(app, name)
        with noting() as db:
            yield db

    monkeypatch.setattr(app.db, "noting", noting_after_another)
    assert [*count_attempt(app, name)] == [name]


@pytest.mark.either
@pytest.mark.parametrize("name", ["user:usr_1", "address:sign_in 192.0.2.1", "letters:ada@example.com"])
def test_a_wait_that_a_wrong_clock_made_ends_with_it(app, clock, name):
    clock.move(days=30)
    with pytest.raises(Wait):
        for _ in range(40):
            count_attempt(app, name)
    clock.move(days=-30, seconds=14)
    assert [*count_attempt(app, name)] == [name]
    with pytest.raises(Wait):
        count_attempt(app, name)


@pytest.mark.either
def test_the_right_password_is_no_guess(app, owner):
    """A whole office signs in from one address, and nobody of them waits."""
    address = owner.web.extra_environ["REMOTE_ADDR"]
    owner.send("/dashboard/sign-out")
    for _ in range(30):
        assert owner.sign_in().request.path == "/dashboard"
        owner.send("/dashboard/sign-out")
        app.clock.move(seconds=10)
    with app.db.reading() as db:
        left = db.execute(sa.select(attempts.c.failures).where(attempts.c.name == f"address:{address}")).scalar()
    assert not left


@pytest.mark.either
def test_whoever_has_one_ipv6_address_has_a_whole_network(app, owner, clock):
    def guess(address):
        browser, sent = stranger(app, f"{address[-2:]}@example.com")
        browser.web.extra_environ["REMOTE_ADDR"] = address
        return browser.web.post("/dashboard/sign-in", sent, status="*").text

    for number in range(20):
        assert "is wrong" in guess(f"2001:db8:7:7::{number:02x}")
    assert "try again in" in guess("2001:db8:7:7:ffff::ab")
    assert "is wrong" in guess("2001:db8:7:8::ac")


@pytest.mark.either
def test_few_passwords_are_hashed_at_once_and_few_wait(app, owner):
    """A flood of sign-ins must not hold every thread: who finds the queue full is told so, and has not guessed."""
    browser, sent = stranger(app, owner.email)
    for _ in range(passwords.AT_ONCE + passwords.WAITING):
        assert passwords._admitted.acquire(blocking=False)
    try:
        for _ in range(6):
            page = browser.web.post("/dashboard/sign-in", {**sent, "password": PASSWORD}, status=503)
            assert "try again in a few seconds" in page.text
    finally:
        for _ in range(passwords.AT_ONCE + passwords.WAITING):
            passwords._admitted.release()
    assert browser.web.post("/dashboard/sign-in", {**sent, "password": PASSWORD}).status_int == 303


@pytest.mark.either
def test_a_password_is_hashed_outside_any_transaction(app, client, owner, monkeypatch):
    """Or whoever floods the queue would hold up everybody who writes."""
    hash_it, found = passwords._hasher.hash, []

    def hashed(password):
        with app.db.writing() as db:
            found.append(db.execute(sa.select(sa.func.count()).select_from(users)).scalar())
        return hash_it(password)

    monkeypatch.setattr(passwords, "_hasher", type("Hasher", (), {"hash": staticmethod(hashed)})())
    with app.db.writing() as db:
        _, token = invite_person(
            db, client.tenant_id, f"bob.{client.tenant_id}@example.com".lower(), "viewer", app.now()
        )
    bob = Browser(app)
    bob.get(f"/dashboard/join/{token}")
    assert bob.send(name="Bob", password=PASSWORD).request.path == "/dashboard" and len(found) == 1
    assert Browser(app).web.post("/dashboard/join/nope", {"token": "x"}, status="*").status_int == 403


def test_of_two_invitations_at_once_the_second_finds_an_account(app, client):
    """Two businesses invite one person, and both links are followed at once: one password, chosen by one of them."""
    other = Client(app)
    ann = f"ann.{client.tenant_id}@example.com".lower()
    with app.db.writing() as db:
        ours = invite_person(db, client.tenant_id, ann, "owner", app.now())[1]
        theirs = invite_person(db, other.tenant_id, ann, "viewer", app.now())[1]
    mallory = Browser(app)
    mallory.get(f"/dashboard/join/{theirs}")
    sent = {"name": "Mallory", "password": "mallory's own sentence", "token": token_of(mallory)}
    sent["seen"] = mallory.page.form["seen"].value
    hashed = people.hash_new_password(ann, PASSWORD)
    with ThreadPoolExecutor(1) as pool:
        with app.db.writing() as db:
            link = people.use_link(db, ours, people.JOIN, app.now())
            answer = pool.submit(mallory.web.post, f"/dashboard/join/{theirs}", sent, status="*")
            people.accept_invitation(db, link, app.now())
            with pytest.raises(TimeoutError):
                answer.result(0.5)
            ways_in.set_password(db, app, ways_in.prove_by_link(link, ""), hashed, name="Ann", proves_address=True)
        assert answer.result().status_int in (303, 404)
    assert "Sign in" in mallory.get("/dashboard").text
    real = Browser(app)
    assert real.sign_in(PASSWORD, ann).request.path == "/dashboard"
    assert "Derwent" in real.get("/dashboard/businesses").text


class Phone:
    """An authenticator app that was set up on the account's page; `recovery` are the codes that were shown."""

    def __init__(self, app, browser, **proof):
        self.app = app
        browser.get(ACCOUNT)
        page = browser.web.post(f"{ACCOUNT}/totp", {"token": token_of(browser)}, status=303).follow()
        self.secret = re.search(r"Or type: <span[^>]*>([A-Z2-7 ]+)", page.text)[1].replace(" ", "")
        browser.page = page
        browser.send(f"{ACCOUNT}/totp-on", code=self.code(), current_password=PASSWORD, **proof)
        self.recovery = re.search(r"<pre[^>]*>([^<]+)", browser.page.text)[1].split()

    def code(self):
        return rules.totp_code(self.secret, int(self.app.now().timestamp() // 30))


@pytest.mark.either
def test_the_secret_of_a_second_factor_comes_from_no_form(app, owner):
    chosen = "A" * 32
    sent = {"token": token_of(owner.get(ACCOUNT) and owner), "secret": chosen}
    sent["code"] = rules.totp_code(chosen, int(app.now().timestamp() // 30))
    assert owner.web.post(f"{ACCOUNT}/totp-on", sent, status="*").status_int == 422
    owner.send(f"{ACCOUNT}/totp")
    assert owner.web.post(f"{ACCOUNT}/totp-on", sent, status="*").status_int == 422
    elsewhere = Browser(app)
    elsewhere.email = owner.email
    elsewhere.sign_in()
    assert "Scan this" not in elsewhere.get(ACCOUNT).text, "it is set up in one browser"
    with app.db.reading() as db:
        offered = db.execute(sa.select(sessions.c.offered).where(sessions.c.offered.is_not(None))).scalars().all()
    secret = re.search(r"Or type: <span[^>]*>([A-Z2-7 ]+)", owner.get(ACCOUNT).text)[1].replace(" ", "")
    assert offered and not any(secret.encode() in each for each in offered)


@pytest.mark.either
def test_changing_a_second_factor_asks_for_a_present_code(app, owner, clock):
    phone = Phone(app, owner)
    proof = {"token": token_of(owner.get(ACCOUNT) and owner), "current_password": PASSWORD}
    for path in ("recovery", "totp-off"):
        for code in ("", "000000"):
            page = owner.web.post(f"{ACCOUNT}/{path}", {**proof, "current_code": code}, status=422)
            assert page.text.count('aria-invalid="true"') == 1
        clock.move(hours=1)
        owner.get(ACCOUNT)
    page = owner.web.post(f"{ACCOUNT}/recovery", {**proof, "current_code": phone.recovery[0]}, status=303).follow()
    codes = re.search(r"<pre[^>]*>([^<]+)", page.text)[1].split()
    assert len(codes) == 10 and not {*codes} & {*phone.recovery}
    owner.web.post(f"{ACCOUNT}/totp-off", {**proof, "current_code": phone.recovery[1]}, status=422)
    other = Phone(app, owner, current_code=phone.code())
    assert other.secret != phone.secret
    clock.move(minutes=1)
    owner.web.post(f"{ACCOUNT}/totp-off", {**proof, "current_code": phone.code()}, status=422)
    done = owner.web.post(f"{ACCOUNT}/totp-off", {**proof, "current_code": other.code()}, status=303)
    assert "is off" in done.follow().text


def test_codes_at_once_share_no_allowance_and_one_code_signs_in_once(app, owner, clock):
    phone = Phone(app, owner)
    clock.move(minutes=1)
    waiting = []
    for _ in range(6):
        browser = Browser(app)
        browser.email = owner.email
        browser.sign_in()
        waiting.append((browser, {"token": token_of(browser)}))
        assert "One more step" in browser.page.text
    code = phone.code()
    answers = at_once(
        6,
        lambda n: waiting[n][0].web.post("/dashboard/sign-in", {**waiting[n][1], "code": code}, status="*").status_int,
    )
    assert sorted(answers) == [303, 422, 422, 422, 422, 422]


@pytest.fixture
def passkey(app, owner, monkeypatch):
    """A passkey of the owner's; whatever is proved by it is taken as proved."""
    from fido2.server import Fido2Server
    from fido2.webauthn import AttestedCredentialData

    from billycan_users import passkeys as module

    key = {1: 2, 3: -7, -1: 1, -2: b"x" * 32, -3: b"y" * 32}
    credential = AttestedCredentialData.create(b"\0" * 16, hashlib.sha256(owner.email.encode()).digest(), key)
    row = {"id": websafe_encode(credential.credential_id), "user_id": id_of(app, owner), "name": "Phone"}
    with app.db.writing() as db:
        db.execute(sa.insert(passkeys).values(credential=bytes(credential), count=0, created_at=app.now(), **row))

    class Answer:
        raw_id = credential.credential_id
        response = type("Response", (), {"authenticator_data": type("Data", (), {"counter": 0})})

    monkeypatch.setattr(module.AuthenticationResponse, "from_dict", staticmethod(lambda given: Answer))
    monkeypatch.setattr(Fido2Server, "authenticate_complete", lambda self, state, known, answer: known[0])


def prove(browser):
    """Sign in with the passkey: what is sent, the cookie with the challenge, and the status of the answer."""
    browser.get("/dashboard/sign-in")
    sent = {"token": token_of(browser), "credential": "{}"}
    browser.web.post("/dashboard/sign-in/passkey/ask", sent)
    asked = browser.web.cookies["billycan_passkey"]
    return sent, asked, browser.web.post("/dashboard/sign-in/passkey", sent, status="*").status_int


def test_a_passkeys_challenge_is_answered_once(app, owner, passkey):
    sent, asked, status = prove(Browser(app))
    assert status == 303
    thief = Browser(app)
    thief.get("/dashboard/sign-in")
    # The end of a signature has spare bits: another spelling of the same cookie is the same challenge.
    for spelling in (
        asked,
        *(asked[:-1] + letter for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
    ):
        thief.web.set_cookie("billycan_passkey", spelling)
        answer = thief.web.post("/dashboard/sign-in/passkey", {**sent, "token": token_of(thief)}, status="*")
        assert answer.status_int in (422, 429)
        app.clock.move(seconds=4)
    assert thief.get("/dashboard").request.path == "/dashboard/sign-in"


@pytest.mark.either
def test_a_challenge_to_sign_in_adds_no_passkey(app, owner):
    owner.get(ACCOUNT)
    owner.web.post("/dashboard/sign-in/passkey/ask", {"token": token_of(owner)})
    sent = {"token": token_of(owner), "name": "Phone", "credential": "{}"}
    assert "took too long" in owner.web.post(f"{ACCOUNT}/passkeys", sent, status=422).text


def proof(client_data=b'{"type":"webauthn.get","challenge":"AA","origin":"http://localhost"}', data=b""):
    """Return the answer of a browser for a passkey with these contents; `data` is CBOR that follows."""
    rest = bytes(32) + b"\x80" + bytes(4) + data
    parts = {"clientDataJSON": client_data, "authenticatorData": rest, "attestationObject": data, "signature": b"x"}
    response = {name: websafe_encode(part) for name, part in parts.items()}
    return json.dumps({"id": "AAAA", "rawId": "AAAA", "type": "public-key", "response": response})


NO_PROOFS = ["", "null", "[]", "1", '{"id": 1}', "[" * 19_000, '{"id":"%s"}' % ("x" * 9000)]
NO_PROOFS += [proof(), proof(b"[" * 9000), proof(data=b"\x81" * 3000), proof(data=b"\xff"), proof(data=b"\xa1")]


@pytest.mark.either
@pytest.mark.parametrize("credential", NO_PROOFS)
def test_what_no_browser_writes_is_refused(app, owner, credential):
    browser = Browser(app)
    browser.get("/dashboard/sign-in")
    sent = {"token": token_of(browser), "credential": credential}
    browser.web.post("/dashboard/sign-in/passkey/ask", sent)
    assert browser.web.post("/dashboard/sign-in/passkey", sent, status="*").status_int == 422
    owner.get(ACCOUNT)
    sent = {"token": token_of(owner), "name": "Phone", "credential": credential, "current_password": PASSWORD}
    owner.web.post(f"{ACCOUNT}/passkeys/new", sent, status=200)
    assert owner.web.post(f"{ACCOUNT}/passkeys", sent, status="*").status_int == 422


@pytest.mark.either
def test_a_passkey_of_an_unknown_kind_and_a_long_proof_sign_nobody_in(app, passkey, monkeypatch):
    """fido2 takes the square of a proof's length to read it."""
    browser = Browser(app)
    browser.get("/dashboard/sign-in")

    def answer(credential):
        sent = {"token": token_of(browser), "credential": credential}
        browser.web.post("/dashboard/sign-in/passkey/ask", sent)
        return browser.web.post("/dashboard/sign-in/passkey", sent, status="*").status_int

    assert answer(json.dumps("x" * 20_000)) == 422

    def verify(*_):
        raise NotImplementedError("of a COSE key whose algorithm fido2 does not know")

    monkeypatch.setattr("fido2.server.Fido2Server.authenticate_complete", verify)
    assert answer("{}") == 422


def reset(app, browser, *words):
    @contextmanager
    def opened():
        yield app

    done = CliRunner().invoke(command, ["reset", id_of(app, browser), *words, "--json"], obj=opened)
    assert done.exit_code == 0, done.output
    return json.loads(done.output)


@pytest.mark.either
def test_a_new_password_ends_the_passkeys_of_whoever_had_the_account_before(app, owner, passkey):
    """An owner who is shown an invitation's link can make the account, and wait until its address is somebody's."""
    assert prove(Browser(app))[-1] == 303
    owner.get(reset(app, owner)["link"].removeprefix(app.public_url))
    page = owner.send(password="a second long sentence")
    assert "Your password is changed, and your passkeys are removed." in page.text and "Phone" not in page.text
    assert prove(Browser(app))[-1] == 422


@pytest.mark.either
def test_a_reset_ends_sessions_and_leaves_the_second_factor_unless_told(app, owner, passkey, clock):
    phone = Phone(app, owner, keep=True)
    first, told = reset(app, owner), reset(app, owner)
    assert (told["authenticator_app"], told["passkeys"]) == (True, 1)
    assert owner.get("/dashboard").request.path == "/dashboard/sign-in"
    owner.get(first["link"].removeprefix(app.public_url), 404)
    owner.get(told["link"].removeprefix(app.public_url))
    clock.move(minutes=1)
    assert "One more step" in owner.send(password="a second long sentence").text
    page = owner.send(code=phone.code())
    assert page.request.path == ACCOUNT and "a code from your authenticator app" in page.text
    told = reset(app, owner, "--second-factor")
    assert (told["authenticator_app"], told["passkeys"]) == (False, 0)
    owner.get(told["link"].removeprefix(app.public_url))
    page = owner.send(password="a third long sentence")
    assert page.request.path == ACCOUNT and "Set up an authenticator" in page.text
