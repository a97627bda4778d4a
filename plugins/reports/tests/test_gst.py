"""GST reports: published worked examples, and what each figure is made of."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import settings as h_settings
from hypothesis import strategies as st

from billycan import GstEntries, Manifest
from billycan.testing import Client, counted
from billycan_reports.tables import periods

pytestmark = pytest.mark.either

D = Decimal
PLUGINS = ("contacts", "documents", "expenses", "hosted", "invoices", "reports")
YEAR = "from=2026-07-01&to=2027-06-30"


@pytest.fixture
def client(make_app, clock):
    clock.time = datetime(2026, 8, 3, 2, tzinfo=UTC)
    return Client(make_app(*PLUGINS))


def on(client, basis, **more):
    client.patch("/v1/tenant", {"gst_settings": [{"from": "2000-07-01", "registered": True, "basis": basis, **more}]})
    return client


def sell(client, *lines, send=True, **members):
    """An invoice of lines, each a price, with GST, and a code."""
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    items = [{"description": "Work", "unit_price": price, "gst_code": code} for price, code in lines]
    body = {"client_id": contact, "amounts_are": "inclusive", "line_items": items, **members}
    id = client.post("/v1/invoices", body)["data"]["id"]
    if send:
        client.post(f"/v1/invoices/{id}/send", status=200)
    return id


def pay(client, id, amount, paid_at=None):
    body = {"amount": amount, "payment_method": "card", **({"paid_at": paid_at} if paid_at else {})}
    return client.post(f"/v1/invoices/{id}/payments", body)["data"]["payments"][-1]["id"]


def give_back(client, payment, amount):
    client.post(f"/v1/payments/{payment}/refund", {"amount": amount, "payment_method": "card"}, 200)


def take_off(client, id, price, **members):
    lines = [{"description": "Returned", "unit_price": price}]
    body = {"invoice_id": id, "reason": "returned", "line_items": lines, **members}
    note = client.post("/v1/adjustment_notes", body)["data"]["id"]
    client.post(f"/v1/adjustment_notes/{note}/issue", status=200)
    return note


def buy(client, amount, code="gst", **members):
    category = client.get("/v1/expense_categories")["data"][0]["id"]
    body = {"date": "2026-08-03", "category_id": category, "tax_invoice_held": True, **members}
    return client.post("/v1/expenses", {"amount": amount, "gst_code": code, **body})["data"]["id"]


def report(client, query=YEAR):
    """The amounts of the labels that are not zero, having checked that each is the sum of its documents."""
    found = client.get(f"/v1/reports/gst?{query}")["data"]
    labels = {name: figure for name, figure in found.items() if name[0] in "G1W" and figure}
    for name, figure in labels.items():
        assert figure["whole_dollars"] == int(figure["amount"]) >= 0
        if name not in ("G9", "G20"):
            assert figure["amount"] == sum(one["amount"] for one in figure["documents"]), name
            assert figure["documents_total"] == len(figure["documents"])
    return {name: figure["amount"] for name, figure in labels.items() if figure["amount"]}


def amounts(**given):
    return {name.lstrip("_"): D(amount) for name, amount in given.items()}


@pytest.mark.both
def test_the_worked_example_of_the_worksheet(client):
    """Sales and purchases of research 4.7: the worksheet and the accounts agree."""
    sale = sell(client, ("110.00", "gst"))
    sell(client, ("500.00", "export"))
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    lines = [("100.00", "gst"), ("50.00", "gst_free")]
    items = [{"description": "Work", "unit_price": price, "gst_code": code} for price, code in lines]
    mixed = client.post("/v1/invoices", {"client_id": contact, "line_items": items})["data"]["id"]
    client.post(f"/v1/invoices/{mixed}/send", status=200)
    sell(client, ("350.00", "input_taxed"))
    sell(client, ("15.00", "input_taxed"))
    take_off(client, sale, "55.00")
    sell(client, ("77.00", "gst"), send=False)
    for amount, code, more in (
        ("220.00", "gst", {}),
        ("3300.00", "capital", {}),
        ("30.00", "gst_free", {}),
        ("110.00", "gst", {"for_input_taxed_sales": True}),
        ("88.00", "gst", {"business_use_percent": 50}),
        ("1000.00", "out_of_scope", {}),
    ):
        buy(client, amount, code, **more)
    sales = amounts(G1="1080", G2="500", G3="50", G4="365", G5="915", G6="165", G8="165", G9="15", _1A="15")
    purchases = amounts(G10="3300", G11="448", G12="3748", G13="110", G14="30", G15="44", G16="184")
    assert report(client) == {**sales, **purchases, **amounts(G17="3564", G19="3564", G20="324", _1B="324")}
    for label in ("G1", "G6", "G17", "1A"):
        shown = client.get(f"/v1/reports/gst?{YEAR}")["data"][label]["documents"]
        assert client.get(f"/v1/reports/gst/documents?{YEAR}&label={label}")["data"] == shown


JULY, AUGUST, SEPTEMBER, QUARTER = (
    f"from=2026-{first}&to=2026-{last}"
    for first, last in (("07-01", "07-31"), ("08-01", "08-31"), ("09-01", "09-30"), ("07-01", "09-30"))
)


def at(clock, month, day=3):
    clock.time = datetime(2026, month, day, 2, tzinfo=UTC)


def gst_by_month(client):
    """The GST on sales in each month: what decreases it stands at 1B."""
    months = [report(client, month) for month in (JULY, AUGUST, SEPTEMBER)]
    return [found.get("1A", D(0)) - found.get("1B", D(0)) for found in months]


def test_three_part_payments_attribute_the_gst_exactly(client, clock):
    """Research, check 17: 33.33, 33.33 and 33.34 of 100.00, whose GST is 9.09."""
    on(client, "cash")
    id = sell(client, ("100.00", "gst"), issue_date="2026-07-01")
    assert report(client) == {}
    for month, part in ((7, "33.33"), (8, "33.33"), (9, "33.34")):
        at(clock, month, 20)
        pay(client, id, part)
    assert gst_by_month(client) == [D("3.03"), D("3.03"), D("3.03")]
    assert report(client, QUARTER) == amounts(G1="100.00", G6="100.00", G8="100.00", G9="9.09", _1A="9.09")


def test_a_payment_before_midnight_of_the_last_day_is_of_that_period(client, clock):
    """Research, check 18: 23:30 where the business is, whatever UTC says."""
    on(client, "cash")
    clock.time = datetime(2026, 6, 30, 13, 30, tzinfo=UTC)
    pay(client, sell(client, ("110.00", "gst")), "110.00")
    assert report(client, "from=2026-04-01&to=2026-06-30")["1A"] == 10
    assert report(client, QUARTER) == {}


@pytest.mark.parametrize(("basis", "expected"), [("accrual", (10, 0, 0)), ("cash", (1, 0, 9))])
def test_any_payment_before_the_invoice_attributes_all_of_a_sale(client, clock, basis, expected):
    """S 29-5(1)(a) GST Act: the period in which any of the consideration is received, if that is first."""
    on(client, basis)
    id = sell(client, ("110.00", "gst"), issue_date="2026-08-02")
    pay(client, id, "11.00", "2026-07-20")
    at(clock, 9)
    pay(client, id, "99.00")
    assert gst_by_month(client) == [*expected]


@pytest.mark.parametrize(
    # A note counts on its own date, on cash on the day on which money is given back (s 29-20 GST Act).
    "basis",
    ["accrual", "cash"],
)
def test_a_note_counts_in_its_own_period(client, clock, basis):
    """Of a later period than its sale it is a decreasing adjustment; of the same it reduces the sale's labels."""
    on(client, basis)
    at(clock, 7)
    id = sell(client, ("110.00", "gst"))
    payment = pay(client, id, "110.00")
    note = take_off(client, id, "55.00", **({} if basis == "cash" else {"issue_date": "2026-08-03"}))
    at(clock, 8)
    give_back(client, payment, "55.00")
    assert report(client, JULY) == amounts(G1="110", G6="110", G8="110", G9="10", _1A="10")
    assert report(client, AUGUST) == amounts(G18="55", G19="55", G20="5", _1B="5")
    documents = client.get(f"/v1/reports/gst/documents?{AUGUST}&label=1B")["data"]
    assert documents == [{"id": note, "amount": D("5.00"), "name": "ADJ-0001"}]
    assert report(client, QUARTER) == amounts(G1="55", G6="55", G8="55", G9="5", _1A="5")


