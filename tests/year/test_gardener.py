"""A gardener who nears $75,000, registers in the middle of a quarter, and changes the basis half a year later.

Sections without an Act are from the A New Tax System (Goods and Services Tax) Act 1999. Prices include GST, if there
is any. What is not at a label of the list is zero there.
"""

import pytest

pytestmark = pytest.mark.either

Q1, Q2 = ("2026-07-01", "2026-09-30"), ("2026-10-01", "2026-12-31")
Q3, Q4 = ("2027-01-01", "2027-03-31"), ("2027-04-01", "2027-06-30")
REGISTERS, CHANGES = "2026-08-17", "2027-01-01"

EXPECTED = {  # by the basis of the first half-year; the second has the other
    "accrual": {
        # What was sold before the registration is no taxable supply (s 9-5(d)), whenever it is paid; what was bought
        # before it is no creditable acquisition (s 11-5(d)). The hedge 550 was paid before and invoiced after it.
        Q1: {"G1": "2750.00", "1A": "250.00", "G11": "110.00", "1B": "10.00"},  # lawn 2,200, hedge 550; fuel 110
        Q2: {"G1": "3300.00", "1A": "300.00"},  # the pond
        Q3: {},  # the pond's payment counts nothing, because its invoice did (s 159-20); the wall is not paid
        Q4: {"G1": "660.00", "1A": "60.00"},  # the wall is paid, on a cash basis
    },
    "cash": {
        Q1: {"G1": "1650.00", "1A": "150.00", "G11": "110.00", "1B": "10.00"},  # half of the lawn, and the hedge
        Q2: {"G1": "1100.00", "1A": "100.00"},  # the other half of the lawn
        # The pond, unpaid when the cash basis ends (s 159-5), and the wall as it is invoiced
        Q3: {"G1": "3960.00", "1A": "360.00"},
        Q4: {},
    },
}


def test_a_gardener_who_registers(open_business, basis, exact):  # noqa: PLR0915 - a story, day by day
    expected = {quarter: exact(labels) for quarter, labels in EXPECTED[basis].items()}
    none = {"from": "2000-07-01", "registered": False, "basis": basis, "period": "quarter"}
    gardener = open_business(basis, registered=False)

    # Not registered: $10,000 a month
    for month in (2, 3, 4, 5, 6, 7):
        gardener.on(f"2026-0{month}-20")
        gardener.pay(gardener.invoice("Council", ("Mowing", "10000.00")), "10000.00")
        near = "registration_threshold" in gardener.warnings(f"2026-0{month}-01", f"2026-0{month}-28")
        assert near == (month == 7), month  # $60,000 in July, and $75,000 is the threshold (s 23-15, 188-10)
    charged = gardener.work("Council", ("Mowing", "110.00", "gst"))
    gardener.web.refused(422, "gst_not_registered", "POST", "/v1/invoices", charged)
    gardener.on("2026-08-05")
    ahead = gardener.receive("Ada", "550.00")
    gardener.on("2026-08-10")
    before = gardener.invoice("Council", ("Planting", "8000.00"))
    gardener.on("2026-08-14")
    mower = gardener.buy("Mower", "1650.00")
    assert gardener.web.get(f"/v1/expenses/{mower}")["data"]["gst_breakdown"]["gst_claimable"] == 0
    gardener.buy("Blades", "330.00", due_date="2026-08-25")
    blades = gardener.web.get("/v1/expenses?amount_from=330&amount_to=330")["data"][0]["id"]

    # Registered from 17 August
    registered = {**none, "from": REGISTERS, "registered": True}
    gardener.settle(none, registered)
    gardener.on("2026-08-20")
    lawn = gardener.invoice("Ada", ("Lawn", "2200.00"))
    gardener.on("2026-08-24")
    hedge = gardener.invoice("Ada", ("Hedge", "550.00"))
    gardener.allocate(ahead, hedge, "550.00")
    gardener.on("2026-08-25")
    gardener.expense(blades, paid_on="2026-08-25")
    gardener.on("2026-08-31")
    gardener.pay(before, "8000.00")
    gardener.on("2026-09-03")
    gardener.buy("Fuel", "110.00")
    gardener.on("2026-09-10")
    gardener.pay(lawn, "1100.00")
    assert gardener.labels(*Q1) == expected[Q1]
    assert gardener.owed("2026-08-10") == exact({"Council": "8000.00", "Ada": "-550.00"})
    assert gardener.owed("2026-09-30") == exact({"Ada": "1100.00"})

    gardener.on("2026-10-05")
    gardener.pay(lawn, "1100.00")
    periods = gardener.web.get("/v1/reports/gst/periods?from=2026-07-01")["data"]
    first = next(one for one in periods if one["to"] == Q1[1])
    gardener.lodge(first["from"], first["to"])

    # To register a week earlier would change what was lodged: the planting of 10 August is said to be without GST.
    sooner = {"gst_settings": [none, {**registered, "from": "2026-08-10"}]}
    error = gardener.web.refused(409, "period_lodged", "PATCH", "/v1/tenant", sooner)
    assert error["changes"]
    gardener.on("2026-11-02")
    pond = gardener.invoice("Ada", ("Pond", "3300.00"))
    assert gardener.labels(*Q2) == expected[Q2]
    gardener.on("2027-01-04")
    gardener.lodge(*Q2)

    # The other basis from January
    other = {"accrual": "cash", "cash": "accrual"}[basis]
    gardener.settle(none, registered, {**registered, "from": CHANGES, "basis": other})
    gardener.on("2027-01-20")
    gardener.pay(pond, "3300.00")
    gardener.on("2027-03-15")
    wall = gardener.invoice("Ada", ("Wall", "660.00"))
    assert gardener.labels(*Q3) == expected[Q3]
    gardener.on("2027-04-07")
    gardener.pay(wall, "660.00")
    assert gardener.labels(*Q3) == expected[Q3]
    assert gardener.labels(*Q4) == expected[Q4]
    assert gardener.owed("2027-03-31") == exact({"Ada": "660.00"})

    # Whatever the basis was, each sale counts once: 2,200 + 550 + 3,300 + 660 = 6,710, of which an eleventh is 610.
    assert sum(labels.get("1A", 0) for labels in expected.values()) == 610
    for quarter in (Q1, Q2):
        assert gardener.corrections(*quarter) == {}
