"""The examples in the OpenAPI document are the app's answers: a tradesman's story calls every operation once.

BILLYCAN_RECORD=1 records them again.
"""

import json
from datetime import timedelta
from decimal import Decimal
from unittest import mock
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa
from openapi_schema_validator import OAS31Validator

from billycan import Address, Context, Event, Identity, Route
from billycan.csv import exporting
from billycan.describe.codes import every_code
from billycan.events import events
from billycan.starting.plugins import first_party
from billycan.testing import Client, Clock, Recorder, run_timed
from billycan.web import encode, parse
from billycan_agents.testing import agent_of, set_policy
from billycan_apps.testing import OAuthApp
from billycan_archives.making import make_archive
from billycan_archives.tables import archives
from billycan_custom_fields import handlers as custom_fields
from billycan_imports.testing import finish_imports
from billycan_invoices.full_lists import MOST
from billycan_invoices.tables import invoices
from billycan_mail.relay import Outcome
from billycan_mail.sending import Due, Sender
from billycan_mail.tables import suppressed
from billycan_pdf import api as pdf
from billycan_reports.ledger import exports
from billycan_reports.ledger.backlog import imported
from billycan_requests import keeping as requests
from billycan_users.testing import Browser
from billycan_webhooks.tables import deliveries

pytestmark = [pytest.mark.whole, pytest.mark.sqlite_alone]

ALL = sorted(first_party())
SITE = "https://quollbrook.example"
SELLER = {
    "name": "Quollbrook Plumbing",
    "legal_name": "Quollbrook Plumbing Pty Ltd",
    "timezone": "Australia/Hobart",
    "address": Address(line1="7 Billycan Lane", suburb="Moonah", state="TAS", postcode="7009"),
    "email": "office@quollbrook.example",
    "phone": "03 5550 0170",
}


# The mail server's answer in the story; nothing listens at this address.
MAIL = {"url": "smtp://127.0.0.1:9", "sender": "mail@example.com", "per_day": 14}
TOOK = {"orders@example.com": ("sent", "250 OK"), "accounts@example.com": ("sent", "250 OK")}
REFUSED = {"orders@example.com": ("failed", "550 5.1.1 no such user"), "accounts@example.com": ("sent", "250 OK")}


class Still(Clock):
    """A clock that stays at one time until it is moved, so that examples show round times."""

    def __call__(self):
        return self.time


@pytest.fixture
def clock():
    return Still()


stories = {}  # what was recorded on each database, which the tests read and none changes


@pytest.fixture
def told(engine, make_app, clock):
    """Return the recording of the story, told once for each engine."""
    if engine not in stories:
        stories[engine] = tell(make_app, clock)
    return stories[engine]


def tell(make_app, clock):
    c = Recorder(make_app(*ALL, fresh=True, attachments={"quota_bytes": 100_000}, mail=MAIL), profile=SELLER)
    listener = Client(c.app, c.tenant_id, per_minute=100, per_second=20)
    listener.post("/v1/webhook_endpoints", {"url": "https://example.com/all", "events": ["*"]})
    c.headers = listener.headers
    first, then = (business, people, price, work, book, money, post_out), (spend, listen, refuse, clean, connect, wait)
    for chapter in (*first, *then, let_know, hurry, write_together, define, ask_first, look_back):
        clock.move(minutes=10)
        chapter(c, clock)
    return c


def connect(c, clock):
    oauth = OAuthApp(c, "contacts:read")
    connection = oauth.connect().key_id
    oauth.person().get("/dashboard/connections")
    oauth.person().send(f"/dashboard/connections/{connection}/disconnect")


def let_know(c, clock):
    rule = c.get("/v1/notification_rules")["data"][0]["id"]
    c.patch(f"/v1/notification_rules/{rule}", {"how": "daily"})
    c.get(f"/v1/notification_rules/{rule}")


def business(c, clock):
    c.get("/v1/me")
    c.headers = c.key().headers  # the limits of the key shown are too tight for all that follows
    account = {"bsb": "067-000", "account_number": "12345678", "account_name": "Quollbrook Plumbing"}
    c.patch("/v1/tenant", {"bank_account": account, "payid": "office@quollbrook.example"})
    c.get("/v1/tenant")
    c.patch("/v1/branding", {"accent_colour": "#1f5fc4", "footer": "Quollbrook Plumbing, licence 4711"})
    c.get("/v1/branding")


def people(c, clock):
    bakery = {
        "name": "Salamanca Bakery",
        "email": "orders@example.com",
        "phone": "03 5550 0134",
        "abn": "91 888 222 000",
        "gst_registered": True,
        "billing_address": {
            "line1": "12 Salamanca Place",
            "suburb": "Battery Point",
            "state": "TAS",
            "postcode": "7004",
        },
        "people": [{"name": "Noor Haddad", "role": "Accounts", "email": "accounts@example.com"}],
        "payment_terms_days": 7,
        "tags": ["wholesale"],
        "external_id": "crm-1041",
        "metadata": {"route": "north"},
    }
    c.client = c.post("/v1/contacts", bakery)["data"]["id"]
    c.supplier = c.post("/v1/contacts", {"name": "Derwent Pipe Supplies", "roles": ["supplier"]})["data"]["id"]
    c.get(f"/v1/contacts/{c.client}")
    c.patch(
        f"/v1/contacts/{c.client}", {"notes": "Deliveries at the back, before six.", "website": "https://example.com"}
    )
    c.get("/v1/contacts?search=bakery&sort=name")
    c.post(f"/v1/contacts/{c.supplier}/archive", status=200)
    c.post(f"/v1/contacts/{c.supplier}/restore", status=200)
    hours = [{"day": day, "start": "08:00", "end": "16:00"} for day in ("monday", "tuesday", "wednesday")]
    member = {"name": "Grace Okafor", "phone": "0491 570 156", "hours": hours}
    c.staff = c.post("/v1/staff", member)["data"]["id"]
    away = {"start_at": "2026-12-24T08:00:00+11:00", "end_at": "2027-01-04T08:00:00+11:00", "reason": "Summer"}
    c.patch(f"/v1/staff/{c.staff}", {"time_off": [away]})
    c.get(f"/v1/staff/{c.staff}")
    c.get("/v1/staff?active=true")


