"""Keys: who may call, for what, and how often."""

import string
from datetime import timedelta
from io import BytesIO

import pytest
import sqlalchemy as sa
import webtest

from billycan import keys
from billycan.fields import Moment
from billycan.testing import Client, Clock

pytestmark = pytest.mark.either


@pytest.fixture
def client(make_app):
    return Client(make_app("contacts"))


GOOD = "svc_live_" + "a" * 32
GOOD += keys.checksum(GOOD)
NO_KEYS = {
    "": "missing_api_key",
    " ": "missing_api_key",
    "Bearer": "invalid_api_key",
    "Bearer ": "invalid_api_key",
    "Basic c3ZjOng=": "invalid_api_key",
    GOOD: "invalid_api_key",
    f"Bearer {GOOD}": "invalid_api_key",
    f"Bearer {GOOD[:-1]}": "invalid_api_key",
    f"Bearer {GOOD}a": "invalid_api_key",
    f"Bearer {GOOD} {GOOD}": "invalid_api_key",
    f"Bearer {GOOD},": "invalid_api_key",
    f"Bearer {GOOD.replace('live', 'test')}": "invalid_api_key",
    f"Bearer {GOOD.upper()}": "invalid_api_key",
    "Bearer é" + GOOD[1:]: "invalid_api_key",
    "Bearer " + "x" * 5_000: "invalid_api_key",
}


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(("key", "code"), NO_KEYS.items(), ids=range(len(NO_KEYS)))
def test_what_is_no_key_is_refused(client, key, code):
    error = client.refused(401, code, "GET", "/v1/contacts", headers={"Authorization": key})
    assert error["type"] == "authentication" and "svc_live" not in error["message"]
    assert client.last.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.sqlite_alone
@pytest.mark.parametrize("header", ["bearer {}", "BEARER {}", "Bearer   {}", "Bearer {} "])
def test_the_scheme_may_be_written_as_one_likes(client, header):
    client.call("GET", "/v1/me", status=200, headers={"Authorization": header.format(client.secret)})


def test_a_mistyped_key_is_refused_without_a_look_up(client, monkeypatch):
    monkeypatch.setattr(client.app.keys, "_find_key", lambda key: pytest.fail("looked up"))
    for place in range(9, len(client.secret)):
        for letter in "0Zz":
            mistyped = client.secret[:place] + letter + client.secret[place + 1 :]
            if mistyped != client.secret:
                client.call("GET", "/v1/me", status=401, headers={"Authorization": f"Bearer {mistyped}"})


def test_keys_are_random_and_kept_as_a_digest(client):
    made = {keys.new_key("live") for _ in range(100)} | {keys.new_key("sandbox") for _ in range(100)}
    assert len(made) == 200 and all(keys.Identity.Secret.is_well_formed(key, *keys.STARTS) for key in made)
    assert {key[:9] for key in made} == {"svc_live_", "svc_test_"}
    assert set().union(*(key[9:] for key in made)) == set(string.ascii_letters + string.digits)
    with client.app.db.reading(across="a test looks at every row") as db:
        (row,) = db.execute(sa.select(keys.keys).where(keys.keys.c.id == client.key_id))
    assert client.secret[9:] not in str(row) and row.hint == f"svc_live_…{client.secret[-4:]}"


def test_a_key_expires(client, clock):
    ending = client.key("read", expires_at=Moment.of(Clock.START + timedelta(hours=1)))
    ending.get("/v1/contacts")
    clock.move(minutes=59)
    ending.get("/v1/contacts")
    clock.move(minutes=1)
    ending.refused(401, "expired_api_key", "GET", "/v1/contacts")
    assert ending.last.headers["WWW-Authenticate"] == "Bearer"
    client.get("/v1/contacts")


def revoke(client, app, bump=True):
    with app.db.writing(across="a test looks at every row") as db:
        assert client.app.keys.revoke(db, client.key_id, app.now())
    if bump:
        app.epoch.bump()


def test_a_revoked_key_is_refused_from_the_next_request_on_in_every_worker(client, make_app):
    url, shared = client.app.db.url.render_as_string(hide_password=False), str(client.app.shared)
    second = make_app("contacts", database=url, shared_folder=shared)
    doomed = client.key("read")
    there = client.key("read")
    there.headers, there.web.app = doomed.headers, second.wsgi
    for held in (doomed, there):
        held.get("/v1/contacts")
    revoke(doomed, client.app)
    for refused in (doomed, there):
        refused.refused(401, "revoked_api_key", "GET", "/v1/contacts")
    client.get("/v1/contacts")
    with client.app.db.writing(across="a test looks at every row") as db:
        assert not client.app.keys.revoke(db, "key_1", client.app.now())


