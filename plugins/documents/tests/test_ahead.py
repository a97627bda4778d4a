"""Lines and figures are worked out before the transaction; what changes between the two decides nevertheless."""

import pytest

from billycan import Context
from billycan.context import MOST_REPEATS
from billycan.db import Database
from billycan.testing import Client
from billycan_documents import documents

pytestmark = pytest.mark.either

LINE = {"description": "Labour", "unit_price": "110.00"}
KINDS = {"invoices": {}, "quotes": {}, "jobs": {"title": "Bathroom"}}
NOT_REGISTERED = {"gst_settings": [{"from": "2020-01-01", "registered": False}]}


@pytest.fixture
def client(make_app):
    return Client(make_app("contacts", "documents", "hosted", "invoices", "items", "jobs", "quotes", "recurring"))


@pytest.fixture
def contact(client):
    return client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]


@pytest.fixture(params=KINDS)
def kind(request, contact):
    """Return each kind's path, and the body of a document with a line."""
    return f"/v1/{request.param}", {"client_id": contact, "line_items": [LINE], **KINDS[request.param]}


@pytest.fixture
def meanwhile(monkeypatch):
    """Return a function that has something done after the next request has worked ahead, before its transaction."""
    real, waiting = Context.prepare, []

    def prepare(self, work):
        real(self, work)
        if waiting:
            waiting.pop()()

    monkeypatch.setattr(Context, "prepare", prepare)
    return waiting.append


@pytest.fixture
def each_time(monkeypatch):
    """Return a function that has something done after each request has worked ahead, before its transaction."""
    real, doing = Context.prepare, []

    def prepare(self, work):
        real(self, work)
        if doing:
            act = doing.pop()
            act()
            doing.append(act)

    monkeypatch.setattr(Context, "prepare", prepare)
    return doing.append


@pytest.fixture
def worked(monkeypatch):
    """Note of each calculation whether it was in a transaction that writes."""
    found, writing, real = [], [], Database.writing

    def noted(self, *given, **more):
        transaction = real(self, *given, **more)

        class Noted:
            def __enter__(self):
                writing.append(1)
                return transaction.__enter__()

            def __exit__(self, *error):
                writing.pop()
                return transaction.__exit__(*error)

        return Noted()

    work_out = documents.work_out
    monkeypatch.setattr(documents, "work_out", lambda work: (found.append(bool(writing)), work_out(work))[1])
    monkeypatch.setattr(Database, "writing", noted)
    return found


def stored(client, made, path):
    """Check that a document is stored as it was answered; return it."""
    assert client.get(f"{path}/{made['id']}")["data"] == made
    return made


@pytest.mark.each_case
def test_no_other_write_waits_while_lines_are_worked_out(client, kind, worked, meanwhile):
    path, body = kind
    meanwhile(lambda: client.patch("/v1/tenant", {"phone": "03 5550 0134"}))  # decides no figure
    made = stored(client, client.post(path, body)["data"], path)
    other = {"line_items": [{"id": made["line_items"][0]["id"], "quantity": 2}, LINE]}
    changed = stored(client, client.patch(f"{path}/{made['id']}", other)["data"], path)
    assert changed["total"] == 363 and worked == [False, False]


def test_a_copy_is_worked_out_before_the_transaction(client, contact, worked, meanwhile):
    body = {"client_id": contact, "line_items": [LINE] * 3, "purchase_order": "PO 1"}
    made = client.post("/v1/invoices", body)["data"]
    copy = stored(client, client.post(f"/v1/invoices/{made['id']}/duplicate")["data"], "/v1/invoices")
    assert (copy["total"], copy["purchase_order"], worked) == (363, "PO 1", [False, False])
    meanwhile(lambda: client.patch(f"/v1/invoices/{made['id']}", {"discount_percent": 50, "purchase_order": None}))
    copy = stored(client, client.post(f"/v1/invoices/{made['id']}/duplicate")["data"], "/v1/invoices")
    assert (float(copy["total"]), copy["purchase_order"]) == (181.5, None)
    assert not any(worked) and copy["line_items"][0]["id"] != made["line_items"][0]["id"]


