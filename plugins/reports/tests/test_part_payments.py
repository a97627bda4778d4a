"""Part payments: without a cash basis all GST of one supply counts with the first of them (s 29-5(1) GST Act)."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from billycan.testing import Client

pytestmark = pytest.mark.either

D = Decimal
PLUGINS = ("contacts", "documents", "expenses", "hosted", "invoices", "jobs", "quotes", "reports")
MONTHS = ("from=2026-07-01&to=2026-07-31", "from=2026-08-01&to=2026-08-31", "from=2026-09-01&to=2026-09-30")


@pytest.fixture
def client(make_app, clock):
    at(clock, 7)
    return Client(make_app(*PLUGINS))


def at(clock, month):
    clock.time = datetime(2026, month, 3, 2, tzinfo=UTC)


def work(client):
    """A job of 1,100.00 with 100.00 of GST, and 50.00 GST-free."""
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    lines = [{"description": "Heat pump", "unit_price": "1000.00"}]
    lines.append({"description": "Water", "unit_price": "50.00", "gst_code": "gst_free"})
    body = {"client_id": contact, "title": "Hot water", "scheduled_start": "2026-11-30T22:00:00Z", "line_items": lines}
    return client.post("/v1/jobs", body)["data"]["id"]


def claim(client, job, **asked):
    id = client.post(f"/v1/jobs/{job}/invoice", asked or None)["data"]["id"]
    return client.post(f"/v1/invoices/{id}/send", status=200)["data"]


def months(client, label, basis="accrual"):
    """Return each month's figure of a label. Reductions of earlier months are adjustments; no label is below zero."""
    reports = [client.get(f"/v1/reports/gst?{month}&basis={basis}")["data"] for month in MONTHS]
    parts = {"1A": {"1A": 1, "1B": -1}, "G1": {"G1": 1, "G7": 1, "G18": -1}}.get(label, {label: 1})
    for figures in ([report[part] for part in parts] for report in reports):
        for figure in figures:
            assert figure["amount"] == sum(one["amount"] for one in figure["documents"]) >= 0
    return [sum(sign * report[part]["amount"] for part, sign in parts.items()) for report in reports]


def test_all_of_it_counts_with_the_first_part(client, clock):
    job = work(client)
    first = claim(client, job, percent=20, claim="part_payment")
    assert (months(client, "1A"), months(client, "G1"), months(client, "G3")) == ([100, 0, 0], [1150, 0, 0], [50, 0, 0])
    at(clock, 8)
    claim(client, job, percent=30, claim="part_payment")
    at(clock, 9)
    claim(client, job)
    assert (months(client, "1A"), months(client, "G1"), months(client, "G3")) == ([100, 0, 0], [1150, 0, 0], [50, 0, 0])
    client.post(f"/v1/invoices/{first['id']}/payments", {"amount": "115.00", "payment_method": "card"})
    assert months(client, "1A", "cash") == [0, 0, 10]


@pytest.mark.parametrize("mistake", [False, True])
def test_more_work_and_a_void_part_count_when_they_are(client, clock, mistake):
    job = work(client)
    first = claim(client, job, percent=20, claim="part_payment")
    at(clock, 8)
    lines = client.get(f"/v1/jobs/{job}")["data"]["line_items"]
    client.patch(f"/v1/jobs/{job}", {"line_items": [*lines, {"description": "Valve", "unit_price": "100.00"}]})
    second = claim(client, job, percent=50, claim="part_payment")
    assert months(client, "1A") == [100, 10, 0]
    client.post(f"/v1/invoices/{first['id']}/void", {"mistake": mistake}, 200)
    assert months(client, "1A") == ([0, 110, 0] if mistake else [100, 10, 0])
    client.post(f"/v1/invoices/{second['id']}/void", {"mistake": mistake}, 200)
    assert months(client, "1A") == ([0, 0, 0] if mistake else [100, -100, 0])
    at(clock, 9)
    claim(client, job)
    assert months(client, "1A") == ([0, 0, 110] if mistake else [100, -100, 110])


def test_what_is_not_done_counts_no_more_once_the_job_is_cancelled(client, clock):
    job = work(client)
    claim(client, job, percent=20, claim="part_payment")
    at(clock, 8)
    client.post(f"/v1/jobs/{job}/cancel", {}, 200)
    assert (months(client, "1A"), months(client, "G1")) == ([100, -80, 0], [1150, -880, 0])