@pytest.mark.parametrize("basis", ["accrual", "cash"])
def test_a_full_credit_leaves_nothing_at_any_label(client, clock, basis):
    """Research, check 6: of an invoice of every code, with odd cents and a discount, that was paid in part."""
    on(client, basis)
    at(clock, 7)
    id = sell(client, *((f"{i}33.33", code) for i, code in enumerate(CODES, 1)), discount_percent=7)
    payment = pay(client, id, "210.05")
    note = client.post("/v1/adjustment_notes", {"invoice_id": id, "reason": "error", "full": True})["data"]["id"]
    client.post(f"/v1/adjustment_notes/{note}/issue", status=200)
    assert (report(client) == {}) == (basis == "accrual")
    for part in ("0.05", "110.00", "100.00"):
        give_back(client, payment, part)
    assert report(client) == {}


def test_a_note_of_what_was_not_paid_takes_nothing_off_on_a_cash_basis(client, clock):
    on(client, "cash")
    at(clock, 7)
    id = sell(client, ("110.00", "gst"))
    pay(client, id, "55.00")
    at(clock, 8)
    take_off(client, id, "55.00")
    assert gst_by_month(client) == [5, 0, 0]


def test_a_bad_debt_is_an_adjustment_and_so_is_what_is_recovered(client, clock):
    """Div 21 GST Act: an eleventh of what is written off; of a sale that is partly taxable its share (s 136-30)."""
    at(clock, 7)
    id = sell(client, ("550.00", "gst"), ("50.00", "gst_free"))
    pay(client, id, "120.00")
    at(clock, 8)
    client.post(f"/v1/invoices/{id}/write_off", {}, 200)
    at(clock, 9)
    pay(client, id, "60.00")
    assert report(client, JULY)["1A"] == 50
    assert report(client, AUGUST) == amounts(G18="440", G19="440", G20="40", _1B="40")
    assert report(client, SEPTEMBER) == amounts(G7="55", G8="55", G9="5", _1A="5")


