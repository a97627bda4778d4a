"""A walk through a list gives every row once and in order, by page and by cursor, forwards and backwards."""

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from billycan.endpoints import with_cursor
from billycan.fields import Moment
from billycan.lists import paging
from billycan.lists.filters import fold
from billycan.testing import Client

COLUMNS = {
    "name": st.sampled_from(["ada", "Ada", "bob", "Böb", "Zoe", "ärger", "z"]),
    "price": st.sampled_from([None, Decimal("-1.50"), Decimal("0.00"), Decimal("9.99"), Decimal("10.00")]),
    "rate": st.sampled_from([None, Decimal("-0.0001"), Decimal("0.5000"), Decimal("3.0000")]),
    "size": st.sampled_from([None, -1, 0, 7]),
    "due_date": st.sampled_from([None, date(1900, 1, 1), date(2026, 11, 30), date(2200, 12, 31)]),
    "seen_at": st.sampled_from([None, *(Moment(2026, 11, 30, 9, 0, 0, ms * 1000, UTC) for ms in (0, 1, 500))]),
}
SORTS = [f"{sign}{name}" for name in COLUMNS for sign in ("", "-")]


def in_order(rows, sort):
    """The ids of rows as `sort` says, by brute force: NULLs last both ways, ties by id in the first key's direction."""
    rows = sorted(rows, key=lambda row: row.id, reverse=sort.startswith("-"))
    for key in reversed(sort.split(",")):
        name = key.removeprefix("-")
        values = {row.id: fold(row.name) if name == "name" else getattr(row, name) for row in rows}
        known = [row for row in rows if values[row.id] is not None]
        known.sort(key=lambda row: values[row.id], reverse=key.startswith("-"))
        rows = known + [row for row in rows if values[row.id] is None]
    return [row.id for row in rows]


def ids(page):
    return [record["id"] for record in page["data"]]


def walk(client, path, page, to="next_cursor"):
    """This page and all that follow it by their cursors."""
    pages = [page]
    while cursor := pages[-1]["pagination"][to]:
        pages.append(client.get(f"{path}&cursor={cursor}"))
    return pages


@pytest.fixture
def client(widgets):
    return Client(widgets.app())


@given(
    rows=st.lists(st.fixed_dictionaries(COLUMNS), max_size=12),
    keys=st.lists(st.sampled_from(SORTS), min_size=1, max_size=3, unique_by=lambda key: key.strip("-")),
    per_page=st.integers(1, 5),
    far=st.sampled_from([1, 1_000]),  # pages that begin after so many rows are found in another way
)
def test_every_walk_is_the_sorted_list(client, widgets, monkeypatch, rows, keys, per_page, far):
    monkeypatch.setattr(paging, "_FAR", far)
    client = Client(client.app)
    sort = ",".join(keys)
    wanted = in_order(widgets.add(client, *rows), sort)
    path = f"/v1/widgets?sort={sort}&per_page={per_page}"
    pages = walk(client, path, client.get(path))
    assert [id for page in pages for id in ids(page)] == wanted
    for number, page in enumerate(pages, 1):
        shown = page["pagination"]
        assert (shown["page"], shown["per_page"], shown["total"]) == (number, per_page, len(wanted))
        assert shown["has_more"] is (shown["next_cursor"] is not None) is (number < len(pages))
        numbered = client.get(f"{path}&page={number}")
        assert ids(numbered) == ids(page) and numbered["pagination"]["total"] == len(wanted)
        assert (numbered["pagination"]["prev_cursor"] is None) is (number == 1)
        assert numbered["pagination"]["next_cursor"] == shown["next_cursor"]
    back = walk(client, path, pages[-1], "prev_cursor")
    assert [ids(page) for page in back[::-1]] == [ids(page) for page in pages]
    assert [page["pagination"]["page"] for page in back] == list(range(len(pages), 0, -1))
    assert all(page["pagination"]["has_more"] for page in back[1:])


