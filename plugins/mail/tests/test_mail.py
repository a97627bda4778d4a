"""Documents sent by email: queued, received and refused."""

import re
from io import BytesIO

import pytest
import sqlalchemy as sa
from pypdf import PdfReader

from billycan import Context
from billycan.testing import Client
from billycan_pdf import api as pdf_api
from billycan_pdf.api import MOST_AT_ONCE

pytestmark = pytest.mark.sqlite_alone
WITH_PDF = ("contacts", "documents", "hosted", "invoices", "pdf")


def emailed(client, invoice, body=None, status=201):
    return client.post(f"/v1/invoices/{invoice['id']}/email", body or {}, status)["data"]


def test_a_draft_is_sent_and_its_client_gets_it(mailing, serve, sold, drain, clock):
    server = serve()
    app = mailing(server)
    client, invoice = sold(app)
    email = emailed(client, invoice)
    assert client.last.headers["Location"].endswith(f"/v1/emails/{email['id']}")
    assert client.get(f"/v1/invoices/{invoice['id']}")["data"]["status"] == "sent"
    assert (email["status"], email["document_id"]) == ("queued", invoice["id"])
    assert server.messages == [], "nothing leaves within the request"
    assert drain(app) == 1
    (message,) = server.messages
    assert message["To"] == "ada@client.example"
    assert message["From"] == "Derwent Plumbing <mail@example.com>"
    assert message["Reply-To"] == "Derwent Plumbing <office@derwent.example>"
    assert message["Subject"] == "Invoice INV-0001 from Derwent Plumbing"
    assert message["Message-ID"] == f"<{email['id']}@example.com>"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["List-Unsubscribe"] is None, "only reminders have it"
    text, html = (message.get_body((kind,)).get_content() for kind in ("plain", "html"))
    for part in (text, html):
        for words in ("INV-0001", "$1,210.00", "5 December 2026", "Derwent Plumbing", "Ada Lovelace"):
            assert words in part, words
        assert "https://api.example.com/i/" in part
    assert not re.search(r"src=|<script|url\(", html), "nothing is loaded from anywhere"
    shown = client.get(f"/v1/emails/{email['id']}")["data"]
    assert (
        shown["status"] == "sent" and shown["sent_at"] and shown["text"].strip() == text.strip().replace("\r\n", "\n")
    )
    assert [(a["number"], a["error"]) for a in shown["attempts"]] == [(1, None)]
    assert shown["recipients"] == [
        {"address": "ada@client.example", "kind": "to", "status": "sent", "detail": "250 OK"}
    ]
    assert client.events()[-2:] == ["invoice.sent", "email.sent"]
    assert drain(app) == 0


def test_who_writes_says_to_whom_and_what(mailing, serve, sold, drain):
    server = serve()
    app = mailing(server)
    client, invoice = sold(app)
    body = {
        "to": ["one@client.example", "ONE@client.example", "two@client.example"],
        "cc": ["three@client.example"],
        "subject": "Die Rechnung — bitte",
        "message": "Guten Tag <b>Ada</b>,\n\nDanke & Gruß\nMax",
    }
    emailed(client, invoice, body)
    drain(app)
    (message,) = server.messages
    assert (message["To"], message["Cc"]) == ("one@client.example, two@client.example", "three@client.example")
    assert server.envelopes[0][1] == ["one@client.example", "two@client.example", "three@client.example"]
    assert message["Subject"] == "Die Rechnung — bitte"
    assert "Danke & Gruß\nMax" in message.get_body(("plain",)).get_content().replace("\r\n", "\n")
    html = message.get_body(("html",)).get_content()
    assert "&lt;b&gt;Ada&lt;/b&gt;" in html and "Danke &amp; Gruß<br>Max" in html


@pytest.mark.sqlite_alone
def test_a_message_for_copies_alone_has_no_empty_header(mailing, serve, sold, drain):
    server = serve()
    app = mailing(server)
    client, invoice = sold(app)
    client.post("/v1/suppressed_addresses", {"address": "ada@client.example"})
    emailed(client, invoice, {"cc": ["books@client.example"]})
    drain(app)
    assert server.envelopes[0][1] == ["books@client.example"]
    assert (server.messages[0]["To"], server.messages[0]["Cc"]) == (None, "books@client.example")


