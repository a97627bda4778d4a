"""The page of a record emails its document, previews it, and tells the truth about what was sent, without a script."""

import re
from html import unescape

import pytest

from billycan import Context, Manifest, Route
from billycan.paper import Paper
from billycan.testing import Client
from billycan_mail import bouncing
from billycan_mail.sending import Sender
from billycan_users.testing import Browser

pytestmark = pytest.mark.either

PLUGINS = ("contacts", "dashboard", "documents", "hosted", "invoices", "pdf", "users")
REPORT = """\
To: {to}
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.client.example

Final-Recipient: rfc822; ada@client.example
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 <b>nobody</b> here

--b--
"""


def panel(page):
    found = re.search(r'<section class="card whole" aria-labelledby="emails">.*?</section>', page.text, re.DOTALL)
    return re.sub(r"(<[^>]+>|\s)+", " ", found[0]) if found else ""


def said(page):
    """Return the tone and the text of the notice at the top."""
    found = re.search(r'<p class="notice (\w+)" role="status">(.*?)</p>', page.text)
    return found[1], unescape(found[2])


@pytest.fixture
def sent_out(mailing, serve, sold):
    """An app that sends, its server, a client, an invoice's page and an owner."""

    def make(**more):
        server = serve()
        app = mailing(server, *PLUGINS, public_url="http://localhost", **more)  # so that cookies need no https
        client, invoice = sold(app)
        owner = Browser(app).join(client)
        Sender(app).send_due()  # the letter that tells the owner of the first password
        server.messages.clear()
        return app, server, client, f"/dashboard/invoices/{invoice['id']}", owner

    return make


def test_a_draft_is_emailed_from_its_page_and_the_list_tells_what_became_of_it(sent_out, drain, clock):
    app, server, client, page, owner = sent_out(bounces="bounces@example.com")
    assert "Nothing has been emailed yet." in panel(owner.get(page))
    first = owner.page.html.select(".head .actions :is(a, button):not(.second)")
    assert [(each.text, each["href"]) for each in first] == [("Email this invoice", f"{page}/email")]
    form = owner.get(f"{page}/email")
    assert "ada@client.example" in form.text and "is a draft" in form.text
    shown = owner.send(f"{page}/email")
    tone, words = said(shown)
    assert tone == "good" and "ada@client.example is being sent" in words and "no longer a draft" in words
    assert "Queued" in panel(shown) and "Sent" not in panel(shown)
    assert drain(app) == 1
    (message,) = server.messages
    assert message["Subject"] == "Invoice INV-0001 from Derwent Plumbing", (
        "a draft has its number in what was left alone"
    )
    assert "Please find invoice INV-0001 for $1,210.00 attached" in message.get_body(("plain",)).get_content()
    assert [part.get_content_type() for part in message.iter_attachments()] == ["application/pdf"]
    assert "Sent" in panel(owner.get(page))
    (pdf,) = re.findall(r'href="(/dashboard/emails/[^"]*/pdf)" download>INV-0001.pdf', owner.page.text)
    assert owner.web.get(pdf).body.startswith(b"%PDF-")
    (email,) = client.get("/v1/emails")["data"]
    sender = server.envelopes[-1][0]
    assert bouncing.handle_bounce(app, REPORT.format(to=sender).encode()) == ["ada@client.example"]
    bounced = panel(owner.get(page))
    assert "Bounced" in bounced and "550 5.1.1 &lt;b&gt;nobody&lt;/b&gt; here" in bounced
    owner.get(page)
    refused = owner.send(f"/dashboard/emails/{email['id']}/resend", status=422)
    assert "does not write to any of these addresses" in refused.html.select_one("[role=alert]").text
    assert client.get("/v1/emails")["pagination"]["total"] == 1


@pytest.mark.sqlite_alone
def test_what_is_void_is_not_offered_as_an_email(sent_out):
    _app, _server, client, page, owner = sent_out()
    record = page.replace("/dashboard", "/v1")
    client.post(f"{record}/email")
    assert "Email this invoice" in panel(owner.get(page))
    client.post(f"{record}/void", {"reason": "Sent by mistake"}, 200)
    assert "Email this invoice" not in owner.get(page).text
    assert "ada@client.example" in panel(owner.page) and "Resend" not in panel(owner.page), "what it said is not true"


