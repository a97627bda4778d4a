"""A business has a ceiling over all of its keys, which the operator alone changes."""

import pytest
import sqlalchemy as sa

from billycan.keys import MOST_ENDED, MOST_KEYS, keys
from billycan.problems import Conflict
from billycan.tenants import ceilings, clear_ceiling, set_ceiling, tenants
from billycan.testing import Client

pytestmark = pytest.mark.sqlite_alone


def window(client: Client) -> tuple[int, int]:
    headers = client.last.headers
    return int(headers["X-RateLimit-Limit"]), int(headers["X-RateLimit-Remaining"])


def test_a_business_has_one_ceiling_over_all_of_its_keys(make_app):
    app = make_app("contacts", business_per_minute=5, business_per_second=5)
    first = Client(app)
    second, neighbour = first.key(), Client(app)
    for client in (first, second, first, second, first):
        client.get("/v1/contacts")
    error = second.refused(429, "rate_limited", "GET", "/v1/contacts")
    assert (error["limit"], window(second)) == ("minute", (5, 0))
    first.refused(429, "rate_limited", "POST", "/v1/contacts", {"name": "Ada"})
    neighbour.get("/v1/contacts")


def test_a_request_that_the_business_may_not_make_costs_its_key_nothing(make_app):
    app = make_app("contacts", business_per_minute=2)
    client = Client(app, per_minute=10)
    client.get("/v1/contacts")
    client.get("/v1/contacts")
    for _ in range(3):
        client.refused(429, "rate_limited", "GET", "/v1/contacts")
    with app.db.writing() as db:
        set_ceiling(db, client.tenant_id, 100, 100)
    app.epoch.bump()
    client.get("/v1/contacts")
    assert window(client) == (10, 7)


def test_a_request_that_its_key_may_not_make_costs_the_business_nothing(make_app):
    app = make_app("contacts", business_per_minute=4)
    limited = Client(app, per_minute=1)
    limited.get("/v1/contacts")
    for _ in range(3):
        limited.refused(429, "rate_limited", "GET", "/v1/contacts")
    other = limited.key()
    for _ in range(3):
        other.get("/v1/contacts")
    other.refused(429, "rate_limited", "GET", "/v1/contacts")


def test_the_headers_describe_whichever_window_is_nearest_to_refusing(make_app):
    client = Client(make_app("contacts", business_per_minute=3), per_minute=100)
    client.get("/v1/contacts")
    assert window(client) == (3, 2)
    narrow = client.key(per_minute=1)
    narrow.get("/v1/contacts")
    assert window(narrow) == (1, 0)


def test_a_sandbox_is_counted_with_its_business(make_app):
    app = make_app("contacts", business_per_minute=1)
    client = Client(app)
    sandbox, neighbour = client.sandbox(), Client(app)
    client.get("/v1/contacts")
    sandbox.refused(429, "rate_limited", "GET", "/v1/contacts")
    neighbour.sandbox().get("/v1/contacts")
    neighbour.refused(429, "rate_limited", "GET", "/v1/contacts")
    with app.db.writing() as db:
        set_ceiling(db, client.tenant_id, 2, 2)
    app.epoch.bump()
    sandbox.get("/v1/contacts")
    client.refused(429, "rate_limited", "GET", "/v1/contacts")


def test_the_limits_that_a_key_is_told_are_those_that_refuse(make_app):
    app = make_app("contacts", per_minute=10, per_second=5, business_per_minute=30, business_per_second=60)
    told = {}
    for given in (7, 100_000):
        client = Client(app, per_minute=given, per_second=given)
        told[given] = client.get("/v1/me")["data"]["limits"]
        assert window(client)[0] == told[given]["per_minute"]
    assert told == {7: {"per_minute": 7, "per_second": 7}, 100_000: {"per_minute": 30, "per_second": 50}}


def test_the_operator_gives_one_business_another_ceiling_and_takes_it_away(make_app):
    app = make_app("contacts", business_per_minute=1)
    client, neighbour = Client(app), Client(app)

    def change(*, to: int | None) -> None:
        with app.db.writing() as db:
            set_ceiling(db, client.tenant_id, to, to) if to else clear_ceiling(db, client.tenant_id)
        app.epoch.bump()

    change(to=3)
    for _ in range(3):
        client.get("/v1/contacts")
    client.refused(429, "rate_limited", "GET", "/v1/contacts")
    neighbour.get("/v1/contacts")
    neighbour.refused(429, "rate_limited", "GET", "/v1/contacts")
    change(to=4)
    client.get("/v1/contacts")
    change(to=None)
    client.refused(429, "rate_limited", "GET", "/v1/contacts")
    with app.db.reading(across="a test") as db:
        assert not db.execute(sa.select(ceilings).where(ceilings.c.tenant_id == client.tenant_id)).all()


def test_a_key_has_at_most_ten_times_the_limits_of_the_deployment(make_app):
    client = Client(make_app("contacts", per_minute=2, per_second=2), per_minute=100_000)
    for _ in range(20):
        client.get("/v1/contacts")
    assert window(client) == (20, 0)
    client.refused(429, "rate_limited", "GET", "/v1/contacts")


def test_a_business_has_at_most_two_hundred_keys_that_work(make_app):
    client = Client(make_app("contacts"))
    app, tenant_id = client.app, client.tenant_id
    with app.db.writing(across="a test") as db:
        made = [app.keys.create(db, tenant_id, ["read"], app.now())[0] for _ in range(MOST_KEYS - 1)]
        with pytest.raises(Conflict, match="at most 200 keys"):
            app.keys.create(db, tenant_id, ["read"], app.now())
        with pytest.raises(Conflict, match="at most 200 keys"):
            app.keys.create(db, _paired(db, tenant_id), ["read"], app.now())
        app.keys.revoke(db, made[0], app.now())
        app.keys.create(db, _paired(db, tenant_id), ["read"], app.now())
        with pytest.raises(Conflict, match="at most 200 keys"):
            app.keys.create(db, tenant_id, ["read"], app.now())


@pytest.mark.parametrize("ends_by", ["revoking", "expiry"])
def test_only_the_newest_ended_keys_of_a_business_are_kept(make_app, monkeypatch, ends_by):
    assert MOST_ENDED == 1_000
    monkeypatch.setattr("billycan.businesses.MOST_ENDED", 3)
    client = Client(make_app("contacts"))
    app, tenant_id = client.app, client.tenant_id
    now = app.now()
    with app.db.writing(across="a test") as db:
        for _ in range(6):
            id, _ = app.keys.create(db, tenant_id, ["read"], now, expires_at=now if ends_by == "expiry" else None)
            if ends_by == "revoking":
                app.keys.revoke(db, id, now)
        app.keys.create(db, tenant_id, ["read"], now)
        of = sa.select(sa.func.count()).where(keys.c.tenant_id == tenant_id)
        ended = keys.c.revoked_at.is_not(None) | keys.c.expires_at.is_not(None)
        assert db.execute(of.where(ended)).scalar_one() == 3
        assert db.execute(of.where(~ended)).scalar_one() == 2
    client.get("/v1/contacts")


def _paired(db: sa.Connection, tenant_id: str) -> str:
    """The sandbox of a business."""
    return db.execute(sa.select(tenants.c.paired_id).where(tenants.c.id == tenant_id)).scalar_one()
