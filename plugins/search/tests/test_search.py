"""One search over every resource: what is found, in which order, by whom, and at what cost."""

import pytest

from billycan import Context
from billycan.db import metadata
from billycan.testing import Client, counted
from billycan_search import finding

PLUGINS = ("assets", "bookings", "contacts", "documents", "expenses", "hosted", "invoices", "items", "jobs", "quotes")
pytestmark = pytest.mark.either
LINE = {"description": "Work", "unit_price": "100.00"}


@pytest.fixture
def client(make_app):
    return Client(make_app(*PLUGINS, "search", "staff"))


def find(client, q, **query):
    more = "".join(f"&{name}={value}" for name, value in query.items())
    from urllib.parse import quote

    return client.get(f"/v1/search?q={quote(q)}{more}")["data"]


def titles(client, q, **query):
    return [(each["type"], each["title"]) for each in find(client, q, **query)]


def contact(client, name, **more):
    return client.post("/v1/contacts", {"name": name, **more})["data"]["id"]


def invoice(client, of, **more):
    body = {"client_id": of, "line_items": [LINE], **more}
    return client.post("/v1/invoices", body)["data"]


def test_what_is_exact_comes_first_then_what_begins_so_then_the_rest(client):
    inner = contact(client, "Old Salamanca Café")
    word = contact(client, "Bosalamanca")
    first = contact(client, "Salamanca Bakery")
    exact = contact(client, "SALAMANCA")
    found = [each["id"] for each in find(client, "salamanca", types="contacts")]
    assert found == [exact, first, inner, word]
    assert [each["id"] for each in find(client, "salamanca", types="contacts", per_type=2)] == [exact, first]


def test_an_exact_number_reference_email_or_phone_is_first_whatever_its_type(client):
    of = contact(client, "Ada O\u2019Neill", email="ada@example.com", phone="(03) 6234 5678")
    made = [invoice(client, of, reference=f"PO {i}") for i in range(3)]
    contact(client, "INV-0002 is not mine")
    client.post("/v1/items", {"name": "PO 1 box", "unit_price": "1.00"})
    (first, *_) = find(client, "inv-0002")
    assert (first["type"], first["id"], first["title"]) == ("invoices", made[1]["id"], made[1]["number"])
    assert (first["subtitle"], first["status"], str(first["amount"])) == ("Ada O\u2019Neill", "draft", "110.00")
    assert first["date"] == made[1]["due_date"]
    assert find(client, "2")[0]["id"] == made[1]["id"]
    assert find(client, "po 1")[0]["id"] == made[1]["id"]
    for q in ("ada@example.com", "+61 3 6234 5678", "0362345678", "ADA O'NEILL"):
        assert find(client, q)[0]["id"] == of, q


def test_a_long_number_is_found_by_its_last_digits_and_by_no_others(client):
    of = contact(client, "Ada")
    day = {"client_id": of, "issue_date": "2026-11-02", "due_date": "2026-11-16", "line_items": [LINE]}
    numbers = ("INV-10002", "INV-0010002", "INV-110002", "INV-100023", "INV-20001", "10002")
    made = {number: client.post("/v1/invoices/import", {**day, "number": number})["data"]["id"] for number in numbers}
    mine = invoice(client, of, reference="replaces INV-10002")["id"]
    other = invoice(client, of, reference="20001 and 00020")["id"]  # it has the parts of the number, but not the number
    own = contact(client, "INV-10002 is not mine")
    found = [each["id"] for each in find(client, "inv-10002", per_type=20)]
    assert found[0] == made["INV-10002"]
    assert {*found} == {made["INV-10002"], made["INV-100023"], mine, own}
    found = [each["id"] for each in find(client, "10002", per_type=20)]
    assert {*found[:3]} >= {made["10002"]} and other not in found
    assert {*found} == {made[number] for number in numbers if number != "INV-20001"} | {mine, own}


@pytest.mark.parametrize(
    "text, digits",
    [
        ("inv-0042", ""),
        ("inv-00123", "00123"),
        ("inv-0523457", "523457"),
        ("inv-10500000", "0500000"),  # `500` and `000` are parts of too many
        ("inv-10666666", "10666666"),
        ("inv-1000000", "1000000"),
        ("replaces inv-00123", ""),
    ],
)
def test_a_number_is_looked_up_by_as_many_digits_as_tell_it_from_most(text, digits):
    assert finding._last_digits([text]) == digits


