"""Adjustment notes: what they take off an invoice, to the cent, and what becomes of its payments."""

from decimal import Decimal

import pytest
import webtest

from billycan import Page
from billycan.testing import Client

pytestmark = pytest.mark.either

D = Decimal
CARD, CASH = {"payment_method": "card"}, {"payment_method": "cash"}


class Shop:
    """A business with a client; checks that every invoice and payment it reads adds up."""

    def __init__(self, app):
        self.web, self.app = Client(app), app
        self.client_id = self.web.post("/v1/contacts", {"name": "Ada", "abn": "91888222000"})["data"]["id"]

    def sent(self, *lines, **members):
        given = [{"description": "Work", **line} for line in lines or [{"unit_price": "100.00"}]]
        made = self.web.post("/v1/invoices", {"client_id": self.client_id, "line_items": given, **members})["data"]
        return self.web.post(f"/v1/invoices/{made['id']}/send", status=200)["data"]

    def invoice(self, invoice):
        found = self.web.get(f"/v1/invoices/{invoice['id']}")["data"]
        parts = ("amount_paid", "amount_credited", "amount_written_off", "cash_rounding", "amount_due")
        assert found["total"] == sum(found[name] for name in parts)
        return found

    def standing(self, invoice):
        found = self.invoice(invoice)
        return found["status"], found["amount_paid"], found["amount_credited"], found["amount_due"]

    def pay(self, invoice, amount, **how):
        path = f"/v1/invoices/{invoice['id']}/payments"
        return self.web.post(path, {"amount": amount, **CARD, **how})["data"]["payments"][-1]["id"]

    def payment(self, id):
        found = self.web.get(f"/v1/payments/{id}")["data"]
        assert found["amount"] == found["allocated"] + found["refunded"] + found["unallocated"]
        return found

    def draft(self, invoice, *lines, status=201, **members):
        what = {"line_items": list(lines)} if lines else {}
        body = {"invoice_id": invoice["id"], "reason": "price_change", **what, **members}
        answer = self.web.post("/v1/adjustment_notes", body, status)
        return answer["data"] or answer["error"]

    def act(self, note, action, body=None, status=200):
        answer = self.web.post(f"/v1/adjustment_notes/{note['id']}/{action}", body, status)
        return answer["data"] or answer["error"]

    def issue(self, invoice, *lines, **members):
        return self.act(self.draft(invoice, *lines, **members), "issue")


@pytest.fixture
def shop(make_app):
    return Shop(make_app("contacts", "documents", "hosted", "invoices"))


def figures(note):
    return note["subtotal"], note["gst"], note["total"]


def item(price, **members):
    return {"description": "Goodwill", "unit_price": price, **members}


def of(line, **members):
    return {"invoice_line_id": line["id"], **members}


def test_a_note_reads_as_an_invoice_does(shop):
    invoice = shop.sent({"unit_price": "100.00", "quantity": 4, "unit": "hour"})
    (line,) = invoice["line_items"]
    note = shop.draft(invoice, of(line, quantity=1), reason="returned", description="One hour was not needed")
    assert (note["number"], note["status"], note["invoice_id"]) == ("ADJ-0001", "draft", invoice["id"])
    assert note["client"] == invoice["client"] and note["id"].startswith("adj_")
    assert (note["document_title"], note["tax_invoice"]) == ("Adjustment note", {"compliant": True, "missing": []})
    assert figures(note) == (100, 10, 110) and note["gst_breakdown"][0]["gst"] == 10
    (taken,) = note["line_items"]
    assert (taken["invoice_line_id"], taken["quantity"], taken["unit"], taken["total"]) == (line["id"], 1, "hour", 110)
    assert shop.standing(invoice) == ("sent", 0, 0, 440)
    issued = shop.act(note, "issue")
    assert (issued["status"], issued["allowed_actions"]) == ("issued", ["void"]) and issued["issued_at"]
    assert shop.standing(invoice) == ("sent", 0, 110, 330)
    assert "void" not in shop.invoice(invoice)["allowed_actions"]
    shop.web.refused(409, "has_adjustment_notes", "POST", f"/v1/invoices/{invoice['id']}/void")
    page = webtest.TestApp(shop.app.wsgi).get(issued["hosted_url"].removeprefix(shop.app.public_url))
    shown = ("Adjustment note", "ADJ-0001", "INV-0001", "Decreasing adjustment", "$110.00", "$10.00", "47 555 222 000")
    for text in (*shown, "Ada", "91 888 222 000", "21 November 2026", "One hour was not needed"):
        assert text in page.text, text
    assert all("hosted_url" not in event["data"] for event in shop.web.get("/v1/events")["data"])