@pytest.mark.sqlite_alone
def test_nobody_can_add_a_header(mailing, serve, sold, drain):
    server = serve()
    app = mailing(server)
    client, invoice = sold(app)
    url = f"/v1/invoices/{invoice['id']}/email"
    for faulty in (
        {"subject": "Hello\nBcc: eve@evil.example"},
        {"subject": "Hello\r\nBcc: eve@evil.example"},
        {"subject": "Hello\tthere"},
        {"to": ["ada@client.example\nBcc: eve@evil.example"]},
        {"to": ["ada@client.example, eve@evil.example"]},
        {"to": ['"a b"@client.example']},
        {"to": ["<ada@client.example>"]},
        {"cc": ["ada@client.example>, <eve@evil.example"]},
        {"to": ["ada@clíent.example"]},
        {"to": ["=?utf-8?q?ada=40evil.example?=@client.example"]},
    ):
        client.refused(422, "validation_failed", "POST", url, faulty)
    assert client.get(f"/v1/invoices/{invoice['id']}")["data"]["status"] == "draft", "and nothing was sent"
    client.patch("/v1/tenant", {"name": 'Eve\tPlumbing" <eve@evil.example>'})
    emailed(client, invoice)
    drain(app)
    assert server.messages[0].get_all("Bcc") is None
    assert server.messages[0]["From"].addresses[0].addr_spec == "mail@example.com"
    assert len(server.messages[0]["From"].addresses) == 1


@pytest.mark.sqlite_alone
def test_an_address_in_a_long_name_is_not_the_sender(mailing, serve, sold, drain):
    server = serve()
    app = mailing(server)
    client, invoice = sold(app)
    name = "<eve@evil.example>, =?utf-8?q?x?=[ c( [\\=?utf-8?q?x?=] ,@c ,,[\\ :(>_ ),\" ,'a ,. ';"
    client.patch("/v1/tenant", {"name": name})
    emailed(client, invoice)
    drain(app)
    for header, address in (("From", "mail@example.com"), ("Reply-To", "office@derwent.example")):
        assert [each.addr_spec for each in server.messages[0][header].addresses] == [address]
        assert "eve@evil.example" in server.messages[0][header].addresses[0].display_name


def test_links_let_nobody_in_who_may_not_write_the_document(mailing, serve, sold, drain):
    app = mailing(serve())
    client, invoice = sold(app)
    reader = client.key("mail:read", "invoices:read")
    said = "See https://api.example.com/i/abc.def_g-h, or https://derwent.example/i"
    email = emailed(client, invoice, {"subject": said, "message": said})
    drain(app)
    preview = f"/v1/invoices/{invoice['id']}/email/preview"
    for caller, sees in ((client, True), (reader, False)):
        told = [
            caller.get(f"/v1/emails/{email['id']}")["data"],
            *caller.get("/v1/emails")["data"],
            caller.post(preview, {"subject": said, "message": said}, 200)["data"],
        ]
        for each in told:
            for name in {"subject", "message", "text", "html"} & each.keys():
                assert bool(re.search(r"/i/[\w.-]", each[name])) is sees, name
                assert "https://derwent.example/i" in each[name]


