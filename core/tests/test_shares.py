"""A business's requests share a quarter of a process's places, and nobody else's requests wait for them."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from falcon.testing import create_environ
from msgspec import Struct

from billycan import Conflict, Context, Manifest, Reply, Route
from billycan import apart as shares
from billycan.testing import Client

pytestmark = pytest.mark.either

SECONDS = 60


class NewNote(Struct):
    text: str


class Gate:
    """A gate that holds up a test's requests: each arrives, and goes on when it is let through."""

    def __init__(self):
        self.arrived, self._open, self._counting = threading.Semaphore(0), threading.Semaphore(0), threading.Lock()
        self.order, self._here, self.most = [], Counter(), {}

    def pass_through(self, who):
        with self._counting:
            self.order.append(who)
            self._here[who] += 1
            self.most[who] = max(self.most.get(who, 0), self._here[who])
        self.arrived.release()
        assert self._open.acquire(timeout=SECONDS)
        with self._counting:
            self._here[who] -= 1

    def wait_for(self, number=1):
        for _ in range(number):
            assert self.arrived.acquire(timeout=SECONDS)

    def let_through(self, number=1):
        self._open.release(number)


@pytest.fixture
def gate():
    return Gate()


@pytest.fixture
def app(make_app, install, gate):
    """Routes and pages that wait at the gate, fail, or answer in pieces; in a process of eight places."""

    def wait(ctx: Context) -> str:
        gate.pass_through(ctx.tenant_id)
        return "done"

    def fail(ctx: Context) -> str:
        raise RuntimeError("broken")

    def refuse(ctx: Context) -> str:
        raise Conflict("not now")

    def unencodable(ctx: Context) -> str:
        return object()

    def pieces(ctx: Context) -> Reply:
        return Reply(Reply.Pieces(iter([b"a", b"b"]), lambda: None), "text/plain", {"Content-Length": "2"})

    def broken_pieces(ctx: Context) -> Reply:
        def broken():
            yield b"a"
            raise RuntimeError("broken")

        return Reply(broken(), "text/plain")

    def header(ctx: Context) -> Reply:
        return Reply(b"a", "text/plain", {"X-Text": "\N{SNOWMAN}"})

    class Portal:
        def __init__(self, app):
            self.app = app

        def on_get(self, req, resp, id):
            for _ in range(2):  # only the first counts
                self.app.take_share(req, id)
            if req.params.get("fails"):
                raise RuntimeError("broken")
            gate.pass_through(id)
            resp.text = "done"

    handlers = (wait, fail, refuse, unencodable, pieces, broken_pieces, header)
    routes = tuple(Route("GET", f"/v1/{each.__name__}", each, scope=None) for each in handlers)
    install(Manifest(name="gates", routes=routes, pages=(("/portal/{id}", Portal),)))
    app = make_app("gates")
    app.shares.divide(8)
    return app


@pytest.fixture
def pool():
    with ThreadPoolExecutor(20) as pool:
        yield pool


def ask(pool, client, path="/v1/wait"):
    return pool.submit(lambda: client.key().call("GET", path).status_int)


def line_of(client):
    """Count the requests of a business at work, and those of it and of its sandbox that wait."""
    line = client.app.shares._queues.get(client.tenant_id)
    return (line.held, *(len(line.waiting[rank]) for rank in (shares.LIVE, shares.SANDBOX))) if line else (0, 0, 0)


def until(client, held, waiting=0, of_sandbox=0):
    while line_of(client) != (held, waiting, of_sandbox):
        pass


def test_a_business_has_a_quarter_of_the_places_and_others_have_theirs(app, pool, gate):
    noisy, quiet = Client(app), Client(app)
    asked = [ask(pool, noisy) for _ in range(5)]
    gate.wait_for(2)
    until(noisy, 2, 3)
    also = ask(pool, quiet)
    gate.wait_for()
    assert gate.order == [noisy.tenant_id, noisy.tenant_id, quiet.tenant_id]
    gate.let_through(6)
    assert {each.result(SECONDS) for each in (*asked, also)} == {200}
    assert len(gate.order) == 6 and gate.most == {noisy.tenant_id: 2, quiet.tenant_id: 1}
    assert app.shares._queues == {}


