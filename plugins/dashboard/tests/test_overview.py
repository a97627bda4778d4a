"""The overview begins with what waits for somebody; records offer what follows them; the search page finds all."""

import pytest

from billycan import demo
from billycan.starting.packages import first_party
from billycan.testing import Client, counted
from billycan_users.testing import Browser

pytestmark = pytest.mark.sqlite_alone
LINE = {"description": "Work", "unit_price": "900.00"}


@pytest.fixture
def client(make_app):
    plugins = (
        "bookings",
        "contacts",
        "documents",
        "expenses",
        "hosted",
        "invoices",
        "jobs",
        "quotes",
        "search",
        "staff",
    )
    return Client(make_app(*plugins, "users", "dashboard", fresh=True))


def waiting(page):
    """Map the title of each entry that needs attention to the titles of its records."""
    entries = page.html.select(".attention > li")
    return {each.h3.a.text: [one.text for one in each.select("ul strong")] for each in entries}


def test_what_waits_for_somebody_is_first_and_gone_once_it_is_done(client, owner, clock):
    assert waiting(owner.get("/dashboard")) == {}
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    quote = client.post("/v1/quotes", {"client_id": ada, "line_items": [LINE]})["data"]
    client.post(f"/v1/quotes/{quote['id']}/send", status=200)
    client.post(f"/v1/quotes/{quote['id']}/accept", {"name": "Ada"}, status=200)
    drafts = [client.post("/v1/invoices", {"client_id": ada, "line_items": [LINE]})["data"] for _ in range(4)]
    category = client.get("/v1/expense_categories?search=tools")["data"][0]["id"]
    expense = {"description": "Drill", "category_id": category, "amount": "330.00", "date": "2026-11-20"}
    drill = client.post("/v1/expenses", expense)["data"]["id"]
    assert waiting(owner.get("/dashboard")) == {"Accepted quotes": [quote["number"]], "Tax invoices missing": ["Drill"]}
    clock.move(days=2)
    owner.sign_in()
    drawn = waiting(owner.get("/dashboard"))
    assert drawn["Drafts not sent"] == [each["number"] for each in drafts[:3]]
    client.post(f"/v1/invoices/{drafts[0]['id']}/send", status=200)
    client.patch(f"/v1/expenses/{drill}", {"tax_invoice_held": True})
    clock.move(days=30)
    owner.sign_in()
    drawn = waiting(owner.get("/dashboard"))
    assert drawn["Overdue invoices"] == [drafts[0]["number"]] and "Tax invoices missing" not in drawn
    assert "Jobs to invoice" not in drawn
    page = owner.page.click("Record a payment")
    assert page.html.find(id="amount")["value"] == "990.00"
    owner.get("/dashboard")
    owner.send(f"/dashboard/quotes/{quote['id']}/convert", to="invoice")
    assert "INV-0005" in owner.page.text and client.get("/v1/invoices/summary", status=None)
    assert "Accepted quotes" not in waiting(owner.get("/dashboard"))


def test_a_day_beside_what_waits_says_what_was_or_is_on_it(client, owner, clock):
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    quote = client.post("/v1/quotes", {"client_id": ada, "line_items": [LINE]})["data"]["id"]
    client.post(f"/v1/quotes/{quote}/send", status=200)
    client.post(f"/v1/quotes/{quote}/accept", {"name": "Ada"}, status=200)
    sent = client.post("/v1/invoices", {"client_id": ada, "line_items": [LINE], "due_date": "2026-11-30"})["data"]["id"]
    client.post(f"/v1/invoices/{sent}/send", status=200)
    clock.move(days=20)
    owner.sign_in()
    page = owner.get("/dashboard").html
    told = {each.h3.a.text: each.find("small").text for each in page.select(".attention > li")}
    assert told["Accepted quotes"].startswith("$990.00 · Accepted: 21 Nov 2026, ")
    assert told["Overdue invoices"] == "$990.00 · Due date: 30 Nov 2026"


def test_a_missing_tax_invoice_is_attached_from_where_it_is_missed(make_app):
    client = Client(make_app("attachments", "contacts", "expenses", "users", "dashboard"))
    category = client.get("/v1/expense_categories?search=tools")["data"][0]["id"]
    expense = {"description": "Drill", "category_id": category, "amount": "330.00", "date": "2026-11-20"}
    drill = client.post("/v1/expenses", expense)["data"]["id"]
    owner = Browser(client.app).join(client)
    link = owner.get("/dashboard").html.find("a", string="Attach a file")
    assert link["href"] == f"/dashboard/expenses/{drill}#files"
    assert owner.get(link["href"]).html.select_one("#files") and "This is the tax invoice" in owner.page.text
    viewer = Browser(client.app).join(client, "viewer").get("/dashboard")
    assert waiting(viewer) == {"Tax invoices missing": ["Drill"]} and "Attach a file" not in viewer.text