def test_what_an_email_says_is_for_who_may_read_its_document(mailing, serve, sold, drain):
    app = mailing(serve())
    client, invoice = sold(app)
    email = emailed(client, invoice)
    drain(app)
    path, hidden = f"/v1/emails/{email['id']}", {"subject": None, "message": None, "text": None}
    whole = client.get(path)["data"]
    assert email["subject"] and email["text"] and whole["text"] == email["text"]
    for scopes in (["mail:read"], ["mail:read", "invoices:write"], ["mail:read", "contacts:read"]):
        caller = client.key(*scopes)
        assert caller.get(path)["data"] == whole | hidden
        (listed,) = caller.get("/v1/emails")["data"]
        assert listed["subject"] is None and listed["message"] is None and listed["recipients"] == whole["recipients"]
        sheet = caller.call("GET", "/v1/emails", headers={"Accept": "text/csv"}).text
        assert email["recipients"][0]["address"] in sheet and "INV-0001 from" not in sheet
    assert client.key("mail:read", "invoices:read").get(path)["data"]["subject"] == email["subject"]
    # Whoever may email it may see what was sent, as of any other record that a key makes and may not read.
    assert emailed(client.key("mail:write", "invoices:write"), invoice)["text"]
    (sent,) = client.get("/v1/events?event=email.sent")["data"]
    assert sent["data"] | hidden == sent["data"] and sent["data"]["recipients"] == whole["recipients"]


@pytest.mark.sqlite_alone
def test_an_emailed_statement_is_for_who_may_read_invoices(mailing, serve, sold):
    app = mailing(serve(), "contacts", "documents", "hosted", "invoices", "pdf")
    client, invoice = sold(app)
    client.post(f"/v1/invoices/{invoice['id']}/send", status=200)
    email = client.post(f"/v1/contacts/{invoice['client_id']}/statement/email")["data"]
    for held, lacking in (("contacts:read", "invoices:read"), ("invoices:read", "contacts:read")):
        nosy = client.key("mail:read", "mail:write", held)
        for method, action in (("GET", "pdf"), ("POST", "resend")):
            error = nosy.refused(403, "insufficient_scope", method, f"/v1/emails/{email['id']}/{action}")
            assert error["required_scope"] == lacking
    client.call("GET", f"/v1/emails/{email['id']}/pdf", status=200)


@pytest.mark.sqlite_alone
def test_a_statement_of_chosen_days_is_emailed(mailing, serve, sold):
    app = mailing(serve(), "contacts", "documents", "hosted", "invoices", "pdf")
    client, invoice = sold(app)
    path = f"/v1/contacts/{invoice['client_id']}/statement/email"
    days = {"from": "2026-07-01", "to": "2026-09-30"}
    email = client.post(path, {"to": ["books@client.example"], "document": days})["data"]
    assert email["attachment"]["filename"] == "statement-2026-07-01-2026-09-30.pdf"
    assert [each["address"] for each in email["recipients"]] == ["books@client.example"]
    assert "From: 1 July 2026\nTo: 30 September 2026\n" in email["text"]
    for document, param in (
        ({"from": "2026-09-30", "to": "2026-07-01"}, "document.from"),
        ({"to": "soon"}, "document.to"),
        ({"since": "2026-07-01"}, "document.since"),
    ):
        for url in (path, f"{path}/preview"):
            error = client.refused(422, "validation_failed", "POST", url, {"document": document})
            assert error["details"][0]["param"] == param
    invoices = f"/v1/invoices/{invoice['id']}/email"
    client.refused(422, "validation_failed", "POST", invoices, {"document": {}})


@pytest.mark.sqlite_alone
def test_what_is_too_long_for_a_pdf_goes_without_one_unless_it_is_asked_for(mailing, serve, sold):
    app = mailing(serve(), "contacts", "documents", "hosted", "invoices", "pdf")
    client, invoice = sold(app, line_items=[{"description": "W" * 990, "unit_price": 1}] * 210)
    url = f"/v1/invoices/{invoice['id']}/email"
    assert "below" in client.post(f"{url}/preview", {}, 200)["data"]["message"]
    assert "at most 200,000" in client.refused(400, "invalid_parameter", "POST", url, {"attach_pdf": True})["message"]
    email = client.post(url)["data"]
    assert email["attachment"] is None and "below" in email["message"] and "View invoice: https://" in email["text"]


