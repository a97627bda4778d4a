import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from decimal import Decimal
from threading import Barrier

import pytest
import sqlalchemy as sa
import webtest

from billycan import Context, unit_of_work
from billycan.testing import Client
from billycan_quotes.handlers import expire_quotes, with_expired_quotes
from billycan_quotes.tables import quotes

D = Decimal
ALL = ("contacts", "gst", "hosted", "invoices", "quotes")


@pytest.fixture
def app(make_app):
    return make_app(*ALL)


@pytest.fixture
def client(app):
    return Client(app, profile={"timezone": "Australia/Hobart"})


def new(client, **members):
    contact = client.post("/v1/contacts", {"name": "Ada Lovelace", "abn": "91888222000"})["data"]
    lines = [
        {"description": "Hot water unit", "unit_price": "1240.00"},
        {"description": "Fitting", "quantity": "2.5", "unit": "hour", "unit_price": "98.00", "discount_percent": 10},
    ]
    return client.post("/v1/quotes", {"client_id": contact["id"], "line_items": lines, **members})["data"]


def act(client, quote, action, body=None, status=200):
    answer = client.post(f"/v1/quotes/{quote['id']}/{action}", body, status)
    return answer["data"] if status < 300 else answer["error"]


def sent(client, **members):
    return act(client, new(client, **members), "send")


def page_of(app, quote):
    return webtest.TestApp(app.wsgi).get(quote["hosted_url"].removeprefix(app.public_url), status="*")


def run_expiry(app):
    with app.db.reading() as db:
        due = list(with_expired_quotes(db, app.now()))
    for tenant_id in due:
        ctx = Context(app, tenant_id)
        with unit_of_work(ctx):
            expire_quotes(ctx)


def test_defaults_and_figures(client):
    quote = new(client)
    assert (quote["number"], quote["status"], quote["revision"]) == ("QUO-0001", "draft", 1)
    assert (quote["issue_date"], quote["expiry_date"]) == ("2026-11-21", "2026-12-21")
    assert (quote["subtotal"], quote["gst"], quote["total"]) == (D("1460.50"), D("146.05"), D("1606.55"))
    assert quote["discount_total"] == D("24.50") and quote["hosted_url"] is None
    assert quote["allowed_actions"] == ["send", "cancel"]


TRANSITIONS = {
    "draft": {"send": "sent", "cancel": "cancelled"},
    "sent": {"accept": "accepted", "decline": "declined", "revise": "draft", "cancel": "cancelled"},
    "accepted": {"convert": "invoiced"},
    "declined": {"send": "sent"},
    "expired": {"send": "sent"},
    "cancelled": {},
    "invoiced": {},
}
BODIES = {"accept": {"name": "Ada"}, "convert": {"to": "invoice"}, "send": {"expiry_date": "2027-06-30"}}


def reach(client, clock, status):
    quote = new(client)
    steps = {"draft": [], "cancelled": ["cancel"], "expired": ["send"], "invoiced": ["send", "accept", "convert"]}
    steps |= {"sent": ["send"], "accepted": ["send", "accept"], "declined": ["send", "decline"]}
    for action in steps[status]:
        act(
            client, quote, action, BODIES.get(action) if action != "send" else None, 201 if action == "convert" else 200
        )
    if status == "expired":
        clock.move(days=31)
    return client.get(f"/v1/quotes/{quote['id']}")["data"]


@pytest.mark.parametrize("status", TRANSITIONS)
@pytest.mark.parametrize("action", ["send", "accept", "decline", "revise", "cancel", "convert"])
def test_every_transition(client, clock, status, action):
    quote = reach(client, clock, status)
    assert quote["status"] == status
    assert set(quote["allowed_actions"]) == set(TRANSITIONS[status])
    path = f"/v1/quotes/{quote['id']}"
    if to := TRANSITIONS[status].get(action):
        client.post(f"{path}/{action}", BODIES.get(action), 201 if action == "convert" else 200)
        assert client.get(path)["data"]["status"] == to
    else:
        error = client.post(f"{path}/{action}", BODIES.get(action), 409)["error"]
        assert (error["code"], error["status"]) == ("invalid_state_transition", status)
        assert error["allowed_actions"] == quote["allowed_actions"]
        assert client.get(path)["data"] == quote


def test_a_sent_quote_is_locked_but_for_what_it_does_not_say(client):
    quote = sent(client)
    path = f"/v1/quotes/{quote['id']}"
    assert client.patch(path, {"reference": "PO 7", "metadata": {"a": "b"}})["data"]["reference"] == "PO 7"
    error = client.patch(path, {"title": "Dearer", "line_items": []}, 422)["error"]
    assert error["details"][0]["param"] == "line_items"
    error = client.patch(path, {"title": "Dearer"}, 409)["error"]
    assert (error["code"], error["param"]) == ("document_locked", "title")
    assert client.delete(path, 409)["error"]["code"] == "document_locked"


