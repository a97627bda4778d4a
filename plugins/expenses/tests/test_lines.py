"""Expenses with lines: what the expense has from them, and how they are changed, refunded, summed and charged."""

from decimal import Decimal

import pytest

from billycan.testing import Client, counted
from billycan_expenses.starter import STARTER

pytestmark = pytest.mark.either

D = Decimal
IDS = {name: id for id, name in STARTER.items()}
TOOLS, FUEL, BANK, MEALS, INSURANCE = (
    IDS[name] for name in ("Tools and equipment", "Fuel and oil", "Bank fees", "Entertainment", "Insurance")
)


@pytest.fixture
def app(make_app):
    return make_app("contacts", "documents", "expenses", "hosted", "invoices", "jobs", "reports")


@pytest.fixture
def client(app):
    return Client(app)


def line(category, amount, **more):
    return {"category_id": category, "amount": amount, **more}


def spend(client, *lines, **members):
    body = {"date": "2026-11-20", "tax_invoice_held": True, "line_items": lines, **members}
    return client.post("/v1/expenses", body)["data"]


def faults(client, body, method="POST", path="/v1/expenses"):
    error = client.refused(422, "validation_failed", method, path, {"date": "2026-11-20", **body})
    return {(fault["param"], fault["code"]) for fault in error["details"]}


def test_an_expense_is_what_its_lines_say(client):
    made = spend(
        client,
        line(FUEL, "110.00", description="Diesel", business_use_percent="33"),
        line(TOOLS, "220.00", gst_code="capital"),
        line(BANK, "300.00"),
        line(MEALS, "55.05"),
        line(TOOLS, "-11.00", gst_code="capital"),
    )
    figures = {name: made[name] for name in ("amount", "gst", "category_id", "gst_code", "business_use_percent")}
    gst = D("10") + 20 + D("5.00") - 1
    assert figures == {"amount": D("674.05"), "gst": gst, "category_id": TOOLS, "gst_code": "capital",
                       "business_use_percent": 100}  # fmt: skip
    claimed = D("3.30") + 20 + 0 - 1
    assert made["gst_breakdown"] == {
        "net": D("674.05") - gst, "gst": gst, "rate": 10, "gst_claimable": claimed, "claim_status": "claimable"
    }  # fmt: skip
    assert [(one["category"]["name"], one["gst_code"], one["gst"]) for one in made["line_items"]] == [
        ("Fuel and oil", "gst", 10), ("Tools and equipment", "capital", 20), ("Bank fees", "input_taxed", 0),
        ("Entertainment", "gst", D("5.00")), ("Tools and equipment", "capital", -1),
    ]  # fmt: skip
    assert client.get(f"/v1/expenses/{made['id']}")["data"] == made
    plain = client.post("/v1/expenses", {"date": "2026-11-20", "amount": "5.00", "category_id": FUEL})["data"]
    listed = client.get("/v1/expenses")["data"]
    assert [one.get("line_items") for one in listed] == [None, None]
    listed = client.get("/v1/expenses?include=line_items,payments&sort=created_at")["data"]
    assert listed == [made, plain]
    for filters in (f"category_id={BANK}", "gst_code=input_taxed", "gst_code=capital", f"category_id={MEALS},{BANK}"):
        assert [one["id"] for one in client.get(f"/v1/expenses?{filters}")["data"]] == [made["id"]]

    def summed(by, filters=""):
        found = client.get(f"/v1/expenses/summary?group_by={by}{filters}")["data"]
        return {one["label"]: (one["count"], one["amount"], one["gst"], one["gst_claimable"]) for one in found}

    assert summed("category") == {
        "Bank fees": (1, 300, 0, 0),
        "Entertainment": (1, D("55.05"), 5, 0),
        "Fuel and oil": (2, 115, D("10.45"), D("3.30") + D("0.45")),
        "Tools and equipment": (1, 209, 19, 19),
    }
    assert summed("month") == {"November 2026": (2, D("679.05"), gst + D("0.45"), claimed + D("0.45"))}
    report = client.get("/v1/reports/gst?from=2026-11-01&to=2026-11-30")["data"]
    labels = {name: report[name]["amount"] for name in ("G10", "G11", "G14", "G15", "1B")}
    private = D("110") - D("36.30") + D("55.05")
    assert labels == {"G10": 209, "G11": D("470.05"), "G14": 300, "G15": private, "1B": claimed + D("0.45")}
    assert report["1B"]["documents_total"] == 2


