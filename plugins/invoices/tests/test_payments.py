"""Tests of separate payments: over several invoices or none, allocated, taken off, refunded and reversed."""

from decimal import Decimal

import pytest

from billycan import Context
from billycan.testing import Client
from billycan_invoices import full_lists
from billycan_invoices.api import take_payment

pytestmark = pytest.mark.either

D = Decimal
CARD, CASH = {"payment_method": "card"}, {"payment_method": "cash"}


class Shop:
    """A business with a client; `sent` makes an invoice of this amount, without GST."""

    def __init__(self, app):
        self.web = Client(app)
        self.client_id = self.contact("Ada")

    def contact(self, name):
        return self.web.post("/v1/contacts", {"name": name})["data"]["id"]

    def sent(self, total="110.00", client_id=None):
        line = {"description": "Labour", "unit_price": total, "gst_code": "gst_free"}
        body = {"client_id": client_id or self.client_id, "line_items": [line]}
        made = self.web.post("/v1/invoices", body)["data"]
        return self.web.post(f"/v1/invoices/{made['id']}/send", status=200)["data"]["id"]

    def invoice(self, id):
        found = self.web.get(f"/v1/invoices/{id}")["data"]
        parts = ("amount_paid", "amount_credited", "amount_written_off", "cash_rounding", "amount_due")
        assert found["total"] == sum(found[name] for name in parts)
        counted = [p for p in found["payments"] if p["status"] == "recorded"]
        assert found["amount_paid"] == sum(p["amount"] for p in counted)
        return found

    def standing(self, id):
        found = self.invoice(id)
        return found["status"], found["amount_paid"], found["amount_due"]

    def receive(self, amount, *given, method="card", status=201, **members):
        """Record a payment: `given` are pairs of an invoice and an amount."""
        allocations = [{"invoice_id": id, "amount": part} for id, part in given]
        body = {"client_id": self.client_id, "amount": amount, "payment_method": method, "allocations": allocations}
        answer = self.web.post("/v1/payments", body | members, status)
        return answer["data"] or answer["error"]

    def act(self, payment, action, body=None, status=200):
        answer = self.web.post(f"/v1/payments/{payment['id']}/{action}", body, status)
        return answer["data"] or answer["error"]

    def credit(self):
        found = self.web.get(f"/v1/payments?client_id={self.client_id}&per_page=100")["data"]
        for one in found:
            assert one["amount"] == one["allocated"] + one["refunded"] + one["unallocated"]
            assert one["allocated"] == sum(a["amount"] for a in one["allocations"])
            assert one == self.web.get(f"/v1/payments/{one['id']}")["data"]
        return sum(one["unallocated"] for one in found)

    def events(self, since=0):
        return self.web.events()[since:]


@pytest.fixture
def shop(make_app):
    return Shop(make_app("contacts", "documents", "hosted", "invoices"))


def test_one_receipt_settles_several_invoices_and_the_rest_is_credit(shop):
    one, two = shop.sent("110.00"), shop.sent("50.00")
    before = len(shop.events())
    paid = shop.receive("150.00", (one, "110.00"), (two, "20.00"), reference="R1", paid_at="2026-11-20")
    assert shop.web.last.headers["Location"].endswith(f"/v1/payments/{paid['id']}")
    assert shop.events(before) == ["payment.recorded", "invoice.paid"]
    assert [paid[name] for name in ("allocated", "refunded", "unallocated")] == [130, 0, 20]
    assert (paid["client"]["name"], paid["invoice_id"], paid["paid_on"]) == ("Ada", None, "2026-11-20")
    assert [(a["invoice_id"], a["invoice_number"], a["amount"]) for a in paid["allocations"]] == [
        (one, "INV-0001", 110),
        (two, "INV-0002", 20),
    ]
    assert paid["allowed_actions"] == ["allocate", "deallocate", "refund", "reverse"]
    assert shop.standing(one) == ("paid", 110, 0) and shop.standing(two) == ("partially_paid", 20, 30)
    assert shop.invoice(one)["paid_at"] == paid["paid_at"] and shop.credit() == 20
    more = shop.act(paid, "allocate", {"allocations": [{"invoice_id": two, "amount": "15.00"}]})
    assert more["allocations"][1]["amount"] == 35 and more["version"] == 2
    assert shop.standing(two) == ("partially_paid", 35, 15) and shop.credit() == 5
    assert shop.events()[-1] == "payment.allocated"