def test_the_clients_name_is_frozen_until_it_is_revised(client):
    quote = sent(client)
    client.patch(f"/v1/contacts/{quote['client_id']}", {"name": "Countess"})
    path = f"/v1/quotes/{quote['id']}"
    assert client.get(path)["data"]["client"]["name"] == "Ada Lovelace"
    assert act(client, quote, "revise")["client"]["name"] == "Countess"


def test_it_expires_at_the_end_of_its_day_in_the_businesss_zone(client, clock):
    quote = sent(client, expiry_date="2026-11-30")
    path = f"/v1/quotes/{quote['id']}"
    clock.time = datetime(2026, 11, 30, 12, 59, tzinfo=UTC)  # 23:59 in Hobart
    assert client.get(path)["data"]["status"] == "sent"
    clock.move(minutes=2)
    assert client.get(path)["data"]["status"] == "expired"
    assert [q["id"] for q in client.get("/v1/quotes?status=expired")["data"]] == [quote["id"]]
    assert client.get("/v1/quotes?status=sent")["data"] == []
    assert act(client, quote, "accept", {"name": "Ada"}, 409)["status"] == "expired"


def test_expiry_happens_once_whoever_notices_it(app, client, clock):
    quote = sent(client, expiry_date="2026-11-30")
    clock.move(days=12)
    run_expiry(app)
    run_expiry(app)
    assert client.events().count("quote.expired") == 1
    assert act(client, quote, "send", {}, 422)["details"][0]["param"] == "expiry_date"
    assert act(client, quote, "send", {"expiry_date": "2026-11-01"}, 422)["details"][0]["code"] == "out_of_range"
    assert act(client, quote, "send", {"expiry_date": "2026-12-31"})["status"] == "sent"
    clock.move(days=60)
    act(client, quote, "send", {"expiry_date": "2027-12-31"})
    assert client.events().count("quote.expired") == 2


def test_it_becomes_an_invoice_to_the_cent(client):
    quote = new(client, amounts_are="inclusive", gst_rounding="per_line", discount_amount="33.33", terms="14 days")
    act(client, quote, "send")
    act(client, quote, "accept", {"name": "Ada", "email": "ada@example.com"})
    invoice = client.post(f"/v1/quotes/{quote['id']}/convert", {"to": "invoice"})["data"]
    assert client.last.headers["Location"].endswith(f"/v1/invoices/{invoice['id']}")
    same = ("amounts_are", "gst_rounding", "subtotal", "discount_total", "gst", "total", "gst_breakdown", "terms")
    assert {name: invoice[name] for name in same} == {name: quote[name] for name in same}
    plain = [{k: v for k, v in line.items() if k != "id"} for line in quote["line_items"]]
    assert [{k: v for k, v in line.items() if k != "id"} for line in invoice["line_items"]] == plain
    quote = client.get(f"/v1/quotes/{quote['id']}")["data"]
    assert (quote["status"], quote["invoice_id"], invoice["quote_id"]) == ("invoiced", invoice["id"], quote["id"])
    assert client.events()[-2:] == ["invoice.created", "quote.converted"]


def test_converting_needs_its_target(make_app):
    client = Client(make_app("contacts", "gst", "hosted", "quotes"))
    quote = sent(client)
    assert act(client, quote, "accept", {"name": "Ada"})["allowed_actions"] == []
    client.post(f"/v1/quotes/{quote['id']}/convert", {"to": "invoice"}, 404)
    assert client.last.json["error"]["code"] == "route_not_found"


def test_only_one_target_is_on(client):
    quote = sent(client)
    act(client, quote, "accept", {"name": "Ada"})
    if "jobs" not in client.app.manifests:
        assert act(client, quote, "convert", {"to": "job"}, 422)["details"][0]["param"] == "to"


def test_links_are_for_writers_and_never_in_events(client):
    quote = sent(client)
    assert quote["hosted_url"].startswith("http://127.0.0.1:8000/q/")
    assert client.key("read").get(f"/v1/quotes/{quote['id']}")["data"]["hosted_url"] is None
    assert "hosted_url" not in client.get("/v1/events")["data"][0]["data"]


def test_the_page_shows_the_quote_and_changes_nothing(app, client):
    quote = sent(client, title="New hot water", terms="Half up front", expiry_date="2026-12-05")
    before = client.get(f"/v1/quotes/{quote['id']}")["data"]
    page = page_of(app, quote)
    assert page.status_int == 200
    for text in ("QUO-0001", "Ada Lovelace", "$1,606.55", "Half up front", "5 December 2026", "47 555 222 000"):
        assert text in page.text, text
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert (page.headers["Referrer-Policy"], page.headers["Cache-Control"]) == ("no-referrer", "no-store")
    assert "<script" not in page.text
    assert client.get(f"/v1/quotes/{quote['id']}")["data"] == before


def test_what_clients_wrote_is_only_text(app, client):
    quote = sent(client, title="<b>bold</b>", notes="<script>alert(1)</script>")
    text = page_of(app, quote).text
    assert "&lt;script&gt;" in text and "<script>" not in text and "<b>bold" not in text