def test_on_a_cash_basis_a_bad_debt_is_none_and_a_recovery_is_a_payment(client, clock):
    """S 21-5(2) GST Act."""
    on(client, "cash")
    at(clock, 7)
    id = sell(client, ("550.00", "gst"))
    pay(client, id, "110.00")
    at(clock, 8)
    client.post(f"/v1/invoices/{id}/write_off", {}, 200)
    at(clock, 9)
    pay(client, id, "22.00")
    assert gst_by_month(client) == [10, 0, 2]
    assert report(client, AUGUST) == {}


def test_a_note_counts_from_the_day_it_is_issued(client, clock):
    """Whoever drafts it earlier has adjusted nothing yet (s 29-20 GST Act); what was given before stays dated so."""
    at(clock, 7)
    id = sell(client, ("330.00", "gst"))
    lines = [{"description": "Returned", "unit_price": "55.00"}]
    body = {"invoice_id": id, "reason": "returned", "line_items": lines}
    drafted, tomorrow = (
        client.post("/v1/adjustment_notes", {**body, **more})["data"]["id"]
        for more in ({}, {"issue_date": "2026-09-20"})
    )
    at(clock, 8)
    given = client.post("/v1/adjustment_notes", {**body, "issue_date": "2026-07-10"})["data"]["id"]
    issued = [client.post(f"/v1/adjustment_notes/{n}/issue", None, 200)["data"] for n in (drafted, tomorrow, given)]
    today = str(clock.time.date())
    assert [note["issue_date"] for note in issued] == [today, "2026-09-20", "2026-07-10"]
    assert gst_by_month(client) == [25, -5, -5]


def test_what_is_written_off_ahead_of_its_date_is_owed_and_bad_on_that_date(client, clock):
    at(clock, 7)
    id = sell(client, ("110.00", "gst"), issue_date="2026-08-10", due_date="2026-08-20")
    client.post(f"/v1/invoices/{id}/write_off", {}, 200)
    assert client.get("/v1/reports/receivables")["data"]["entries"] == []
    assert (report(client, JULY), report(client, AUGUST)["1A"], report(client, AUGUST)["1B"]) == ({}, 10, 10)


def test_a_void_invoice_is_taken_off_on_the_day_it_was_voided(client, clock):
    at(clock, 7)
    id = sell(client, ("110.00", "gst"))
    at(clock, 8)
    client.post(f"/v1/invoices/{id}/void", {"mistake": False}, 200)
    assert gst_by_month(client) == [10, -10, 0]


def test_whole_dollars_are_cut_off_once_for_a_label(client):
    for price in ("87.95", "87.94"):  # with 8.00 and 7.99 of GST
        sell(client, (price, "gst"))
    figure = client.get(f"/v1/reports/gst?{YEAR}")["data"]["1A"]
    assert (figure["amount"], figure["whole_dollars"]) == (D("15.99"), 15)


@pytest.mark.parametrize(
    ("basis", "members", "month"),
    [
        ("accrual", {"date": "2026-07-20", "due_date": "2026-08-20"}, JULY),
        ("accrual", {"date": "2026-08-20", "paid_on": "2026-07-20", "tax_invoice_held_on": "2026-07-20"}, JULY),
        ("accrual", {"date": "2026-07-20", "tax_invoice_held_on": "2026-08-02"}, AUGUST),
        ("cash", {"date": "2026-07-20", "paid_on": "2026-08-02"}, AUGUST),
        ("cash", {"date": "2026-07-20", "paid_on": "2026-08-02", "tax_invoice_held_on": "2026-09-02"}, SEPTEMBER),
        ("cash", {"date": "2026-07-20", "due_date": "2026-08-20"}, None),
        ("accrual", {"date": "2026-07-20", "tax_invoice_held": False}, None),
    ],
)
def test_a_credit_counts_once_it_may_be_claimed(client, clock, basis, members, month):
    """S 29-10 GST Act."""
    on(client, basis)
    at(clock, 9, 28)
    id = buy(client, "110.00", **members)
    for each in (JULY, AUGUST, SEPTEMBER):
        assert report(client, each).get("1B", 0) == (10 if each == month else 0)
    if month:
        listed = client.get(f"/v1/reports/gst/documents?{month}&label=1B")["data"]
        assert [(one["id"], one["amount"]) for one in listed] == [(id, 10)]


