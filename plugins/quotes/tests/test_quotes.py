"""Quotes as the contract defines them, in every member and state, through the API and the client's page."""

import io
import re
from datetime import UTC, datetime
from decimal import Decimal

import pytest
import sqlalchemy as sa
import webtest

from billycan.testing import Client, run_timed
from billycan_quotes.documents import records
from billycan_quotes.tables import quotes

pytestmark = pytest.mark.either

D = Decimal
ALL = ("contacts", "documents", "hosted", "invoices", "quotes")


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


def test_defaults_and_figures(client):
    quote = new(client)
    assert (quote["number"], quote["status"], quote["revision"]) == ("QUO-0001", "draft", 1)
    assert (quote["issue_date"], quote["expiry_date"]) == ("2026-11-21", "2026-12-21")
    assert (quote["subtotal"], quote["gst"], quote["total"]) == (D("1460.50"), D("146.05"), D("1606.55"))
    assert quote["discount_total"] == D("24.50") and quote["hosted_url"] is None
    assert quote["allowed_actions"] == ["send", "cancel"]


def test_a_sent_quote_is_locked_but_for_what_it_does_not_say(client):
    quote = sent(client)
    path = f"/v1/quotes/{quote['id']}"
    assert client.patch(path, {"reference": "PO 7", "metadata": {"a": "b"}})["data"]["reference"] == "PO 7"
    error = client.patch(path, {"title": "Dearer", "line_items": []}, 422)["error"]
    assert error["details"][0]["param"] == "line_items"
    error = client.patch(path, {"title": "Dearer"}, 409)["error"]
    assert (error["code"], error["param"]) == ("document_locked", "title")
    for change, param in (
        ({"line_items": [{"id": "lin_0", "quantity": 2}]}, "line_items"),
        ({"title": "Dearer", "job_id": "job_0"}, "title"),
    ):
        error = client.patch(path, change, 409)["error"]
        assert (error["code"], error["param"], error["status"]) == ("document_locked", param, "sent")
    assert client.patch(path, {"job_id": "job_0"}, 422)["error"]["details"][0]["code"] == "not_found"
    assert client.delete(path, 409)["error"]["code"] == "document_locked"


def test_a_line_that_is_not_the_quotes_is_not_found(client):
    quote, other = new(client), new(client)
    path = f"/v1/quotes/{quote['id']}"
    for id in (other["line_items"][0]["id"], "lin_0"):
        error = client.patch(path, {"line_items": [{"id": id, "quantity": 2}]}, 422)["error"]
        assert [(d["param"], d["code"]) for d in error["details"]] == [("line_items[0].id", "not_found")]
    assert client.get(path)["data"] == quote


def test_a_quote_expires_within_its_own_dates_and_the_calendars(client):
    quote = new(client, issue_date="2027-06-01")
    past = ("expiry_date", "out_of_range")
    for call in (
        client.patch(f"/v1/quotes/{quote['id']}", {"expiry_date": "2027-05-31"}, 422)["error"],
        act(client, quote, "send", {"expiry_date": "2027-05-31"}, 422),
    ):
        assert [(d["param"], d["code"]) for d in call["details"]] == [past]
    assert act(client, quote, "send", {"expiry_date": "2027-06-01"})["expiry_date"] == "2027-06-01"
    body = {"client_id": quote["client_id"], "line_items": [{"description": "Part", "unit_price": 1}]}
    error = client.post("/v1/quotes", {**body, "issue_date": "2200-12-20"}, 422)["error"]
    assert [(d["param"], d["code"]) for d in error["details"]] == [past]
    last = client.post("/v1/quotes", {**body, "issue_date": "2200-12-01"})["data"]
    assert client.patch(f"/v1/quotes/{last['id']}", last)["data"] == last