def price(c, clock):
    labour = {"name": "Labour", "description": "Labour, per hour", "unit": "hour", "unit_price": "98.00"}
    c.item = c.post("/v1/items", labour)["data"]["id"]
    c.get(f"/v1/items/{c.item}")
    c.get("/v1/items?active=true&sort=name")
    c.patch(f"/v1/items/{c.item}", {"metadata": {"account": "200"}})
    coded = c.post("/v1/items", {**labour, "sku": "LAB"})["data"]["id"]
    c.refused(409, "duplicate_sku", "POST", "/v1/items", {**labour, "name": "Labour after hours", "sku": "LAB"})
    c.delete(f"/v1/items/{coded}")
    c.delete(f"/v1/items/{c.post('/v1/items', {'name': 'Signs', 'unit_price': '40.00'})['data']['id']}")
    lines = [
        {"description": "Heat pump unit, 315 L", "unit_price": "3240.00"},
        {"description": "Fitting", "quantity": "6.5", "unit": "hour", "unit_price": "98.00", "discount_percent": "10"},
    ]
    quote = {"client_id": c.client, "title": "New hot water", "terms": "Payment within 7 days.", "line_items": lines}
    c.quote = c.post("/v1/quotes", quote)["data"]["id"]
    c.patch(f"/v1/quotes/{c.quote}", {"summary": "Supply and fit, old unit taken away."})
    c.post(f"/v1/quotes/{c.quote}/send", {}, 200)
    c.get(f"/v1/quotes/{c.quote}")
    c.post(f"/v1/quotes/{c.quote}/accept", {"name": "Noor Haddad", "email": "accounts@example.com"}, 200)
    c.get("/v1/quotes?status=sent,accepted")
    c.job = c.post(f"/v1/quotes/{c.quote}/convert", {"to": "job"})["data"]["id"]
    small = {"client_id": c.client, "line_items": [{"description": "Replace tap washers", "unit_price": "90.00"}]}
    other = c.post("/v1/quotes", small)["data"]["id"]
    c.post(f"/v1/quotes/{other}/send", status=200)
    c.post(f"/v1/quotes/{other}/revise", status=200)
    c.post(f"/v1/quotes/{other}/send", status=200)
    c.post(f"/v1/quotes/{other}/decline", {"reason": "Another time."}, 200)
    late = c.post("/v1/quotes", {**small, "expiry_date": "2026-11-22"})["data"]["id"]
    c.post(f"/v1/quotes/{late}/send", status=200)
    clock.move(days=2)
    c.refused(409, "invalid_state_transition", "POST", f"/v1/quotes/{late}/accept", {"name": "Noor Haddad"})
    c.post(f"/v1/quotes/{late}/send", {"expiry_date": "2026-12-24"}, 200)
    c.post(f"/v1/quotes/{late}/cancel", status=200)
    c.delete(f"/v1/quotes/{c.post('/v1/quotes', small)['data']['id']}")


def work(c, clock):
    job = {
        "client_id": c.client,
        "title": "Blocked drain",
        "site_address": {"line1": "7 Main Road", "suburb": "Franklin", "state": "TAS", "postcode": "7113"},
        "assignee_ids": [c.staff],
        "priority": "high",
        "checklist": [{"text": "Certificate of compliance", "required": True}, {"text": "Photographs"}],
        "line_items": [{"description": "Call-out", "unit_price": "120.00"}, {"item_id": c.item, "quantity": "1.5"}],
    }
    made = c.post("/v1/jobs", job)["data"]
    id, certificate = made["id"], made["checklist"][0]["id"]
    times = {"scheduled_start": "2026-11-24T09:00:00+11:00", "scheduled_end": "2026-11-24T11:00:00+11:00"}
    c.post(f"/v1/jobs/{id}/schedule", times, 200)
    c.get("/v1/jobs?status=scheduled&scheduled_start_from=2026-11-24&scheduled_start_to=2026-11-24")
    c.post(f"/v1/jobs/{id}/start", status=200)
    c.post(f"/v1/jobs/{id}/hold", status=200)
    c.post(f"/v1/jobs/{id}/resume", status=200)
    c.refused(409, "checklist_incomplete", "POST", f"/v1/jobs/{id}/complete")
    c.patch(f"/v1/jobs/{id}", {"checklist": [{"id": certificate, "done": True}]})
    c.post(f"/v1/jobs/{id}/complete", {"notes": "Roots cut out; camera shows it clear."}, 200)
    c.post(f"/v1/jobs/{id}/reopen", status=200)
    c.post(f"/v1/jobs/{id}/complete", status=200)
    c.get(f"/v1/jobs/{id}")
    c.invoice = c.post(f"/v1/jobs/{id}/invoice")["data"]["id"]
    c.refused(409, "already_invoiced", "POST", f"/v1/jobs/{id}/invoice")
    spare = c.post("/v1/jobs", {"client_id": c.client, "title": "Gutters"})["data"]["id"]
    c.post(f"/v1/jobs/{spare}/cancel", {"reason": "Done by the landlord."}, 200)
    c.delete(f"/v1/jobs/{spare}")


def book(c, clock):
    service = {
        "name": "Inspection",
        "duration_minutes": 60,
        "price": "110.00",
        "buffer_after_minutes": 15,
        "slot_interval_minutes": 120,
        "staff_ids": [c.staff],
    }
    inspection = c.post("/v1/services", service)["data"]["id"]
    c.get(f"/v1/services/{inspection}")
    c.patch(f"/v1/services/{inspection}", {"price": "121.00", "gst_code": "gst"})
    c.get("/v1/services?active=true")
    page = {"active": True, "name": "quollbrook-plumbing", "service_ids": [inspection], "embedded_in": [SITE]}
    c.patch("/v1/booking_page", page)
    c.get("/v1/booking_page")
    c.get(f"/v1/availability?service_id={inspection}&from=2026-11-25&to=2026-11-25")
    booking = {"service_id": inspection, "client_id": c.client, "start_at": "2026-11-25T08:00:00+11:00"}
    id = c.post("/v1/bookings", {**booking, "location": "12 Salamanca Place"})["data"]["id"]
    c.refused(409, "slot_unavailable", "POST", "/v1/bookings", booking)
    c.get(f"/v1/bookings/{id}")
    c.call("GET", f"/v1/bookings/{id}.ics", status=200)
    c.patch(f"/v1/bookings/{id}", {"notes": "Ask for Noor."})
    c.post(f"/v1/bookings/{id}/reschedule", {"start_at": "2026-11-25T10:00:00+11:00"}, 200)
    c.get("/v1/bookings?start_at_from=2026-11-25&start_at_to=2026-11-25")
    c.post(f"/v1/bookings/{id}/complete", status=200)
    missed = c.post("/v1/bookings", {**booking, "start_at": "2026-11-25T12:00:00+11:00"})["data"]["id"]
    c.post(f"/v1/bookings/{missed}/no_show", status=200)
    c.post(f"/v1/bookings/{missed}/reopen", status=200)
    asked = c.post("/v1/services", {"name": "Gas fitting", "duration_minutes": 90, "requires_confirmation": True})
    pending = {**booking, "service_id": asked["data"]["id"]}
    first, second = (
        c.post("/v1/bookings", {**pending, "start_at": f"2026-11-30T{hour}:00:00+11:00"})["data"]["id"]
        for hour in ("09", "13")
    )
    c.post(f"/v1/bookings/{first}/confirm", status=200)
    c.post(f"/v1/bookings/{first}/cancel", {"reason": "The client is away."}, 200)
    c.post(f"/v1/bookings/{second}/decline", status=200)
    c.delete(f"/v1/bookings/{second}")
    c.refused(409, "has_dependents", "DELETE", f"/v1/services/{inspection}")
    c.delete(f"/v1/services/{c.post('/v1/services', {'name': 'Leak', 'duration_minutes': 30})['data']['id']}")


