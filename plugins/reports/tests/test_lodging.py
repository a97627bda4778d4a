"""Lodging: labels that are never below zero, the business's own periods, reopening, and the figures stored."""

from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import settings as h_settings
from hypothesis import strategies as st

from billycan.tenants import GstSetting
from billycan.testing import Client
from billycan_reports import rules
from billycan_reports.periods import period_of, periods_between
from billycan_users.testing import Browser

pytestmark = pytest.mark.either

D = Decimal
PLUGINS = ("contacts", "documents", "expenses", "hosted", "invoices", "reports")
Q1, Q2, Q3 = "from=2026-07-01&to=2026-09-30", "from=2026-10-01&to=2026-12-31", "from=2027-01-01&to=2027-03-31"
BASES = ("G1", "G2", "G3", "G4", "G7", "1A", "G10", "G11", "G13", "G14", "G15", "G18", "1B", "W4")


@pytest.fixture
def client(make_app, clock):
    client = Client(make_app(*PLUGINS))
    at(clock, "2026-08-03")
    return client


def at(clock, day):
    clock.time = datetime.fromisoformat(day).replace(hour=2, tzinfo=UTC)


def settle(client, *given):
    """The GST settings: each a day, whether registered, the basis and the length of periods."""
    names = ("from", "registered", "basis", "period")
    return client.patch("/v1/tenant", {"gst_settings": [dict(zip(names, one, strict=False)) for one in given]})


def sell(client, price="110.00", code="gst", day=None):
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    line = {"description": "Work", "unit_price": price, "gst_code": code}
    body = {"client_id": contact, "amounts_are": "inclusive", "line_items": [line]}
    id = client.post("/v1/invoices", {**body, "issue_date": day} if day else body)["data"]["id"]
    client.post(f"/v1/invoices/{id}/send", status=200)
    return id


def credit(client, invoice, price, code="gst", day=None):
    line = {"description": "Returned", "unit_price": price, "gst_code": code}
    body = {"invoice_id": invoice, "reason": "returned", "line_items": [line]}
    id = client.post("/v1/adjustment_notes", {**body, "issue_date": day} if day else body)["data"]["id"]
    client.post(f"/v1/adjustment_notes/{id}/issue", status=200)
    return id


def buy(client, amount="220.00", day="2026-08-03", **members):
    category = client.get("/v1/expense_categories?per_page=1")["data"][0]["id"]
    body = {"date": day, "category_id": category, "tax_invoice_held": True, "amount": amount}
    return client.post("/v1/expenses", {**body, **members})["data"]["id"]


def report(client, query):
    return client.get(f"/v1/reports/gst?{query}")["data"]


def amounts(found):
    return {label: found[label]["amount"] for label in BASES if found[label]["amount"]}


def lodge(client, query, status=201):
    answer = client.post("/v1/gst_periods", dict(part.split("=") for part in query.split("&")), status)
    return answer["data"] or answer["error"]


def test_a_refunded_expense_id_a_supplier_reduces_its_purchase_or_adjusts_a_later_period(client, clock):
    """Div 19: of the same period it reduces 1B and G11; of a later one it is at 1A and G7."""
    bought = buy(client)
    buy(client, "-55.00", "2026-08-20", refunded_expense_id=bought)
    at(clock, "2026-11-03")
    buy(client, "-33.00", "2026-11-03", refunded_expense_id=bought)
    buy(client, "-11.00", "2026-11-03")  # of what is not said
    assert amounts(report(client, Q1)) == {"G11": 165, "1B": 15}
    assert amounts(report(client, Q2)) == {"G7": 44, "1A": 4}


def test_a_note_that_is_void_in_a_later_period_increases_gst(client, clock):
    note = credit(client, sell(client), "55.00")
    at(clock, "2026-11-03")
    client.post(f"/v1/adjustment_notes/{note}/void", {"reason": "Not returned"}, 200)
    found = amounts(report(client, "from=2026-07-01&to=2026-12-31"))
    assert found == {"G1": 110, "1A": 10}
    later = amounts(report(client, Q2))
    assert later in ({"G7": D("55"), "1A": D("5")}, {})  # or no trace, where a mistake leaves none