def test_what_is_more_than_there_is_is_refused(shop):
    one, two = shop.sent("110.00"), shop.sent("50.00")
    assert shop.receive("100.00", (one, "90.00"), (two, "10.01"), status=422)["code"] == "over_allocated"
    error = shop.receive("200.00", (one, "10.00"), (two, "50.01"), status=422)
    assert (error["code"], error["param"], error["amount_due"]) == (
        "overpayment_not_allowed",
        "allocations[1].amount",
        50,
    )
    other = shop.sent(client_id=shop.contact("Grace"))
    error = shop.receive("200.00", (other, "10.00"), ("inv_none", "1.00"), (one, "1"), (one, "2"), status=422)
    assert [(x["param"], x["code"]) for x in error["details"]] == [
        ("allocations[0].invoice_id", "invalid_value"),
        ("allocations[1].invoice_id", "not_found"),
        ("allocations[3].invoice_id", "invalid_value"),
    ]
    assert shop.credit() == 0 and shop.web.get("/v1/payments")["pagination"]["total"] == 0
    paid = shop.receive("100.00", (one, "60.00"))
    for action, body, code in (
        ("allocate", {"allocations": [{"invoice_id": two, "amount": "40.01"}]}, "over_allocated"),
        ("refund", {"amount": "40.01", **CARD}, "over_refunded"),
        ("deallocate", {"invoice_id": one, "amount": "60.01"}, "over_allocated"),
    ):
        assert shop.act(paid, action, body, 422)["code"] == code
    assert shop.act(paid, "deallocate", {"invoice_id": two}, 422)["details"][0]["code"] == "not_found"
    assert shop.web.get(f"/v1/payments/{paid['id']}")["data"] == paid


@pytest.mark.parametrize("status", ["draft", "paid", "void"])
def test_only_an_invoice_that_can_be_paid_is_settled(shop, status):
    id = shop.sent()
    if status == "draft":
        id = shop.web.post(f"/v1/invoices/{id}/duplicate", status=201)["data"]["id"]
    elif status == "paid":
        shop.receive("110.00", (id, "110.00"))
    else:
        shop.web.post(f"/v1/invoices/{id}/void", status=200)
    error = shop.receive("10.00", (id, "1.00"), status=409)
    assert (error["code"], error["status"]) == ("invalid_state_transition", status)
    assert error["param"] == "allocations[0].invoice_id"


def test_credit_is_taken_off_an_invoice_and_given_back(shop):
    one, two = shop.sent("110.00"), shop.sent("50.00")
    paid = shop.receive("110.00", (one, "110.00"))
    back = shop.act(paid, "deallocate", {"invoice_id": one, "amount": "30.00"})
    assert (back["allocated"], back["unallocated"], back["invoice_id"]) == (80, 30, one)
    assert shop.standing(one) == ("partially_paid", 80, 30) and shop.events()[-1] == "payment.deallocated"
    given = shop.act(paid, "refund", {"amount": "10.00", **CASH, "refunded_at": "2026-11-21", "reference": "till"})
    assert (given["refunded"], given["unallocated"]) == (10, 20) and shop.events()[-1] == "payment.refunded"
    (refund,) = given["refunds"]
    assert (refund["amount"], refund["refunded_on"], refund["reference"]) == (10, "2026-11-21", "till")
    assert "reverse" not in given["allowed_actions"]
    assert shop.act(paid, "reverse", {}, 409)["code"] == "has_refunds"
    path = f"/v1/invoices/{one}/payments/{paid['id']}/reverse"
    assert shop.invoice(one)["payments"][0]["allowed_actions"] == []
    shop.web.refused(409, "has_refunds", "POST", path)
    shop.act(paid, "deallocate", {"invoice_id": one})
    assert shop.standing(one) == ("sent", 0, 110) and shop.invoice(one)["payments"] == []
    shop.act(paid, "allocate", {"allocations": [{"invoice_id": two, "amount": "50.00"}]})
    assert shop.standing(two) == ("paid", 50, 0) and shop.credit() == 50
    for coins in ("0.01", "9.99"):
        assert shop.act(paid, "refund", {"amount": coins, **CASH}, 422)["param"] == "amount"
    late = {"amount": "1.00", **CARD, "refunded_at": "2026-12-31"}
    assert shop.act(paid, "refund", late, 422)["param"] == "refunded_at"


