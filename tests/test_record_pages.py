"""The cost of a record's page with all first-party plugins, and its counts, which equal those of the lists."""

import re

import pytest

from billycan.starting.packages import first_party
from billycan.testing import Client
from billycan.testing.client import counted
from billycan_users.testing import Browser

pytestmark = [pytest.mark.whole, pytest.mark.either]
LINE = {"description": "Tap washers", "unit_price": "4.95"}
# Each includes two for authentication; a job's own members take four, an invoice's three.
STATEMENTS = {"invoices": 15, "jobs": 12, "contacts": 13}  # duplicates of a contact take three


@pytest.fixture
def app(make_app):
    return make_app(*first_party())


@pytest.fixture
def client(app):
    return Client(app)


@pytest.fixture
def ids(client):
    """Make a contact, a job and an invoice, with several of everything that their pages show."""
    contact = client.post("/v1/contacts", {"name": "Ada", "email": "ada@example.com"})["data"]["id"]
    staff = client.post("/v1/staff", {"name": "Grace"})["data"]["id"]
    job = client.post("/v1/jobs", {"client_id": contact, "title": "Fix", "assignee_ids": [staff]})["data"]["id"]
    body = {"client_id": contact, "line_items": [LINE]}
    for _ in range(3):
        invoice = client.post("/v1/invoices", {**body, "job_id": job})["data"]["id"]
        client.post(f"/v1/invoices/{invoice}/email", {"to": ["ada@example.com"]})
        for amount in (1, 2):
            client.post(f"/v1/invoices/{invoice}/payments", {"amount": amount, "payment_method": "card"})
        client.post("/v1/quotes", body)
    return {"contacts": contact, "jobs": job, "invoices": invoice}


def test_a_page_asks_for_what_is_beside_its_record_together(app, client, ids):
    browser = Browser(app).join(client, "owner")
    for resource, most in STATEMENTS.items():
        path = f"/dashboard/{resource}/{ids[resource]}"
        browser.get(path)
        with counted(app) as sent:
            browser.get(path)
        assert len(sent) <= most, "\n".join(sent)


def test_a_page_counts_what_the_lists_do(app, client, ids):
    browser = Browser(app).join(client, "owner")
    for again in range(2):  # the second time some remembered totals are outdated
        told = {}
        for resource, id in ids.items():
            page = browser.get(f"/dashboard/{resource}/{id}").text
            related = re.findall(rf'<a href="/dashboard/(\w+)\?(\w+={id})">[^<]*</a> <span class="soft">(\d+)<', page)
            told[resource] = {name: int(number) for name, _, number in related}
            for name, query, number in related:
                assert client.get(f"/v1/{name}?{query}")["pagination"]["total"] == int(number), name
        assert (told["contacts"]["invoices"], told["contacts"]["payments"]) == (3 + again, 6)
        assert (told["invoices"]["payments"], told["jobs"]["invoices"]) == (2, 3)
        client.post("/v1/invoices", {"client_id": ids["contacts"], "line_items": [LINE]})
