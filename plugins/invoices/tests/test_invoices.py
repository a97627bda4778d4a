"""Tests of the contract of invoices, member by member and state by state, through the API."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from urllib.parse import quote

import pytest
import sqlalchemy as sa

from billycan import Context, Invalid, demo, own
from billycan.testing import Client
from billycan_invoices import resource
from billycan_invoices.invoices.handlers import create_invoice
from billycan_invoices.invoices.schemas import Preview
from billycan_invoices.resource import Invoice, ListedInvoice, NewInvoice
from billycan_invoices.rules import in_cash, missing_from_tax_invoice
from billycan_invoices.tables import invoices

pytestmark = pytest.mark.either

D = Decimal
QUERY = resource.invoices.query
ABN, OTHER_ABN = "47555222000", "51824753556"
UNREGISTERED = {"gst_registered": False, "abn": None}
STATUSES = ("draft", "sent", "partially_paid", "paid", "void", "written_off")
CASH = {"payment_method": "cash"}


@pytest.fixture
def app(make_app):
    return make_app("contacts", "documents", "hosted", "invoices")


class Reader(Client):
    """A client that drops links from invoices, so that they equal those in events; test_pages.py tests links."""

    def get(self, *args, **headers):
        return without_link(super().get(*args, **headers))

    def post(self, *args, **headers):
        return without_link(super().post(*args, **headers))

    def patch(self, *args, **headers):
        return without_link(super().patch(*args, **headers))


def without_link(answer):
    data = answer["data"]
    for shown in data if isinstance(data, list) else [data] if data else ():
        shown.pop("hosted_url", None)
    return answer


@pytest.fixture
def client(app):
    return Reader(app)


def contact(client, **members):
    return client.post("/v1/contacts", {"name": "Ada Lovelace", **members})["data"]


def line(unit_price="100.00", **members):
    return {"description": "Tap washers", "unit_price": unit_price, **members}


def draft(client, *lines, **members):
    """A draft for a new contact unless `client_id` is given; one line of 100.00 unless others are."""
    members.setdefault("client_id", None)
    members["client_id"] = members["client_id"] or contact(client)["id"]
    return client.post("/v1/invoices", {"line_items": list(lines) or [line()], **members})["data"]


def act(client, invoice, action, body=None, status=200):
    return client.post(f"/v1/invoices/{invoice['id']}/{action}", body, status)["data"]


def get(client, invoice):
    return client.get(f"/v1/invoices/{invoice['id']}")["data"]


def pay_part(client, invoice, amount="10.00", **members):
    return act(client, invoice, "payments", {"amount": amount, **CASH, **members}, 201)


def reverse(client, invoice, payment, **members):
    return act(client, invoice, f"payments/{payment['id']}/reverse", members)


def in_state(client, status, **members):
    """An invoice of 110.00 in a state; one that is sent or void has a reversed payment, a written-off one a payment."""
    made = draft(client, **members)
    if status == "draft":
        return made
    act(client, made, "send")
    if status == "paid":
        return act(client, made, "pay", CASH)
    made = pay_part(client, made)
    if status in ("sent", "void"):
        made = reverse(client, made, made["payments"][0])
    if status in ("void", "written_off"):
        made = act(client, made, {"void": "void", "written_off": "write_off"}[status])
    assert made["status"] == status
    return made


def codes(error):
    return {(fault["param"], fault["code"]) for fault in error["details"]}


def numbers(found):
    return [int(invoice["number"].removeprefix("INV-")) for invoice in found["data"]]


def happened(client):
    found = client.get("/v1/events?per_page=100&sort=created_at")["data"]
    return [(event["event"], event["data"]) for event in found]


def test_what_is_not_sent_has_its_default(client, clock):
    client_id = contact(client)["id"]
    made = draft(client, client_id=client_id)
    assert client.last.headers["Location"].endswith(f"/v1/invoices/{made['id']}")
    assert made["id"].startswith("inv_") and made["line_items"][0]["id"].startswith("lin_")
    assert made["created_at"] == made["updated_at"] and made["created_at"].startswith("2026-11-21T00:00:00.")
    assert made == {
        "id": made["id"],
        "number": "INV-0001",
        "status": "draft",
        "client_id": client_id,
        "client": {"id": client_id, "name": "Ada Lovelace"},
        "issue_date": "2026-11-21",
        "due_date": "2026-12-05",
        "currency": "AUD",
        "amounts_are": "exclusive",
        "gst_rounding": "total_invoice",
        "discount_percent": None,
        "discount_amount": None,
        "subtotal": D("100.00"),
        "discount_total": D("0.00"),
        "gst": D("10.00"),
        "total": D("110.00"),
        "gst_breakdown": [{"gst_code": "gst", "rate": 10, "net": D("100.00"), "gst": D("10.00")}],
        "amount_paid": D("0.00"),
        "amount_credited": D("0.00"),
        "amount_written_off": D("0.00"),
        "cash_rounding": D("0.00"),
        "amount_due": D("110.00"),
        "is_overdue": False,
        "document_title": "Tax invoice",
        "tax_invoice": {"compliant": True, "missing": []},
        **dict.fromkeys(("reference", "purchase_order", "notes", "terms", "quote_id", "job_id", "booking_id")),
        **dict.fromkeys(("sent_at", "paid_at", "payment_method", "voided_at", "voided_on", "void_reason")),
        **dict.fromkeys(("written_off_at", "written_off_on", "write_off_reason", "external_id")),
        **dict.fromkeys(
            (
                "claim",
                "progress_claim",
                "work",
                "less_invoiced",
                "applied_to",
                "forfeited_on",
                "forfeited_gst",
                "forfeit_reason",
            )
        ),
        "deposits_applied": 0,
        "metadata": {},
        "allowed_actions": ["send", "pay", "duplicate"],
        "version": 1,
        "created_at": made["created_at"],
        "updated_at": made["created_at"],
        "line_items": [
            {
                "id": made["line_items"][0]["id"],
                "description": "Tap washers",
                "quantity": 1,
                "unit": None,
                "unit_price": D("100.00"),
                "discount_percent": None,
                "discount_amount": None,
                "gst_code": "gst",
                "net": D("100.00"),
                "gst": D("10.00"),
                "total": D("110.00"),
                "item_id": None,
            }
        ],
        "payments": [],
    }
    for text in ('"total":110.00', '"discount_total":0.00', '"unit_price":100.00', '"quantity":1,', '"rate":10,'):
        assert text in client.last.text


SENT = {
    "issue_date": "2026-11-01",
    "due_date": "2026-11-08",
    "currency": "AUD",
    "amounts_are": "inclusive",
    "gst_rounding": "per_line",
    "discount_percent": D("2.5"),
    "discount_amount": None,
    "reference": "Kitchen",
    "purchase_order": "PO 7",
    "notes": "Key at no. 3\nDog is friendly",
    "terms": "By bank transfer",
    "external_id": "x-1",
    "metadata": {"site": "3"},
}
CHANGED = {
    "issue_date": "2026-11-02",
    "due_date": "2026-11-09",
    "currency": "AUD",
    "amounts_are": "exclusive",
    "gst_rounding": "total_invoice",
    "discount_percent": None,
    "discount_amount": D("1.00"),
    "reference": "Bath",
    "purchase_order": "PO 8",
    "notes": "",
    "terms": "Cash",
    "external_id": "x-2",
    "metadata": {"site": "4"},
}
CLEARED = {
    "issue_date": "2026-11-21",
    "due_date": "2026-12-05",
    "currency": "AUD",
    "amounts_are": "exclusive",
    "gst_rounding": "total_invoice",
    "metadata": {},
    **dict.fromkeys(("discount_percent", "discount_amount", "reference", "purchase_order", "notes", "terms")),
    "external_id": None,
}


def test_every_member_is_kept_changed_and_cleared(client):
    assert set(SENT) | {"client_id", "line_items", "quote_id", "job_id", "booking_id"} == set(
        NewInvoice.__struct_fields__
    )
    client_id = contact(client, payment_terms_days=None)["id"]
    made = draft(client, client_id=client_id, **SENT)
    assert {name: made[name] for name in SENT} == SENT
    assert (made["total"], made["gst"], made["discount_total"]) == (D("97.50"), D("8.86"), D("2.50"))
    for name, value in CHANGED.items():
        made = client.patch(f"/v1/invoices/{made['id']}", {name: value})["data"]
        assert made[name] == value
    for name, value in SENT.items():  # an amount sent clears the percent, and the other way round
        if name not in ("discount_percent", "discount_amount"):
            client.patch(f"/v1/invoices/{made['id']}", {name: value})
    made = client.patch(f"/v1/invoices/{made['id']}", dict.fromkeys(SENT))["data"]
    assert {name: made[name] for name in CLEARED} == CLEARED
    assert (made["total"], made["discount_total"]) == (D("110.00"), D("0.00"))
    other = contact(client, name="Grace Hopper")
    made = client.patch(f"/v1/invoices/{made['id']}", {"client_id": other["id"]})["data"]
    assert made["client"] == {"id": other["id"], "name": "Grace Hopper"}


def test_a_change_that_changes_nothing_keeps_the_version_and_tells_nobody(client):
    made = draft(client, **SENT)
    events = client.events()
    for body in ({}, made, {"discount_percent": "2.50"}, {"line_items": made["line_items"]}, {"notes": made["notes"]}):
        assert client.patch(f"/v1/invoices/{made['id']}", body)["data"] == made
    assert client.events() == events


TEXTS = (
    *(("reference", 100, True), ("purchase_order", 100, True), ("external_id", 100, False)),
    *(("notes", 10_000, True), ("terms", 10_000, True)),
)
REFUSED = [
    *[({name: "x" * (most + 1)}, name, "too_long") for name, most, _ in TEXTS],
    *[({name: "\x00"}, name, "invalid_value") for name, _, _ in TEXTS],
    *[({name: 1}, name, "invalid_type") for name, _, _ in TEXTS],
    *[({name: " "}, name, "required") for name, _, may_be_empty in TEXTS if not may_be_empty],
    ({"client_id": None}, "client_id", {"POST": "invalid_type", "PATCH": "required"}),
    ({"client_id": 7}, "client_id", "invalid_type"),
    ({"client_id": "con_0"}, "client_id", "not_found"),
    ({"client_id": "nonsense"}, "client_id", "not_found"),
    ({"quote_id": "quo_0"}, "quote_id", "not_found"),
    ({"job_id": "job_0"}, "job_id", "not_found"),
    ({"booking_id": "bkg_0"}, "booking_id", "not_found"),
    ({"currency": "NZD"}, "currency", "currency_not_supported"),
    ({"currency": 36}, "currency", "invalid_type"),
    ({"issue_date": "2026-02-30"}, "issue_date", "invalid_date"),
    ({"issue_date": "2026-11-21T00:00:00Z"}, "issue_date", "invalid_date"),
    ({"issue_date": "1899-12-31"}, "issue_date", "out_of_range"),
    ({"issue_date": 20261121}, "issue_date", "invalid_type"),
    ({"due_date": "2201-01-01"}, "due_date", "out_of_range"),
    ({"due_date": "2026-11-20"}, "due_date", "out_of_range"),
    ({"issue_date": "2200-12-31", "due_date": None}, "due_date", "out_of_range"),
    ({"amounts_are": "gross"}, "amounts_are", "invalid_value"),
    ({"gst_rounding": "down"}, "gst_rounding", "invalid_value"),
    ({"discount_percent": "100.0001"}, "discount_percent", "out_of_range"),
    ({"discount_percent": -1}, "discount_percent", "out_of_range"),
    ({"discount_percent": "1.00001"}, "discount_percent", "invalid_value"),
    ({"discount_amount": "1.001"}, "discount_amount", "invalid_value"),
    ({"discount_amount": "100.01"}, "discount_amount", "out_of_range"),
    ({"discount_amount": "-0.01"}, "discount_amount", "out_of_range"),
    ({"discount_percent": 1, "discount_amount": 1}, "discount_amount", "invalid_value"),
    ({"metadata": {"a": 1}}, "metadata.a", "invalid_type"),
    ({"metadata": {str(i): "" for i in range(51)}}, "metadata", "too_long"),
    ({"colour": "red"}, "colour", "unknown_field"),
    ({"line_items": None}, "line_items", {"POST": "invalid_type", "PATCH": "required"}),
    ({"line_items": {}}, "line_items", "invalid_type"),
    ({"line_items": []}, "line_items", "required"),
    ({"line_items": [line("0")] * 501}, "line_items", "too_long"),
    ({"line_items": ["x"]}, "line_items[0]", "invalid_type"),
    ({"line_items": [{"unit_price": 1}]}, "line_items[0].description", "required"),
    ({"line_items": [{"description": "x"}]}, "line_items[0].unit_price", "required"),
    ({"line_items": [line(), line(description="")]}, "line_items[1].description", "required"),
    ({"line_items": [line(description="x" * 4001)]}, "line_items[0].description", "too_long"),
    ({"line_items": [line(unit="x" * 21)]}, "line_items[0].unit", "too_long"),
    ({"line_items": [line("1.00001")]}, "line_items[0].unit_price", "invalid_value"),
    ({"line_items": [line("1e3")]}, "line_items[0].unit_price", "invalid_value"),
    ({"line_items": [line("1000000000")]}, "line_items[0].unit_price", "out_of_range"),
    ({"line_items": [line(True)]}, "line_items[0].unit_price", "invalid_type"),
    ({"line_items": [line(quantity="0.00001")]}, "line_items[0].quantity", "invalid_value"),
    ({"line_items": [line(quantity="-1000000000")]}, "line_items[0].quantity", "out_of_range"),
    ({"line_items": [line("999999999", quantity=2)]}, "line_items[0].total", "out_of_range"),
    ({"line_items": [line("999999999")]}, "line_items[0].total", "out_of_range"),
    ({"line_items": [line("900000000")] * 2}, "total", "out_of_range"),
    ({"line_items": [line(gst_code="vat")]}, "line_items[0].gst_code", "invalid_value"),
    ({"line_items": [line(discount_percent=101)]}, "line_items[0].discount_percent", "out_of_range"),
    ({"line_items": [line(discount_amount="100.01")]}, "line_items[0].discount_amount", "out_of_range"),
    ({"line_items": [line("-5", discount_amount=1)]}, "line_items[0].discount_amount", "out_of_range"),
    (
        {"line_items": [line(discount_amount=1, discount_percent=1)]},
        "line_items[0].discount_amount",
        "invalid_value",
    ),
    ({"line_items": [line(id="lin_0")]}, "line_items[0].id", "not_found"),
    ({"line_items": [line(), line(net=1)]}, "line_items[1].net", "read_only"),
    ({"line_items": [line(gst=1)]}, "line_items[0].gst", "read_only"),
    ({"line_items": [line(total=1)]}, "line_items[0].total", "read_only"),
    ({"line_items": [line(colour=1)]}, "line_items[0].colour", "unknown_field"),
]


def test_what_breaks_a_rule_is_refused_and_named(client):
    made = draft(client)
    good = {"client_id": made["client_id"], "line_items": [line()]}
    for body, param, code in REFUSED:
        for method, path, sent in (
            ("POST", "/v1/invoices", {**good, **body}),
            ("POST", "/v1/invoices/preview", {**good, **body}),
            ("PATCH", f"/v1/invoices/{made['id']}", body),
        ):
            error = client.refused(422, "validation_failed", method, path, sent)
            expected = code if isinstance(code, str) else code[method]
            assert codes(error) == {(param, expected)}, (method, body, error)
            assert error["param"] == param
    assert get(client, made) == made and client.get("/v1/invoices")["pagination"]["total"] == 1
    assert draft(client)["number"] == "INV-0002"  # what was refused used no number


def test_all_faults_of_a_body_are_told_at_once(client):
    body = {"due_date": "soon", "line_items": [{"unit_price": "x"}, line(quantity="many", net=1)], "colour": 1}
    assert codes(client.refused(422, "validation_failed", "POST", "/v1/invoices", body)) == {
        ("client_id", "required"),
        ("due_date", "invalid_date"),
        ("line_items[0].description", "required"),
        ("line_items[0].unit_price", "invalid_value"),
        ("line_items[1].quantity", "invalid_value"),
        ("line_items[1].net", "read_only"),
        ("colour", "unknown_field"),
    }
    body = {
        "client_id": contact(client)["id"],
        "line_items": [line(discount_amount=101), line("-1", discount_amount=1)],
    }
    assert codes(client.refused(422, "validation_failed", "POST", "/v1/invoices", body)) == {
        ("line_items[0].discount_amount", "out_of_range"),
        ("line_items[1].discount_amount", "out_of_range"),
    }


READ_ONLY = sorted(set(Invoice.__struct_fields__) - {*NewInvoice.__struct_fields__, "hosted_url"})


@pytest.mark.sqlite_alone
@pytest.mark.parametrize("name", READ_ONLY)
def test_what_the_server_sets_no_client_sets(client, name):
    made = draft(client)
    body = {"client_id": made["client_id"], "line_items": [line()], name: made[name]}
    error = client.refused(422, "validation_failed", "POST", "/v1/invoices", body)
    assert codes(error) == {(name, "read_only")}
    assert client.patch(f"/v1/invoices/{made['id']}", {name: made[name]})["data"] == made
    error = client.refused(422, "validation_failed", "PATCH", f"/v1/invoices/{made['id']}", {name: "other"})
    assert codes(error) == {(name, "read_only")}


def test_what_is_worked_out_may_be_sent_back_as_text(client):
    made = draft(client, line("100.00"), line("50.00", gst_code="export"))
    path = f"/v1/invoices/{made['id']}"
    back = json.loads(client.last.body, parse_float=str)["data"]
    assert (back["total"], back["gst_breakdown"][0]["net"], back["line_items"][1]["net"]) == (
        "160.00",
        "100.00",
        "50.00",
    )
    assert client.patch(path, back)["data"] == made
    for total in ("160.01", "160.000", "1.6e2", " 160.00"):
        refused = client.refused(422, "validation_failed", "PATCH", path, {"total": total})
        assert codes(refused) == {("total", "read_only")}, total
    assert get(client, made) == made


def test_an_external_id_is_given_once(client):
    made = draft(client, external_id="x")
    body = {"client_id": made["client_id"], "line_items": [line()], "external_id": "x"}
    error = client.refused(409, "duplicate_external_id", "POST", "/v1/invoices", body)
    assert error["param"] == "external_id"
    other = draft(client)
    client.refused(409, "duplicate_external_id", "PATCH", f"/v1/invoices/{other['id']}", {"external_id": "x"})
    draft(client.sandbox(), external_id="x")
    draft(Client(client.app), external_id="x")


def test_a_draft_is_due_by_the_terms_of_its_contact_else_of_the_business(client):
    other = Client(client.app, profile={"default_payment_terms_days": 30})
    for who, terms, due in ((client, None, "2026-11-15"), (other, None, "2026-12-01"), (other, 0, "2026-11-01")):
        made = draft(who, client_id=contact(who, payment_terms_days=terms)["id"], issue_date="2026-11-01")
        assert made["due_date"] == due


def test_a_draft_is_issued_today_where_the_business_is(client, clock):
    perth = Client(client.app, profile={"timezone": "Australia/Perth"})
    clock.time = datetime(2026, 11, 21, 13, 30, tzinfo=UTC)
    assert (draft(client)["issue_date"], draft(perth)["issue_date"]) == ("2026-11-22", "2026-11-21")


def test_a_business_sets_the_defaults_of_its_documents(client):
    own = Client(client.app, profile={"amounts_are": "inclusive", "gst_rounding": "per_line"})
    made = draft(own, *[line("1.05")] * 3)
    assert (made["amounts_are"], made["gst_rounding"], made["gst"]) == ("inclusive", "per_line", D("0.30"))
    own.patch("/v1/tenant", {"gst_rounding": "total_invoice"})
    assert own.patch(f"/v1/invoices/{made['id']}", {"notes": "x"})["data"]["gst"] == D("0.30")
    assert own.patch(f"/v1/invoices/{made['id']}", {"gst_rounding": None})["data"]["gst"] == D("0.29")


def test_a_line_keeps_what_it_is_given(client):
    given = {
        "description": "Labour\nout of hours",
        "quantity": D("2.5"),
        "unit": "hour",
        "unit_price": D("95.1234"),
        "discount_percent": None,
        "discount_amount": D("0.81"),
        "gst_code": "gst_free",
    }
    made = draft(client, given, line("-0.10", quantity="3", discount_percent="12.5"))
    shown = made["line_items"]
    assert {name: shown[0][name] for name in given} == given
    assert (shown[0]["net"], shown[0]["gst"], shown[0]["total"]) == (D("237.00"), D("0.00"), D("237.00"))
    assert (shown[1]["quantity"], shown[1]["unit_price"], shown[1]["discount_percent"]) == (3, D("-0.10"), D("12.5"))
    assert (shown[1]["net"], shown[1]["total"]) == (D("-0.26"), D("-0.29"))
    codes_ = ("gst", "gst_free", "export", "input_taxed", "out_of_scope")
    made = draft(client, *(line(gst_code=code) for code in codes_))
    assert [(x["gst_code"], x["gst"]) for x in made["line_items"]] == [
        (code, D("10.00") if code == "gst" else D("0.00")) for code in codes_
    ]
    assert [x["gst_code"] for x in made["gst_breakdown"]] == list(codes_)


def test_lines_are_merged_by_id_in_the_order_sent(client):
    made = draft(client, line(description="a", unit="m", discount_percent=10), line("2", description="b"), line("3"))
    a, b, _ = (x["id"] for x in made["line_items"])
    body = [line("4", description="new"), {"id": b, "quantity": 5}, {"id": a, "unit": None}]
    changed = client.patch(f"/v1/invoices/{made['id']}", {"line_items": body})["data"]
    assert [x["id"] for x in changed["line_items"]][1:] == [b, a]
    assert [x["description"] for x in changed["line_items"]] == ["new", "b", "a"]
    assert [x["total"] for x in changed["line_items"]] == [D("4.40"), D("11.00"), D("99.00")]
    assert changed["line_items"][2]["unit"] is None and changed["line_items"][2]["discount_percent"] == 10
    assert changed["version"] == 2 and changed["total"] == D("114.40")
    assert get(client, made) == changed
    swapped = changed["line_items"][::-1]
    assert client.patch(f"/v1/invoices/{made['id']}", {"line_items": swapped})["data"]["line_items"] == swapped


def test_a_line_that_is_not_the_documents_is_not_found(client):
    made, other = draft(client), draft(client)
    mine, foreign = made["line_items"][0]["id"], other["line_items"][0]["id"]
    for lines, param in (
        ([{"id": foreign, "quantity": 2}], "line_items[0].id"),
        ([{"id": mine}, {"id": "lin_0"}], "line_items[1].id"),
        ([{"id": mine}, {"id": mine}], "line_items[1].id"),
    ):
        sent = {"line_items": lines}
        error = client.refused(422, "validation_failed", "PATCH", f"/v1/invoices/{made['id']}", sent)
        assert codes(error) == {(param, "not_found")}
    assert get(client, other) == other


def test_null_takes_a_lines_members_back_to_their_defaults(client):
    made = draft(client, line(quantity=2, unit="m", discount_percent=5, gst_code="export"))
    sent = {"id": made["line_items"][0]["id"], **dict.fromkeys(("quantity", "unit", "discount_percent", "gst_code"))}
    (shown,) = client.patch(f"/v1/invoices/{made['id']}", {"line_items": [sent]})["data"]["line_items"]
    assert (shown["quantity"], shown["unit"], shown["discount_percent"], shown["gst_code"]) == (1, None, None, "gst")
    for name in ("description", "unit_price"):
        error = client.refused(
            422, "validation_failed", "PATCH", f"/v1/invoices/{made['id']}", {"line_items": [{**sent, name: None}]}
        )
        assert codes(error) == {(f"line_items[0].{name}", "required")}


def test_one_discount_clears_the_other(client):
    made = draft(client, line(discount_percent=10), discount_amount=9)
    id, path = made["line_items"][0]["id"], f"/v1/invoices/{made['id']}"
    changed = client.patch(path, {"line_items": [{"id": id, "discount_amount": 20}], "discount_percent": 50})["data"]
    assert (changed["discount_percent"], changed["discount_amount"], changed["subtotal"]) == (50, None, D("40.00"))
    shown = changed["line_items"][0]
    assert (shown["discount_percent"], shown["discount_amount"]) == (None, D("20.00"))
    changed = client.patch(path, {"line_items": [{"id": id, "discount_percent": 1}], "discount_amount": 1})["data"]
    assert (changed["discount_percent"], changed["discount_amount"], changed["subtotal"]) == (None, D("1.00"), 98)
    assert client.patch(path, {"discount_percent": None})["data"]["discount_amount"] == D("1.00")
    for sent in (
        {"discount_percent": 1, "discount_amount": 1},
        {"line_items": [{"id": id, "discount_percent": 1, "discount_amount": 1}]},
    ):
        client.refused(422, "validation_failed", "PATCH", path, sent)


def test_a_business_that_is_not_registered_charges_no_gst(app):
    client = Client(app, profile=UNREGISTERED)
    made = draft(client, line("2000"), line(gst_code="gst_free"))
    assert [x["gst_code"] for x in made["line_items"]] == ["out_of_scope", "gst_free"]
    assert (made["gst"], made["total"], made["document_title"]) == (D("0.00"), D("2100.00"), "Invoice")
    assert made["tax_invoice"] == {"compliant": None, "missing": []}
    body = {"client_id": made["client_id"], "line_items": [line(), line(gst_code="gst")]}
    for method, path in (
        ("POST", "/v1/invoices"),
        ("POST", "/v1/invoices/preview"),
        ("PATCH", f"/v1/invoices/{made['id']}"),
    ):
        assert client.refused(422, "gst_not_registered", method, path, body)["param"] == "line_items[1].gst_code"
    sent = act(client, made, "send")
    assert (sent["status"], sent["document_title"]) == ("sent", "Invoice")  # which is not checked
    assert sent["tax_invoice"] == {"compliant": None, "missing": []}


def test_gst_is_not_charged_once_the_registration_has_ended(client):
    made = draft(client)
    client.patch("/v1/tenant", {"gst_registered": False})
    for action, body in (("send", None), ("pay", CASH), ("duplicate", None)):
        client.refused(422, "gst_not_registered", "POST", f"/v1/invoices/{made['id']}/{action}", body)
    assert get(client, made)["status"] == "draft"


def test_the_date_of_a_document_decides_whether_gst_is_charged(client):
    made = draft(client, issue_date="2026-11-20")
    client.patch("/v1/tenant", {"gst_registered": False})  # from today on: the twenty-first
    shown = get(client, made)
    assert (shown["document_title"], shown["gst"], shown["allowed_actions"]) == ("Tax invoice", 10, ["send", "pay"])
    assert draft(client, line(gst_code=None), issue_date="2026-11-20")["gst"] == 10
    assert draft(client, line(gst_code=None), issue_date="2026-11-21")["gst"] == 0
    path = f"/v1/invoices/{made['id']}"
    client.refused(422, "gst_not_registered", "PATCH", path, {"issue_date": "2026-11-21"})
    client.refused(422, "gst_not_registered", "POST", f"{path}/duplicate")
    assert act(client, made, "send")["document_title"] == "Tax invoice"


def test_a_draft_is_headed_as_the_business_is_registered_today(client):
    made = draft(client)
    client.patch("/v1/tenant", {"gst_registered": False, "abn": None})
    shown = get(client, made)
    assert (shown["document_title"], shown["tax_invoice"]) == ("Invoice", {"compliant": None, "missing": []})
    (listed,) = client.get("/v1/invoices")["data"]
    assert listed["document_title"] == "Invoice"


def test_a_document_is_a_tax_invoice_where_it_has_a_taxable_line(client):
    made = draft(client, line(gst_code="export"), line(gst_code="gst_free"))
    assert made["document_title"] == "Invoice"
    made = client.patch(f"/v1/invoices/{made['id']}", {"line_items": [line(), line(gst_code="export")]})["data"]
    assert made["document_title"] == "Tax invoice"


def test_a_tax_invoice_that_lacks_something_is_not_sent_until_it_is_mended(client):
    client.patch("/v1/tenant", {"abn": None})
    made = draft(client)
    assert made["tax_invoice"] == {"compliant": False, "missing": ["seller_abn"]}
    for action, body in (("send", None), ("pay", CASH)):
        error = client.refused(422, "tax_invoice_incomplete", "POST", f"/v1/invoices/{made['id']}/{action}", body)
        assert error["missing"] == ["seller_abn"] and codes(error) == {("seller_abn", "required")}
    assert get(client, made) == made and "invoice.sent" not in client.events()
    act(client, draft(client, line(gst_code="gst_free")), "send")
    client.patch("/v1/tenant", {"abn": ABN})
    sent = act(client, made, "send")
    assert (sent["status"], sent["tax_invoice"]) == ("sent", {"compliant": True, "missing": []})
    client.patch("/v1/tenant", {"abn": None})
    assert get(client, made)["tax_invoice"] == {"compliant": True, "missing": []}


@pytest.mark.parametrize(
    ("changed", "missing"),
    [
        ({}, []),
        ({"seller_name": None, "seller_abn": ""}, ["seller_name", "seller_abn"]),
        ({"buyer_name": None}, []),
        ({"buyer_name": None, "total": D("999.99"), "buyer_abn": None}, []),
        ({"buyer_name": None, "total": D("1000.00"), "buyer_abn": None}, ["buyer_identity"]),
        ({"buyer_name": None, "total": D("1000.00")}, []),
        ({"title": "Invoice", "seller_name": None, "seller_abn": None, "buyer_name": None, "buyer_abn": None}, []),
    ],
)
def test_a_tax_invoice_must_show_what_the_act_asks_for(changed, missing):
    complete = {
        "title": "Tax invoice",
        "seller_name": "Derwent Plumbing",
        "seller_abn": ABN,
        "buyer_name": "Ada",
        "buyer_abn": OTHER_ABN,
        "total": D("1000.00"),
    }
    assert missing_from_tax_invoice(**{**complete, **changed}) == missing


def test_numbers_are_given_at_creation_and_never_again(client):
    first, second = draft(client), draft(client)
    client.delete(f"/v1/invoices/{second['id']}")
    third = draft(client)
    client.post("/v1/invoices/preview", {"client_id": third["client_id"], "line_items": [line()]}, 200)
    copy = act(client, third, "duplicate", status=201)
    assert [x["number"] for x in (first, third, copy)] == ["INV-0001", "INV-0003", "INV-0004"]
    assert draft(client.sandbox())["number"] == draft(Client(client.app))["number"] == "INV-0001"
    assert client.get("/v1/invoices")["pagination"]["total"] == 3


def test_numbers_grow_beyond_four_digits_and_sort_as_numbers(client):
    draft(client)
    with client.app.db.writing() as db:
        db.execute(
            sa.text("UPDATE core_counters SET number = 9998 WHERE tenant_id = :id AND name = 'invoices'"),
            {"id": client.tenant_id},
        )
    assert [draft(client)["number"] for _ in range(3)] == ["INV-9999", "INV-10000", "INV-10001"]
    assert numbers(client.get("/v1/invoices?sort=number")) == [1, 9999, 10000, 10001]
    assert numbers(client.get("/v1/invoices?number=INV-10000,INV-0001&sort=-number")) == [10000, 1]


@pytest.mark.parametrize("status", STATUSES)
def test_any_invoice_is_duplicated_as_a_new_draft(client, status, clock):
    given = {**SENT, "line_items": [line(quantity="1.5", discount_amount=1), line("3", gst_code="export", unit="m")]}
    made = in_state(client, status, **given)
    clock.move(days=2)
    copy = act(client, made, "duplicate", status=201)
    assert client.last.headers["Location"].endswith(copy["id"])
    same = (
        "client",
        "amounts_are",
        "gst_rounding",
        "discount_percent",
        "reference",
        "purchase_order",
        "notes",
        "terms",
    )
    for name in (*same, "metadata", "subtotal", "gst", "total", "gst_breakdown"):
        assert copy[name] == made[name]
    assert [{**x, "id": None} for x in copy["line_items"]] == [{**x, "id": None} for x in made["line_items"]]
    assert not {x["id"] for x in copy["line_items"]} & {x["id"] for x in made["line_items"]}
    assert (copy["status"], copy["number"], copy["version"]) == ("draft", "INV-0002", 1)
    assert (copy["issue_date"], copy["due_date"], copy["external_id"]) == ("2026-11-23", "2026-12-07", None)
    assert (copy["payments"], copy["amount_paid"], copy["sent_at"], copy["paid_at"]) == ([], 0, None, None)
    assert happened(client)[-1] == ("invoice.created", copy)
    assert get(client, made) == made


def test_a_duplicate_keeps_the_documents_discount_amount(client):
    copy = act(client, draft(client, discount_amount="12.34"), "duplicate", status=201)
    assert (copy["discount_amount"], copy["subtotal"]) == (D("12.34"), D("87.66"))


@pytest.mark.parametrize("status", STATUSES)
def test_only_a_draft_is_deleted(client, status):
    made = in_state(client, status)
    if status != "draft":
        error = client.refused(409, "document_locked", "DELETE", f"/v1/invoices/{made['id']}")
        assert error["status"] == status and get(client, made) == made
        assert ("void it" in error["message"]) == ("void" in made["allowed_actions"])
        error = client.refused(409, "has_dependents", "DELETE", f"/v1/contacts/{made['client_id']}")
        paid = {"invoices_payments": len(made["payments"])} if made["payments"] else {}
        assert error["dependents"] == {"invoices": 1, **paid} and "archive it instead" in error["message"]
        return
    answer = client.delete(f"/v1/invoices/{made['id']}")
    assert answer["data"] == {"id": made["id"], "deleted": True}
    assert happened(client)[-1] == ("invoice.deleted", answer["data"])
    client.get(f"/v1/invoices/{made['id']}", 404)
    assert client.get("/v1/invoices")["pagination"]["total"] == 0
    client.delete(f"/v1/contacts/{made['client_id']}")


LOCKED = {
    "client_id": None,
    "line_items": [line("2")],
    "issue_date": "2026-11-20",
    "amounts_are": "inclusive",
    "gst_rounding": "per_line",
    "discount_percent": 1,
    "discount_amount": 1,
    "terms": "x",
}
OPEN = {
    "notes": "x",
    "reference": "y",
    "purchase_order": "z",
    "metadata": {"a": "b"},
    "external_id": "e",
    "due_date": "2026-11-30",
}


@pytest.mark.parametrize("status", STATUSES[1:])
def test_what_the_client_holds_is_locked(client, status):
    made = in_state(client, status)
    path = f"/v1/invoices/{made['id']}"
    locked = {**LOCKED, "client_id": contact(client, name="Grace")["id"]}
    assert {*locked, *OPEN, "currency", "quote_id", "job_id", "booking_id"} == set(NewInvoice.__struct_fields__)
    (shown,) = made["line_items"]
    unknown = {"id": "lin_0"}
    locked_lines = (
        [{"id": shown["id"], "quantity": 2}],
        [shown, line()],
        [unknown | line()],
        [unknown | {"unit": "m"}],
    )
    for name, value in (*locked.items(), *(("line_items", lines) for lines in locked_lines), ("issue_date", None)):
        error = client.refused(409, "document_locked", "PATCH", path, {name: value, "notes": "lost"})
        assert (error["param"], error["status"]) == (name, status)
    assert client.patch(path, made)["data"] == made
    assert client.patch(path, {"line_items": [{"id": shown["id"]}], "currency": "AUD"})["data"] == made
    for i, (name, value) in enumerate(OPEN.items(), 1):
        changed = client.patch(path, {name: value})["data"]
        assert (changed[name], changed["version"]) == (value, made["version"] + i)
        assert happened(client)[-1] == ("invoice.updated", changed)
    cleared = client.patch(path, dict.fromkeys(set(OPEN) - {"due_date"}))["data"]
    assert (cleared["notes"], cleared["metadata"], cleared["external_id"]) == (None, {}, None)
    for value, code in ((None, "required"), ("2026-11-20", "out_of_range")):
        assert codes(client.refused(422, "validation_failed", "PATCH", path, {"due_date": value})) == {
            ("due_date", code)
        }


def test_every_write_heeds_if_match(client):
    calls = [
        ("send", {}, 200),
        ("payments", {"amount": 1, **CASH}, 201),
        ("payments/{}/reverse", {}, 200),
        ("duplicate", {}, 201),
        ("pay", CASH, 200),
    ]
    made = draft(client)
    for action, body, status in calls:
        path = f"/v1/invoices/{made['id']}/" + action.format(*(x["id"] for x in made["payments"]))
        client.refused(412, "version_conflict", "POST", path, body, headers={"If-Match": '"99"'})
        client.post(path, body, status, If_Match=f'"{made["version"]}"')
        made = get(client, made)
    for action in ("void", "write_off"):
        other = in_state(client, "sent")
        path = f"/v1/invoices/{other['id']}"
        for method, end in (("POST", f"/{action}"), ("PATCH", ""), ("DELETE", "")):
            client.refused(412, "version_conflict", method, path + end, {}, headers={"If-Match": '"1"'})
        client.post(f"{path}/{action}", status=200, If_Match=f'"{other["version"]}"')


def test_every_route_of_one_invoice_answers_404_for_anothers(client):
    foreign = in_state(Client(client.app), "partially_paid")
    (payment,) = foreign["payments"]
    mine = in_state(client, "partially_paid")
    for id in (foreign["id"], "inv_0", "nonsense"):
        path = f"/v1/invoices/{id}"
        for action in ("send", "void", "write_off", "duplicate", f"payments/{payment['id']}/reverse"):
            client.refused(404, "resource_not_found", "POST", f"{path}/{action}")
        client.refused(404, "resource_not_found", "POST", f"{path}/pay", CASH)
        client.refused(404, "resource_not_found", "POST", f"{path}/payments", {"amount": 1, **CASH})
    for pay_id in (payment["id"], "pay_0", "nonsense"):
        client.refused(404, "resource_not_found", "POST", f"/v1/invoices/{mine['id']}/payments/{pay_id}/reverse")


def test_sending_freezes_who_it_is_for(client, clock):
    place = {"line1": "3 Elizabeth St", "suburb": "Hobart", "state": "TAS", "postcode": "7000"}
    who = contact(client, abn=OTHER_ABN, billing_address=place)
    first, second = (draft(client, client_id=who["id"]) for _ in range(2))
    sent = act(client, first, "send")
    assert sent["sent_at"] == sent["updated_at"] and sent["version"] == 2
    renamed = {"name": "Ada King", "abn": ABN, "billing_address": {"suburb": "Launceston"}}
    client.patch(f"/v1/contacts/{who['id']}", renamed)
    assert get(client, first)["client"] == {"id": who["id"], "name": "Ada Lovelace"}
    assert get(client, second)["client"] == {"id": who["id"], "name": "Ada King"}
    clock.move(days=1)
    act(client, second, "send")
    with client.app.db.reading() as db:
        kept = sa.select(invoices.c.client_name, invoices.c.client_abn, invoices.c.client_address)
        rows = db.execute(kept.where(invoices.c.tenant_id == client.tenant_id).order_by(invoices.c.sequence)).all()
    assert [(row.client_name, row.client_abn) for row in rows] == [("Ada Lovelace", OTHER_ABN), ("Ada King", ABN)]
    assert [row.client_address["suburb"] for row in rows] == ["Hobart", "Launceston"]


def test_a_sent_document_keeps_its_rule_when_the_business_takes_another(client):
    made = draft(client, *[line("1.05")] * 3, amounts_are="inclusive")
    act(client, made, "send")
    client.patch("/v1/tenant", {"gst_rounding": "per_line", "amounts_are": "exclusive", "gst_registered": False})
    after = client.patch(f"/v1/invoices/{made['id']}", {"notes": "x"})["data"]
    assert (after["gst"], after["gst_rounding"], after["amounts_are"]) == (D("0.29"), "total_invoice", "inclusive")
    assert (after["document_title"], after["gst_breakdown"][0]["rate"]) == ("Tax invoice", 10)


@pytest.mark.parametrize(("action", "body"), [("send", None), ("pay", CASH)])
def test_an_invoice_of_nothing_is_paid_when_it_is_sent(client, action, body):
    made = draft(client, line("5"), line("-5"))
    paid = act(client, made, action, body)
    assert (paid["status"], paid["total"], paid["payments"], paid["payment_method"]) == ("paid", 0, [], None)
    assert paid["sent_at"] == paid["paid_at"] == paid["updated_at"]
    assert paid["allowed_actions"] == ["duplicate"]
    assert happened(client)[-2:] == [("invoice.sent", paid), ("invoice.paid", paid)]
    client.refused(409, "invalid_state_transition", "POST", f"/v1/invoices/{made['id']}/void")


def test_an_invoice_of_nothing_says_alike_wherever_it_says_what_may_be_done(client):
    made = act(client, draft(client, line("5"), line("-5")), "send")
    error = client.refused(409, "invalid_state_transition", "POST", f"/v1/invoices/{made['id']}/void")
    assert error["allowed_actions"] == made["allowed_actions"] == ["duplicate"]


def test_an_invoice_below_zero_stays_a_draft(client):
    made = draft(client, line("5"), line("-6"))
    assert made["total"] == D("-1.10")
    for action, body in (("send", None), ("pay", CASH)):
        client.refused(422, "negative_total", "POST", f"/v1/invoices/{made['id']}/{action}", body)
    assert get(client, made) == made


def test_an_invoice_is_paid_in_parts_and_reversed(client, clock):
    made = in_state(client, "draft")
    act(client, made, "send")
    clock.move(days=1)
    part = pay_part(client, made, "60.05", payment_method="bank_transfer", reference="A 1")
    assert client.last.headers["Location"].endswith(f"/v1/invoices/{made['id']}")
    (first,) = part["payments"]
    assert first == {
        "id": first["id"],
        "invoice_id": made["id"],
        "amount": D("60.05"),
        "cash_rounding": D("0.00"),
        "payment_method": "bank_transfer",
        "paid_at": part["updated_at"],
        "paid_on": "2026-11-22",
        "reference": "A 1",
        "status": "recorded",
        "allowed_actions": ["reverse"],
        "created_at": part["updated_at"],
        "reversed_at": None,
        "reversed_on": None,
        "reverse_reason": None,
    }
    assert first["id"].startswith("pay_")
    assert (part["status"], part["amount_paid"], part["amount_due"]) == ("partially_paid", D("60.05"), D("49.95"))
    assert (part["paid_at"], part["payment_method"]) == (None, None)
    error = client.refused(
        422, "overpayment_not_allowed", "POST", f"/v1/invoices/{made['id']}/payments", {"amount": "50.00", **CASH}
    )
    assert (error["param"], error["amount_due"]) == ("amount", D("49.95"))
    paid = pay_part(client, made, "49.95", payment_method="card", paid_at="2026-11-01T09:00:00.5+11:00")
    assert (paid["status"], paid["payment_method"]) == ("paid", "card")
    assert paid["paid_at"] == paid["payments"][1]["paid_at"] == "2026-10-31T22:00:00.500Z"
    assert (paid["amount_paid"], paid["amount_due"]) == (D("110.00"), D("0.00"))
    open_again = reverse(client, made, first, reason="Bounced")
    assert (open_again["status"], open_again["amount_due"]) == ("partially_paid", D("60.05"))
    assert (open_again["paid_at"], open_again["payment_method"]) == (None, None)
    taken_back = open_again["payments"][0]
    assert taken_back == {
        **first,
        "status": "reversed",
        "allowed_actions": [],
        "reversed_at": open_again["updated_at"],
        "reverse_reason": "Bounced",
    }
    whole = client.get(f"/v1/payments/{first['id']}")["data"]
    assert happened(client)[-1] == ("payment.reversed", whole) and whole["status"] == "reversed"
    error = client.refused(
        409, "invalid_state_transition", "POST", f"/v1/invoices/{made['id']}/payments/{first['id']}/reverse"
    )
    assert error["status"] == "reversed"
    paid = act(client, made, "pay", {"payment_method": "cash", "reference": "till"})
    assert (paid["payments"][2]["amount"], paid["payments"][2]["reference"]) == (D("60.05"), "till")
    assert [x["status"] for x in paid["payments"]] == ["reversed", "recorded", "recorded"]
    assert client.events().count("invoice.paid") == 2
    assert reverse(client, made, paid["payments"][1])["status"] == "partially_paid"
    assert reverse(client, made, paid["payments"][2])["status"] == "sent"
    act(client, made, "void", {"reason": "Mistake"})


@pytest.mark.parametrize(
    ("price", "amount", "rounding"),
    [("13.02", "13.00", "0.02"), ("13.03", "13.05", "-0.02"), ("13.05", "13.05", "0.00")],
)
def test_cash_settles_what_no_coins_make_up(client, price, amount, rounding):
    given = [line(price, gst_code="gst_free")]
    first, second = act(client, draft(client, *given), "send"), draft(client, *given)
    figures = (D(amount), D(rounding), D("0.00"))
    for paid in (pay_part(client, first, amount), act(client, second, "pay", CASH)):
        (payment,) = paid["payments"]
        assert (paid["status"], paid["total"], payment["amount"]) == ("paid", D(price), D(amount))
        assert (paid["amount_paid"], paid["cash_rounding"], paid["amount_due"]) == figures
        open_again = reverse(client, paid, payment)
        assert (open_again["status"], open_again["amount_due"], open_again["cash_rounding"]) == ("sent", D(price), 0)


def test_cash_goes_to_the_nearest_five_cents():
    """The consumer commission's guideline: 1 and 2 down, 3 and 4 up, 6 and 7 down, 8 and 9 up."""
    rounded = [in_cash(D(f"13.0{cent}")) for cent in range(10)]
    assert rounded == [D(x) for x in ("13.00 " * 3 + "13.05 " * 5 + "13.10 " * 2).split()]