def money(c, clock):
    lines = [
        {"description": "Replace tap washers", "quantity": 2, "unit_price": "45.00"},
        {"description": "Water sample, tested", "unit_price": "30.00", "gst_code": "gst_free"},
    ]
    body = {"client_id": c.client, "line_items": lines, "reference": "Job 7", "discount_amount": "10.00"}
    c.post("/v1/invoices/preview", body, 200)
    id = c.post("/v1/invoices", body)["data"]["id"]
    c.patch(f"/v1/invoices/{id}", {"purchase_order": "PO-2207"})
    c.post(f"/v1/invoices/{id}/send", status=200)
    cash = {"amount": "50.00", "payment_method": "bank_transfer", "reference": "Salamanca 2207"}
    paid = c.post(f"/v1/invoices/{id}/payments", cash)["data"]["payments"][-1]["id"]
    c.refused(422, "overpayment_not_allowed", "POST", f"/v1/invoices/{id}/payments", {**cash, "amount": "500.00"})
    c.post(f"/v1/invoices/{id}/payments/{paid}/reverse", {"reason": "It bounced.", "mistake": False}, 200)
    c.post(f"/v1/invoices/{id}/pay", {"payment_method": "card"}, 200)
    c.get(f"/v1/invoices/{id}")
    c.refused(409, "document_locked", "PATCH", f"/v1/invoices/{id}", {"terms": "On sight."})
    c.refused(409, "has_payments", "POST", f"/v1/invoices/{id}/void")
    mail(c, id)
    copy = c.post(f"/v1/invoices/{id}/duplicate")["data"]["id"]
    c.post(f"/v1/invoices/{copy}/send", status=200)
    c.get("/v1/invoices?status=unpaid&sort=-due_date&per_page=1")
    c.post(f"/v1/invoices/{copy}/void", {"reason": "Sent twice."}, 200)
    bad = c.post("/v1/invoices", body)["data"]["id"]
    c.post(f"/v1/invoices/{bad}/send", status=200)
    c.post(f"/v1/invoices/{bad}/write_off", {"reason": "The client is insolvent."}, 200)
    c.post(f"/v1/invoices/{bad}/payments", {**cash, "paid_at": "2026-11-20", "reference": "Dividend"})
    c.post(f"/v1/invoices/{bad}/undo_write_off", {"mistake": True}, 200)
    c.get("/v1/invoices/summary?group_by=month&issue_date_from=2026-07-01&issue_date_to=2027-06-30")
    c.call("GET", "/v1/invoices/summary.csv?group_by=client", status=200)
    receive(c, body)
    take_off(c, id, lines)
    claim(c)
    c.delete(f"/v1/invoices/{c.post('/v1/invoices', body)['data']['id']}")
    credit = {**body, "discount_amount": None, "line_items": [{"description": "Credit", "unit_price": "-20.00"}]}
    credited = c.post("/v1/invoices", credit)["data"]["id"]
    c.refused(422, "negative_total", "POST", f"/v1/invoices/{credited}/send")
    nobody = c.post("/v1/contacts", {"name": "Nobody in particular"})["data"]["id"]
    c.patch("/v1/tenant", {"abn": None})
    lacking = c.post("/v1/invoices", {"client_id": nobody, "line_items": lines})["data"]["id"]
    c.refused(422, "tax_invoice_incomplete", "POST", f"/v1/invoices/{lacking}/send")
    c.patch("/v1/tenant", {"gst_registered": False})
    taxed = {**body, "line_items": [{**lines[0], "gst_code": "gst"}]}
    c.refused(422, "gst_not_registered", "POST", "/v1/invoices", taxed)
    c.patch("/v1/tenant", {"abn": "47555222000", "gst_registered": True})


def claim(c):
    """Invoice a deposit for a job that the client calls off."""
    lines = [{"description": "Bathroom, fitted", "unit_price": "4000.00"}]
    job = {"client_id": c.client, "title": "Bathroom", "scheduled_start": "2026-12-07T08:00:00+11:00"}
    path = f"/v1/jobs/{c.post('/v1/jobs', {**job, 'line_items': lines})['data']['id']}/invoice"
    deposit = c.post(path, {"percent": 20, "claim": "deposit"})["data"]["id"]
    c.refused(422, "over_invoiced", "POST", path, {"percent": 90, "claim": "progress"})
    c.post(f"/v1/invoices/{deposit}/pay", {"payment_method": "bank_transfer"}, 200)
    c.post(f"/v1/invoices/{deposit}/forfeit", {"reason": "Called off on the morning."}, 200)


def receive(c, body):
    """Record one receipt for two invoices, with a little more than is due."""
    one, two = (c.post("/v1/invoices", body)["data"]["id"] for _ in range(2))
    for id in (one, two):
        c.post(f"/v1/invoices/{id}/send", status=200)
    due = c.get(f"/v1/invoices/{one}")["data"]["amount_due"]
    receipt = {"client_id": c.client, "amount": str(2 * due + 20), "payment_method": "bank_transfer"}
    receipt |= {"paid_at": "2026-11-21", "reference": "SALAMANCA"}
    both = [{"invoice_id": one, "amount": str(due)}, {"invoice_id": two, "amount": "60.00"}]
    c.refused(422, "over_allocated", "POST", "/v1/payments", {**receipt, "amount": "100.00", "allocations": both})
    id = c.post("/v1/payments", {**receipt, "allocations": both})["data"]["id"]
    c.refused(409, "allocated_elsewhere", "POST", f"/v1/invoices/{one}/payments/{id}/reverse", {})
    c.post(f"/v1/payments/{id}/allocate", {"allocations": [{"invoice_id": two, "amount": "20.00"}]}, 200)
    c.post(f"/v1/payments/{id}/deallocate", {"invoice_id": two, "amount": "5.00"}, 200)
    c.refused(422, "over_refunded", "POST", f"/v1/payments/{id}/refund", {"amount": "500.00", "payment_method": "card"})
    c.get(f"/v1/payments/{id}")
    ahead = c.post("/v1/payments", {**receipt, "amount": "80.00"})["data"]["id"]
    refund = {"amount": "20.00", "payment_method": "bank_transfer", "reference": "Overpaid"}
    c.post(f"/v1/payments/{ahead}/refund", refund, 200)
    c.refused(409, "has_refunds", "POST", f"/v1/payments/{ahead}/reverse", {})
    c.get(f"/v1/payments?client_id={c.client}&unallocated_from=0.01&per_page=1")
    other = c.post("/v1/payments", {**receipt, "amount": "30.00"})["data"]["id"]
    c.post(f"/v1/payments/{other}/reverse", {"reason": "It bounced."}, 200)


