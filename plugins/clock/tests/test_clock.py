"""The clock of a sandbox: what follows it, and what does not; an advance, whatever happens meanwhile."""

import re
from datetime import UTC, date, datetime, timedelta
from itertools import count
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa

from billycan import Context, Every, Manifest, own
from billycan.fields import Moment
from billycan.testing import Client, counted, run_timed
from billycan.working.alone import Alone
from billycan.working.worker import tasks, tick
from billycan_clock import walking
from billycan_clock.tables import clocks
from billycan_users.testing import Browser
from billycan_webhooks.tables import endpoints

SYDNEY = ZoneInfo("Australia/Sydney")
PLUGINS = (
    *("bookings", "clock", "contacts", "documents", "expenses", "hosted", "invoices", "mail", "quotes"),
    *("recurring", "reminders", "reports", "staff", "webhooks"),
)


def advance(client, to, status=202):
    return client.post("/v1/clock/advance", {"to": to.isoformat()}, status=status)["data"]


def begin_business(client):
    """Set up what a year makes something of."""
    settings = [{"from": "2026-07-01", "registered": True, "basis": "accrual", "period": "quarter"}]
    client.patch("/v1/tenant", {"gst_settings": settings, "default_payment_terms_days": 5})
    client.patch("/v1/reminders", {"enabled": True, "rules": client.get("/v1/reminders")["data"]["rules"]})
    contact = client.post("/v1/contacts", {"name": "Ada Baker", "email": "ada@example.com"})["data"]["id"]
    lines = [{"description": "Mowing", "unit_price": "80.00"}]
    # In this year never on one day: which of two is made first is anybody's guess, and they take numbers.
    for frequency, start_on, then in (("fortnight", "2026-11-23", "send"), ("month", "2026-11-28", "draft")):
        rule = {"client_id": contact, "frequency": frequency, "start_on": start_on, "then": then}
        client.post("/v1/recurring_invoices", {**rule, "line_items": lines})
    quote = client.post("/v1/quotes", {"client_id": contact, "expiry_date": "2026-12-05", "line_items": lines})["data"]
    client.post(f"/v1/quotes/{quote['id']}/send", status=200)
    return contact


def history(client, contact):
    """Return all that happened, without ids, times to the minute."""

    def plain(value):
        if isinstance(value, dict):
            return {
                k: plain(v) for k, v in value.items() if not (k in ("id", "actor", "hosted_url") or k.endswith("_id"))
            }
        if isinstance(value, list):
            return [plain(one) for one in value]
        if isinstance(value, str) and value[10:11] == "T":
            return value[:16]
        return re.sub(r"https?://\S+", "a link", value) if isinstance(value, str) else value

    def all_of(kind):
        path, found = f"/v1/{kind}?sort=created_at&per_page=100", []
        while path:
            page = client.get(path)
            found += page["data"]
            cursor = page["pagination"]["next_cursor"]
            path = cursor and f"/v1/{kind}?sort=created_at&per_page=100&cursor={cursor}"
        return found

    kinds = ("invoices", "quotes", "recurring_invoices", "sent_reminders", "emails", "events")
    found = {kind: [plain(one) for one in all_of(kind)] for kind in kinds}
    found["events"] = [event for event in found["events"] if event["event"] != "clock.advanced"]
    quarters = (("2026-10-01", "2026-12-31"), ("2027-01-01", "2027-03-31"), ("2027-07-01", "2027-09-30"))
    found["gst"] = [plain(client.get(f"/v1/reports/gst?from={first}&to={last}")["data"]) for first, last in quarters]
    return found


