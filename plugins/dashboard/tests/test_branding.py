"""The pages that say how documents look, and when clients are reminded: as a browser without JavaScript has them."""

import re
import struct
import zlib
from html import unescape

import pytest
from webtest import Upload

from billycan.testing import Client
from billycan_reminders.texts import PLACEHOLDERS
from billycan_users.testing import Browser

pytestmark = pytest.mark.sqlite_alone
PLUGINS = ("attachments", "contacts", "documents", "hosted", "invoices", "reminders", "users", "dashboard")


@pytest.fixture
def app(make_app):
    return make_app(*PLUGINS)


@pytest.fixture
def client(app):
    return Client(app)


@pytest.fixture
def owner(app, client):
    return Browser(app).join(client)


def png(width=2, height=2):
    def part(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head, rows = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0), (b"\0" + b"\x80" * 3 * width) * height
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")


def test_a_colour_and_a_footer_are_chosen_and_let_go(client, owner):
    owner.get("/dashboard/branding")
    owner.send("/dashboard/branding", colour="own", accent_colour="#8c3a14", footer="Licence  12345")
    assert "The branding was saved" in owner.page.text and 'fill="#8c3a14"' in owner.page.text
    stored = client.get("/v1/branding")["data"]
    assert (stored["accent_colour"], stored["footer"]) == ("#8c3a14", "Licence 12345")
    refused = owner.send("/dashboard/branding", colour="own", accent_colour="#ffee00", footer="No", status=422)
    assert 'aria-invalid="true"' in refused.text and 'value="#ffee00"' in refused.text
    # A colour that is chosen counts, although the standard one is still ticked.
    owner.get("/dashboard/branding")
    owner.send("/dashboard/branding", colour="standard", accent_colour="#14508c")
    assert client.get("/v1/branding")["data"]["accent_colour"] == "#14508c"
    owner.get("/dashboard/branding")
    client.patch("/v1/branding", {"footer": "Theirs"})
    again = owner.send("/dashboard/branding", footer="Ours", status=409)
    assert "save again to replace theirs" in again.text and "If-Match" not in again.text
    owner.send("/dashboard/branding")
    assert client.get("/v1/branding")["data"]["footer"] == "Ours"
    owner.get("/dashboard/branding")
    owner.send("/dashboard/branding", colour="standard", footer="")
    stored = client.get("/v1/branding")["data"]
    assert (stored["accent_colour"], stored["footer"]) == (None, None)


def test_a_logo_is_kept_shown_changed_and_removed(client, owner):
    def upload(content, name="logo.png", status=200):
        owner.get("/dashboard/branding")
        return owner.send("/dashboard/branding/logo", file=Upload(name, content), status=status)

    upload(png())
    first = client.get("/v1/branding")["data"]["logo_attachment_id"]
    assert owner.web.get(f"/dashboard/attachments/{first}").body == png()
    assert client.get("/v1/contacts?search=")["pagination"]["total"] == 0
    assert client.get("/v1/events?event=contact.created")["pagination"]["total"] == 0
    assert client.get(f"/v1/attachments?resource={client.tenant_id}")["data"][0]["id"] == first
    upload(png(3))
    assert client.get("/v1/branding")["data"]["logo_attachment_id"] != first
    client.get(f"/v1/attachments/{first}", status=404)
    other = Client(client.app).tenant_id
    client.call("POST", f"/v1/attachments?resource={other}&filename=logo.png", raw=png(), status=404)
    for content, name in ((b"words", "logo.txt"), (png() + b"\0" * 1024 * 1024, "logo.png")):
        assert "at most 1 MiB" in upload(content, name, 422).text
    assert client.get("/v1/attachments")["pagination"]["total"] == 1  # what is no logo is not kept
    owner.get("/dashboard/branding")
    owner.send("/dashboard/branding/logo/remove")
    assert client.get("/v1/branding")["data"]["logo_attachment_id"] is None
    assert client.get("/v1/attachments")["data"] == []


def test_reminder_rules_are_written_in_words(client, owner):
    page = owner.get("/dashboard/reminders").text
    assert all(f"{{{name}}}" in page for name in PLACEHOLDERS)
    assert re.findall(r"<strong>([^<]+)</strong>", page) == [
        "3 days before it is due",
        "7 days after it was due",
        "14 days after it was due",
    ]
    owner.send("/dashboard/reminders", button="more=rules")
    fields = {"rules[3].when": "on", "rules[3].subject": "Due today", "rules[3].message": "{client}, it is due."}
    owner.send("/dashboard/reminders", enabled=True, **{"rules[1].remove": True, "rules[2].active": False}, **fields)
    assert "Reminders are on" in owner.page.text
    stored = client.get("/v1/reminders")["data"]
    assert stored["enabled"] is True
    assert [(r["days"], r["active"]) for r in stored["rules"]] == [(-3, True), (0, True), (14, False)]
    assert stored["rules"][1]["message"] == "{client}, it is due."


def test_a_faulty_rule_is_marked_and_nothing_is_saved(app, client, owner):
    before = client.get("/v1/reminders")["data"]
    for fields, said in (
        ({"rules[1].days": "soon"}, "Must be a number of days, such as 7"),
        ({"rules[1].days": "14"}, "Must not be those of another rule"),
        ({"rules[0].subject": "{nobody}"}, "Has {nobody}, which is no placeholder"),
    ):
        owner.get("/dashboard/reminders")
        page = owner.send("/dashboard/reminders", status=422, **fields).text
        assert said in unescape(page) and 'aria-invalid="true"' in page and '<details class="card rule" open>' in page
    assert client.get("/v1/reminders")["data"] == before
    stale = Browser(app).join(client, email="other@example.com")
    stale.get("/dashboard/reminders")
    client.patch("/v1/reminders", {"enabled": True})
    assert "save again to replace theirs" in stale.send("/dashboard/reminders", status=409).text
    stale.send("/dashboard/reminders")
    assert client.get("/v1/reminders")["data"]["enabled"] is False


def test_a_viewer_reads_and_changes_neither(app, client):
    viewer = Browser(app).join(client, "viewer")
    assert "Save the" not in viewer.get("/dashboard/reminders").text + viewer.get("/dashboard/branding").text
    assert "No reminders are sent" in viewer.get("/dashboard/reminders").text
