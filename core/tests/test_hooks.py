"""The effect of a plugin that answers a hook, and of one that fails, on everybody else."""

import logging
import re
from pathlib import Path

import falcon
import pytest
import sqlalchemy as sa
from msgspec import Struct

from billycan import Conflict, Context, Forbidden, Manifest, Page, Reply, Route
from billycan.keys import Identity
from billycan.problems import Problem, RateLimited, Unauthenticated
from billycan.resources import Empty
from billycan.sharing.limits import Allowance
from billycan.starting.plugins import PluginError
from billycan.tenants import tenants
from billycan.testing import Client

pytestmark = pytest.mark.either

HOOKS = Path(__file__).parents[2] / "docs" / "hooks.md"
ADA = {"name": "Ada"}
NOTHING = Manifest(name="guest")


class Boom(Exception):
    pass


def boom(*args):
    raise Boom("secret")


def raising(error):
    def fail(**_):
        raise error

    return fail


@pytest.fixture
def host(make_app, install):
    """Build an app in which `guest` has these hooks, and a client of it."""

    def build(manifest=NOTHING, **hooks):
        install(manifest, **hooks)
        return Client(make_app("contacts", "guest"))

    return build


class Watching:
    """An observer that keeps what it is told, and fails at what it was told to fail at."""

    def __init__(self, app):
        self.told, self.is_closed = [], False

    def __call__(self, answered):
        self.told.append(answered)
        if answered.method == "DELETE":
            raise Boom("secret")

    def close(self):
        self.is_closed = True


def is_untouched(client):
    """Nothing was written for the tenant."""
    tables = ("contacts", "core_events", "core_idempotency", "core_counters")
    with client.app.db.reading() as db:
        for table in tables:
            found = db.execute(sa.text(f"SELECT count(*) FROM {table} WHERE tenant_id = :t"), {"t": client.tenant_id})
            assert found.scalar() == 0, table
    return True


def refused(client, method="POST", path="/v1/contacts", body=ADA, **headers):
    """The code, and that the answer is whole and tells nothing."""
    answer = client.call(method, path, body, headers=headers)
    assert set(answer.json) == {"data", "pagination", "error"} and "secret" not in answer.text
    assert answer.json["error"]["request_id"] == answer.headers["X-Request-Id"]
    assert answer.headers["X-RateLimit-Limit"] and answer.headers["Cache-Control"] == "no-store"
    return answer.status_int, answer.json["error"]["code"]


@pytest.mark.sqlite_alone
@pytest.mark.parametrize("error", [Boom("lost"), ImportError("lost"), SyntaxError("lost"), KeyError("lost")])
def test_a_plugin_that_cannot_be_imported_stops_the_start(make_app, install, error):
    install(NOTHING, load=raising(error))
    with pytest.raises(PluginError, match=r"guest cannot be imported: .*lost.*: fix it or disable it"):
        make_app("contacts", "guest")
    Client(make_app("contacts")).post("/v1/contacts", ADA)


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(
    ("manifest", "hooks", "message"),
    [
        (
            Manifest(name="guest", requires=("missing",)),
            {},
            "guest requires missing: install billycan-missing and enable it or disable guest",
        ),
        (
            Manifest(name="guest"),
            {"on_evnt": lambda ctx: None},
            "guest: .*on_evnt.*: remove the hook or correct its name",
        ),
        (
            Manifest(name="guest"),
            {"on_event": lambda ctx, nonsense: None},
            "guest: .*nonsense.*: use only the hook's arguments",
        ),
        (
            Manifest(name="guest", routes=(Route("GET", "/v1/contacts", lambda ctx: None, scope=None),)),
            {},
            "guest and contacts both have GET /v1/contacts: disable one of them",
        ),
        (
            Manifest(name="guest", routes=(Route("GET", "/v1/contacts/{key}", lambda ctx, key: None, scope=None),)),
            {},
            "guest and contacts both have GET /v1/contacts/{key}",
        ),
        (Manifest(name="guest", routes=(Route("GET", "/v1/x", lambda ctx: None, scope=None),)), {}, "guest: .*returns"),
    ],
)
def test_a_plugin_that_does_not_fit_stops_the_start(host, manifest, hooks, message):
    with pytest.raises(PluginError, match=message.replace("{", r"\{")):
        host(manifest, **hooks)


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(
    ("found", "message"), [(object(), "must name a module"), (logging, "has no manifest")], ids=["object", "module"]
)
def test_what_is_no_plugin_stops_the_start(make_app, install, found, message):
    install(NOTHING, load=lambda: found)
    with pytest.raises(PluginError, match=f"guest.* {message}"):
        make_app("guest")