def test_the_client_accepts_on_the_page_once(app, client):
    quote = sent(client)
    form = page_of(app, quote).forms[0]
    form["name"] = "Ada Lovelace"
    form["email"] = "not an address"
    refused = form.submit(status=422)
    assert "email address" in refused.text and "Please tick" in refused.text and "Ada Lovelace" in refused.text
    assert client.get(f"/v1/quotes/{quote['id']}")["data"]["status"] == "sent"
    form["email"], form["terms"] = "ada@example.com", True
    done = form.submit(status=303).follow()
    assert "Accepted. Thank you!" in done.text and not done.forms
    form.submit(status=303)  # pressed twice
    quote = client.get(f"/v1/quotes/{quote['id']}")["data"]
    assert quote["accepted_by"] == {"name": "Ada Lovelace", "email": "ada@example.com"}
    assert client.events().count("quote.accepted") == 1


def test_the_client_declines_on_the_page(app, client):
    quote = sent(client)
    form = page_of(app, quote).forms[1]
    form["reason"] = "Too dear"
    assert "You declined" in form.submit(status=303).follow().text
    assert client.get(f"/v1/quotes/{quote['id']}")["data"]["decline_reason"] == "Too dear"


@pytest.mark.parametrize(("action", "says"), [("revise", "superseded"), ("cancel", "withdrawn")])
def test_links_are_revoked(app, client, action, says):
    quote = sent(client)
    act(client, quote, action)
    page = page_of(app, quote)
    assert page.status_int == 410 and says in page.text


def test_expired_pages_say_so_and_links_end(app, client, clock):
    quote = sent(client, expiry_date="2026-11-30")
    clock.move(days=15)
    page = page_of(app, quote)
    assert "has expired" in page.text and not page.forms
    clock.move(days=100)
    assert page_of(app, quote).status_int == 404


@pytest.mark.parametrize(
    "change", [lambda t: t[:-1], lambda t: t + "x", lambda t: "nonsense", str.swapcase], ids="abcd"
)
def test_forged_links_open_nothing(app, client, change):
    quote = sent(client)
    start, token = re.match(r"(.*/q/)(.*)", quote["hosted_url"]).groups()
    page = page_of(app, {"hosted_url": start + change(token)})
    assert page.status_int == 404 and "This link does not work" in page.text


def test_other_sites_cannot_post_to_the_page(app, client):
    quote = sent(client)
    web = webtest.TestApp(app.wsgi)
    path = quote["hosted_url"].removeprefix(app.public_url)
    web.post(path, {"name": "x", "terms": "yes"}, {"Sec-Fetch-Site": "cross-site"}, status=405)
    assert client.get(f"/v1/quotes/{quote['id']}")["data"]["status"] == "sent"


def test_search_finds_by_client_title_and_number(client):
    quote = new(client, title="Kitchen tap")
    for text in ("kitchen", "QUO-0001", "lovelace"):
        assert [q["id"] for q in client.get(f"/v1/quotes?search={text}")["data"]] == [quote["id"]]
    assert client.get("/v1/quotes?search=bathroom")["data"] == []


def test_an_invoice_made_from_a_quote_marks_it(client):
    quote = sent(client)
    act(client, quote, "accept", {"name": "Ada"})
    lines = [{"description": "Part", "unit_price": 1}]
    client.post("/v1/invoices", {"client_id": quote["client_id"], "line_items": lines, "quote_id": quote["id"]})
    assert client.get(f"/v1/quotes/{quote['id']}")["data"]["status"] == "invoiced"


def test_no_row_outlives_its_quote(app, client):
    quote = new(client)
    client.delete(f"/v1/quotes/{quote['id']}")
    with app.db.reading() as db:
        mine = quotes.c.tenant_id == client.tenant_id
        assert db.execute(sa.select(sa.func.count()).select_from(quotes).where(mine)).scalar() == 0
    assert new(client)["number"] == "QUO-0002"


def test_twenty_clients_accept_it_once(app, client):
    quote = sent(client)
    path = quote["hosted_url"].removeprefix(app.public_url)
    keys = [client.key() for _ in range(10)]
    start = Barrier(20)

    def by_api(key):
        start.wait()
        return key.call("POST", f"/v1/quotes/{quote['id']}/accept", {"name": "By API"}).status_int

    def by_page(_):
        start.wait()
        form = {"decision": "accept", "name": "By page", "terms": "yes"}
        return webtest.TestApp(app.wsgi).post(path, form, status="*").status_int

    with ThreadPoolExecutor(20) as pool:
        answers = [*(pool.submit(by_api, key) for key in keys), *(pool.submit(by_page, i) for i in range(10))]
        statuses = [answer.result() for answer in answers]
    assert sorted(set(statuses)) in ([200, 303, 409], [303, 409]) and statuses.count(200) <= 1
    assert statuses.count(303) == 10  # the page shows what became of it, whoever was first
    assert client.events().count("quote.accepted") == 1
