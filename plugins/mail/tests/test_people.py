"""Letters to people who sign in: invitations, and links to choose a new password."""

import json
import re
from contextlib import nullcontext

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from billycan.testing import Client, counted
from billycan_users import people, rules
from billycan_users.commands import users as command
from billycan_users.tables import users
from billycan_users.testing import PASSWORD, Browser

pytestmark = pytest.mark.either


def letter(server):
    return server.messages[-1].get_content()


def ask(app, email, status=200):
    browser = Browser(app)
    browser.get("/dashboard/forgot")
    return browser.send(email=email, status=status).text


def test_who_forgot_a_password_chooses_a_new_one_and_is_signed_out_elsewhere(mailing, serve, drain, clock):
    server = serve()
    app = mailing(server, "contacts", "dashboard", "users", public_url="http://127.0.0.1:8000")
    browser = Browser(app).join(Client(app), "owner")
    told = ask(app, browser.email.upper())
    assert "a link to choose a new password is on its way" in told
    assert ask(app, "nobody@example.com").replace("nobody@example.com", "").count("on its way") == 1
    drain(app)
    message = server.messages[-1]
    assert message["To"] == browser.email and message["Subject"] == "Choose a new password"
    link = re.search(r"(/dashboard/join/[\w-]+)", letter(server))[1]
    other = Browser(app)
    other.get(link)
    other.send(password="another long sentence")
    assert "Your password is changed" in other.page.text
    other.get(link, 404)
    assert "Forgotten your password?" in browser.get("/dashboard/account").text, "signed out"
    assert "is wrong" in Browser(app).sign_in(PASSWORD, browser.email).text
    ask(app, browser.email)
    drain(app)
    link = re.search(r"(/dashboard/join/[\w-]+)", letter(server))[1]
    clock.move(hours=1, seconds=1)
    Browser(app).get(link, 404)


def test_nothing_tells_whether_an_address_is_known(mailing, serve):
    app = mailing(serve(), "contacts", "dashboard", "users", public_url="http://127.0.0.1:8000")
    client, invited = Client(app), "invited@example.com"
    known = Browser(app).join(client, "owner").email
    with app.db.writing() as db:
        people.invite_person(db, client.tenant_id, invited, "viewer", app.now())
    pages, statements = [], []
    for email in (known, invited, "nobody@example.com"):
        browser = Browser(app)
        browser.get("/dashboard/forgot")
        with counted(app) as sent:
            page = browser.send(email=email)
        pages.append(re.sub(r'value="[^"]*"', "", page.text))
        statements.append(len(sent))
    assert pages[0] == pages[1] == pages[2]
    assert statements[0] == statements[1] == statements[2], "as many, with those that a savepoint takes"
    for email in (known, "nobody@example.com"):
        said = [ask(app, email, None) for _ in range(6)]
        assert "Too many links were asked for" in said[-1]


def test_an_address_gets_few_letters_a_day_whoever_asks_for_them(mailing, serve, drain, clock):
    server = serve()
    app = mailing(server, "contacts", "dashboard", "users", public_url="http://127.0.0.1:8000")
    email = Browser(app).join(Client(app), "owner").email
    for _ in range(24 * 3):
        ask(app, email, None)
        clock.move(minutes=20)
    drain(app)
    assert 10 < len(server.messages) < 20
    clock.move(days=2)
    assert "on its way" in ask(app, email)


def test_an_invitation_is_mailed_and_its_link_shown_to_nobody(mailing, serve, drain):
    server = serve()
    app = mailing(server, "contacts", "dashboard", "users", public_url="http://127.0.0.1:8000")
    browser = Browser(app).join(Client(app), "owner")
    browser.get("/dashboard/people")
    browser.send(email="ann@example.com", role="viewer")
    assert "on its way to ann@example.com" in browser.page.text and "/dashboard/join/" not in browser.page.text
    drain(app)
    assert server.messages[-1]["Subject"] == "You are invited to Derwent Plumbing"
    ann = Browser(app)
    ann.get(re.search(r"/dashboard/join/[\w-]+", letter(server))[0])
    ann.send(name="Ann", password=PASSWORD)
    assert "Derwent" in ann.get("/dashboard/businesses").text