def report(c):
    """Read the reports of amounts owed and of payments to contractors."""
    c.get(f"/v1/contacts/{c.client}/statement?from=2026-11-01&to=2026-11-30")
    c.call("GET", f"/v1/contacts/{c.client}/statement.csv?from=2026-11-01&to=2026-11-30", status=200)
    c.get("/v1/reports/receivables?as_at=2026-12-31")
    c.get("/v1/reports/payables?as_at=2026-12-31")
    c.get("/v1/reports/taxable_payments?year=2027")
    for name in ("receivables", "payables", "taxable_payments"):
        c.call("GET", f"/v1/reports/{name}.csv", status=200)
    days = {"from": "2026-10-01", "to": "2026-12-31"}
    for path in ("gst?", "gst/documents?label=1A&"):
        query = f"{path}from={days['from']}&to={days['to']}"
        c.get(f"/v1/reports/{query}")
        c.call("GET", f"/v1/reports/{query.replace('?', '.csv?')}", status=200)
    c.get("/v1/reports/gst/periods?from=2026-01-01")
    early = c.post("/v1/gst_periods", {"from": "2026-04-01", "to": "2026-06-30"})["data"]["id"]
    lodged = c.post("/v1/gst_periods", {"from": "2026-07-01", "to": "2026-09-30"})["data"]["id"]
    c.get(f"/v1/gst_periods/{lodged}")
    c.get("/v1/gst_periods?sort=-created_at")
    c.refused(409, "period_lodged", "POST", "/v1/gst_periods", {"from": "2026-07-01", "to": "2026-09-30"})
    c.refused(422, "period_not_over", "POST", "/v1/gst_periods", {"from": "2026-10-01", "to": "2026-12-31"})
    c.refused(422, "not_a_period", "POST", "/v1/gst_periods", {"from": "2026-07-03", "to": "2026-08-17"})
    c.refused(409, "later_period_lodged", "POST", f"/v1/gst_periods/{early}/reopen", {"reason": "Too early."})
    c.post(f"/v1/gst_periods/{lodged}/reopen", {"reason": "It was not sent yet."}, 200)
    settings = c.patch("/v1/tenant", {"locked_until": "2026-06-30"})["data"]["gst_settings"]
    other = "cash" if settings[0]["basis"] == "accrual" else "accrual"
    changed = {"gst_settings": [{**settings[0], "basis": other}], "accept_corrections": True}
    c.refused(409, "period_locked", "PATCH", "/v1/tenant", changed)
    c.patch("/v1/tenant", {"locked_until": None})
    keep_books(c)


def keep_books(c):
    """Give the ledger the accounts of other software, and hand it over."""
    parts = c.post("/v1/accounts", {"code": "4-1100", "name": "Parts sold", "type": "income"})["data"]["id"]
    c.get(f"/v1/accounts/{parts}")
    c.patch(f"/v1/accounts/{parts}", {"name": "Parts"})
    c.get("/v1/accounts?role=receivable")
    c.refused(409, "duplicate_account_code", "POST", "/v1/accounts", {"code": "100", "name": "Till", "type": "asset"})
    wrong = c.post("/v1/accounts", {"code": "9-9999", "name": "Nothing", "type": "expense"})["data"]["id"]
    c.delete(f"/v1/accounts/{wrong}")
    method = c.post("/v1/payment_methods", {"name": "cheque", "account_code": "100"})["data"]["id"]
    c.get(f"/v1/payment_methods/{method}")
    c.patch(f"/v1/payment_methods/{method}", {"name": "Cheque"})
    c.get("/v1/payment_methods")
    again = {"name": "cheque", "account_code": "100"}
    c.refused(409, "duplicate_payment_method", "POST", "/v1/payment_methods", again)
    c.delete(f"/v1/payment_methods/{method}")
    region = c.post("/v1/tracking_categories", {"name": "Region", "options": ["North", "South"]})["data"]["id"]
    c.get(f"/v1/tracking_categories/{region}")
    c.patch(f"/v1/tracking_categories/{region}", {"options": ["North", "South", "Islands"]})
    c.get("/v1/tracking_categories")
    c.refused(
        409, "duplicate_tracking_category", "POST", "/v1/tracking_categories", {"name": "Region", "options": ["East"]}
    )
    van = c.post("/v1/tracking_categories", {"name": "Van", "options": ["1", "2"]})["data"]["id"]
    third = {"name": "Crew", "options": ["A", "B"]}
    c.refused(409, "too_many_tracking_categories", "POST", "/v1/tracking_categories", third)
    c.delete(f"/v1/tracking_categories/{van}")
    balances = [{"account_code": "150", "debit": "5000.00"}, {"account_code": "100", "credit": "5000.00"}]
    trial = {"number": "TB 2026", "date": "2026-06-30", "balances": balances}
    opening = c.post("/v1/opening_balances", trial)["data"]["id"]
    c.get(f"/v1/opening_balances/{opening}")
    c.get("/v1/opening_balances")
    unbalanced = {**trial, "balances": [*balances, {"account_code": "110", "debit": "165.00"}]}
    c.refused(422, "unbalanced", "POST", "/v1/opening_balances", unbalanced)
    unlike = {**trial, "balances": [*unbalanced["balances"], {"account_code": "4-1100", "credit": "165.00"}]}
    c.refused(422, "unlike_documents", "POST", "/v1/opening_balances", unlike)
    c.delete(f"/v1/opening_balances/{opening}")
    first = c.get("/v1/ledger_entries?date_from=2026-11-01&per_page=5")["data"][0]["id"]
    c.get(f"/v1/ledger_entries/{first}")
    days = {"from": "2026-10-01", "to": "2026-12-31"}
    export = c.post("/v1/ledger_exports", {**days, "format": "xero"})["data"]["id"]
    c.refused(409, "exported_otherwise", "POST", "/v1/ledger_exports", {**days, "format": "xero_sales"})
    with c.app.db.writing(c.tenant_id) as db:  # as if a file had just been imported
        db.execute(sa.insert(imported).values(tenant_id=c.tenant_id, id="imp_1", first=1, last=1_000))
    c.refused(409, "ledger_behind", "POST", "/v1/ledger_exports", {**days, "format": "csv"})
    with c.app.db.writing(c.tenant_id) as db:
        db.execute(sa.delete(imported).where(imported.c.tenant_id == c.tenant_id))
    with mock.patch.object(exports, "MOST_ENTRIES", 5):
        c.refused(422, "too_many_entries", "POST", "/v1/ledger_exports", {**days, "format": "csv"})
    c.get(f"/v1/ledger_exports/{export}")
    c.get("/v1/ledger_exports")
    c.call("GET", f"/v1/ledger_exports/{export}/content", status=200)


