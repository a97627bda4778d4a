"""Many requests in one: each as a request of its own, in one transaction or in one for each."""

import threading

import pytest
import sqlalchemy as sa

from billycan.testing import Client, run_timed
from billycan_batch import handlers

CONTACTS = "/v1/contacts"
LOCK = "SELECT 1 FROM contacts WHERE tenant_id = :tenant AND id = :id FOR UPDATE"
WAITING = "SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"


@pytest.fixture
def client(make_app):
    return Client(make_app("batch", "contacts", "hosted", "documents", "invoices", "webhooks", "attachments"))


def batch(client, *operations, atomic=False, status=200, **headers):
    found = client.post("/v1/batch", {"atomic": atomic, "operations": operations}, status, **headers)
    return found["data"]["results"] if status == 200 else found["error"]


def new(name, notes=None, **more):
    return {"method": "POST", "path": CONTACTS, "body": {"name": name, "notes": notes}, **more}


def names(client):
    return [each["name"] for each in client.get(f"{CONTACTS}?sort=created_at")["data"]]


@pytest.mark.parametrize("atomic", [False, True])
def test_each_operation_is_answered_as_a_request_of_its_own(client, atomic):
    lines = [{"description": "Tap", "quantity": "1.5", "unit_price": "110.00"}]
    results = batch(
        client,
        new("Ada", ref="ada"),
        {
            "method": "POST",
            "path": "/v1/invoices",
            "ref": "bill",
            "body": {"client_id": "$ada.id", "line_items": lines},
        },
        {"method": "POST", "path": "/v1/invoices/$bill.id/send"},
        {"method": "PATCH", "path": "/v1/contacts/$ada.id", "if_match": 1, "body": {"notes": "$5.id, $nobody.id"}},
        new("Eve", ref="eve"),
        {"method": "DELETE", "path": "/v1/contacts/$eve.id"},
        atomic=atomic,
    )
    assert [each["status"] for each in results] == [201, 201, 200, 200, 201, 200]
    ada, draft, sent, changed, eve, gone = [each["body"]["data"] for each in results]
    assert all(each["body"].keys() == {"data", "pagination", "error"} for each in results)
    assert client.get(f"{CONTACTS}/{ada['id']}")["data"] == changed and changed["notes"] == "$5.id, $nobody.id"
    assert client.get(f"/v1/invoices/{draft['id']}")["data"] == sent and sent["client"]["name"] == "Ada"
    assert gone == {"id": eve["id"], "deleted": True}
    assert client.events() == [
        "contact.created",
        "invoice.created",
        "invoice.sent",
        "contact.updated",
        "contact.created",
        "contact.deleted",
    ]


def test_without_atomic_each_has_its_own_status_and_one_that_fails_undoes_no_other(client):
    results = batch(
        client,
        new("Ada"),
        {"method": "POST", "path": CONTACTS, "body": {"name": "", "email": "no"}, "ref": "bad"},
        {"method": "PATCH", "path": "/v1/contacts/$bad.id", "body": {"notes": "x"}},
        {"method": "POST", "path": "/v1/nothing"},
        {"method": "DELETE", "path": "/v1/contacts/con_00000000000000000000000000"},
        {"method": "PATCH", "path": CONTACTS, "body": {}},
        {"method": "POST", "path": "/v1/contacts/archive", "body": {"name": "$late.id"}},
        new("Eve", ref="eve"),
        {"method": "PATCH", "path": "/v1/contacts/$eve.id", "if_match": 7, "body": {"notes": "x"}},
        {"method": "PATCH", "path": "/v1/contacts/$eve.nothing", "body": {"notes": "x"}},
    )
    assert [each["status"] for each in results] == [201, 422, 409, 404, 404, 404, 404, 201, 412, 422]
    codes = [each["body"]["error"] and each["body"]["error"]["code"] for each in results]
    assert codes[1:3] == ["validation_failed", "reference_failed"]
    assert {fault["param"] for fault in results[1]["body"]["error"]["details"]} == {"name", "email"}
    assert {each["body"]["error"]["request_id"] for each in results if each["body"]["error"]} == {
        client.last.headers["X-Request-Id"]
    }
    assert names(client) == ["Ada", "Eve"] and client.events() == ["contact.created", "contact.created"]


def test_an_atomic_batch_is_all_or_nothing_and_names_what_failed(client):
    operations = [new("Ada", ref="ada"), {"method": "DELETE", "path": "/v1/contacts/$ada.id"}]
    error = batch(client, *operations, new("", ref="x"), new("Eve"), atomic=True, status=422)
    assert error["operation"] == 2 and error["param"] == "operations[2].body.name"
    assert [fault["param"] for fault in error["details"]] == ["operations[2].body.name"]
    error = batch(client, *operations, {"method": "PATCH", "path": "/v1/contacts/$ada.id"}, atomic=True, status=404)
    assert (error["operation"], error["param"], error["code"]) == (2, "operations[2]", "resource_not_found")
    stale = {"method": "PATCH", "path": "/v1/contacts/$ada.id", "if_match": 9, "body": {"notes": "x"}}
    assert batch(client, new("Ada", ref="ada"), stale, atomic=True, status=412)["operation"] == 1
    assert (names(client), client.events()) == ([], [])
    assert client.get("/v1/invoices")["pagination"]["total"] == 0