def test_what_cannot_be_claimed_is_no_credit(client, clock):
    clock.time = datetime(2026, 8, 3, 2, tzinfo=UTC)
    buy(client, "110.00", date="2021-03-01", tax_invoice_held_on="2026-08-01")  # s 93-5: four years after 28 April 2021
    supplier = client.post("/v1/contacts", {"name": "Hobby", "roles": ["supplier"], "gst_registered": False})["data"]
    buy(client, "220.00", supplier_id=supplier["id"])
    buy(client, "100.00", gst="5.00")  # a receipt of which 55.00 is taxable
    void = buy(client, "330.00")
    client.post(f"/v1/expenses/{void}/void", {}, 200)
    assert report(client, "from=2000-07-01&to=2026-12-31") == amounts(
        G11="320", G12="320", G14="265", G16="265", G17="55", G19="55", G20="5", _1B="5"
    )


def test_what_is_left_out_is_listed_with_the_reason(client, clock):
    at(clock, 9)
    held = buy(client, "110.00", date="2026-07-20")
    waits = [buy(client, "220.00", date="2026-07-20", tax_invoice_held=False, business_use_percent=50) for _ in "ab"]
    buy(client, "82.50", date="2026-07-20", tax_invoice_held=False)
    old = buy(client, "330.00", date="2021-03-01", tax_invoice_held_on="2026-08-01")
    found = client.get(f"/v1/reports/gst?{JULY}")["data"]
    assert found["not_claimed"] == [
        {
            "reason": "awaiting_tax_invoice",
            "gst": 20,
            "documents": [{"id": id, "amount": 10, "name": "Expense of 2026-07-20"} for id in waits],
            "documents_total": 2,
        }
    ]
    assert held in [one["id"] for one in found["1B"]["documents"]] and found["1B"]["amount"] == D("17.50")
    (left,) = client.get("/v1/reports/gst?from=2021-01-01&to=2021-03-31")["data"]["not_claimed"]
    assert (left["reason"], left["gst"], left["documents"][0]["id"]) == ("too_old", 30, old)
    file = client.call("GET", f"/v1/reports/gst?{JULY}", headers={"Accept": "text/csv"}).text
    assert file.splitlines()[-1].endswith("awaiting_tax_invoice,1B,GST on purchases,20.00,,,2")
    on(client, "cash")
    client.patch(f"/v1/expenses/{waits[0]}", {"paid_on": None})
    assert client.get(f"/v1/reports/gst?{JULY}")["data"]["not_claimed"][0]["documents_total"] == 1


def settings(client, *given):
    client.patch(
        "/v1/tenant", {"gst_settings": [dict(zip(("from", "registered", "basis"), one, strict=True)) for one in given]}
    )


def test_what_was_not_paid_counts_when_a_cash_basis_ends(client, clock):
    """S 159-5, 159-10 GST Act."""
    settings(client, ("2000-07-01", True, "cash"), ("2026-08-01", True, "accrual"))
    at(clock, 7)
    id = sell(client, ("110.00", "gst"))
    pay(client, id, "44.00")
    buy(client, "55.00", date="2026-07-20", due_date="2026-09-20")
    at(clock, 8, 20)
    pay(client, id, "33.00")
    at(clock, 9)
    pay(client, id, "33.00")
    assert gst_by_month(client) == [4, 6 - 5, 0]
    assert report(client, AUGUST)["1B"] == 5
    assert report(client, QUARTER)["1A"] == 10


@pytest.mark.parametrize(
    ("issued_on", "paid_on", "months"),
    [
        ("2026-07-03", "2026-09-03", [0, 10, 0]),
        ("2026-08-20", "2026-07-20", [6, 4, 0]),
        ("2026-09-02", "2026-07-20", [6, 0, 4]),
    ],
)
def test_a_sale_counts_once_when_a_cash_basis_ends_between_it_and_its_payment(
    client, clock, issued_on, paid_on, months
):
    settings(client, ("2000-07-01", True, "cash"), ("2026-08-01", True, "accrual"))
    at(clock, 9)
    id = sell(client, ("110.00", "gst"), issue_date=issued_on)
    pay(client, id, "66.00", paid_on)
    assert gst_by_month(client) == months
    at(clock, 10)
    pay(client, id, "33.00")
    take_off(client, id, "11.00")
    october = report(client, "from=2026-10-01&to=2026-10-31")
    assert (gst_by_month(client), october["1B"], report(client)["1A"]) == (months, 1, 9)


def test_what_counted_stays_when_a_cash_basis_begins(client, clock):
    """S 159-20 GST Act."""
    settings(client, ("2000-07-01", True, "accrual"), ("2026-08-01", True, "cash"))
    at(clock, 7)
    old = sell(client, ("110.00", "gst"))
    at(clock, 8)
    new = sell(client, ("220.00", "gst"))
    for id in (old, new):
        pay(client, id, "55.00")
    assert gst_by_month(client) == [10, 5, 0]