def take_off(c, paid, lines):
    """Credit one returned washer of a paid invoice, and refund the credit."""
    line = c.get(f"/v1/invoices/{paid}")["data"]["line_items"][0]["id"]
    washer = {"invoice_line_id": line, "quantity": 1}
    note = {"invoice_id": paid, "reason": "returned", "description": "One came back", "line_items": [washer]}
    c.refused(422, "over_credited", "POST", "/v1/adjustment_notes", {**note, "line_items": [{**washer, "quantity": 3}]})
    id = c.post("/v1/adjustment_notes", note)["data"]["id"]
    c.patch(f"/v1/adjustment_notes/{id}", {"description": "One came back, unopened"})
    released = c.post(f"/v1/adjustment_notes/{id}/issue", status=200)["data"]["total"]
    c.get(f"/v1/adjustment_notes/{id}")
    c.get("/v1/adjustment_notes?status=issued&sort=-issue_date")
    credit = c.get(f"/v1/payments?invoice_id={paid}&unallocated_from=0.01")["data"][0]["id"]
    c.post(f"/v1/payments/{credit}/refund", {"amount": str(released), "payment_method": "card"}, 200)
    c.refused(409, "credit_spent", "POST", f"/v1/adjustment_notes/{id}/void", {})
    owed = c.post(f"/v1/invoices/{paid}/duplicate")["data"]["id"]
    c.post(f"/v1/invoices/{owed}/send", status=200)
    wrong = c.post("/v1/adjustment_notes", {"invoice_id": owed, "reason": "error", "full": True})["data"]["id"]
    c.post(f"/v1/adjustment_notes/{wrong}/issue", status=200)
    c.refused(409, "has_adjustment_notes", "POST", f"/v1/invoices/{owed}/void")
    c.post(f"/v1/adjustment_notes/{wrong}/void", {"reason": "Of the wrong invoice."}, 200)
    spare = c.post("/v1/adjustment_notes", {"invoice_id": owed, "reason": "error", "full": True})["data"]["id"]
    c.delete(f"/v1/adjustment_notes/{spare}")


def spend(c, clock):
    category = c.post("/v1/expense_categories", {"name": "Pipe and fittings"})["data"]["id"]
    c.get("/v1/expense_categories?per_page=2&sort=name")
    c.get(f"/v1/expense_categories/{category}")
    c.patch(f"/v1/expense_categories/{category}", {"name": "Pipe, fittings and valves"})
    bought = {
        "date": "2026-11-20",
        "amount": "165.00",
        "description": "Copper, 15 mm",
        "category_id": category,
        "supplier_id": c.supplier,
        "business_use_percent": "80",
        "tax_invoice_held": True,
        "payment_method": "card",
        "job_id": c.job,
    }
    id = c.post("/v1/expenses", bought)["data"]["id"]
    c.get(f"/v1/expenses/{id}")
    c.patch(f"/v1/expenses/{id}", {"reference": "R-5512"})
    attach(c, id)
    c.get("/v1/expenses?date_from=2026-11-01&date_to=2026-11-30")
    c.get("/v1/expenses/summary?group_by=category&date_from=2026-10-01&date_to=2026-12-31")
    c.patch(f"/v1/contacts/{c.supplier}", {"contractor": True, "abn": "47 555 222 000"})
    report(c)
    c.patch(f"/v1/contacts/{c.supplier}", {"contractor": False, "abn": None})
    c.post(f"/v1/expenses/{id}/void", {"reason": "Returned."}, 200)
    c.refused(409, "document_locked", "DELETE", f"/v1/attachments/{c.receipt}")
    c.delete(f"/v1/expenses/{c.post('/v1/expenses', bought)['data']['id']}")
    lines = [{"category_id": category, "amount": "220.00"}]
    lines.append({"category_id": category, "amount": "40.00", "gst_code": "gst_free", "description": "Water"})
    bill = c.post("/v1/expenses", {"date": "2026-11-20", "due_date": "2026-12-20", "line_items": lines})["data"]["id"]
    paid = {"amount": "130.00", "paid_on": "2026-11-21", "payment_method": "bank_transfer"}
    payment = c.post(f"/v1/expenses/{bill}/payments", paid)["data"]["payments"][0]["id"]
    c.post(f"/v1/expenses/{bill}/payments/{payment}/reverse", {"reason": "Wrong bill.", "mistake": True}, 200)
    c.delete(f"/v1/expense_categories/{c.post('/v1/expense_categories', {'name': 'Signs'})['data']['id']}")


def mail(c, invoice):
    path = f"/v1/invoices/{invoice}/email"
    c.post(f"{path}/preview", {}, 200)
    id = c.post(path, {"cc": ["accounts@example.com"]})["data"]["id"]
    sender = Sender(c.app)
    sender.record(sender.lease(Due(c.tenant_id, id)), Outcome(fates=TOOK, error=None, detail=None))
    c.get(f"/v1/emails/{id}")
    c.get(f"/v1/emails?document_id={invoice}")
    again = c.post(f"/v1/emails/{id}/resend")["data"]["id"]
    said, bad = "550 5.1.1 no such user", frozenset(["orders@example.com"])
    refused = Outcome(fates=REFUSED, error="address_refused", detail=said, bad=bad)
    sender.record(sender.lease(Due(c.tenant_id, again)), refused)
    c.refused(422, "address_suppressed", "POST", path, {})
    (listed,) = c.get("/v1/suppressed_addresses?reason=refused")["data"]
    c.get(f"/v1/suppressed_addresses/{listed['id']}")
    c.refused(409, "already_suppressed", "POST", "/v1/suppressed_addresses", {"address": listed["address"]})
    with c.app.db.writing(c.tenant_id) as db:  # quietly: the example is of one that a client added
        db.execute(sa.delete(suppressed).where(suppressed.c.tenant_id == c.tenant_id))
    lee = c.post("/v1/suppressed_addresses", {"address": "lee@example.com", "covers": "reminders"})["data"]["id"]
    c.delete(f"/v1/suppressed_addresses/{lee}")


def post_out(c, clock):
    listed = Client(c.app, c.tenant_id)
    for path in ("/v1/quotes", "/v1/adjustment_notes"):
        id = listed.get(f"{path}?per_page=1")["data"][0]["id"]
        c.post(f"{path}/{id}/email/preview", {}, 200)
        c.post(f"{path}/{id}/email", {"to": ["orders@example.com"]})
    c.post(f"/v1/contacts/{c.client}/statement/email/preview", {}, 200)
    c.post(f"/v1/contacts/{c.client}/statement/email", {"document": {"from": "2026-10-01", "to": "2026-12-31"}})
    many = {"to": [f"{i}@example.com" for i in range(10)]}
    c.refused(422, "too_many_emails", "POST", f"/v1/contacts/{c.client}/statement/email", many)


def bring_in(c):
    """Import a file, one with a fault, and one that cannot be read."""
    path = "/v1/imports?resource=contacts"
    good, bad = (
        c.call("POST", path, raw=text, status=202).json["data"]["id"]
        for text in (b"name,billing_address.suburb\nLiffey Farm,Liffey\n", b"name,suburb\nLiffey Farm,Liffey\n")
    )
    finish_imports(c.app)
    c.get(f"/v1/imports/{good}")
    c.get(f"/v1/imports/{bad}")
    c.get("/v1/imports?status=failed")
    c.refused(400, "malformed_csv", "POST", path, raw=b"name\nZo\xeb\n")
    for _ in range(10):
        c.call("POST", path, raw=b"name\n", status=202)
    c.refused(409, "too_many_imports", "POST", path, raw=b"name\n")
    finish_imports(c.app)
    c.refused(400, "too_many_rows", "POST", path, raw=b"name\n" + b"A\n" * 20_001)
    mend(c, path)