def test_only_cash_is_rounded(client):
    made = act(client, draft(client, line("13.03", gst_code="gst_free")), "send")
    path = f"/v1/invoices/{made['id']}"
    for amount in ("13.04", "13.05"):
        body = {"amount": amount, "payment_method": "card"}
        client.refused(422, "overpayment_not_allowed", "POST", f"{path}/payments", body)
    client.refused(422, "overpayment_not_allowed", "POST", f"{path}/payments", {"amount": "13.10", **CASH})
    left = pay_part(client, made, "13.01", payment_method="card")
    assert (left["status"], left["amount_due"]) == ("partially_paid", D("0.02"))
    error = client.refused(422, "validation_failed", "POST", f"{path}/pay", CASH)
    assert codes(error) == {("payment_method", "invalid_value")} and "0.02" in error["message"]
    assert act(client, made, "pay", {"payment_method": "card"})["cash_rounding"] == 0


def test_what_was_written_off_can_be_recovered(client):
    off = in_state(client, "written_off")  # of 110.00 it was paid 10.00
    part = pay_part(client, off, "60.00")
    assert (part["status"], part["amount_paid"], part["amount_written_off"]) == ("written_off", D("70.00"), D("40.00"))
    assert [name for name, _ in happened(client)][-2:] == ["payment.recorded", "invoice.recovered"]
    too_much = {"amount": "40.05", **CASH}
    client.refused(422, "overpayment_not_allowed", "POST", f"/v1/invoices/{off['id']}/payments", too_much)
    whole = pay_part(client, off, "40.00")
    assert (whole["status"], whole["amount_written_off"], whole["amount_due"]) == ("paid", 0, 0)
    assert [name for name, _ in happened(client)][-2:] == ["invoice.recovered", "invoice.paid"]
    for payment, left in ((whole["payments"][2], "40.00"), (whole["payments"][0], "50.00")):
        back = reverse(client, off, payment)
        assert (back["status"], back["amount_written_off"], back["amount_due"]) == ("written_off", D(left), 0)


