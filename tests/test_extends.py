"""Members that one plugin adds to another's records appear wherever plugins make, report or describe them."""

import json
from decimal import Decimal

import pytest
from msgspec import Struct
from openapi_schema_validator import OAS31Validator

from billycan import Context, Event, Manifest
from billycan.events import events
from billycan.starting.plugins import first_party
from billycan.testing import Client
from billycan.tools.trigger import trigger
from billycan.web import encode, parse

pytestmark = [pytest.mark.whole, pytest.mark.either]

ALL = sorted(first_party())
LINE = {"description": "Gutters cleaned", "unit_price": "90.00"}


@pytest.fixture
def client(make_app):
    return Client(make_app(*ALL, "visits"))


@pytest.fixture
def ada(client):
    return client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]


def test_a_record_that_another_resource_makes_has_the_members(client, ada):
    quote = client.post("/v1/quotes", {"client_id": ada, "title": "Gutters", "line_items": [LINE]})["data"]
    client.post(f"/v1/quotes/{quote['id']}/send", status=200)
    client.post(f"/v1/quotes/{quote['id']}/accept", {"name": "Ada"}, 200)
    job = client.post(f"/v1/quotes/{quote['id']}/convert", {"to": "job"})["data"]
    assert (job["visit_every_days"], job["next_visit_on"]) == (None, None)
    assert client.last.headers["Location"].endswith(f"/v1/jobs/{job['id']}")
    (told,) = client.get("/v1/events?event=job.created")["data"]
    assert told["data"] == job
    assert client.get(f"/v1/jobs/{job['id']}")["data"] == job


@pytest.mark.whole
def test_what_is_delivered_is_what_the_document_says(client, ada):
    job = client.post("/v1/jobs", {"client_id": ada, "title": "Gutters", "visit_every_days": 30})["data"]
    document = json.loads(encode(client.app.openapi()), parse_float=Decimal)
    with client.app.db.reading(client.tenant_id) as db:
        row = db.execute(events.select().where(events.c.tenant_id == client.tenant_id, events.c.event == "job.created"))
        body = parse(Event.body_of(row.one()))
    assert body["data"] == job
    content = document["webhooks"]["job.created"]["post"]["requestBody"]["content"]["application/json"]
    validator = OAS31Validator({**content["schema"], "components": document["components"]})
    validator.validate(body)
    validator.validate(content["example"])
    del body["data"]["next_visit_on"]
    assert not validator.is_valid(body)


def test_recorded_examples_have_the_members(client):
    document = json.loads(encode(client.app.openapi()), parse_float=Decimal)
    shown = 0
    for path in ("/v1/jobs", "/v1/jobs/{id}", "/v1/jobs/{id}/schedule"):
        for operation in document["paths"][path].values():
            answer = next(r for status, r in operation["responses"].items() if status.startswith("2"))
            content = answer["content"]["application/json"]
            if "example" in content:
                OAS31Validator({**content["schema"], "components": document["components"]}).validate(content["example"])
                shown += "next_visit_on" in str(content["example"])
    assert shown > 4


def test_an_event_is_triggered_with_the_members(client):
    sandbox = client.sandbox()
    trigger(client.app, sandbox.tenant_id, "job.completed")
    (told,) = sandbox.get("/v1/events?event=job.completed")["data"]
    assert told["data"]["next_visit_on"] is None


def test_a_generated_client_has_the_members(client):
    generate = pytest.importorskip("billycan_generator.python", reason="The client was NOT TESTED: not installed")
    models = generate.modules(client.app.openapi())["models.py"]
    job = models.partition("class ListedJob(")[2].partition("\nclass ")[0]  # whose members a Job has
    assert "class Job(ListedJob" in models
    assert "next_visit_on" in job and "visit_every_days" in job
    jobs = generate.modules(client.app.openapi())["api.py"].partition("class Jobs:")[2].partition("\nclass ")[0]
    assert jobs.count("visit_every_days: Maybe[") == 2 and "next_visit_on: " not in jobs


class Approval(Struct, kw_only=True):
    """The approval of an invoice.

    approved_by: Who did.
    """

    approved_by: str | None = None


def test_a_preview_takes_the_members_and_keeps_none(make_app, install):
    kept: dict[str, Approval] = {}

    def fill(ctx: Context, ids):
        return {id: kept[id] for id in ids if id in kept}

    def keep(ctx: Context, id, sent):
        kept[id] = sent

    approvals = Manifest.Extends(path="/v1/invoices", shows=Approval, fill=fill, takes=Approval, keep=keep)
    install(Manifest(name="approvals", requires=("invoices",), extends=(approvals,)))
    client = Client(make_app(*ALL, "approvals"))
    body = {"client_id": client.post("/v1/contacts", {"name": "Ada"})["data"]["id"], "line_items": [LINE]}
    body["approved_by"] = "Grace"
    client.post("/v1/invoices/preview", body, 200)
    error = client.post("/v1/invoices/preview", {**body, "approved_by": 5}, 422)["error"]
    assert error["details"][0]["param"] == "approved_by"
    assert not kept
    made = client.post("/v1/invoices", body)["data"]
    assert made["approved_by"] == "Grace"
    sent = client.post(f"/v1/invoices/{made['id']}/send", status=200)["data"]
    assert sent["approved_by"] == "Grace" and sent["version"] > made["version"]
    copy = client.post(f"/v1/invoices/{made['id']}/duplicate")["data"]
    assert copy["approved_by"] is None
    paid = client.post(f"/v1/invoices/{made['id']}/payments", {"amount": "1.00", "payment_method": "card"})["data"]
    assert paid["approved_by"] == "Grace"