@pytest.mark.parametrize("days", [21, pytest.param(368, marks=[pytest.mark.long, pytest.mark.sqlite_alone])])
def test_time_that_the_clock_advances_equals_time_lived_day_by_day(make_app, clock, days):
    app = make_app(*PLUGINS, events_days=1_000)  # old events are forgotten by the real time
    clients = [Client(app, profile={"timezone": "Australia/Sydney"}) for _ in range(2)]
    advanced, lived = (client.sandbox() for client in clients)
    contacts = {client: begin_business(client) for client in (advanced, lived)}
    began = clock.time
    advanced.post("/v1/clock", {}, status=201)
    end = (began.astimezone(SYDNEY) + timedelta(days=days)).replace(hour=12, minute=0, second=0, microsecond=0)
    assert advance(advanced, end)["progress"] == 0
    run_timed(app)
    found = advanced.get("/v1/clock")["data"]
    assert (found["done"], found["progress"]) == (True, 100)
    assert found["now"][:16] == end.astimezone(UTC).isoformat()[:16]
    of_advanced = history(advanced, contacts[advanced])

    assert advanced.delete("/v1/clock", status=200)
    clock.time, day = began, began.astimezone(SYDNEY).date()
    while day <= end.date():
        for hour in (0, 9):
            moment = datetime(day.year, day.month, day.day, hour, tzinfo=SYDNEY).astimezone(UTC)
            if began < moment <= end:
                clock.time = moment
                run_timed(app)
        day += timedelta(days=1)
    clock.time = end.astimezone(UTC)
    of_lived = history(lived, contacts[lived])
    assert {kind: len(found) for kind, found in of_advanced.items()} == {k: len(v) for k, v in of_lived.items()}
    for kind in of_lived:
        for one, other in zip(of_advanced[kind], of_lived[kind], strict=True):
            assert one == other
    assert len(of_lived["invoices"]) == (3 if days == 21 else 39)
    assert {"invoice.overdue", "invoice.due_soon", "quote.expiring"} <= {one["event"] for one in of_lived["events"]}


@pytest.fixture
def sandbox(make_app):
    return Client(make_app("clock", "contacts", "documents", "hosted", "invoices")).sandbox()


def in_days(clock, days, **hours):
    return clock.time + timedelta(days=days, **hours)


def draft(client):
    contact = client.post("/v1/contacts", {"name": "Ada Baker"})["data"]["id"]
    lines = [{"description": "Work", "unit_price": "100.00"}]
    return client.post("/v1/invoices", {"client_id": contact, "line_items": lines})["data"]


def test_a_clock_that_is_set_runs_on_and_nobody_elses(sandbox, clock):
    app, other = sandbox.app, Client(sandbox.app).sandbox()
    live = Client(app)
    set_to = in_days(clock, 30)
    made = sandbox.post("/v1/clock", {"now": set_to.isoformat()})["data"]
    assert (made["now"][:16], made["done"], made["progress"]) == ("2026-12-21T00:00", True, 100)
    clock.move(hours=3)
    invoice = draft(sandbox)
    assert (invoice["issue_date"], invoice["due_date"]) == ("2026-12-21", "2027-01-04")
    assert invoice["created_at"][:13] == "2026-12-21T03"
    events = sandbox.get("/v1/events?sort=created_at")["data"]
    assert next(one["event"] for one in events) == "clock.advanced"
    assert {one["created_at"][:10] for one in events} == {"2026-12-21"}
    for client in (other, live):
        assert draft(client)["issue_date"] == "2026-11-21"
    sandbox.post(f"/v1/invoices/{invoice['id']}/send", status=200)
    clock.move(days=15)
    run_timed(app)
    assert "invoice.overdue" in sandbox.events()
    sandbox.delete("/v1/clock")
    assert draft(sandbox)["issue_date"] == "2026-12-06"
    assert sandbox.refused(404, "resource_not_found", "GET", "/v1/clock")


def test_what_a_clock_refuses(sandbox, clock):
    live = Client(sandbox.app)
    for method, path, body in (
        ("GET", "/v1/clock", None),
        ("POST", "/v1/clock", {}),
        ("POST", "/v1/clock/advance", {"to": in_days(clock, 1).isoformat()}),
        ("DELETE", "/v1/clock", None),
    ):
        assert "svc_test_" in live.refused(403, "sandbox_only", method, path, body)["message"]
    sandbox.refused(404, "resource_not_found", "POST", "/v1/clock/advance", {"to": in_days(clock, 1).isoformat()})
    sandbox.refused(404, "resource_not_found", "DELETE", "/v1/clock")
    for days in (-1, 732):
        sandbox.refused(422, "validation_failed", "POST", "/v1/clock", {"now": in_days(clock, days).isoformat()})
    sandbox.post("/v1/clock", {"now": in_days(clock, 10).isoformat()})
    sandbox.refused(409, "clock_is_set", "POST", "/v1/clock", {})
    for days in (9, 732):
        told = sandbox.refused(
            422, "validation_failed", "POST", "/v1/clock/advance", {"to": in_days(clock, days).isoformat()}
        )
        assert told["param"] == "to"
    sandbox.key("clock:read").refused(403, "insufficient_scope", "DELETE", "/v1/clock")