def test_a_date_is_when_money_came_in(client, clock):
    client.patch("/v1/tenant", {"timezone": "Australia/Perth"})
    made = act(client, draft(client), "send")
    for paid_at, shown, on in [
        ("2026-06-30", "2026-06-30T04:00:00Z", "2026-06-30"),
        ("2026-06-30T23:30:00+08:00", "2026-06-30T15:30:00Z", "2026-06-30"),
        ("2026-06-30T16:30:00Z", "2026-06-30T16:30:00Z", "2026-07-01"),
        ("2026-11-22", "2026-11-22T04:00:00Z", "2026-11-22"),
    ]:
        payment = pay_part(client, made, "1.00", paid_at=paid_at)["payments"][-1]
        assert (payment["paid_at"], payment["paid_on"]) == (shown, on)
    client.patch("/v1/tenant", {"timezone": "Pacific/Auckland"})
    assert [p["paid_on"] for p in get(client, made)["payments"]][1] == "2026-06-30"  # whatever it would be there


def test_a_draft_that_cannot_be_sent_does_not_say_that_it_can(client):
    below = draft(client, line("-5"))
    assert below["allowed_actions"] == ["duplicate"]
    client.patch("/v1/tenant", {"abn": None})
    assert draft(client)["allowed_actions"] == ["duplicate"]
    assert draft(client, line(gst_code="gst_free"))["allowed_actions"] == ["send", "pay", "duplicate"]
    taxable = draft(client)
    client.patch("/v1/tenant", {"gst_registered": False})
    assert get(client, taxable)["allowed_actions"] == []