def test_a_plugin_that_fails_to_start_stops_the_start(make_app, install):
    started = []
    install(Manifest(name="before"), startup=lambda app: started.append("before"))
    install(Manifest(name="guest", requires=("before",)), startup=boom)
    with pytest.raises(PluginError, match="guest failed to start: secret: fix it or disable it"):
        make_app("before", "guest")
    assert started == ["before"]


def test_plugins_start_after_those_they_require(make_app, install):
    started = []
    for name, requires, uses in (("a", ("b",), ()), ("b", ("d",), ()), ("c", (), ("a",)), ("d", (), ("absent",))):
        install(Manifest(name=name, requires=requires, uses=uses), startup=lambda app, name=name: started.append(name))
    make_app("a", "b", "c", "d")
    assert started == ["d", "b", "a", "c"]


class Parrot(Struct):
    """A parrot's message."""

    said: str


def squawk(ctx) -> Parrot:
    """Fail after writing."""
    ctx.db.execute(sa.text("UPDATE core_tenants SET version = 99 WHERE id = :t"), {"t": ctx.tenant_id})
    ctx.emit("parrot.said", Parrot("secret"))
    raise Boom("secret")


def moult(ctx) -> Parrot:
    """Fail while reading."""
    raise Boom("secret")


def mumble(ctx) -> Parrot:
    """Answer what cannot be encoded."""
    ctx.emit("parrot.said", Parrot("hello"))
    return Parrot(object())


PARROT = Manifest(
    name="guest",
    events={"parrot.said": Parrot},
    routes=(
        Route("POST", "/v1/squawk", squawk, scope=None),
        Route("GET", "/v1/squawk", moult, scope=None),
        Route("POST", "/v1/mumble", mumble, scope=None),
    ),
)


@pytest.mark.parametrize(("method", "path"), [("POST", "/v1/squawk"), ("GET", "/v1/squawk"), ("POST", "/v1/mumble")])
def test_a_handler_that_raises_fails_its_own_request_alone(host, caplog, method, path):
    client = host(PARROT)
    before = client.get("/v1/tenant")["data"]
    assert refused(client, method, path, None, **{"Idempotency-Key": "k"}) == (500, "internal_error")
    assert ("NotImplementedError" if path == "/v1/mumble" else "Boom: secret") in caplog.text
    if method == "POST":
        assert is_untouched(client) and client.get("/v1/tenant")["data"] == before
    client.post("/v1/contacts", ADA)


def test_an_answer_that_cannot_be_sent_is_an_error_like_any_other(host, caplog):
    def garble(ctx: Context) -> Reply:
        """Answer what no HTTP answer can hold."""
        return Reply(b"", "text/plain", {"X-Garbled": "a\nb"})

    client = host(Manifest(name=PARROT.name, routes=(Route("GET", "/v1/squawk", garble, scope=None),)))
    error = client.refused(500, "internal_error", "GET", "/v1/squawk", headers={"X-Request-Id": "mine"})
    assert error["request_id"] == "mine" and "request mine failed" in caplog.text
    for header in ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Content-Type-Options"):
        assert client.last.headers[header]
    assert client.last.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (Boom("secret"), 500, "internal_error"),
        (Conflict("No room for a second Ada.", code="no_room"), 409, "no_room"),
        (sa.exc.IntegrityError("secret", {}, Exception("secret")), 409, "conflict"),
        (sa.exc.OperationalError("secret", {}, Exception("secret")), 503, "unavailable"),
        (sa.exc.TimeoutError("secret"), 503, "unavailable"),
        # As the coordinator of a cluster tells of a node that has just died.
        pytest.param(
            sa.exc.InternalError("secret", {}, Exception("server closed the connection unexpectedly\n secret")),
            *(503, "unavailable"),
            id="node died",
        ),
        (sa.exc.InternalError("secret", {}, Exception("secret")), 500, "internal_error"),
        (RecursionError("secret"), 500, "internal_error"),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.each_case