@pytest.mark.parametrize("amounts_are", ["exclusive", "inclusive"])
@pytest.mark.parametrize("gst_rounding", ["total_invoice", "per_line"])
def test_parts_of_any_size_add_up_to_the_invoice_to_the_cent(shop, amounts_are, gst_rounding):
    lines = [{"unit_price": "1.05"}, {"unit_price": "1.05", "quantity": 3}, {"unit_price": "0.07"}]
    lines += [{"unit_price": "3.33", "gst_code": "gst_free"}]
    terms = {"amounts_are": amounts_are, "gst_rounding": gst_rounding, "discount_percent": 7}
    invoice = shop.sent(*lines, **terms)
    one, three, _, free = invoice["line_items"]
    asked = [[of(one, amount="0.33")], [of(three, quantity=1)], [item("0.05")], [item("0.04"), of(free, amount="1.00")]]
    notes = [shop.issue(invoice, *some) for some in [*asked, [of(three, quantity=1)], [item("0.01")]]]
    notes.append(shop.issue(invoice, full=True))
    for note in notes:
        assert min(figures(note)) >= 0 and note["subtotal"] + note["gst"] == note["total"]
        assert note["gst"] == sum(x["gst"] for x in note["line_items"]) == sum(x["gst"] for x in note["gst_breakdown"])
        assert note["subtotal"] == sum(x["net"] for x in note["line_items"])
    assert [sum(column) for column in zip(*map(figures, notes), strict=True)] == [*figures(invoice)]
    assert shop.standing(invoice) == ("credited", 0, invoice["total"], 0)
    assert shop.draft(invoice, full=True, status=422)["code"] == "over_credited"


def test_never_more_than_is_left_by_line_code_and_total(shop):
    invoice = shop.sent({"unit_price": "100.00", "quantity": 2}, {"unit_price": "50.00", "gst_code": "gst_free"})
    taxed, free = invoice["line_items"]
    shop.issue(invoice, of(taxed, quantity=1))
    for lines, param in (
        ([of(taxed, quantity="1.0001")], "line_items[0].quantity"),
        ([of(taxed, amount="100.01")], "line_items[0].amount"),
        ([of(taxed, amount="60.00"), of(taxed, amount="60.00")], "line_items[1].amount"),
        ([item("100.01")], "line_items"),
        ([item("50.01", gst_code="gst_free")], "line_items"),
        ([item("0.01", gst_code="export")], "line_items"),
        ([of(free), item("0.01", gst_code="gst_free")], "line_items"),
    ):
        error = shop.draft(invoice, *lines, status=422)
        assert (error["code"], error["param"]) == ("over_credited", param), lines
    first, second = (shop.draft(invoice, full=True) for _ in range(2))
    assert figures(first) == figures(second) == (150, 10, 160)
    shop.act(first, "issue")
    assert shop.act(second, "issue", status=422)["code"] == "over_credited"
    assert shop.standing(invoice) == ("credited", 0, 270, 0)


def test_a_quantity_takes_off_what_it_costs_or_is_refused(shop):
    """After an amount was taken off a line, a quantity of one is more than is left."""
    invoice = shop.sent({"unit_price": "110.00"}, amounts_are="inclusive")
    (line,) = invoice["line_items"]
    shop.issue(invoice, of(line, amount="55.00"))
    error = shop.draft(invoice, of(line, quantity=1), status=422)
    assert (error["code"], error["param"], error["left"]) == ("over_credited", "line_items[0].quantity", 55)
    assert shop.draft(invoice, of(line, quantity="0.5"))["total"] == shop.draft(invoice, of(line))["total"] == 55
    drafted = shop.draft(invoice, of(line, amount="5.00"))
    path, shown = f"/v1/adjustment_notes/{drafted['id']}", drafted["line_items"]
    assert shop.web.patch(path, {"line_items": shown})["data"]["version"] == drafted["version"]  # it shows a quantity
    both = {"line_items": [{"id": shown[0]["id"], "amount": "6.00", "quantity": "0.1"}]}
    assert shop.web.refused(422, "validation_failed", "PATCH", path, both)["param"] == "line_items[0].amount"
    assert shop.act(drafted, "issue")["total"] == 5