@pytest.mark.parametrize(("places", "most"), [(1, 1), (4, 1), (7, 1), (8, 2), (16, 4)])
def test_the_share_is_a_quarter_and_at_least_one(places, most):
    assert shares.Shares(places).most == most


def test_a_sandbox_shares_with_its_business_which_goes_first(app, pool, gate):
    live = Client(app)
    sandbox = live.sandbox()
    asked = [ask(pool, sandbox), ask(pool, sandbox)]
    gate.wait_for(2)
    asked.append(ask(pool, sandbox))
    until(live, 2, 0, 1)
    asked.append(ask(pool, live))
    until(live, 2, 1, 1)
    for _ in range(2):
        gate.let_through()
        gate.wait_for()
    gate.let_through(2)
    assert {each.result(SECONDS) for each in asked} == {200}
    assert gate.order == [sandbox.tenant_id, sandbox.tenant_id, live.tenant_id, sandbox.tenant_id]


def test_a_sandbox_request_that_is_under_way_waits_for_its_live_business():
    all_shares, order = shares.Shares(1), []
    ranks = {"sandbox": shares.SANDBOX, "live": shares.LIVE}
    began = {name: shares.Share(all_shares, "a", rank) for name, rank in ranks.items()}
    for share in began.values():  # each begins, and waits for its client
        assert share.begin()
        share.pause()
    holder = shares.Share(all_shares, "a", shares.LIVE)
    assert holder.begin()
    lines = all_shares._queues["a"].waiting

    def resume(name):
        began[name].resume()
        order.append(name)
        began[name].leave()

    def wait():
        new.wait()
        order.append("new live")
        new.leave()

    new = shares.Share(all_shares, "a", shares.LIVE)
    threads = [threading.Thread(target=resume, args=["sandbox"])]
    threads[0].start()
    while sum(map(len, lines)) < 1:
        pass
    assert not new.begin()
    threads += [threading.Thread(target=wait), threading.Thread(target=resume, args=["live"])]
    for thread in threads[1:]:
        thread.start()
    while sum(map(len, lines)) < 3:
        pass
    holder.leave()
    for thread in threads:
        thread.join(SECONDS)
    assert order == ["live", "new live", "sandbox"]
    assert all_shares._queues == {}


def test_who_finds_the_line_full_is_refused_at_once(app, pool, gate, monkeypatch):
    monkeypatch.setattr(shares, "MOST_WAITING", 1)
    noisy, quiet = Client(app), Client(app)
    asked = [ask(pool, noisy) for _ in range(3)]
    gate.wait_for(2)
    until(noisy, 2, 1)
    error = noisy.refused(429, "too_many_at_once", "GET", "/v1/wait")
    assert error["type"] == "rate_limit" and error["retry_after"] == 1
    assert noisy.last.headers["Retry-After"] == "1"
    assert noisy.last.headers["X-RateLimit-Limit"] == "100000" and "X-RateLimit-Reset" in noisy.last.headers
    quiet.call("GET", "/v1/pieces", None, 200)
    gate.let_through(3)
    assert {each.result(SECONDS) for each in asked} == {200}
    noisy.call("GET", "/v1/pieces", None, 200)


def test_a_live_business_is_not_refused_because_its_sandbox_waits(app, pool, gate, monkeypatch):
    monkeypatch.setattr(shares, "MOST_WAITING", 1)
    live = Client(app)
    sandbox = live.sandbox()
    asked = [ask(pool, sandbox) for _ in range(3)]
    gate.wait_for(2)
    until(live, 2, 0, 1)
    sandbox.refused(429, "too_many_at_once", "GET", "/v1/wait")
    asked.append(ask(pool, live))
    until(live, 2, 1, 1)
    gate.let_through(4)
    assert {each.result(SECONDS) for each in asked} == {200}