def test_a_subscriber_that_raises_undoes_the_whole_request(host, error, status, code):
    client = host(on_event=raising(error))
    assert refused(client, **{"Idempotency-Key": "k"}) == (status, code)
    assert is_untouched(client)
    client.get("/v1/contacts")


def test_subscribers_hear_of_events_inside_the_transaction(make_app, install):
    heard = []

    def on_event(ctx, event):
        found = ctx.db.execute(
            sa.text("SELECT name FROM contacts WHERE tenant_id = :t"), {"t": ctx.tenant_id}
        ).scalars()
        heard.append((event.name, *found))
        if event.name == "contact.created":
            ctx.emit("parrot.said", Parrot("hello"))

    install(PARROT, on_event=on_event)
    client = Client(make_app("contacts", "guest"))
    client.post("/v1/contacts", ADA)
    assert heard == [("contact.created", "Ada"), ("parrot.said", "Ada")]
    assert client.events() == ["contact.created", "parrot.said"]


class Gone(Struct):
    id: str


class Seen(Struct):
    id: str
    version: int
    nickname: str | None = None


class Named(Struct):
    id: str
    email: str | None


def test_a_plugin_hears_events_with_their_data_inside_the_transaction(make_app, install):
    heard = []

    def greet(ctx: Context, contact: Seen) -> None:
        heard.append(contact)
        ctx.emit("parrot.said", Parrot("hello"))

    def repeat(ctx: Context, parrot: Parrot) -> None:
        heard.append(parrot)

    install(Manifest(name="guest", events=PARROT.events, hears={"contact.created": greet, "parrot.said": repeat}))
    client = Client(make_app("contacts", "guest"))
    made = client.post("/v1/contacts", ADA)["data"]
    assert heard == [Seen(made["id"], 1), Parrot("hello")]
    assert client.events() == ["contact.created", "parrot.said"]


def test_a_plugin_says_which_events_it_hears(make_app, install):
    heard = []

    def forget(ctx: Context, record: Gone) -> None:
        heard.append(("forget", record.id))

    def follow(ctx: Context, contact: Named) -> None:
        heard.append(("follow", contact.id))

    hears = {"*.deleted": forget, "contact.created with email": follow, "contact.updated with email": follow}
    install(Manifest(name="guest", events={"parrot.deleted": Parrot}, hears=hears))
    with pytest.raises(PluginError, match=r"guest: forget hears parrot.deleted, whose data has no id: remove it from"):
        make_app("contacts", "guest")
    install(Manifest(name="guest", hears=hears))
    client = Client(make_app("contacts", "guest"))
    ada = client.post("/v1/contacts", ADA)["data"]["id"]
    assert heard == []
    client.patch(f"/v1/contacts/{ada}", {"email": "ada@example.com"})
    client.patch(f"/v1/contacts/{ada}", {"email": None})
    grace = client.post("/v1/contacts", {"name": "Grace", "email": "grace@example.com"})["data"]["id"]
    client.delete(f"/v1/contacts/{ada}")
    assert heard == [("follow", ada), ("follow", grace), ("forget", ada)]


def test_whoever_hears_an_event_may_refuse_what_caused_it(make_app, install):
    def keep(ctx: Context, contact: Gone) -> None:
        raise Conflict("It is needed.", code="has_dependents")

    install(Manifest(name="guest", hears={"contact.deleted": keep}))
    client = Client(make_app("contacts", "guest"))
    made = client.post("/v1/contacts", ADA)["data"]
    client.refused(409, "has_dependents", "DELETE", f"/v1/contacts/{made['id']}")
    assert client.get(f"/v1/contacts/{made['id']}")["data"] == made