def test_a_draft_that_is_paid_is_sent_first_in_one_transaction(client):
    made = draft(client)
    paid = act(client, made, "pay", {**CASH, "paid_at": "2026-11-20T23:00:00Z"})
    assert (paid["status"], paid["paid_at"], paid["payment_method"]) == ("paid", "2026-11-20T23:00:00Z", "cash")
    assert paid["sent_at"] and paid["payments"][0]["amount"] == D("110.00")
    assert [name for name, _ in happened(client)][-3:] == ["invoice.sent", "payment.recorded", "invoice.paid"]
    assert happened(client)[-3][1]["status"] == "sent" and happened(client)[-1][1] == paid


PAYMENT_FAULTS = [
    ({"amount": None}, "amount", "invalid_type"),
    ({"amount": 0}, "amount", "out_of_range"),
    ({"amount": "-1.00"}, "amount", "out_of_range"),
    ({"amount": "1.001"}, "amount", "invalid_value"),
    ({"payment_method": ""}, "payment_method", "required"),
    ({"payment_method": "x" * 51}, "payment_method", "too_long"),
    ({"paid_at": "2026-11-20T09:00:00"}, "paid_at", "offset_required"),
    ({"paid_at": "2026-11-31"}, "paid_at", "invalid_date"),
    ({"paid_at": 1}, "paid_at", "invalid_date"),
    ({"paid_at": "2026-11-23"}, "paid_at", "out_of_range"),
    ({"paid_at": "2026-11-22T13:00:00Z"}, "paid_at", "out_of_range"),
    ({"amount": "1.01"}, "amount", "invalid_value"),
    ({"reference": "x" * 101}, "reference", "too_long"),
    ({"status": "reversed"}, "status", "unknown_field"),
]