@pytest.mark.parametrize(
    ("lines", "param", "code"),
    [
        ([], "line_items", "required"),
        ([{"description": "x"}], "line_items[0].unit_price", "required"),
        ([{"unit_price": "1"}], "line_items[0].description", "required"),
        ([{"description": "x", "unit_price": "-1"}], "line_items[0].unit_price", "out_of_range"),
        ([{"description": "x", "unit_price": "1", "amount": "1"}], "line_items[0].amount", "invalid_value"),
        ([{"invoice_line_id": "lin_none"}], "line_items[0].invoice_line_id", "not_found"),
        ([{"invoice_line_id": "{line}", "quantity": 2, "amount": 1}], "line_items[0].amount", "invalid_value"),
        ([{"invoice_line_id": "{line}", "quantity": 1, "amount": 1}], "line_items[0].amount", "invalid_value"),
        ([{"invoice_line_id": "{line}", "gst_code": "export"}], "line_items[0].gst_code", "invalid_value"),
    ],
)
def test_what_cannot_be_taken_off_is_named(shop, lines, param, code):
    invoice = shop.sent()
    lines = [{k: invoice["line_items"][0]["id"] if v == "{line}" else v for k, v in line.items()} for line in lines]
    error = shop.draft(invoice, *lines, status=422)
    assert (error["details"][0]["param"], error["details"][0]["code"]) == (param, code)


def test_only_an_invoice_that_was_sent_and_is_not_void_is_reduced(shop):
    invoice = shop.sent()
    drafted = shop.draft(invoice, full=True)
    copy = shop.web.post(f"/v1/invoices/{invoice['id']}/duplicate")["data"]
    shop.web.post(f"/v1/invoices/{invoice['id']}/void", status=200)
    for which, status in ((copy, "draft"), (invoice, "void")):
        error = shop.draft(which, full=True, status=409)
        assert (error["code"], error["status"]) == ("invalid_state_transition", status)
    assert shop.act(drafted, "issue", status=409)["code"] == "invalid_state_transition"
    assert shop.draft({"id": "inv_none"}, full=True, status=422)["details"][0]["code"] == "not_found"


def test_a_draft_is_changed_and_deleted_and_what_is_issued_is_kept(shop):
    invoice = shop.sent({"unit_price": "100.00", "quantity": 2}, {"unit_price": "7.00"})
    note = shop.draft(invoice, full=True)
    path = f"/v1/adjustment_notes/{note['id']}"
    assert shop.web.patch(path, note)["data"] == note
    body = {"full": False, "line_items": [of(invoice["line_items"][0], amount="30.00")], "reason": "other"}
    changed = shop.web.patch(path, body)["data"]
    assert (figures(changed), changed["version"], changed["full"]) == ((30, 3, 33), 2, False)
    assert shop.web.patch(path, changed)["data"] == changed
    again = shop.web.patch(path, {"line_items": [{"id": changed["line_items"][0]["id"], "amount": "40.00"}]})["data"]
    assert figures(again) == (40, 4, 44) and again["line_items"][0]["id"] == changed["line_items"][0]["id"]
    shop.web.refused(422, "validation_failed", "PATCH", path, {"issue_date": "2026-11-20"})
    shop.web.refused(422, "validation_failed", "PATCH", path, {"full": True, "line_items": [item("1.00")]})
    assert shop.web.events()[-2:] == ["adjustment_note.updated"] * 2
    issued = shop.act(note, "issue")
    for body in ({"reason": "error"}, {"line_items": [item("1.00")]}, {"issue_date": "2026-12-01"}):
        shop.web.refused(409, "document_locked", "PATCH", path, body)
    assert shop.web.patch(path, {**issued, "metadata": {"a": "b"}})["data"]["metadata"] == {"a": "b"}
    shop.web.refused(409, "document_locked", "DELETE", path)
    shop.web.refused(409, "invalid_state_transition", "POST", f"{path}/issue")
    other = shop.draft(invoice, item("1.00"))
    shop.web.delete(f"/v1/adjustment_notes/{other['id']}")
    assert shop.web.events()[-1] == "adjustment_note.deleted"
    shop.web.get(f"/v1/adjustment_notes/{other['id']}", 404)


