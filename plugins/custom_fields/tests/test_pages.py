"""Custom fields in the dashboard: in forms, on the page of a record, and among the filters of lists."""

import re

import pytest

from billycan.testing import Client
from billycan_users.testing import Browser

pytestmark = pytest.mark.sqlite_alone
FIELDS = (
    {"key": "access", "type": "choice", "choices": ["gate code", "ring"], "label": "Access to the site"},
    {"key": "height", "type": "number", "label": "Height in metres"},
    {"key": "vip", "type": "boolean"},
    {"key": "since", "type": "date"},
)


@pytest.fixture
def client(make_app):
    client = Client(make_app("contacts", "custom_fields", "users", "dashboard"))
    for field in FIELDS:
        client.post("/v1/custom_fields", {"resource": "contacts", **field})
    return client


def test_a_form_asks_for_them_and_the_page_shows_them(client):
    browser = Browser(client.app).join(client)
    form = browser.get("/dashboard/contacts/new")
    assert "Access to the site" in form.text and "Height in metres" in form.text
    form = next(each for each in form.forms.values() if "name" in each.fields)
    form["name"], form["custom.access"], form["custom.height"], form["custom.vip"] = "Ada", "ring", "tall", "true"
    refused = form.submit(status=422)
    field = refused.html.find(id="custom.height")
    assert field["aria-invalid"] == "true" and field["value"] == "tall"
    form = next(each for each in refused.forms.values() if "name" in each.fields)
    form["custom.height"] = "1.85"
    page = form.submit(status=303).follow()
    (ada,) = client.get("/v1/contacts")["data"]
    assert {name: str(value) for name, value in ada["custom"].items()} == {
        "access": "ring",
        "height": "1.85",
        "vip": "True",
    }
    assert "Access to the site" in page.text and "1.85" in page.text
    edit = next(each for each in page.click("Edit", index=0).forms.values() if "name" in each.fields)
    assert (edit["custom.access"].value, edit["custom.height"].value) == ("ring", "1.85")
    edit["custom.access"], edit["custom.height"] = "", "2"
    edit.submit(status=303)
    (ada,) = client.get("/v1/contacts")["data"]
    assert {name: str(value) for name, value in ada["custom"].items()} == {"height": "2", "vip": "True"}


def test_lists_are_narrowed_by_them(client):
    for name, custom in (("Ada", {"access": "ring", "height": 1}), ("Grace", {"access": "gate code", "height": 3})):
        client.post("/v1/contacts", {"name": name, "custom": custom})
    browser = Browser(client.app).join(client, "viewer")
    page = browser.get("/dashboard/contacts?custom[access]=ring&custom[height]_to=2")
    assert "Ada" in page.text and "Grace" not in page.text
    assert page.html.find(id="custom[height]_to")["value"] == "2"
    assert page.html.find(id="custom[access]").find("option", value="ring").has_attr("selected")
    wrong = browser.get("/dashboard/contacts?custom[height]_to=tall", status=400)
    assert wrong.html.find(id="custom[height]_to")["aria-invalid"] == "true"


def test_a_business_without_any_sees_none(client):
    browser = Browser(client.app).join(Client(client.app))
    for page in ("/dashboard/contacts/new", "/dashboard/contacts"):
        assert not browser.get(page).html.find(id=re.compile(r"^custom"))


def test_the_fields_themselves_have_pages(client):
    browser = Browser(client.app).join(client)
    page = browser.get("/dashboard/custom_fields")
    assert "Access to the site" in page.text
    form = next(each for each in browser.get("/dashboard/custom_fields/new").forms.values() if "key" in each.fields)
    form["resource"], form["key"], form["type"], form["choices"] = "contacts", "size", "choice", "small\nlarge"
    form.submit(status=303)
    assert client.get("/v1/custom_fields?key=size")["data"][0]["choices"] == ["small", "large"]