def test_nothing_counts_ahead_again_of_a_job_that_was_cancelled(client, clock):
    job = work(client)
    claim(client, job, percent=20, claim="part_payment")
    second = claim(client, job, percent=30, claim="part_payment")
    drafted = client.post(f"/v1/jobs/{job}/invoice", {"percent": 10, "claim": "part_payment"})["data"]["id"]
    at(clock, 8)
    client.post(f"/v1/jobs/{job}/cancel", {}, 200)
    assert (months(client, "1A"), months(client, "G3")) == ([100, -50, 0], [50, 0, 0])
    at(clock, 9)
    client.post(f"/v1/invoices/{second['id']}/void", {}, 200)
    client.patch(f"/v1/invoices/{drafted}", {"issue_date": "2026-09-03", "due_date": "2026-09-17"})
    client.post(f"/v1/invoices/{drafted}/send", status=200)
    # The second part was a mistake: as if it never was, 80.00 counted ahead until the job was cancelled.
    assert (months(client, "1A"), months(client, "G3")) == ([100, -80, 10], [50, 0, 5])


def test_a_deposit_that_was_asked_for_first_is_part_of_it(client, clock):
    job = work(client)
    deposit = claim(client, job, percent=10, claim="deposit")
    client.post(f"/v1/invoices/{deposit['id']}/pay", {"payment_method": "card"}, 200)
    assert months(client, "1A") == [0, 0, 0]
    at(clock, 8)
    claim(client, job, percent=20, claim="part_payment")
    at(clock, 9)
    claim(client, job)
    assert (months(client, "1A"), months(client, "G1")) == ([0, 100, 0], [0, 1150, 0])


def test_a_deposit_that_is_taken_off_before_it_is_sent_counts_with_what_takes_it_off(client, clock):
    job = work(client)
    asked = {"percent": 10, "claim": "deposit"}
    deposit = client.post(f"/v1/jobs/{job}/invoice", asked)["data"]["id"]
    claim(client, job)
    assert (months(client, "1A"), months(client, "G1")) == ([100, 0, 0], [1150, 0, 0])
    at(clock, 8)
    client.post(f"/v1/invoices/{deposit}/send", status=200)
    assert (months(client, "1A"), months(client, "G1")) == ([100, 0, 0], [1150, 0, 0])
    assert months(client, "1A", "cash") == [0, 0, 0]
    client.post(f"/v1/invoices/{deposit}/pay", {"payment_method": "card"}, 200)
    assert months(client, "1A", "cash") == [0, 10, 0]


def test_progress_claims_are_supplies_of_their_own(client, clock):
    """Division 156."""
    job = work(client)
    claim(client, job, percent=20)
    at(clock, 8)
    claim(client, job)
    assert months(client, "1A") == [20, 80, 0]


def test_a_quotes_part_payment_is_one_of_its_job(client, clock):
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    body = {
        "client_id": contact,
        "title": "Hot water",
        "line_items": [{"description": "Pump", "unit_price": "1000.00"}],
    }
    quote = client.post("/v1/quotes", body)["data"]["id"]
    client.post(f"/v1/quotes/{quote}/send", status=200)
    client.post(f"/v1/quotes/{quote}/accept", {"name": "Ada"}, 200)
    part = {"to": "invoice", "percent": 40, "claim": "part_payment"}
    id = client.post(f"/v1/quotes/{quote}/convert", part)["data"]["id"]
    client.post(f"/v1/invoices/{id}/send", status=200)
    job = client.post(f"/v1/quotes/{quote}/convert", {"to": "job"})["data"]["id"]
    at(clock, 8)
    client.post(f"/v1/jobs/{job}/schedule", {"scheduled_start": "2026-09-01T22:00:00Z"}, 200)
    claim(client, job)
    assert months(client, "1A") == [100, 0, 0]


def test_what_counted_ahead_on_accrual_is_not_counted_again_on_cash(client, clock):
    """S 159-20 GST Act."""
    settings = (("2000-07-01", "accrual"), ("2026-08-01", "cash"))
    given = [{"from": day, "registered": True, "basis": basis} for day, basis in settings]
    client.patch("/v1/tenant", {"gst_settings": given})
    job = work(client)
    claim(client, job, percent=20, claim="part_payment")
    at(clock, 9)
    last = claim(client, job)
    client.post(f"/v1/invoices/{last['id']}/pay", {"payment_method": "card"}, 200)
    found = [client.get(f"/v1/reports/gst?{month}")["data"]["1A"]["amount"] for month in MONTHS]
    assert found == [100, 0, 0]