def test_what_was_not_paid_counts_before_the_registration_ends(client, clock):
    """S 138-15 GST Act; what comes in later is of no period."""
    settings(client, ("2000-07-01", True, "cash"), ("2026-08-01", False, "cash"))
    at(clock, 7)
    id = sell(client, ("110.00", "gst"))
    at(clock, 9)
    pay(client, id, "110.00")
    sell(client, ("70.00", "out_of_scope"))
    assert gst_by_month(client) == [10, 0, 0]
    assert report(client, SEPTEMBER) == {}
    assert [client.get(f"/v1/reports/gst?{m}")["data"]["registered"] for m in (JULY, AUGUST)] == [True, False]


@pytest.mark.parametrize(("basis", "august"), [("accrual", 10), ("cash", 5)])
def test_what_was_paid_before_the_registration_counts_with_the_invoice(client, clock, basis, august):
    """The tax invoice is dated when the business is registered, and before there is no tax period."""
    settings(client, ("2000-07-01", False, basis), ("2026-08-01", True, basis))
    at(clock, 8)
    id = sell(client, ("110.00", "gst"))
    pay(client, id, "55.00", "2026-07-30")
    buy(client, "44.00", paid_on="2026-07-30")
    assert gst_by_month(client) == [0, august - 4, 0]
    assert [report(client, month).get("1B") for month in (JULY, AUGUST)] == [None, 4]
    at(clock, 9)
    pay(client, id, "55.00")
    assert gst_by_month(client) == [0, august - 4, 10 - august]


def test_a_sale_that_a_trade_in_pays_for_counts_on_a_cash_basis(client, clock):
    on(client, "cash")
    at(clock, 7)
    swapped = sell(client, ("110.00", "gst"), ("-110.00", "out_of_scope"))
    assert client.get(f"/v1/invoices/{swapped}")["data"]["status"] == "paid"
    assert report(client, JULY)["1A"] == 10
    bought = sell(client, ("110.00", "gst"), ("-44.00", "out_of_scope"))
    payment = pay(client, bought, "66.00")
    at(clock, 8)
    take_off(client, bought, "66.00")
    assert gst_by_month(client) == [20, 0, 0]
    give_back(client, payment, "66.00")
    assert gst_by_month(client) == [20, -6, 0]


def test_a_statement_does_not_grow_with_each_change_of_the_basis(client, clock):
    """SQLAlchemy compiles it and SQLite prepares it at its first use, which takes a second for each 500 KB."""
    clock.time = datetime(2026, 9, 5, 2, tzinfo=UTC)
    for days in (["2000-07-01"], ["2000-07-01", "2026-06-01", "2026-07-01"]):
        bases = [{"from": day, "registered": True, "basis": ("cash", "accrual")[i % 2]} for i, day in enumerate(days)]
        client.patch("/v1/tenant", {"gst_settings": bases})
        with counted(client.app) as sent:
            report(client, JULY)
        assert max(map(len, sent)) < 160_000


def test_a_report_on_another_basis(client, clock):
    at(clock, 7)
    pay(client, sell(client, ("110.00", "gst")), "44.00")
    assert report(client, JULY)["1A"] == 10
    assert report(client, f"{JULY}&basis=cash")["1A"] == 4
    assert client.get(f"/v1/reports/gst?{JULY}&basis=cash")["data"]["basis"] == "cash"


def test_businesses_ask_for_reports_one_after_the_other(client):
    """PostgreSQL is told for whom each is before the moment begins of which a report is."""
    businesses = [client, Client(client.app), Client(client.app)]
    for _ in range(2):
        for business in businesses:
            assert business.get(f"/v1/reports/gst?{JULY}&basis=cash")["data"]["1A"]["amount"] == 0


@pytest.fixture
def monthly(client):
    return on(client, "accrual", period="month")


def lodge(client, query, status=201):
    days = dict(part.split("=") for part in query.split("&"))
    return client.post("/v1/gst_periods", days, status)