def test_the_clients_name_is_frozen_until_it_is_revised(client):
    quote = sent(client)
    client.patch(f"/v1/contacts/{quote['client_id']}", {"name": "Countess"})
    path = f"/v1/quotes/{quote['id']}"
    assert client.get(path)["data"]["client"]["name"] == "Ada Lovelace"
    assert act(client, quote, "revise")["client"]["name"] == "Countess"


def test_a_withdrawn_quote_keeps_the_name_it_had_whether_it_was_sent_or_not(client):
    for quote in (new(client), sent(client)):
        act(client, quote, "cancel")
        client.patch(f"/v1/contacts/{quote['client_id']}", {"name": "Countess"})
        assert client.get(f"/v1/quotes/{quote['id']}")["data"]["client"]["name"] == "Ada Lovelace"


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
    run_timed(app)
    clock.move(minutes=1)
    run_timed(app)
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
    client = Client(make_app("contacts", "documents", "hosted", "quotes"))
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
    for reader, url in ((client, quote["hosted_url"]), (client.key("read"), None)):
        (listed,) = reader.get("/v1/quotes")["data"]
        assert reader.get(f"/v1/quotes/{quote['id']}")["data"]["hosted_url"] == listed["hosted_url"] == url
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
    assert refused.html.title.text.startswith("Error: ")
    for link in refused.html.select(".faults a"):
        named = refused.html.find(id=link["href"].removeprefix("#"))
        assert refused.html.find(id=named["aria-describedby"]).text in link.text
    assert client.get(f"/v1/quotes/{quote['id']}")["data"]["status"] == "sent"
    form["email"], form["terms"] = "ada@example.com", True
    done = form.submit(status=303).follow()
    assert "Accepted by Ada Lovelace on 21 November 2026, 11:00 am" in done.text and not done.forms
    assert "been told" not in done.text
    form.submit(status=303)  # pressed twice
    quote = client.get(f"/v1/quotes/{quote['id']}")["data"]
    assert quote["accepted_by"] == {"name": "Ada Lovelace", "email": "ada@example.com"}
    assert client.events().count("quote.accepted") == 1


def test_the_client_declines_on_the_page(app, client):
    quote = sent(client)
    form = page_of(app, quote).forms[1]
    form["reason"] = "Too dear"
    assert "was declined on 21 November 2026" in form.submit(status=303).follow().text
    assert client.get(f"/v1/quotes/{quote['id']}")["data"]["decline_reason"] == "Too dear"


