"""Less work while others wait to write: rows are inserted in groups, and a profile that is known is not read again."""

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from billycan import Context, Json, fields, new_id
from billycan.events import events
from billycan.fields import is_id
from billycan.sql import Statement
from billycan.testing import Client

pytestmark = pytest.mark.either

INSERT = Statement.Insertion(events, events.c.keys())
_AS_PYTHON_READS = str.maketrans(fields._ALPHABET, "0123456789abcdefghijklmnopqrstuv")


@given(st.integers(0, 3000), st.integers(-2, 2), st.booleans())
def test_ids_grow_and_none_is_given_twice(count, of_next_pair, is_clock_behind):
    with pytest.MonkeyPatch.context() as patched:
        # All but the last character is about to change.
        ahead = 1 << 121 if is_clock_behind else 0
        patched.setattr(fields, "_last", (fields._last + ahead | 1023) + of_next_pair)
        ids = [new_id("lin") for _ in range(count + 2)]
        patched.undo()
    assert ids == sorted({*ids})
    assert all(is_id(id, "lin") and len(id) == 30 for id in ids)
    if is_clock_behind:
        values = [int(id[4:].translate(_AS_PYTHON_READS), 32) for id in ids]
        assert values == [*range(values[0], values[0] + len(ids))]


@pytest.mark.parametrize("count", [0, 1, 4, 5, 14, 50, 67])
@pytest.mark.each_case
def test_any_number_of_rows_is_inserted_whole(make_app, count):
    client = Client(make_app())
    ctx = Context(client.app, client.tenant_id)
    rows = [
        {
            "id": new_id("evt"),
            "sequence": 9 - i,
            "event": f"it's {i}",
            "created_at": ctx.now(),
            "data": "{}",
            "actor": None,
            "behalf": {"app_id": f"app's {i}"} if i % 2 else None,
        }
        for i in range(count)
    ]
    for half in (rows[::2], rows[1::2]):
        with ctx.transaction():
            if half is rows:
                INSERT.run(ctx.db, ctx.tenant_id, half)
            else:
                converted, parameters = INSERT.converted(client.app.db.writer, ctx.tenant_id, half)
                returned = converted.all(ctx.db, parameters)
                # On PostgreSQL a 1 for each row, with which a cluster takes rows that come from no table.
                assert returned == ([] if client.app.db.is_sqlite else [(1,)] * len(half))
    stored = sa.select(events).where(events.c.tenant_id == client.tenant_id).order_by(events.c.sequence.desc())
    with client.app.db.reading(client.tenant_id) as db:
        assert [{**row._mapping} for row in db.execute(stored)] == [{"tenant_id": client.tenant_id, **r} for r in rows]


@pytest.mark.parametrize("count", [1, 5, 60])
@pytest.mark.each_case
def test_rows_of_another_business_are_refused_however_many(make_app, count):
    client = Client(make_app())
    other, ctx = Client(client.app), Context(client.app, client.tenant_id)
    row = {"sequence": 1, "event": "a", "created_at": ctx.now(), "data": "{}", "actor": None, "behalf": None}
    rows = [{**row, "id": new_id("evt"), "sequence": i} for i in range(count)]
    with pytest.raises(RuntimeError, match="another tenant"), ctx.transaction():
        INSERT.run(ctx.db, other.tenant_id, rows)
    assert not other.get("/v1/events")["data"]


def test_what_is_worked_out_ahead_is_used_once_and_only_of_equal_values(make_app):
    ctx, done = Context(make_app(), "ten_1"), []

    def work(value):
        return lambda: done.append(value) or [value]

    ctx.prepare(lambda: (ctx.ahead("a", [1], work(1)), ctx.ahead("b", [2], work(2))))
    assert ctx.ahead("a", [1], work("again")) == [1] and ctx.ahead("a", [1], work("twice")) == ["twice"]
    assert ctx.ahead("b", [3], work("other")) == ["other"] and done == [1, 2, "twice", "other"]
    assert not hasattr(ctx, "db") and ctx.writes


def test_a_write_sees_each_change_of_the_profile_at_once(make_app, clock):
    client = Client(make_app())
    app = client.app

    def of_write():
        ctx = Context(app, client.tenant_id)
        with ctx.transaction():
            return ctx.tenant

    client.get("/v1/tenant")  # known from here on
    for name in ("Ada", "Bob"):
        client.patch("/v1/tenant", {"name": name})
        assert of_write().name == name
        client.get("/v1/tenant")
    with pytest.raises(ZeroDivisionError), (ctx := Context(app, client.tenant_id)).transaction():
        table = sa.table("core_tenants", sa.column("id"), sa.column("version"), sa.column("profile", Json))
        other = {"version": table.c.version + 1, "profile": {"name": "Cy"}}
        ctx.db.execute(sa.update(table).where(table.c.id == client.tenant_id).values(**other))
        assert ctx.tenant.name == "Cy"
        raise ZeroDivisionError
    client.patch("/v1/tenant", {"name": "Dee"})  # the same version as that which was undone
    assert of_write().name == "Dee"


def test_a_known_profile_is_that_of_today(make_app, clock):
    client = Client(make_app())
    today = Context(client.app, client.tenant_id).now().date()
    tomorrow = today.replace(year=today.year + 1)
    settings = [{"from": "2020-01-01", "registered": False}, {"from": str(tomorrow), "registered": True}]
    client.patch("/v1/tenant", {"gst_settings": settings})
    assert client.get("/v1/tenant")["data"]["gst_registered"] is False
    clock.move(days=367)
    ctx = Context(client.app, client.tenant_id)
    with ctx.transaction():
        assert ctx.tenant.gst_registered is True


def test_a_profile_that_changed_elsewhere_is_known_again_after_one_write(make_app):
    client = Client(make_app())
    other = make_app(database=client.app.db.url.render_as_string(hide_password=False))
    client.get("/v1/tenant")
    Client(other, client.tenant_id).patch("/v1/tenant", {"name": "Ada"})
    seen = []
    for _ in range(2):
        ctx = Context(client.app, client.tenant_id)
        ctx.prepare(lambda ctx=ctx: seen.append(ctx.tenant.name))
        with ctx.transaction():
            seen.append(ctx.tenant.name)
    assert seen[1:] == ["Ada"] * 3