def test_what_bears_no_gst_is_adjusted_at_no_label_later(client, clock):
    id = sell(client, "100.00", "gst_free")
    at(clock, "2026-11-03")
    credit(client, id, "40.00", "gst_free")
    assert amounts(report(client, Q2)) == {}
    assert amounts(report(client, "from=2026-07-01&to=2026-12-31")) == {"G1": 60, "G3": 60}


def test_what_was_withheld_is_at_w4_by_the_day_of_payment(client):
    buy(client, "1000.00", "2026-08-03", paid_on="2026-10-02", tax_withheld="470.00")
    buy(client, "100.00", "2026-08-03", due_date="2026-12-01", tax_withheld="47.00")
    void = buy(client, "200.00", "2026-10-03", tax_withheld="94.00")
    client.post(f"/v1/expenses/{void}/void", {}, 200)
    assert amounts(report(client, Q1)) == {"G11": 1100, "G14": 1100}  # no GST to claim: nobody registered lacks an ABN
    assert amounts(report(client, Q2)) == {"W4": 470}


def test_tax_withheld_in_a_lodged_period_is_for_a_revised_statement(client, clock):
    """A later statement cannot correct it, whether it was too much or too little (the tax office's rule)."""
    wrong = buy(client, "200.00", tax_withheld="94.00")
    at(clock, "2026-10-02")
    assert lodge(client, Q1)["labels"]["W4"]["amount"] == 94
    late = buy(client, "100.00", "2026-09-20", tax_withheld="40.00")
    buy(client, "50.00", "2026-10-02", tax_withheld="20.00")
    for undone, change, said in ((None, 40, "$40.00 more"), (wrong, -54, "$54.00 less")):
        if undone:
            client.post(f"/v1/expenses/{undone}/void", {"mistake": True}, 200)
        found = report(client, Q2)
        assert (found["W4"]["amount"], found["W4"]["to_lodge"]) == (20, 20)
        assert found["corrections"]["W4"]["amount"] == change
        (warned,) = (one["message"] for one in found["warnings"] if one["code"] == "withheld_changed")
        assert said in warned
    at(clock, "2027-01-02")
    lodged = lodge(client, Q2)
    assert lodged["labels"]["W4"]["amount"] == 20
    assert [one["message"] for one in lodged["warnings"] if one["code"] == "withheld_changed"] == [warned]
    # It is told once.
    client.post(f"/v1/expenses/{late}/void", {"date": "2027-01-02"}, 200)
    found = report(client, Q3)
    assert (amounts(found), found["corrections"]) == ({}, {})


def test_gst_on_an_import_is_claimed_by_what_customs_charged(client):
    """S 29-15: in the period of payment; the worksheet comes to the same GST."""
    settle(client, ("2000-07-01", True, "accrual", "quarter"))
    buy(client, "650.00", gst="600.00", import_gst=True, tax_invoice_held=False, paid_on="2026-10-05")
    assert amounts(report(client, Q1)) == {}
    found = report(client, Q2)
    assert (amounts(found), found["G20"]["amount"]) == ({"G11": 6600, "1B": 600}, 600)


MONTHS = [("2026-07-01", "2026-07-31"), ("2026-08-01", "2026-08-31"), ("2026-09-01", "2026-09-30")]
DAYS = ["2026-07-03", "2026-07-30", "2026-08-03", "2026-08-31", "2026-09-02"]


CODES = st.sampled_from(["gst", "gst", "gst_free", "input_taxed"])
PRICES = st.integers(200, 90_000)


def dollars(cents):
    return str(D(cents).scaleb(-2))


