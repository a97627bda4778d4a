"""Forms that are still being filled in: what is offered for a reference, and what the document comes to."""

import pytest

from billycan.testing import Client

pytestmark = pytest.mark.sqlite_alone
PLUGINS = ("contacts", "documents", "hosted", "invoices", "quotes", "jobs", "items", "recurring", "users", "dashboard")


@pytest.fixture
def client(make_app):
    return Client(make_app(*PLUGINS))


def test_records_are_offered_by_name_and_by_code(client, owner):
    for name, sku, price in (
        ("Copper pipe", "CU-15", "11.50"),
        ("Mixer tap", "TAP-MX", "219.00"),
        ("Tap washer", None, "1"),
    ):
        client.post("/v1/items", {"name": name, "sku": sku, "unit_price": price, "description": f"{name}, fitted"})
    client.post("/v1/items", {"name": "Tap, old", "unit_price": "1", "active": False})

    def offered(query):
        return owner.get(f"/dashboard/suggest/items?{query}").json

    assert [each["title"] for each in offered("q=tap")] == ["Tap washer", "Mixer tap"]  # what begins with it is first
    assert [each["title"] for each in offered("q=cu-15")] == ["Copper pipe"]
    assert offered("q=nothing") == []
    (tap,) = offered("q=TAP-MX&fills=description,unit_price,nonsense")
    assert tap["more"] == "$219.00 · TAP-MX"
    assert tap["fills"] == {"description": "Mixer tap, fitted", "unit_price": "219.00"}
    assert offered(f"id={tap['id']}&fills=unit_price")[0]["title"] == "Mixer tap"
    assert owner.get("/dashboard/suggest/items?id=itm_gone", status=404).json["problem"]
    owner.get("/dashboard/suggest/nothing", status=404)


@pytest.mark.parametrize("resource", ["quotes", "invoices", "jobs", "recurring_invoices"])
def test_a_form_is_worked_out_as_far_as_it_is_filled_in_and_nothing_is_kept(client, owner, resource):
    here = f"/dashboard/{resource}/new"
    client.post("/v1/contacts", {"name": "Ada"})
    item = client.post("/v1/items", {"name": "Tap", "unit_price": "50.00"})["data"]["id"]
    rows = {
        "line_items[1].item_id": item,
        "line_items[2].description": "Labour", "line_items[2].quantity": "2.5", "line_items[2].unit_price": "$1,000",
        "line_items[3].description": "Not priced yet",
        "line_items[4].description": "Odd", "line_items[4].unit_price": "a lot",
    }  # fmt: skip
    events = client.get("/v1/events")["pagination"]["total"]
    owner.get(here)
    owner.send(here, button="more=line_items")
    owner.send(here, button="work_out=yes", **rows)  # nobody is chosen, and no title written
    found = owner.page.json
    if resource != "recurring_invoices":  # whose lines have no sums
        assert found["rows"] == {"line_items[1]": "$55.00", "line_items[2]": "$2,750.00"}
        assert found["figures"][:-1] == [["Subtotal", "$2,550.00"], ["GST", "$255.00"]]
    assert found["figures"][-1] == ["Total", "$2,805.00"]
    assert found["wrong"].startswith("Unit price, row 5: must be a plain decimal number")
    assert client.get(f"/v1/{resource}")["pagination"]["total"] == 0
    assert client.get("/v1/events")["pagination"]["total"] == events


def test_a_change_is_worked_out_and_not_made(client, owner):
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    lines = [{"description": "Work", "unit_price": "100"}, {"description": "More", "unit_price": "10"}]
    quote = client.post("/v1/quotes", {"client_id": contact, "line_items": lines})["data"]
    here = f"/dashboard/quotes/{quote['id']}/edit"
    owner.get(here)
    owner.send(here, button="work_out=yes", **{"line_items[0].unit_price": "200", "line_items[1].__remove": "yes"})
    assert owner.page.json["figures"][-1] == ["Total", "$220.00"]
    assert client.get(f"/v1/quotes/{quote['id']}")["data"]["version"] == quote["version"]


def test_a_brief_form_asks_at_first_for_what_is_needed(client, owner):
    owner.get("/dashboard/contacts/new?brief=yes&name=Ada")
    grid = owner.page.html.find("div", class_="grid")
    assert [field["name"] for field in grid.find_all(["input", "select"])] == ["name", "email", "phone"]
    assert grid.find("input")["value"] == "Ada"
    owner.send("/dashboard/contacts/new", status=422, email="nobody")
    assert owner.page.html.find("input", attrs={"name": "brief"}) and "Please correct" in owner.page.text


def test_what_stands_for_a_field_that_is_still_empty_is_not_at_fault(client, owner):
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    client.post("/v1/invoices", {"client_id": ada, "line_items": [{"description": "Work", "unit_price": "9"}]})
    here = "/dashboard/adjustment_notes/new"
    owner.get(here)
    owner.send(here, button="work_out=yes", **{"line_items[0].description": "Work", "line_items[0].unit_price": "1"})
    assert owner.page.json["wrong"] == "", "nobody has chosen the draft that nothing can reduce"


def test_nobody_is_offered_what_is_archived(client, owner):
    for name in ("Ada", "Adam"):
        client.post("/v1/contacts", {"name": name})
    adam = client.get("/v1/contacts?search=Adam")["data"][0]["id"]
    old = client.post("/v1/invoices", {"client_id": adam, "line_items": [{"description": "Work", "unit_price": "9"}]})
    client.post(f"/v1/contacts/{adam}/archive", status=200)
    form = owner.get("/dashboard/quotes/new").html
    assert [each.text for each in form.select("#client_id option")] == ["\N{EN DASH}", "Ada"]
    assert [each["title"] for each in owner.get("/dashboard/suggest/contacts?q=Ad").json] == ["Ada"]
    assert not owner.get(f"/dashboard/contacts/{adam}").html.select(".start")
    # A record that has them keeps them.
    edited = owner.get(f"/dashboard/invoices/{old['data']['id']}/edit").html
    assert edited.select_one("#client_id option[selected]").text == "Adam"
