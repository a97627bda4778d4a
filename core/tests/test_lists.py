"""Filters, dates in the tenant's zone, and searches find exactly what they say."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from billycan.fields import Moment
from billycan.lists import queries
from billycan.testing import Client, counted


def names(client, query, path="/v1/contacts"):
    return sorted(record["name"] for record in client.get(f"{path}?{query}&per_page=100")["data"])


@pytest.fixture
def client(make_app):
    return Client(make_app("contacts"))


@pytest.fixture
def people(client):
    """Five contacts, told apart by every filter."""
    for body in (
        {
            "name": "Ada",
            "kind": "person",
            "roles": ["client", "supplier"],
            "tags": ["vip", "a,b"],
            "external_id": "X 1",
        },
        {"name": "Bob", "kind": "person", "email": "bob@example.com", "tags": ["VIP"], "metadata": {"colour": "blue"}},
        {"name": "Cy", "roles": ["supplier"], "abn": "47555222000", "metadata": {"colour": "blue", "size": "L"}},
        {"name": "Di", "metadata": {"colour": "Blue"}},
        {"name": "Eve", "tags": ["vip"]},
    ):
        made = client.post("/v1/contacts", body)["data"]
    client.post(f"/v1/contacts/{made['id']}/archive", status=200)
    Client(client.app).post(
        "/v1/contacts", {"name": "Stranger", "kind": "person", "external_id": "X 1", "tags": ["vip"]}
    )
    return client


FILTERS = {
    "": "Ada Bob Cy Di Eve",
    "kind=person": "Ada Bob",
    "kind=person,company": "Ada Bob Cy Di Eve",
    "status=archived": "Eve",
    "status=active&kind=company": "Cy Di",
    "role=supplier": "Ada Cy",
    "role=client": "Ada Bob Di Eve",
    "tag=vip": "Ada Eve",
    "tag=VIP": "Bob",
    "tag=vi": "",
    "tag=a,b": "Ada",
    "email=bob@example.com": "Bob",
    "abn=47%20555%20222%20000": "Cy",
    "abn=51824753556": "",
    "external_id=X+1": "Ada",
    "external_id=x+1": "",
    "metadata[colour]=blue": "Bob Cy",
    "metadata[colour]=blue&metadata[size]=L": "Cy",
    "metadata%5Bcolour%5D=Blue": "Di",
    "metadata[colour]=": "",
    "metadata[Colour]=blue": "",
    "metadata[colour]=blue&kind=person&search=b": "Bob",
}


@pytest.mark.parametrize(("query", "found"), FILTERS.items())
def test_a_filter_finds(people, query, found):
    assert names(people, query) == found.split()


HOSTILE = [
    "a.b",
    "$",
    "$.a",
    '"',
    "'",
    "a'b\"c",
    "[0]",
    "a[b]",
    "*",
    "%",
    "_",
    "\\",
    "a\\'",
    "{}",
    "null",
    "🦘",
    "ключ",
    "a b",
    "?",
    "&",
    "::text",
    "--",
]


@pytest.mark.parametrize("key", HOSTILE)
def test_a_key_of_metadata_is_only_a_name(client, key):
    client.post("/v1/contacts", {"name": "Ada", "metadata": {key: key}})
    client.post("/v1/contacts", {"name": "Bob", "metadata": {"a": "b", "0": "1"}})
    assert names(client, f"metadata[{quote(key)}]={quote(key)}") == ["Ada"]
    assert names(client, f"metadata[{quote(key)}]=other") == []


@given(key=st.text(min_size=1, max_size=10), value=st.text(max_size=10))
def test_any_metadata_is_found_again(client, key, value):
    assume(client.call("POST", "/v1/contacts", {"name": "Ada", "metadata": {key: value}}).status_int == 201)
    made = client.last.json["data"]
    for text, is_found in ((made["metadata"][key], True), (made["metadata"][key] + "x", False)):
        found = client.get(f"/v1/contacts?metadata[{quote(key)}]={quote(text)}")["data"]
        assert (made["id"] in [contact["id"] for contact in found]) is is_found


def test_numbers_and_dates_bound_a_list_inclusively(widgets):
    client = Client(widgets.app())
    days = [date(2026, 1, day) for day in (1, 2, 3)]
    widgets.add(client, *({"name": f"w{i}", "size": i, "price": Decimal(i), "due_date": d} for i, d in enumerate(days)))
    widgets.add(client, {"name": "null"})
    for query, found in {
        "size=0,2": ["w0", "w2"],
        "size=7": [],
        "price_from=1": ["w1", "w2"],
        "price_from=0.01&price_to=1.00": ["w1"],
        "price_to=-0.01": [],
        "due_date_from=2026-01-02": ["w1", "w2"],
        "due_date_to=2026-01-02": ["w0", "w1"],
        "due_date_from=2026-01-02&due_date_to=2026-01-02": ["w1"],
        "due_date_from=2026-01-03&due_date_to=2026-01-01": [],
        "name=w0,null": ["null", "w0"],
    }.items():
        assert names(client, query, "/v1/widgets") == found, query
    for query in (
        "price_from=1.001",
        "price_from=1e2",
        "price_from=NaN",
        "size=1,x",
        "size=1,",
        "due_date_from=2026-01-02T00:00:00Z",
    ):
        client.refused(400, "invalid_filter", "GET", f"/v1/widgets?{query}")


# What the first and the last millisecond of a day are in each zone.
DAYS = {
    "no daylight saving": ("Australia/Brisbane", "2026-10-04", (2026, 10, 3, 14), (2026, 10, 4, 14)),
    "a day of 23 hours": ("Australia/Hobart", "2026-10-04", (2026, 10, 3, 14), (2026, 10, 4, 13)),
    "a day of 25 hours": ("Australia/Hobart", "2026-04-05", (2026, 4, 4, 13), (2026, 4, 5, 14)),
    "a day of 23.5 hours": ("Australia/Lord_Howe", "2026-10-04", (2026, 10, 3, 13, 30), (2026, 10, 4, 13)),
    "no midnight": ("Africa/Cairo", "2025-04-25", (2025, 4, 24, 22), (2025, 4, 25, 21)),
    "two midnights": ("America/Havana", "2026-11-01", (2026, 11, 1, 4), (2026, 11, 2, 5)),
    "UTC": ("UTC", "2026-11-30", (2026, 11, 30), (2026, 12, 1)),
}


@pytest.mark.parametrize(("zone", "day", "start", "end"), DAYS.values(), ids=DAYS)
def test_a_date_is_that_whole_day_in_the_tenants_zone(widgets, zone, day, start, end):
    client = Client(widgets.app(), profile={"timezone": zone})
    first, after = (int(datetime(*time, tzinfo=UTC).timestamp() * 1000) for time in (start, end))
    times = {"before": first - 1, "first": first, "last": after - 1, "after": after}
    rows = [{"name": n, "seen_at": Moment.of(datetime.fromtimestamp(ms / 1000, UTC))} for n, ms in times.items()]
    shown = {row.name: str(row.seen_at) for row in widgets.add(client, *rows)}
    for query, found in {
        f"seen_at_from={day}&seen_at_to={day}": {"first", "last"},
        f"seen_at_from={day}": {"first", "last", "after"},
        f"seen_at_to={day}": {"before", "first", "last"},
        f"seen_at_from={shown['first']}&seen_at_to={shown['last']}": {"first", "last"},
        f"seen_at_from={shown['after']}": {"after"},
        f"seen_at_to={shown['before'].replace('Z', '+00:00')}": {"before"},
        f"seen_at_to={shown['before'].replace('Z', '%2B00:00')}": {"before"},
    }.items():
        assert set(names(client, query, "/v1/widgets")) == found, query


def test_a_list_says_what_changed_since(client, clock):
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]
    clock.move(hours=1)
    bob = client.post("/v1/contacts", {"name": "Bob"})["data"]
    clock.move(hours=1)
    ada = client.patch(f"/v1/contacts/{ada['id']}", {"notes": "new"})["data"]
    assert names(client, f"updated_since={bob['updated_at']}") == ["Ada", "Bob"]
    assert names(client, f"updated_since={ada['updated_at']}") == ["Ada"]
    assert names(client, "updated_since=2026-11-21") == ["Ada", "Bob"]
    assert names(client, "updated_since=2026-11-22") == []
    assert names(client, f"updated_at_to={bob['updated_at']}") == ["Bob"]
    assert names(client, f"created_at_from={bob['created_at']}") == ["Bob"]
    assert [c["name"] for c in client.get("/v1/contacts?sort=-updated_at")["data"]] == ["Ada", "Bob"]


CONTACT = {
    "name": "Zoë O'Brien & Söhne GmbH",
    "email": "Zoe.Brien@Example.com",
    "phone": "(03) 6234 5678",
    "abn": "47 555 222 000",
    "people": [{"name": "İlker Straße", "role": "Foreman", "phone": "+61 412 345 678"}],
    "notes": "secret notes",
}


FOUND = "zoe|ZOË|Zoe\u0308|O'Brien|& söhne|GMBH|z|oe|ë o|zoe.brien@example.com|@example|ilker|STRASSE|foreman|  zoe  "
FOUND += "|6234 5678|62345678|6234-5678|(03)6234|03 6234 5678|0362345678|+61 3 6234 5678|+61362345678|412 345|4|45"
FOUND += "|0412 345 678|0412345678|+61412345678|+61 412|61412345678|47555222000|47 555|555 222 000|5552220"
ABSENT = "%|_|Z_ë|z%e|\\|secret|zo e|Brien Zoë|0362345679|62 345 679|company|\\%|''"


@pytest.mark.parametrize("text", FOUND.split("|"))
def test_a_search_finds(client, text):
    client.post("/v1/contacts", CONTACT)
    assert names(client, f"search={quote(text)}") == [CONTACT["name"]]


@pytest.mark.parametrize("text", [*ABSENT.split("|"), "|"])
def test_a_search_does_not_find(client, text):
    client.post("/v1/contacts", CONTACT)
    assert names(client, f"search={quote(text)}") == []


@pytest.mark.parametrize(
    "text", ["100%", "%", "0%_", "a_b", "_", "\\", "\\_", "c\\d", "'; --", '"', "日本", "本", "🦘", "*", "^$"]
)
def test_no_character_is_special_in_a_search(client, text):
    client.post("/v1/contacts", {"name": "100%_a_b\\_c\\d'; -- \"日本🦘*^$"})
    client.post("/v1/contacts", {"name": "100 axb"})
    assert len(names(client, f"search={quote(text)}")) == 1


@given(name=st.text(min_size=1, max_size=20), data=st.data())
def test_every_part_of_a_name_is_found(client, name, data):
    assume(client.call("POST", "/v1/contacts", {"name": name}).status_int == 201)
    made = client.last.json["data"]
    start = data.draw(st.integers(0, len(made["name"]) - 1))
    part = made["name"][start : start + data.draw(st.integers(1, 8))]
    for text in (part, part.swapcase()):
        if len(text.lower()) == len(text.casefold()):  # not every letter has a capital of its own
            found = client.get(f"/v1/contacts?search={quote(text)}&per_page=100&sort=-created_at")["data"]
            assert made["id"] in [contact["id"] for contact in found]


def test_a_search_reads_what_was_just_written(client):
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]
    assert names(client, "search=ada") == ["Ada"]
    client.patch(f"/v1/contacts/{ada['id']}", {"name": "Eve", "phone": "0412 345 678"})
    assert names(client, "search=ada") == [] and names(client, "search=04123") == ["Eve"]
    client.patch(f"/v1/contacts/{ada['id']}", {"phone": None})
    assert names(client, "search=04123") == []
    client.delete(f"/v1/contacts/{ada['id']}")
    assert names(client, "search=eve") == []
    assert names(Client(client.app), "search=e") == []


def test_what_reads_a_query_is_built_once(make_app, monkeypatch):
    client = Client(make_app("contacts"))
    client.get("/v1/contacts?status=active&per_page=3")

    def refuse(*args: Any) -> None:
        raise AssertionError("built again")

    monkeypatch.setattr("billycan.endpoints.compiled", refuse)
    client.get("/v1/contacts?status=active,archived&per_page=2")


def test_queries_with_many_values_are_not_all_kept(client):
    kept = queries._built.cache_info().currsize, queries._built_of_many.cache_info().maxsize
    metadata = "&".join(f"metadata[{key}]=a" for key in range(10))
    for number in range(1, 71):
        client.get(f"/v1/contacts?{metadata}&status={','.join(['active'] * number)}")
    assert queries._built.cache_info().currsize == kept[0]
    assert queries._built_of_many.cache_info().currsize == kept[1] == 64


def test_an_empty_first_page_asks_the_database_once(make_app):
    client = Client(make_app("contacts"))
    client.get("/v1/contacts?status=archived")
    with counted(client.app) as asked:
        assert client.get("/v1/contacts?status=archived")["pagination"]["total"] == 0
    assert len(asked) == 1
    client.post("/v1/contacts", {"name": "Ada"})
    assert client.get("/v1/contacts?status=active&page=2")["pagination"]["total"] == 1


def test_a_query_has_few_filters_by_metadata(client):
    """Each reads all metadata of every record that the others leave."""
    ten = "&".join(f"metadata[{key}]=a" for key in range(10))
    client.get(f"/v1/contacts?{ten}")
    more = "&".join(f"metadata[more{key}]=a" for key in range(5))
    refused = client.refused(400, "invalid_filter", "GET", f"/v1/contacts?{ten}&{more}")
    assert refused["param"] == "metadata[more0]" and "at most 10 by metadata" in refused["message"]