def test_a_payment_that_breaks_a_rule_is_refused_and_named(client):
    made = in_state(client, "sent")
    path = f"/v1/invoices/{made['id']}"
    for body, param, code in PAYMENT_FAULTS:
        error = client.refused(422, "validation_failed", "POST", f"{path}/payments", {"amount": 1, **CASH, **body})
        assert codes(error) == {(param, code)}
        if param != "amount":
            assert codes(client.refused(422, "validation_failed", "POST", f"{path}/pay", {**CASH, **body}))
    error = client.refused(422, "validation_failed", "POST", f"{path}/payments")
    assert codes(error) == {("amount", "required"), ("payment_method", "required")}
    error = client.refused(422, "validation_failed", "POST", f"{path}/pay", {"amount": 1})
    assert codes(error) == {("amount", "unknown_field"), ("payment_method", "required")}
    for action in ("void", "write_off"):
        for reason, code in (("x" * 501, "too_long"), (1, "invalid_type")):
            error = client.refused(422, "validation_failed", "POST", f"{path}/{action}", {"reason": reason})
            assert codes(error) == {("reason", code)}
    assert get(client, made) == made


@pytest.mark.parametrize("reason", [None, "Bounced"])
def test_a_reason_is_kept_where_one_is_given(client, reason):
    body = {} if reason is None else {"reason": reason}
    void = act(client, in_state(client, "sent"), "void", body)
    assert (void["voided_at"], void["void_reason"]) == (void["updated_at"], reason)
    off = act(client, in_state(client, "partially_paid"), "write_off", body)
    assert (off["written_off_at"], off["write_off_reason"]) == (off["updated_at"], reason)
    assert (off["amount_paid"], off["amount_written_off"], off["amount_due"]) == (D("10.00"), D("100.00"), D("0.00"))
    assert void["amount_due"] == 0 and void["total"] == D("110.00")
    paid = in_state(client, "paid")
    assert reverse(client, paid, paid["payments"][0], **body)["payments"][0]["reverse_reason"] == reason