def test_a_number_of_like_digits_is_found_with_what_contains_it(client):
    of = contact(client, "Ada")
    day = {"client_id": of, "issue_date": "2026-11-02", "due_date": "2026-11-16", "line_items": [LINE]}
    numbers = ("INV-4000000", "INV-14000000", "INV-40000001", "INV-40000", "INV-400000")
    made = [client.post("/v1/invoices/import", {**day, "number": number})["data"]["id"] for number in numbers]
    mine = invoice(client, of, reference="was INV-4000000")["id"]
    assert {each["id"] for each in find(client, "inv-4000000", per_type=20)} == {made[0], made[2], mine}


def test_of_what_the_index_finds_by_a_part_only_what_holds_the_text_is_left(client, engine):
    ctx, contacts = Context(client.app, client.tenant_id), metadata.tables["contacts"]
    names = ("INV-10002", "was INV-10002", "INV-110002", "10 and 100 and 000 and 002")
    made = [contact(client, name) for name in names]
    with client.app.db.reading(client.tenant_id) as ctx.db:
        found = [ctx.newest_indexed(contacts, "INV-10002", most, "0002") for most in (9, 3)]
    # PostgreSQL looks in its index by itself. Of the newest three, the last has the parts of the number alone.
    assert found == [None, None] if engine == "postgresql" else [{*each} for each in found] == [{*made[:2]}, {made[1]}]


def test_what_belongs_to_a_client_is_found_by_the_clients_name(client):
    wombat, other = contact(client, "Wombat Cafe"), contact(client, "Other")
    job = client.post("/v1/jobs", {"client_id": wombat, "title": "Fix"})["data"]["id"]
    draft = invoice(client, wombat)["id"]
    invoice(client, other)
    assert [each["id"] for each in find(client, "wombat")] == [wombat, job, draft]
    assert [each["id"] for each in find(client, "wombat", types="invoices")] == [draft]
    assert [each["type"] for each in find(client.key("invoices:read"), "wombat")] == []


def test_third_parties_records_are_found_and_archived_ones(client):
    client.post("/v1/assets", {"name": "Drain camera", "cost": "2400.00"})
    gone = contact(client, "Camera Hire")
    client.post(f"/v1/contacts/{gone}/archive", status=200)
    assert titles(client, "camera") == [("contacts", "Camera Hire"), ("assets", "Drain camera")]
    assert find(client, "camera")[0]["status"] == "archived"


@pytest.mark.parametrize("q", ["50%", "a_b", "x\\y", "'", '"', "*", "a" * 200])
def test_every_character_is_itself(client, q):
    contact(client, "Something else 5000 axxb xxy")
    assert find(client, q) == []
    contact(client, f"Of {q[:190]} here")
    assert len(find(client, q[:190])) == 1


@pytest.mark.parametrize(
    "q", ["Slamanca", "Salamnaca", "Salmanca", "Salamancca", "Salamenca", "salamanac", "alamanca b"]
)
def test_a_typing_mistake_finds_what_is_similar_if_nothing_else_is_found(client, q):
    contact(client, "Salamanca Bakery")
    contact(client, "Saltram & Co")
    assert titles(client, q) == [("contacts", "Salamanca Bakery")]


def test_short_words_are_similar_too_and_what_is_too_different_is_not(client):
    contact(client, "Smith")
    assert titles(client, "smtih") == titles(client, "smth") == [("contacts", "Smith")]
    assert find(client, "smiths & sons") == find(client, "s")[1:] == find(client, "htims") == []


def test_only_what_the_key_may_read_is_found_and_nothing_of_another_business(client):
    of = contact(client, "Wombat")
    invoice(client, of)
    other = Client(client.app)
    assert find(other, "wombat") == []
    reader = client.key("contacts:read")
    assert [each["type"] for each in find(reader, "wombat")] == ["contacts"]
    assert reader.get("/v1/search?q=wombat&types=invoices", status=403)["error"]["required_scope"] == "invoices:read"
    client.key("webhooks:read").get("/v1/search?q=wombat", status=403)


def test_what_cannot_be_searched_for_is_refused(client):
    for query in ("", "q=", "q=%20", "q=a&types=wombats", "q=a&per_type=21", "q=a&per_type=0", f"q={'a' * 201}"):
        assert client.get(f"/v1/search?{query}", status=400)["error"]["code"].startswith("invalid_"), query


def test_the_statements_of_a_search_are_bounded(client):
    for i in range(6):
        invoice(client, contact(client, f"Wombat {i}"), reference="Wombat")
    client.post("/v1/jobs", {"client_id": contact(client, "Wombat"), "title": "Wombat"})
    find(client, "wombat")
    with counted(client.app) as sent:
        assert len(find(client, "wombat")) == 11
    selects = [each for each in sent if "_search" not in each]  # SQLite asks the index of each table first
    assert len(selects) <= 9, "\n".join(selects)