def test_if_match_is_compared_with_the_record_in_the_path_alone(make_app, install):
    """Other records that the request locks, such as one that a plugin changes along with it, have versions of their
    own.
    """
    from billycan_contacts.resource import contacts

    def note(ctx: Context, contact: Seen) -> None:
        if contact.id == ada:
            other = contacts.records.save(
                ctx, contacts.records.lock(ctx, grace), notes=f"Ada has version {contact.version}"
            )
            ctx.emit("contact.updated", contacts.records.show(ctx, [other])[0])
            contacts.records.save(ctx, contacts.records.lock(ctx, ada), touch=True)  # which this request has changed

    install(Manifest(name="guest", requires=("contacts",), hears={"contact.updated": note}))
    client = Client(make_app("contacts", "guest"))
    ada, grace = (client.post("/v1/contacts", {"name": name})["data"]["id"] for name in ("Ada", "Grace"))
    client.patch(f"/v1/contacts/{grace}", {"notes": "x"})
    client.patch(f"/v1/contacts/{ada}", {"notes": "x"}, If_Match='"1"')
    assert [client.get(f"/v1/contacts/{id}")["data"]["version"] for id in (ada, grace)] == [3, 3]
    for stale in ('"1"', '"2"'):
        client.refused(412, "version_conflict", "PATCH", f"/v1/contacts/{ada}", {}, headers={"If-Match": stale})


def untyped(ctx, contact):
    pass


def wants_more(ctx: Context, contact: Parrot) -> None:
    pass


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(
    ("event", "hear", "said"),
    [
        ("contact.made", untyped, "guest: untyped hears contact.made and must take ctx and the event's data, typed"),
        (
            "contact.made",
            wants_more,
            "hears contact.made, which no plugin emits; there are contact.created, contact.del",
        ),
        ("contact.created", wants_more, "hears contact.created, whose data has no said: remove it from Parrot or give"),
        ("contact.created with email", wants_more, "hears contact.created with email: add email to Parrot"),
    ],
)
def test_what_can_never_be_heard_stops_the_start(make_app, install, event, hear, said):
    install(Manifest(name="guest", hears={event: hear}))
    with pytest.raises(PluginError, match=said):
        make_app("contacts", "guest")


def test_events_of_a_plugin_that_is_off_are_never_heard(make_app, install):
    install(Manifest(name="guest", hears={"invoice.paid": wants_more}))
    assert Client(make_app("contacts", "guest")).post("/v1/contacts", ADA)


def test_a_failure_after_the_commit_is_nobodys_else(make_app, install, caplog):
    heard = []
    install(Manifest(name="a"), after_commit=lambda ctx, events: heard.append(("a", [e.name for e in events])))
    install(Manifest(name="guest", requires=("a",)), after_commit=boom)
    install(Manifest(name="z", requires=("guest",)), after_commit=lambda events: heard.append(("z", len(events))))
    client = Client(make_app("contacts", "a", "guest", "z"))
    made = client.post("/v1/contacts", ADA)["data"]
    assert heard == [("a", ["contact.created"]), ("z", 1)]
    assert "after_commit of guest failed" in caplog.text and "Boom" in caplog.text
    assert client.get(f"/v1/contacts/{made['id']}")["data"] == made
    client.get("/v1/contacts")
    client.post("/v1/contacts", {}, 422)
    assert len(heard) == 2


def test_what_commits_without_events_is_told_of_too(make_app, install):
    heard = []
    install(Manifest(name="guest"), after_commit=lambda events: heard.append(len(events)))
    client = Client(make_app("contacts", "guest"))
    made = client.post("/v1/contacts", ADA)["data"]
    client.patch(f"/v1/contacts/{made['id']}", {})
    assert heard == [1, 0]


FAILING = {
    # hook: (error, what a write is answered with, what a list is answered with)
    "authenticate": (Boom("secret"), (500, "internal_error"), (500, "internal_error")),
    "resolve_tenant": (Forbidden("Closed.", code="closed"), (403, "closed"), (403, "closed")),
    "authorize": (Forbidden("Closed.", code="closed"), (403, "closed"), (403, "closed")),
    "paginate": (Boom("secret"), None, (500, "internal_error")),
    "envelope": (Boom("secret"), (500, "internal_error"), (500, "internal_error")),
}


@pytest.mark.parametrize(("hook", "case"), FAILING.items(), ids=FAILING)
def test_a_hook_that_raises_is_an_error_to_the_client(host, hook, case):
    error, write, read = case
    client = host(**{hook: raising(error)})
    if write:
        assert refused(client) == write
        assert is_untouched(client)
    assert refused(client, "GET", "/v1/contacts", None) == read