def test_an_idempotency_key_makes_one_payment(client):
    made = in_state(client, "sent")
    path, body = f"/v1/invoices/{made['id']}/payments", {"amount": 1, **CASH}
    first = client.post(path, body, Idempotency_Key="k")
    assert client.post(path, body, Idempotency_Key="k") == first
    client.refused(422, "idempotency_key_reused", "POST", path, {**body, "amount": 2}, headers={"Idempotency-Key": "k"})
    assert get(client, made)["amount_paid"] == 1


@pytest.mark.parametrize(("zone", "midnight"), [("Australia/Hobart", 13), ("Australia/Perth", 16)])
def test_an_invoice_is_overdue_from_midnight_after_its_due_date_where_the_business_is(app, clock, zone, midnight):
    client = Client(app, profile={"timezone": zone})
    clock.time = datetime(2026, 11, 20, tzinfo=UTC)
    made = {status: in_state(client, status, due_date="2026-11-21") for status in STATUSES}
    open_ = [made[status]["number"] for status in ("sent", "partially_paid")]
    for hour, overdue in ((midnight - 1, []), (midnight, open_)):
        clock.time = datetime(2026, 11, 21, hour, tzinfo=UTC)
        found = client.get("/v1/invoices?status=overdue&sort=number")
        assert [x["number"] for x in found["data"]] == overdue and found["pagination"]["total"] == len(overdue)
        for invoice in client.get("/v1/invoices")["data"]:
            assert invoice["is_overdue"] == (invoice["number"] in overdue) == get(client, invoice)["is_overdue"]
    unpaid = client.get("/v1/invoices?status=unpaid&sort=number")
    assert [x["number"] for x in unpaid["data"]] == open_
    client.patch(f"/v1/invoices/{made['sent']['id']}", {"due_date": "2026-11-22"})
    assert numbers(client.get("/v1/invoices?status=overdue")) == [3]
    assert numbers(client.get("/v1/invoices?status=overdue,paid,draft&sort=number")) == [1, 3, 4]


