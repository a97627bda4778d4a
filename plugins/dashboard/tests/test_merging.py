"""The page of a contact shows others that may be the same, and leads to the form that merges one into it."""

import pytest

from billycan.testing import Client
from billycan_users.testing import Browser

pytestmark = pytest.mark.sqlite_alone


def test_two_contacts_that_are_one_are_merged_on_their_page(make_app):
    client = Client(make_app("contacts", "documents", "hosted", "invoices", "users", "dashboard"))
    ada = client.post("/v1/contacts", {"name": "Ada Hale", "email": "ada@example.com"})["data"]["id"]
    twin = client.post("/v1/contacts", {"name": "A. Hale", "email": "ADA@example.com"})["data"]["id"]
    line = {"description": "Work", "unit_price": "10.00"}
    client.post("/v1/invoices", {"client_id": twin, "line_items": [line]})
    viewer = Browser(client.app).join(client, "viewer")
    assert "Maybe the same" in viewer.get(f"/dashboard/contacts/{ada}").text
    assert "Merge into this one" not in viewer.page.text
    browser = Browser(client.app).join(client)
    page = browser.get(f"/dashboard/contacts/{ada}")
    assert "A. Hale" in page.text
    browser.page = page.click("Merge into this one")
    assert browser.page.html.find("option", value=ada).has_attr("selected")
    assert "This cannot be undone" in browser.page.text
    done = browser.send(f"/dashboard/contacts/{twin}/merge")
    assert done.request.path == f"/dashboard/contacts/{ada}" and "The two are one contact now" in done.text
    # A page that was open before leads to the one that is left, with what is related to that.
    old = browser.get(f"/dashboard/contacts/{twin}")
    assert "Ada Hale" in old.text and f"/dashboard/invoices?client_id={ada}" in old.text
    assert "Maybe the same" not in old.text
