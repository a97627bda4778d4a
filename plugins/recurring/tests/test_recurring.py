"""Recurring invoices: the right dates, exactly one invoice for each, and the handling of failures."""

import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from itertools import chain, islice
from threading import Barrier, Thread
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from billycan import Context, Manifest
from billycan.fields import Moment
from billycan.testing import Client, run_timed
from billycan.working.worker import tick
from billycan_recurring.dates import DAYS, MONTHS, Series
from billycan_recurring.making import make_due_invoices

pytestmark = pytest.mark.either

PATH = "/v1/recurring_invoices"
LINES = [{"description": "Hosting", "unit_price": "45.00"}]
PLUGINS = ("contacts", "documents", "hosted", "invoices", "recurring")


def test_the_last_day_of_a_month_stays_the_last_day():
    dates = [*islice(Series("month", date(2027, 1, 31)).after(None), 5)]
    assert [str(day) for day in dates] == ["2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31"]
    leap = [*islice(Series("year", date(2028, 2, 29)).after(None), 5)]
    assert [str(day) for day in leap] == ["2028-02-29", "2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"]
    assert [*Series("quarter", date(2200, 11, 30)).after(None)] == [date(2200, 11, 30)]


@given(
    st.sampled_from([*DAYS, *MONTHS]),
    st.dates(date(2000, 1, 1), date(2199, 1, 1)),
    st.integers(0, 4000),
    st.tuples(st.integers(0, 500), st.integers(0, 300)),
)
def test_dates_follow_from_the_first_and_pauses_only_leave_some_out(frequency, start, days, pause):
    every = [*islice(Series(frequency, start).after(None), 60)]
    assert every[0] == start and every == sorted(set(every)) and every[-1] <= Moment.LAST_DATE
    for i, day in enumerate(every):
        if frequency in DAYS:
            assert (day - start).days == i * DAYS[frequency]
        else:
            months = (day.year - start.year) * 12 + day.month - start.month
            assert months == i * MONTHS[frequency]
            assert day.day == start.day or ((day + timedelta(1)).day == 1 and day.day < start.day)
    after = start + timedelta(days)
    rest = [*islice(Series(frequency, start).after(after), 5)]
    assert rest == [day for day in every if day > after][:5] or every[-1] <= after or len(rest) == 5
    since = start + timedelta(pause[0])
    until = since + timedelta(pause[1])
    kept = [day for day in every if not since <= day < until]
    paused = Series(frequency, start, every[-1], [(since, until)])
    assert [*paused.after(None)] == kept


@pytest.fixture
def app(make_app):
    return make_app(*PLUGINS)


def client_of(app, zone="Australia/Sydney"):
    client = Client(app, profile={"timezone": zone, "gst_registered": True, "abn": "47555222000"})
    client.contact = client.post("/v1/contacts", {"name": "Ada Baker", "payment_terms_days": 7})["data"]["id"]
    return client


def recur(client, **members):
    body = {"client_id": client.contact, "frequency": "month", "start_on": "2027-01-31", "line_items": LINES}
    return client.post(PATH, {**body, **members})["data"]


def dates_of(client):
    made = client.get("/v1/invoices?sort=number&per_page=100")["data"]
    return [invoice["issue_date"] for invoice in made]


def on(clock, app, day, hour=12):
    clock.time = datetime(day.year, day.month, day.day, hour, tzinfo=UTC)
    run_timed(app)


