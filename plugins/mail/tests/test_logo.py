"""The logo of a business in its emails: it travels within the message, and nobody is asked for anything."""

import base64
import re

import pytest
import sqlalchemy as sa

from billycan.testing import run_timed
from billycan_mail.tables import files

pytestmark = pytest.mark.sqlite_alone
PLUGINS = ("attachments", "contacts", "documents", "hosted", "invoices")


@pytest.fixture(autouse=True)
def _is_there():
    pytest.importorskip("billycan_attachments", reason="Logos in emails were NOT TESTED without attachments")


def parts(message):
    return [part for part in message.walk() if part.get_content_maintype() == "image"]


def test_the_logo_is_a_part_of_the_message_and_fits(mailing, serve, sold, drain, picture, brand):
    server = serve()
    app = mailing(server, *PLUGINS)
    client, invoice = sold(app)
    content = picture(1200, 300)
    brand(client, content)
    email = client.post(f"/v1/invoices/{invoice['id']}/email")["data"]
    drain(app)
    client.patch("/v1/branding", {"logo_attachment_id": None})
    again = client.post(f"/v1/emails/{email['id']}/resend")["data"]
    drain(app)
    for message, id in zip(server.messages, (email["id"], again["id"]), strict=True):
        assert message.get_content_type() == "multipart/alternative"
        (logo,) = parts(message)
        assert (logo.get_content_type(), logo.get_content()) == ("image/png", content)
        assert (logo.get_content_disposition(), logo["Content-ID"]) == ("inline", f"<logo.{id}@example.com>")
        html = message.get_body(("html",)).get_content()
        (tag,) = re.findall("<img [^>]+>", html)
        for given in (
            f'src="cid:logo.{id}@example.com"',
            'width="200"',
            'height="50"',
            'alt="Logo of Derwent Plumbing"',
        ):
            assert given in tag
        assert message.get_body(("plain",)).get_content().replace("\r\n", "\n") == email["text"]
        assert "Logo" not in email["text"] and "data:" not in html and not re.search(r'src="http|url\(', html)


def test_a_logo_is_stored_once_and_goes_with_the_last_email_that_shows_it(
    mailing, serve, sold, drain, picture, brand, clock
):
    app = mailing(serve(), *PLUGINS, keep_days=30)
    client, invoice = sold(app)
    path = f"/v1/invoices/{invoice['id']}/email"

    def stored():
        with app.db.reading(client.tenant_id) as db:
            return [
                len(row.content) for row in db.execute(sa.select(files).where(files.c.tenant_id == client.tenant_id))
            ]

    first, second = picture(40, 40), picture(400, 200)
    brand(client, first)
    client.post(path)
    client.post(path)
    assert stored() == [len(first)]
    drain(app)
    clock.move(days=29)
    brand(client, second)
    client.post(path)
    drain(app)
    assert sorted(stored()) == sorted([len(first), len(second)])
    clock.move(days=2)
    run_timed(app)
    assert stored() == [len(second)] and len(client.get("/v1/emails")["data"]) == 1


def test_a_pdf_is_attached_beside_a_logo(mailing, serve, sold, drain, picture, brand):
    pytest.importorskip("typst")
    server = serve()
    app = mailing(server, *PLUGINS, "pdf")
    client, invoice = sold(app)
    brand(client, picture(40, 60))
    client.post(f"/v1/invoices/{invoice['id']}/email")
    drain(app)
    (message,) = server.messages
    assert [part.get_content_type() for part in message.walk()] == [
        *("multipart/mixed", "multipart/alternative", "text/plain", "multipart/related", "text/html", "image/png"),
        "application/pdf",
    ]
    assert 'width="40" height="60"' in message.get_body(("html",)).get_content(), "a small one is not blown up"


def test_a_preview_shows_the_logo_as_it_is_to_whoever_sees_no_links(mailing, serve, sold, picture, brand):
    app = mailing(serve(), *PLUGINS)
    client, invoice = sold(app)
    content = picture(90, 30)
    content += bytes(-len(content) % 3) + base64.b64decode("AAA/i/secret/q/secret/i/")  # as the paths of links are
    brand(client, content)
    reader = client.key("mail:read", "invoices:read")
    for caller in (client, reader):
        html = caller.post(f"/v1/invoices/{invoice['id']}/email/preview", {}, 200)["data"]["html"]
        assert f'src="data:image/png;base64,{base64.b64encode(content).decode()}"' in html


@pytest.mark.parametrize(
    "made",
    [
        lambda picture: picture(90, 30, bytes(128 * 1024)),
        lambda picture: b"RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x02\x40\x00\x00" + bytes(9),
    ],
    ids=["too large", "WebP"],
)
def test_what_not_every_mail_program_shows_or_is_large_is_left_out(mailing, serve, sold, picture, brand, made):
    app = mailing(serve(), *PLUGINS)
    client, invoice = sold(app)
    brand(client, made(picture))
    html = client.post(f"/v1/invoices/{invoice['id']}/email/preview", {}, 200)["data"]["html"]
    assert "<img" not in html and "Derwent Plumbing" in html


def test_words_that_look_like_a_logo_are_words(mailing, serve, sold, drain):
    server = serve()
    app = mailing(server)
    client, invoice = sold(app)
    said = 'src="data:image/png;base64,AAAA" and src="cid:logo"'
    client.post(f"/v1/invoices/{invoice['id']}/email", {"message": said})
    drain(app)
    (message,) = server.messages
    assert parts(message) == [] and said in message.get_body(("plain",)).get_content()