@pytest.mark.sqlite_alone
def test_encoded_words_are_text_and_add_no_header(mailing, serve, sold, drain):
    server = serve()
    app = mailing(server)
    client, invoice = sold(app)
    hidden = "=?utf-8?q?=0D=0ABcc=3A_eve=40evil.example?="
    client.patch("/v1/tenant", {"name": f"Shop {hidden}"})
    emailed(client, invoice, {"subject": f"{hidden} hello"})
    emailed(client, invoice)
    assert drain(app) == 2
    for message in server.messages:
        assert message.get_all("Bcc") is None and message["Message-ID"]
        assert message["From"].addresses[0].addr_spec == "mail@example.com"


@pytest.mark.sqlite_alone
def test_a_business_whose_own_address_is_odd_gets_no_replies_but_sends(mailing, serve, sold, drain):
    server = serve()
    app = mailing(server)
    client, invoice = sold(app)
    client.patch("/v1/tenant", {"email": "büro@derwent.example"})
    id = emailed(client, invoice)["id"]
    drain(app)
    assert client.get(f"/v1/emails/{id}")["data"]["status"] == "sent"
    assert server.messages[0]["Reply-To"] is None


def test_a_client_without_an_address_is_refused_and_the_draft_stays(mailing, serve, sold):
    app = mailing(serve())
    client, invoice = sold(app, email=None)
    error = client.refused(422, "validation_failed", "POST", f"/v1/invoices/{invoice['id']}/email", {})
    assert error["param"] == "to"
    assert client.get(f"/v1/invoices/{invoice['id']}")["data"]["status"] == "draft"


@pytest.mark.sqlite_alone
def test_without_a_server_mail_is_held_and_says_so(make_app, sold, drain):
    app = make_app("mail", "contacts", "documents", "hosted", "invoices", fresh=True)
    client, invoice = sold(app)
    email = emailed(client, invoice)
    assert (email["status"], email["held_because"], email["sent_at"]) == ("held", "no_server", None)
    assert email["recipients"][0]["status"] == "held"
    assert client.get("/v1/emails?status=held")["data"][0]["id"] == email["id"]
    assert "email.sent" not in client.events()


def test_a_sandbox_writes_to_users_of_the_business_alone(mailing, serve, sold, drain):
    server = serve()
    app = mailing(server, "contacts", "documents", "hosted", "invoices", "users")
    live = Client(app)
    _user(app, live.tenant_id, "owner@derwent.example")
    client, invoice = sold(app, client=live.sandbox())
    held = emailed(client, invoice)
    assert (held["status"], held["held_because"]) == ("held", "sandbox")
    email = emailed(client, invoice, {"to": ["Owner@derwent.example", "eve@client.example"]})
    assert [r["status"] for r in email["recipients"]] == ["waiting", "held"]
    drain(app)
    (message,) = server.messages
    assert server.envelopes[0][1] == ["Owner@derwent.example"]
    assert message["To"] == "Owner@derwent.example"
    assert message["Subject"].startswith("[SANDBOX] ")
    for kind in ("plain", "html"):
        assert "SANDBOX, not a tax invoice" in message.get_body((kind,)).get_content()


def _user(app, tenant_id, email):
    from billycan_users.people import accept_invitation, invite_person, use_link
    from billycan_users.tables import users

    with app.db.writing() as db:
        user_id, token = invite_person(db, tenant_id, email, "owner", app.now())
        accept_invitation(db, use_link(db, token, "join", app.now()), app.now())
        db.execute(sa.update(users).where(users.c.id == user_id).values(password="hashed"))


def test_sending_needs_both_scopes(mailing, serve, sold):
    app = mailing(serve())
    client, invoice = sold(app)
    url = f"/v1/invoices/{invoice['id']}/email"
    for scopes in (("mail:write",), ("invoices:write",), ("mail:write", "invoices:read")):
        client.key(*scopes).refused(403, "insufficient_scope", "POST", url, {})
    assert emailed(client.key("mail:write", "invoices:write"), invoice)["status"] == "queued"


