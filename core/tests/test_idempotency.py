"""One key, one change: the first answer is returned again, stored in the transaction of the change that it reports."""

import random
import threading

import pytest
import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Manifest, Route, idempotency
from billycan.idempotency import answers
from billycan.testing import Client, run_timed
from billycan.working import replays

pytestmark = pytest.mark.as_app

KEY = {"Idempotency-Key": "one key"}
ADA = {"name": "Ada", "tags": ["ü"]}


@pytest.fixture
def client(make_app):
    return Client(make_app("contacts"))


def kept(client):
    """Count the answers that are stored for the tenant."""
    with client.app.db.reading() as db:
        return len(db.execute(sa.select(answers).where(answers.c.tenant_id == client.tenant_id)).all())


def test_the_same_request_has_the_same_answer(client, clock):
    first = client.call("POST", "/v1/contacts", ADA, 201, KEY)
    assert "Idempotent-Replayed" not in first.headers
    clock.move(hours=23, minutes=59)
    again = client.call("POST", "/v1/contacts", ADA, 201, KEY | {"X-Request-Id": "again"})
    assert again.headers["Idempotent-Replayed"] == "true" and again.headers["X-Request-Id"] == "again"
    assert again.body == first.body
    for header in ("Location", "ETag", "Content-Type", "Cache-Control"):
        assert again.headers[header] == first.headers[header]
    assert client.get("/v1/contacts")["pagination"]["total"] == 1 and client.events() == ["contact.created"]


def test_every_kind_of_change_is_replayed(client):
    path = f"/v1/contacts/{client.post('/v1/contacts', ADA)['data']['id']}"
    for method, where, body in (
        ("PATCH", path, {"name": "Eve"}),
        ("POST", f"{path}/archive", None),
        ("DELETE", path, None),
    ):
        key = {"Idempotency-Key": f"{method} {where}"[:255]}
        first = client.call(method, where, body, 200, key)
        # What it once answered it answers again, whatever became of the record or of the version it names.
        again = client.call(method, where, body, 200, key | {"If-Match": '"1"'})
        assert again.body == first.body and again.headers["Idempotent-Replayed"] == "true"
    client.get(path, 404)
    assert client.events() == ["contact.created", "contact.updated", "contact.updated", "contact.deleted"]
    tenant = client.call("PATCH", "/v1/tenant", {"name": "Eve"}, 200, KEY)
    assert client.call("PATCH", "/v1/tenant", {"name": "Eve"}, 200, KEY).body == tenant.body


@pytest.mark.parametrize(
    ("method", "path", "raw"),
    [
        ("POST", "/v1/contacts", b'{"name": "Eve"}'),
        ("POST", "/v1/contacts", b'{"name":"Ada"}'),
        ("PATCH", "/v1/tenant", b'{"name": "Ada"}'),
        ("PATCH", "/v1/contacts/con_1", b'{"name": "Ada"}'),
        ("DELETE", "/v1/contacts/con_1", b""),
    ],
)
def test_another_request_cannot_take_the_key(client, method, path, raw):
    client.call("POST", "/v1/contacts", status=201, headers=KEY, raw=b'{"name": "Ada"}')
    error = client.refused(422, "idempotency_key_reused", method, path, raw=raw, headers=KEY)
    assert error["type"] == "validation"
    assert client.get("/v1/contacts")["pagination"]["total"] == 1


def test_a_key_is_the_tenants_own(client):
    client.post("/v1/contacts", ADA, Idempotency_Key="one key")
    for other in (Client(client.app), client.sandbox()):
        other.post("/v1/contacts", {"name": "Eve"}, Idempotency_Key="one key")
        assert "Idempotent-Replayed" not in other.last.headers
    client.key("contacts:write").post("/v1/contacts", ADA, Idempotency_Key="one key")
    error = client.key("read").refused(403, "insufficient_scope", "POST", "/v1/contacts", ADA, headers=KEY)
    assert error["required_scope"] == "contacts:write"


class Opinion(Struct):
    """An opinion that somebody gives."""

    client: str
    secret: str | None