@pytest.mark.parametrize("to", ["invoice", "job"])
def test_a_quote_is_converted_as_it_is_in_the_transaction(client, contact, worked, meanwhile, to):
    quotes = []
    for _ in range(2):
        body = {"client_id": contact, "line_items": [LINE] * 2, "title": "Deck"}
        quotes.append(client.post("/v1/quotes", body)["data"]["id"])
        client.post(f"/v1/quotes/{quotes[-1]}/send", {}, 200)
        client.post(f"/v1/quotes/{quotes[-1]}/accept", {"name": "Ada"}, 200)
    del worked[:]
    made = stored(client, client.post(f"/v1/quotes/{quotes[0]}/convert", {"to": to})["data"], f"/v1/{to}s")
    assert (made["total"], worked) == (242, [False])
    meanwhile(lambda: client.post(f"/v1/quotes/{quotes[1]}/convert", {"to": to}))
    client.refused(409, "invalid_state_transition", "POST", f"/v1/quotes/{quotes[1]}/convert", {"to": to})


def test_settings_that_changed_meanwhile_decide(client, kind, worked, meanwhile):
    path, body = kind
    meanwhile(lambda: client.patch("/v1/tenant", {"amounts_are": "inclusive"}))
    made = stored(client, client.post(path, body)["data"], path)
    assert (made["amounts_are"], made["total"], made["gst"], worked) == ("inclusive", 110, 10, [False, True])
    meanwhile(lambda: client.patch("/v1/tenant", NOT_REGISTERED))
    client.refused(422, "gst_not_registered", "POST", path, {**body, "line_items": [{**LINE, "gst_code": "gst"}]})
    assert client.get(path)["pagination"]["total"] == 1


def test_what_others_change_again_and_again_is_worked_out_in_the_transaction_at_last(client, kind, worked, each_time):
    path, body = kind
    made = client.post(path, {**body, "line_items": [LINE]})["data"]
    one, discounts = f"{path}/{made['id']}", iter(range(10, 60, 10))
    del worked[:]
    each_time(lambda: client.patch(one, {"discount_amount": next(discounts)}))
    changed = stored(client, client.patch(one, {"line_items": [LINE, LINE]})["data"], path)
    # Each request, of four attempts, with another's before it; the last one is not repeated.
    assert (changed["total"], next(discounts)) == (242 - 44, 50)
    assert worked == [False, False] * MOST_REPEATS + [False, False, True]


def test_an_item_that_changed_meanwhile_is_copied_as_it_is(client, kind, meanwhile):
    path, body = kind
    item = client.post("/v1/items", {"name": "Nail", "unit_price": "1.00"})["data"]["id"]
    body = {**body, "line_items": [{"item_id": item}]}
    meanwhile(lambda: client.patch(f"/v1/items/{item}", {"unit_price": "2.00", "name": "Screw"}))
    (line,) = stored(client, client.post(path, body)["data"], path)["line_items"]
    assert (line["description"], line["unit_price"]) == ("Screw", 2)
    meanwhile(lambda: client.patch(f"/v1/items/{item}", {"unit_price": "3.00"}))
    made = client.post(path, {**body, "line_items": [LINE]})["data"]
    into = {"line_items": [{"id": made["line_items"][0]["id"], "item_id": item}]}
    (line,) = stored(client, client.patch(f"{path}/{made['id']}", into)["data"], path)["line_items"]
    assert (line["description"], line["unit_price"]) == ("Screw", 3)