def test_another_host_refuses_a_revoked_key_within_a_second(client, monkeypatch):
    now = 1000.0
    monkeypatch.setattr("billycan.sharing.folder.time.monotonic", lambda: now)
    doomed = client.key("read")
    doomed.get("/v1/contacts")
    revoke(doomed, client.app, bump=False)
    now += 1
    doomed.refused(401, "revoked_api_key", "GET", "/v1/contacts")


def test_the_last_use_of_a_key_is_known_to_the_minute(client, clock):
    def used():
        with client.app.db.reading(across="a test looks at every row") as db:
            return db.execute(sa.select(keys.keys.c.last_used_at).where(keys.keys.c.id == client.key_id)).scalar()

    def use(**by):
        clock.move(**by)
        client.app.epoch.bump()  # forget what was read a moment ago
        client.get("/v1/me")
        return used()

    assert used() is None
    first = use()
    assert use(seconds=30) == first
    assert use(seconds=30) > first
    last = use(hours=1)
    revoke(client, client.app)
    clock.move(hours=1)
    client.get("/v1/me", 401)
    assert used() == last


def test_a_refused_call_is_no_use_of_an_expired_key(client, clock):
    ended = client.key("read", expires_at=Moment.of(Clock.START))
    ended.get("/v1/me", 401)
    with client.app.db.reading(across="a test looks at every row") as db:
        assert db.execute(sa.select(keys.keys.c.last_used_at).where(keys.keys.c.id == ended.key_id)).scalar() is None


CALLS = {
    "contacts:read": ("GET", "/v1/contacts", None, 200),
    "contacts:write": ("POST", "/v1/contacts", {"name": "Ada"}, 201),
    "tenant:read": ("GET", "/v1/tenant", None, 200),
    "tenant:write": ("PATCH", "/v1/tenant", {}, 200),
    "events:read": ("GET", "/v1/events", None, 200),
}
HELD = {
    "read": {"contacts:read", "tenant:read", "events:read"},
    "write": {"contacts:write", "tenant:write"},
    **{scope: {scope} for scope in CALLS},
    "invoices:read": set(),
    "nonsense": set(),
    "contacts": set(),
    "contacts:": set(),
    ":read": set(),
    "xcontacts:read": set(),
}


@pytest.mark.sqlite_alone
@pytest.mark.parametrize("scope", HELD)
def test_a_scope_allows_what_it_says_and_no_more(client, scope):
    client = client.key(scope)
    for wanted, (method, path, body, status) in CALLS.items():
        if wanted in HELD[scope]:
            client.call(method, path, body, status)
        else:
            error = client.refused(403, "insufficient_scope", method, path, body)
            assert error["type"] == "permission" and error["required_scope"] == wanted
    assert client.get("/v1/me")["data"]["scopes"] == [scope]


def test_a_key_says_who_it_is(client):
    key = client.key("contacts:read", "tenant:read", name="Till", per_minute=7, per_second=3)
    found = key.get("/v1/me")["data"]
    assert found == {
        "id": key.key_id,
        "name": "Till",
        "tenant": {"id": client.tenant_id, "name": "Derwent Plumbing"},
        "environment": "live",
        "scopes": ["contacts:read", "tenant:read"],
        "limits": {"per_minute": 7, "per_second": 3},
        "app": None,
        "connection": None,
        "policy": None,
    }
    assert key.secret[9:] not in key.last.text
    assert client.sandbox().get("/v1/me")["data"]["environment"] == "sandbox"


def test_live_and_sandbox_never_meet(client):
    sandbox = client.sandbox()
    assert client.secret.startswith("svc_live_") and sandbox.secret.startswith("svc_test_")
    live, test = (c.post("/v1/contacts", {"name": "Ada", "external_id": "X"})["data"] for c in (client, sandbox))
    for mine, theirs, caller in ((live, test, client), (test, live, sandbox)):
        assert [c["id"] for c in caller.get("/v1/contacts?search=ada")["data"]] == [mine["id"]]
        assert caller.get("/v1/contacts")["pagination"]["total"] == 1
        caller.get(f"/v1/contacts/{theirs['id']}", 404)
        assert [e["data"]["id"] for e in caller.get("/v1/events")["data"]] == [mine["id"]]
    profile = client.get("/v1/tenant")["data"]
    paired = sandbox.get("/v1/tenant")["data"]
    own = {"id", "environment"}
    assert {k: v for k, v in profile.items() if k not in own} == {k: v for k, v in paired.items() if k not in own}
    sandbox.patch("/v1/tenant", {"name": "Test"})
    assert client.get("/v1/tenant")["data"] == profile
    assert (profile["environment"], paired["environment"]) == ("live", "sandbox")