def test_what_is_wrong_with_lines_is_said_at_once(client):
    error = faults(client, {"line_items": [line(FUEL, "0"), line("cat_none", "1.00"), line(INSURANCE, "11.00")],
                            "gst": "1.00", "amount": "1.00"})  # fmt: skip
    assert error == {
        ("line_items[0].amount", "out_of_range"), ("line_items[1].category_id", "not_found"),
        ("line_items[2].gst", "required"), ("gst", "invalid_value"), ("amount", "invalid_value"),
    }  # fmt: skip
    for lines, fault in (
        ([line(FUEL, "11.00", gst="1.02")], ("line_items[0].gst", "out_of_range")),
        ([line(FUEL, "11.00", id="lin_1")], ("line_items[0].id", "not_found")),
        ([line(FUEL, "11.00", refunded_line_id="lin_1")], ("line_items[0].refunded_line_id", "invalid_value")),
        ([line(FUEL, "11.00"), line(FUEL, "-11.00")], ("line_items", "out_of_range")),
        ([line(FUEL, "999999999.99"), line(FUEL, "0.01")], ("line_items", "out_of_range")),
        ([{"category_id": FUEL}], ("line_items[0].amount", "required")),
        ([], ("amount", "required")),
    ):
        assert fault in faults(client, {"line_items": lines})
    assert faults(client, {}) == {("amount", "required"), ("category_id", "required")}
    assert client.get("/v1/expenses")["pagination"]["total"] == 0


def test_lines_are_merged_replaced_and_left(client):
    made = spend(client, line(FUEL, "110.00"), line(BANK, "5.00"), line(TOOLS, "33.00", gst="1.00"))
    path = f"/v1/expenses/{made['id']}"
    first, second, third = made["line_items"]
    assert client.patch(path, made)["data"] == made
    assert client.patch(path, {"description": "Docket"})["data"]["line_items"] == made["line_items"]
    changed = client.patch(path, {"line_items": [
        {"id": third["id"], "amount": "44.00"}, {**first, "amount": "220.00"}, line(FUEL, "1.10")
    ]})["data"]  # fmt: skip
    assert [(one["amount"], one["gst"]) for one in changed["line_items"]] == [
        (44, 1),
        (220, 20),
        (D("1.10"), D("0.10")),
    ]
    assert [one["id"] for one in changed["line_items"]][:2] == [third["id"], first["id"]]
    assert (changed["amount"], changed["gst"], changed["version"]) == (D("265.10"), D("21.10"), 3)
    assert faults(client, {"line_items": [{"id": second["id"], "amount": "1.00"}], "date": "2026-11-20"}, "PATCH", path)
    assert faults(client, {"amount": "1.00"}, "PATCH", path) == {("amount", "invalid_value")}
    plain = client.patch(path, {"line_items": None})["data"]
    assert (plain["line_items"], plain["amount"], plain["gst"]) == ([], D("265.10"), D("21.10"))
    assert client.patch(path, {"amount": "11.00", "gst": None})["data"]["gst"] == 1
    again = client.patch(path, {"line_items": [line(BANK, "7.00")]})["data"]
    assert (again["amount"], again["gst"], again["gst_code"]) == (7, 0, "input_taxed")
    client.post(f"{path}/void", None, 200)
    assert client.refused(409, "document_locked", "PATCH", path, {"line_items": []})["param"]
    assert client.events()[-1] == "expense.voided"