def test_a_job_that_is_done_is_invoiced_by_one_button(client, owner, make_app):
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    body = {"client_id": ada, "title": "Hot water", "line_items": [LINE], "scheduled_start": "2026-11-20T00:00:00Z"}
    first, second = (client.post("/v1/jobs", body)["data"] for _ in range(2))
    assert waiting(owner.get("/dashboard")) == {}
    for job in (second, first):
        client.post(f"/v1/jobs/{job['id']}/complete", status=200)
    page = owner.get("/dashboard")
    assert waiting(page) == {"Jobs to invoice": [first["number"], second["number"]]}
    shown = page.html.select_one(".attention ul li")
    assert " ".join(shown.find("a").text.split()) == f"{first['number']} Hot water · Ada"
    listed = owner.get(page.html.select_one(".attention h3 a")["href"])
    assert [a.text for a in listed.html.select("td a.whole")] == [second["number"], first["number"]]
    assert "2 found" in listed.text and listed.html.select_one("#to_invoice option[selected]").text == "Yes"
    owner.get("/dashboard")
    owner.send(f"/dashboard/jobs/{first['id']}/invoice")
    assert "The invoice was created" in owner.page.text and owner.page.request.path.startswith("/dashboard/invoices/")
    assert waiting(owner.get("/dashboard")) == {"Jobs to invoice": [second["number"]]}
    shown = owner.get(f"/dashboard/jobs/{first['id']}")
    assert "inv_" not in shown.html.select_one(".across").text, "nobody reads ids of what Related leads to"
    assert shown.html.find("a", string="Invoices", href=f"/dashboard/invoices?job_id={first['id']}")
    # Without invoices nothing could be done about it.
    client = Client(make_app("contacts", "documents", "jobs", "users", "dashboard"))
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    job = client.post("/v1/jobs", {**body, "client_id": ada})["data"]
    client.post(f"/v1/jobs/{job['id']}/complete", status=200)
    assert len(client.get("/v1/jobs?to_invoice=true")["data"]) == 1
    assert waiting(Browser(client.app).join(client).get("/dashboard")) == {}


def test_a_booking_is_confirmed_by_one_button(make_app):
    app = make_app(*first_party(), fresh=True)
    made = demo.first(app)
    box = Client(app, made.sandbox)
    owner = Browser(app).join(Client(app, made.tenant))
    owner.send("/dashboard/switch", button="environment=sandbox")
    (pending, *others) = box.get("/v1/bookings?status=pending&sort=start_at")["data"]
    assert len(waiting(owner.page)["Bookings to confirm"]) == 1 + len(others)
    owner.send(f"/dashboard/bookings/{pending['id']}/confirm")
    assert box.get(f"/v1/bookings/{pending['id']}")["data"]["status"] == "confirmed"
    assert len(waiting(owner.get("/dashboard")).get("Bookings to confirm", [])) == len(others)


def test_a_viewer_is_shown_what_waits_without_buttons_and_all_is_counted_at_once(client, owner):
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    quote = client.post("/v1/quotes", {"client_id": ada, "line_items": [LINE]})["data"]["id"]
    client.post(f"/v1/quotes/{quote}/send", status=200)
    before = Browser(client.app).join(client, "viewer")
    with counted(client.app) as empty:
        before.get("/dashboard")
    client.post(f"/v1/quotes/{quote}/accept", {"name": "Ada"}, status=200)
    with counted(client.app) as sent:
        page = before.get("/dashboard")
    assert waiting(page)["Accepted quotes"] and not page.html.select(".attention button, .attention .button")
    assert len(sent) <= len(empty) + 3


def test_a_client_begins_a_quote_a_job_a_booking_or_an_invoice(client, owner):
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    page = owner.get(f"/dashboard/contacts/{ada}")
    assert [each.text for each in page.html.select(".start a")] == ["Quote", "Job", "Booking", "Invoice"]
    form = page.click("^Invoice$", href="/new")
    assert form.html.find("option", selected=True)["value"] == ada
    client.post(f"/v1/contacts/{ada}/archive", status=200)
    viewer = Browser(client.app).join(client, "viewer")
    assert not viewer.get(f"/dashboard/contacts/{ada}").html.select(".start")


@pytest.mark.parametrize("to", ["job", "invoice"])
def test_a_quote_is_converted_by_one_button(client, owner, to):
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    quote = client.post("/v1/quotes", {"client_id": ada, "line_items": [LINE]})["data"]["id"]
    client.post(f"/v1/quotes/{quote}/send", status=200)
    client.post(f"/v1/quotes/{quote}/accept", {"name": "Ada"}, status=200)
    page = owner.get(f"/dashboard/quotes/{quote}")
    assert page.html.find("button", string=f"Create an {to}" if to == "invoice" else f"Create a {to}")
    form = next(f for f in page.forms.values() if f.action.endswith("/convert") and f["to"].value == to)
    made = form.submit().follow()
    assert f"The {to} was created" in made.text
    assert client.get(f"/v1/{to}s")["pagination"]["total"] == 1


