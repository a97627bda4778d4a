"""The pages of API keys."""

import re

import pytest

from billycan.testing import Client
from billycan_users.testing import Browser

pytestmark = pytest.mark.sqlite_alone


def test_scopes_that_are_ticked_make_no_key_for_everything(make_app):
    client = Client(make_app("contacts", "users", "dashboard"))
    owner = Browser(client.app).join(client)
    token = re.search(r'name="token" value="(\w+)"', owner.get("/dashboard/keys").text)[1]
    sent = {"token": token, "name": "Import", "scope": "contacts:read"}
    for everything in ("write", "read"):
        page = owner.web.post("/dashboard/keys", {**sent, "everything": everything}, status=422)
        assert (
            "Only what is ticked below”, as you ticked resources" in page.text and 'id="fault-everything"' in page.text
        )
        assert re.search(r'<input type="checkbox" name="scope" value="contacts:read" checked', page.text)
    page = owner.web.post("/dashboard/keys", {**sent, "everything": ""}, status=303).follow()
    assert '<td data-label="May do" class="long">contacts:read</td>' in page.text


def test_the_list_says_all_that_a_key_may_do(make_app):
    client = Client(make_app("contacts", "users", "dashboard"))
    developer = Browser(client.app).join(client, "developer")
    developer.get("/dashboard/keys")
    page = developer.send("/dashboard/keys", name="All of a developer's", everything="write")
    assert "contacts:write" in page.text.partition("All of a developer")[2].partition("</tr>")[0]


def test_a_key_works_until_its_last_day_is_over_where_the_business_is(make_app):
    client = Client(make_app("contacts", "users", "dashboard"))
    client.patch("/v1/tenant", {"timezone": "Australia/Perth"})
    owner = Browser(client.app).join(client)
    owner.get("/dashboard/keys")
    page = owner.send("/dashboard/keys", name="Import", expires_on="2026-11-30")
    assert 'title="30 Nov 2026, 11:59 pm"' in page.text
    page = owner.send("/dashboard/keys", name="Import", expires_on="30 November", status=422)
    assert 'id="fault-expires_on"' in page.text


def test_pages_count_among_the_requests_that_a_business_may_make(make_app):
    app = make_app("contacts", "dashboard", "users", public_url="http://localhost", business_per_minute=12)
    client, neighbour = Client(app), Client(app)
    owner = Browser(app).join(client)
    statuses = [owner.web.get("/dashboard/keys", status="*").status_int for _ in range(13)]
    assert statuses[0] == 200 and statuses[-1] == 429 and {*statuses} == {200, 429}
    client.refused(429, "rate_limited", "GET", "/v1/contacts")
    neighbour.get("/v1/contacts")


def test_a_business_gives_a_key_no_more_than_the_deployment_does(make_app):
    app = make_app("contacts", "dashboard", "users", public_url="http://localhost", per_minute=50)
    owner = Browser(app).join(Client(app))
    token = re.search(r'name="token" value="(\w+)"', owner.get("/dashboard/keys").text)[1]
    sent = {"token": token, "name": "Import", "scope": "contacts:read"}
    assert "must be from 1 to 50" in owner.web.post("/dashboard/keys", {**sent, "per_minute": "51"}, status=422).text
    owner.web.post("/dashboard/keys", {**sent, "per_minute": "50"}, status=303)