def test_what_is_not_taxable_is_a_credit_note(shop):
    invoice = shop.sent({"unit_price": "100.00"}, {"unit_price": "50.00", "gst_code": "gst_free"})
    note = shop.draft(invoice, of(invoice["line_items"][1]))
    assert (note["document_title"], note["tax_invoice"]["compliant"], note["gst"]) == ("Credit note", None, 0)
    shop.web.patch("/v1/tenant", {"abn": None})
    assert shop.act(note, "issue")["document_title"] == "Credit note"


def test_an_adjustment_note_is_not_issued_without_what_it_must_show(shop):
    invoice = shop.sent()
    note = shop.draft(invoice, full=True)
    shop.web.patch("/v1/tenant", {"abn": None})
    shown = shop.web.get(f"/v1/adjustment_notes/{note['id']}")["data"]
    assert (shown["tax_invoice"], shown["allowed_actions"]) == ({"compliant": False, "missing": ["seller_abn"]}, [])
    error = shop.act(note, "issue", status=422)
    assert (error["code"], error["missing"]) == ("tax_invoice_incomplete", ["seller_abn"])
    # GST follows the invoice's date: a business that is no longer registered still owes its client the note.
    shop.web.patch("/v1/tenant", {"abn": "47555222000", "gst_registered": False})
    assert figures(shop.act(note, "issue")) == (100, 10, 110)


def test_issuing_reduces_what_is_due_and_then_releases_the_newest_payment_first(shop):
    invoice = shop.sent()
    first, second = shop.pay(invoice, "50.00"), shop.pay(invoice, "40.00")
    before = len(shop.web.events())
    note = shop.issue(invoice, item("63.64"))
    assert note["total"] == D("70.00")
    assert shop.web.events()[before:] == [
        *("adjustment_note.created", "adjustment_note.issued", "payment.deallocated", "payment.deallocated"),
        "invoice.paid",
    ]
    # 20.00 was due; of the other 50.00 the newest payment gives 40.00, and the one before it 10.00.
    assert [shop.payment(id)["unallocated"] for id in (first, second)] == [10, 40]
    assert shop.standing(invoice) == ("paid", 40, 70, 0)
    found = shop.invoice(invoice)
    assert (found["paid_at"], found["payment_method"]) == (note["issued_at"], "card")
    assert [(p["id"], p["amount"]) for p in found["payments"]] == [(first, 40)]
    back = shop.act(note, "void", {"reason": "Wrong"})
    assert (back["status"], back["void_reason"], back["allowed_actions"]) == ("void", "Wrong", [])
    assert [shop.payment(id)["unallocated"] for id in (first, second)] == [0, 0]
    assert shop.standing(invoice) == ("partially_paid", 90, 0, 20)
    assert shop.act(note, "void", status=409)["code"] == "invalid_state_transition"


def test_a_note_whose_credit_was_spent_stays(shop):
    invoice = shop.sent()
    paid = shop.pay(invoice, "110.00")
    note = shop.issue(invoice, full=True)
    assert shop.standing(invoice) == ("credited", 0, 110, 0) and shop.invoice(invoice)["paid_at"] is None
    assert shop.invoice(invoice)["allowed_actions"] == ["duplicate"]
    refund = {"amount": "0.01", **CARD}
    shop.web.post(f"/v1/payments/{paid}/refund", refund, 200)
    error = shop.act(note, "void", status=409)
    assert (error["code"], error["payment_id"]) == ("credit_spent", paid)
    assert shop.standing(invoice) == ("credited", 0, 110, 0)


