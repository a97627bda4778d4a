"""Forms of records as people fill them in: searches within them, other items, and changes by two people at once."""

import pytest

from billycan.testing import Client

pytestmark = pytest.mark.sqlite_alone
HERE = "/dashboard/invoices"


@pytest.fixture
def client(make_app):
    return Client(make_app("contacts", "documents", "hosted", "invoices", "items", "users", "dashboard"))


def some_contacts(client, count=101):
    return {
        name: client.post("/v1/contacts", {"name": name})["data"]["id"] for name in map("No {:03}".format, range(count))
    }


def chosen(owner, name):
    options = owner.page.html.find("select", attrs={"name": name}).find_all("option", selected=True)
    return options[0].text if options else ""


def test_enter_in_a_search_searches_and_makes_nothing_for_whoever_was_chosen_before(client, owner):
    ids = some_contacts(client)
    owner.get(f"{HERE}/new?client_id={ids['No 007']}")
    assert chosen(owner, "client_id") == "No 007"
    line = {"line_items[0].description": "Work", "line_items[0].unit_price": "10"}
    owner.send(f"{HERE}/new", **{"find-client_id": "no 09", **line})
    assert "The invoice was created" not in owner.page.text and chosen(owner, "client_id") == ""
    assert owner.page.html.find(id="line_items[0].description").text.strip() == "Work"
    owner.send(f"{HERE}/new", **{"find-client_id": "No 100"})
    assert chosen(owner, "client_id") == "No 100"
    owner.send(f"{HERE}/new", **{"find-client_id": "Nobody"})
    assert "Nothing matches “Nobody”" in owner.page.text
    owner.send(f"{HERE}/new", button="find=client_id", **{"find-client_id": ""})
    owner.send(f"{HERE}/new", client_id=ids["No 042"])
    assert "The invoice was created" in owner.page.text
    assert [each["client"]["name"] for each in client.get("/v1/invoices")["data"]] == ["No 042"]


def test_another_item_brings_its_own_words_and_price_unless_they_were_typed(client, owner):
    tap, pipe = (
        client.post("/v1/items", {"name": name, "unit_price": price})["data"]["id"]
        for name, price in (("Mixer tap", "219.00"), ("Copper pipe", "11.50"))
    )
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    lines = [{"item_id": tap, "quantity": 2}, {"description": "Labour", "unit_price": "90.00"}]
    id = client.post("/v1/invoices", {"client_id": contact, "line_items": lines})["data"]["id"]

    def change(**fields):
        owner.get(f"{HERE}/{id}/edit")
        owner.send(f"{HERE}/{id}/edit", **{f"line_items[0].{name}": value for name, value in fields.items()})
        assert "The invoice was changed" in owner.page.text
        found = client.get(f"/v1/invoices/{id}")["data"]["line_items"]
        assert found[1]["description"] == "Labour" and str(found[0]["quantity"]) == "2"
        return found[0]["description"], str(found[0]["unit_price"])

    assert change(item_id=pipe) == ("Copper pipe", "11.50")
    assert change(item_id=tap, unit_price="200") == ("Mixer tap", "200.00")


def test_each_item_of_a_long_price_list_can_be_put_on_a_line(client, owner):
    for i in range(102):
        client.post("/v1/items", {"name": f"Part {i:03}", "unit_price": "1.00"})
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    owner.get(f"{HERE}/new")
    first, last = "line_items[0].item_id", "line_items[1].item_id"
    part = owner.page.html.find("select", attrs={"name": first}).find("option", string="Part 003")["value"]
    owner.send(f"{HERE}/new", client_id=contact, **{first: part, "find-item_id": "part 101"})
    options = owner.page.html.find("select", attrs={"name": last}).find_all("option")
    assert [each.text for each in options] == ["–", "Part 101"] and chosen(owner, first) == "Part 003"
    owner.send(f"{HERE}/new", **{last: options[1]["value"]})
    (made,) = client.get("/v1/invoices?include=line_items")["data"]
    assert [line["description"] for line in made["line_items"]] == ["Part 003", "Part 101"]


def test_two_people_edit_at_once_and_neither_loses_what_the_other_left_alone(client, owner):
    contact = client.post("/v1/contacts", {"name": "Ada", "phone": "03 6228 0001", "notes": "Dog"})["data"]["id"]
    path, page = f"/v1/contacts/{contact}", f"/dashboard/contacts/{contact}/edit"
    owner.get(page)
    client.patch(path, {"phone": "03 6228 0002", "notes": "Two dogs", "email": "ada@example.com"})
    owner.send(page, status=409, notes="A cat", name="Ada King")
    assert "If-Match" not in owner.page.text and "Somebody else changed the contact" in owner.page.text
    assert "it is now “Two dogs”" in owner.page.text
    assert owner.page.html.find(id="phone")["value"] == "03 6228 0002"
    owner.send(page)
    assert "The contact was changed" in owner.page.text
    now = client.get(path)["data"]
    assert (now["name"], now["notes"]) == ("Ada King", "A cat")
    assert (now["phone"], now["email"]) == ("03 6228 0002", "ada@example.com")
    # Nothing of one's own leaves what others changed.
    owner.get(page)
    client.patch(path, {"phone": "03 6228 0003"})
    owner.send(page)
    assert "Nothing was changed" in owner.page.text
    assert client.get(path)["data"]["phone"] == "03 6228 0003"


def test_the_profile_keeps_what_two_people_change_at_once(client, owner):
    page = "/dashboard/profile"
    assert 'class="grip"' not in owner.get(page).text, "rows that no script moves have no grip"
    client.patch("/v1/tenant", {"phone": "03 6228 0002"})
    owner.send(page, status=409, name="Derwent Plumbing & Gas")
    assert "Somebody else changed the profile" in owner.page.text and "If-Match" not in owner.page.text
    owner.send(page)
    now = client.get("/v1/tenant")["data"]
    assert (now["name"], now["phone"]) == ("Derwent Plumbing & Gas", "03 6228 0002")