def test_a_quote_of_a_sandbox_says_so(app, client):
    assert "SANDBOX, not a tax invoice" in page_of(app, sent(client.sandbox())).text
    assert "SANDBOX" not in page_of(app, sent(client)).text


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
    assert "expired on 30 November 2026" in page.text and not page.forms
    clock.move(days=100)
    assert page_of(app, quote).status_int == 404


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(
    "change",
    [lambda t: t[:-1], lambda t: t + "x", lambda t: "nonsense", str.swapcase, lambda t: t + "=", lambda t: t + "!"],
    ids="abcdef",
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


def changed(client, quote, **members):
    """A function that brings a quote back to draft, changes it and sends it again."""

    def change():
        act(client, quote, "revise")
        client.patch(f"/v1/quotes/{quote['id']}", members)
        act(client, quote, "send")

    return change


def just_before_the_lock(app, monkeypatch, happens):
    """Let something happen once, when a page's form has been sent and waits for its quote."""
    waiting, whose, method = [happens], *((app.db, "writing") if app.db.is_sqlite else (records, "lock"))
    real = getattr(whose, method)

    def late(*args):
        while waiting:
            waiting.pop()()
        return real(*args)

    monkeypatch.setattr(whose, method, late)


@pytest.mark.parametrize("decision", [0, 1], ids=["accept", "decline"])
@pytest.mark.each_case
def test_nothing_is_decided_but_what_the_client_saw(app, client, monkeypatch, decision):
    quote = sent(client)
    form = page_of(app, quote).forms[decision]
    if decision == 0:
        form["name"], form["terms"] = "Ada", True
    just_before_the_lock(app, monkeypatch, changed(client, quote, terms="Twice the price"))
    assert "superseded" in form.submit(status=303).follow(status=410).text
    assert client.get(f"/v1/quotes/{quote['id']}")["data"]["status"] == "sent"
    assert not {"quote.accepted", "quote.declined"} & set(client.events())


def test_a_quote_whose_page_has_changed_is_read_again_before_it_is_decided(app, client, monkeypatch):
    quote = sent(client)
    form = page_of(app, quote).forms[0]
    form["name"], form["terms"] = "Ada", True
    just_before_the_lock(app, monkeypatch, lambda: client.patch(f"/v1/quotes/{quote['id']}", {"reference": "Order 7"}))
    shown = form.submit(status=409)
    assert "has changed since you opened it" in shown.text and "Order 7" in shown.text
    without = [(name, value) for name, value in shown.forms[0].submit_fields() if name and name != "version"]
    assert "has changed since you opened it" in webtest.TestApp(app.wsgi).post(shown.request.path, without, status=409)
    assert client.get(f"/v1/quotes/{quote['id']}")["data"]["status"] == "sent"
    assert "Accepted" in shown.forms[0].submit(status=303).follow().text
    assert client.get(f"/v1/quotes/{quote['id']}")["data"]["accepted_by"]["name"] == "Ada"


def test_what_goes_wrong_on_the_page_is_said_on_a_page(app, client, monkeypatch):
    quote = sent(client)
    path = quote["hosted_url"].removeprefix(app.public_url)
    web = webtest.TestApp(app.wsgi)
    many = "&".join(f"field{i}=x" for i in range(30))

    def says(status, text, method="POST", body=""):
        sent = {"method": method, "body": body.encode(), "content_type": "application/x-www-form-urlencoded"}
        answer = web.request(path, status=status, **sent)
        assert answer.headers["Content-Type"].startswith("text/html") and text in answer.text
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Request-Id"] and answer.headers["Cache-Control"] == "no-store"

    says(413, "too long", body=many)
    says(413, "too long", body="decision=accept&name=" + "x" * 70_000)
    says(405, "does not support that method", "DELETE")
    says(422, "Please tick", body=f"decision=accept&version={quote['version']}&name=%ff%00")
    monkeypatch.setattr("billycan_quotes.pages.status_of", lambda ctx, row: 1 / 0)
    says(500, "try again in a few minutes", "GET")
    assert client.get("/v1/quotes")["data"][0]["status"] == "sent"


def test_a_form_may_come_in_chunks(app, client):
    quote = sent(client)
    path = quote["hosted_url"].removeprefix(app.public_url)
    request = webtest.TestRequest.blank(path, method="POST", headers={"Transfer-Encoding": "chunked"})
    request.environ["wsgi.input"] = io.BytesIO(f"decision=decline&version={quote['version']}".encode())
    assert request.get_response(app.wsgi).status_int == 303
    assert client.get("/v1/quotes")["data"][0]["status"] == "declined"


def test_the_page_has_one_address_and_head_is_get(app, client):
    path = sent(client)["hosted_url"].removeprefix(app.public_url)
    web = webtest.TestApp(app.wsgi)
    page, head = web.get(path), web.head(path)
    assert head.body == b"" and head.headers["Content-Length"] == page.headers["Content-Length"]
    form = {"decision": "decline"}
    for other in (
        f"/{path}",
        path.replace("/q/", "/q//"),
        f"/.{path}",
        f"/x/..{path}",
        f"{path}/x",
        f"{path}%0d%0aX:1",
    ):
        assert "Location" not in web.post(other, form, status=404).headers
        web.get(other, status=404)
    web.post(f"{path}/", form, status=404)
    for other in (f"{path}/", "/q/javascript:alert(1)/", "/q/%2e%2e/", "/q/x%0d%0aSet-Cookie:a=b/"):
        assert not {"Location", "Set-Cookie"} & set(web.get(other, status=404).headers)
    assert client.get("/v1/quotes")["data"][0]["status"] == "sent"


def test_search_finds_by_client_title_and_number(client):
    quote = new(client, title="Kitchen tap")
    for text in ("kitchen", "QUO-0001", "lovelace"):
        assert [q["id"] for q in client.get(f"/v1/quotes?search={text}")["data"]] == [quote["id"]]
    assert client.get("/v1/quotes?search=bathroom")["data"] == []


def test_titles_sort_without_their_case_and_those_without_come_last(client):
    for title in ("beta", None, "Alpha", "Éclair", "gamma"):
        new(client, title=title)
    for sort, titles in (("title", ["Alpha", "beta", "Éclair", "gamma", None]),
                         ("-title", ["gamma", "Éclair", "beta", "Alpha", None])):  # fmt: skip
        assert [q["title"] for q in client.get(f"/v1/quotes?sort={sort}")["data"]] == titles


def test_an_invoice_made_from_a_quote_marks_it(client):
    quote = sent(client)
    act(client, quote, "accept", {"name": "Ada"})
    lines = [{"description": "Part", "unit_price": 1}]
    client.post("/v1/invoices", {"client_id": quote["client_id"], "line_items": lines, "quote_id": quote["id"]})
    assert client.get(f"/v1/quotes/{quote['id']}")["data"]["status"] == "invoiced"


def test_what_a_quote_names_is_there(make_app):
    client = Client(make_app(*ALL, "bookings", "jobs", "staff"))
    error = client.post("/v1/contacts", {"name": "Ada"})["data"]
    body = {"client_id": error["id"], "line_items": [{"description": "Part", "unit_price": 1}]}
    names = {"job_id": "job_0", "booking_id": "bkg_0"}
    refused = client.post("/v1/quotes", body | names, 422)["error"]
    assert {(d["param"], d["code"]) for d in refused["details"]} == {(name, "not_found") for name in names}
    job = client.post("/v1/jobs", {"client_id": body["client_id"], "title": "Fix"})["data"]
    quote = client.post("/v1/quotes", body | {"job_id": job["id"]})["data"]
    refused = client.patch(f"/v1/quotes/{quote['id']}", {"booking_id": "bkg_0"}, 422)["error"]
    assert refused["details"][0]["code"] == "not_found"
    act(client, quote, "send")
    client.patch(f"/v1/quotes/{quote['id']}", {"job_id": "job_0"}, 422)
    client.delete(f"/v1/jobs/{job['id']}")
    assert client.get(f"/v1/quotes/{quote['id']}")["data"]["job_id"] is None
    assert client.events()[-2:] == ["job.deleted", "quote.updated"]


def test_a_neighbour_of_a_plugin_that_is_off_is_not_shown_and_not_lost(app, client):
    quote = sent(client)
    with app.db.writing(across="a test looks at every row") as db:
        db.execute(sa.update(quotes).where(quotes.c.id == quote["id"]).values(job_id="job_1"))
    assert client.get(f"/v1/quotes/{quote['id']}")["data"]["job_id"] is None
    client.patch(f"/v1/quotes/{quote['id']}", {**quote, "reference": "PO 7"})
    with app.db.reading(across="a test looks at every row") as db:
        assert db.execute(sa.select(quotes.c.job_id).where(quotes.c.id == quote["id"])).scalar() == "job_1"


def test_what_an_invoice_names_is_not_deleted(make_app):
    client = Client(make_app(*ALL, "bookings", "jobs", "staff"))
    quote = new(client)
    job = client.post("/v1/jobs", {"client_id": quote["client_id"], "title": "Fix"})["data"]
    body = {"client_id": quote["client_id"], "line_items": [{"description": "Part", "unit_price": 1}]}
    names = {"quote_id": quote["id"], "job_id": job["id"]}
    invoice = client.post("/v1/invoices", body | names)["data"]
    for path in (f"/v1/quotes/{quote['id']}", f"/v1/jobs/{job['id']}"):
        client.refused(409, "has_dependents", "DELETE", path)
    client.delete(f"/v1/invoices/{invoice['id']}")
    for path in (f"/v1/quotes/{quote['id']}", f"/v1/jobs/{job['id']}"):
        client.delete(path)


def test_deleting_what_a_quote_became_lets_it_be_converted_again(make_app):
    client = Client(make_app(*ALL, "jobs", "staff"))
    quote = sent(client)
    path = f"/v1/quotes/{quote['id']}"
    act(client, quote, "accept", {"name": "Ada"})
    invoice = act(client, quote, "convert", {"to": "invoice"}, 201)
    client.delete(f"/v1/invoices/{invoice['id']}")
    shown = client.get(path)["data"]
    assert (shown["status"], shown["invoice_id"], shown["allowed_actions"]) == ("accepted", None, ["convert"])
    invoice = act(client, quote, "convert", {"to": "invoice"}, 201)
    client.post(f"/v1/invoices/{invoice['id']}/send", status=200)
    client.post(f"/v1/invoices/{invoice['id']}/void", status=200)
    assert client.get(path)["data"]["status"] == "accepted"
    job = act(client, quote, "convert", {"to": "job"}, 201)
    client.delete(f"/v1/jobs/{job['id']}")
    shown = client.get(path)["data"]
    assert (shown["status"], shown["job_id"]) == ("accepted", None)
    job = act(client, quote, "convert", {"to": "job"}, 201)
    client.post(f"/v1/jobs/{job['id']}/complete", status=200)
    invoice = client.post(f"/v1/jobs/{job['id']}/invoice")["data"]
    assert client.get(path)["data"]["status"] == "invoiced" and "quote.updated" in client.events()[-3:]
    client.delete(f"/v1/invoices/{invoice['id']}")
    shown = client.get(path)["data"]
    assert (shown["status"], shown["invoice_id"], shown["job_id"]) == ("converted", None, job["id"])


def test_an_invoice_that_names_another_quote_lets_the_first_go(client):
    first, second = sent(client), sent(client)
    for quote in (first, second):
        act(client, quote, "accept", {"name": "Ada"})
    invoice = act(client, first, "convert", {"to": "invoice"}, 201)

    def states():
        shown = [client.get(f"/v1/quotes/{quote['id']}")["data"] for quote in (first, second)]
        return [(quote["status"], quote["invoice_id"]) for quote in shown]

    path = f"/v1/invoices/{invoice['id']}"
    client.patch(path, {"quote_id": second["id"]}, If_Match='"1"')
    assert states() == [("accepted", None), ("invoiced", invoice["id"])]
    client.patch(path, {"quote_id": None})
    assert states() == [("accepted", None), ("accepted", None)]
    client.patch(path, {"quote_id": first["id"]})
    told = client.events().count("quote.updated")
    client.patch(path, {"notes": "Thank you"})
    client.post(f"{path}/send", status=200)
    assert states() == [("invoiced", invoice["id"]), ("accepted", None)]
    client.post(f"{path}/void", status=200)
    client.patch(path, {"notes": "By mistake"})
    assert states() == [("accepted", None), ("accepted", None)]
    assert client.events().count("quote.updated") == told + 1


def test_a_locked_quote_says_what_it_is_today(client, clock):
    quote = sent(client)
    clock.move(days=40)
    error = client.patch(f"/v1/quotes/{quote['id']}", {"title": "Dearer"}, 409)["error"]
    assert (error["code"], error["status"]) == ("document_locked", "expired")


def test_no_row_outlives_its_quote(app, client):
    quote = new(client)
    client.delete(f"/v1/quotes/{quote['id']}")
    with app.db.reading() as db:
        mine = quotes.c.tenant_id == client.tenant_id
        assert db.execute(sa.select(sa.func.count()).select_from(quotes).where(mine)).scalar() == 0
    assert new(client)["number"] == "QUO-0002"