@pytest.mark.parametrize("basis", ["cash", "accrual"])
def test_a_note_takes_off_an_invoice_that_took_a_deposit_off(client, clock, basis):
    """Both bases come to the same once all is paid: the GST on the deposit arises with the last invoice (s 99-10)."""
    client.patch("/v1/tenant", {"gst_settings": [{"from": "2000-07-01", "registered": True, "basis": basis}]})
    job = work(client)
    deposit = claim(client, job, percent=10, claim="deposit")
    client.post(f"/v1/invoices/{deposit['id']}/pay", {"payment_method": "card"}, 200)
    at(clock, 8)
    last = claim(client, job)
    client.post(f"/v1/invoices/{last['id']}/pay", {"payment_method": "card"}, 200)
    at(clock, 9)
    lines = [{"description": "Returned", "unit_price": "100.00"}]
    note = {"invoice_id": last["id"], "reason": "returned", "line_items": lines}
    note = client.post("/v1/adjustment_notes", note)["data"]["id"]
    client.post(f"/v1/adjustment_notes/{note}/issue", status=200)
    payment = client.get(f"/v1/payments?invoice_id={last['id']}")["data"][0]["id"]
    client.post(f"/v1/payments/{payment}/refund", {"amount": "110.00", "payment_method": "card"}, 200)
    assert (months(client, "1A", basis), months(client, "G1", basis)) == ([0, 100, -10], [0, 1150, -110])


def deposit(client, job):
    """A deposit of 115.00, which is paid: its share of the GST is 10.00."""
    made = claim(client, job, percent=10, claim="deposit")
    return client.post(f"/v1/invoices/{made['id']}/pay", {"payment_method": "card"}, 200)["data"]


def credit(client, invoice, **members):
    body = {"invoice_id": invoice["id"], "reason": "cancelled", **members}
    note = client.post("/v1/adjustment_notes", body)["data"]
    client.post(f"/v1/adjustment_notes/{note['id']}/issue", status=200)
    return f"/v1/adjustment_notes/{note['id']}"


def forfeited(client):
    made = deposit(client, work(client))
    return client.post(f"/v1/invoices/{made['id']}/forfeit", {}, 200)["data"]


@pytest.mark.parametrize("basis", ["accrual", "cash"])
def test_what_is_given_back_of_a_forfeited_deposit_counts_no_more(client, clock, basis):
    """S 99-10 GST Act: only what is kept is consideration."""
    kept = forfeited(client)
    at(clock, 8)
    half = credit(client, kept, line_items=[{"description": "Goodwill", "unit_price": "57.50"}])
    assert (months(client, "1A", basis), months(client, "G1", basis)) == ([10, -5, 0], [115, -55, 0])
    client.post(f"{half}/void", {}, 200)
    assert (months(client, "1A", basis), months(client, "G3", basis)) == ([10, 0, 0], [5, 0, 0])
    at(clock, 9)
    credit(client, kept, full=True)
    assert (months(client, "1A", basis), months(client, "G1", basis)) == ([10, 0, -10], [115, 0, -110])


@pytest.mark.parametrize("basis", ["accrual", "cash"])
def test_a_forfeited_deposit_whose_payment_bounced_and_is_void_counts_no_more(client, clock, basis):
    kept = forfeited(client)
    at(clock, 8)
    client.post(f"/v1/invoices/{kept['id']}/payments/{kept['payments'][0]['id']}/reverse", {"mistake": False}, 200)
    client.post(f"/v1/invoices/{kept['id']}/void", {"mistake": False}, 200)
    assert (months(client, "1A", basis), months(client, "G1", basis)) == ([10, -10, 0], [115, -110, 0])