def test_what_bounced_since_is_not_put_back(shop):
    invoice = shop.sent()
    paid = shop.pay(invoice, "110.00")
    note = shop.issue(invoice, item("50.00"))
    shop.web.post(f"/v1/payments/{paid}/reverse", status=200)
    assert shop.standing(invoice) == ("sent", 0, 55, 55)
    shop.act(note, "void")
    assert shop.standing(invoice) == ("sent", 0, 0, 110)
    shop.web.post(f"/v1/invoices/{invoice['id']}/void", status=200)


def test_the_rounding_of_coins_goes_with_the_coins(shop):
    for total, cash in (("13.03", "13.05"), ("13.02", "13.00")):
        for off in ("5.00", "13.01", total):
            invoice = shop.sent({"unit_price": total, "gst_code": "gst_free"})
            paid = shop.pay(invoice, cash, **CASH)
            note = shop.issue(invoice, item(off))
            found = shop.invoice(invoice)
            whole = off == total
            assert (found["status"], found["amount_due"]) == ("credited" if whole else "paid", 0)
            if whole:  # the client gets the amount credited, not the amount requested
                assert shop.payment(paid)["unallocated"] == D(cash)
            shop.act(note, "void")
            assert shop.standing(invoice) == ("paid", D(cash), 0, 0)
            assert shop.invoice(invoice)["cash_rounding"] == shop.payment(paid)["cash_rounding"] == D(total) - D(cash)


def test_a_bad_debt_is_not_credited_too(shop):
    invoice = shop.sent()
    shop.pay(invoice, "30.00")
    shop.web.post(f"/v1/invoices/{invoice['id']}/write_off", status=200)
    assert shop.draft(invoice, full=True, status=422)["code"] == "over_credited"
    note = shop.issue(invoice, item("20.00", gst_code="gst"))
    found = shop.invoice(invoice)
    assert (found["status"], found["amount_paid"], found["amount_written_off"]) == ("written_off", 8, 80)
    shop.act(note, "void")
    assert shop.invoice(invoice)["amount_paid"] == 30
    # The note credits the amount due first; the rest of that amount is written off.
    other = shop.sent()
    note = shop.issue(other, item("10.00"))
    shop.web.post(f"/v1/invoices/{other['id']}/write_off", status=200)
    assert shop.invoice(other)["amount_written_off"] == 99
    shop.act(note, "void")
    assert shop.invoice(other)["amount_written_off"] == 110


def test_notes_are_found_by_what_they_are(shop):
    one, two = shop.sent(), shop.sent({"unit_price": "20.00"})
    first = shop.issue(one, item("10.00"), reason="returned")
    second = shop.draft(two, full=True, description="Twice")
    ids = {first["id"]: 1, second["id"]: 2}
    for query, found in (
        ("?sort=number", [1, 2]),
        ("?status=issued", [1]),
        ("?reason=returned", [1]),
        (f"?invoice_id={two['id']}", [2]),
        (f"?client_id={shop.client_id}", [2, 1]),
        ("?total_from=12", [2]),
        ("?search=INV-0001", [1]),
        ("?search=twice", [2]),
        ("?number=ADJ-0002", [2]),
        ("?issued_at_from=2026-11-01", [1]),
    ):
        page = shop.web.get(f"/v1/adjustment_notes{query}")
        assert [ids[x["id"]] for x in page["data"]] == found, query
    assert "line_items" not in page["data"][0]
    listed = shop.web.get("/v1/adjustment_notes?include=line_items&sort=number")["data"]
    assert listed == [shop.web.get(f"/v1/adjustment_notes/{id}")["data"] for id in ids]
    shop.web.refused(409, "has_dependents", "DELETE", f"/v1/contacts/{shop.client_id}")


def test_a_page_with_large_lines_is_refused_and_says_what_fits(shop, monkeypatch):
    invoice = shop.sent()
    for _ in range(4):
        shop.draft(invoice, *[item("1.00", description="x" * 4_000)] * 5)
    monkeypatch.setattr(Page, "MOST_BYTES", 50_000)
    path = "/v1/adjustment_notes?include=line_items"
    assert shop.web.refused(400, "page_too_large", "GET", path)["per_page"] == 2
    assert (
        len(shop.web.get(f"{path}&per_page=2")["data"]) == 2 and len(shop.web.get("/v1/adjustment_notes")["data"]) == 4
    )