def test_an_advance_is_made_once_by_one_request_and_ends_with_its_clock(sandbox, clock):
    sandbox.post("/v1/clock", {})
    to = {"to": in_days(clock, 40).isoformat()}
    first = sandbox.post("/v1/clock/advance", to, status=202, Idempotency_Key="a year on")["data"]
    sandbox.refused(409, "clock_advancing", "POST", "/v1/clock/advance", to)
    run_timed(sandbox.app)
    assert sandbox.get("/v1/clock")["data"]["done"]
    # The answer is found again, though a month has passed for the business since.
    again = sandbox.post("/v1/clock/advance", to, status=202, Idempotency_Key="a year on")["data"]
    assert again == first
    assert sandbox.events() == ["clock.advanced"]
    told = sandbox.get("/v1/events")["data"][0]
    assert told["created_at"] == first["advanced_to"] == told["data"]["advanced_to"]

    sandbox.post("/v1/clock/advance", {"to": in_days(clock, 80).isoformat()}, status=202)
    sandbox.delete("/v1/clock")
    run_timed(sandbox.app)
    assert sandbox.events() == ["clock.advanced"]
    sandbox.post("/v1/clock", {})


def test_of_advances_at_once_one_begins(sandbox, clock):
    sandbox.post("/v1/clock", {})
    to = {"to": in_days(clock, 2).isoformat()}
    answers = sandbox.race(*[("POST", "/v1/clock/advance", to)] * 4)
    assert sorted(answer.status_int for answer in answers) == [202, 409, 409, 409]
    answers = sandbox.race(*[("DELETE", "/v1/clock")] * 4)
    assert sorted(answer.status_int for answer in answers) == [200, 404, 404, 404]
    answers = sandbox.race(*[("POST", "/v1/clock", {})] * 4)
    assert sorted(answer.status_int for answer in answers) == [201, 409, 409, 409]


def test_keys_and_their_end_go_by_the_real_time(sandbox, clock):
    app = sandbox.app
    with app.db.writing() as db:
        ends = Moment.of(in_days(clock, 3))
        _, secret = app.keys.create(db, sandbox.tenant_id, ["read"], app.now(), expires_at=ends)
    sandbox.post("/v1/clock", {"now": in_days(clock, 400).isoformat()})
    client = sandbox.key()
    client.headers = {"Authorization": f"Bearer {secret}"}
    client.get("/v1/contacts")
    clock.move(days=4)
    client.get("/v1/contacts", status=401)
    sandbox.get("/v1/contacts")


def test_who_is_killed_is_followed_by_another(sandbox, clock, monkeypatch):
    """A worker dies after it moved the clock and before it did what is due there; another goes on."""
    invoice = draft(sandbox)
    sandbox.post(f"/v1/invoices/{invoice['id']}/send", status=200)
    sandbox.post("/v1/clock", {})
    advance(sandbox, in_days(clock, 40))

    class Killed(BaseException):
        pass

    killed, work = [], Alone.work

    def dies(self, now):
        if now > in_days(clock, 10) and not killed:
            killed.append(now)
            raise Killed
        return work(self, now)

    monkeypatch.setattr(Alone, "work", dies)
    with pytest.raises(Killed):
        run_timed(sandbox.app)
    halfway = sandbox.get("/v1/clock")["data"]
    assert not halfway["done"] and 0 < halfway["progress"] < 100
    assert draft(sandbox)["created_at"] == halfway["now"]  # requests are answered at the time that it has reached
    walking._walks.clear()
    run_timed(sandbox.app)
    assert sandbox.get("/v1/clock")["data"]["done"]
    events = sandbox.events()
    assert events.count("invoice.due_soon") == events.count("invoice.overdue") == events.count("clock.advanced") == 1