def test_each_operation_needs_the_scope_of_its_route(client):
    key = client.key("contacts:write")
    body = {"client_id": "$ada.id", "line_items": []}
    invoice = {"method": "POST", "path": "/v1/invoices", "body": body}
    assert [each["status"] for each in batch(key, new("Ada", ref="ada"), invoice)] == [201, 403]
    error = batch(key, new("Ada", ref="ada"), invoice, atomic=True, status=403)
    assert (error["required_scope"], error["operation"]) == ("invoices:write", 1)
    stranger = Client(client.app)
    (mine,) = client.get(CONTACTS)["data"]
    for atomic, status in ((False, 200), (True, 404)):
        found = batch(stranger, {"method": "DELETE", "path": f"{CONTACTS}/{mine['id']}"}, atomic=atomic, status=status)
        assert atomic or found[0]["status"] == 404
    client.call("POST", "/v1/batch", {"operations": [new("Ada")]}, 401, {"Authorization": ""})


def test_the_faults_of_a_batch_as_a_whole_are_told_at_once(client):
    error = batch(
        client,
        new("Ada", ref="a b"),
        new("Ada", ref="x"),
        new("Eve", ref="x"),
        {"method": "PATCH", "path": "/v1/contacts/$y.id"},
        {"method": "POST", "path": CONTACTS, "body": {"name": "Ada", "metadata": {"of": "$z.id"}}},
        new("Late", ref="z"),
        {"method": "POST", "path": "/v1/batch", "body": {"operations": []}},
        {"method": "POST", "path": "/v1/attachments"},
        {"method": "POST", "path": "/v1/webhook_endpoints", "body": {}},
        {"method": "POST", "path": "/v1/contacts?search=x"},
        {"method": "POST", "path": "/v1/contacts/../invoices"},
        status=422,
    )
    assert [(fault["param"], fault["code"]) for fault in error["details"]] == [
        ("operations[0].ref", "invalid_value"),
        ("operations[2].ref", "invalid_value"),
        ("operations[3].path", "not_found"),
        ("operations[4].body.metadata.of", "not_found"),
        ("operations[6].path", "not_in_batch"),
        ("operations[7].path", "not_in_batch"),
        ("operations[8].path", "not_in_batch"),
        ("operations[9].path", "invalid_value"),
        ("operations[10].path", "invalid_value"),
    ]
    assert {fault["code"] for fault in batch(client, {"method": "GET", "path": CONTACTS}, status=422)["details"]}
    assert batch(client, status=422)["param"] == "operations"
    assert batch(client, *[new("Ada")] * 101, status=422)["details"][0]["code"] == "too_long"
    assert names(client) == []


def test_an_operation_counts_as_a_request(client, clock):
    key = client.key("write", "read", per_minute=10, per_second=3)
    assert len(batch(key, *[new("Ada")] * 8)) == 8
    assert key.last.headers["X-RateLimit-Remaining"] == "2"
    assert client.refused(429, "rate_limited", "GET", CONTACTS, headers=key.headers)["limit"] == "second"
    clock.move(seconds=2)
    error = batch(key, *[new("Ada")] * 4, status=429)
    assert error["code"] == "rate_limited" and error["limit"] == "minute" and error["retry_after"] >= 1
    assert key.last.headers["X-RateLimit-Remaining"] == "0"
    for atomic in (False, True):
        error = batch(client.key(per_minute=10), *[new("Ada")] * 12, atomic=atomic, status=400)
        assert error["code"] == "too_many_operations"
    assert len(names(client)) == 8


@pytest.mark.parametrize("atomic", [False, True])
def test_a_reference_makes_no_other_route_of_a_path(client, atomic):
    """Otherwise a contact named so would lead to a batch in a batch, or to a secret."""
    for name in ("batch", "webhook_endpoints", "attachments", "contacts"):
        body = {"url": "https://example.com/hook", "events": ["*"]}
        second = {"method": "POST", "path": "/v1/$it.name", "body": body}
        found = batch(client, new(name, ref="it"), second, atomic=atomic, status=422 if atomic else 200)
        error = found if atomic else found[1]["body"]["error"]
        assert (error["code"], error["details"][0]["code"]) == ("validation_failed", "not_found")
    assert client.get("/v1/webhook_endpoints")["data"] == []


