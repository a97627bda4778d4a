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


def test_one_action_is_taken_with_many_records_and_one_page_says_what_became_of_each(make_app):
    client = Client(make_app("batch", "contacts", "documents", "hosted", "invoices", "users", "dashboard"))
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    lines = [{"description": "Work", "unit_price": "100.00"}]
    for _ in range(4):
        client.post("/v1/invoices", {"client_id": contact, "line_items": lines})
    browser = Browser(client.app).join(client, "developer")
    page = browser.get(f"{HERE}?sort=number")
    form = page.forms["bulk"]
    assert {"send", "duplicate", "delete"} <= {value for value, *_ in form["action"].options}
    ids = [box["value"] for box in page.html.find_all("input", attrs={"name": "chosen"})]
    client.patch(f"/v1/invoices/{ids[1].partition(':')[0]}", {"notes": "x"})

    def do(action, chosen="", **more):
        form = browser.get(HERE).forms["bulk"]
        sent = {"token": form["token"].value, "once": form["once"].value, "listed": form["listed"].value}
        return browser.web.post(f"{HERE}/bulk", {**sent, "action": action, "chosen": chosen, **more}, status="*")

    asked = do("send", " ".join([*ids[:3], "x:1 con_1:0"]))
    assert "Mark as sent: 3 invoices?" in asked.text and client.get("/v1/events?event=invoice.sent")["data"] == []
    for _ in range(2):  # a form that is sent twice is carried out once
        told = next(form for form in asked.forms.values() if "sure" in form.fields).submit()
        assert "Mark as sent: 2 of 3 done" in told.text and "It was changed after the list was shown" in told.text
        titles = [row.find("a").text for row in told.html.find_all("tr") if row.find("a")]
        assert titles == ["INV-0002", "INV-0001", "INV-0003"]  # those first of which nothing became
    found = client.get("/v1/invoices?sort=number")["data"]
    assert [each["status"] for each in found] == ["sent", "draft", "sent", "draft"]
    assert len(client.get("/v1/events?event=invoice.sent")["data"]) == 2
    told = do("duplicate", all="true")
    assert "4 of 4 done" in told.text and told.text.count("See what was made") == 4
    assert "gone for good" in do("delete", all="true").text
    told = do("delete", all="true", sure="true")
    assert "Delete: 6 of 8 done" in told.text and client.get("/v1/invoices")["pagination"]["total"] == 2
    assert "Nothing was selected" in do("send").follow().text
    assert [do(action, ids[0]).status_int for action in ("pay", "payments", "nonsense")] == [403, 403, 404]
    assert "bulk" not in Browser(client.app).join(client, "viewer").get(HERE).forms
