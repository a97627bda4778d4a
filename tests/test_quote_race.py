"""Twenty clients accept the same quote at once, over HTTP, some by the API and some on its page."""

from collections import Counter

import pytest

from billycan.hosting.served import Call, serving
from billycan.testing import Client

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
# Pages have a limit for each address, so each client has its own.
addresses = (f"203.0.113.{i}" for i in range(1, 255))


@pytest.fixture(scope="module")
def server(engine, databases, tmp_path_factory):
    plugins, folder = ("contacts", "documents", "hosted", "quotes"), tmp_path_factory.mktemp("served")
    with serving(databases.empty(engine), plugins, folder, workers=3, trusted_proxies="127.0.0.1") as running:
        yield running


@pytest.fixture
def client(server):
    return Client(server.app)


def sent(client):
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]
    body = {"client_id": contact["id"], "line_items": [{"description": "Hot water unit", "unit_price": "1240.00"}]}
    quote = client.post("/v1/quotes", body)["data"]
    return client.post(f"/v1/quotes/{quote['id']}/send", status=200)["data"]


def by_api(client, quote, action, body):
    return Call("POST", f"/v1/quotes/{quote['id']}/{action}", body, client.headers)


def by_page(client, quote, form):
    return Call(
        "POST",
        quote["hosted_url"].removeprefix(client.app.public_url),
        b"version=%d&" % quote["version"] + form,
        {**FORM, "X-Forwarded-For": next(addresses)},
    )


def test_twenty_accept_it_once(server, client):
    for _ in range(5):
        quote = sent(client)
        calls = [by_api(client, quote, "accept", {"name": f"By API {i}"}) for i in range(10)]
        calls += [by_page(client, quote, b"decision=accept&name=By+page+%d&terms=yes" % i) for i in range(10)]
        calls = [call for pair in zip(calls[:10], calls[10:], strict=True) for call in pair]
        answers = server.at_once(calls)
        api, page = answers[::2], answers[1::2]
        won = [answer for answer in api if answer.status == 200]
        assert Counter(answer.status for answer in api) == Counter([200] * len(won) + [409] * (10 - len(won)))
        for answer in api:
            if answer.status == 409:
                assert answer.json["error"]["code"] == "invalid_state_transition"
                assert answer.json["error"]["status"] == "accepted"
        # Everybody who pressed the button sees the result.
        assert {answer.status for answer in page} == {303} and len(won) <= 1
        accepted = client.get(f"/v1/quotes/{quote['id']}")["data"]
        assert accepted["status"] == "accepted" and accepted["version"] == quote["version"] + 1
        assert accepted["accepted_by"]["name"].startswith("By API" if won else "By page")
        assert client.get("/v1/events?event=quote.accepted")["pagination"]["total"] == 1
        client = Client(server.app)


def test_of_accepting_declining_and_withdrawing_one_happens(server, client):
    for _ in range(3):
        quote = sent(client)
        calls = [
            by_api(client, quote, "accept", {"name": "Ada"}),
            by_page(client, quote, b"decision=decline"),
            by_api(client, quote, "cancel", None),
            by_page(client, quote, b"decision=accept&name=Ada&terms=yes"),
            by_api(client, quote, "revise", None),
        ]
        server.at_once(calls * 2)
        status = client.get(f"/v1/quotes/{quote['id']}")["data"]["status"]
        happened = Counter(client.events())
        assert happened["quote.accepted"] + happened["quote.declined"] <= 1
        assert (happened["quote.accepted"], happened["quote.declined"]) == (status == "accepted", status == "declined")
        assert happened["quote.updated"] <= 1 and happened["quote.cancelled"] == (status == "cancelled")
        client = Client(server.app)