@pytest.mark.parametrize("atomic", [False, True])
def test_an_answer_is_repeated_only_for_a_key_that_holds_the_scopes_of_the_first(client, atomic):
    operations = [new("Ada", notes="secret")]
    first = batch(client, *operations, atomic=atomic, Idempotency_Key="one")
    for scopes in (("invoices:read",), ("contacts:read",)):
        error = batch(client.key(*scopes), *operations, atomic=atomic, status=403, Idempotency_Key="one")
        assert error["code"] == "insufficient_scope"
    assert batch(client.key(), *operations, atomic=atomic, Idempotency_Key="one") == first


def test_an_amount_of_an_earlier_record_can_be_used(client):
    lines = [{"description": "Tap", "quantity": "1.5", "unit_price": "110.00"}]
    invoice = {"method": "POST", "path": "/v1/invoices", "body": {"client_id": "$ada.id", "line_items": lines}}
    payment = {"amount": "$bill.total", "payment_method": "cash"}
    results = batch(
        client,
        new("Ada", ref="ada"),
        {**invoice, "ref": "bill"},
        {"method": "POST", "path": "/v1/invoices/$bill.id/send"},
        {"method": "POST", "path": "/v1/invoices/$bill.id/payments", "body": payment},
        atomic=True,
    )
    assert results[-1]["body"]["data"]["status"] == "paid"


def test_batches_that_change_the_same_records_in_another_order_do_not_stop_each_other(client):
    ids = [client.post(CONTACTS, {"name": f"Ada {i}"})["data"]["id"] for i in range(6)]

    def notes(text, order):
        made = [{"method": "PATCH", "path": f"{CONTACTS}/{id}", "body": {"notes": text}} for id in order]
        return "POST", "/v1/batch", {"atomic": True, "operations": made}

    for i in range(3):
        answers = client.race(notes(f"{i} up", ids), notes(f"{i} down", ids[::-1]))
        assert [answer.status_int for answer in answers] == [200, 200]
        assert len({each["notes"] for each in client.get(CONTACTS)["data"]}) == 1


def test_a_batch_that_postgresql_undoes_for_another_begins_anew(client, monkeypatch):
    """It counts once: with its operations twice, it would be refused."""
    app, tenant = client.app, client.tenant_id
    if app.db.is_sqlite:
        return  # which has one writer
    first, second = (client.post(CONTACTS, {"name": "Ada"})["data"]["id"] for _ in range(2))
    locked, note = threading.Event(), handlers._note_result

    def pause(*given):
        note(*given)
        locked.wait(10)

    def lock_backwards():
        with app.db.writing(tenant) as db:
            db.execute(sa.text(LOCK), {"tenant": tenant, "id": second})
            locked.set()
            any(db.execute(sa.text(WAITING)).scalar() for _ in range(20_000))  # longest, so it is undone
            db.execute(sa.text(LOCK), {"tenant": tenant, "id": first})

    monkeypatch.setattr(handlers, "_note_result", pause)
    operations = [{"method": "PATCH", "path": f"{CONTACTS}/{id}", "body": {"notes": "y"}} for id in (first, second)]
    other = threading.Thread(target=lock_backwards)
    other.start()
    results = batch(client.key(per_minute=3), *operations, atomic=True)
    other.join()
    assert [each["body"]["data"]["version"] for each in results] == [2, 2]


@pytest.mark.parametrize("atomic", [False, True])
def test_one_key_is_for_all_operations(client, atomic):
    operations = [new("Ada", ref="ada"), {"method": "POST", "path": "/v1/contacts/$ada.id/archive"}]
    failing = [] if atomic else [{"method": "POST", "path": "/v1/contacts/$ada.id/archive"}]
    first = batch(client, *operations, *failing, atomic=atomic, Idempotency_Key="one")
    assert [each["status"] for each in first] == [201, 200, *[409] * len(failing)]
    client.post(f"{CONTACTS}/{first[0]['body']['data']['id']}/restore", status=200)
    assert batch(client, *operations, *failing, atomic=atomic, Idempotency_Key="one") == first
    assert client.last.headers["Idempotent-Replayed"] == "true"
    assert batch(client, new("Eve"), status=422, Idempotency_Key="one")["code"] == "idempotency_key_reused"
    assert names(client) == ["Ada"]


def test_a_batch_that_broke_off_is_continued_by_its_key(client, monkeypatch):
    operations = [new("Ada"), new("Eve"), new("Ann")]
    calls, carry_out = [], type(client.app).call

    def break_off(app, *args, **given):
        calls.append(args)
        if len(calls) == 3:
            raise SystemError("the process was killed")
        return carry_out(app, *args, **given)

    with monkeypatch.context() as patch:
        patch.setattr(handlers, "log", None)  # so that what breaks off is no failure of one operation
        patch.setattr(type(client.app), "call", break_off)
        client.call("POST", "/v1/batch", {"operations": operations}, 500, {"Idempotency-Key": "one"})
    assert names(client) == ["Ada", "Eve"]
    assert [each["status"] for each in batch(client, *operations, Idempotency_Key="one")] == [201] * 3
    assert names(client) == ["Ada", "Eve", "Ann"]