@pytest.mark.both
def test_what_changes_of_a_lodged_period_is_a_correction_of_the_next(monthly, clock):
    client = monthly
    at(clock, 7)
    sell(client, ("110.00", "gst"))
    bought = buy(client, "220.00", date="2026-07-10", description="Pipe")
    at(clock, 8)
    lodged = lodge(client, JULY)["data"]
    assert lodged["labels"]["1A"] == {"amount": D("10.00"), "whole_dollars": 10}
    late = sell(client, ("335.50", "gst"), issue_date="2026-07-15")
    client.post(f"/v1/expenses/{bought}/void", {"mistake": True}, 200)
    again = buy(client, "209.00", date="2026-07-10", description="Pipes")
    # The report of what was lodged is what was lodged.
    assert (report(client, JULY)["1A"], report(client, JULY)["1B"]) == (10, 20)
    assert client.get(f"/v1/reports/gst?{JULY}")["data"]["gst_period_id"] == lodged["id"]
    august = client.get(f"/v1/reports/gst?{AUGUST}")["data"]
    assert august["1A"]["amount"] == 0
    corrected = {
        name: (one["amount"], one["documents"]) for name, one in august["corrections"].items() if name[0] == "1"
    }
    # What was claimed too much increases GST, what was claimed too little is claimed.
    pipe = {"id": bought, "amount": D("20.00"), "name": "Pipe"}
    assert corrected == {
        "1A": (
            D("50.50"),
            sorted([{"id": late, "amount": D("30.50"), "name": "INV-0002"}, pipe], key=lambda d: d["id"]),
        ),
        "1B": (19, [{"id": again, "amount": D("19.00"), "name": "Pipes"}]),
    }
    assert {label: august[label]["to_lodge"] for label in ("G1", "G7", "1A", "G11", "1B")} == {
        "G1": 335, "G7": 220, "1A": 50, "G11": 209, "1B": 19
    }  # fmt: skip
    at(clock, 9)
    second = lodge(client, AUGUST)["data"]
    assert (second["labels"]["1A"]["amount"], second["labels"]["1B"]["amount"]) == (D("50.50"), 19)
    then = client.get(f"/v1/reports/gst?{AUGUST}")["data"]
    assert then["corrections"] == august["corrections"]
    assert [then[label]["to_lodge"] for label in ("1A", "1B")] == [50, 19]
    # They were made, so that the next has none; what changes again is one.
    assert client.get(f"/v1/reports/gst?{SEPTEMBER}")["data"]["corrections"] == {}
    client.post(f"/v1/expenses/{again}/void", {"mistake": True}, 200)
    assert client.get(f"/v1/reports/gst?{SEPTEMBER}")["data"]["corrections"]["1A"]["amount"] == 19
    assert client.get(f"/v1/gst_periods/{lodged['id']}")["data"] == {**lodged, "allowed_actions": []}


def test_while_a_plugin_is_off_nothing_of_it_is_corrected(monthly, clock, make_app):
    client = monthly
    at(clock, 7)
    lost = sell(client, ("110.00", "gst"))
    sell(client, ("220.00", "gst"))
    client.post(f"/v1/invoices/{lost}/write_off", {}, 200)
    bought = buy(client, "220.00", date="2026-07-10", tax_withheld="3.00")
    at(clock, 8)
    lodge(client, JULY)
    client.post(f"/v1/expenses/{bought}/void", {"mistake": True}, 200)
    at(clock, 9)
    url = client.app.db.url.render_as_string(hide_password=False)
    off = Client(make_app("contacts", "expenses", "reports", database=url), client.tenant_id)
    corrections = off.get(f"/v1/reports/gst?{AUGUST}")["data"]["corrections"]
    assert (corrections.keys(), corrections["W4"]["amount"]) == ({"W4"}, -3)
    assert lodge(off, AUGUST)["data"]["labels"]["1B"]["amount"] == 0
    assert client.get(f"/v1/reports/gst?{SEPTEMBER}")["data"]["corrections"] == {}


@pytest.mark.parametrize(
    ("query", "status", "code", "param"),
    [
        ("from=2026-08-01&to=2026-08-31", 422, "period_not_over", "to"),
        ("from=2026-07-01&to=2026-07-31", 409, "period_lodged", None),
        ("from=2026-07-31&to=2026-08-02", 422, "not_a_period", "from"),
        ("from=2026-07-31&to=2026-07-01", 422, "validation_failed", None),
    ],
)
def test_a_period_is_lodged_once_and_when_it_is_over(monthly, query, status, code, param):
    lodge(monthly, JULY)
    error = lodge(monthly, query, status)["error"]
    assert (error["code"], error["param"]) == (code, param) or error["details"][0]["param"] == "to"


def test_two_that_overlap_are_never_both_lodged(client):
    queries = ["from=2026-04-01&to=2026-06-30" for _ in range(12)]
    with ThreadPoolExecutor(6) as pool:
        keys = [client.key() for _ in queries]
        days = [dict(part.split("=") for part in query.split("&")) for query in queries]
        answers = list(pool.map(lambda key, body: key.call("POST", "/v1/gst_periods", body).status_int, keys, days))
    assert sorted(answers) == [201] + [409] * 11
    assert client.get("/v1/gst_periods")["pagination"]["total"] == 1


@pytest.mark.parametrize(
    ("plugins", "off", "null"),
    [
        (
            PLUGINS[:2] + PLUGINS[3:],
            "expenses",
            {"G10", "G11", "G12", "G13", "G14", "G15", "G16", "G17", "G18", "G19", "G20", "1B", "W4"},
        ),
        (("contacts", "expenses", "reports"), "invoices", {"G1", "G2", "G3", "G4", "G5", "G6", "G7", "G8", "G9", "1A"}),
    ],
)
def test_what_a_plugin_that_is_off_would_know_is_null(make_app, plugins, off, null):
    client = Client(make_app(*plugins))
    found = client.get(f"/v1/reports/gst?{YEAR}")["data"]
    assert found["missing"] == [off]
    assert {name for name, figure in found.items() if figure is None} == {*null, "gst_period_id"}
    assert client.get(f"/v1/reports/gst/documents?{YEAR}&label={min(null)}")["data"] == []
    assert lodge(client, "from=2026-01-01&to=2026-03-31")["data"]["labels"].keys().isdisjoint(null)