def test_nobody_sees_or_sends_what_is_anothers(mailing, serve, sold):
    app = mailing(serve())
    client, invoice = sold(app)
    email = emailed(client, invoice)
    stranger = Client(app)
    for method, path in (
        ("POST", f"/v1/invoices/{invoice['id']}/email"),
        ("POST", f"/v1/invoices/{invoice['id']}/email/preview"),
        ("GET", f"/v1/emails/{email['id']}"),
        ("GET", f"/v1/emails/{email['id']}/pdf"),
        ("POST", f"/v1/emails/{email['id']}/resend"),
    ):
        stranger.refused(404, "resource_not_found", method, path, {} if method == "POST" else None)
    assert stranger.get("/v1/emails?recipient=ada@client.example")["data"] == []


def test_emails_are_found_by_document_recipient_and_status(mailing, serve, sold, drain):
    server = serve()
    app = mailing(server)
    client, invoice = sold(app)
    first = emailed(client, invoice)["id"]
    drain(app)
    second = emailed(client, invoice, {"to": ["Bob@client.example"]})["id"]

    def found(query):
        return [email["id"] for email in client.get(f"/v1/emails?{query}")["data"]]

    assert found(f"document_id={invoice['id']}") == [second, first]
    assert found("recipient=bob@client.example") == [second]
    assert found("status=sent") == [first]
    assert found("status=queued,sent&sort=created_at") == [first, second]
    assert found("sent_at_from=2026-11-21") == [first]


def test_an_email_is_sent_again_as_a_new_one(mailing, serve, sold, drain):
    server = serve()
    app = mailing(server)
    client, invoice = sold(app)
    email = emailed(client, invoice)
    client.refused(409, "invalid_state_transition", "POST", f"/v1/emails/{email['id']}/resend")
    drain(app)
    again = client.post(f"/v1/emails/{email['id']}/resend")["data"]
    assert again["resend_of"] == email["id"] and again["id"] != email["id"]
    drain(app)
    first, second = server.messages
    assert first["Message-ID"] != second["Message-ID"]
    assert first.get_body(("html",)).get_content() == second.get_body(("html",)).get_content()


def test_the_bound_of_a_day_holds_and_undoes_the_rest(mailing, serve, sold, clock):
    app = mailing(serve(), per_day=3)
    client, invoice = sold(app)
    emailed(client, invoice, {"to": ["a@client.example", "b@client.example"]})
    _, other = sold(app, client=client)
    url = f"/v1/invoices/{other['id']}/email"
    client.refused(422, "too_many_emails", "POST", url, {"to": ["a@client.example", "b@client.example"]})
    assert client.get(f"/v1/invoices/{other['id']}")["data"]["status"] == "draft"
    emailed(client, other)
    clock.move(days=1, minutes=1)
    emailed(client, other)
    assert emailed(Client(app) and client, other)["status"] == "queued"


def test_an_email_waits_for_no_file_and_who_asks_for_its_file_does(mailing, serve, sold, drain):
    app = mailing(serve(), *WITH_PDF)
    client, invoice = sold(app)
    ctx = Context(app, client.tenant_id)
    files = [ctx.take_slot(MOST_AT_ONCE, "too_many_pdfs", "") for _ in range(MOST_AT_ONCE)]
    id = emailed(client, invoice)["id"]
    client.refused(429, "too_many_pdfs", "GET", f"/v1/emails/{id}/pdf")
    assert drain(app) == 1
    kept = client.call("GET", f"/v1/emails/{id}/pdf", status=200).body
    for each in files:
        each.close()
    assert kept.startswith(b"%PDF-") and client.get(f"/v1/emails/{id}")["data"]["status"] == "sent"


def test_a_preview_says_what_would_be_sent_and_sends_nothing(mailing, serve, sold):
    app = mailing(serve())
    client, invoice = sold(app)
    shown = client.post(f"/v1/invoices/{invoice['id']}/email/preview", {}, 200)["data"]
    assert shown["to"] == ["ada@client.example"]
    assert shown["subject"] == "Invoice INV-0001 from Derwent Plumbing"
    assert "due on 5 December 2026" in shown["message"]
    assert client.get("/v1/emails")["data"] == []
    assert client.get(f"/v1/invoices/{invoice['id']}")["data"]["status"] == "draft"