def test_a_reversed_payment_is_no_money_any_more(shop):
    one, two = shop.sent("110.00"), shop.sent("50.00")
    paid = shop.receive("170.00", (one, "110.00"), (two, "50.00"))
    entry = shop.invoice(one)["payments"][0]
    assert (entry["amount"], entry["allowed_actions"]) == (110, [])
    shop.web.refused(409, "allocated_elsewhere", "POST", f"/v1/invoices/{one}/payments/{paid['id']}/reverse")
    back = shop.act(paid, "reverse", {"reason": "Bounced"})
    assert [back[name] for name in ("amount", "allocated", "refunded", "unallocated")] == [170, 0, 170, 0]
    assert (back["status"], back["reverse_reason"], back["allocations"]) == ("reversed", "Bounced", [])
    assert back["allowed_actions"] == [] and shop.credit() == 0
    for id, total in ((one, 110), (two, 50)):
        assert shop.standing(id) == ("sent", 0, total)
        assert [(p["status"], p["amount"]) for p in shop.invoice(id)["payments"]] == [("reversed", total)]
    found = shop.web.get(f"/v1/payments?invoice_id={two}&status=reversed")["data"]
    assert found == [back]
    for action, body in (("allocate", {"allocations": [{"invoice_id": one, "amount": "1"}]}), ("reverse", {})):
        assert shop.act(paid, action, body, 409)["code"] == "invalid_state_transition"
    # Reversing a payment on its own invoice removes its credit, too.
    alone = shop.receive("60.00", (two, "50.00"))
    shop.web.post(f"/v1/invoices/{two}/payments/{alone['id']}/reverse", status=200)
    assert shop.credit() == 0 and shop.standing(two) == ("sent", 0, 50)


def test_coins_round_once_for_all_invoices_of_a_payment(shop):
    one, two, three = shop.sent("13.02"), shop.sent("20.01"), shop.sent("5.02")
    assert shop.receive("13.02", (one, "13.02"), method="cash", status=422)["param"] == "amount"
    paid = shop.receive("33.05", (one, "13.02"), (two, "20.03"), method="cash")
    assert [(a["amount"], a["cash_rounding"]) for a in paid["allocations"]] == [
        (D("13.02"), 0),
        (D("20.03"), D("-0.02")),
    ]
    assert paid["cash_rounding"] == D("-0.02") and shop.standing(two) == ("paid", D("20.03"), 0)
    # Two cents are rounded once: the rest of the cash settles no more than its amount.
    more = shop.receive("10.00", (three, "5.00"), method="cash")
    assert (more["cash_rounding"], shop.standing(three)) == (D("0.02"), ("paid", 5, 0))
    four = shop.sent("5.02")
    shop.act(more, "allocate", {"allocations": [{"invoice_id": four, "amount": "5.00"}]})
    assert shop.standing(four) == ("partially_paid", 5, D("0.02"))
    # Taking cash off takes its rounding along, but never more than is left to settle.
    back = shop.act(paid, "deallocate", {"invoice_id": two, "amount": "0.01"})
    assert (shop.standing(two), back["cash_rounding"]) == (("paid", D("20.02"), 0), D("-0.01"))
    back = shop.act(paid, "deallocate", {"invoice_id": two, "amount": "1.00"})
    assert (shop.standing(two), back["cash_rounding"]) == (("partially_paid", D("19.02"), D("0.99")), 0)
    back = shop.act(more, "deallocate", {"invoice_id": three, "amount": "1.00"})
    assert (shop.standing(three), back["cash_rounding"]) == (("partially_paid", 4, D("1.02")), 0)


def test_an_allocation_to_what_was_written_off_is_a_recovery(shop):
    id = shop.sent("110.00")
    shop.web.post(f"/v1/invoices/{id}/write_off", status=200)
    before = len(shop.events())
    paid = shop.receive("200.00", (id, "70.00"))
    assert shop.events(before) == ["payment.recorded", "invoice.recovered"]
    shop.act(paid, "allocate", {"allocations": [{"invoice_id": id, "amount": "40.00"}]})
    assert shop.events()[-3:] == ["payment.allocated", "invoice.recovered", "invoice.paid"]
    shop.act(paid, "deallocate", {"invoice_id": id, "amount": "10.00"})
    found = shop.invoice(id)
    assert (found["status"], found["amount_written_off"], found["amount_due"]) == ("written_off", 10, 0)