def test_amounts_and_states_are_taken_as_people_write_them(client, owner):
    page = "/dashboard/contacts/new"
    for given, state in (("tas", "TAS"), ("Tasmania", "TAS"), ("New South Wales", "NSW"), ("N.S.W.", "NSW")):
        owner.get(page)
        fields = {"billing_address.line1": "1 Elm St", "billing_address.state": given}
        owner.send(page, name="Ada", **fields)
        assert client.get("/v1/contacts")["data"][0]["billing_address"]["state"] == state
    contact = client.get("/v1/contacts")["data"][0]["id"]
    for given, price in (("$1,000", "1000.00"), ("-$20.5", "-20.50"), ("12 500.25", "12500.25")):
        owner.get(f"{HERE}/new")
        lines = {"line_items[0].description": "Work", "line_items[0].unit_price": given}
        owner.send(f"{HERE}/new", client_id=contact, **lines, **{"line_items[1].description": "More"}, status=422)
        owner.send(f"{HERE}/new", **{"line_items[1].unit_price": "9,000"})
        made = client.get("/v1/invoices?include=line_items")["data"][0]
        assert [str(line["unit_price"]) for line in made["line_items"]] == [price, "9000.00"]
    owner.get(f"{HERE}/new")
    for wrong in ("1,00", "1.000,50", "ten", "$", "1,000,00"):
        lines = {"line_items[0].description": "Work", "line_items[0].unit_price": wrong}
        owner.send(f"{HERE}/new", client_id=contact, **lines, status=422)


def test_a_payment_begins_with_what_is_due_and_the_day_it_is(client, owner):
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    line = {"description": "Work", "unit_price": "1100.00"}
    invoice = client.post("/v1/invoices", {"client_id": contact, "line_items": [line]})["data"]["id"]
    issued = client.post(f"/v1/invoices/{invoice}/send", status=200)["data"]["issue_date"]
    client.post(f"/v1/invoices/{invoice}/payments", {"amount": "210.00", "payment_method": "card"})
    owner.page = owner.get(f"{HERE}/{invoice}").click("Record a payment")
    assert owner.page.html.find(id="amount")["value"] == "1000.00"
    assert owner.page.html.find(id="paid_at")["value"].startswith(issued)
    owner.send(f"{HERE}/{invoice}/payments", payment_method="cash")
    assert "The payment was recorded" in owner.page.text
    assert client.get(f"/v1/invoices/{invoice}")["data"]["status"] == "paid"


def test_the_first_fault_has_the_focus(client, owner):
    owner.get("/dashboard/contacts/new")
    owner.send("/dashboard/contacts/new", email="no address", phone="none", status=422)
    focused = owner.page.html.find_all(autofocus=True)
    assert [each["id"] for each in focused] == ["name"]
    owner.send("/dashboard/contacts/new", name="Ada", status=422)
    assert [each["id"] for each in owner.page.html.find_all(autofocus=True)] == ["email"]


def test_all_gst_settings_are_shown_and_kept(client, owner):
    page = "/dashboard/profile"
    several = [{"from": f"202{i}-07-01", "registered": True, "basis": "cash", "period": "quarter"} for i in range(5)]
    client.patch("/v1/tenant", {"gst_settings": several})
    owner.get(page)
    assert len(owner.page.html.select("#gst_settings .grid-row")) == 6, "and one for another"
    owner.send(page, phone="03 6228 0003")
    assert client.get("/v1/tenant")["data"]["gst_settings"] == several


def test_forms_ask_for_what_is_short_before_lists_and_addresses(owner):
    controls = [each["id"] for each in owner.get("/dashboard/contacts/new").html.select(".grid > * [id], .grid > [id]")]
    order = [controls.index(name) for name in ("name", "roles", "billing_address", "people", "notes")]
    assert order == sorted(order)
    assert len(owner.page.html.select("#people .grid-row")) == 1
    assert len(owner.get(f"{HERE}/new").html.select("#line_items .grid-row")) == 3


def test_a_contact_that_is_only_a_supplier_is_offered_no_invoice(client, owner):
    for roles, offered in ((["supplier"], False), (["client"], True), (["supplier", "client"], True)):
        contact = client.post("/v1/contacts", {"name": "Reece", "roles": roles})["data"]["id"]
        page = owner.get(f"/dashboard/contacts/{contact}").html
        assert bool(page.select("main a[href*='/new?client_id=']")) is offered, roles


def test_what_a_row_refers_to_without_a_field_stays_as_it_is(client, owner):
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    line = {"description": "Work", "unit_price": "900.00"}
    invoice = client.post("/v1/invoices", {"client_id": ada, "line_items": [line]})["data"]["id"]
    client.post(f"/v1/invoices/{invoice}/send", status=200)
    body = {"invoice_id": invoice, "full": True, "reason": "cancelled"}
    path = f"/v1/adjustment_notes/{client.post('/v1/adjustment_notes', body)['data']['id']}"
    before, page = client.get(path)["data"]["line_items"], path.replace("/v1", "/dashboard")
    owner.get(f"{page}/edit")
    owner.send(f"{page}/edit", description="The client moved away.")
    after = client.get(path)["data"]
    assert after["description"] == "The client moved away." and before[0]["invoice_line_id"]
    assert [each["invoice_line_id"] for each in after["line_items"]] == [before[0]["invoice_line_id"]]
    client.post(f"{path}/issue", {}, status=200)
    owner.get(f"{page}/edit")
    assert "Nothing was changed." in owner.send(f"{page}/edit").text