def test_a_category_stays_while_a_line_has_it(client):
    own = client.post("/v1/expense_categories", {"name": "Bait"})["data"]["id"]
    made = spend(client, line(FUEL, "110.00"), line(own, "5.00"))
    error = client.refused(409, "has_dependents", "DELETE", f"/v1/expense_categories/{own}")
    assert error["dependents"] == {"expenses": 1}
    client.delete(f"/v1/expenses/{made['id']}")
    client.delete(f"/v1/expense_categories/{own}")


def test_what_is_given_back_of_a_line_is_taxed_as_that(client):
    bought = spend(client, line(FUEL, "110.00", business_use_percent="50"), line(TOOLS, "220.00", gst_code="capital"))
    fuel, tools = (one["id"] for one in bought["line_items"])

    def back(*lines, **more):
        body = {"refunded_expense_id": bought["id"], "line_items": lines, **more}
        return faults(client, body)

    plain = {"refunded_expense_id": bought["id"], "amount": "-11.00", "category_id": FUEL}
    assert faults(client, plain) == {("line_items", "required")}
    assert back(line(FUEL, "-11.00")) == {("line_items[0].refunded_line_id", "not_found")}
    assert ("line_items[1].amount", "out_of_range") in back(
        line(FUEL, "-100.00", refunded_line_id=fuel), line(FUEL, "-11.00", refunded_line_id=fuel)
    )
    wrong = line(FUEL, "-11.00", refunded_line_id=fuel, gst_code="gst_free")
    assert back(wrong) == {("line_items[0].gst_code", "invalid_value")}
    made = spend(
        client, line(FUEL, "-33.00", refunded_line_id=fuel), line(TOOLS, "-22.00", refunded_line_id=tools),
        refunded_expense_id=bought["id"], date="2026-11-25",
    )  # fmt: skip
    assert (made["amount"], made["gst"], made["gst_breakdown"]["gst_claimable"]) == (-55, -5, D("-3.50"))
    report = client.get("/v1/reports/gst?from=2026-11-01&to=2026-11-30")["data"]
    labels = {name: report[name]["amount"] for name in ("G10", "G11", "G15", "1B")}
    assert labels == {"G10": 198, "G11": 77, "G15": D("38.50"), "1B": D("21.50")}
    path = f"/v1/expenses/{bought['id']}"
    client.refused(409, "has_dependents", "PATCH", path, {"line_items": [{"id": fuel, "amount": "111.00"}]})
    client.patch(path, {"line_items": [{"id": fuel, "description": "Diesel"}, {"id": tools}]})
    client.refused(409, "has_dependents", "POST", f"{path}/void", None)


def test_billable_lines_are_charged_by_kind(client):
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    job = {"client_id": ada, "title": "Tap", "line_items": [{"description": "Work", "unit_price": "100.00"}]}
    job = client.post("/v1/jobs", job | {"scheduled_start": "2026-11-30T22:00:00Z"})["data"]["id"]
    made = spend(
        client, line(FUEL, "110.00"), line(FUEL, "20.00", gst_code="out_of_scope"), line(TOOLS, "11.00"),
        job_id=job, billable=True, description="Docket",
    )  # fmt: skip
    invoice = client.post(f"/v1/jobs/{job}/invoice", None)["data"]
    charged = [(one["description"], one["gst_code"], one["total"]) for one in invoice["line_items"]][1:]
    assert charged == [("Docket", "gst", 121), ("Docket", "out_of_scope", 20)]
    assert client.get(f"/v1/expenses/{made['id']}")["data"]["invoice_id"] == invoice["id"]


def test_lists_of_many_lines_ask_no_more_often(client):
    def statements():
        with counted(client.app) as sent:
            client.get("/v1/expenses?include=line_items,payments")
        return len(sent)

    for _ in range(2):
        spend(client, line(FUEL, "1.00"), line(BANK, "2.00"))
    few = statements()
    for _ in range(6):
        spend(client, line(FUEL, "1.00"), line(TOOLS, "2.00"))
    assert statements() == few