def test_what_an_invoice_records_is_found_by_the_clients_own_id(shop):
    one, two = shop.sent("110.00"), shop.sent("50.00")
    given = {**CARD, "external_id": "till-1", "metadata": {"till": "north"}}
    paid = shop.web.post(f"/v1/invoices/{one}/payments", {"amount": 10, **given})["data"]
    (found,) = shop.web.get("/v1/payments?external_id=till-1&metadata[till]=north")["data"]
    assert (found["id"], found["invoice_id"]) == (paid["payments"][0]["id"], one)
    for path, more in ((f"/v1/invoices/{two}/payments", {"amount": 10}), (f"/v1/invoices/{two}/pay", {})):
        error = shop.web.refused(409, "duplicate_external_id", "POST", path, given | more)
        assert error["param"] == "external_id"
    shop.web.post(f"/v1/invoices/{two}/pay", {**CARD, "external_id": "till-2"}, 200)
    (found,) = shop.web.get("/v1/payments?external_id=till-2")["data"]
    assert (found["amount"], found["invoice_id"], found["metadata"]) == (50, two, {})


def test_payments_are_found_by_what_they_are(shop):
    one = shop.sent("110.00")
    own = {"external_id": "bank-1", "metadata": {"a": "b"}, "reference": "Ref 1"}
    first = shop.receive("110.00", (one, "110.00"), paid_at="2026-11-01", **own)
    second = shop.receive("20.00", method="cash", paid_at="2026-11-10")
    own = shop.web.post(f"/v1/invoices/{shop.sent('5.00')}/pay", CARD, 200)["data"]["payments"][0]["id"]
    ids = {first["id"]: 1, second["id"]: 2, own: 3}
    for query, found in (
        ("", [3, 2, 1]),
        ("?sort=paid_at", [1, 2, 3]),
        ("?sort=-amount", [1, 2, 3]),
        (f"?invoice_id={one}", [1]),
        ("?payment_method=cash", [2]),
        ("?payment_method=cash,card&amount_to=20.00", [3, 2]),
        ("?paid_at_from=2026-11-02&paid_at_to=2026-11-10", [2]),
        ("?paid_on_to=2026-11-01", [1]),
        ("?amount_from=20.01", [1]),
        ("?unallocated_from=0.01", [2]),
        ("?reference=Ref%201", [1]),
        ("?reference=Ref%201,Ref%202", [1]),
        ("?reference=Ref", []),
        ("?external_id=bank-1", [1]),
        ("?metadata[a]=b", [1]),
        (f"?client_id={shop.client_id}&status=reversed", []),
    ):
        page = shop.web.get(f"/v1/payments{query}")
        assert [ids[x["id"]] for x in page["data"]] == found, query
        assert page["pagination"]["total"] == len(found)
    shop.web.refused(
        409,
        "duplicate_external_id",
        "POST",
        "/v1/payments",
        {"client_id": shop.client_id, "amount": 1, **CARD, "external_id": "bank-1"},
    )
    shop.web.refused(
        412,
        "version_conflict",
        "POST",
        f"/v1/payments/{second['id']}/refund",
        {"amount": 1, **CARD},
        headers={"If-Match": '"9"'},
    )
    shop.web.refused(409, "has_dependents", "DELETE", f"/v1/contacts/{shop.client_id}")


@pytest.fixture
def full(monkeypatch):
    """Lower the limit of a record's lists, and return it."""
    monkeypatch.setattr(full_lists, "MOST", 5)
    return 5


def test_an_invoice_has_so_many_payments_and_reversed_ones_count(shop, full):
    invoice, other = shop.sent(), shop.sent()
    there, cent = f"/v1/invoices/{invoice}", {"amount": "0.01", **CARD}
    for _ in range(full):
        paid = shop.web.post(f"{there}/payments", cent)["data"]["payments"][-1]
    shop.web.post(f"{there}/payments/{paid['id']}/reverse", status=200)
    before = shop.invoice(invoice), shop.events()
    assert len(before[0]["payments"]) == full
    for way, body in (("payments", cent), ("pay", CARD)):
        error = shop.web.refused(409, "list_full", "POST", f"{there}/{way}", body)
        assert error["message"] == "The invoice has 5 payments; it can have at most 5." and error["param"] is None
    error = shop.receive("3.00", (other, "1.00"), (invoice, "1.00"), status=409)
    assert (error["code"], error["param"]) == ("list_full", "allocations[1].invoice_id")
    credit = shop.receive("3.00", (other, "1.00"))
    more = {"allocations": [{"invoice_id": invoice, "amount": "1.00"}]}
    error = shop.act(credit, "allocate", more, 409)
    assert (error["code"], error["param"]) == ("list_full", "allocations[0].invoice_id")
    assert shop.invoice(invoice) == before[0] and shop.events() == [*before[1], "payment.recorded"]
    # An existing allocation can grow, and removing one makes room.
    first = before[0]["payments"][0]
    shop.act(first, "deallocate", {"invoice_id": invoice})
    shop.act(credit, "allocate", more)
    shop.act(credit, "allocate", {"allocations": [{"invoice_id": invoice, "amount": "0.50"}]})
    assert len(shop.invoice(invoice)["payments"]) == full
    again = {"allocations": [{"invoice_id": invoice, "amount": "0.01"}]}
    assert shop.act(first, "allocate", again, 409)["code"] == "list_full"