def test_a_clock_does_not_move_while_a_write_is_under_way(sandbox, clock):
    """Otherwise what the write creates would be passed over: it is of a time whose work is done."""
    sandbox.post("/v1/clock", {})
    before = Context(sandbox.app, sandbox.tenant_id)
    with sandbox.app.db.reading(sandbox.tenant_id) as before.db:
        assert before.now()
    ctx = Context(sandbox.app, sandbox.tenant_id)
    with ctx.transaction():
        assert ctx.now() >= clock.time - timedelta(seconds=1)
        if ctx.db.dialect.name == "sqlite":  # which has one writer
            return
        with pytest.raises(sa.exc.OperationalError, match="lock timeout"), sandbox.app.db.writing(ctx.tenant_id) as db:
            db.execute(sa.text("SET LOCAL lock_timeout = '50ms'"))
            db.execute(sa.update(clocks).where(own(ctx, clocks)).values(at=clock.time))
    sandbox.delete("/v1/clock")


def test_work_that_is_due_at_any_minute_is_done_at_that_minute(make_app, install, clock):
    """A plugin that knows nothing of clocks is found out to the minute, and what it leaves undone holds nothing up."""
    told, left, c = [], [], endpoints.c
    then = Moment(2026, 11, 24, 4, 37, tzinfo=UTC)

    def due(app, now):
        return sa.select(c.tenant_id, c.id).where(sa.literal(now >= then + timedelta(days=len(told))))

    def early(app, now):
        return sa.select(c.tenant_id, c.id)

    def tell(ctx, id):
        told.append(ctx.now())

    def leave(ctx, id):
        left.append(ctx.now())

    tasks = (Every(seconds=60, due=due, run=tell), Every(seconds=60, due=early, run=leave))
    install(Manifest(name="calls", tasks=tasks))
    sandbox = Client(make_app("calls", "clock", "webhooks")).sandbox()
    sandbox.post("/v1/webhook_endpoints", {"url": "https://example.com/hook", "events": ["*"]})
    sandbox.post("/v1/clock", {})
    advance(sandbox, in_days(clock, 5))
    run_timed(sandbox.app)
    assert told == [then, then + timedelta(days=1)]
    assert left[0].date() == date(2026, 11, 21) and left[-1].date() == date(2026, 11, 26) and len(left) < 10


def test_a_day_on_which_nothing_is_due_takes_one_statement(sandbox, clock):
    sandbox.post(f"/v1/invoices/{draft(sandbox)['id']}/send", status=200)
    sandbox.post("/v1/clock", {})
    advance(sandbox, in_days(clock, 20))
    run_timed(sandbox.app)
    assert "invoice.overdue" in sandbox.events()
    advance(sandbox, in_days(clock, 220))
    with counted(sandbox.app) as sent:
        run_timed(sandbox.app)
    assert sandbox.get("/v1/clock")["data"]["done"]
    assert 200 <= sum("EXISTS" in text and "invoices" in text for text in sent) < 230


def test_pages_of_a_sandbox_say_what_its_clock_says(make_app, clock):
    client = Client(make_app("clock", "contacts", "dashboard", "users"))
    client.sandbox().post("/v1/clock", {"now": "2027-03-01T09:30:00+11:00"})
    browser = Browser(client.app).join(client)
    assert "clock says" not in browser.get("/dashboard").text
    browser.send("/dashboard/switch", button="environment=sandbox")
    assert "Its clock says 1 Mar 2027, 9:30 am." in browser.get("/dashboard").text


def test_an_advance_takes_turns_with_other_businesses(sandbox, clock, monkeypatch):
    app, other = sandbox.app, Client(sandbox.app)
    monkeypatch.setattr(walking, "TURN_SECONDS", 0.0)
    for client in (sandbox, other):
        client.post(f"/v1/invoices/{draft(client)['id']}/send", status=200)
    clock.move(days=20)
    sandbox.post("/v1/clock", {})
    advance(sandbox, in_days(clock, 300))
    with app.db.writing() as db:
        db.execute(sa.delete(tasks))
    seconds = count()
    tick(app, clock=lambda: float(next(seconds)))  # each turn is over after its first step
    assert "invoice.overdue" in other.events()
    pauses = [0.0]
    while not sandbox.get("/v1/clock")["data"]["done"]:
        pauses.append(tick(app, clock=lambda: float(next(seconds))))
    assert len(pauses) > 10 and not any(pauses[:-1])  # what is left over is gone on with at once
    assert "invoice.overdue" in sandbox.events()