@pytest.mark.each_case
def test_changes_at_once_lose_nothing(client, kind, meanwhile):
    path, body = kind
    made = client.post(path, {**body, "line_items": [LINE, LINE]})["data"]
    one, first = f"{path}/{made['id']}", made["line_items"][0]["id"]
    price = {"line_items": [{"id": first, "unit_price": "50.00"}]}
    meanwhile(lambda: client.patch(one, {"discount_amount": "10.00", "notes": "Ring"}))
    changed = stored(client, client.patch(one, price)["data"], path)
    assert (changed["total"], changed["notes"], changed["version"]) == (44, "Ring", made["version"] + 2)
    meanwhile(lambda: client.patch(one, {"discount_amount": "5.00"}))
    client.refused(412, "version_conflict", "PATCH", one, price, headers={"If-Match": f'"{changed["version"]}"'})
    meanwhile(lambda: client.patch(one, {"line_items": [LINE]}))
    client.refused(422, "validation_failed", "PATCH", one, price)
    assert stored(client, client.get(one)["data"], path)["line_items"][0]["description"] == "Labour"


def test_an_invoice_that_is_sent_meanwhile_is_locked(client, contact, meanwhile):
    client.patch("/v1/tenant", {"abn": "51 824 753 556"})
    made = client.post("/v1/invoices", {"client_id": contact, "line_items": [LINE]})["data"]
    one = f"/v1/invoices/{made['id']}"
    meanwhile(lambda: client.post(f"{one}/send", {}, 200))
    client.refused(409, "document_locked", "PATCH", one, {"line_items": [LINE, LINE]})
    assert client.get(one)["data"]["total"] == 121


def test_a_repeated_request_has_its_answer_whatever_is_refused_now(client, kind):
    path, body = kind
    body, key = {**body, "line_items": [{**LINE, "gst_code": "gst"}]}, {"Idempotency_Key": "one"}
    made = client.post(path, body, **key)["data"]
    client.patch("/v1/tenant", NOT_REGISTERED)
    assert client.post(path, body, **key)["data"] == made
    client.refused(422, "gst_not_registered", "POST", path, body, headers={"Idempotency-Key": "two"})


@pytest.mark.parametrize("count", [1, 4, 5, 9, 64, 167])
@pytest.mark.each_case
def test_lines_are_stored_in_their_order_however_many(client, contact, count):
    lines = [
        {"description": f"Part {i}", "unit_price": f"{i}.5", "discount_percent": i % 3 or None} for i in range(count)
    ]
    made = client.post("/v1/invoices", {"client_id": contact, "line_items": lines})["data"]
    assert [line["description"] for line in made["line_items"]] == [line["description"] for line in lines]
    stored(client, made, "/v1/invoices")


def test_a_note_is_worked_out_anew_where_another_was_issued_meanwhile(client, contact, meanwhile):
    client.patch("/v1/tenant", {"abn": "51 824 753 556"})
    made = client.post("/v1/invoices", {"client_id": contact, "line_items": [LINE]})["data"]
    client.post(f"/v1/invoices/{made['id']}/send", {}, 200)
    note = {"invoice_id": made["id"], "reason": "other", "full": True}
    part = {"invoice_id": made["id"], "reason": "other", "line_items": [{"description": "Less", "unit_price": "10.00"}]}

    def issue():
        other = client.post("/v1/adjustment_notes", part)["data"]["id"]
        client.post(f"/v1/adjustment_notes/{other}/issue", {}, 200)

    meanwhile(issue)
    assert stored(client, client.post("/v1/adjustment_notes", note)["data"], "/v1/adjustment_notes")["total"] == 110


def test_recurring_invoices_are_worked_out_as_things_are(client, contact, meanwhile):
    path, body = "/v1/recurring_invoices", {"client_id": contact, "line_items": [LINE], "frequency": "month"}
    meanwhile(lambda: client.patch("/v1/tenant", {"amounts_are": "inclusive"}))
    made = stored(client, client.post(path, {**body, "start_on": "2035-01-01"})["data"], path)
    assert made["total"] == 110
    one = f"{path}/{made['id']}"
    meanwhile(lambda: client.patch(one, {"discount_amount": "11.00"}))
    changed = stored(client, client.patch(one, {"line_items": [LINE, LINE]})["data"], path)
    assert (changed["total"], changed["version"]) == (209, made["version"] + 2)