def sell_anything(client, draw):
    """A sale that may be paid in part, credited in part or written off."""
    price, code, day = draw(PRICES), draw(CODES), draw(st.sampled_from(DAYS))
    id = sell(client, dollars(price), code, day)
    if draw(st.booleans()):
        body = {"amount": dollars(price // 2), "payment_method": "card", "paid_at": draw(st.sampled_from(DAYS))}
        client.post(f"/v1/invoices/{id}/payments", body)
    end = draw(st.sampled_from(["", "credit", "write_off"]))
    if end == "credit":
        credit(client, id, dollars(price // 3), code, max(day, draw(st.sampled_from(DAYS))))
    elif end:
        client.post(f"/v1/invoices/{id}/write_off", {}, 200)


def buy_anything(client, draw):
    """A purchase of which the supplier may give back, or that is void."""
    price, code = draw(PRICES), draw(st.sampled_from(["gst", "capital", "gst_free"]))
    members = {"gst_code": code, "business_use_percent": draw(st.sampled_from(["100", "37.5"]))}
    id = buy(client, dollars(price), draw(st.sampled_from(DAYS)), **members)
    end = draw(st.sampled_from(["", "refund", "refund", "void"]))
    if end == "refund":
        of = {"refunded_expense_id": id} if draw(st.booleans()) else {}
        buy(client, dollars(-draw(st.integers(1, price))), draw(st.sampled_from(DAYS)), **members, **of)
    elif end:
        client.post(f"/v1/expenses/{id}/void", {}, 200)


def checked(found):
    """The net GST of a report, and of its corrections, having checked each label."""
    corrections = found["corrections"]
    for label in rules.LABELS:
        figure, more = found[label], corrections.get(label, {"amount": D(0), "documents": []})
        assert min(figure["amount"], more["amount"], figure["to_lodge"]) >= 0, label
        if label not in rules.ELEVENTHS:
            assert figure["to_lodge"] == int(figure["amount"] + more["amount"]), label
            for each in (figure, more):
                assert each["amount"] == sum(one["amount"] for one in each["documents"]), label
    taken = (corrections[label]["amount"] * sign for label, sign in (("1A", 1), ("1B", -1)) if label in corrections)
    return net(found), sum(taken)


def net(found):
    return found["1A"]["amount"] - found["1B"]["amount"]


@pytest.mark.sqlite_alone  # tests/year/test_books_machine.py lodges on PostgreSQL
@given(data=st.data())
@h_settings(max_examples=10)
def test_no_label_is_below_zero_and_all_periods_together_come_to_the_same(make_app, data):
    """Whatever was sold, bought, given back and corrected when: what is lodged of the months is the quarter's GST."""
    client = Client(make_app(*PLUGINS))
    client.app.clock.time = datetime(2026, 10, 5, 2, tzinfo=UTC)
    settle(client, ("2000-07-01", True, basis := data.draw(st.sampled_from(["cash", "accrual"])), "month"))
    many = st.integers(1, 3)
    lodged = data.draw(st.integers(0, 2))
    for round in range(2):
        for act in (sell_anything, buy_anything):
            for _ in range(data.draw(many)):
                act(client, data.draw)
        for since, until in MONTHS[:lodged] if not round else ():
            client.post("/v1/gst_periods", {"from": since, "to": until})
    found = [checked(report(client, f"from={since}&to={until}")) for since, until in MONTHS]
    # The first that is not lodged takes the corrections of those before.
    assert [taken for _, taken in found[:lodged]] == [0] * lodged
    assert sum(own for own, _ in found) + found[lodged][1] == net(report(client, f"{Q1}&basis={basis}"))
    october = net(report(client, "from=2026-10-01&to=2026-10-31"))
    assert net(report(client, f"from=2026-07-01&to=2026-10-31&basis={basis}")) == october + net(
        report(client, f"{Q1}&basis={basis}")
    )


CHANGED_BASES = (
    # The bases of July, August and September; the note's day; what the client gets back on which day; GST by month
    (("accrual", "cash", "cash"), "2026-08-03", {"2026-09-03": 22}, [10, -3, -2]),  # s 29-20(2)
    (("accrual", "cash", "cash"), "2026-08-03", {}, [10, -3, 0]),
    (("accrual", "cash", "cash"), "2026-07-20", {"2026-09-03": 22}, [5, 0, 0]),  # it stays where it was (s 159-20)
    (("cash", "accrual", "accrual"), "2026-07-20", {"2026-09-03": 22}, [7, -2, 0]),  # on 1 August (s 159-5)
    (("cash", "accrual", "accrual"), "2026-07-20", {"2026-07-28": 11, "2026-09-03": 11}, [6, -1, 0]),  # s 159-10
    (("cash", "accrual", "accrual"), "2026-08-03", {"2026-09-03": 22}, [7, -2, 0]),  # the unpaid $33, less the note
    (("cash", "accrual", "cash"), "2026-07-20", {"2026-09-03": 22}, [7, -2, 0]),
)


@pytest.mark.parametrize("late", ["nothing", "settings", "everything"])
def test_a_note_counts_by_the_basis_of_its_own_day(client, clock, late):
    """S 29-20 and Division 159 GST Act: $77 of July's invoice of $110 are paid, and a note takes off the unpaid $33 and
    $22 that are given back. What is late comes after July and August were lodged.
    """
    months = [f"from={since}&to={until}" for since, until in MONTHS]
    for bases, noted_on, backs, expected in CHANGED_BASES[:: 1 if late == "nothing" else 4]:
        business, sale, payment = Client(client.app), "", ""
        changes = [(f"2026-0{month}-01", True, basis, "month") for month, basis in enumerate(bases, 7)]
        changes[0] = ("2000-07-01", *changes[0][1:])
        at(clock, "2026-07-02")
        settle(business, *changes[: 1 if late == "settings" else 3])
        story = [("2026-07-03", "sale"), (noted_on, "note"), *((day, "back") for day in backs)]
        lodgings = [("2026-08-01", "lodging"), ("2026-09-01", "lodging")]
        for day, what in [*lodgings, *story] if late == "everything" else sorted([*story, *lodgings]):
            at(clock, max(day, "2026-09-10") if late == "everything" and what != "lodging" else day)
            given = {"payment_method": "card", "amount": backs.get(day, 77)}
            if what == "lodging":
                lodge(business, months[int(day[6]) - 8])
            elif what == "sale":
                sale = sell(business, day=day)
                paid = business.post(f"/v1/invoices/{sale}/payments", {**given, "paid_at": day})["data"]["payments"]
                payment = paid[0]["id"]
            elif what == "note":
                credit(business, sale, "55.00", day=day)
            else:
                business.post(f"/v1/payments/{payment}/refund", {**given, "refunded_at": day}, 200)
        if late == "settings":
            names = ("from", "registered", "basis", "period")
            given = [dict(zip(names, one, strict=True)) for one in changes]
            business.patch("/v1/tenant", {"gst_settings": given, "accept_corrections": True})
        reports = [report(business, month) for month in months]
        own, taken = zip(*map(checked, reports), strict=True)
        assert taken[:2] == (0, 0)
        assert sum(own) + taken[2] == sum(expected), (bases, noted_on, backs)
        assert own[2] == expected[2]
        if late == "nothing":
            assert [*own] == expected, (bases, noted_on, backs)


def test_only_the_business_s_own_periods_are_lodged(client):
    refused = lodge(client, "from=2026-07-03&to=2026-08-02", 422)
    assert (refused["code"], refused["periods"]) == ("not_a_period", [{"from": "2026-07-01", "to": "2026-09-30"}])
    assert "2026-07-01 to 2026-09-30" in refused["message"]
    listed = client.get("/v1/reports/gst/periods?from=2026-04-01")["data"]
    assert listed == [
        {"from": "2026-07-01", "to": "2026-09-30", "is_over": False, "gst_period_id": None},
        {"from": "2026-04-01", "to": "2026-06-30", "is_over": True, "gst_period_id": None},
    ]
    id = lodge(client, "from=2026-04-01&to=2026-06-30")["id"]
    assert client.get("/v1/reports/gst/periods?from=2026-04-01")["data"][1]["gst_period_id"] == id
    never = {"gst_settings": [{"from": "2030-07-01", "registered": True}], "accept_corrections": True}
    client.patch("/v1/tenant", never)
    assert lodge(client, "from=2026-01-01&to=2026-03-31", 422)["periods"] == []
    assert client.get("/v1/reports/gst/periods")["data"] == []
    client.call("GET", "/v1/reports/gst/periods?from=2026-09-01&to=2026-08-01", status=400)


def setting(day, period, registered=True):
    return GstSetting(since=date.fromisoformat(day), registered=registered, period=period)


@pytest.mark.parametrize(
    ("settings", "day", "expected"),
    [
        ([("2000-07-01", "quarter")], "2026-02-28", ("2026-01-01", "2026-03-31")),
        ([("2000-07-01", "month")], "2026-12-31", ("2026-12-01", "2026-12-31")),
        ([("2000-07-01", "year")], "2026-02-28", ("2025-07-01", "2026-06-30")),
        # Registered within a quarter: the statement is of the quarter.
        ([("2000-07-01", "quarter", False), ("2026-08-10", "quarter")], "2026-08-20", ("2026-07-01", "2026-09-30")),
        ([("2026-08-10", "quarter")], "2026-07-02", ("2026-07-01", "2026-09-30")),
        # The length changes within what would be a period.
        ([("2000-07-01", "quarter"), ("2026-08-01", "month")], "2026-07-20", ("2026-07-01", "2026-07-31")),
        ([("2000-07-01", "month"), ("2026-08-01", "quarter")], "2026-09-20", ("2026-08-01", "2026-09-30")),
    ],
)
def test_a_tax_period_is_as_long_as_the_settings_say(settings, day, expected):
    found = period_of([setting(*one) for one in settings], date.fromisoformat(day))
    assert tuple(map(str, found)) == expected


@given(
    st.lists(
        st.tuples(st.dates(date(2024, 1, 1), date(2026, 12, 31)), st.sampled_from(["month", "quarter", "year"])),
        min_size=1,
        max_size=4,
        unique_by=lambda one: one[0],
    )
)
def test_tax_periods_follow_one_another_without_a_gap(given):
    settings = sorted((setting(str(day), period) for day, period in given), key=lambda one: one.since)
    spans = list(periods_between(settings, settings[0].since, date(2027, 6, 30)))
    assert all((late[0] - early[1]).days == 1 for late, early in pairwise(spans))
    assert all(period_of(settings, day) == span for span in spans for day in span)


def test_what_is_unusual_is_said_before_and_when_it_is_lodged(client, clock):
    at(clock, "2026-04-03")
    lodge(client, "from=2026-01-01&to=2026-03-31")
    at(clock, "2026-10-03")
    buy(client, tax_invoice_held=False)
    late = sell(client, day="2026-03-20")
    contact = client.get(f"/v1/invoices/{late}")["data"]["client_id"]
    line = {"description": "Work", "unit_price": "10.00"}
    client.post("/v1/invoices", {"client_id": contact, "issue_date": "2026-09-01", "line_items": [line]})
    before = report(client, Q1)["warnings"]
    codes = ["nothing_counted", "earlier_period_not_lodged", "awaiting_tax_invoice", "corrections", "drafts"]
    assert [one["code"] for one in before] == codes
    assert "2026-04-01 to 2026-06-30" in before[1]["message"] and "1A $10.00" in before[3]["message"]
    # Days that are no tax period are not lodged, so no period is before them, and no correction is lodged with them.
    odd = report(client, "from=2026-07-02&to=2026-09-30")
    assert [one["code"] for one in odd["warnings"]] == ["nothing_counted", "awaiting_tax_invoice", "drafts"]
    assert odd["1A"]["to_lodge"] is None and odd["corrections"]["1A"]["amount"] == 10
    lodged = lodge(client, Q1)
    assert lodged["warnings"] == before
    assert client.get(f"/v1/gst_periods/{lodged['id']}")["data"]["warnings"] == before
    assert report(client, Q1)["warnings"] == before


def test_the_last_period_can_be_taken_back_and_lodged_again(client, clock):
    sell(client)
    spent = buy(client)
    at(clock, "2026-10-03")
    first = lodge(client, Q1)
    late = sell(client, "55.00", day="2026-09-01")
    at(clock, "2027-01-03")
    second = lodge(client, Q2)
    assert second["labels"]["1A"]["amount"] == 5  # the correction
    listed = client.get("/v1/gst_periods")["data"]
    assert [one["allowed_actions"] for one in (second, *listed)] == [["reopen"], ["reopen"], []]
    path = f"/v1/gst_periods/{first['id']}/reopen"
    error = client.refused(409, "later_period_lodged", "POST", path, {"reason": "Too early"})
    assert error["gst_period_id"] == second["id"]
    client.refused(422, "validation_failed", "POST", path, {})
    back = client.post(f"/v1/gst_periods/{second['id']}/reopen", {"reason": "Too early"}, 200)["data"]
    assert (back["status"], back["reopen_reason"], back["allowed_actions"]) == ("reopened", "Too early", [])
    assert back["labels"] == second["labels"] and client.events()[-1] == "gst_period.reopened"
    client.refused(409, "invalid_state_transition", "POST", f"/v1/gst_periods/{second['id']}/reopen", {"reason": "x"})
    found = report(client, Q2)
    assert found["gst_period_id"] is None and found["corrections"]["1A"]["documents"][0]["id"] == late
    assert lodge(client, Q2)["labels"] == second["labels"]
    assert [one["status"] for one in client.get("/v1/gst_periods?status=reopened")["data"]] == ["reopened"]
    # Once none has counted an expense, it is free again.
    last = client.get("/v1/gst_periods?sort=-created_at")["data"][0]["id"]
    for id in (last, first["id"]):
        client.post(f"/v1/gst_periods/{id}/reopen", {"reason": "Wrong"}, 200)
    client.delete(f"/v1/expenses/{spent}")


def test_a_period_is_not_reopened_while_what_it_counted_is_off(client, clock, make_app):
    """Its expenses would stay locked, and it could not be lodged with them."""
    spent = buy(client)
    at(clock, "2026-10-03")
    path, why = f"/v1/gst_periods/{lodge(client, Q1)['id']}/reopen", {"reason": "Too early"}
    url = client.app.db.url.render_as_string(hide_password=False)
    app = make_app(*(one for one in PLUGINS if one != "expenses"), database=url)
    app.clock.time, without = clock.time, Client(app, client.tenant_id)
    assert "expenses" in without.refused(409, "conflict", "POST", path, why)["message"]
    client.post(path, why, 200)
    client.delete(f"/v1/expenses/{spent}")


def test_what_a_lodged_period_counted_is_voided_and_never_deleted_or_overwritten(client, clock):
    """S 382-5 of Schedule 1 to the TAA 1953."""
    counted, void = buy(client, due_date="2026-12-01"), buy(client)
    waiting = buy(client, tax_invoice_held=False)
    at(clock, "2026-10-03")
    lodged = lodge(client, Q1)["id"]
    for body in ({"amount": "209.00"}, {"gst_code": "gst_free"}, {"date": "2026-10-01"}, {"tax_invoice_held": False}):
        error = client.refused(409, "document_locked", "PATCH", f"/v1/expenses/{counted}", body)
        assert error["gst_period_id"] == lodged and "void" in error["message"]
    client.refused(409, "document_locked", "DELETE", f"/v1/expenses/{counted}")
    # What counts the same can change, and what did not count is free.
    changed = {"description": "Pipe", "paid_on": "2026-10-02", "reference": "7"}
    assert client.patch(f"/v1/expenses/{counted}", changed)["data"]["description"] == "Pipe"
    client.patch(f"/v1/expenses/{waiting}", {"amount": "99.00"})
    client.delete(f"/v1/expenses/{waiting}")
    client.post(f"/v1/expenses/{void}/void", {"mistake": True}, 200)
    client.patch(f"/v1/expenses/{void}", {"metadata": {"a": "b"}})
    client.refused(409, "document_locked", "DELETE", f"/v1/expenses/{void}")
    corrections = report(client, Q2)["corrections"]
    assert corrections["1A"]["documents"] == [{"id": void, "amount": 20, "name": "Expense of 2026-08-03"}]


def test_a_void_expense_counts_until_its_day_or_as_a_mistake_never(client, clock):
    """The rule of invoices: nothing sent is a mistake, unless a lodged period has it."""
    withheld = {"tax_withheld": "103.00", "amount": "220.00", "tax_invoice_held": False}
    twice, sent_back = buy(client), buy(client, "440.00", for_input_taxed_sales=True)
    kept_back, bill = buy(client, **withheld), buy(client, paid_on=None, due_date="2026-09-30")
    at(clock, "2026-09-20")
    client.post(f"/v1/expenses/{twice}/void", {}, 200)
    gone = client.post(f"/v1/expenses/{sent_back}/void", {"date": "2026-09-10"}, 200)["data"]
    assert (gone["voided_on"], gone["status"]) == ("2026-09-10", "void")
    assert client.get("/v1/expenses?voided_on_from=2026-09-10")["pagination"]["total"] == 1
    path = f"/v1/expenses/{kept_back}/void"
    for body, param in (
        ({"date": "2026-08-02"}, "date"),  # before it was bought
        ({"date": "2026-09-21"}, "date"),
        ({"date": "2026-09-20", "mistake": True}, "mistake"),
    ):
        assert client.refused(422, "validation_failed", "POST", path, body)["details"][0]["param"] == param
    assert amounts(report(client, Q1)) == {"G11": 440, "G14": 220, "1B": 20, "W4": 103}
    at(clock, "2026-10-03")
    assert client.post(path, {"mistake": False}, 200)["data"]["voided_on"] == "2026-10-03"
    client.post(f"/v1/expenses/{bill}/void", {"date": "2026-10-02"}, 200)
    assert amounts(report(client, Q1)) == {"G11": 440, "G14": 220, "1B": 20, "W4": 103}
    # The bill's credit is given back. What was withheld of the other was paid to the tax office, and stays there.
    assert amounts(report(client, Q2)) == {"G7": 220, "1A": 20}
    assert amounts(report(client, "from=2026-07-01&to=2026-12-31")) == {}


def test_voiding_what_a_lodged_period_has_counts_today_and_what_came_later_never_was(client, clock):
    """By what the period has, and not by its days: what was dated back to it later is no part of it."""
    counted, bounced = buy(client), buy(client)
    sold = sell(client)
    at(clock, "2026-10-03")
    lodge(client, Q1)
    late, late_sold = buy(client), sell(client, "55.00", day="2026-09-01")
    at(clock, "2026-11-05")
    void = {id: client.post(f"/v1/expenses/{id}/void", {}, 200)["data"]["voided_on"] for id in (counted, late)}
    assert void == {counted: "2026-11-05", late: None}
    void = {id: client.post(f"/v1/invoices/{id}/void", {}, 200)["data"]["voided_on"] for id in (sold, late_sold)}
    assert void == {sold: "2026-11-05", late_sold: None}
    assert client.post(f"/v1/expenses/{bounced}/void", {"mistake": True}, 200)["data"]["voided_on"] is None
    found = report(client, Q2)
    assert amounts(found) == {"G7": 220, "1A": 20, "G18": 110, "1B": 10}
    corrections = {label: one["amount"] for label, one in found["corrections"].items() if one["documents"]}
    assert corrections == {"G7": 220, "G8": 220, "1A": 20}


def test_an_undo_in_locked_books_says_what_to_send(client, clock):
    spent, sold = buy(client), sell(client)
    at(clock, "2026-10-20")
    client.patch("/v1/tenant", {"locked_until": "2026-09-30"})
    for path in (f"/v1/expenses/{spent}/void", f"/v1/invoices/{sold}/void"):
        for body in ({}, {"mistake": True}):
            said = client.refused(409, "period_locked", "POST", path, body)["message"]
            assert "locked until 2026-09-30" in said and "Send the date on which it is undone, after that day" in said
        assert client.post(path, {"date": "2026-10-01"}, 200)["data"]["voided_on"] == "2026-10-01"


def test_settings_that_reach_into_a_lodged_period_say_what_they_change(client, clock):
    sell(client)
    at(clock, "2026-10-03")
    lodged = lodge(client, Q1)["id"]
    cash = {"gst_settings": [{"from": "2000-07-01", "registered": True, "basis": "cash"}]}
    error = client.refused(409, "period_lodged", "PATCH", "/v1/tenant", cash)
    assert (error["param"], error["gst_period_ids"], error["changes"]["1B"]) == ("gst_settings", [lodged], 10)
    assert client.get("/v1/tenant")["data"]["gst_settings"][0]["basis"] == "accrual"
    later = [*client.get("/v1/tenant")["data"]["gst_settings"], {"from": "2026-10-01", "registered": True}]
    client.patch("/v1/tenant", {"gst_settings": later})  # no lodged day is touched
    told = client.patch("/v1/tenant", {**cash, "accept_corrections": True})["data"]
    assert told["gst_settings"][0]["basis"] == "cash" and "accept_corrections" not in told
    assert report(client, Q2)["corrections"]["1B"]["amount"] == 10


@pytest.mark.parametrize("basis", ["cash", "accrual"])
def test_a_registration_that_ends_after_a_lodged_period_says_what_it_changes(client, clock, basis):
    """On a cash basis what is unpaid counts on its last day (s 138-15), and no later period could correct it."""
    settle(client, ("2000-07-01", True, basis, "quarter"))
    sell(client)
    at(clock, "2026-10-03")
    lodge(client, Q1)
    settings = client.get("/v1/tenant")["data"]["gst_settings"]
    ended = {"gst_settings": [*settings, {"from": "2026-10-01", "registered": False}]}
    if basis == "accrual":
        client.patch("/v1/tenant", ended)
        return
    error = client.refused(409, "period_lodged", "PATCH", "/v1/tenant", ended)
    assert (error["changes"]["1A"], error["changes"]["G1"]) == (10, 110)
    client.patch("/v1/tenant", {"gst_settings": [*settings, {"from": "2026-10-03", "registered": False}]})


@pytest.mark.parametrize(("price", "said"), [("59999.99", None), ("60000.00", "is near"), ("75000.00", "has reached")])
def test_a_business_that_nears_the_threshold_is_warned(make_app, clock, price, said):
    client = Client(make_app(*PLUGINS, "users", "dashboard"), profile={"gst_settings": []})
    client.patch("/v1/tenant", {"gst_registered": False})
    at(clock, "2025-12-31")
    sell(client, price, "out_of_scope")
    sell(client, "90000.00", "input_taxed")
    at(clock, "2026-11-30")
    warned = [one for one in report(client, Q1)["warnings"] if one["code"] == "registration_threshold"]
    assert [said in one["message"] for one in warned] == ([True] if said else [])
    overview = Browser(client.app).join(client).get("/dashboard").text
    assert ("at which a business must register for GST" in overview) == bool(said)
    at(clock, "2026-12-01")  # the twelve months are this one and the eleven before
    assert not [one for one in report(client, Q1)["warnings"] if one["code"] == "registration_threshold"]
