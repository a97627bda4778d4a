"""The summary against a model that adds up what the API shows of each expense."""

from collections import defaultdict
from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from billycan.testing import Client, counted
from billycan_expenses import rules
from billycan_expenses.starter import STARTER

D = Decimal
CATEGORIES = list(STARTER)[:3]
FIGURES = ("amount", "net", "gst", "gst_claimable")

amounts = st.one_of(
    st.sampled_from([1, 5, 11, 8250, 8251, 99_999_999_999]), st.integers(1, 20_000), st.integers(1, 99_999_999_999)
).map(lambda cents: D(cents).scaleb(-2))


@st.composite
def new_expense(draw):
    amount, code = draw(amounts), draw(st.sampled_from(list(rules.LABELS)))
    made = {
        "date": str(date(2026, 1, 1) + timedelta(days=draw(st.integers(-400, 400)))),
        "amount": str(amount),
        "category_id": draw(st.sampled_from(CATEGORIES)),
        "gst_code": code,
        "business_use_percent": str(D(draw(st.integers(0, 1_000_000))).scaleb(-4)),
        "tax_invoice_held": draw(st.booleans()),
        "billable": draw(st.booleans()),
    }
    if draw(st.booleans()):
        most = int(rules.default_gst(amount, code) * 100)
        made["gst"] = str(D(draw(st.integers(0, most))).scaleb(-2))
    return made, draw(st.integers(0, 4)) == 0


def model(shown, by):
    """The groups that add up what is shown of each expense."""
    key = {
        "category": lambda e: e["category"]["id"],
        "gst_code": lambda e: e["gst_code"],
        "month": lambda e: e["date"][:7],
    }[by]
    groups = defaultdict(list)
    for expense in shown:
        if expense["status"] != "void":
            groups[key(expense)].append({"amount": expense["amount"], **expense["gst_breakdown"]})
    return {k: (len(g), *(sum(e[name] for e in g) for name in FIGURES)) for k, g in groups.items()}


@pytest.mark.either
@settings(max_examples=settings().max_examples // 2)
@given(
    st.lists(new_expense(), max_size=8),
    st.sampled_from(["", "billable=true", "date_from=2026-01-01&date_to=2026-06-30", "claim_status=claimable",
                     "gst_code=gst,capital&tax_invoice_held=false", f"category_id={CATEGORIES[0]}", "status=void"]),
)  # fmt: skip
def test_any_summary_is_the_sum_of_what_it_covers_to_the_cent(make_app, expenses, filters):
    client = Client(make_app("contacts", "expenses"))
    for body, voided in expenses:
        id = client.post("/v1/expenses", body)["data"]["id"]
        if voided:
            client.post(f"/v1/expenses/{id}/void", status=200)
    shown = client.get(f"/v1/expenses?per_page=100&{filters}")["data"]
    for by in ("category", "gst_code", "month"):
        groups = client.get(f"/v1/expenses/summary?group_by={by}&{filters}")["data"]
        assert {g["key"]: (g["count"], *(g[name] for name in FIGURES)) for g in groups} == model(shown, by)
        for g in groups:
            assert g["net"] + g["gst"] == g["amount"] and 0 <= g["gst_claimable"] <= g["gst"]


@pytest.mark.parametrize(
    ("amount", "percent", "each"),
    [("0.11", 40, "0.00"), ("0.11", 60, "0.01"), ("-0.11", 40, "0.00"), ("-0.11", 60, "-0.01"), ("-0.11", 50, "-0.01")],
)
def test_each_claim_is_rounded_before_they_are_added_up(make_app, amount, percent, each):
    client = Client(make_app("contacts", "expenses"))
    body = {"date": "2026-07-01", "amount": amount, "category_id": CATEGORIES[0], "business_use_percent": percent}
    shown = [client.post("/v1/expenses", body)["data"]["gst_breakdown"]["gst_claimable"] for _ in range(3)]
    [group] = client.get("/v1/expenses/summary")["data"]
    assert [*map(str, shown)] == [each] * 3 and group["gst_claimable"] == sum(shown)


def test_groups_are_labelled_and_in_order(make_app):
    client = Client(make_app("contacts", "expenses"))
    days = ("2026-11-20", "2026-02-01", "2025-12-31")
    for day, category, code in zip(days, CATEGORIES[::-1], ("out_of_scope", "gst", "capital"), strict=True):
        body = {"date": day, "amount": "11.00", "category_id": category, "gst_code": code}
        client.post("/v1/expenses", body)

    def labels(query):
        return [(g["key"], g["label"]) for g in client.get(f"/v1/expenses/summary{query}")["data"]]

    assert labels("") == [(id, STARTER[id]) for id in CATEGORIES]
    assert labels("?group_by=gst_code") == [(c, rules.LABELS[c]) for c in ("gst", "capital", "out_of_scope")]
    assert labels("?group_by=month") == [
        ("2025-12", "December 2025"),
        ("2026-02", "February 2026"),
        ("2026-11", "November 2026"),
    ]
    answer = client.get("/v1/expenses/summary?search=nothing")
    assert (answer["data"], answer["pagination"]) == ([], None)
    with counted(client.app) as sent:
        client.get("/v1/expenses/summary")
    assert len(sent) == 3  # the first asks whether any expense has lines