def test_a_preview_waits_for_no_write_and_delays_none(mailing, serve, sold, monkeypatch):
    app = mailing(serve())
    client, invoice = sold(app)
    monkeypatch.setattr(app.db, "writing", None)
    assert client.post(f"/v1/invoices/{invoice['id']}/email/preview", {}, 200)["data"]["to"]


@pytest.mark.sqlite_alone
def test_the_footer_of_a_business_is_at_the_foot_of_text_and_html(mailing, serve, sold):
    client, invoice = sold(mailing(serve()))
    client.patch("/v1/branding", {"footer": "Licence 1234 <b>"})
    shown = client.post(f"/v1/invoices/{invoice['id']}/email/preview", {}, 200)["data"]
    assert "<br>Licence 1234 &lt;b&gt;" in shown["html"] and shown["text"].endswith("\nLicence 1234 <b>\n")


@pytest.mark.sqlite_alone
def test_a_quote_is_valid_until_a_day_and_never_due(mailing, serve, sold):
    pytest.importorskip("billycan_quotes", reason="Emails of quotes were NOT TESTED without quotes")
    client, invoice = sold(mailing(serve(), "contacts", "documents", "hosted", "invoices", "quotes"))
    lines = [{"description": "New taps", "unit_price": 1100}]
    quote = {"client_id": invoice["client_id"], "line_items": lines, "expiry_date": "2099-12-20"}
    quote = client.post("/v1/quotes", quote)["data"]
    shown = client.post(f"/v1/quotes/{quote['id']}/email/preview", {}, 200)["data"]
    assert "Please find quote QUO-0001 for $1,210.00 below. It is valid until 20 December 2099." in shown["message"]


@pytest.mark.sqlite_alone
def test_what_is_paid_or_void_is_not_sent_for_nothing(mailing, serve, sold):
    app = mailing(serve())
    client, invoice = sold(app)
    _, other = sold(app, client=client)
    client.post(f"/v1/invoices/{invoice['id']}/pay", {"payment_method": "cash"}, 200)
    client.post(f"/v1/invoices/{other['id']}/send", {}, 200)
    client.post(f"/v1/invoices/{other['id']}/void", {}, 200)
    for each, words in ((invoice, "INV-0001 below. It has been paid."), (other, "INV-0002 below. It is void.")):
        shown = client.post(f"/v1/invoices/{each['id']}/email/preview", {}, 200)["data"]
        assert f"Please find invoice {words}" in shown["message"] and "$0.00" not in shown["message"]
    statement = f"/v1/contacts/{invoice['client_id']}/statement/email/preview"
    if any(e.route.path.endswith("/statement/email/preview") for e in app.endpoints):
        assert "Please find your statement below." in client.post(statement, {}, 200)["data"]["message"]


def test_the_same_key_sends_once(mailing, serve, sold, drain):
    server = serve()
    app = mailing(server)
    client, invoice = sold(app)
    url = f"/v1/invoices/{invoice['id']}/email"
    first = client.post(url, {}, Idempotency_Key="k")["data"]
    assert client.post(url, {}, Idempotency_Key="k")["data"] == first
    drain(app)
    assert len(server.messages) == 1


def test_without_mail_nothing_of_it_is_left(make_app, sold):
    app = make_app("contacts", "documents", "hosted", "invoices")
    client, invoice = sold(app)
    client.refused(404, "route_not_found", "POST", f"/v1/invoices/{invoice['id']}/email", {})
    assert not [path for path in app.openapi()["paths"] if "email" in path]
    assert not [path for path, _, _ in app.pages if "mail" in path]


def attached(message):
    (found,) = message.iter_attachments()
    assert (found.get_content_type(), found.get_filename()) == ("application/pdf", "INV-0001.pdf")
    return found.get_content()


def words(pdf):
    return "".join(page.extract_text() for page in PdfReader(BytesIO(pdf)).pages)