def mend(c, path):
    """Import a draft whose columns have other names, correct a row, and give up another draft."""
    raw = b"Client,Mail,Since\nLiffey Farm,farm,2019\n"
    draft, other = (
        f"/v1/imports/{c.call('POST', f'{path}&draft=true', raw=raw, status=202).json['data']['id']}" for _ in range(2)
    )
    c.call("POST", f"{draft}/map", {"columns": {"Client": "name", "Mail": "email"}}, status=200)
    c.call("POST", f"{draft}/start", {"dry_run": True}, status=200)
    finish_imports(c.app)
    c.get(f"{draft}/rows?faulty=true")
    c.call("POST", f"{draft}/correct", {"rows": [{"row": 1, "members": {"email": "farm@example.com"}}]}, status=200)
    c.call("POST", f"{other}/cancel", status=200)
    for first in range(1, 1_000, 50):
        rows = [{"row": row, "leave_out": True} for row in range(first, first + 50)]
        c.call("POST", f"{draft}/correct", {"rows": rows}, status=200)
    c.refused(409, "too_many_corrections", "POST", f"{draft}/correct", {"rows": [{"row": 1_001, "leave_out": True}]})


def attach(c, expense):
    path = f"/v1/attachments?resource={expense}&filename="
    c.receipt, copy = (
        c.call("POST", f"{path}{name}", raw=b"%PDF-1.7\n", status=201).json["data"]["id"]
        for name in ("receipt.pdf", "copy.pdf")
    )
    c.get(f"/v1/attachments?resource={expense}")
    c.get(f"/v1/attachments/{c.receipt}")
    c.call("GET", f"/v1/attachments/{c.receipt}/content", status=200)
    c.delete(f"/v1/attachments/{copy}")
    # The first refusal by a code is the example of it everywhere: this is the one that most clients meet.
    form = {"raw": b"name=Ada", "headers": {"Content-Type": "application/x-www-form-urlencoded"}}
    c.refused(415, "unsupported_media_type", "POST", "/v1/contacts", **form)
    c.refused(415, "unsupported_media_type", "POST", f"{path}receipt.html", raw=b"<html>")
    c.refused(422, "quota_exceeded", "POST", f"{path}plan.pdf", raw=b"%PDF-1.7\n" + bytes(100_000))


def listen(c, clock):
    last = c.get("/v1/events?event=invoice.paid")["data"][0]["id"]
    c.get(f"/v1/events/{last}")
    where = {"url": "https://example.com/hooks/billycan", "events": ["invoice.*", "quote.accepted"]}
    id = c.post("/v1/webhook_endpoints", where)["data"]["id"]
    c.get(f"/v1/webhook_endpoints/{id}")
    c.patch(f"/v1/webhook_endpoints/{id}", {"description": "The bookkeeper's"})
    c.get("/v1/webhook_endpoints?enabled=true")
    c.post(f"/v1/webhook_endpoints/{id}/rotate_secret", status=200)
    made = c.post(f"/v1/webhook_endpoints/{id}/test")["data"]["id"]
    c.get(f"/v1/webhook_deliveries/{made}")
    c.get(f"/v1/webhook_deliveries?status=pending&endpoint_id={id}")
    c.post(f"/v1/webhook_deliveries/{made}/replay")
    c.post(f"/v1/webhook_endpoints/{id}/recover", {"since": "2026-11-21T00:00:00Z"}, 202)
    local = {**where, "url": "https://localhost/hooks"}
    c.refused(422, "url_not_allowed", "POST", "/v1/webhook_endpoints", local)
    for _ in range(18):
        c.post("/v1/webhook_endpoints", where)
    c.refused(409, "too_many_endpoints", "POST", "/v1/webhook_endpoints", where)
    c.delete(f"/v1/webhook_endpoints/{id}")


def refuse(c, clock):
    def with_key(client):
        return {"Authorization": f"Bearer {client.secret}"}

    c.refused(400, "malformed_json", "POST", "/v1/contacts", raw=b'{"name": ')
    c.refused(400, "duplicate_key", "POST", "/v1/contacts", raw=b'{"name": "Ada", "name": "Ada"}')
    c.refused(400, "too_deep", "POST", "/v1/contacts", raw=b"[" * 40 + b"]" * 40)
    c.refused(400, "unknown_parameter", "GET", "/v1/expense_categories?colour=red")
    c.refused(400, "invalid_parameter", "GET", "/v1/contacts?per_page=1000")
    c.refused(400, "invalid_filter", "GET", "/v1/contacts?status=asleep")
    c.refused(400, "invalid_sort", "GET", "/v1/contacts?sort=colour")
    c.refused(400, "invalid_cursor", "GET", "/v1/contacts?cursor=guessed")
    c.refused(401, "invalid_api_key", "GET", "/v1/me", headers={"Authorization": "Bearer svc_live_guessed"})
    old = c.key(expires_at=c.app.now())
    clock.move(minutes=1)
    c.refused(401, "expired_api_key", "GET", "/v1/me", headers=with_key(old))
    gone = c.key()
    with c.app.db.writing(across="a test looks at every row") as db:
        c.app.keys.revoke(db, gone.key_id, c.app.now())
    c.refused(401, "revoked_api_key", "GET", "/v1/me", headers=with_key(gone))
    c.refused(403, "insufficient_scope", "GET", "/v1/contacts", headers=with_key(c.key("invoices:read")))
    c.refused(409, "duplicate_external_id", "POST", "/v1/contacts", {"name": "Salamanca", "external_id": "crm-1041"})
    wrong = {"email": "nobody", "abn": "12 345 678 901", "colour": "red"}
    c.refused(422, "validation_failed", "POST", "/v1/contacts", wrong)
    once = {"headers": {"Idempotency-Key": "2026-11-24/1"}}
    c.call("POST", "/v1/contacts", {"name": "Ada Lovelace"}, 201, **once)
    c.refused(422, "idempotency_key_reused", "POST", "/v1/contacts", {"name": "Grace Hopper"}, **once)
    hasty = with_key(c.key(per_second=1))
    c.call("GET", "/v1/me", None, 200, hasty)
    c.refused(429, "rate_limited", "GET", "/v1/me", headers=hasty)
    ctx = Context(c.app, c.tenant_id)
    sheet = (exporting.MOST_AT_ONCE, "too_many_exports", "/v1/contacts", "text/csv")
    paper = (pdf.MOST_AT_ONCE, "too_many_pdfs", f"/v1/invoices/{c.invoice}", "application/pdf")
    for most, code, path, media_type in (sheet, paper):
        files = [ctx.take_slot(most, code, "") for _ in range(most)]
        c.refused(429, code, "GET", path, headers={"Accept": media_type})
        for each in files:
            each.close()