def test_what_is_written_is_sent_and_a_second_press_sends_nothing_more(sent_out, drain):
    app, server, client, page, owner = sent_out()
    owner.get(f"{page}/email")
    form = next(form for form in owner.page.forms.values() if form.action == f"{page}/email")
    form["to"], form["cc"] = "one@client.example, two@client.example", "three@client.example"
    form["subject"], form["message"] = "Die Rechnung", "Guten Tag <b>Ada</b>\r\n\r\nDanke"
    form["attach_pdf"] = False
    fields = form.submit_fields()
    for _ in range(2):
        assert owner.web.post(form.action, fields, status=303).headers["Location"].endswith(page)
    drain(app)
    (message,) = server.messages
    assert (message["To"], message["Cc"]) == ("one@client.example, two@client.example", "three@client.example")
    assert message["Subject"] == "Die Rechnung" and not [*message.iter_attachments()]
    assert client.get("/v1/emails")["pagination"]["total"] == 1


@pytest.mark.sqlite_alone
def test_a_fault_is_told_at_its_field_and_keeps_what_was_written(sent_out):
    _app, _server, client, page, owner = sent_out()
    owner.get(f"{page}/email")
    faulty = owner.send(f"{page}/email", status=422, to="ada", message="Kept <i>as it is</i>")
    assert re.search(r'id="to"[^>]*aria-invalid="true"', faulty.text) and "must be an email address" in faulty.text
    assert "Kept &lt;i&gt;as it is&lt;/i&gt;" in faulty.text
    assert "required" in owner.send(f"{page}/email", status=422, to="").text
    assert client.get("/v1/emails")["data"] == [] and client.get("/v1/invoices?status=draft")["data"]


@pytest.mark.sqlite_alone
def test_the_preview_is_the_mail_in_a_frame_in_which_nothing_runs(sent_out):
    _app, _server, client, page, owner = sent_out()
    form = owner.get(f"{page}/email")
    assert "frame-src 'self'" in form.headers["Content-Security-Policy"]
    assert "frame-src" not in owner.get("/dashboard/invoices").headers["Content-Security-Policy"]
    (frame,) = re.findall(r"<iframe[^>]*>", form.text)
    assert f'src="{page}/email/preview"' in frame and "allow-scripts" not in frame and "allow-same-origin" not in frame
    owner.get(f"{page}/email")
    sent = next(form for form in owner.page.forms.values() if form.action == f"{page}/email")
    sent["message"] = "<script>alert(1)</script>"
    faulty = [*sent.submit_fields(), ("to", "ada@x")]
    for shown, words in (
        (owner.web.get(f"{page}/email/preview"), "$1,210.00"),
        (owner.web.post(f"{page}/email/preview", sent.submit_fields()), "&lt;script&gt;alert(1)"),
        (
            owner.web.post(f"{page}/email/preview", faulty, status=422),
            "To must be an email",
        ),
    ):
        policy = shown.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; style-src 'unsafe-inline';")
        assert "frame-ancestors 'self'; sandbox allow-popups" in policy and "allow-scripts" not in policy
        assert shown.headers["X-Frame-Options"] == "SAMEORIGIN" and shown.headers["Cache-Control"] == "no-store"
        assert words in shown.text and "<script" not in shown.text
    owner.web.post(f"{page}/email/preview", {"token": "guessed"}, status=403)
    assert client.get("/v1/emails")["data"] == [] and client.get("/v1/invoices?status=draft")["data"]


@pytest.mark.sqlite_alone
def test_without_a_mail_server_the_page_says_that_nobody_got_it(make_app, sold):
    app = make_app("mail", *PLUGINS, fresh=True)
    client, invoice = sold(app)
    page, owner = f"/dashboard/invoices/{invoice['id']}", Browser(app).join(client)
    assert "has no mail server" in owner.get(f"{page}/email").text
    tone, words = said(owner.send(f"{page}/email"))
    assert tone == "warn" and words.startswith("Nothing was sent to ada@client.example: this deployment has no mail")
    assert "Held" in panel(owner.page) and "Not sent: this deployment has no mail server." in panel(owner.page)
    (email,) = client.get("/v1/emails")["data"]
    tone, words = said(owner.send(f"/dashboard/emails/{email['id']}/resend"))
    assert tone == "warn" and "Nothing was sent" in words
    assert owner.page.request.path == page


@pytest.mark.sqlite_alone
def test_a_sandbox_says_whom_it_writes_to(sent_out, sold):
    app, _server, client, page, owner = sent_out()
    box = client.sandbox()
    _, invoice = sold(app, client=box)
    page = f"/dashboard/invoices/{invoice['id']}"
    owner.get("/dashboard/keys")
    owner.send("/dashboard/switch", button="environment=sandbox")
    form = owner.get(f"{page}/email")
    assert "A sandbox sends email only to" in form.text
    (subject,) = re.findall(r'id="subject"[^>]* value="([^"]*)"', form.text)
    tone, words = said(owner.send(f"{page}/email", to=f"ada@client.example {owner.email}", subject=f"{subject}!"))
    assert (
        tone == "warn"
        and f"to {owner.email} is being sent" in words
        and "Not sent to ada@client.example: a sand" in words
    )
    assert box.get("/v1/emails")["data"][0]["subject"] == f"[SANDBOX] {subject}!", "the mark is put there once"