def test_a_payment_settles_so_many_invoices_and_is_refunded_so_often(shop, full):
    invoices = [shop.sent() for _ in range(full + 2)]
    cents = [(invoice, "0.01") for invoice in invoices]
    paid = shop.receive("1.00", *cents[: full - 1])
    given = [{"invoice_id": id, "amount": amount} for id, amount in cents]
    error = shop.act(paid, "allocate", {"allocations": given[-2:]}, 409)
    assert (error["code"], error["param"]) == ("list_full", "allocations")
    assert len(shop.act(paid, "allocate", {"allocations": given[full - 1 : full]})["allocations"]) == full
    assert len(shop.act(paid, "allocate", {"allocations": given[:full]})["allocations"]) == full
    assert shop.act(paid, "allocate", {"allocations": given[-1:]}, 409)["code"] == "list_full"
    for _ in range(full):
        shop.act(paid, "refund", {"amount": "0.01", **CARD})
    assert shop.act(paid, "refund", {"amount": "0.01", **CARD}, 409)["code"] == "list_full"
    assert len(shop.web.get(f"/v1/payments/{paid['id']}")["data"]["refunds"]) == full


def test_money_that_a_provider_received_is_credit_once_the_list_is_full(shop, full):
    invoice = shop.sent()
    for n in range(full + 1):
        ctx = Context(shop.web.app, shop.web.tenant_id)
        with ctx.transaction():
            taken = take_payment(ctx, invoice, D("1.00"), payment_method="card", external_id=f"pay {n}")
        assert taken.unallocated == (n == full)
    assert len(shop.invoice(invoice)["payments"]) == full and shop.credit() == 1


def noted(shop, invoice, price):
    """Return the path of a note that takes this much off an invoice."""
    line = {"description": "Less", "unit_price": price, "gst_code": "gst_free"}
    body = {"invoice_id": invoice, "reason": "other", "line_items": [line]}
    there = f"/v1/adjustment_notes/{shop.web.post('/v1/adjustment_notes', body)['data']['id']}"
    shop.web.post(f"{there}/issue", status=200)
    return there


def test_a_note_stays_where_its_payment_settles_as_many_invoices_meanwhile(shop, full):
    invoice, cents = shop.sent("1.00"), [{"invoice_id": shop.sent(), "amount": "0.01"} for _ in range(full)]
    paid = shop.receive("2.00", (invoice, "1.00"))
    note = noted(shop, invoice, "1.00")
    assert len(shop.act(paid, "allocate", {"allocations": cents})["allocations"]) == full
    error = shop.web.refused(409, "list_full", "POST", f"{note}/void")
    assert error["message"] == "The payment has 5 allocations; it can have at most 5."
    assert shop.credit() == D("1.95") and shop.standing(invoice) == ("credited", 0, 0)
    shop.act(paid, "deallocate", cents[0])
    shop.web.post(f"{note}/void", status=200)
    assert shop.credit() == D("0.96") and shop.standing(invoice) == ("paid", 1, 0)


def test_a_note_stays_where_its_invoice_has_as_many_payments_meanwhile(shop, full):
    invoice = shop.sent("3.00")
    bounced, _ = shop.receive("2.00", (invoice, "2.00")), shop.receive("1.00", (invoice, "1.00"))
    note = noted(shop, invoice, "1.00")
    shop.act(bounced, "reverse")
    for _ in range(full - 1):
        cent = shop.receive("0.01", (invoice, "0.01"))
    error = shop.web.refused(409, "list_full", "POST", f"{note}/void")
    assert error["message"] == "The invoice has 5 payments; it can have at most 5."
    shop.act(cent, "deallocate", {"invoice_id": invoice})
    shop.web.post(f"{note}/void", status=200)
    assert len(shop.invoice(invoice)["payments"]) == full