def test_the_database_being_away_is_said_before_anybody_is_known(host, monkeypatch):
    client = host()
    monkeypatch.setattr(client.app.db, "reading", raising(sa.exc.OperationalError("secret", {}, Exception("secret"))))
    monkeypatch.setattr(client.app.db, "writing", client.app.db.reading)
    assert refused(client) == (503, "unavailable")
    assert client.last.headers["Retry-After"] == "1"


def test_while_the_database_is_away_no_address_is_told_that_it_asks_too_often(make_app, monkeypatch):
    client = Client(make_app("contacts", per_minute=2))
    monkeypatch.setattr(client.app.db, "reading", raising(sa.exc.OperationalError("secret", {}, Exception("secret"))))
    assert [client.call("GET", "/v1/contacts").status_int for _ in range(4)] == [503] * 4
    assert client.last.headers["X-RateLimit-Remaining"] == "0"


def test_a_limit_that_raises_refuses(host):
    client = host(rate_limit=raising(RateLimited("Not today.", headers={"Retry-After": "60"})))
    client.refused(429, "rate_limited", "POST", "/v1/contacts", ADA)
    assert client.last.headers["Retry-After"] == "60" and is_untouched(client)


def test_a_failing_handle_error_still_leaves_a_plain_500(host, caplog):
    client = host(handle_error=boom)
    assert refused(client, "GET", "/v1/contacts?page=0", None) == (500, "internal_error")
    client.post("/v1/contacts", ADA)


def test_health_is_told_whatever_plugins_do(host):
    client = host(authenticate=boom, envelope=boom, rate_limit=boom)
    client.call("GET", "/-/health", status=200)


def test_a_plugin_may_say_who_is_calling(host):
    def authenticate(req):
        if name := req.get_header("X-Staff"):
            if name == "eve":
                raise Unauthenticated("Eve has left.", code="left")
            scopes = ("contacts:read",)
            return Identity(
                id=name, tenant_id=known, environment="live", name=name, scopes=scopes, per_minute=9, per_second=9
            )
        return None

    client = host(authenticate=authenticate)
    known = client.tenant_id
    client.post("/v1/contacts", ADA)
    staff = {"Authorization": "", "X-Staff": "bob"}
    assert client.call("GET", "/v1/contacts", status=200, headers=staff).json["pagination"]["total"] == 1
    assert client.last.headers["X-RateLimit-Limit"] == "9"
    assert refused(client, **staff) == (403, "insufficient_scope")
    assert refused(client, **staff | {"X-Staff": "eve"}) == (401, "left")
    assert client.last.headers["WWW-Authenticate"] == "Bearer"
    assert refused(client, Authorization="") == (401, "missing_api_key")


def test_a_plugin_may_say_for_which_tenant(host):
    client = host(resolve_tenant=lambda identity, req: req.get_header("X-Tenant"))
    other = Client(client.app)
    other.post("/v1/contacts", ADA)
    assert client.get("/v1/contacts")["data"] == []
    assert client.get("/v1/contacts", X_Tenant=other.tenant_id)["pagination"]["total"] == 1


def test_a_plugin_may_refuse_but_not_allow(host):
    def authorize(ctx, route):
        if route.method == "DELETE":
            raise Forbidden("Nothing is ever deleted here.", code="read_mostly")

    client = host(authorize=authorize)
    id = client.post("/v1/contacts", ADA)["data"]["id"]
    assert refused(client, "DELETE", f"/v1/contacts/{id}", None) == (403, "read_mostly")
    assert refused(client.key("read")) == (403, "insufficient_scope")


def test_a_plugin_may_limit_otherwise(host):
    def rate_limit(identity, address, now):
        seen.append((identity.id if identity else None, address))
        over = len(seen) > 3
        return Allowance(
            allowed=not over, limit=3, remaining=0, reset=99, window="minute", retry_after=7 if over else None
        )

    seen = []
    client = host(rate_limit=rate_limit)
    client.post("/v1/contacts", ADA)
    assert refused(client, Authorization="") == (401, "missing_api_key")
    client.get("/v1/contacts")
    error = client.refused(429, "rate_limited", "GET", "/v1/contacts")
    assert error["retry_after"] == 7 and client.last.headers["X-RateLimit-Reset"] == "99"
    assert seen[:3] == [(client.key_id, "unknown"), (None, "unknown"), (client.key_id, "unknown")]