def test_a_statement_and_its_pdf_have_the_same(sent_out, drain):
    app, server, client, page, owner = sent_out()
    (contact,) = client.get("/v1/contacts")["data"]
    page = f"/dashboard/contacts/{contact['id']}"
    assert "Email the statement" in panel(owner.get(page)) and "Download PDF" not in owner.page.text
    owner.get(f"{page}/statement/email")
    tone, _ = said(owner.send(f"{page}/statement/email"))
    assert tone == "good" and owner.page.request.path == page and "Queued" in panel(owner.page)
    drain(app)
    assert server.messages[0]["Subject"].startswith("Statement")
    statement = owner.get(f"/dashboard/reports/statements/{contact['id']}?from=2026-07-01&to=2026-09-30").text
    (pdf,) = re.findall(r'href="([^"]+/statement/pdf[^"]*)" download', statement)
    assert owner.web.get(unescape(pdf)).body.startswith(b"%PDF-")
    (email,) = re.findall(r'href="([^"]+/statement/email[^"]*)"', statement)
    owner.get(unescape(email))
    assert "/statement/email/preview?from=2026-07-01&amp;to=2026-09-30" in owner.page.text
    owner.send(f"{page}/statement/email", **{"document.to": "2026-06-30"}, status=422)
    assert "Must not be after to" in owner.page.text
    owner.send(f"{page}/statement/email", **{"document.to": "2026-08-31"})
    assert client.get("/v1/emails")["data"][0]["attachment"]["filename"] == "statement-2026-07-01-2026-08-31.pdf"


@pytest.mark.sqlite_alone
def test_a_document_of_a_third_party_is_emailed_alike(mailing, serve, sold, install):
    def get_card(ctx: Context, id: str) -> Paper.Party:
        """A card."""
        return Paper.Party(name=id)

    def show(ctx, id):
        whom = {"seller": Paper.Party(name="A"), "buyer": Paper.Party(name="B"), "email": "b@client.example"}
        return Paper(noun="loyalty card", title="Card", filename="card", dated=ctx.today(), **whom)

    path = "/v1/contacts/{id}/loyalty_card"
    route = Route("GET", path, get_card, scope="cards:read")
    install(Manifest(name="cards", routes=(route,), documents=(Manifest.Document(path=path, show=show),)))
    app = mailing(serve(), *PLUGINS, "cards", public_url="http://localhost")
    client, invoice = sold(app)
    owner, page = Browser(app).join(client), f"/dashboard/contacts/{invoice['client']['id']}"
    assert "Email the loyalty card" in panel(owner.get(page)) and "Email the statement" in panel(owner.page)
    assert "your loyalty card" in owner.get(f"{page}/loyalty_card/email").text
    tone, words = said(owner.send(f"{page}/loyalty_card/email"))
    assert tone == "good" and "b@client.example is being sent" in words
    assert owner.web.get(f"{page}/loyalty_card/pdf").body.startswith(b"%PDF-")


@pytest.mark.sqlite_alone
def test_who_only_looks_sees_what_was_sent_and_sends_nothing(sent_out):
    app, _server, client, page, _owner = sent_out()
    client.post(page.replace("/dashboard", "/v1") + "/email")
    viewer = Browser(app).join(client, "viewer")
    shown = viewer.get(page)
    assert "ada@client.example" in panel(shown) and "Email this" not in panel(shown) and "/resend" not in shown.text
    assert f'href="{page}/pdf" download' in shown.text
    answer = viewer.web.get(f"{page}/pdf")
    assert answer.body.startswith(b"%PDF-") and answer.headers["Content-Type"] == "application/pdf"
    viewer.get(f"{page}/email", 403)
    stranger = Browser(app).join(Client(app))
    for below in ("pdf", "email", "email/preview"):
        stranger.get(f"{page}/{below}", 404)
    assert client.get("/v1/emails")["pagination"]["total"] == 1


@pytest.mark.sqlite_alone
def test_without_the_plugins_there_is_no_trace(make_app, sold):
    app = make_app("contacts", "dashboard", "documents", "hosted", "invoices", "users")
    client, invoice = sold(app)
    browser, page = Browser(app).join(client), f"/dashboard/invoices/{invoice['id']}"
    shown = browser.get(page).text
    assert "Email this" not in shown and 'id="emails"' not in shown and "Download PDF" not in shown
    for below in ("pdf", "email"):
        browser.get(f"{page}/{below}", 404)
    contact = browser.get(f"/dashboard/contacts/{invoice['client']['id']}").text
    assert 'id="emails"' not in contact
