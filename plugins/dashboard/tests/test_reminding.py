"""A client is reminded of an overdue invoice where somebody sees that it is: on its page, the client's, or a report."""

from datetime import UTC, datetime

import pytest

from billycan.testing import Client
from billycan_users.testing import Browser

pytestmark = pytest.mark.sqlite_alone
PLUGINS = ("contacts", "documents", "hosted", "invoices", "mail", "reminders", "reports", "users", "dashboard")
MAIL = {"url": "smtp://127.0.0.1:1", "sender": "mail@example.com"}
REPORT = "/dashboard/reports/receivables"


@pytest.fixture
def client(make_app, clock):
    client = Client(make_app(*PLUGINS, mail=MAIL))
    client.contact = client.post("/v1/contacts", {"name": "Ada", "email": "ada@example.com"})["data"]["id"]
    clock.time = datetime(2026, 11, 5, 2, tzinfo=UTC)
    return client


def invoice(client, due):
    line = {"description": "Work", "unit_price": "100.00"}
    body = {"client_id": client.contact, "issue_date": "2026-10-01", "due_date": due, "line_items": [line]}
    made = client.post("/v1/invoices", body)["data"]
    client.post(f"/v1/invoices/{made['id']}/send", status=200)
    return made


def messages(client):
    return [each["subject"] for each in client.get("/v1/emails?sort=created_at")["data"]]


def buttons(page):
    return [each["href"] for each in page.html.find_all("a", string="Send reminder")]


@pytest.mark.parametrize("begins", [REPORT, "/dashboard/reports/statements/{id}", "/dashboard/contacts/{id}"])
def test_the_invoice_that_has_been_due_longest_is_next_and_one_is_back_where_one_began(client, owner, begins):
    page = begins.format(id=client.contact)
    assert buttons(owner.get(page)) == []
    invoice(client, "2026-12-01")
    assert buttons(owner.get(page)) == []
    second, first = invoice(client, "2026-11-03"), invoice(client, "2026-10-20")
    for number in (first["number"], second["number"]):
        (link,) = buttons(owner.get(page))
        form = owner.get(link)
        assert form.html.h1.text == f"Send reminder: {number}"
        assert form.html.find(id="to").text.strip() == "ada@example.com"
        assert f"Invoice {number} was due on" in form.html.find(id="subject")["value"]
        assert form.html.find("p", class_="back").a["href"] == page
        owner.send(form.html.select_one("form.editor")["action"], message="Please pay")
        assert owner.page.request.path == page
        assert "The email to ada@example.com is being sent." in owner.page.text and "below" not in owner.page.text
    assert messages(client) == [f"Invoice {n['number']} was due on {d}" for n, d in
                                ((first, "20 October 2026"), (second, "3 November 2026"))]  # fmt: skip
    owner.get(buttons(owner.get(page))[0])
    assert owner.page.request.path == f"/dashboard/contacts/{client.contact}"
    assert "The client was reminded today already." in owner.page.text
    assert client.get("/v1/emails")["data"][0]["message"] == "Please pay"


def test_it_is_offered_on_the_page_of_an_overdue_invoice_and_ends_there(client, owner):
    late, not_yet = invoice(client, "2026-11-03"), invoice(client, "2026-11-09")
    assert buttons(owner.get(f"/dashboard/invoices/{not_yet['id']}")) == []
    page = f"/dashboard/invoices/{late['id']}"
    (link,) = buttons(owner.get(page))
    assert "Overdue" in owner.page.html.h1.text and "Overdue" not in owner.page.html.select_one(".across").text
    owner.get(link)
    owner.send(link)
    assert owner.page.request.path == page and "Its progress is shown below" in owner.page.text
    assert "Reminder" in owner.page.html.find("section", attrs={"aria-labelledby": "emails"}).text
    owner.get(link)
    owner.send(link, status=409)
    assert "reminded of this invoice today already" in owner.page.text
    client.patch(f"/v1/invoices/{late['id']}", {"reminders": False})
    assert buttons(owner.get(page)) == []


def test_who_may_not_send_it_and_a_deployment_that_sends_nothing_offer_none(client, make_app):
    late = invoice(client, "2026-11-03")
    viewer = Browser(client.app).join(client, "viewer")
    for page in (REPORT, f"/dashboard/contacts/{client.contact}", f"/dashboard/invoices/{late['id']}"):
        assert buttons(viewer.get(page)) == []
    assert buttons(Browser(client.app).join(client, "bookkeeper").get(REPORT))
    assert buttons(Browser(client.app).join(client).get(f"{REPORT}?as_at=2026-11-04")) == [], "of another day"
    silent = Client(make_app(*PLUGINS))
    silent.contact = silent.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    late = invoice(silent, "2026-10-03")
    assert buttons(Browser(silent.app).join(silent).get(f"/dashboard/invoices/{late['id']}")) == []


@pytest.mark.parametrize(
    "on", ["https://evil.example/", "//evil.example", "/dashboard/../v1", "/elsewhere", "/dashboardevil"]
)
def test_one_is_led_to_pages_of_the_dashboard_alone(client, owner, on):
    late = invoice(client, "2026-11-03")
    owner.get(f"/dashboard/invoices/{late['id']}/send_reminder?on={on}")
    assert owner.page.html.find("p", class_="back").a["href"] == f"/dashboard/invoices/{late['id']}"
    here = f"/dashboard/invoices/{late['id']}/send_reminder"
    fields = owner.page.html.select_one(f'form[action="{here}"]').select("[name]")
    sent = {each["name"]: each.text if each.name == "textarea" else each["value"] for each in fields}
    led = owner.web.post(f"{here}?on={on}", sent, status=303)
    assert led.headers["Location"].endswith(f"/dashboard/invoices/{late['id']}")


def test_an_email_about_what_a_visitor_may_not_read_is_called_an_email(make_app):
    client = Client(make_app(*PLUGINS, "quotes", mail=MAIL))
    contact = client.post("/v1/contacts", {"name": "Ada", "email": "ada@example.com"})["data"]["id"]
    line = {"description": "Work", "unit_price": "100.00"}
    quote = client.post("/v1/quotes", {"client_id": contact, "line_items": [line]})["data"]["id"]
    email = client.post(f"/v1/quotes/{quote}/email", {})["data"]["id"]
    for role, title in (("owner", "Quote QUO-0001"), ("bookkeeper", "Email")):
        visitor = Browser(client.app).join(client, role)
        link = visitor.get("/dashboard/emails").html.select_one(f"main td a[href$='{email}']")
        assert link.text.startswith(title), role
        assert email not in visitor.get(f"/dashboard/emails/{email}").html.h1.text
