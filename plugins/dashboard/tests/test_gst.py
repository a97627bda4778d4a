"""The pages of the GST report: the figures of the API, their documents, and periods marked as lodged."""

from datetime import UTC, datetime
from urllib.parse import urlencode

import pytest

from billycan.testing import Client
from billycan_users.testing import Browser

pytestmark = pytest.mark.sqlite_alone
PLUGINS = ("contacts", "documents", "expenses", "hosted", "invoices", "reports", "users", "dashboard")
HERE = "/dashboard/reports/gst"
JULY = "from=2026-07-01&to=2026-09-30"


def sell(client, price, day):
    contact = client.post("/v1/contacts", {"name": "<Ada>"})["data"]["id"]
    line = {"description": "Work", "unit_price": price, "gst_code": "gst"}
    body = {"client_id": contact, "issue_date": day, "amounts_are": "inclusive", "line_items": [line]}
    id = client.post("/v1/invoices", body)["data"]["id"]
    client.post(f"/v1/invoices/{id}/send", status=200)
    return id


@pytest.fixture
def client(make_app):
    client = Client(make_app(*PLUGINS))
    client.invoice = sell(client, "1108.79", "2026-09-01")
    return client


def test_the_last_period_that_is_over_is_shown_with_what_each_label_is_made_of(client):
    browser = Browser(client.app).join(client, "viewer")
    page = browser.get(HERE)
    assert "1 Jul 2026 to 30 Sep 2026, accrual basis" in page.text
    assert "$1,108.79" in page.text and "$1,108" in page.text and "$100.80" in page.text
    assert "GST to pay</dt><dd>$100<" in page.text
    assert "Jul to Sep 2026 $100.80 and $0.00" in page.text, "the picture says what it shows"
    assert "Mark as lodged" not in page.text, "a viewer may not"
    listed = page.click(href="label=1A")
    assert ">INV-0001</a>" in listed.text and "$100.80" in listed.text
    assert "INV-0001" in listed.click("INV-0001").text
    assert b"1A" in browser.get(f"{HERE}/documents?{JULY}&label=1A").click("CSV").body
    file = browser.get(HERE).click("CSV")
    assert (
        file.body.startswith(b"\xef\xbb\xbfbusiness,abn,from,to,basis,of,label,name")
        and b"1A,GST on sales,100.80,100,100,1" in file.body
    )
    cash = browser.get(f"{HERE}?{JULY}&basis=cash").text
    assert "cash basis" in cash and "1A less 1B</dt><dd>$0.00<" in cash and "no tax period" not in cash
    assert "not over yet" in browser.get(f"{HERE}?from=2026-10-01&to=2026-12-31").text
    browser.get(f"{HERE}?from=yesterday&to=2026-09-30", status=400)
    browser.get(f"{HERE}/documents", status=400)


def test_the_documents_of_a_label_are_shown_page_by_page_and_are_all_in_the_file(client, monkeypatch):
    monkeypatch.setattr("billycan_reports.gst.PER_PAGE", 2)
    monkeypatch.setattr("billycan_dashboard.business.gst._PER_PAGE", 2)
    monkeypatch.setattr("billycan_dashboard.business.reports.SHOWN", 1)
    for _ in range(2):
        sell(client, "110.00", "2026-09-02")
    browser = Browser(client.app).join(client, "viewer")
    page = browser.get(f"{HERE}/documents?{JULY}&label=1A")
    for number in (1, 2, 3):
        assert f">INV-000{number}<" in page.text and f"{number}–{number} of 3" in page.text
        file = page.click("CSV")
        assert [f"INV-000{each}" in file.text for each in (1, 2, 3)] == [True] * 3
        page = page.click("Next") if number < 3 else page
    assert "Next" not in page.text
    assert "No documents" in browser.get(f"{HERE}/documents?{JULY}&label=1A&page=9").text