def clean(c, clock):
    c.delete(f"/v1/contacts/{c.post('/v1/contacts', {'name': 'Wrong number'})['data']['id']}")
    c.delete(f"/v1/staff/{c.post('/v1/staff', {'name': 'Seasonal help'})['data']['id']}")
    one, other = ({"name": name, "email": "farm@example.com"} for name in ("Liffey Farm", "Liffey Farm Pty Ltd"))
    one, other = (c.post("/v1/contacts", body)["data"]["id"] for body in ({**one, "abn": "51 824 753 556"}, other))
    c.get(f"/v1/contacts/{one}/duplicates")
    c.patch(f"/v1/contacts/{other}", {"abn": "47 555 222 000"})
    c.refused(409, "abn_differs", "POST", f"/v1/contacts/{other}/merge", {"into": one})
    c.patch(f"/v1/contacts/{other}", {"abn": None})
    c.post(f"/v1/contacts/{other}/merge", {"into": one}, 200)
    line = {"description": "Irrigation pump", "unit_price": "480.00"}
    earlier = {"number": "2291", "client_id": one, "issue_date": "2026-06-10", "line_items": [line]}
    c.post("/v1/invoices/import", {**earlier, "amount_paid": "100.00", "paid_at": "2026-06-20"})
    c.refused(409, "duplicate_number", "POST", "/v1/invoices/import", earlier)
    bank = {"invoice_number": "2291", "amount": "428.00", "paid_at": "2026-11-20", "reference": "INV 2291"}
    c.post("/v1/payments/import", {**bank, "external_id": "bank-2026-11-20-17"})


def wait(c, clock):
    """Let days go by, with the events that time alone causes."""
    today = clock.time.astimezone(ZoneInfo("Australia/Hobart")).date()
    soon, tomorrow = (str(today + timedelta(days=days)) for days in (2, 1))
    lines = [{"description": "Replace tap washers", "unit_price": "90.00"}]
    small = {"client_id": c.client, "line_items": lines}
    invoice = c.post("/v1/invoices", {**small, "due_date": soon})["data"]["id"]
    c.post(f"/v1/invoices/{invoice}/send", status=200)
    remind(c, invoice)
    quote = c.post("/v1/quotes", {**small, "expiry_date": soon})["data"]["id"]
    c.post(f"/v1/quotes/{quote}/send", status=200)
    service = c.get("/v1/services?active=true")["data"][-1]["id"]
    start_at = f"{tomorrow}T10:00:00+11:00"
    booking = {"service_id": service, "client_id": c.client, "start_at": start_at, "force": True}
    c.post("/v1/bookings", booking)
    repeat(c, tomorrow)
    rule = {"days": 1, "subject": "Invoice {number} was due on {due_date}", "message": "Hello {client}, …"}
    c.get("/v1/reminders")
    c.patch("/v1/reminders", {"enabled": True, "rules": [rule]})
    run_timed(c.app)
    clock.move(days=4)
    run_timed(c.app)
    reminder = c.get(f"/v1/sent_reminders?invoice_id={invoice}")["data"][0]["id"]
    c.get(f"/v1/sent_reminders/{reminder}")
    bring_in(c)
    overfill(c)


def remind(c, invoice):
    """Remind a client by hand."""
    path = f"/v1/invoices/{invoice}/send_reminder"
    c.post(f"{path}/preview", status=200)
    c.post(path, {"message": "Hello, this is due in two days."})
    c.refused(409, "already_reminded", "POST", path)
    for reminders in (False, True):
        c.patch(f"/v1/invoices/{invoice}", {"reminders": reminders})
        if not reminders:
            c.refused(409, "reminders_off", "POST", path)
    paid = c.get("/v1/invoices?status=paid&per_page=1")["data"][0]["id"]
    c.refused(409, "nothing_due", "POST", f"/v1/invoices/{paid}/send_reminder")


def hurry(c, clock):
    """Let time pass in the sandbox."""
    live, sandbox = c.headers, c.sandbox()
    sandbox.post("/v1/webhook_endpoints", {"url": "https://example.com/sandbox", "events": ["clock.*", "sandbox.*"]})
    c.refused(403, "sandbox_only", "GET", "/v1/clock")
    c.headers = sandbox.headers
    c.refused(404, "resource_not_found", "GET", "/v1/sandbox/reset")
    c.post("/v1/sandbox/reset", {"samples": True}, status=202)
    c.refused(409, "reset_under_way", "POST", "/v1/sandbox/reset", {})
    run_timed(c.app)
    c.get("/v1/sandbox/reset")
    c.refused(404, "resource_not_found", "GET", "/v1/clock")
    now, to = ((clock.time + timedelta(days=days)).isoformat() for days in (1, 31))
    c.post("/v1/clock", {"now": now})
    c.refused(409, "clock_is_set", "POST", "/v1/clock", {"now": now})
    c.post("/v1/clock/advance", {"to": to}, status=202)
    c.refused(409, "clock_advancing", "POST", "/v1/clock/advance", {"to": to})
    c.get("/v1/clock")
    c.delete("/v1/clock")
    c.headers = live


def overfill(c):
    """Fill a job with as many invoices as it can have."""
    job = c.post("/v1/jobs", {"client_id": c.client, "title": "Maintenance"})["data"]["id"]
    with c.app.db.writing(across="a story that would take long") as db:
        copied = {**db.execute(sa.select(invoices).where(invoices.c.id == c.invoice)).one()._mapping, "job_id": job}
        copies = [{**copied, "id": f"inv_{n}", "number": f"INV-{10_000 + n}"} for n in range(MOST)]
        db.execute(sa.insert(invoices), copies)
    lines = [{"description": "Replace tap washers", "unit_price": "90.00"}]
    c.refused(409, "list_full", "POST", "/v1/invoices", {"client_id": c.client, "job_id": job, "line_items": lines})


def write_together(c, clock):
    """Write several records in one request, and follow what changed."""
    cursor = c.key("read").get("/v1/changes")["data"]["cursor"]
    lines = [{"description": "Fit a mixer tap", "unit_price": "180.00"}]
    operations = [
        {"method": "POST", "path": "/v1/contacts", "body": {"name": "Lindisfarne Café"}, "ref": "client"},
        {
            "method": "POST",
            "path": "/v1/invoices",
            "body": {"client_id": "$client.id", "line_items": lines},
            "ref": "bill",
        },
        {"method": "POST", "path": "/v1/invoices/$bill.id/send"},
    ]
    c.post("/v1/batch", {"atomic": True, "operations": operations}, 200)
    c.get(f"/v1/changes?resources=contacts,invoices&after={cursor}")
    c.refused(410, "resync", "GET", "/v1/changes?after=1000000.1000000.evt_01m7yjmt31mtrmy8tkhfwv38rc")
    long = {"method": "POST", "path": "/v1/contacts", "body": {"name": "Moonah Bakery", "notes": "x" * 10_000}}
    c.get("/v1/search?q=lindisfarne")
    c.get("/v1/calendar?from=2026-11-20&to=2026-12-20")
    c.refused(422, "too_many_changes", "POST", "/v1/batch", {"atomic": True, "operations": [long] * 30})
    before, c.headers = c.headers, c.key("read", "write", per_minute=5).headers
    c.refused(400, "too_many_operations", "POST", "/v1/batch", {"operations": [long] * 7})
    c.headers = before