def test_an_invitation_tells_the_inviter_nothing_of_the_address(mailing, serve, drain):
    """The page and the number of statements are the same with and without an account, old or new, except for the
    invitation's id. No page shows the id of somebody who has not accepted, and inviting again gives another one.
    """
    app = mailing(serve(), "contacts", "dashboard", "users", public_url="http://127.0.0.1:8000")
    client, elsewhere = Client(app), Client(app)
    browser = Browser(app).join(client, "owner")
    known = Browser(app).join(elsewhere, "viewer").email
    with app.db.reading() as db:
        (owner,) = db.execute(sa.select(users.c.id).where(users.c.email == browser.email)).scalars()
    told, ids = [], []
    for email in (known, "nobody@example.com", known):
        browser.get("/dashboard/people")
        with counted(app) as sent:
            browser.send(email=email, role="viewer")
        assert set(re.findall(r"usr_\w+", browser.page.text)) == {owner}
        ids += re.findall(r"/dashboard/people/(lnk_\w+)", browser.page.text)
        page = re.sub(r'value="[^"]*"', "", browser.page.text.replace(email, "").replace(ids[-1], ""))
        told.append((len(sent), page))
        browser.get("/dashboard/people")
        browser.send(f"/dashboard/people/{ids[-1]}", role="developer")
        browser.send(f"/dashboard/people/{ids[-1]}", button="remove=yes")
        assert "lnk_" not in browser.page.text
    assert told[0] == told[1] == told[2] and len(set(ids)) == 3


@pytest.mark.parametrize("has_secret", [True, False], ids=["with-the-secret", "without"])
def test_a_letter_tells_that_the_operator_turned_the_second_factor_off(mailing, serve, drain, monkeypatch, has_secret):
    server = serve()
    app = mailing(server, "contacts", "dashboard", "users", public_url="http://127.0.0.1:8000")
    browser = Browser(app).join(Client(app), "owner")
    drain(app)
    server.messages.clear()
    with app.db.writing() as db:
        (user_id,) = db.execute(sa.select(users.c.id).where(users.c.email == browser.email)).one()
        db.execute(sa.update(users).where(users.c.id == user_id).values(totp=b"sealed"))
    secrets = app.secrets
    for time in ("first", "second"):  # the second time there is nothing to turn off, and so nothing to tell
        with monkeypatch.context() as patched:
            patched.setattr(app, "secrets", secrets if has_secret else [])
            words = ["reset", user_id, "--second-factor", "--json"]
            done = CliRunner().invoke(command, words, obj=lambda: nullcontext(app))
        assert done.exit_code == 0 and json.loads(done.output)["authenticator_app"] is False, done.output
        drain(app)
        assert len(server.messages) == has_secret, time
    for message in server.messages:
        assert message["To"] == browser.email and message["Subject"] == "The second factor was turned off"
        assert "by whoever runs this service." in message.get_content()


def test_a_letter_tells_of_each_change_of_how_an_account_is_entered(mailing, serve, drain, clock):
    server = serve()
    app = mailing(server, "contacts", "dashboard", "users", public_url="http://127.0.0.1:8000")
    browser = Browser(app).join(Client(app), "owner")
    browser.get("/dashboard/account")
    page = browser.send("/dashboard/account/totp")
    secret = re.search(r"Or type: <span[^>]*>([A-Z2-7 ]+)", page.text)[1].replace(" ", "")

    def code():
        clock.move(minutes=1)
        return rules.totp_code(secret, int(app.now().timestamp() // 30))

    proof = {"current_password": PASSWORD}
    browser.send("/dashboard/account/totp-on", code=code(), **proof)
    browser.get("/dashboard/account")
    browser.send("/dashboard/account/recovery", current_code=code(), **proof)
    browser.send("/dashboard/account/password", password="another long sentence", current_code=code(), **proof)
    token = re.search(r'name="token" value="(\w+)"', browser.get("/dashboard/account").text)[1]
    proof = {"token": token, "current_password": "another long sentence", "current_code": code()}
    browser.web.post("/dashboard/account/totp-off", proof, status=303)
    clock.move(minutes=1)
    drain(app)
    assert {message["To"] for message in server.messages} == {browser.email}
    assert sorted(message["Subject"] for message in server.messages) == [
        "A new password was chosen",
        "A new password was chosen",  # the first, when the invitation was accepted
        "An authenticator app was set up as the second factor",
        "New recovery codes were created",
        "The second factor was turned off",
    ]
    address = browser.web.extra_environ["REMOTE_ADDR"]
    for message in server.messages:
        text = message.get_content()
        assert f"from the address {address}" in text and "http://127.0.0.1:8000/dashboard/forgot" in text


def test_a_business_cannot_write_to_the_world_by_inviting_it(mailing, serve, drain):
    server = serve()
    app = mailing(server, "contacts", "dashboard", "users", public_url="http://127.0.0.1:8000")
    browser = Browser(app).join(Client(app), "owner")
    for i in range(10):
        browser.get("/dashboard/people")
        browser.send(email=f"stranger{i}@example.com", role="viewer", status=None)
    assert "please try again in" in browser.page.text
    drain(app)
    assert sum(message["Subject"].startswith("You are invited") for message in server.messages) == 4