def test_an_answer_is_given_again_to_those_alone_who_could_have_had_it(make_app, install):
    def ask(ctx: Context) -> Opinion:
        """Say what is thought of a client."""
        ctx.require("contacts:read")
        return Opinion("Ada", "owes" if ctx.holds("contacts:write") else None)

    route = Route("POST", "/v1/opinions", ask, scope="opinions:write", status=201)
    install(Manifest(name="opinions", routes=(route,)))
    client, scopes = Client(make_app("contacts", "opinions")), ("opinions:write", "contacts:read", "contacts:write")
    told = client.key(*scopes).post("/v1/opinions", Idempotency_Key="one key")
    assert told["data"]["secret"] == "owes"
    for lacks in scopes:
        other = client.key(*(scope for scope in scopes if scope != lacks))
        error = other.refused(403, "insufficient_scope", "POST", "/v1/opinions", headers=KEY)
        assert error["required_scope"] == lacks
    for other in (client, client.key(*scopes, "events:read")):
        assert other.post("/v1/opinions", Idempotency_Key="one key") == told
    # What a key that sees less was told, one that sees more is told again.
    told = client.key(*scopes[:2]).post("/v1/opinions", Idempotency_Key="another key")
    for other in (client, client.key(*scopes[:2])):
        assert other.post("/v1/opinions", Idempotency_Key="another key") == told
    assert told["data"]["secret"] is None


@pytest.mark.parametrize(
    ("status", "code", "method", "path", "body"),
    [
        (422, "validation_failed", "POST", "/v1/contacts", {"name": ""}),
        (409, "duplicate_external_id", "POST", "/v1/contacts", {"name": "Eve", "external_id": "X"}),
        (404, "resource_not_found", "PATCH", "/v1/contacts/con_1", {"name": "Eve"}),
        (409, "invalid_state_transition", "POST", "{path}/restore", None),
        (412, "version_conflict", "PATCH", "{path}", {"name": "Eve"}),
    ],
)
def test_a_refused_requests_key_may_be_used_again(client, status, code, method, path, body):
    made = client.post("/v1/contacts", {"name": "Bob", "external_id": "X"})["data"]
    path = path.format(path=f"/v1/contacts/{made['id']}")
    client.refused(status, code, method, path, body, headers=KEY | {"If-Match": '"7"' if status == 412 else "*"})
    assert kept(client) == 0
    client.post("/v1/contacts", ADA, Idempotency_Key="one key")
    assert "Idempotent-Replayed" not in client.last.headers


def test_a_key_is_free_again_after_a_day(client, clock):
    client.post("/v1/contacts", ADA, Idempotency_Key="one key")
    clock.move(hours=24)
    client.post("/v1/contacts", {"name": "Eve"}, Idempotency_Key="one key")
    assert "Idempotent-Replayed" not in client.last.headers
    client.post("/v1/contacts", {"name": "Eve"}, Idempotency_Key="one key")
    assert client.last.headers["Idempotent-Replayed"] == "true"
    assert client.get("/v1/contacts")["pagination"]["total"] == 2 and kept(client) == 1


def test_reads_take_no_key_and_writes_none_but_their_own(client):
    client.post("/v1/contacts", ADA)
    assert (
        client.get("/v1/contacts", Idempotency_Key="one key") == client.get("/v1/contacts", **KEY) and kept(client) == 0
    )
    client.post("/v1/contacts", ADA, Idempotency_Key="~" * 255)
    assert kept(client) == 1


def test_answer_and_change_are_one_transaction(client, monkeypatch):
    def fail(*args):
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(idempotency, "store_answer", fail)
        client.refused(500, "internal_error", "POST", "/v1/contacts", ADA, headers=KEY)
    assert client.get("/v1/contacts")["pagination"]["total"] == 0 and client.events() == []
    monkeypatch.setattr("billycan.events.log_statements", fail)
    client.refused(500, "internal_error", "POST", "/v1/contacts", ADA, headers=KEY)
    assert client.get("/v1/contacts")["pagination"]["total"] == 0 and kept(client) == 0


@pytest.mark.parametrize("threads", [2, 6])
def test_requests_that_meet_make_one_record(client, threads):
    found = client.race(*[("POST", "/v1/contacts", ADA, None, KEY)] * threads)
    made = [answer for answer in found if answer.status_int == 201]
    assert len({answer.body for answer in made}) == 1
    assert sum("Idempotent-Replayed" not in answer.headers for answer in made) == 1
    for answer in found:
        if answer not in made:
            assert answer.status_int == 409 and answer.json["error"]["code"] == "idempotency_in_progress"
            assert answer.headers["Retry-After"] == "1"
    assert client.get("/v1/contacts")["pagination"]["total"] == 1 and client.events() == ["contact.created"]


