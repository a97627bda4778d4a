"""Several hosts that share a Redis: they refuse as one host would, and serve without Redis."""

import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from billycan import Limit
from billycan.sharing.limits import Limiter
from billycan.testing import Client
from billycan_redis_limits.plugin import startup
from billycan_redis_limits.store import Store

pytestmark = pytest.mark.either

NOW = 1_795_219_200.0


@pytest.fixture
def hosts(make_app, redis_server):
    """Two hosts of one deployment, and a client of each with the same key."""
    url = redis_server.url
    first = Client(make_app("redis_limits", redis_limits={"url": url}), per_minute=5, per_second=3)
    other = make_app("redis_limits", redis_limits={"url": url})
    second = Client(other, first.tenant_id)
    second.headers = first.headers
    return first, second


def test_two_hosts_allow_what_one_would(hosts, clock):
    first, second = hosts
    answers = []
    for number in range(8):
        clock.move(seconds=0.5)
        answers.append((first, second)[number % 2].call("GET", "/v1/me"))
    assert [a.status_int for a in answers] == [200] * 5 + [429] * 3
    assert [int(a.headers["X-RateLimit-Remaining"]) for a in answers] == [4, 3, 2, 1, 0, 0, 0, 0]
    refused = answers[-1]
    assert refused.json["error"]["limit"] == "minute" and int(refused.headers["Retry-After"]) in (56, 57)
    clock.move(seconds=57)
    assert second.get("/v1/me")


def test_addresses_are_counted_together_too(make_app, redis_server):
    apps = [make_app("redis_limits", redis_limits={"url": redis_server.url}, per_minute=2) for _ in range(2)]
    statuses = []
    for app in (*apps, *apps):
        anonymous = Client(app)
        statuses.append(anonymous.call("GET", "/v1/me", headers={"Authorization": ""}).status_int)
    assert statuses == [401, 401, 429, 429]


def test_hosted_pages_are_counted_together_and_apart_from_calls(make_app, redis_server):
    redis_server.ask("FLUSHALL")
    plugins = ("redis_limits", "contacts", "documents", "hosted", "invoices")
    hosts = [make_app(*plugins, redis_limits={"url": redis_server.url}) for _ in range(2)]
    found = [Client(hosts[n % 2]).web.get("/i/token", status="*").status_int for n in range(21)]
    assert found == [404] * 20 + [429]
    assert Client(hosts[0]).call("GET", "/v1/me", headers={"Authorization": ""}).status_int == 401


def test_each_kind_of_limit_is_counted_in_redis(make_app, redis_server):
    redis_server.ask("FLUSHALL")
    plugins = ("redis_limits", "contacts", "documents", "hosted", "invoices")
    client = Client(make_app(*plugins, redis_limits={"url": redis_server.url}))
    counted = ("key:" + client.key_id, *(f"{kind}:{client.tenant_id}" for kind in ("business", "visitors")))
    names = [f"billycan:{name}" for name in (*counted, "address:api unknown", "address:hosted unknown")]

    def counts():
        return [int(redis_server.ask(f'ZCARD "{name}"')[1:]) for name in names]

    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    line = {"description": "Work", "quantity": 1, "unit_price": 100}
    made = client.post("/v1/invoices", {"client_id": contact, "line_items": [line]})["data"]
    sent = client.post(f"/v1/invoices/{made['id']}/send", {}, 200)["data"]
    assert counts() == [3, 3, 0, 0, 0]
    client.call("GET", "/v1/me", headers={"Authorization": ""}, status=401)
    client.web.get(sent["hosted_url"].removeprefix(client.app.public_url), status=200)
    assert counts() == [3, 3, 1, 1, 1]


def test_an_ipv6_address_is_counted_by_its_64(make_app, redis_server):
    redis_server.ask("FLUSHALL")
    web = Client(make_app("redis_limits", redis_limits={"url": redis_server.url}, per_minute=2)).web
    addresses = [{"REMOTE_ADDR": f"2001:db8:0:{n // 3}::{n}"} for n in range(4)]
    assert [web.get("/v1/me", extra_environ=a, status="*").status_int for a in addresses] == [401, 401, 429, 401]


def test_hosts_whose_clocks_differ_allow_what_one_would(make_app, redis_server):
    hosts = []
    for minutes in (0, 2, -3):
        app = make_app("redis_limits", redis_limits={"url": redis_server.url, "timeout_seconds": 5.0})
        app.is_clock_given, app.clock = False, lambda by=timedelta(minutes=minutes): datetime.now(UTC) + by
        startup(app)
        hosts.append(Client(app, hosts[0].tenant_id if hosts else "", per_minute=60, per_second=60))
        hosts[-1].headers = hosts[0].headers
    answers = [hosts[n % 3].call("GET", "/v1/me") for n in range(100)]
    assert [a.status_int for a in answers] == [200] * 60 + [429] * 40
    for refused in answers[60:]:
        assert 1 <= int(refused.headers["Retry-After"]) <= 60
        assert 0 <= int(refused.headers["X-RateLimit-Reset"]) - time.time() < 61, "the time by Redis"


def test_without_redis_each_host_counts_by_itself(hosts, redis_server, clock, caplog):
    first, second = hosts
    assert first.get("/v1/me") and second.get("/v1/me")
    redis_server.stop()
    statuses = [client.call("GET", "/v1/me").status_int for client in (first, first, first, first, second)]
    assert statuses == [200, 200, 200, 429, 200]
    assert caplog.text.count("Redis cannot be reached") == 2  # once a host
    redis_server.start()
    clock.move(seconds=2)
    assert first.call("GET", "/v1/me", status=200).headers["X-RateLimit-Remaining"] == "4"


steps = st.lists(st.tuples(st.sampled_from([0.0, 0.001, 0.3, 1.0, 19.9, 60.0]), st.integers(1, 6), st.integers(1, 4)))


@given(steps)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_it_answers_as_core_does(redis_server, tmp_path_factory, steps):
    limiter = Limiter(tmp_path_factory.mktemp("limits"))
    store = Store(redis_server.url, 5, is_clock_given=True)
    redis_server.ask("FLUSHALL")
    now = NOW
    for wait, per_minute, per_second in steps:
        now += wait
        expected = limiter.take("key:a", per_minute, per_second, now)
        assert store.take_each(now, Limit("key:a", per_minute, per_second)) == expected
        both = Limit("key:a", per_minute, per_second), Limit("business:b", 5, per_minute)
        assert store.take_each(now, *both) == limiter.take_each(now, *both)
        several = [Limit(each.name, each.per_minute, 1, min(per_minute, per_second, 5)) for each in both]
        assert store.take_each(now, *several) == limiter.take_each(now, *several)