def test_the_navigation_has_seven_entries_and_the_rest_in_parts_that_open(client, owner):
    nav = owner.get("/dashboard").html.find("nav", attrs={"aria-label": "Sections"})
    daily = [each.text for each in nav.find("ul").find_all("a")]
    assert daily == ["Overview", "Contacts", "Quotes", "Jobs", "Bookings", "Invoices", "Expenses"]
    assert [each.text for each in nav.find_all("summary")] == ["More", "Settings", "Developers"]
    assert not nav.find("details", open=True)
    opened = owner.get("/dashboard/payments").html.find("details", open=True)
    assert opened.summary.text == "More" and opened.find("a", attrs={"aria-current": "page"}).text == "Payments"


def test_the_search_page_finds_records_and_pages(client, owner):
    ada = client.post("/v1/contacts", {"name": "Ada <b>Lovelace</b>"})["data"]["id"]
    client.post("/v1/invoices", {"client_id": ada, "line_items": [LINE]})
    owner.get("/dashboard/search")
    page = owner.get("/dashboard/search?q=lovelace")
    assert [each["href"].split("/")[2] for each in page.html.select("[data-found]")] == ["contacts", "invoices"]
    assert "<b>Lovelace" not in page.text and "$990.00" in page.text
    assert [each.text for each in owner.get("/dashboard/search?q=gst").html.select("#found a")] == []
    assert owner.get("/dashboard/search?q=pay").html.select("#found a")[0].text == "Payments"
    assert "Nothing found" in owner.get("/dashboard/search?q=zzzzz").text


def test_each_bar_of_a_chart_says_its_month_and_value(client, owner):
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]

    def labels():
        return [each.text for each in owner.get("/dashboard").html.select(".chart .labels span")]

    assert labels() == [], "nothing to draw"
    invoices = [
        client.post("/v1/invoices", {"client_id": ada, "line_items": [{**LINE, "unit_price": price}]})["data"]["id"]
        for price in ("900.00", "115000.00", "1045.46")
    ]
    for invoice, (shown, at) in zip(invoices, (("$990", 5), ("$127k", 5), ("$129k", 5)), strict=True):
        client.post(f"/v1/invoices/{invoice}/send", status=200)
        assert labels()[at] == shown
    client.post(f"/v1/invoices/{invoices[2]}/pay", {"payment_method": "card"}, status=200)
    months = labels()[6:12]
    assert len(set(months)) == 6 and labels()[12:18] == ["–"] * 5 + ["$1.2k"]


def test_what_has_no_name_is_called_by_what_it_is(client, owner):
    category = client.get("/v1/expense_categories?search=tools")["data"][0]
    client.post("/v1/expenses", {"category_id": category["id"], "amount": "20.00", "date": "2026-11-20"})
    assert owner.get("/dashboard/expenses").html.select_one("td a.whole").text == f"Expense: {category['name']}"


def test_a_field_worker_sees_no_id_of_what_they_may_not_open(client, owner):
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    quote = client.post("/v1/quotes", {"client_id": ada, "line_items": [LINE]})["data"]["id"]
    client.post(f"/v1/quotes/{quote}/send", status=200)
    client.post(f"/v1/quotes/{quote}/accept", {"name": "Ada"}, status=200)
    job = client.post(f"/v1/quotes/{quote}/convert", {"to": "job"})["data"]["id"]
    worker = Browser(client.app).join(client, "field")
    people = owner.get("/dashboard/staff/new").html.select("[name=user_id] option")
    person = next(each["value"] for each in people if each.text == "Field")
    staff = client.post("/v1/staff", {"name": "Sam", "user_id": person})["data"]["id"]
    client.patch(f"/v1/jobs/{job}", {"assignee_ids": [staff]})
    assert owner.get(f"/dashboard/jobs/{job}").html.select(f'.across a[href="/dashboard/quotes/{quote}"]')
    seen = worker.get(f"/dashboard/jobs/{job}").html.select_one(".across").text
    assert "Ada" in seen and "Quote" not in seen and quote not in seen


def test_nobody_reads_ids_where_there_are_names(make_app):
    client = Client(make_app("bookings", "contacts", "mail", "staff", "users", "dashboard"))
    owner = Browser(client.app).join(client)
    grace = client.post("/v1/staff", {"name": "Grace"})["data"]["id"]
    service = client.post("/v1/services", {"name": "Drain", "duration_minutes": 60, "staff_ids": [grace]})["data"]["id"]
    link = owner.get(f"/dashboard/services/{service}").html.select_one(f".across a[href$='{grace}']")
    assert link.text == "Grace" and not link.has_attr("class")
    address = client.post("/v1/suppressed_addresses", {"address": "ada@example.com"})["data"]["id"]
    assert owner.get(f"/dashboard/suppressed_addresses/{address}").html.h1.text.strip() == "ada@example.com"