def limits(client):
    return tuple(int(client.last.headers[f"X-RateLimit-{name}"]) for name in ("Limit", "Remaining", "Reset"))


ANSWERS = {
    200: ("GET", "/v1/contacts", None),
    201: ("POST", "/v1/contacts", {"name": "Ada"}),
    400: ("GET", "/v1/contacts?page=0", None),
    403: ("GET", "/v1/events", None),
    404: ("GET", "/v1/nope", None),
    405: ("PUT", "/v1/contacts", None),
    406: ("GET", "/v1/contacts", None),
    415: ("POST", "/v1/contacts", {"name": "Ada"}),
    422: ("POST", "/v1/contacts", {}),
    500: ("GET", "/v1/contacts", None),
    503: ("GET", "/v1/contacts", None),
}


@pytest.mark.as_app
@pytest.mark.sqlite_alone
@pytest.mark.parametrize(("status", "call"), ANSWERS.items(), ids=map(str, ANSWERS))
def test_every_answer_says_what_is_left(client, monkeypatch, status, call):
    client = client.key("contacts:read", "contacts:write", per_minute=10, per_second=5)
    headers = {406: {"Accept": "text/html"}, 415: {"Content-Type": "text/plain"}}.get(status, {})
    client.call("OPTIONS", "/v1/contacts")
    for number, error in (
        (500, RuntimeError("secret")),
        (503, sa.exc.OperationalError("secret", {}, Exception("secret"))),
    ):
        if status == number:
            monkeypatch.setattr(
                "billycan.lists.paging.paginate", lambda *args, error=error: (_ for _ in ()).throw(error)
            )
    client.call(*call, status, headers)
    assert limits(client) == (10, 8, int(Clock.START.timestamp()) + 61)
    assert "secret" not in client.last.text
    assert client.last.headers.get("Retry-After") == ("1" if status == 503 else None)
    assert client.last.headers["X-Request-Id"]


@pytest.mark.sqlite_alone
@pytest.mark.parametrize("authorization", ["", "Bearer nonsense"])
def test_a_401_counts_against_its_address(make_app, authorization):
    client = Client(make_app("contacts", per_minute=5, per_second=4))
    client.headers = {"Authorization": authorization}
    for left in (4, 3, 2, 1):
        client.call("GET", "/v1/contacts", status=401)
        assert limits(client)[:2] == (5, left)
    error = client.refused(429, "rate_limited", "GET", "/v1/contacts")
    assert (error["type"], error["limit"], error["retry_after"]) == ("rate_limit", "second", 1)
    client.refused(429, "rate_limited", "GET", "/v1/nope")


@pytest.mark.as_app
def test_the_windows_of_a_key_are_its_own(make_app, clock):
    app = make_app("contacts")
    client = Client(app, per_minute=4, per_second=2)
    other = client.key("read")
    for left in (3, 2):
        client.get("/v1/contacts")
        assert limits(client)[:2] == (4, left)
    error = client.refused(429, "rate_limited", "GET", "/v1/contacts")
    assert (error["limit"], error["retry_after"]) == ("second", 1) and limits(client)[:2] == (2, 0)
    assert client.last.headers["Retry-After"] == "1"
    clock.move(seconds=1)
    client.post("/v1/contacts", {"name": "Ada"})
    client.get("/v1/nope", 404)
    assert limits(client)[:2] == (4, 0)
    clock.move(seconds=1)
    error = client.refused(429, "rate_limited", "POST", "/v1/contacts", {"name": "Bob"})
    assert error["limit"] == "minute" and 57 <= error["retry_after"] <= 58
    assert limits(client) == (4, 0, int(Clock.START.timestamp()) + 61)
    assert client.last.headers["Retry-After"] == str(error["retry_after"])
    assert "pagination" in client.last.json and other.get("/v1/contacts")["pagination"]["total"] == 1
    clock.move(seconds=error["retry_after"])
    client.get("/v1/contacts")


@pytest.mark.as_app
def test_a_refusal_costs_nothing(make_app, clock):
    client = Client(make_app("contacts"), per_minute=3, per_second=1)
    client.get("/v1/me")
    for _ in range(20):
        client.get("/v1/me", 429)
    clock.move(seconds=1)
    client.get("/v1/me")
    assert limits(client)[:2] == (3, 1)