def test_a_period_is_marked_as_lodged_and_what_changes_is_a_correction(client):
    browser = Browser(client.app).join(client, "developer")
    browser.get(HERE)
    refused = browser.send(f"{HERE}/lodge", to="2026-10-31", status=422).text
    assert "2026-07-01 to 2026-09-30" in refused, "the page says what can be lodged"
    browser.get(HERE)
    lodged = browser.send(f"{HERE}/lodge").text
    (period,) = client.get("/v1/gst_periods")["data"]
    page = browser.get(f"/dashboard/gst_periods/{period['id']}")
    assert "GST period: 1 Jul 2026 to 30 Sep 2026" in page.html.h1.text
    assert "$100.80" in page.text and "Decimal" not in page.text
    assert "marked as lodged" in lodged and "as it was lodged" in lodged and ">Mark as lodged<" not in lodged
    assert client.get("/v1/gst_periods")["data"][0]["labels"]["1A"]["whole_dollars"] == 100
    reopen = page.html.find("a", string="Reopen")["href"]
    links = {str(one.get("href")) for one in browser.get(f"{HERE}?{JULY}").html.find_all("a", string="Reopen")}
    viewer = Browser(client.app).join(client, "viewer")
    assert links == {reopen} and "Reopen" not in viewer.get(f"{HERE}?{JULY}").text
    browser.get(reopen)
    browser.send(reason="Too early")
    assert client.get("/v1/gst_periods")["data"][0]["status"] == "reopened"
    browser.get(HERE)
    browser.send(f"{HERE}/lodge")
    sell(client, "110.00", "2026-09-02")
    page = browser.get(f"{HERE}?from=2026-10-01&to=2026-12-31").text
    assert "Corrections of periods lodged before" in page and ">INV-0002</a> $10.00" in page
    assert "GST to pay</dt><dd>$10<" in page
    # Of what is no tax period nothing is offered to lodge.
    odd = {"from": "2026-10-01", "to": "2026-11-15"}
    page = browser.get(f"{HERE}?{urlencode(odd)}").text
    assert "GST to pay" not in page and "Mark as lodged" not in page and "no tax period" in page
    assert "1A less 1B</dt><dd>$0.00<" in page and ">INV-0002</a> $10.00" in page
    assert "the whole dollars to lodge include them" not in page and "are in what is lodged" not in page
    viewer.web.post(f"{HERE}/lodge", {"from": "2026-10-01", "to": "2026-10-31"}, status=403)
    assert client.get("/v1/gst_periods")["pagination"]["total"] == 2


def test_settings_that_reach_into_a_lodged_period_say_what_they_change_first(client):
    settings = [{"from": "2000-07-01", "registered": True, "basis": "accrual", "period": "quarter"}]
    client.patch("/v1/tenant", {"gst_settings": settings})
    client.post("/v1/gst_periods", {"from": "2026-07-01", "to": "2026-09-30"})
    browser, page = Browser(client.app).join(client), "/dashboard/profile"
    assert "accept_corrections" not in browser.get(page).text
    refused = browser.send(page, status=409, **{"gst_settings[0].basis": "cash"}).text
    assert "1B by $100.80" in refused and "G18 by $1,108.79" in refused and "`" not in refused
    assert client.get("/v1/tenant")["data"]["gst_settings"] == settings
    browser.send(page, accept_corrections="true")
    assert client.get("/v1/tenant")["data"]["gst_settings"][0]["basis"] == "cash"


def test_a_viewer_reads_the_settings_in_words(client):
    setting = {"from": "2000-07-01", "registered": True, "basis": "cash", "period": "month"}
    client.patch("/v1/tenant", {"gst_settings": [setting]})
    page = Browser(client.app).join(client, "viewer").get("/dashboard/profile")
    said = page.html.find("dt", string="GST settings").find_next("dd").text
    assert " ".join(said.split()) == "From 1 Jul 2000 Registered Yes Basis Cash Period Month"


def test_what_is_off_is_said_and_never_zero(make_app):
    client = Client(make_app("contacts", "expenses", "reports", "users", "dashboard"))
    page = Browser(client.app).join(client).get(HERE).text
    assert "The plugin <code>invoices</code> is off, so the figures for sales are not known" in page
    assert page.count("Not known") == 10 and "GST to pay" not in page
    off = Client(make_app("contacts", "users", "dashboard"))
    browser = Browser(off.app).join(off)
    for path in ("", ".csv", "/documents", "/documents.csv"):
        browser.get(f"{HERE}{path}", status=404)


@pytest.mark.parametrize(
    ("settings", "today", "expected", "shown"),
    [
        ([("2000-07-01", "quarter")], "2026-02-28", ["Jan to Mar 2026", "Oct to Dec 2025", "Jul to Sep 2025"], 1),
        ([("2000-07-01", "month")], "2026-01-31", ["January 2026", "December 2025", "November 2025"], 1),
        ([("2000-07-01", "year")], "2026-06-30", ["Year to June 2026", "Year to June 2025", "Year to June 2024"], 1),
        (
            [("2000-07-01", "quarter"), ("2026-08-15", "month")],
            "2026-08-20",
            ["15 Aug to 31 Aug 2026", "1 Jul to 14 Aug 2026", "Apr to Jun 2026"],
            1,
        ),
        ([("2026-08-10", "quarter")], "2026-08-20", ["Jul to Sep 2026"], 0),
        ([], "2026-08-20", [], None),
    ],
)
def test_the_periods_offered_are_those_that_can_be_lodged(client, clock, settings, today, expected, shown):
    clock.time = datetime.fromisoformat(today).replace(hour=2, tzinfo=UTC)
    given = [{"from": day, "registered": True, "basis": "cash", "period": period} for day, period in settings]
    client.patch("/v1/tenant", {"gst_settings": given})
    page = Browser(client.app).join(client, "viewer").get(HERE)
    links = page.html.find("div", class_="spans").find_all("a")
    assert [link.text for link in links[:3]] == expected
    assert [place for place, link in enumerate(links) if link.get("aria-current")] == [shown] * (shown is not None)
