"""The price list, and the members that lines of documents copy from it."""

from decimal import Decimal

import pytest

from billycan.testing import Client

pytestmark = pytest.mark.either

TAP = {"name": "Mixer tap, chrome", "unit": "each", "unit_price": "189.5", "gst_code": "gst_free", "sku": "TAP-MX"}
KINDS = ("invoices", "quotes", "jobs")


@pytest.fixture
def client(make_app):
    return Client(make_app("items", "contacts", "documents", "hosted", *KINDS))


@pytest.fixture
def shop(client):
    """A client with a contact and an item."""
    client.contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    client.item = client.post("/v1/items", TAP)["data"]["id"]
    return client


def body(shop, *lines, kind="invoices"):
    return {"client_id": shop.contact, "line_items": [*lines], **({} if kind == "invoices" else {"title": "Work"})}


def told(line):
    return {name: line[name] for name in ("item_id", "description", "unit", "unit_price", "gst_code")}


COPIED = {
    "description": "Mixer tap, chrome",
    "unit": "each",
    "unit_price": Decimal("189.50"),
    "gst_code": "gst_free",
}


def test_an_item_lives(client):
    made = client.post("/v1/items", TAP)["data"]
    assert made["id"].startswith("itm_") and made["unit_price"] == Decimal("189.50") and made["active"] is True
    path = f"/v1/items/{made['id']}"
    changed = client.patch(path, {"unit_price": "189.125", "active": False})["data"]
    assert (changed["unit_price"], changed["active"], changed["version"]) == (Decimal("189.125"), False, 2)
    assert client.patch(path, {"sku": "TAP-MX"})["data"]["version"] == 2
    client.delete(path)
    client.get(path, 404)
    assert client.events() == ["item.created", "item.updated", "item.deleted"]


def test_two_items_that_get_a_sku_at_once_are_refused_as_any_other(client, monkeypatch):
    client.post("/v1/items", TAP)
    # Like another request between the check and the write.
    monkeypatch.setattr("billycan_items.handlers._check_sku", lambda ctx, sku: None)
    assert client.refused(409, "duplicate_sku", "POST", "/v1/items", TAP)["param"] == "sku"


def test_no_two_items_have_one_sku(client):
    client.post("/v1/items", TAP)
    other = client.post("/v1/items", {**TAP, "sku": None})["data"]["id"]
    client.post("/v1/items", {**TAP, "sku": None})
    assert client.refused(409, "duplicate_sku", "POST", "/v1/items", TAP)["param"] == "sku"
    client.refused(409, "duplicate_sku", "PATCH", f"/v1/items/{other}", {"sku": " TAP-MX "})
    client.sandbox().post("/v1/items", TAP)


