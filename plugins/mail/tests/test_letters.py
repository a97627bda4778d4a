"""Letters of the platform, bounces, unsubscribing, and the settings of mail."""

import pytest
import sqlalchemy as sa

from billycan import Context, Invalid
from billycan.starting.settings import SettingsError
from billycan.testing import Client, run_timed
from billycan_mail import bouncing, unsubscribe
from billycan_mail.api import can_send, email_document, send
from billycan_mail.message import return_path_of
from billycan_mail.settings import Settings
from billycan_mail.tables import letters

pytestmark = pytest.mark.either


def row_of(app):
    with app.db.reading() as db:
        return db.execute(sa.select(letters)).one()


def test_a_letter_goes_out_with_its_transaction_and_is_not_kept(mailing, serve, drain):
    server = serve()
    app = mailing(server, "contacts")
    assert can_send(app)
    with pytest.raises(RuntimeError), app.db.writing() as db:
        send(app, db, to="ann@example.com", subject="Never", text="Never")
        raise RuntimeError
    with app.db.writing() as db:
        send(app, db, to="ann@example.com", subject="Hello\nBcc: eve@evil.example", text="https://x.example/secret\n")
    assert b"secret" not in row_of(app).sealed
    assert drain(app) == 1
    (message,) = server.messages
    assert (message["From"], message["To"]) == ("Billycan <mail@example.com>", "ann@example.com")
    assert message["Subject"] == "Hello Bcc: eve@evil.example" and message["Bcc"] is None
    assert message.get_content().strip() == "https://x.example/secret"
    row = row_of(app)
    assert (row.status, row.sealed) == ("sent", None)


def test_a_letter_is_tried_again(mailing, serve, drain, clock):
    server = serve()
    server.end = "451 busy"
    app = mailing(server, "contacts")
    with app.db.writing() as db:
        send(app, db, to="ann@example.com", subject="Hello", text="Hello")
    drain(app)
    assert (row_of(app).status, row_of(app).failures) == ("queued", 1)
    server.end = "250 OK"
    clock.move(seconds=551)
    drain(app)
    assert row_of(app).status == "sent"
    clock.move(days=31)
    Client(app)
    run_timed(app)
    with app.db.reading() as db:
        assert db.execute(sa.select(letters)).all() == []


def test_a_letter_that_no_server_would_take_fails_and_the_next_goes_out(mailing, serve, drain):
    server = serve()
    app = mailing(server, "contacts")
    with app.db.writing() as db:
        for to in ("büro@example.com", "=?utf-8?q?a?=@example.com", "ann@büro.example"):
            send(app, db, to=to, subject="Hello", text="Hello")
        send(app, db, to="ann@example.com", subject="=?utf-8?q?=0ABcc=3A_eve=40evil.example?=", text="Hello")
        send(app, db, to="bob@example.com", subject="Hello", text="secret")
        db.execute(sa.update(letters).where(letters.c.address == "bob@example.com").values(sealed=b"another's"))
    drain(app)
    (message,) = server.messages
    assert message["To"] == "ann@example.com" and message["Bcc"] is None
    with app.db.reading() as db:
        found = dict(db.execute(sa.select(letters.c.address, letters.c.status)).all())
    assert [address for address, status in found.items() if status == "sent"] == ["ann@example.com"]
    assert set(found.values()) == {"sent", "failed"}


@pytest.mark.sqlite_alone
def test_without_a_server_no_letter_is_kept(make_app):
    app = make_app("mail", fresh=True)
    with app.db.writing() as db:
        send(app, db, to="ann@example.com", subject="Hello", text="Hello")
        assert db.execute(sa.select(letters)).all() == []
    assert not can_send(app)


REPORT = """\
From: MAILER-DAEMON@relay.example
To: {to}
Subject: Undelivered Mail Returned to Sender
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="b"

--b
Content-Type: text/plain

Sorry.
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; relay.example

Final-Recipient: rfc822; {address}
Action: {action}
Status: {status}
Diagnostic-Code: smtp; 550 5.1.1 no such user

--b
Content-Type: text/rfc822-headers

Message-ID: <{id}@example.com>

--b--
"""


def report(app, id, address="ada@client.example", action="failed", status="5.1.1", to=None):
    to = to or return_path_of(app, id)
    text = REPORT.format(to=to, address=address, action=action, status=status, id=id)
    return bouncing.handle_bounce(app, text.encode())


@pytest.mark.parametrize("bounces", ["bounces@example.com", None])
def test_what_bounced_has_failed_and_is_not_written_to(mailing, serve, sold, drain, bounces):
    server = serve()
    app = mailing(server, **({"bounces": bounces} if bounces else {}))
    client, invoice = sold(app)
    id = client.post(f"/v1/invoices/{invoice['id']}/email")["data"]["id"]
    drain(app)
    sender = server.envelopes[0][0]
    assert sender.startswith(f"bounces+{id}." if bounces else "mail@example.com")
    assert report(app, id, action="delayed", status="4.4.1") == []
    assert report(app, id, address="stranger@client.example") == []
    if bounces:
        assert report(app, id, to=f"bounces+{id}.0123456789abcdef@example.com") == [], "nobody can make that up"
    assert report(app, id, to=sender) == ["ada@client.example"]
    assert report(app, id, to=sender) == [], "once"
    email = client.get(f"/v1/emails/{id}")["data"]
    assert (email["status"], email["last_error"]) == ("failed", "bounced")
    assert email["recipients"][0]["detail"] == "550 5.1.1 no such user"
    assert [e for e in client.events() if e.startswith("email.")] == ["email.sent", "email.failed"]
    (kept,) = client.get("/v1/suppressed_addresses?reason=bounced")["data"]
    assert kept["address"] == "ada@client.example"


