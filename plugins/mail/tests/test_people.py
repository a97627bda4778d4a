"""Letters to people who sign in: invitations, and links to choose a new password."""

import re

import pytest

from billycan.testing import Client, counted
from billycan_users import people
from billycan_users.testing import PASSWORD, Browser


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
    (message,) = server.messages
    assert message["To"] == browser.email
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
        people.invite(db, client.tenant_id, invited, "viewer", app.now())
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


@pytest.mark.either
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


def test_an_invitation_is_mailed_too(mailing, serve, drain):
    server = serve()
    app = mailing(server, "contacts", "dashboard", "users", public_url="http://127.0.0.1:8000")
    browser = Browser(app).join(Client(app), "owner")
    browser.get("/dashboard/people")
    browser.send(email="ann@example.com", role="viewer")
    drain(app)
    assert server.messages[0]["Subject"] == "You are invited to Derwent Plumbing"
    assert re.search(r"/dashboard/join/[\w-]+", letter(server))[0] in browser.page.text


def test_a_business_cannot_write_to_the_world_by_inviting_it(mailing, serve, drain):
    server = serve()
    app = mailing(server, "contacts", "dashboard", "users", public_url="http://127.0.0.1:8000")
    browser = Browser(app).join(Client(app), "owner")
    for i in range(10):
        browser.get("/dashboard/people")
        browser.send(email=f"stranger{i}@example.com", role="viewer", status=None)
    assert "please try again in" in browser.page.text
    drain(app)
    assert len(server.messages) == 4
