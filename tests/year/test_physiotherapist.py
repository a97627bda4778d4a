"""A physiotherapist's half-year: GST-free care beside taxable goods, input taxed interest, and a period reopened.

Sections without an Act are from the A New Tax System (Goods and Services Tax) Act 1999. Care is GST-free (s 38-10),
ordinary goods are taxable, interest that is earned is input taxed (s 40-5). All prices include GST. What is not at a
label of the list is zero there.
"""

import pytest

pytestmark = pytest.mark.either

Q1, Q2 = ("2026-07-01", "2026-09-30"), ("2026-10-01", "2026-12-31")

PURCHASES = {
    "G10": "3300.00",  # a treatment table
    "G11": "2290.00",  # rent 2,200, dressings 90
    "G14": "90.00",  # dressings are GST-free (s 38-45)
    "1B": "500.00",  # 300 + 200
}
EXPECTED = {
    "accrual": {
        # Care 1,200 with a roller 66; care 120 with a brace 110; interest 35
        Q1: {"G1": "1531.00", "G3": "1320.00", "G4": "35.00", "1A": "16.00", **PURCHASES},
        # A workshop for a gym, which is no care. The roller came back: an adjustment of the first quarter (s 19-40).
        Q2: {"G1": "550.00", "1A": "50.00", "G18": "66.00", "1B": "6.00"},
    },
    "cash": {
        # Of 230, 100 seems to be paid: GST 10 x 100 / 230 = 4.35, GST-free 120 x 100 / 230 = 52.17 (s 29-5(2))
        Q1: {"G1": "1401.00", "G3": "1252.17", "G4": "35.00", "1A": "10.35", **PURCHASES},
        # All of the 230 in fact comes in this quarter; the workshop is not paid.
        Q2: {"G1": "230.00", "G3": "120.00", "1A": "10.00", "G18": "66.00", "1B": "6.00"},
    },
}
# The 100 of the first quarter were never paid. That reduces no GST-free sale, since no GST changes: 100 - 52.17.
CORRECTIONS = {"accrual": {}, "cash": {"G18": "47.83", "1B": "4.35"}}
TO_LODGE = {  # without the cents of the sum (s 388-85 of Schedule 1, Taxation Administration Act 1953)
    "accrual": {"G1": 550, "1A": 50, "G18": 66, "1B": 6},
    "cash": {"G1": 230, "G3": 120, "1A": 10, "G18": 113, "1B": 10},
}


def test_a_physiotherapists_half_year(open_business, basis, exact):  # noqa: PLR0915 - a story, day by day
    expected = {quarter: exact(labels) for quarter, labels in EXPECTED[basis].items()}
    physio = open_business(basis)

    # First quarter
    physio.on("2026-07-01")
    physio.buy("Rooms", "2200.00", "Rent")
    physio.on("2026-07-10")
    first = physio.invoice("Ines", ("Ten treatments", "1200.00", "gst_free"), ("Foam roller", "66.00"))
    first_paid = physio.pay(first, "1266.00")
    physio.buy("Treatment table", "3300.00", gst_code="capital")
    physio.buy("Dressings", "90.00", gst_code="gst_free")
    physio.on("2026-08-11")
    second = physio.invoice("Omar", ("Treatment", "120.00", "gst_free"), ("Brace", "110.00"))
    physio.on("2026-09-01")
    not_ours = physio.pay(second, "100.00")
    physio.on("2026-09-30")
    physio.pay(physio.invoice("Bank", ("Interest", "35.00", "input_taxed")), "35.00")
    assert physio.labels(*Q1) == expected[Q1]
    assert physio.owed("2026-09-30") == exact({"Omar": "130.00"})
    physio.on("2026-10-01")
    physio.lodge(*Q1)

    # Second quarter
    physio.on("2026-10-02")
    physio.pay(second, "130.00")
    physio.on("2026-10-23")
    physio.note(first, "66.00", line=1, reason="returned")
    physio.refund(first_paid, "66.00")
    physio.on("2026-11-02")
    physio.do(f"payments/{not_ours}/reverse", {"mistake": True, "reason": "It was for another clinic"})
    physio.on("2026-11-05")
    physio.pay(second, "100.00")
    physio.on("2026-12-10")
    workshop = physio.invoice("Gym", ("Workshop", "550.00"))
    assert physio.labels(*Q1) == expected[Q1]
    assert physio.labels(*Q2) == expected[Q2]
    assert physio.corrections(*Q2) == exact(CORRECTIONS[basis])
    assert physio.to_lodge(*Q2) == TO_LODGE[basis]
    assert physio.owed("2026-09-30") == exact({"Omar": "230.00"})
    assert physio.owed("2026-12-31") == exact({"Gym": "550.00"})

    # The rent of December was forgotten: the period is taken back and lodged anew, the corrections with it.
    physio.on("2027-01-20")
    lodged = physio.lodge(*Q2)
    physio.on("2027-01-22")
    physio.do(f"gst_periods/{lodged}/reopen", {"reason": "December's rent was forgotten"})
    physio.buy("Rooms", "2200.00", "Rent", date="2026-12-20")
    physio.lodge(*Q2)
    with_rent = {"G11": 2200, "1B": TO_LODGE[basis]["1B"] + 200}
    assert physio.to_lodge(*Q2) == {**TO_LODGE[basis], **with_rent}
    assert physio.corrections(*Q2) == exact(CORRECTIONS[basis])
    found = physio.web.get("/v1/gst_periods")["data"]
    assert sorted((one["from"], one["status"]) for one in found) == [
        ("2026-07-01", "lodged"),
        ("2026-10-01", "lodged"),
        ("2026-10-01", "reopened"),
    ]

    # The books of the half-year are closed.
    physio.web.patch("/v1/tenant", {"locked_until": "2026-12-31"})
    late = {"date": "2026-12-31", "amount": "55.00", "category_id": physio.categories["Rent"]}
    physio.web.refused(409, "period_locked", "POST", "/v1/expenses", late)
    physio.web.refused(409, "period_locked", "POST", f"/v1/invoices/{workshop}/void", {"mistake": True})
    assert physio.labels("2027-01-01", "2027-03-31") == {}