def test_the_pdf_that_was_mailed_is_kept(mailing, serve, sold, drain):
    server = serve()
    app = mailing(server, *WITH_PDF)
    client, invoice = sold(app)
    email = emailed(client, invoice)
    path = f"/v1/emails/{email['id']}"
    assert email["attachment"] == {"filename": "INV-0001.pdf", "size": None}, "it is yet to be made"
    drain(app)
    pdf = attached(server.messages[0])
    assert pdf.startswith(b"%PDF-")
    assert client.get(path)["data"]["attachment"] == {"filename": "INV-0001.pdf", "size": len(pdf)}
    client.post(f"/v1/invoices/{invoice['id']}/pay", {"payment_method": "cash"}, 200)
    kept = client.call("GET", f"{path}/pdf", status=200)
    assert kept.body == pdf and 'filename="INV-0001.pdf"' in kept.headers["Content-Disposition"]
    client.key("mail:read").refused(403, "insufficient_scope", "GET", f"{path}/pdf")
    again = client.post(f"{path}/resend")["data"]
    assert again["attachment"]["size"] == len(pdf)
    assert client.call("GET", f"/v1/emails/{again['id']}/pdf", status=200).body == pdf
    assert emailed(client, invoice, {"attach_pdf": False})["attachment"] is None


def test_the_pdf_shows_what_was_emailed_whatever_changes_before_it_is_sent(mailing, serve, sold, drain):
    server = serve()
    app = mailing(server, *WITH_PDF)
    client, invoice = sold(app, notes="As agreed on Tuesday")
    path = f"/v1/emails/{emailed(client, invoice)['id']}/pdf"
    before = client.call("GET", path, status=200).body
    client.patch(f"/v1/invoices/{invoice['id']}", {"notes": "Never agreed", "due_date": "2027-01-31"})
    client.patch("/v1/branding", {"accent_colour": "#7a0000", "footer": "Under new management"})
    client.patch("/v1/tenant", {"name": "Mersey Plumbing"})
    client.post(f"/v1/invoices/{invoice['id']}/pay", {"payment_method": "cash"}, 200)
    drain(app)
    pdf = attached(server.messages[0])
    assert pdf == before == client.call("GET", path, status=200).body
    assert "As agreed on Tuesday" in words(pdf) and "5 December 2026" in words(pdf) and "Derwent" in words(pdf)
    assert not any(changed in words(pdf) for changed in ("Never", "management", "Mersey", "PAID", "2027"))


def test_a_pdf_that_was_never_sent_is_made_from_what_was_emailed(make_app, sold):
    app = make_app("mail", *WITH_PDF, fresh=True)  # without a mail server
    client, invoice = sold(app, notes="As agreed on Tuesday")
    email = emailed(client, invoice)
    again = client.post(f"/v1/emails/{email['id']}/resend")["data"]
    client.patch(f"/v1/invoices/{invoice['id']}", {"notes": "Never agreed"})
    for each in (email, again):
        assert (each["status"], each["attachment"]["size"]) == ("held", None)
        assert "As agreed on Tuesday" in words(client.call("GET", f"/v1/emails/{each['id']}/pdf", status=200).body)


def test_a_pdf_that_cannot_be_made_fails_its_email_and_no_other(mailing, serve, sold, drain, monkeypatch):
    server = serve()
    app = mailing(server, *WITH_PDF)
    client, invoice = sold(app)
    broken, other = emailed(client, invoice)["id"], emailed(client, invoice, {"attach_pdf": False})["id"]

    def fail(*given):
        raise RuntimeError("Typst made no file")

    with monkeypatch.context() as at:
        at.setattr(pdf_api, "render", fail)
        drain(app)
    email = client.get(f"/v1/emails/{broken}")["data"]
    assert (email["status"], email["last_error"]) == ("failed", "unusable")
    assert client.get(f"/v1/emails/{other}")["data"]["status"] == "sent" and len(server.messages) == 1
    again = client.post(f"/v1/emails/{broken}/resend")["data"]["id"]
    drain(app)
    assert attached(server.messages[1]) == client.call("GET", f"/v1/emails/{again}/pdf", status=200).body