def test_the_documented_limit_counts_a_business_as_a_whole(host):
    examples = re.findall(r"^```python\n(.*?)^```$", HOOKS.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    (example,) = (each for each in examples if "def rate_limit" in each)
    names = {}
    exec(example, names)
    client = host(rate_limit=names["rate_limit"])
    for remaining, each in ((599, client), (598, client.key()), (597, client)):
        each.get("/v1/contacts")
        assert each.last.headers["X-RateLimit-Limit"] == "600"
        assert each.last.headers["X-RateLimit-Remaining"] == str(remaining)
    assert refused(client, Authorization="") == (401, "missing_api_key")
    assert client.last.headers["X-RateLimit-Limit"] == "100000", "core's own"


def test_a_plugin_may_cut_pages_otherwise(host):
    def paginate(ctx, found, query):
        rows = ctx.db.execute(sa.select(found.table).where(*found.where).order_by(found.table.c.name)).all()
        return Page(list(rows), 1, len(rows), len(rows))

    client = host(paginate=paginate)
    for name in ("Bob", "Ada"):
        client.post("/v1/contacts", {"name": name})
    page = client.get("/v1/contacts?per_page=1")
    assert [c["name"] for c in page["data"]] == ["Ada", "Bob"] and page["pagination"]["per_page"] == 2
    assert client.get("/v1/contacts?search=b")["pagination"]["total"] == 1


def test_a_plugin_may_wrap_answers_otherwise(host):
    def envelope(data, page, problem):
        return {"result": data, "count": page and page.total, "code": problem and problem.code}

    client = host(envelope=envelope)
    made = client.post("/v1/contacts", ADA)
    assert made["result"]["name"] == "Ada" and made["count"] is None
    assert client.get("/v1/contacts")["count"] == 1
    assert client.call("GET", "/v1/nope", status=404).json == {"result": None, "count": None, "code": "route_not_found"}


def test_a_plugin_may_explain_errors(host):
    class Teapot(Problem):
        status, type, code = 418, "teapot", "short_and_stout"

    def handle_error(error):
        return Teapot() if isinstance(error, Boom) else None

    client = host(PARROT, handle_error=handle_error)
    assert refused(client, "POST", "/v1/squawk", None) == (418, "short_and_stout")
    assert refused(client, "POST", "/v1/contacts", {}) == (422, "validation_failed")


READ_ONLY = {"GET": {}, "POST": {"stores": False}}


@pytest.mark.parametrize("method", READ_ONLY)
def test_a_handler_that_only_reads_cannot_emit(host, caplog, method):
    route = Route(method, "/v1/squawk", mumble, scope=None, **READ_ONLY[method])
    client = host(Manifest(name=PARROT.name, events=PARROT.events, routes=(route,)))
    assert refused(client, method, "/v1/squawk", None) == (500, "internal_error")
    assert "a route that only reads changes nothing" in caplog.text and client.events() == []


@pytest.mark.parametrize("method", READ_ONLY)
@pytest.mark.each_case
def test_a_handler_that_only_reads_cannot_write(host, caplog, method):
    def scribble(ctx: Context) -> Empty:
        """Write where nothing may be written."""
        ctx.db.execute(sa.update(tenants).values(version=7))
        return Empty()

    route = Route(method, "/v1/squawk", scribble, scope=None, **READ_ONLY[method])
    client = host(Manifest(name=PARROT.name, routes=(route,)))
    assert refused(client, method, "/v1/squawk", None) == (500, "internal_error")
    assert "a read-only transaction cannot write" in caplog.text and client.get("/v1/tenant")["data"]["version"] == 1
    client.post("/v1/contacts", {"name": "Ada"})  # nor does it keep others from writing


TWICE = "INSERT INTO contacts SELECT * FROM contacts WHERE name = :name"


@pytest.mark.parametrize(("sql", "said"), [("SELECT nonsense FROM contacts", "nonsense"), (TWICE, "contacts")])
@pytest.mark.each_case
def test_no_log_shows_a_statement_or_a_row(host, caplog, sql, said):
    statement, given = sa.text(sql), {"name": "Ada Lovelace"} if ":name" in sql else {}

    def fail(ctx: Context) -> Empty:
        """Fail in the database."""
        try:
            ctx.db.execute(statement, given)
        except sa.exc.SQLAlchemyError as error:
            raise Boom from error

    manifest = Manifest(name=PARROT.name, routes=(Route("POST", "/v1/squawk", fail, scope=None),))
    client = host(manifest)
    client.post("/v1/contacts", {"name": "Ada Lovelace"})
    assert refused(client, "POST", "/v1/squawk", None) == (500, "internal_error")
    assert "sqlalchemy.exc" in caplog.text and said in caplog.text  # what is wrong is told
    assert not any(text in caplog.text for text in (sql, "Ada", "LINE 1", "Key (", "[SQL"))


def test_the_plugin_another_depends_on_is_asked_first(make_app, install):
    for name, requires in (("first", ("second",)), ("second", ())):
        install(Manifest(name=name, requires=requires), resolve_tenant=raising(Conflict(name)))
    client = Client(make_app("first", "second"))
    assert client.get("/v1/me", 409)["error"]["message"] == "second"


def test_plugins_of_one_app_are_not_those_of_another(make_app, install):
    install(NOTHING, authorize=raising(Forbidden()))
    Client(make_app("contacts", "guest")).get("/v1/contacts", 403)
    Client(make_app("contacts")).get("/v1/contacts")


def test_there_are_ten_hooks(make_app):
    hooks = {name for name in vars(make_app().hook) if not name.startswith("_")}
    assert len(hooks) == 10 and {"on_event", "after_commit", "handle_error"} < hooks


def test_a_plugin_may_have_pages_outside_the_api(host):
    class Poster:
        def __init__(self, app):
            self.app = app

        def on_get(self, req, resp):
            resp.text, resp.content_type = f"Welcome to {self.app.public_url}", falcon.MEDIA_TEXT

        def on_post(self, req, resp):
            raise Boom("secret")

    client = host(Manifest(name="guest", pages=(("/hello", Poster),)))
    assert "Welcome" in client.call("GET", "/hello", status=200, headers={"Authorization": ""}).text
    assert client.call("POST", "/hello", status=500).json["error"]["code"] == "internal_error"
    assert "secret" not in client.last.text


def test_a_trigger_of_an_unknown_event_stops_the_start(install, make_app):
    install(NOTHING, startup=lambda app: app.add_trigger("contact.gone", boom))
    said = "guest failed to start: it has a trigger of contact.gone, which no enabled plugin declares: fix it or"
    with pytest.raises(PluginError, match=said):
        make_app("contacts", "guest")


def test_who_observes_is_told_of_every_request_of_somebody_known_and_harms_none(install, make_app, caplog):
    def fail(ctx: Context) -> Empty:
        raise Boom("secret")

    guest = Manifest(name="guest", routes=(Route("GET", "/v1/broken", fail, scope=None),))
    install(guest, startup=lambda app: app.add_observer(Watching(app)))
    app = make_app("contacts", "guest")
    client = Client(app)
    (watching,) = app.observers
    client.get("/v1/broken", 500)
    client.post("/v1/contacts", {}, 422)
    client.call("GET", "/v1/nowhere", status=404)
    client.call("DELETE", "/v1/contacts/con_1", status=404)
    client.call("GET", "/v1/me", status=401, headers={"Authorization": ""})
    client.call("GET", "/-/health", status=200)
    assert [(a.method, a.route, a.status, a.code, a.param) for a in watching.told] == [
        ("GET", "/v1/broken", 500, "internal_error", None),
        ("POST", "/v1/contacts", 422, "validation_failed", "name"),
        ("GET", "", 404, "route_not_found", None),
        ("DELETE", "/v1/contacts/{id}", 404, "resource_not_found", None),
    ]
    assert {(a.tenant_id, a.caller_id) for a in watching.told} == {(client.tenant_id, client.key_id)}
    assert "could not be observed" in caplog.text
    app.close()
    assert watching.is_closed