def test_an_invoice_is_made_on_each_date_and_never_twice(app, clock):
    client = client_of(app)
    extra = {"reference": "Hosting", "purchase_order": "PO-7", "notes": "Thank you", "metadata": {"plan": "small"}}
    id = recur(client, count=3, discount_percent="10", **extra)["id"]
    on(clock, app, date(2027, 1, 30), 12)  # 23:00 in Sydney
    assert dates_of(client) == []
    on(clock, app, date(2027, 1, 30), 13)
    run_timed(app)
    (invoice,) = client.get("/v1/invoices?include=line_items")["data"]
    assert (invoice["status"], invoice["issue_date"], invoice["due_date"]) == ("draft", "2027-01-31", "2027-02-07")
    assert {name: invoice[name] for name in extra} == extra and str(invoice["total"]) == "44.55"
    shown = client.get(f"{PATH}/{id}")["data"]
    assert (shown["next_on"], shown["invoices_made"], shown["last_invoice_id"]) == ("2027-02-28", 1, invoice["id"])
    client.delete(f"/v1/invoices/{invoice['id']}")
    on(clock, app, date(2027, 1, 29))  # the clock is moved back
    on(clock, app, date(2027, 6, 1))  # nobody looked for months
    assert dates_of(client) == ["2027-02-28", "2027-03-31"]
    shown = client.get(f"{PATH}/{id}")["data"]
    assert (shown["status"], shown["next_on"], shown["allowed_actions"]) == ("ended", None, [])
    assert client.events().count("recurring_invoice.ended") == 1
    assert client.refused(409, "has_dependents", "DELETE", f"{PATH}/{id}")["message"]


@pytest.mark.parametrize("sunday", [date(2027, 10, 3), date(2027, 4, 4)], ids=["begins", "ends"])
def test_at_midnight_where_the_business_is_on_the_days_when_clocks_change(app, clock, sunday):
    clients = {zone: client_of(app, f"Australia/{zone}") for zone in ("Sydney", "Adelaide", "Perth", "Lord_Howe")}
    days = [sunday + timedelta(i) for i in range(2)]
    for client in clients.values():
        for day in days:
            recur(client, start_on=str(day))
    midnights = {
        zone: [datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(f"Australia/{zone}")).timestamp() for day in days]
        for zone in clients
    }
    for time in sorted({*chain(*midnights.values())}):
        for early in (1, 0):
            clock.time = datetime.fromtimestamp(time - early, UTC)
            run_timed(app)
            for zone, client in clients.items():
                come = [str(day) for day, at in zip(days, midnights[zone], strict=True) if time - early >= at]
                assert dates_of(client) == come, zone
    for hours in (-26, 3, 23, 40):
        clock.move(hours=hours)
        run_timed(app)
    for client in clients.values():
        assert dates_of(client) == [str(day) for day in days]