def test_it_is_a_csv_file_too(client):
    id = sell(client, ("110.00", "gst"))
    answer = client.call("GET", f"/v1/reports/gst?{YEAR}", headers={"Accept": "text/csv"})
    rows = answer.text.splitlines()
    assert answer.content_type == "text/csv"
    assert (rows[0], rows[1]) == (
        "business,abn,from,to,basis,of,label,name,amount,whole_dollars,to_lodge,documents",
        f"{client.get('/v1/tenant')['data']['name']},47555222000,2026-07-01,2027-06-30,accrual,"
        'period,G1,"Total sales, including GST",110.00,110,,1',  # a year is no tax period of the business
    )
    assert len(rows) == 24
    listed = client.call("GET", f"/v1/reports/gst/documents?{YEAR}&label=1A", headers={"Accept": "text/csv"})
    assert listed.text.splitlines() == ["label,id,amount,name", f"1A,{id},10.00,INV-0001"]


def test_a_file_has_all_documents_of_which_a_page_has_some(client, monkeypatch):
    monkeypatch.setattr("billycan_reports.gst.PER_PAGE", 2)
    sold = [sell(client, ("110.00", "gst")) for _ in range(3)]
    path = f"/v1/reports/gst/documents?{YEAR}&label=1A"
    assert [one["id"] for one in client.get(f"{path}&page=2")["data"]] == sold[2:]
    file = client.call("GET", path, headers={"Accept": "text/csv"})
    assert file.text.splitlines()[1:] == [f"1A,{id},10.00,INV-000{i}" for i, id in enumerate(sold, 1)]
    client.call("GET", f"{path}&page=2", headers={"Accept": "text/csv"}, status=400)


@pytest.mark.parametrize("is_lodged", [False, True])
def test_labels_that_are_named_come_to_the_same_without_anything_else(client, clock, is_lodged):
    sell(client, ("110.00", "gst"), ("50.00", "gst_free"))
    buy(client, "220.00")
    buy(client, "82.50", tax_invoice_held=False)
    at(clock, 9)
    if is_lodged:
        on(client, "accrual", period="month")
        lodge(client, AUGUST)
    whole = client.get(f"/v1/reports/gst?{AUGUST}")["data"]
    found = client.get(f"/v1/reports/gst?{AUGUST}&labels=1A,1B,G6")["data"]
    sums = {label: {**whole[label], "documents": [], "to_lodge": None} for label in ("1A", "1B", "G6")}
    nothing = dict.fromkeys(name for name in whole if name[0] in "G1W" and name not in sums)
    assert found == {**whole, **nothing, **sums, "corrections": {}, "not_claimed": [], "warnings": found["warnings"]}
    file = client.call("GET", f"/v1/reports/gst?{AUGUST}&labels=1A", headers={"Accept": "text/csv"})
    assert [row.split(",", 5)[5] for row in file.text.splitlines()[1:]] == ["period,1A,GST on sales,10.00,10,,1"]
    client.call("GET", f"/v1/reports/gst?{AUGUST}&labels=G9", status=400)


def test_a_document_is_named_to_whoever_may_read_it(client):
    sell(client, ("110.00", "gst"))
    buy(client, "220.00", description="Pipe")
    for scopes, spent in ((("reports:read", "invoices:read"), None), (("read",), "Pipe")):
        found = client.key(*scopes).get(f"/v1/reports/gst?{YEAR}")["data"]
        assert (found["1A"]["documents"][0]["name"], found["1B"]["documents"][0]["name"]) == ("INV-0001", spent)
    less = client.key("reports:read", "expenses:read").get(f"/v1/reports/gst/documents?{YEAR}&label=1A")["data"]
    assert less[0]["name"] is None


@pytest.mark.both
def test_a_third_partys_documents_take_part_in_one_query_for_all_businesses(make_app, install):
    built = []

    def barter(period):
        built.append(period)
        swapped = sa.select(
            sa.literal("bar_1").label("document_id"),
            period.since.label("counts_on"),
            sa.literal(5500, sa.BigInteger).label("G1"),
            sa.literal(500, sa.BigInteger).label("1A"),
        )
        return swapped.where(period.registered(period.since))

    install(Manifest(name="barter", offers=(GstEntries(labels=("G1", "1A"), select=barter),)))
    client = Client(make_app(*PLUGINS, "barter"))
    sell(client, ("110.00", "gst"), issue_date="2026-08-01")
    found = client.get(f"/v1/reports/gst?{YEAR}")["data"]
    assert (found["G1"]["amount"], found["1A"]["amount"]) == (165, 15)
    assert "bar_1" in [one["id"] for one in found["1A"]["documents"]]
    other = Client(client.app)
    other.patch("/v1/tenant", {"gst_settings": [{"from": "2026-08-15", "registered": True}]})
    sell(other, ("220.00", "gst"), issue_date="2026-08-20")
    days = ("from=2026-08-01&to=2026-08-19", "from=2026-08-15&to=2026-08-19", "from=2026-08-16&to=2026-08-31")
    assert [other.get(f"/v1/reports/gst?{one}")["data"]["G1"]["amount"] for one in days] == [0, 55, 275]
    assert client.get(f"/v1/reports/gst?{YEAR}")["data"] == found
    assert len(built) == 1