def test_nobody_waits_for_long(app, pool, gate, monkeypatch):
    monkeypatch.setattr(shares, "WAIT_SECONDS", 0.01)
    client = Client(app)
    asked = [ask(pool, client) for _ in range(2)]
    gate.wait_for(2)
    client.refused(429, "too_many_at_once", "GET", "/v1/wait")
    assert line_of(client) == (2, 0, 0)
    gate.let_through(2)
    assert {each.result(SECONDS) for each in asked} == {200}
    assert app.shares._queues == {}


def test_who_gives_up_as_its_turn_comes_hands_it_on(monkeypatch):
    """The part is handed over between the end of the wait and its leaving the line."""
    all_shares = shares.Shares(1)
    first, second = (shares.Share(all_shares, "a", shares.LIVE) for _ in range(2))
    assert first.begin() and not second.begin()
    monkeypatch.setattr(shares, "WAIT_SECONDS", 0)
    withdraw = all_shares.withdraw
    monkeypatch.setattr(all_shares, "withdraw", lambda *given: (first.leave(), withdraw(*given))[1])
    second.wait()
    assert all_shares._queues["a"].held == 1
    second.leave()
    assert all_shares._queues == {}


@pytest.mark.parametrize(
    ("path", "status"),
    [("fail", 500), ("refuse", 409), ("unencodable", 500), ("header", 500), ("nowhere", 404), ("pieces", 200)],
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_however_a_request_ends_its_share_is_free_again(app, method, path, status):
    Client(app).call(method, f"/v1/{path}", None, status)
    assert app.shares._queues == {}


def test_a_body_of_pieces_holds_its_share_until_it_is_sent_or_let_go(app):
    client = Client(app)

    def begin(path):
        given = create_environ(path, headers=client.headers)
        return app.wsgi(given, lambda *_: None)

    body = begin("/v1/pieces")
    assert line_of(client) == (1, 0, 0)
    assert b"".join(body) == b"ab"
    body.close()
    assert line_of(client) == (0, 0, 0)
    gone = begin("/v1/pieces")
    gone.close()  # the client has gone
    assert line_of(client) == (0, 0, 0)
    broken = begin("/v1/broken_pieces")
    with pytest.raises(RuntimeError):
        b"".join(broken)
    assert line_of(client) == (1, 0, 0)
    broken.close()
    assert app.shares._queues == {}


def test_who_is_refused_before_that_takes_no_part(app, pool, gate, monkeypatch):
    """Without a key, with one that is revoked, and beyond a limit: nobody waits in the business's line."""
    monkeypatch.setattr(shares, "MOST_WAITING", 0)
    client = Client(app)
    hasty = client.key(per_second=1)
    hasty.call("GET", "/v1/pieces", None, 200)
    asked = [ask(pool, client) for _ in range(2)]
    gate.wait_for(2)
    hasty.refused(429, "rate_limited", "GET", "/v1/wait")
    client.refused(401, "invalid_api_key", "GET", "/v1/wait", headers={"Authorization": "Bearer svc_live_x"})
    client.call("GET", "/v1/openapi.json", None, 200, headers={"Authorization": ""})
    client.call("GET", "/-/health", None, 200)
    client.call("GET", "/-/ready", None, 200)
    gate.let_through(2)
    assert {each.result(SECONDS) for each in asked} == {200}


def test_pages_and_keys_share_the_same(app, pool, gate, monkeypatch):
    monkeypatch.setattr(shares, "MOST_WAITING", 0)
    client = Client(app)
    page = f"/portal/{client.tenant_id}"
    asked = [ask(pool, client, page), ask(pool, client)]
    gate.wait_for(2)
    client.refused(429, "too_many_at_once", "GET", "/v1/pieces")
    assert client.call("GET", page).status_int == 429
    gate.let_through(2)
    assert {each.result(SECONDS) for each in asked} == {200}
    client.call("GET", f"{page}?fails=1", None, 500)
    assert app.shares._queues == {}


@pytest.fixture
def writes(make_app, install, gate):
    """A client of routes whose writes wait at the gate, as they prepare and then in their transaction, or fail."""

    def prepare(ctx: Context, body: NewNote) -> None:
        gate.pass_through("prepares")

    def write(ctx: Context, body: NewNote) -> str:
        gate.pass_through("writes")
        return "done"

    def fail(ctx: Context, body: NewNote) -> str:
        raise RuntimeError("broken")

    def several(ctx: Context, body: NewNote) -> str:
        gate.pass_through("several")
        return "done"

    routes = (
        Route("POST", "/v1/writes", write, scope=None, prepare=prepare),
        Route("POST", "/v1/failures", fail, scope=None),
        Route("POST", "/v1/several", several, scope=None, own_transactions=lambda body: True),
    )
    install(Manifest(name="gates", routes=routes))
    app = make_app("gates")
    app.shares.divide(8)
    return Client(app)


@pytest.fixture
def queued(writes, monkeypatch):
    """Count the writes that are about to wait until they may compute; none of them gives up."""
    counted, compute_alone = threading.Semaphore(0), writes.app.shares.compute_alone
    monkeypatch.setattr(shares, "_MOST_ALONE_SECONDS", SECONDS)
    monkeypatch.setattr(writes.app.shares, "compute_alone", lambda of: (counted.release(), compute_alone(of))[1])
    return counted


def post(pool, client, path="/v1/writes", body=()):
    return pool.submit(lambda: client.call("POST", path, {"text": "a", **dict(body)}).status_int)


def test_on_sqlite_a_business_computes_one_write_at_a_time(writes, queued, pool, gate):
    second, other = writes.key(), Client(writes.app)  # a new key is a write, too
    asked = [post(pool, writes)]
    gate.wait_for()
    gate.let_through()
    gate.wait_for()
    asked.append(post(pool, second))
    if not writes.app.db.is_sqlite:  # where the first holds up nobody
        gate.wait_for()
        assert gate.order == ["prepares", "writes", "prepares"]
        gate.let_through(3)
        assert {each.result(SECONDS) for each in asked} == {200}
        return
    for _ in asked:
        assert queued.acquire(timeout=SECONDS)
    also = post(pool, other)
    gate.wait_for()
    assert gate.order == ["prepares", "writes", "prepares"] and not asked[1].done()
    gate.let_through(5)
    assert {each.result(SECONDS) for each in (*asked, also)} == {200}
    assert len(gate.order) == 6


def test_no_write_waits_long_for_another_that_computes(writes, pool, gate, monkeypatch):
    monkeypatch.setattr(shares, "_MOST_ALONE_SECONDS", 0)
    asked = [post(pool, client) for client in (writes, writes.key())]
    gate.wait_for(2)
    assert gate.order == ["prepares"] * 2
    gate.let_through(4)
    assert {each.result(SECONDS) for each in asked} == {200}


@pytest.mark.parametrize(
    ("path", "body", "status"), [("failures", {}, 500), ("writes", {"text": 1}, 422), ("several", {}, 200)]
)
def test_however_a_write_ends_the_next_one_computes(writes, queued, pool, gate, path, body, status):
    asked = post(pool, writes.key(), "/v1/several")  # keeps the business's line, and lets others compute
    gate.wait_for()
    ended = post(pool, writes, f"/v1/{path}", body)
    if path == "several":
        gate.wait_for()
        gate.let_through(2)
    assert ended.result(SECONDS) == status
    if path != "several":
        assert not writes.app.shares._queues[writes.tenant_id].computes.locked()
        gate.let_through()
    assert asked.result(SECONDS) == 200
    assert writes.app.shares._queues == {}


def test_a_business_is_looked_up_once(app):
    live = Client(app)
    sandbox = live.sandbox()
    for _ in range(2):
        assert {app.tenants.business_of(app.db, each.tenant_id) for each in (live, sandbox)} == {live.tenant_id}
    app.tenants.business_of(None, sandbox.tenant_id)
    assert app.tenants.business_of(app.db, "ten_nobody") == "ten_nobody"