def test_items_are_found(client):
    for name, price, sku, active in (("Zoë", 3, "b", True), ("alan", 1, None, False), ("Bea", 2, "A", True)):
        client.post("/v1/items", {"name": name, "unit_price": price, "sku": sku, "active": active})
    names = lambda query: [item["name"] for item in client.get(f"/v1/items?{query}")["data"]]  # noqa: E731
    assert names("sort=name&active=true") == ["Bea", "Zoë"]
    assert names("sort=-unit_price") == ["Zoë", "Bea", "alan"]
    assert names("sort=sku") == ["Bea", "Zoë", "alan"]
    assert names("search=ZOE") == names("sku=b") == names("unit_price_from=2.5") == ["Zoë"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_line_takes_from_its_item_what_is_not_sent(shop, kind):
    lines = (
        {"item_id": shop.item},
        {"item_id": shop.item, "description": "Tap", "unit": "box", "unit_price": 5, "gst_code": "gst", "quantity": 2},
        {"description": "By hand", "unit_price": 1},
    )
    made = shop.post(f"/v1/{kind}", body(shop, *lines, kind=kind))["data"]
    first, second, third = made["line_items"]
    assert told(first) == {"item_id": shop.item, **COPIED} and first["total"] == Decimal("189.50")
    assert (second["description"], second["unit"], second["unit_price"], second["gst_code"]) == ("Tap", "box", 5, "gst")
    assert third["item_id"] is None
    assert shop.get(f"/v1/{kind}/{made['id']}")["data"] == made


def test_a_new_price_changes_no_document(shop):
    made = shop.post("/v1/invoices", body(shop, {"item_id": shop.item}))["data"]
    path, line = f"/v1/invoices/{made['id']}", made["line_items"][0]["id"]
    shop.patch(f"/v1/items/{shop.item}", {"unit_price": 200, "description": "Better tap", "active": False})
    assert shop.get(path)["data"] == made
    more = shop.patch(path, {"line_items": [{"id": line, "quantity": 2}]})["data"]
    assert more["total"] == Decimal("379.00") and told(more["line_items"][0]) == told(made["line_items"][0])
    anew = shop.patch(path, {"line_items": [{"id": line, "unit_price": None}]})["data"]["line_items"][0]
    assert (anew["unit_price"], anew["description"]) == (200, "Mixer tap, chrome")


def test_a_line_that_names_another_item_takes_all_of_it(shop):
    labour = shop.post("/v1/items", {"name": "Labour", "unit_price": "98.00", "unit": "hour"})["data"]["id"]
    made = shop.post("/v1/invoices", body(shop, {"item_id": shop.item}))["data"]
    path, line = f"/v1/invoices/{made['id']}", made["line_items"][0]["id"]
    changed = shop.patch(path, {"line_items": [{"id": line, "item_id": labour, "unit": "h"}]})["data"]["line_items"][0]
    assert told(changed) == {
        "item_id": labour, "description": "Labour", "unit": "h", "unit_price": Decimal("98.00"), "gst_code": "gst"
    }  # fmt: skip
    gone = shop.patch(path, {"line_items": [{"id": line, "item_id": None}]})["data"]["line_items"][0]
    assert told(gone) == {**told(changed), "item_id": None}


@pytest.mark.sqlite_alone
def test_a_line_without_an_item_needs_a_description_and_a_price(shop):
    lines = ({"quantity": 1}, {"item_id": "itm_none"}, {"item_id": shop.contact})
    error = shop.refused(422, "validation_failed", "POST", "/v1/invoices", body(shop, lines[0]))
    assert [(f["param"], f["code"]) for f in error["details"]] == [
        ("line_items[0].description", "required"),
        ("line_items[0].unit_price", "required"),
    ]
    error = shop.refused(422, "validation_failed", "POST", "/v1/invoices", body(shop, *lines[1:]))
    assert [(f["param"], f["code"]) for f in error["details"]] == [
        ("line_items[0].item_id", "not_found"),
        ("line_items[1].item_id", "not_found"),
    ]
    other = Client(shop.app)
    theirs = other.post("/v1/items", TAP)["data"]["id"]
    shop.refused(422, "validation_failed", "POST", "/v1/invoices", body(shop, {"item_id": theirs}))


@pytest.mark.parametrize("kind", KINDS)
def test_an_item_that_a_line_names_stays(shop, kind):
    made = shop.post(f"/v1/{kind}", body(shop, {"item_id": shop.item}, {"item_id": shop.item}, kind=kind))["data"]
    error = shop.refused(409, "has_dependents", "DELETE", f"/v1/items/{shop.item}")
    assert error["dependents"] == {kind: 1} and "set `active` to false" in error["message"]
    shop.delete(f"/v1/{kind}/{made['id']}")
    shop.delete(f"/v1/items/{shop.item}")


def test_what_is_made_of_a_document_names_its_items_too(shop):
    quote = shop.post("/v1/quotes", body(shop, {"item_id": shop.item}, kind="quotes"))["data"]["id"]
    shop.post(f"/v1/quotes/{quote}/send", {}, 200)
    shop.post(f"/v1/quotes/{quote}/accept", {"name": "Ada"}, 200)
    shop.patch(f"/v1/items/{shop.item}", {"unit_price": 1})
    invoice = shop.post(f"/v1/quotes/{quote}/convert", {"to": "invoice"})["data"]
    assert [told(line) for line in invoice["line_items"]] == [{"item_id": shop.item, **COPIED}]


def test_documents_stay_as_they_are_where_items_are_off(shop, make_app):
    made = shop.post("/v1/invoices", body(shop, {"item_id": shop.item}))["data"]
    path, line = f"/v1/invoices/{made['id']}", made["line_items"][0]["id"]
    url = shop.app.db.url.render_as_string(hide_password=False)
    smaller = Client(make_app("contacts", "documents", "hosted", *KINDS, database=url), shop.tenant_id)
    assert smaller.get(path)["data"]["line_items"] == made["line_items"]
    smaller.refused(422, "validation_failed", "POST", "/v1/invoices", body(shop, {"item_id": shop.item}))
    changed = smaller.patch(path, {"line_items": [{"id": line, "quantity": 3}]})["data"]
    assert told(changed["line_items"][0]) == {"item_id": shop.item, **COPIED}
    copy = smaller.post(f"/v1/invoices/{made['id']}/duplicate")["data"]["line_items"][0]
    assert told(copy) == {"item_id": None, **COPIED}
    assert told(shop.get(path)["data"]["line_items"][0])["item_id"] == shop.item


def test_the_items_of_all_lines_are_one_query_each_time(shop, make_app):
    from billycan.testing import counted

    others = [shop.post("/v1/items", {**TAP, "sku": None})["data"]["id"] for _ in range(3)]
    with counted(shop.app) as sent:
        shop.post("/v1/invoices", body(shop, *({"item_id": id} for id in [shop.item, *others])))
    # Once ahead of the transaction, and once in it, where equal items make the same lines.
    assert len([statement for statement in sent if "FROM items" in statement]) == 2
