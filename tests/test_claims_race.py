"""Twenty clients claim or send parts of the same work at once, over HTTP: never too much, no expense twice."""

from collections import Counter
from decimal import Decimal

import pytest

from billycan.hosting.served import Call, serving
from billycan.testing import Client

PLUGINS = ("contacts", "documents", "expenses", "hosted", "invoices", "jobs", "quotes", "reports")
LINES = [{"description": "Heat pump", "unit_price": "1000.00"}]


@pytest.fixture(scope="module")
def server(engine, databases, tmp_path_factory):
    with serving(databases.empty(engine), PLUGINS, tmp_path_factory.mktemp("served"), workers=3) as running:
        yield running


@pytest.fixture
def client(server):
    return Client(server.app)


def invoiced(client, path):
    shown = client.get(path)["data"]["invoiced"]
    assert shown["invoiced"] + shown["remaining"] == shown["quoted"] and shown["remaining"] >= 0
    return shown["invoiced"]


def test_no_more_is_claimed_than_there_is(server, client):
    contact_id = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    category = client.get("/v1/expense_categories")["data"][0]["id"]
    body = {"client_id": contact_id, "line_items": LINES}
    job = client.post("/v1/jobs", {**body, "title": "Fix", "scheduled_start": "2026-12-01T00:00:00Z"})["data"]
    spent = {"date": "2026-11-20", "amount": "5.50", "category_id": category, "job_id": job["id"], "billable": True}
    client.post("/v1/expenses", spent)
    path = f"/v1/jobs/{job['id']}"
    kinds = ["progress", "deposit", "part_payment", "progress"]
    answers = server.at_once(
        [
            Call("POST", f"{path}/invoice", {"amount": "110.00", "claim": kinds[i % 4]}, client.headers)
            for i in range(20)
        ]
    )
    # The one who takes the last cent may take the deposits off: then nothing is left for the others at all.
    refused = Counter(answer.json["error"]["code"] for answer in answers if answer.status != 201)
    assert refused.total() == 10 and set(refused) <= {"already_invoiced", "over_invoiced"}
    assert invoiced(client, path) == 1100
    made = client.get("/v1/invoices?include=line_items&per_page=100")["data"]
    assert sum(line["total"] == Decimal("5.50") for one in made for line in one["line_items"]) == 1

    # A part is freed and claimed by those who come at once; and a whole quote is invoiced once.
    quote = client.post("/v1/quotes", body)["data"]
    path = f"/v1/quotes/{quote['id']}"
    client.post(f"{path}/send", status=200)
    client.post(f"{path}/accept", {"name": "Ada"}, 200)
    first = client.post(f"{path}/convert", {"to": "invoice", "percent": 60})["data"]
    calls = [Call("DELETE", f"/v1/invoices/{first['id']}", None, client.headers)]
    calls += [Call("POST", f"{path}/convert", {"to": "invoice", "percent": 35}, client.headers) for _ in range(10)]
    calls += [Call("POST", f"{path}/convert", {"to": "invoice"}, client.headers) for _ in range(9)]
    answers = server.at_once(calls)
    assert max(answer.status for answer in answers) < 500 and answers[0].status == 200
    live = client.get(f"/v1/invoices?quote_id={quote['id']}")["data"]
    assert invoiced(client, path) == sum(one["total"] for one in live) <= 1100
    assert client.get(path)["data"]["status"] == "accepted" or invoiced(client, path) == 1100


def test_what_counts_ahead_of_part_payments_counts_once(server, client):
    """S 29-5(1) GST Act: all of it with the first part, whoever sends which at the same moment."""

    def counted():
        figures = client.get("/v1/reports/gst?from=2000-07-01&to=2030-06-30&basis=accrual")["data"]
        return [figures[label]["amount"] for label in ("1A", "G1")]

    def at_once(*calls):
        answers = server.at_once([Call("POST", path, None, client.headers) for path in calls])
        assert {answer.status for answer in answers} == {200}, [answer.body for answer in answers]

    contact_id = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    body = {"client_id": contact_id, "title": "Fix", "scheduled_start": "2026-12-01T00:00:00Z", "line_items": LINES}
    job = f"/v1/jobs/{client.post('/v1/jobs', body)['data']['id']}"
    part = {"percent": 4, "claim": "part_payment"}
    parts = [f"/v1/invoices/{client.post(f'{job}/invoice', part)['data']['id']}" for _ in range(20)]
    at_once(*(f"{path}/send" for path in parts))
    assert counted() == [100, 1100]
    # Some are void while the job is cancelled: what was not done counts no more, whoever came last.
    at_once(*(f"{path}/void" for path in parts[:9]), f"{job}/cancel", *(f"{path}/void" for path in parts[9:15]))
    assert counted() == [20, 220]