@pytest.fixture
def ledger(client, clock):
    """One invoice of each status, numbered in this order, made on successive days for two clients in turn."""
    ids = [contact(client, name=name)["id"] for name in ("Ada Lovelace", "Zoë Müller")]
    made = []
    for i, status in enumerate(STATUSES):
        clock.time = datetime(2026, 11, 1 + i, 2, tzinfo=UTC)
        given = {"client_id": ids[i % 2], "reference": f"R{i}", "external_id": f"x{i}", "metadata": {"i": str(i)}}
        price = {"line_items": [line(str(50 * (i + 1)))], "due_date": f"2026-11-{28 - i}"}
        made.append(in_state(client, status, **given, **price))
    clock.time = datetime(2026, 11, 21, tzinfo=UTC)
    return made


def test_every_filter_finds_what_it_says(client, ledger):
    ada, zoe = ledger[0]["client_id"], ledger[1]["client_id"]
    cases = {
        **{f"status={status}": [i] for i, status in enumerate(STATUSES, 1)},
        "status=void,draft": [1, 5],
        "status=unpaid": [2, 3],
        "status=unpaid,paid": [2, 3, 4],
        f"client_id={ada}": [1, 3, 5],
        f"client_id={ada},{zoe}": [1, 2, 3, 4, 5, 6],
        "client_id=con_0": [],
        "number=INV-0002": [2],
        "number=INV-0002,INV-0006": [2, 6],
        "quote_id=quo_0": [],
        "job_id=job_0": [],
        "claim=deposit": [],
        "booking_id=bkg_0": [],
        "external_id=x3": [4],
        "metadata[i]=4": [5],
        "metadata[i]=4&status=draft": [],
        "issue_date_from=2026-11-04": [4, 5, 6],
        "issue_date_to=2026-11-02": [1, 2],
        "issue_date_from=2026-11-03&issue_date_to=2026-11-03": [3],
        "due_date_from=2026-11-27": [1, 2],
        "due_date_to=2026-11-23": [6],
        "created_at_from=2026-11-05": [5, 6],
        "created_at_to=2026-11-01": [1],
        "created_at_to=2026-11-01T13:00:00%2B11:00": [],
        "created_at_from=2026-11-01T13:00:00%2B11:00&created_at_to=2026-11-01T13:01:00%2B11:00": [1],
        "updated_at_from=2026-11-06": [6],
        "updated_at_to=2026-11-02": [1, 2],
        "updated_since=2026-11-05T00:00:00Z": [5, 6],
        "sent_at_from=2026-11-03": [3, 4, 5, 6],
        "sent_at_to=2026-11-03": [2, 3],
        "paid_at_from=2026-11-04&paid_at_to=2026-11-04": [4],
        "paid_at_from=2026-11-05": [],
        "voided_at_from=2026-11-05": [5],
        "voided_at_to=2026-11-04": [],
        "written_off_at_from=2026-11-06": [6],
        "written_off_at_to=2026-11-05": [],
        "total_from=220": [4, 5, 6],
        "total_from=110.00&total_to=165.00": [2, 3],
        "total_to=54.99": [],
        "total_from=-1": [1, 2, 3, 4, 5, 6],
        "amount_due_from=0.01": [1, 2, 3],
        "amount_due_to=0": [4, 5, 6],
        "amount_due_from=110.00&amount_due_to=110.00": [2],
        "amount_due_from=0&amount_due_to=55": [1, 4, 5, 6],
        "search=r3": [4],
    }
    tested = {name.partition("=")[0].partition("[")[0] for query in cases for name in query.split("&")}
    assert tested == set(QUERY.__struct_fields__) - {"page", "per_page", "cursor", "sort", "include"}
    for query, expected in cases.items():
        found = client.get(f"/v1/invoices?{query}&sort=number")
        assert numbers(found) == expected, query
        assert found["pagination"]["total"] == len(expected), query


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(
    ("query", "code", "param"),
    [
        *[(f"{name}=soon", "invalid_filter", name) for name in QUERY.__struct_fields__ if "_at_" in name],
        *[(f"{name}=2026-02-30", "invalid_filter", name) for name in QUERY.__struct_fields__ if "_date_" in name],
        ("status=lost", "invalid_filter", "status"),
        ("status=", "invalid_filter", "status"),
        ("total_from=1.001", "invalid_filter", "total_from"),
        ("total_to=much", "invalid_filter", "total_to"),
        ("search=" + "x" * 201, "invalid_filter", "search"),
        ("include=notes", "invalid_parameter", "include"),
        ("amount_due_from=1.001", "invalid_filter", "amount_due_from"),
        ("sort=client", "invalid_sort", "sort"),
        ("sort=total,total", "invalid_sort", "sort"),
        ("status=paid&status=void", "invalid_parameter", "status"),
        ("colour=red", "unknown_parameter", "colour"),
    ],
)
def test_a_parameter_that_cannot_be_read_is_named(client, query, code, param):
    assert client.refused(400, code, "GET", f"/v1/invoices?{query}")["param"] == param


def in_order(found, sort):
    """The invoices as the contract sorts them: NULLs last both ways, ties by id in the first key's direction."""
    keys = [*sort.split(","), "-id" if sort.startswith("-") else "id"]
    for key in reversed(keys):
        name = key.removeprefix("-")
        missing = [x for x in found if x[name] is None]
        there = [x for x in found if x[name] is not None]
        found = sorted(there, key=lambda x, name=name: x[name], reverse=key.startswith("-")) + missing
    return found


def walked(client, path):
    """Every page of a list by its cursors, there and back."""
    pages = [client.get(path)]
    while cursor := pages[-1]["pagination"]["next_cursor"]:
        pages.append(client.get(f"{path}&cursor={cursor}"))
    back = [pages[-1]]
    while cursor := back[0]["pagination"]["prev_cursor"]:
        back.insert(0, client.get(f"{path}&cursor={cursor}"))
    assert [x["id"] for page in back for x in page["data"]] == [x["id"] for page in pages for x in page["data"]]
    return [x for page in pages for x in page["data"]]


def test_every_sort_orders_the_whole_list_and_each_page_of_it(client, ledger):
    draft(client, line("50"), client_id=ledger[0]["client_id"])  # ties with the first in its total
    everything = client.get("/v1/invoices")["data"]
    assert everything == in_order(everything, "-created_at")
    sorts = [sign + name for name in QUERY.sortable for sign in ("", "-")]
    for sort in (*sorts, "total,-number", "-paid_at,total", "sent_at,-due_date"):
        expected = in_order(everything, sort)
        assert client.get(f"/v1/invoices?sort={sort}")["data"] == expected, sort
        assert walked(client, f"/v1/invoices?sort={sort}&per_page=3") == expected, sort


