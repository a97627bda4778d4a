"""The HTML of every kind of email keeps to what old Outlook shows, which has Word draw it.

What Word draws is published: "Word HTML and CSS Rendering Capabilities in Outlook" (Microsoft). Outlook itself cannot
run in the suite, so these rules are checked instead.
"""

import re
from html.parser import HTMLParser

import pytest
import sqlalchemy as sa

from billycan import Context, own
from billycan_mail.api import email_document
from billycan_mail.tables import emails

TAGS = {"html", "head", "meta", "title", "style", "body", "table", "tr", "td", "a", "span", "br", "img"}
DRAWN = {
    *("background-color", "border", "border-top", "border-color", "color", "font-family", "font-size", "font-weight"),
    *("line-height", "text-decoration", "mso-line-height-rule", "mso-padding-alt"),
}
ONLY_ON = {"padding": {"td", "a", "body"}, "margin": {"body"}, "max-width": {"table"}, "display": {"a", "img"}}
ON_TABLES = {"cellpadding": "0", "cellspacing": "0", "border": "0", "role": "presentation"}
WITHOUT_HARM = {"border-radius", "word-break"}  # a square button, and a long word that makes its line wider


class Walk(HTMLParser):
    """Notes what Word would not draw as it is meant."""

    def __init__(self, html):
        super().__init__()
        self.faults, self.seen, self.open, self.ghost = [], set(), [], False
        self.feed(html)
        self.close()

    def handle_comment(self, data):
        # The table of a fixed width that only Word sees, round the one that has a greatest width.
        self.ghost = data.startswith("[if mso]><table") and 'width="' in data

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.seen.add(tag)
        style = dict(re.findall(r"([\w-]+):\s*([^;]+)", given.get("style", "")))
        above = self.open[-1] if self.open else ("", {})
        if tag not in {"br", "img", "meta"}:
            self.open.append((tag, style))
        faults = [f"<{tag}>"] if tag not in TAGS else []
        faults += [name for name in style if name not in DRAWN | WITHOUT_HARM and tag not in ONLY_ON.get(name, ())]
        if "url(" in given.get("style", ""):
            faults.append("a picture behind text")
        if (colour := style.get("background-color")) and given.get("bgcolor") != colour:
            faults.append("a background without its attribute")
        if "line-height" in style and "mso-line-height-rule" not in [*style][: [*style].index("line-height")]:
            faults.append("a height of lines that Word takes for the least")
        if tag == "a" and "padding" in style and "mso-padding-alt" not in above[1]:
            faults.append("a button without space")
        if tag == "img" and not (given.keys() >= {"width", "height", "alt"} and given.get("border") == "0"):
            faults.append("a picture whose size Word does not know")
        if tag == "table":
            faults += [f"no {name}" for name, value in ON_TABLES.items() if given.get(name) != value]
            if "max-width" in style and not (self.ghost and given.get("width") == "100%"):
                faults.append("a greatest width that Word does not know")
        self.ghost = self.ghost and tag != "table"
        self.faults += [f"{tag}: {each}" for each in faults]


def test_the_walk_finds_what_word_does_not_draw():
    for html, fault in (
        ("<div></div>", "div: <div>"),
        ('<td style="display: flex"></td>', "td: display"),
        ('<td style="background-color: #fff"></td>', "td: a background without its attribute"),
        ('<span style="padding: 3px"></span>', "span: padding"),
        ('<table style="max-width: 600px"></table>', "table: a greatest width that Word does not know"),
        ('<td><a style="padding: 3px"></a></td>', "a: a button without space"),
        ('<img src="cid:a" style="max-width: 9px">', "img: max-width"),
        ('<img src="cid:a">', "img: a picture whose size Word does not know"),
        ('<td style="line-height: 20px; mso-line-height-rule: exactly"></td>', "td: a height of lines that Word takes"),
    ):
        assert any(each.startswith(fault) for each in Walk(html).faults), html


@pytest.mark.sqlite_alone
def test_every_kind_of_email_keeps_to_what_word_draws(mailing, serve, sold, picture, brand):
    for name in ("attachments", "quotes"):
        pytest.importorskip(f"billycan_{name}", reason=f"Emails of all kinds were NOT TESTED without {name}")
    app = mailing(serve(), "attachments", "contacts", "documents", "hosted", "invoices", "quotes")
    client, invoice = sold(app)
    brand(client, picture(300, 100))
    details = {"bsb": "062-000", "account_number": "12345678", "account_name": "Derwent"}
    client.patch("/v1/tenant", {"bank_account": details, "phone": "03 6111 2222", "address": {"suburb": "Hobart"}})
    client.patch("/v1/branding", {"accent_colour": "#842519", "footer": "Licence 1234"})
    quote = {"client_id": invoice["client_id"], "line_items": [{"description": "Taps", "unit_price": 1}]}
    quote = client.post("/v1/quotes", quote)["data"]["id"]
    client.post(f"/v1/invoices/{invoice['id']}/send", status=200)
    client.post(f"/v1/quotes/{quote}/send", status=200)
    box = client.sandbox()
    _, sample = sold(app, client=box)
    paths = [
        (client, f"/v1/invoices/{invoice['id']}"),
        (client, f"/v1/quotes/{quote}"),
        (client, f"/v1/contacts/{invoice['client_id']}/statement"),
        (box, f"/v1/invoices/{sample['id']}"),
    ]
    said = {"message": "One\n\nTwo\nlines, and <b>no</b> markup"}
    found = [caller.post(f"{path}/email/preview", said, 200)["data"]["html"] for caller, path in paths]
    ctx = Context(app, client.tenant_id)
    with ctx.transaction():
        id = email_document(ctx, "/v1/invoices/{id}", invoice["id"], reminder=True).id
        found.append(ctx.db.execute(sa.select(emails.c.html).where(own(ctx, emails), emails.c.id == id)).scalar_one())
    for html in found:
        walk = Walk(html)
        assert walk.faults == [] and walk.open == []
    assert sum("<img " in html for html in found) == 4, "the sandbox has branding of its own"
    assert sum("<a " in html for html in found) >= 3 and "Stop reminders" in found[-1]