def test_a_request_under_way_holds_its_key(make_app, install, engine):
    entered, leave = threading.Event(), threading.Event()

    def on_event(ctx, event):
        entered.set()
        assert leave.wait(30)

    install(Manifest(name="guest"), on_event=on_event)
    client = Client(make_app("contacts", "guest"))
    other, found = client.key(), []
    first = threading.Thread(target=lambda: found.append(client.call("POST", "/v1/contacts", ADA, headers=KEY)))
    first.start()
    assert entered.wait(30)
    try:
        if engine == "postgresql":
            other.refused(409, "idempotency_in_progress", "POST", "/v1/contacts", ADA, headers=KEY)
            assert other.last.headers["Retry-After"] == "1"
            Client(client.app).refused(422, "validation_failed", "POST", "/v1/contacts", {}, headers=KEY)
        else:
            second = threading.Thread(target=lambda: found.append(other.call("POST", "/v1/contacts", ADA, headers=KEY)))
            second.start()
    finally:
        leave.set()
    first.join(30)
    if engine == "sqlite":
        second.join(30)
    assert sum("Idempotent-Replayed" in answer.headers for answer in found) == (engine == "sqlite")
    assert {answer.status_int for answer in found} == {201} and len({answer.body for answer in found}) == 1


def test_old_answers_are_swept(client, clock):
    client.post("/v1/contacts", ADA, Idempotency_Key="one key")
    clock.move(hours=12)
    client.post("/v1/contacts", ADA, Idempotency_Key="newer")
    clock.move(hours=12)
    ctx = Context(client.app, client.tenant_id)
    with client.app.db.writing() as ctx.db:
        replays.forget_old(ctx)
    assert kept(client) == 1


def test_a_large_answer_is_kept_small_and_given_again_byte_by_byte(client):
    notes = {"name": "Ada", "notes": "as said before, " * 600}
    first = client.call("POST", "/v1/contacts", notes, 201, KEY)
    with client.app.db.reading() as db:
        stored = db.execute(sa.select(answers.c.body).where(answers.c.tenant_id == client.tenant_id)).scalar_one()
    assert len(first.body) > 9_000 and len(stored) < 1_000
    again = client.call("POST", "/v1/contacts", notes, 201, KEY)
    assert again.body == first.body and again.headers["Idempotent-Replayed"] == "true"


def test_large_answers_are_kept_up_to_a_size_and_the_newest_first(client, clock, monkeypatch):
    monkeypatch.setattr(replays, "MOST_LARGE_BYTES", 20_000)
    other, rng = Client(client.app), random.Random(7)
    large = [{"name": str(i), "notes": rng.randbytes(5_000).hex()} for i in range(5)]
    keys = [{"Idempotency-Key": f"large {i}"} for i in range(5)]
    other.call("POST", "/v1/contacts", large[0], 201, KEY)
    client.call("POST", "/v1/contacts", ADA, 201, KEY)
    made = []
    for body, key in zip(large, keys, strict=True):
        clock.move(seconds=1)
        made.append(client.call("POST", "/v1/contacts", body, 201, key).body)
    clock.move(minutes=2)
    run_timed(client.app)
    for body, key, first in [*zip(large, keys, made, strict=True)][3:]:
        assert client.call("POST", "/v1/contacts", body, 201, key).body == first
    for body, key in [*zip(large, keys, strict=True)][:2]:
        # Carried out once, and never again: whoever asks is told.
        error = client.refused(409, "idempotency_answer_gone", "POST", "/v1/contacts", body, headers=key)
        assert "was carried out" in error["message"]
        client.refused(422, "idempotency_key_reused", "POST", "/v1/contacts", ADA, headers=key)
    assert client.call("POST", "/v1/contacts", ADA, 201, KEY).headers["Idempotent-Replayed"] == "true"
    assert other.call("POST", "/v1/contacts", large[0], 201, KEY).headers["Idempotent-Replayed"] == "true"
    assert client.get("/v1/contacts")["pagination"]["total"] == 6