QUOTED = b"Content-Type: multipart/report; boundary=b\n\n--b\nContent-Type: KIND\n\n\xff\n--b--\n"


@pytest.mark.sqlite_alone
def test_an_odd_report_says_nothing_and_breaks_nothing(mailing, serve, sold):
    app = mailing(serve())
    client, invoice = sold(app)
    to = return_path_of(app, client.post(f"/v1/invoices/{invoice['id']}/email")["data"]["id"]).encode()
    for text in (
        b"",
        b"\xff",
        b"To: =?utf-8?q?=0d?= <" + to + b">, \xff@x\n\n",
        b"To: " + to + b"\nContent-Type: message/delivery-status\nContent-Transfer-Encoding: base64\n\nQWN0aW9u\n",
        b"To: " + to + b"\n" + b"Content-Type: message/rfc822\n\n" * 200,
        b"To: " + to + b"\n" + b"Content-Type: message/rfc822\n\n" * 5_000,
        b"To: " + b"a" * (3 << 20) + b"\n\n",
        QUOTED.replace(b"KIND", b"text/rfc822-headers; charset=unknown"),
        QUOTED.replace(b"KIND", b"message/rfc822\n\nContent-Type: text/plain; charset=\xff"),
        b"To: " + to + b"\nContent-Type: message/delivery-status\n\nFinal-Recipient: rfc822; \0@x\nAction: failed\n"
        b"Status: 5.1.1\n\n",
    ):
        assert bouncing.handle_bounce(app, text) == []


def test_whoever_unsubscribes_gets_no_reminders_but_invoices(mailing, serve, sold, drain):
    server = serve()
    app = mailing(server)
    client, invoice = sold(app)
    client.post(f"/v1/invoices/{invoice['id']}/send", status=200)

    def remind():
        ctx = Context(app, client.tenant_id)
        with ctx.transaction():
            return email_document(ctx, "/v1/invoices/{id}", invoice["id"], reminder=True)

    remind()
    drain(app)
    (message,) = server.messages
    assert message["Subject"] == "Reminder: invoice INV-0001 from Derwent Plumbing"
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert "=?" not in dict(message.raw_items())["List-Unsubscribe"], "a link in encoded words is none (RFC 2369)"
    link = str(message["List-Unsubscribe"]).strip("<>").replace("https://api.example.com", "")
    assert link in message.get_body(("html",)).get_content() and link in message.get_body(("plain",)).get_content()
    page = client.web.get(link)
    assert "Stop reminders?" in page.text and "ada@client.example" in page.text
    assert client.get("/v1/suppressed_addresses")["data"] == [], "scanners of mail open every link"
    for _ in range(2):
        assert "Reminders are off" in client.web.post(link, {"List-Unsubscribe": "One-Click"}).text
    assert "Reminders are off" in client.web.get(link).text
    (kept,) = client.get("/v1/suppressed_addresses")["data"]
    assert (kept["covers"], kept["reason"]) == ("reminders", "unsubscribed")
    with pytest.raises(Invalid) as refused:
        remind()
    assert refused.value.code == "address_suppressed"
    assert client.post(f"/v1/invoices/{invoice['id']}/email")["data"]["status"] == "queued"
    for bad in (link[:-1], link + "x", f"{unsubscribe.PATH}nonsense"):
        client.web.get(bad, status=404)
        client.web.post(bad, status=404)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"url": "http://mail.example.com"}, "url: must be"),
        ({"url": "smtp://user:password@mail.example.com"}, "would send the password unprotected"),
        ({"url": "smtps://mail.example.com:x"}, "port must be a number"),
        ({"url": "smtps://mail.example.com/?tls=no"}, "must end after the port"),
        ({"url": "smtps://mail.example.com"}, "sender: is required"),
        ({"sender": "nobody"}, "sender: must be an address"),
        ({"sender": "a@example.com\nBcc: b@example.com"}, "sender: must be an address"),
        ({"lease_seconds": 100}, "lease_seconds: must be at least"),
        ({"retry_offsets": [10, 5]}, "retry_offsets: must increase"),
    ],
)
@pytest.mark.sqlite_alone
def test_settings_that_would_not_do_are_refused(make_app, settings, words):
    with pytest.raises(SettingsError, match=words):
        make_app("mail", mail=settings)


def test_no_traceback_has_the_password_of_the_mail_server():
    assert "hush" not in repr(Settings(url="smtps://user:hush@mail.example.com", sender="mail@example.com"))
