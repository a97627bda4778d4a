"""A race finds rules over several rows that no lock guards, and requests that wait for each other for ever."""

from threading import Barrier
from typing import Annotated

import pytest
import sqlalchemy as sa

from billycan import Context, Invalid, Manifest, NewResource, Page, Query, Records, Resource, Route, new_table, own
from billycan.fields import Whole
from billycan.testing import Client

MOST = 10
table = new_table("loads", sa.Column("weight", sa.Integer, nullable=False), of="resource")


class NewLoad(NewResource, kw_only=True):
    """A load."""

    weight: Annotated[int, Whole()]


class Load(Resource):
    """A load."""

    weight: int


class Loads:
    """A plugin whose loads together weigh 10 at most; where it does not guard that, requests are made to meet."""

    def __init__(self, guards):
        self.guards, self.meet = guards, Barrier(2)
        self.records = Records(table, Load, prefix="loa")
        self.manifest = Manifest(
            name="loads",
            routes=(
                Route("GET", "/v1/loads", self.lists(), scope="loads:read"),
                Route("POST", "/v1/loads", self.creates(), scope="loads:write", status=201),
            ),
        )

    def lists(self):
        def list_loads(ctx: Context, query: Query) -> Page[Load]:
            """All loads."""
            return self.records.page(ctx, query)

        return list_loads

    def creates(self):
        def create_load(ctx: Context, body: NewLoad) -> Load:
            """Add a load."""
            if self.guards:
                ctx.take_turns()
            total = ctx.db.execute(sa.select(sa.func.sum(table.c.weight)).where(own(ctx, table))).scalar() or 0
            if not self.guards and not ctx.app.db.is_sqlite:
                self.meet.wait(30)
            if total + body.weight > MOST:
                raise Invalid.member("weight", "out_of_range", "is too much")
            return self.records.add(ctx, body)

        return create_load


@pytest.fixture
def client(make_app, install, request):
    loads = Loads(request.param)
    install(loads.manifest)
    app = make_app("loads", walled=False)
    with app.db.writing() as db:
        table.create(db, checkfirst=True)
    return Client(app)


def total(client):
    return sum(load["weight"] for load in client.get("/v1/loads")["data"])


@pytest.mark.parametrize("client", [True], indirect=True)
def test_who_takes_turns_keeps_the_rule(client):
    answers = client.race(*[("POST", "/v1/loads", {"weight": 4})] * 8)
    assert sorted(answer.status_int for answer in answers) == [201] * 2 + [422] * 6
    assert total(client) == 8


@pytest.mark.parametrize("client", [False], indirect=True)
def test_who_does_not_breaks_it_where_others_write_meanwhile(client):
    client.race(*[("POST", "/v1/loads", {"weight": 8})] * 2)
    assert total(client) == (8 if client.app.db.is_sqlite else 16)


@pytest.mark.parametrize("client", [True], indirect=True)
def test_the_responses_come_in_the_order_of_the_calls(client):
    weights = [2, 9, 3, 11, 1, 12, 0, 10, 20, 30, 0]
    calls = [("POST", "/v1/loads", {"weight": weight}) for weight in weights]
    for weight, answer in zip(weights, client.race(*calls), strict=True):
        assert answer.status_int == 422 or answer.json["data"]["weight"] == weight


@pytest.mark.parametrize("client", [True], indirect=True)
def test_a_call_that_fails_fails_the_test_and_not_only_its_thread(client, monkeypatch):
    monkeypatch.setattr(Records, "add", lambda *_: 1 / 0)
    with pytest.raises(AssertionError, match="POST /v1/loads: 500"):
        client.race(*[("POST", "/v1/loads", {"weight": 1})] * 2)


def test_changes_of_the_profile_at_once_lose_nothing(make_app):
    client = Client(make_app())
    members = {"legal_name": "Ada Pty Ltd", "phone": "03 5550 0134", "email": "ada@example.com"}
    members |= {"default_payment_terms_days": 7, "amounts_are": "inclusive", "timezone": "Australia/Perth"}
    answers = client.race(*[("PATCH", "/v1/tenant", {name: value}, 200) for name, value in members.items()])
    first = min(each.json["data"]["version"] for each in answers)
    assert sorted(each.json["data"]["version"] for each in answers) == [*range(first, first + len(members))]
    profile = client.get("/v1/tenant")["data"]
    assert members.items() <= profile.items()
    one = {"If-Match": f'"{profile["version"]}"'}
    calls = [("PATCH", "/v1/tenant", {"name": f"Ada {i}"}, None, one) for i in range(6)]
    assert sorted(each.status_int for each in client.race(*calls)) == [200, *[412] * 5]
