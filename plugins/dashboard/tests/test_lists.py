"""The pages of lists: how people look for one record among many."""

import pytest

from billycan.testing import Client
from billycan_users.testing import Browser

pytestmark = pytest.mark.sqlite_alone
HERE = "/dashboard/invoices"


@pytest.fixture
def browser(make_app):
    client = Client(make_app("contacts", "documents", "hosted", "invoices", "users", "dashboard"))
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    for price in ("1100.00", "50.00", "2000.00"):
        client.post(
            "/v1/invoices", {"client_id": contact, "line_items": [{"description": "Work", "unit_price": price}]}
        )
    return Browser(client.app).join(client, "viewer")


def test_an_amount_is_looked_for_as_people_write_it(browser):
    page = browser.get(f"{HERE}?total_from=%241%2C210.00&total_to=1%2C210")
    assert "INV-0001" in page.text and "INV-0002" not in page.text and "1 found" in page.text
    assert page.html.find(id="total_from")["value"] == "1210.00"
    assert "INV-0001" in page.click("CSV").text
    assert "found" not in page.click("Show all", index=0).text


def test_what_cannot_be_looked_for_is_said_at_its_field(browser):
    page = browser.get(f"{HERE}?total_from=plenty&status=draft", status=400)
    field = page.html.find(id="total_from")
    assert field["value"] == "plenty" and field["aria-invalid"] == "true"
    assert page.html.find(id=field["aria-describedby"]).text.startswith("Must be a plain decimal number")
    assert "Nothing was looked for" in page.text and page.html.find("option", value="draft").has_attr("selected")
    assert "INV-0001" in page.click("Show all", index=0).text


def test_nobody_is_asked_for_an_id(browser):
    assert browser.get(HERE).html.find(id="client_id") is None
    unknown = "con_" + "0" * 26
    assert browser.get(f"{HERE}?client_id={unknown}").html.find(id="client_id")["value"] == unknown