def test_a_long_batch_stops_before_it_keeps_its_place_too_long(client, monkeypatch):
    monkeypatch.setattr(handlers, "MOST_ANSWERED_BYTES", 1000)
    results = batch(client, *[new("Ada")] * 4)
    statuses = [each["status"] for each in results]
    assert statuses == [201] * statuses.count(201) + [503] * (4 - statuses.count(201)) and 1 < statuses.count(201) < 4
    assert results[3]["body"]["error"]["code"] == "not_carried_out"
    monkeypatch.setattr(handlers, "MOST_SECONDS", 0.0)
    assert [each["status"] for each in batch(client, new("Ada"))] == [503]
    assert names(client) == ["Ada"] * statuses.count(201)


def test_an_atomic_batch_changes_only_so_much(client, monkeypatch):
    lines = [{"description": "x" * 3000, "quantity": 1, "unit_price": 1}] * 20
    body = {"client_id": client.post(CONTACTS, {"name": "Ada"})["data"]["id"], "line_items": lines}
    invoice = {"method": "POST", "path": "/v1/invoices", "body": body}
    error = batch(client, *[invoice] * 5, atomic=True, status=422)
    assert (error["code"], error["operation"]) == ("too_many_changes", 3)
    monkeypatch.setattr(handlers, "MOST_CHANGES", 6)
    bills = [client.post("/v1/invoices", {**body, "line_items": lines[:1]})["data"]["id"] for _ in range(6)]
    for id in bills:
        client.post(f"/v1/invoices/{id}/send", status=200)
    payment = {"client_id": body["client_id"], "amount": "0.60", "payment_method": "cash"}
    payment["allocations"] = [{"invoice_id": id, "amount": "0.10"} for id in bills]
    pay = {"method": "POST", "path": "/v1/payments", "body": payment}
    error = batch(client, pay, atomic=True, status=422)  # one event, but six invoices change, too
    assert (error["code"], error["operation"]) == ("too_many_changes", 0)
    monkeypatch.setattr(handlers, "MOST_SENT", 5)  # of a custom field, each value is a row
    error = batch(client, *[new("Eve")] * 3, atomic=True, status=422)
    assert (error["code"], error["operation"]) == ("too_many_changes", 2)
    monkeypatch.setattr(handlers, "MOST_SENT", 5_000)
    monkeypatch.setattr(handlers, "MOST_CHANGES", 2)
    error = batch(client, *[new("Eve")] * 3, atomic=True, status=422)
    assert (error["code"], error["operation"]) == ("too_many_changes", 2)
    assert names(client) == ["Ada"] and client.get("/v1/payments")["pagination"]["total"] == 0


@pytest.mark.sqlite_alone  # which counts the rows, and whose one writer everybody waits for
def test_the_largest_batches_keep_to_what_a_transaction_may_do(client):
    """With the most webhook endpoints and documents that a lawful batch has, it holds few rows and little but SQL."""
    for i in range(20):
        client.post("/v1/webhook_endpoints", {"url": f"https://example.com/{i}", "events": ["*"]})
    lines = [{"description": "Tap", "quantity": "1.5", "unit_price": "110.00"}]
    operations = [new("Ada", ref="ada")]
    body = {"client_id": "$ada.id", "line_items": lines}
    operations += [{"method": "POST", "path": "/v1/invoices", "body": body, "ref": f"i{i}"} for i in range(49)]
    operations += [{"method": "POST", "path": f"/v1/invoices/$i{i}.id/send"} for i in range(49)]
    assert {each["status"] for each in batch(client, *operations, atomic=True)} <= {200, 201}
    assert len(client.events()) == 99
    run_timed(client.app)
    assert client.get("/v1/webhook_deliveries")["pagination"]["total"] == 20 * 99


@pytest.mark.sqlite_alone
@pytest.mark.parametrize("atomic", [False, True])
def test_a_reference_makes_no_body_that_could_not_be_sent(client, atomic):
    """Otherwise 500 KB of references to a long text would become 500 MB."""
    taken = {"method": "POST", "path": CONTACTS, "body": {"name": "Eve", "notes": ["$it.notes"] * 600}}
    found = batch(client, new("Ada", "x" * 2000, ref="it"), taken, atomic=atomic, status=413 if atomic else 200)
    error = found if atomic else found[1]["body"]["error"]
    assert error["code"] == "payload_too_large" and "earlier ones" in error["message"]