@pytest.mark.parametrize("basis", ["accrual", "cash"])
def test_a_work_counts_once_whatever_is_credited_of_a_deposit_taken_off(client, clock, basis):
    job = work(client)
    asked = deposit(client, job)
    final = claim(client, job)
    client.post(f"/v1/invoices/{final['id']}/pay", {"payment_method": "card"}, 200)
    assert months(client, "1A", basis) == [100, 0, 0]
    at(clock, 8)
    note = credit(client, asked, full=True)
    assert months(client, "1A", basis) == [100, 0, 0]
    client.post(f"{note}/void", {}, 200)
    assert months(client, "1A", basis) == [100, 0, 0]
    credit(client, asked, full=True)
    again = claim(client, job)
    client.post(f"/v1/invoices/{again['id']}/pay", {"payment_method": "card"}, 200)
    assert (months(client, "1A", basis), months(client, "G1", basis)) == ([100, 0, 0], [1150, 0, 0])
    ledger = client.get("/v1/reports/gst?from=2026-07-01&to=2026-09-30&basis=" + basis)["data"]["1A"]["documents"]
    assert sum(one["amount"] for one in ledger) == 100 and all(one["amount"] > 0 for one in ledger)


@pytest.mark.parametrize(("basis", "early"), [("accrual", ("1035.00", 90)), ("cash", ("517.50", 45))])
def test_money_that_came_before_the_invoice_that_takes_a_deposit_off_brings_no_deposit_forward(
    client, clock, basis, early
):
    """The GST on the deposit arises once it is applied (s 99-10), and is no part of what was received before."""
    client.patch("/v1/tenant", {"gst_settings": [{"from": "2000-07-01", "registered": True, "basis": basis}]})
    job = work(client)
    asked = deposit(client, job)
    body = {"client_id": asked["client_id"], "amount": "517.50", "payment_method": "card"}
    money = client.post("/v1/payments", body)["data"]["id"]
    at(clock, 8)
    final = claim(client, job)
    body = {"allocations": [{"invoice_id": final["id"], "amount": "517.50"}]}
    client.post(f"/v1/payments/{money}/allocate", body, 200)
    expected = [D(early[0]), 115, 0], [early[1], 10, 0]
    assert (months(client, "G1", basis), months(client, "1A", basis)) == expected
    client.post(f"/v1/payments/{money}/deallocate", {"invoice_id": final["id"], "mistake": True}, 200)
    client.post(f"/v1/invoices/{final['id']}/void", {"mistake": False}, 200)
    assert (months(client, "G1", basis), months(client, "1A", basis)) == ([0, 0, 0], [0, 0, 0])


def test_a_deposit_counts_by_the_basis_on_which_it_is_taken_off(client, clock):
    """It is for no supply before (s 99-5): asked for on an accrual basis, it counts as it is paid on a cash basis."""
    bases = (("2000-07-01", "accrual"), ("2026-08-01", "cash"))
    given = [{"from": day, "registered": True, "basis": basis} for day, basis in bases]
    client.patch("/v1/tenant", {"gst_settings": given})
    job = work(client)
    asked = claim(client, job, percent=10, claim="deposit")
    at(clock, 8)
    claim(client, job)
    at(clock, 9)
    client.post(f"/v1/invoices/{asked['id']}/payments", {"amount": "57.50", "payment_method": "card"})
    found = [client.get(f"/v1/reports/gst?{month}")["data"] for month in MONTHS]
    assert [(one["G1"]["amount"], one["1A"]["amount"]) for one in found] == [(0, 0), (0, 0), (D("57.50"), 5)]


def test_what_a_note_gives_back_of_a_deposit_pays_for_nothing(client, clock):
    """On a cash basis no more of a deposit counts than is paid of it, however much of it was given back before."""
    client.patch("/v1/tenant", {"gst_settings": [{"from": "2000-07-01", "registered": True, "basis": "cash"}]})
    job = work(client)
    asked = deposit(client, job)
    credit(client, asked, line_items=[{"description": "Too much", "unit_price": "57.50"}])
    at(clock, 8)
    claim(client, job)
    assert (months(client, "G1", "cash"), months(client, "1A", "cash")) == ([0, D("57.50"), 0], [0, 5, 0])
    payment = client.get(f"/v1/payments?invoice_id={asked['id']}")["data"][0]["id"]
    client.post(f"/v1/payments/{payment}/deallocate", {"invoice_id": asked["id"], "mistake": True}, 200)
    assert (months(client, "G1", "cash"), months(client, "1A", "cash")) == ([0, 0, 0], [0, 0, 0])