def test_dates_in_the_past_are_made_up_for_a_few_at_a_time(app, clock):
    client = client_of(app)
    start, today = date(2026, 2, 7), date(2026, 11, 21)
    recur(client, frequency="week", start_on=str(start))
    wanted = [str(start + timedelta(7 * i)) for i in range((today - start).days // 7 + 1)]
    for turn in range(1, 5):
        on(clock, app, today)
        assert dates_of(client) == wanted[: 12 * turn]
    recur_body = {"client_id": client.contact, "frequency": "week", "start_on": "2025-11-01", "line_items": LINES}
    assert client.refused(422, "validation_failed", "POST", PATH, recur_body)["details"][0]["param"] == "start_on"


def test_what_is_to_be_sent_is_sent(app, clock):
    client = client_of(app, "Australia/Perth")
    recur(client, then="send", start_on="2026-12-01")
    on(clock, app, date(2026, 11, 30), 16)
    (invoice,) = client.get("/v1/invoices")["data"]
    assert (invoice["status"], invoice["document_title"], invoice["due_date"]) == ("sent", "Tax invoice", "2026-12-08")
    assert client.events()[-2:] == ["invoice.created", "invoice.sent"]
    assert client.refused(
        422, "validation_failed", "POST", PATH, {**BODY, "client_id": client.contact, "then": "email"}
    )


BODY = {"frequency": "month", "start_on": "2027-01-31", "line_items": LINES}


def test_dates_in_a_pause_are_skipped_and_those_before_it_are_not(app, clock):
    client = client_of(app)
    id = recur(client, frequency="week", start_on="2026-12-01", count=4)["id"]
    clock.time = datetime(2026, 12, 9, tzinfo=UTC)  # two dates have come, and no worker ran
    client.post(f"{PATH}/{id}/pause", status=200)
    run_timed(app)
    assert dates_of(client) == []
    clock.time = datetime(2026, 12, 23, tzinfo=UTC)
    run_timed(app)
    preview = client.get(f"{PATH}/{id}/preview")["data"]
    assert [each["issue_date"] for each in preview] == ["2026-12-01", "2026-12-08", "2026-12-29", "2027-01-05"]
    resumed = client.post(f"{PATH}/{id}/resume", status=200)["data"]
    assert (resumed["status"], resumed["next_on"]) == ("active", "2026-12-01")
    on(clock, app, date(2027, 2, 1))
    assert dates_of(client) == ["2026-12-01", "2026-12-08", "2026-12-29", "2027-01-05"]
    assert client.get(f"{PATH}/{id}")["data"]["status"] == "ended"
    other = recur(client, start_on="2027-02-28", end_on="2027-03-15")["id"]
    client.post(f"{PATH}/{other}/pause", status=200)
    clock.time = datetime(2027, 4, 1, tzinfo=UTC)
    assert client.post(f"{PATH}/{other}/resume", status=200)["data"]["status"] == "ended"
    client.refused(409, "invalid_state_transition", "POST", f"{PATH}/{other}/pause")
    client.refused(409, "document_locked", "PATCH", f"{PATH}/{other}", {"notes": "No more."})


@pytest.mark.sqlite_alone
def test_who_may_write_no_invoices_resumes_none(app):
    client = client_of(app)
    id = recur(client)["id"]
    client.post(f"{PATH}/{id}/pause", status=200)
    error = client.key("recurring:write").refused(403, "insufficient_scope", "POST", f"{PATH}/{id}/resume")
    assert error["required_scope"] == "invoices:write"
    client.key("recurring:write", "invoices:write").post(f"{PATH}/{id}/resume", status=200)


def test_a_page_that_would_be_too_large_is_refused_before_it_is_fetched(app):
    client = client_of(app)
    lines = [{"description": "x" * 3_900, "unit_price": 1} for _ in range(250)]
    made = [recur(client, line_items=lines)["id"] for _ in range(20)]
    tracemalloc.start()
    error = client.refused(400, "page_too_large", "GET", PATH)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert error["per_page"] == 8 and most < 8 << 20, "each has a MiB"
    assert len(client.get(f"{PATH}?fields=id,total")["data"]) == 20
    (last,) = client.get(f"{PATH}?per_page=1")["data"]
    assert last["id"] == made[-1] and last == client.get(f"{PATH}/{made[-1]}")["data"]


def test_a_change_makes_the_next_invoices_others_and_repeats_no_date(app, clock):
    client = client_of(app)
    made = recur(client, start_on="2026-12-01")
    id, line = made["id"], made["line_items"][0]["id"]
    on(clock, app, date(2026, 12, 2))
    change = {"frequency": "fortnight", "line_items": [{"id": line, "unit_price": "50.00"}], "then": "send"}
    changed = client.patch(f"{PATH}/{id}", change)["data"]
    assert (changed["next_on"], str(changed["total"])) == ("2026-12-15", "55.00")
    assert changed["line_items"][0]["description"] == "Hosting"
    assert client.patch(f"{PATH}/{id}", change)["data"]["version"] == changed["version"]
    on(clock, app, date(2026, 12, 16))
    assert dates_of(client) == ["2026-12-01", "2026-12-15"]
    for wrong, param in (
        ({"count": 2}, "count"),
        ({"end_on": "2026-12-20"}, "end_on"),
        ({"line_items": [{"id": "lin_" + "0" * 26, "unit_price": "1.00"}]}, "line_items[0].id"),
    ):
        found = client.refused(422, "validation_failed", "PATCH", f"{PATH}/{id}", wrong)
        assert found["details"][0]["param"] == param


def test_one_that_fails_says_why_once_and_goes_on_when_it_is_mended(app, clock):
    client, other = client_of(app), client_of(app)
    taxed = [{**LINES[0], "gst_code": "gst"}]
    id = recur(client, start_on="2026-12-01", frequency="week", line_items=taxed, then="send")["id"]
    recur(other, start_on="2026-12-08")
    client.patch("/v1/tenant", {"gst_registered": False})
    for day in (1, 2, 9):
        on(clock, app, date(2026, 12, day))
    assert dates_of(client) == [] and dates_of(other) == ["2026-12-08"]
    failed = client.get("/v1/events?event=recurring_invoice.failed")["data"]
    assert [event["data"]["failure"]["code"] for event in failed] == ["gst_not_registered"]
    shown = client.get(f"{PATH}/{id}")["data"]
    assert (shown["failure"]["date"], shown["next_on"]) == ("2026-12-01", "2026-12-01")
    assert "not registered for GST" in shown["failure"]["message"] and "invoice.created" not in client.events()
    clock.time = datetime(2026, 12, 9, 12, 5, tzinfo=UTC)
    client.patch(f"{PATH}/{id}", {"line_items": [{"id": shown["line_items"][0]["id"], "gst_code": "gst_free"}]})
    run_timed(app)
    assert dates_of(client) == ["2026-12-01", "2026-12-08"]
    assert client.get(f"{PATH}/{id}")["data"]["failure"] is None


def test_one_that_failed_while_the_clock_was_ahead_is_tried_as_soon_as_it_is_right(app, clock):
    client = client_of(app)
    recur(client, start_on="2026-12-01")
    client.post(f"/v1/contacts/{client.contact}/archive", status=200)
    on(clock, app, date(2027, 1, 1))
    client.post(f"/v1/contacts/{client.contact}/restore", status=200)
    on(clock, app, date(2026, 12, 2))
    assert dates_of(client) == ["2026-12-01"]


def test_an_archived_client_gets_no_invoice_until_it_is_restored(app, clock):
    client = client_of(app)
    id = recur(client, start_on="2026-12-01")["id"]
    client.post(f"/v1/contacts/{client.contact}/archive", status=200)
    on(clock, app, date(2026, 12, 2))
    assert client.get(f"{PATH}/{id}")["data"]["failure"]["code"] == "client_archived"
    client.refused(422, "client_archived", "POST", PATH, {**BODY, "client_id": client.contact})
    client.post(f"/v1/contacts/{client.contact}/restore", status=200)
    clock.move(minutes=59)
    run_timed(app)
    assert dates_of(client) == []
    clock.move(minutes=2)
    run_timed(app)
    assert dates_of(client) == ["2026-12-01"]
    client.refused(409, "has_dependents", "DELETE", f"/v1/contacts/{client.contact}")


def test_an_item_that_invoices_to_come_name_stays_until_there_are_none(make_app):
    client = client_of(make_app(*PLUGINS, "items"))
    item, other = [client.post("/v1/items", {"name": name, "unit_price": 45})["data"]["id"] for name in ("One", "Two")]
    made = recur(client, start_on="2027-12-01", line_items=[{"item_id": item}])
    refused = client.refused(409, "has_dependents", "DELETE", f"/v1/items/{item}")
    assert refused["dependents"] == {"recurring_invoices": 1} and "`active` to false" in refused["message"]
    hidden = client.key("items:write").refused(409, "has_dependents", "DELETE", f"/v1/items/{item}")
    assert hidden["dependents"] == {}
    client.delete(f"/v1/items/{other}")
    third, another = client.post("/v1/items", {"name": "Three", "unit_price": 45})["data"]["id"], recur(client)["id"]
    client.patch(f"{PATH}/{another}", {"line_items": [{"item_id": third}, {"item_id": item}, {"item_id": item}]})
    refused = client.refused(409, "has_dependents", "DELETE", f"/v1/items/{item}")
    assert refused["dependents"] == {"recurring_invoices": 2}
    client.patch(f"{PATH}/{another}", {"line_items": [{"item_id": item}]})
    client.delete(f"/v1/items/{third}")
    client.delete(f"{PATH}/{another}")
    client.post(f"{PATH}/{made['id']}/end", status=200)
    client.delete(f"/v1/items/{item}")
    assert client.get(f"{PATH}/{made['id']}")["data"]["line_items"][0]["item_id"] == item


def test_the_price_of_an_item_is_that_of_the_date(make_app, clock):
    app = make_app(*PLUGINS, "items")
    client = client_of(app)
    item = client.post("/v1/items", {"name": "Hosting", "unit_price": "45.00"})["data"]["id"]
    lines = [{"item_id": item}, {"item_id": item, "unit_price": "10.00"}]
    made = recur(client, start_on="2026-12-01", line_items=lines)
    assert [line["unit_price"] for line in made["line_items"]] == [None, 10] and str(made["total"]) == "60.50"
    client.patch(f"/v1/items/{item}", {"unit_price": "50.00"})
    on(clock, app, date(2026, 12, 2))
    (invoice,) = client.get("/v1/invoices?include=line_items")["data"]
    assert [line["unit_price"] for line in invoice["line_items"]] == [50, 10]
    assert str(client.get(f"{PATH}/{made['id']}")["data"]["total"]) == "66.00"


def test_what_is_to_be_emailed_is_sent_to_the_client(make_app, clock):
    app = make_app(*PLUGINS, "mail")
    client = client_of(app)
    id = recur(client, then="email", start_on="2026-12-01")["id"]
    client.patch(f"/v1/contacts/{client.contact}", {"email": "ada@example.com"})
    on(clock, app, date(2026, 12, 2))
    (invoice,) = client.get("/v1/invoices")["data"]
    (email,) = client.get("/v1/emails")["data"]
    assert (email["document_id"], email["recipients"][0]["address"]) == (invoice["id"], "ada@example.com")
    assert invoice["status"] == "sent" and client.get(f"{PATH}/{id}")["data"]["email_failure"] is None


def test_a_client_who_cannot_be_emailed_is_billed_and_the_business_is_told(make_app, clock):
    app = make_app(*PLUGINS, "mail")
    client = client_of(app)
    recur(client, then="email", start_on="2026-12-01", count=3)
    on(clock, app, date(2026, 12, 2))
    client.patch(f"/v1/contacts/{client.contact}", {"email": "ada@example.com"})
    blocked = client.post("/v1/suppressed_addresses", {"address": "ada@example.com"})["data"]
    on(clock, app, date(2027, 1, 2))
    (shown,) = client.get(PATH)["data"]
    invoices = client.get("/v1/invoices?sort=issue_date")["data"]
    assert [(i["number"], i["status"], i["issue_date"]) for i in invoices] == [
        ("INV-0001", "sent", "2026-12-01"),
        ("INV-0002", "sent", "2027-01-01"),
    ]
    assert client.get("/v1/emails")["data"] == [] and shown["failure"] is None and shown["next_on"] == "2027-02-01"
    told = [event["data"] for event in client.get("/v1/events?event=recurring_invoice.email_failed")["data"]]
    found = {data["last_invoice_id"]: data["email_failure"]["code"] for data in told}
    assert found == dict(zip((i["id"] for i in invoices), ("no_address", "address_suppressed"), strict=True))
    assert shown["email_failure"] in [data["email_failure"] for data in told]
    assert "/v1/suppressed_addresses" in shown["email_failure"]["message"]
    assert "recurring_invoice.failed" not in client.events()
    client.delete(f"/v1/suppressed_addresses/{blocked['id']}")
    on(clock, app, date(2027, 2, 2))
    (shown,) = client.get(PATH)["data"]
    assert (shown["status"], shown["email_failure"]) == ("ended", None) and len(client.get("/v1/emails")["data"]) == 1


def test_beyond_the_bound_of_a_day_an_invoice_waits_for_its_email(make_app, clock):
    app = make_app(*PLUGINS, "mail", fresh=True, mail={"per_day": 1})
    client = client_of(app)
    client.patch(f"/v1/contacts/{client.contact}", {"email": "ada@example.com"})
    recur(client, then="email", start_on="2026-12-01", frequency="week", count=2)
    on(clock, app, date(2026, 12, 9))
    (shown,) = client.get(PATH)["data"]
    assert (dates_of(client), shown["failure"]["code"]) == (["2026-12-01"], "too_many_emails")
    on(clock, app, date(2026, 12, 11))
    assert dates_of(client) == ["2026-12-01", "2026-12-08"] and len(client.get("/v1/emails")["data"]) == 2


@pytest.mark.both
def test_workers_at_once_make_one_invoice_a_date(app, clock):
    client = client_of(app)
    ids = [recur(client, start_on="2026-12-01", frequency="week")["id"] for _ in range(3)]
    clock.time = datetime(2026, 12, 10, tzinfo=UTC)
    barrier = Barrier(3)

    def work():
        barrier.wait()
        for id in ids:
            make_due_invoices(Context(app, client.tenant_id), id)

    threads = [Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(dates_of(client)) == ["2026-12-01"] * 3 + ["2026-12-08"] * 3


def test_each_invoice_is_a_transaction_of_its_own_and_one_that_falls_undoes_no_other(make_app, install, clock):
    seen, elsewhere = [], ThreadPoolExecutor(1)

    def on_event(ctx, event):
        if event.name == "invoice.sent":
            seen.append(elsewhere.submit(dates_of, client).result())  # another thread, as another request has
            if len(seen) == 3:
                raise OSError("the disk is full")

    install(Manifest(name="guest"), on_event=on_event)
    app = make_app(*PLUGINS, "guest", "mail", "pdf", fresh=True)
    client = client_of(app)
    client.patch(f"/v1/contacts/{client.contact}", {"email": "ada@example.com"})
    recur(client, start_on="2026-12-01", then="email", frequency="week")
    clock.time = datetime(2026, 12, 31, tzinfo=UTC)
    days = ["2026-12-01", "2026-12-08", "2026-12-15", "2026-12-22", "2026-12-29"]
    with pytest.raises(OSError, match="the disk is full"):
        run_timed(app)
    assert seen == [[], days[:1], days[:2]] and dates_of(client) == days[:2]
    clock.move(minutes=2)
    tick(app)
    assert dates_of(client) == days and [e["number"] for e in client.get("/v1/invoices?sort=number")["data"]] == [
        f"INV-000{i}" for i in range(1, 6)
    ]
    assert [email["attachment"]["size"] for email in client.get("/v1/emails")["data"]] == [None] * 5


def test_what_fails_before_the_commit_leaves_nothing(make_app, install, clock):
    falls = []

    def on_event(ctx, event):
        if event.name == "invoice.sent" and not falls:
            falls.append(event)
            raise OSError("the disk is full")

    install(Manifest(name="guest"), on_event=on_event)
    app = make_app(*PLUGINS, "guest", fresh=True)
    client = client_of(app)
    recur(client, start_on="2026-12-01", then="send")
    clock.time = datetime(2026, 12, 2, tzinfo=UTC)
    with pytest.raises(OSError, match="the disk is full"):
        run_timed(app)
    assert dates_of(client) == [] and "invoice.created" not in client.events()
    clock.move(minutes=2)
    tick(app)
    (invoice,) = client.get("/v1/invoices")["data"]
    assert (invoice["status"], invoice["number"]) == ("sent", "INV-0001")
