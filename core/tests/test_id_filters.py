"""A filter by id refuses malformed ids and those of another kind; an unknown id finds nothing."""

import pytest

from billycan.testing import Client

PLUGINS = ("bookings", "contacts", "documents", "expenses", "hosted", "invoices", "jobs", "quotes", "staff")
UNKNOWN = "0" * 26
OWN = {"external_id", "user_id"}  # the client's own id, which may be any text, and those of people


def id_filters(app):
    """Every filter `<x>_id` of every GET: its path, its name, and what its ids begin with."""
    for endpoint in app.endpoints:
        if endpoint.route.method == "GET" and (query := endpoint.signature.query):
            for name in query.__struct_fields__:
                if name.endswith("_id") and name not in OWN:
                    yield endpoint.route.path, name, endpoint.ids[name]


@pytest.fixture
def client(make_app):
    return Client(make_app(*PLUGINS))


def test_every_id_that_is_filtered_by_is_known_by_what_it_begins_with(client):
    found = set(id_filters(client.app))
    assert {
        ("/v1/invoices", "client_id", "con"),
        ("/v1/invoices", "quote_id", "quo"),
        ("/v1/jobs", "assignee_id", "stf"),
        ("/v1/bookings", "service_id", "srv"),
        ("/v1/availability", "service_id", "srv"),
        ("/v1/expenses", "category_id", "cat"),
        ("/v1/expenses/summary", "job_id", "job"),
    } <= found
    assert len(found) >= 20


def test_what_cannot_be_such_an_id_is_refused_and_what_is_unknown_finds_nothing(client):
    for path, name, prefix in id_filters(client.app):
        rest = "&from=2026-11-21&to=2026-11-21&service_id=srv_0" if path == "/v1/availability" else ""
        rest = rest.replace("&service_id=srv_0", "") if name == "service_id" else rest
        known = f"{prefix}_{UNKNOWN}"
        for text in ("", "nonsense", "42", f"xyz_{UNKNOWN}", known.upper(), f"{known},", f"{known}-1", f"{known}%0A"):
            error = client.refused(400, "invalid_filter", "GET", f"{path}?{name}={text}{rest}")
            assert error["param"] == name, (path, name, text)
        if path != "/v1/availability" and not path.endswith(".csv"):
            assert client.get(f"{path}?{name}={known}")["data"] == []


def test_openapi_says_what_they_begin_with(client):
    paths = client.app.openapi()["paths"]
    for path, name, prefix in id_filters(client.app):
        (found,) = (p["schema"] for p in paths[path]["get"]["parameters"] if p.get("name") == name)
        assert found.get("items", found)["pattern"] == f"^{prefix}_[0-9a-z]{{1,40}}$"


def test_an_id_of_a_plugin_that_is_off_need_only_have_the_form_of_one(make_app):
    client = Client(make_app("contacts", "documents", "hosted", "invoices"))
    assert client.get(f"/v1/invoices?job_id=xyz_{UNKNOWN}")["data"] == []
    client.refused(400, "invalid_filter", "GET", "/v1/invoices?job_id=nonsense")


def test_an_external_id_is_any_text(client):
    assert client.get("/v1/invoices?external_id=ERP/7")["data"] == []