def call_from(client, address, forwarded=None):
    client.last = client.web.get(
        "/v1/contacts",
        headers={"X-Forwarded-For": forwarded} if forwarded else {},
        extra_environ={"REMOTE_ADDR": address},
        status="*",
    )
    return client.last.status_int


def test_an_address_is_the_sockets_own(make_app):
    client = Client(make_app("contacts", per_minute=2))
    assert [call_from(client, "203.0.113.1", f"198.51.100.{i}") for i in range(3)] == [401, 401, 429]
    assert call_from(client, "203.0.113.2") == 401
    client.get("/v1/contacts")


def test_an_ipv6_address_is_counted_by_its_64(make_app):
    client = Client(make_app("contacts", per_minute=2))
    assert [call_from(client, f"2001:db8:0:1::{i}") for i in range(3)] == [401, 401, 429]
    assert call_from(client, "2001:db8:0:2::1") == 401


def test_a_trusted_proxy_says_whose_request_it_is(make_app):
    client = Client(make_app("contacts", per_minute=1, trusted_proxies=["10.0.0.0/8", "fd00::/8"]))
    for address, forwarded, status in (
        ("10.0.0.1", "198.51.100.1", 401),
        ("10.0.0.1", "198.51.100.2", 401),
        ("10.9.9.9", "198.51.100.1", 429),  # through another proxy, the same client
        ("10.0.0.1", "198.51.100.3, 198.51.100.1", 429),  # what the client itself claims counts for nothing
        ("10.0.0.1", "198.51.100.4, 10.0.0.2", 401),  # two proxies
        ("fd00::1", "198.51.100.4", 429),
        ("203.0.113.1", "198.51.100.5", 401),  # no proxy of ours
        ("203.0.113.1", "198.51.100.6", 429),
        ("10.0.0.1", None, 401),
        ("10.0.0.1", ", ,", 429),
        ("10.0.0.7", "nonsense", 401),
        ("::ffff:10.0.0.1", "198.51.100.7", 401),  # a socket for IPv4 and IPv6
        ("10.0.0.1", "198.51.100.7", 429),
    ):
        assert call_from(client, address, forwarded) == status, (address, forwarded)


def test_a_full_disk_does_not_close_the_api(client, monkeypatch, caplog):
    def fail(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(client.app.limiter, "take_each", fail)
    client.get("/v1/contacts")
    assert limits(client)[:2] == (100_000, 49_999) and "No space left" in caplog.text
    client.get("/v1/contacts", 401, Authorization="")


def test_what_needs_no_key_counts_against_the_address(make_app):
    client = Client(make_app("contacts", per_minute=1))
    nobody = {"Authorization": ""}
    client.call("GET", "/v1/openapi.json", status=200, headers=nobody)
    assert limits(client)[:2] == (1, 0)
    client.refused(429, "rate_limited", "GET", "/v1/openapi.json", headers=nobody)
    client.get("/v1/contacts")


class Late(BytesIO):
    """A body that arrives in full once something else has happened."""

    def __init__(self, content, first):
        super().__init__(content)
        self.first = first

    def read(self, *size):
        first, self.first = self.first, None
        if first:
            first()
        return super().read(*size)


@pytest.mark.parametrize("path", ["/v1/contacts", "/v1/imports?resource=contacts"])
@pytest.mark.each_case
def test_a_body_that_arrives_after_its_key_was_revoked_changes_nothing(make_app, clock, path):
    client = Client(make_app("contacts", "imports"))
    other = Client(client.app, client.tenant_id)
    body = b'{"name": "Ada"}' if path == "/v1/contacts" else b"name\nAda\n"

    def revoke():
        clock.move(seconds=30)
        with client.app.db.writing(across="a command revokes it") as db:
            assert client.app.keys.revoke(db, client.key_id, client.app.now())
        client.app.epoch.bump()

    held = webtest.TestRequest.blank(path, method="POST", headers=client.headers)
    held.content_type = "application/json" if path == "/v1/contacts" else "text/csv"
    held.content_length, held.environ["wsgi.input"] = len(body), Late(body, revoke)
    answer = webtest.TestApp(client.app.wsgi).do_request(held, status="*")
    assert (answer.status_int, answer.json["error"]["code"]) == (401, "revoked_api_key")
    assert not other.get("/v1/contacts")["data"] and not other.get("/v1/imports")["data"]