def define(c, clock):
    """Define custom fields for contacts, and use one."""
    path, access = "/v1/custom_fields", {"resource": "contacts", "key": "access", "type": "choice"}
    access |= {"choices": ["gate code", "key box", "ring"], "label": "Access to the site"}
    field = c.post(path, access)["data"]["id"]
    c.refused(409, "duplicate_custom_field", "POST", path, access)
    c.post("/v1/contacts", {"name": "Rosny Dental", "custom": {"access": "ring"}})
    c.get(f"{path}?resource=contacts")
    c.get(f"{path}/{field}")
    c.patch(f"{path}/{field}", {"choices": ["gate code", "key box", "ring", "neighbour"]})
    c.refused(409, "has_values", "DELETE", f"{path}/{field}")
    with mock.patch.object(custom_fields, "MOST_FIELDS", 1):
        other = {"resource": "jobs", "key": "insured", "type": "boolean"}
        c.refused(409, "too_many_custom_fields", "POST", path, other)
    c.delete(f"{path}/{field}?clear_values=true")


def look_back(c, clock):
    """List what a key asked lately, of which the times are made up: they are those of the machine."""
    key = c.key("contacts:write", "requests:read")
    of = {"tenant_id": c.tenant_id, "caller_id": key.key_id, "at": c.app.now(), "method": "POST"}
    of |= {"route": "/v1/contacts", "status": 422, "seconds": 0.004, "request_id": "nightly-import-42"}
    with c.app.db.noting() as db:
        asked = Route.Answered(**of, code="validation_failed", param="name")
        requests.write_requests(db, c.app, "00000000", 0, [asked], {})
    c.headers, before = key.headers, c.headers
    c.get("/v1/requests")
    c.headers = before


def take_along(c, owner):
    """Have everything of the business made into one file."""
    owner.get("/dashboard/archive")
    owner.send("/dashboard/archive")
    with c.app.db.reading(c.tenant_id) as db:
        id = db.execute(sa.select(archives.c.id).where(archives.c.tenant_id == c.tenant_id)).scalar_one()
    while make_archive(Context(c.app, c.tenant_id), id):
        pass


def ask_first(c, clock):
    """Have an agent propose what a person decides."""
    live, agent, owner = c.headers, agent_of(c, "propose"), Browser(c.app).join(c, "owner", "owner@example.com")
    c.headers = agent.headers
    asked = {"Prefer": "propose", "X-Reason": "They rang this morning, and want a quote."}
    new = {"name": "Sorell Joinery", "phone": "03 5550 0188"}
    error = c.refused(403, "approval_required", "POST", "/v1/contacts", new, headers=asked)
    c.get("/v1/proposals?status=pending")
    page = f"/dashboard/approvals/{error['proposal_id']}"
    owner.get(page)
    owner.send(f"{page}/approve")
    take_along(c, owner)
    made = c.get(f"/v1/proposals/{error['proposal_id']}")["data"]["record_id"]
    set_policy(
        agent,
        Identity.Policy(mode="limits", auto_below=Decimal("500.00"), per_day=Decimal("2000.00"), never=["delete_*"]),
    )
    c.get("/v1/me")
    c.refused(403, "not_allowed_for_agents", "DELETE", f"/v1/contacts/{made}")
    owner.get(f"/dashboard/agents/{agent.key_id}")
    owner.send(f"/dashboard/agents/{agent.key_id}/freeze")
    c.refused(403, "frozen", "POST", "/v1/contacts", new)
    c.headers = live


def repeat(c, tomorrow):
    """Set up a service every quarter, and recurring invoices that end or fail."""
    path, lines = "/v1/recurring_invoices", [{"description": "Backflow test", "unit_price": "180.00"}]
    body = {"client_id": c.client, "frequency": "quarter", "start_on": tomorrow, "line_items": lines}
    id = c.post(path, {**body, "then": "send", "reference": "Backflow"})["data"]["id"]
    c.patch(f"{path}/{id}", {"notes": "Tested every quarter, as the law demands."})
    c.get(f"{path}/{id}/preview?count=4")
    c.post(f"{path}/{id}/pause", status=200)
    c.post(f"{path}/{id}/resume", status=200)
    c.get(f"{path}/{id}")
    c.get(f"{path}?status=active&sort=next_on")
    ended = c.post(path, body)["data"]["id"]
    c.post(f"{path}/{ended}/end", status=200)
    c.delete(f"{path}/{ended}")
    unreached = c.post("/v1/contacts", {"name": "By post alone"})["data"]["id"]
    c.post(path, {**body, "client_id": unreached, "then": "email"})
    gone = c.post("/v1/contacts", {"name": "Moved away"})["data"]["id"]
    c.post(path, {**body, "client_id": gone})
    c.post(f"/v1/contacts/{gone}/archive", status=200)
    c.refused(422, "client_archived", "POST", path, {**body, "client_id": gone})


def test_the_examples_are_what_the_app_answers(told):
    told.check("core", *ALL)


def test_what_an_operation_refuses_and_emits_is_what_its_description_says(told):
    document = told.app.openapi()
    for operation in (o for path in document["paths"].values() for o in path.values()):
        id = operation["operationId"]
        answers = [document["components"]["responses"][name] for name in refused_with(operation)]
        said = {code for answer in answers for code in every_code(told.app) if f"`{code}`:" in answer["description"]}
        assert told.codes.get(id, set()) <= said, id
        events = {name for name in told.app.events if f"`{name}`" in operation.get("description", "")}
        told_of = told.emitted.get(id, set()) - {"quote.expired", "proposal.created"}  # whoever asked, whatever it was
        assert id == "carry_out_batch" or told_of <= events, id  # which emits whatever its operations do
        assert events <= told.bodies.keys()


def refused_with(operation):
    return [answer["$ref"].rpartition("/")[2] for answer in operation["responses"].values() if "$ref" in answer]


def test_deliveries_are_what_the_webhooks_section_says(told):
    document = json.loads(encode(told.app.openapi()), parse_float=Decimal)
    bodies = []
    for tenant_id in (told.tenant_id, told.sandbox().tenant_id):  # which alone has a clock
        with told.app.db.reading() as db:
            made = sa.select(deliveries.c.webhook_id).where(deliveries.c.tenant_id == tenant_id)
            happened = sa.select(events).where(events.c.tenant_id == tenant_id, events.c.id.in_(made))
            bodies += [parse(Event.body_of(row)) for row in db.execute(happened)]
    assert {body["event"] for body in bodies} == set(document["webhooks"]) == set(told.app.events)
    for body in bodies:
        content = document["webhooks"][body["event"]]["post"]["requestBody"]["content"]["application/json"]
        OAS31Validator({**content["schema"], "components": document["components"]}).validate(body)
