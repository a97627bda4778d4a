"""An action that makes another resource needs that resource's write scope too; each plugin's `api` checks it."""

import pytest

from billycan import Context, Manifest, Route
from billycan.testing import Client
from billycan_invoices import api as invoices
from billycan_invoices.resource import Invoice

pytestmark = pytest.mark.either

PLUGINS = ("contacts", "documents", "hosted", "invoices", "jobs", "quotes")
LINES = [{"description": "Labour", "unit_price": "50.00"}]


@pytest.fixture(params=["key", pytest.param("token", marks=pytest.mark.long)])
def client(make_app, request):
    """Return a client with a business's key, or with the access token of a connected app."""
    if request.param == "key":
        return Client(make_app(*PLUGINS))
    from billycan_apps.testing import enters_with  # keys are tested without apps, too

    return enters_with(request.param)(make_app(*PLUGINS, "apps", "dashboard", "users"))


@pytest.fixture
def body(client):
    return {"client_id": client.post("/v1/contacts", {"name": "Ada"})["data"]["id"], "line_items": LINES}


def accepted(client, body):
    quote = client.post("/v1/quotes", body)["data"]
    client.post(f"/v1/quotes/{quote['id']}/send", status=200)
    return client.post(f"/v1/quotes/{quote['id']}/accept", {"name": "Ada"}, 200)["data"]


def completed(client, body):
    job = client.post("/v1/jobs", {**body, "title": "Fix"})["data"]
    return client.post(f"/v1/jobs/{job['id']}/complete", status=200)["data"]


def test_a_job_is_not_invoiced_without_the_scope_of_invoices(client, body):
    path = f"/v1/jobs/{completed(client, body)['id']}/invoice"
    for key in (client.key("jobs:write"), client.key("jobs:write", "invoices:read", "read")):
        assert key.refused(403, "insufficient_scope", "POST", path)["required_scope"] == "invoices:write"
        # Before the answer reveals whether the job exists or its status.
        key.refused(403, "insufficient_scope", "POST", "/v1/jobs/job_0/invoice")
    assert client.get("/v1/invoices")["data"] == []
    client.key("jobs:write", "invoices:write").post(path)


@pytest.mark.parametrize(("to", "scope"), [("invoice", "invoices:write"), ("job", "jobs:write")])
def test_a_quote_becomes_only_what_the_key_may_write(client, body, to, scope):
    path = f"/v1/quotes/{accepted(client, body)['id']}/convert"
    (other,) = {"invoices:write", "jobs:write"} - {scope}
    error = client.key("quotes:write", other).refused(403, "insufficient_scope", "POST", path, {"to": to})
    assert error["required_scope"] == scope
    error = client.key("quotes:write").refused(403, "insufficient_scope", "POST", path, {"to": to})
    assert error["required_scope"] == scope
    made, again = client.key("quotes:write", scope), {"Idempotency-Key": "once"}
    made.call("POST", path, {"to": to}, 201, again)
    error = client.key("quotes:write", other).refused(
        403, "insufficient_scope", "POST", path, {"to": to}, headers=again
    )
    assert error["required_scope"] == scope
    assert made.call("POST", path, {"to": to}, 201, again).headers["Idempotent-Replayed"] == "true"


@pytest.mark.parametrize("scope", ["contacts", "invoices", "quotes", "jobs"])
def test_what_refers_to_a_record_is_named_to_those_who_may_read_it(client, body, scope):
    completed(client, body)
    accepted(client, body)
    draft = client.post("/v1/invoices", body)["data"]
    path = f"/v1/contacts/{body['client_id']}"
    everything = client.refused(409, "has_dependents", "DELETE", path)
    assert everything["dependents"] == {"invoices": 1, "jobs": 1, "quotes": 1}
    assert "by invoices (1), jobs (1) and quotes (1): delete" in everything["message"]
    error = client.key("contacts:write", f"{scope}:read").refused(409, "has_dependents", "DELETE", path)
    named = {} if scope == "contacts" else {scope: 1}
    assert error["dependents"] == named
    assert f"by {f'{scope} (1) and ' if named else ''}other records: delete" in error["message"]
    # The same for a reference without a foreign key.
    job = client.post("/v1/jobs", {**body, "title": "Fix"})["data"]
    client.patch(f"/v1/invoices/{draft['id']}", {"job_id": job["id"]})
    error = client.key("jobs:write", f"{scope}:read").refused(409, "has_dependents", "DELETE", f"/v1/jobs/{job['id']}")
    assert error["dependents"] == ({"invoices": 1} if scope == "invoices" else {})


def test_a_third_partys_handler_is_held_to_it_by_the_api_that_it_calls(make_app, install):
    def bill(ctx: Context) -> Invoice:
        """Bill somebody for something.

        Emits `invoice.created`.
        """
        client_id = ctx.db.exec_driver_sql("SELECT id FROM contacts").scalars().first()
        return invoices.make(ctx, {"client_id": client_id, "line_items": LINES})

    route = Route("POST", "/v1/tolls", bill, scope="tolls:write", status=201)
    install(Manifest(name="tolls", requires=("invoices",), routes=(route,)))
    client = Client(make_app("contacts", "documents", "hosted", "invoices", "tolls", fresh=True))
    client.post("/v1/contacts", {"name": "Ada"})
    error = client.key("tolls:write").refused(403, "insufficient_scope", "POST", "/v1/tolls")
    assert error["required_scope"] == "invoices:write"
    client.key("tolls:write", "invoices:write").post("/v1/tolls")


def test_openapi_says_which_scopes_go_together(client):
    paths = client.app.openapi()["paths"]
    convert, invoice = paths["/v1/quotes/{id}/convert"]["post"], paths["/v1/jobs/{id}/invoice"]["post"]
    assert convert["security"] == [
        {"bearer": ["quotes:write", "invoices:write"]},
        {"bearer": ["quotes:write", "jobs:write"]},
    ]
    assert invoice["security"] == [{"bearer": ["jobs:write", "invoices:write"]}]