@given(
    rows=st.lists(st.fixed_dictionaries(COLUMNS), min_size=1, max_size=30),
    sort=st.lists(st.sampled_from(SORTS), min_size=1, max_size=2, unique_by=lambda key: key.strip("-")).map(",".join),
    per_page=st.integers(1, 4),
    asked=st.lists(st.integers(2, 32) | st.none(), max_size=15),
)
def test_late_pages_are_right_in_any_order_and_after_any_change(
    client, widgets, monkeypatch, rows, sort, per_page, asked
):
    """Each begins at the nearest row whose place an earlier one told, unless something changed since."""
    monkeypatch.setattr(paging, "_FAR", 1)
    client = Client(client.app)
    kept = [*widgets.add(client, *rows)]
    for page in asked:
        if page is None:
            widgets.remove(client, [kept.pop(len(kept) // 2).id] if kept else [])
            kept += widgets.add(client, rows[0])
            continue
        start = (page - 1) * per_page
        wanted = in_order(kept, sort)
        shown = client.get(f"/v1/widgets?sort={sort}&per_page={per_page}&page={page}")
        assert ids(shown) == wanted[start : start + per_page]
        assert shown["pagination"]["has_more"] is (start + per_page < len(wanted))


def test_a_late_page_begins_at_the_nearest_known_place_for_a_minute(client, widgets, monkeypatch, clock):
    monkeypatch.setattr(paging, "_FAR", 1)
    rows = widgets.add(client, *[{"name": f"w{i:02}"} for i in range(40)])
    path = "/v1/widgets?sort=name&per_page=5&page="

    def mislead():
        """Let each known place be said to be that of the row after it."""
        known = client.app.totals._places
        for key, (number, places, since) in known.items():
            known[key] = number, {place + 1: keys for place, keys in places.items()}, since

    assert ids(client.get(f"{path}4")) == [row.id for row in rows[15:20]]
    mislead()
    assert ids(client.get(f"{path}5")) == [row.id for row in rows[19:24]]
    clock.time += timedelta(minutes=1)
    assert ids(client.get(f"{path}5")) == [row.id for row in rows[20:25]]
    mislead()
    widgets.remove(client, [rows[0].id])
    assert ids(client.get(f"{path}5")) == [row.id for row in rows[21:26]]


@pytest.mark.parametrize("sort", ["name", "-created_at", "-size,name", "seen_at", "-due_date,price"])
def test_rows_that_come_and_go_meanwhile_disturb_no_others(client, widgets, sort):
    values = {"seen_at": Moment(2026, 1, 1, tzinfo=UTC), "price": Decimal(5)}
    rows = widgets.add(
        client, *[{"name": f"w{i:02}", "size": i % 3, "due_date": date(2026, 1, 1 + i), **values} for i in range(12)]
    )
    wanted = in_order(rows, sort)
    path = f"/v1/widgets?sort={sort}&per_page=3"
    first = client.get(path)
    second = client.get(f"{path}&cursor={first['pagination']['next_cursor']}")
    # The rows a cursor was made from vanish, and new ones come on both sides of it.
    doomed = {wanted[2], wanted[3], wanted[5], wanted[6]}
    widgets.remove(client, doomed)
    added = widgets.add(client, *[{"name": name, "size": 1, **values} for name in ("a", "w05", "z")])
    order = in_order([row for row in [*rows, *added] if row.id not in doomed], sort)
    after = walk(client, path, client.get(f"{path}&cursor={second['pagination']['next_cursor']}"))
    given_later = [id for page in after for id in ids(page)]
    assert [id for id in given_later if id in wanted] == [id for id in wanted[6:] if id not in doomed]
    assert given_later == [id for id in order if id in given_later] and given_later[-1] == order[-1]
    # Backwards, every row that stands before the page is met, whatever number its page had.
    before = walk(client, path, client.get(f"{path}&cursor={second['pagination']['prev_cursor']}"), "prev_cursor")
    met = [id for page in before[::-1] for id in ids(page)]
    assert [id for id in met if id in wanted] == [id for id in wanted[:3] if id not in doomed]
    assert met == order[: len(met)]
    assert all(page["pagination"]["page"] >= 1 for page in before)


def test_a_page_that_was_emptied_is_empty(client, widgets):
    rows = widgets.add(client, *[{"name": f"w{i}"} for i in range(6)])
    path = "/v1/widgets?sort=name&per_page=2"
    first = client.get(path)
    second = client.get(f"{path}&cursor={first['pagination']['next_cursor']}")
    widgets.remove(client, [row.id for row in rows])
    for cursor in (second["pagination"]["next_cursor"], second["pagination"]["prev_cursor"]):
        page = client.get(f"{path}&cursor={cursor}")
        shown = page["pagination"]
        assert (page["data"], shown["has_more"], shown["next_cursor"], shown["prev_cursor"]) == ([], False, None, None)


def test_pages_have_numbers_and_a_total(client, widgets):
    rows = widgets.add(client, *[{"name": f"w{i:02}"} for i in range(26)])
    newest_first = [row.id for row in rows[::-1]]
    page = client.get("/v1/widgets")
    assert ids(page) == newest_first[:25]
    shown = page["pagination"]
    assert shown | {"next_cursor": ""} == {
        **{"page": 1, "per_page": 25, "total": 26},
        **{"has_more": True, "next_cursor": "", "prev_cursor": None},
    }
    assert ids(client.get("/v1/widgets?page=2")) == newest_first[25:]
    assert ids(client.get("/v1/widgets?per_page=100")) == newest_first
    assert ids(client.get("/v1/widgets?per_page=1&page=26")) == newest_first[25:]
    for beyond in (3, 1_000_000):
        empty = client.get(f"/v1/widgets?page={beyond}&per_page=100")
        assert empty["data"] == [] and empty["pagination"]["total"] == 26 and not empty["pagination"]["has_more"]


def test_a_total_counts_what_matches(client, widgets):
    widgets.add(client, *[{"name": name} for name in ("Ada", "Bob", "Adam")])
    assert client.get("/v1/widgets?search=ad&per_page=1")["pagination"]["total"] == 2
    assert client.get("/v1/widgets?name=Bob")["pagination"]["total"] == 1
    assert client.get("/v1/widgets?search=x")["pagination"]["total"] == 0
    assert client.get("/v1/widgets?search=")["pagination"]["total"] == 3


def test_the_link_header_leads_through_the_list(widgets):
    client = Client(widgets.app(public_url="https://api.example.com/base"))
    rows = widgets.add(client, *[{"name": f"Zoë & {i}", "size": i % 2} for i in range(6)])
    wanted = in_order([row for row in rows if not row.size], "-name")
    page = client.get("/v1/widgets?search=zo%C3%AB%20%26&size=0&per_page=1&sort=-name&page=1", Host="evil.example.com")
    met = ids(page)
    while link := client.last.headers.get("Link"):
        url = re.fullmatch(r'<https://api\.example\.com/base(/v1/widgets\?[!-~]+)>; rel="next"', link)[1]
        assert page["pagination"]["next_cursor"] in url
        page = client.get(url)
        met += ids(page)
    assert met == wanted


ASKED = "/v1/widgets?sort=name&size=1,2&per_page=2"


@pytest.fixture
def cursor(client, widgets):
    widgets.add(client, *[{"name": f"w{i}", "size": 1} for i in range(6)])
    return client.get(ASKED)["pagination"]["next_cursor"]


def test_a_cursor_may_be_used_again_and_in_any_order_of_parameters(client, cursor):
    page = client.get(f"{ASKED}&cursor={cursor}")
    assert client.get(f"/v1/widgets?cursor={cursor}&size=1,2&sort=name") == page
    assert page["pagination"]["per_page"] == 2


@pytest.mark.parametrize(
    "path",
    [
        "/v1/widgets?sort=-name&size=1,2",
        "/v1/widgets?size=1,2",
        "/v1/widgets?sort=name",
        "/v1/widgets?sort=name&size=1",
        "/v1/widgets?sort=name&size=1,2&search=w",
        "/v1/widgets?sort=name&size=1,2&metadata[a]=b",
        "/v1/widgets/wid_1/others?sort=name&size=1,2",
        "/v1/events?sort=created_at",
    ],
)
def test_a_cursor_is_of_one_list_alone(client, cursor, path):
    client.refused(400, "invalid_cursor", "GET", f"{path}&cursor={cursor}")


def test_a_cursor_is_of_one_tenant_alone(client, cursor):
    for other in (Client(client.app), client.sandbox()):
        other.refused(400, "invalid_cursor", "GET", f"{ASKED}&cursor={cursor}")
    client.key("widgets:read").get(f"{ASKED}&cursor={cursor}")


def test_a_cursor_cannot_be_made_up(client, cursor):
    body, _, signature = cursor.rpartition(".")
    for forged in (
        body,
        f"{body}.",
        f".{signature}",
        body[:-1] + "A." + signature,
        cursor[:-2] + "AA",
        cursor * 2,
        "=" * 50,
    ):
        client.refused(400, "invalid_cursor", "GET", f"{ASKED}&cursor={forged}")


def test_a_plugins_own_cursor_is_quoted_in_the_link_to_the_next_page():
    assert with_cursor("", "a+b&c>") == with_cursor("page=2", "a+b&c>") == "cursor=a%2Bb%26c%3E"


@pytest.mark.parametrize(
    ("extra", "param"),
    [("page=2", "page"), ("page=1", "page"), ("per_page=3", "per_page"), ("per_page=25", "per_page")],
)
def test_a_cursor_keeps_its_pages(client, cursor, extra, param):
    error = client.refused(400, "invalid_parameter", "GET", f"/v1/widgets?sort=name&size=1,2&cursor={cursor}&{extra}")
    assert error["param"] == param


def test_a_cursor_outlives_the_rotation_of_the_secret(client, cursor, widgets):
    old, new = client.app.settings.secret, "another secret that is long enough"
    url = client.app.db.url.render_as_string(hide_password=False)
    rotated = Client(widgets.app(secret=new, secret_previous=old, database=url), client.tenant_id)
    page = rotated.get(f"{ASKED}&cursor={cursor}")
    assert ids(page) == ids(client.get(f"{ASKED}&cursor={cursor}"))
    renewed = page["pagination"]["next_cursor"]
    done = Client(widgets.app(secret=new, database=url), client.tenant_id)
    done.get(f"{ASKED}&cursor={renewed}")
    done.refused(400, "invalid_cursor", "GET", f"{ASKED}&cursor={cursor}")
    client.refused(400, "invalid_cursor", "GET", f"{ASKED}&cursor={renewed}")


def test_a_time_in_a_cursor_is_exact(client, widgets):
    times = [datetime(2026, 11, 30, 9, 0, 0, ms * 1000, UTC) for ms in range(4)]
    wanted = [row.id for row in widgets.add(client, *[{"name": "w", "seen_at": time} for time in times])]
    path = "/v1/widgets?sort=seen_at&per_page=1"
    pages = walk(client, path, client.get(path))
    assert [ids(page) for page in pages] == [[id] for id in wanted]
    shown = [page["data"][0]["seen_at"] for page in pages]
    assert all(a < b for a, b in pairwise(shown[1:])) and shown[0] == "2026-11-30T09:00:00Z"