CODES = ("gst", "gst_free", "export", "input_taxed", "out_of_scope")


@pytest.mark.sqlite_alone  # random books pay on PostgreSQL
@given(data=st.data())
@h_settings(max_examples=12)
def test_on_a_cash_basis_all_payments_count_all_of_it_to_the_cent(make_app, data):
    """Whatever is paid when, and whatever notes take off: what is taxed adds up to what is left of it.

    So does what bears no GST where no note is later than its payments: nothing of it is adjusted afterwards (Div 19).
    """
    client = on(Client(make_app(*PLUGINS)), "cash")
    codes = data.draw(st.lists(st.sampled_from(CODES), min_size=1, max_size=4, unique=True))
    prices = [data.draw(st.integers(1, 30_000)) for _ in codes]
    id = sell(
        client, *((str(D(p).scaleb(-2)), code) for p, code in zip(prices, codes, strict=True)), issue_date="2026-07-01"
    )
    invoice = client.get(f"/v1/invoices/{id}")["data"]
    due = int(invoice["total"] * 100)
    if data.draw(st.booleans()) and prices[0] > 1:
        price = data.draw(st.integers(1, prices[0] - 1))
        take_off(
            client,
            id,
            str(D(price).scaleb(-2)),
            line_items=[{"invoice_line_id": invoice["line_items"][0]["id"], "amount": str(D(price).scaleb(-2))}],
        )
        due -= price
    days = []
    while due:
        part = data.draw(st.integers(1, due)) if len(days) < 4 else due
        days.append(data.draw(st.sampled_from(["2026-07-02", "2026-07-19", "2026-08-03", "2026-06-30"])))
        pay(client, id, str(D(part).scaleb(-2)), days[-1])
        due -= part
    left = {code: D(0) for code in CODES}
    notes = client.get(f"/v1/adjustment_notes?invoice_id={id}&include=line_items")["data"]
    for sign, lines in [(1, invoice["line_items"]), *((-1, note["line_items"]) for note in notes)]:
        for line in lines:
            left[line["gst_code"]] += sign * line["total"]
    gst = invoice["gst"] - sum(note["gst"] for note in notes)
    wanted = {"G1": sum(left.values()) - left["out_of_scope"], "G2": left["export"], "G3": left["gst_free"]}
    wanted |= {"G4": left["input_taxed"]}
    quarters = ["from=2026-06-01&to=2026-06-30", "from=2026-07-01&to=2026-07-19", "from=2026-07-20&to=2026-12-31"]
    found = [report(client, quarter) for quarter in quarters]
    sums = {label: sum(one.get(label, D(0)) for one in found) for label in (*wanted, "G8", "G18", "1A", "1B")}
    assert (sums["G8"] - sums["G18"], sums["1A"] - sums["1B"]) == (left["gst"], gst)
    assert notes or {label: sums[label] for label in wanted} == wanted


def test_a_later_note_on_what_bears_no_gst_adjusts_what_is_taxed_alone(client):
    """Of what was paid, more belongs to what is taxed once the note takes something else off."""
    on(client, "cash")
    lines = ("3.80", "input_taxed"), ("88.38", "gst"), ("2.74", "out_of_scope"), ("2.36", "export")
    id = sell(client, *lines, issue_date="2026-07-01")
    first = client.get(f"/v1/invoices/{id}")["data"]["line_items"][0]["id"]
    take_off(client, id, "0.88", line_items=[{"invoice_line_id": first, "amount": "0.88"}])
    pay(client, id, "96.40", "2026-07-19")
    # 96.40 of 97.28 is paid: that share of 94.54, 2.36, 3.80 and 8.03. Of the note's day, the rest of 88.38 and 8.03.
    counted = amounts(G1="93.68", G2="2.34", G4="3.77", G5="6.11", G6="87.57", G8="87.57", G9="7.96", _1A="7.96")
    assert report(client, "from=2026-07-01&to=2026-07-19") == counted
    assert report(client, "from=2026-07-20&to=2026-12-31") == amounts(G7="0.81", G8="0.81", G9="0.07", _1A="0.07")


def test_however_many_periods_were_lodged_there_is_a_report(client):
    made = lodge(client, "from=2026-04-01&to=2026-06-30")["data"]
    mine = periods.c.tenant_id == client.tenant_id
    with client.app.db.writing(client.tenant_id) as db:
        row = db.execute(sa.select(periods).where(mine, periods.c.id == made["id"])).one()._asdict()
        days = [date(2020, 1, 1) + timedelta(i) for i in range(1100)]
        rows = [{**row, "id": f"gpr_{i:026}", "since": day, "until": day} for i, day in enumerate(days)]
        db.execute(sa.insert(periods), rows)
    assert client.get("/v1/reports/gst?from=2026-08-02&to=2026-08-31")["data"]["corrections"] == {}