def test_search_finds_numbers_references_and_clients_by_each_name_they_had(client, ledger):
    client.patch(f"/v1/contacts/{ledger[1]['client_id']}", {"name": "Zoe Schmidt 100%"})
    client.patch(f"/v1/invoices/{ledger[0]['id']}", {"purchase_order": "PO_77 Süd"})
    cases = {
        "INV-0003": [3],
        "inv-000": [1, 2, 3, 4, 5, 6],
        "0004": [4],
        "r2": [3],
        "po_77": [1],
        "PO%77": [],
        "SUD": [1],
        "ada": [1, 3, 5],
        "LOVELACE": [1, 3, 5],
        "müller": [2, 4, 6],
        "muller": [2, 4, 6],
        "schmidt": [2, 4, 6],
        "100%": [2, 4, 6],
        "z": [2, 4, 6],
        "nobody": [],
        "": [1, 2, 3, 4, 5, 6],
    }
    for text, expected in cases.items():
        found = client.get(f"/v1/invoices?sort=number&search={quote(text)}")
        assert numbers(found) == expected, text
        assert found["pagination"]["total"] == len(expected)
    assert numbers(client.get("/v1/invoices?search=schmidt&status=paid")) == [4]
    assert Client(client.app).get("/v1/invoices?search=ada")["data"] == []
    draft(client, client_id=ledger[1]["client_id"])
    assert 7 in numbers(client.get("/v1/invoices?search=schmidt"))
    assert 7 not in numbers(client.get("/v1/invoices?search=muller"))


def test_lists_show_everything_but_lines_and_payments(client, ledger):
    listed = client.get("/v1/invoices?sort=number")["data"]
    with_lines = client.get("/v1/invoices?sort=number&include=line_items")["data"]
    for made, plain, full in zip(ledger, listed, with_lines, strict=True):
        shown = get(client, made)
        assert plain == {k: v for k, v in shown.items() if k not in ("line_items", "payments")}
        assert set(plain) == set(ListedInvoice.__struct_fields__) - {"line_items", "payments", "hosted_url"}
        assert full == {k: v for k, v in shown.items() if k != "payments"}
    whole = client.get("/v1/invoices?sort=number&include=payments,line_items")["data"]
    assert whole == [get(client, made) for made in ledger]
    some = client.get("/v1/invoices?sort=number&fields=number,payments")["data"]
    assert some == [{name: one[name] for name in ("id", "number", "payments")} for one in whole]
    assert [len(one["payments"]) for one in some] == [0, 1, 1, 1, 1, 1]
    page = client.get("/v1/invoices?sort=number&include=line_items&per_page=2")
    more = client.get(f"/v1/invoices?sort=number&include=line_items&cursor={page['pagination']['next_cursor']}")
    assert [x["line_items"] for x in more["data"]] == [x["line_items"] for x in with_lines[2:4]]


def test_a_preview_is_what_create_gives_and_stores_nothing(client):
    who = contact(client, payment_terms_days=7)["id"]
    lines = [line("1.05", quantity=3, discount_percent=10), line("9.99", gst_code="gst_free", unit="m")]
    for given in ({}, {"amounts_are": "inclusive", "discount_amount": "1.23"}, SENT):
        body = {"client_id": who, "line_items": lines, **given}
        before = client.get("/v1/invoices"), client.events()
        shown = client.post("/v1/invoices/preview", body, 200)["data"]
        assert (client.get("/v1/invoices"), client.events()) == before
        made = client.post("/v1/invoices", body)["data"]
        made["line_items"] = [{k: v for k, v in x.items() if k != "id"} for x in made["line_items"]]
        assert shown == {name: made[name] for name in Preview.__struct_fields__}
        client.delete(f"/v1/invoices/{made['id']}")


def test_a_preview_waits_for_no_write_and_delays_none(app, client, monkeypatch):
    body = {"client_id": contact(client)["id"], "line_items": [line()]}
    client.get("/v1/invoices")
    monkeypatch.setattr(app.db, "writing", None)
    for _ in range(2):  # the key has no effect: no stored answer exists for a repeat
        client.call("POST", "/v1/invoices/preview", body, 200, {"Idempotency-Key": "once"})
    assert "Idempotent-Replayed" not in client.last.headers
    client.refused(500, "internal_error", "POST", "/v1/invoices", body)  # while one that stores needs the writer


def test_a_preview_refuses_what_create_refuses(client):
    body = {"client_id": contact(client)["id"], "line_items": [{**line(), "net": 1}], "status": "draft", "odd": 1}
    refusals = [
        codes(client.refused(422, "validation_failed", "POST", path, body))
        for path in ("/v1/invoices", "/v1/invoices/preview")
    ]
    expected = {("line_items[0].net", "read_only"), ("status", "read_only"), ("odd", "unknown_field")}
    assert refusals == [expected, expected]


def test_each_event_holds_what_get_answers(client):
    made = draft(client)
    assert happened(client)[-1] == ("invoice.created", get(client, made))
    changed = client.patch(f"/v1/invoices/{made['id']}", {"reference": "x"})["data"]
    assert happened(client)[-1] == ("invoice.updated", changed)
    act(client, made, "send")
    assert happened(client)[-1] == ("invoice.sent", get(client, made))
    part = pay_part(client, made)
    first = client.get(f"/v1/payments/{part['payments'][0]['id']}")["data"]
    assert happened(client)[-1] == ("payment.recorded", first)
    paid = act(client, made, "pay", CASH)
    second = client.get(f"/v1/payments/{paid['payments'][1]['id']}")["data"]
    assert happened(client)[-2:] == [("payment.recorded", second), ("invoice.paid", paid)]
    assert {"id", "number", "total", "paid_at", "payment_method"} <= set(happened(client)[-1][1])
    assert paid == get(client, made)


def test_a_neighbour_of_a_plugin_that_is_off_is_not_shown_and_not_lost(client):
    made = draft(client)
    ctx = Context(client.app, client.tenant_id)
    with ctx.transaction():
        this = own(ctx, invoices) & (invoices.c.id == made["id"])
        ctx.db.execute(sa.update(invoices).where(this).values(quote_id="quo_1"))
    assert get(client, made)["quote_id"] is None
    assert client.patch(f"/v1/invoices/{made['id']}", made)["data"] == made
    client.patch(f"/v1/invoices/{made['id']}", {"notes": "x"})
    sent = act(client, made, "send")
    assert client.patch(f"/v1/invoices/{made['id']}", {**sent, "notes": "y"})["data"]["version"] == 4
    with client.app.db.reading(across="a test looks at every row") as db:
        assert db.execute(sa.select(invoices.c.quote_id).where(invoices.c.id == made["id"])).scalar() == "quo_1"


def test_another_plugin_makes_a_draft_in_its_own_transaction(client):
    from billycan_invoices import api

    who = contact(client)["id"]
    ctx = Context(client.app, client.tenant_id)
    with ctx.transaction():
        made = api.make(ctx, {"client_id": who, "line_items": [line()], "job_id": "job_1"})
        assert (made.status, made.job_id) == ("draft", None)
    assert client.get(f"/v1/invoices/{made.id}")["data"]["number"] == "INV-0001"
    assert client.events()[-1] == "invoice.created"
    ctx = Context(client.app, client.tenant_id)
    with pytest.raises(ZeroDivisionError), ctx.transaction():
        create_invoice(ctx, NewInvoice(client_id=who, line_items=[]))
        raise ZeroDivisionError
    assert client.get("/v1/invoices")["pagination"]["total"] == 1


def test_another_plugin_makes_a_draft_of_a_typed_invoice_by_the_same_rules(client):
    from billycan_invoices import api

    who, day = contact(client)["id"], date(2026, 11, 20)
    ctx = Context(client.app, client.tenant_id)
    hire = api.NewLine(description="Hire", quantity=Decimal(2), unit_price=Decimal("90.50"))
    with ctx.transaction():
        typed = api.make(ctx, api.NewInvoice(client_id=who, line_items=[hire], job_id="job_1", issue_date=day))
        mapped = {"description": "Hire", "quantity": 2, "unit_price": "90.50"}
        same = api.make(ctx, {"client_id": who, "line_items": [mapped], "issue_date": "2026-11-20"})
        assert (typed.total, typed.issue_date, typed.job_id) == (same.total, day, None)
        assert api.preview(ctx, api.NewInvoice(client_id=who, line_items=[hire])).total == typed.total
        wrong = api.NewLine(description="x" * 4001, unit_price=Decimal("0.00001"))
        with pytest.raises(Invalid) as refused:
            api.make(ctx, api.NewInvoice(client_id=who, line_items=[wrong]))
    faults = {(fault.param, fault.code) for fault in refused.value.details}
    assert faults == {("line_items[0].description", "too_long"), ("line_items[0].unit_price", "invalid_value")}


def test_the_samples_show_every_state(make_app):
    app = make_app("contacts", "documents", "hosted", "invoices", fresh=True)
    business = demo.first(app)
    client = Client(app, business.sandbox)
    found = client.get("/v1/invoices")
    assert {x["status"] for x in found["data"]} == {*STATUSES, "credited"}
    assert len(client.get("/v1/invoices?status=overdue")["data"]) == 1
    assert all(x["tax_invoice"]["compliant"] for x in found["data"])
    assert Client(app, business.tenant).get("/v1/invoices")["data"] == []
