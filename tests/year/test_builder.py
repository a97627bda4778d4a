"""A builder's quarter, lodged by the month: progress claims with retention, contractors, and tax withheld.

Sections without an Act are from the A New Tax System (Goods and Services Tax) Act 1999. All prices include GST. What is
not at a label of the list is zero there.
"""

from decimal import Decimal

import pytest

pytestmark = pytest.mark.either

AUG, SEP, OCT = ("2026-08-01", "2026-08-31"), ("2026-09-01", "2026-09-30"), ("2026-10-01", "2026-10-31")

EXPECTED = {
    "accrual": {
        AUG: {
            "G1": "41800.00",  # stage 1, 44,000 less 5 % that is held back: it counts once invoiced (PAR 2017/2)
            "1A": "3800.00",
            # The electrician's bill 11,000, timber 22,000, the painter 2,000. The painter quoted no ABN: no GST is in
            # the price, and none can be claimed (s 11-5, 29-70).
            "G11": "35000.00",
            "G14": "2000.00",
            "1B": "3000.00",  # 1,000 + 2,000
            "W4": "940.00",  # 47 % of 2,000 (s 12-190 of Schedule 1, Taxation Administration Act 1953)
        },
        SEP: {
            "G1": "62700.00",  # stage 2, 66,000 less 5 %
            "G7": "1100.00",  # timber of August went back (s 19-70)
            "1A": "5800.00",  # 5,700 + 100
            "G11": "1500.00",  # the tiler, who is not registered
            "G14": "1500.00",
        },
        OCT: {"G1": "5500.00", "1A": "500.00"},  # the retention is invoiced: 2,200 + 3,300
    },
    "cash": {
        AUG: {
            "G1": "41800.00",
            "1A": "3800.00",
            "G11": "24000.00",  # timber and the painter; the electrician is paid in September
            "G14": "2000.00",
            "1B": "2000.00",
            "W4": "940.00",
        },
        SEP: {
            "G1": "50000.00",
            "G7": "1100.00",
            "1A": "4645.45",  # 5,700 x 50,000 / 62,700 = 4,545.4545 (s 29-5(2)), and 100
            "G11": "12500.00",  # the electrician 11,000 and the tiler 1,500
            "G14": "1500.00",
            "1B": "1000.00",
        },
        # 12,700, and half of the retention, 2,750; GST: 5,700 - 4,545.45 = 1,154.55, and 250
        OCT: {"G1": "15450.00", "1A": "1404.55"},
    },
}


def test_a_builders_quarter(open_business, basis, exact):  # noqa: PLR0915 - a story, day by day
    expected = {month: exact(labels) for month, labels in EXPECTED[basis].items()}
    builder = open_business(basis, period="month")
    address = {"line1": "1 Site Rd", "suburb": "Hobart", "state": "TAS", "postcode": "7000"}
    trade = {"roles": ["supplier"], "contractor": True, "billing_address": address}
    builder.contact("Sparks", abn="91888222000", gst_registered=True, **trade)
    builder.contact("Painter", **trade)
    builder.contact("Tiler", abn="47555222000", gst_registered=False, **trade)

    def hire(name, amount, **more):
        return builder.buy(name, amount, "Subcontractors", supplier_id=builder.contact(name), **more)

    builder.on("2026-06-30")
    hire("Sparks", "550.00")  # the year before, which the taxable payments report of 2027 does not have

    # August
    builder.on("2026-08-05")
    house = builder.job("Owner", "House", "110000.00")
    stage = builder.claim(house, amount="44000.00", retention_percent=5)
    builder.on("2026-08-12")
    wiring = hire("Sparks", "11000.00", due_date="2026-09-11")
    builder.on("2026-08-14")
    timber = builder.buy("Timber", "22000.00")
    builder.on("2026-08-20")
    builder.pay(stage, "41800.00")
    builder.on("2026-08-28")
    painted = hire("Painter", "2000.00", tax_withheld="940.00")
    claim = builder.web.get(f"/v1/expenses/{painted}")["data"]["gst_breakdown"]
    assert (claim["claim_status"], claim["gst_claimable"]) == ("tax_withheld", 0)

    builder.on("2026-09-04")
    assert builder.labels(*AUG) == expected[AUG]
    stage = builder.claim(house, amount="66000.00", retention_percent=5)
    builder.on("2026-09-11")
    builder.expense(wiring, paid_on="2026-09-11")
    builder.on("2026-09-18")
    hire("Tiler", "1500.00")
    builder.on("2026-09-21")
    quarter = {"from": "2026-07-01", "to": "2026-09-30"}  # this business lodges each month
    builder.web.refused(422, "not_a_period", "POST", "/v1/gst_periods", quarter)
    builder.lodge(*AUG)
    builder.on("2026-09-25")
    builder.pay(stage, "50000.00")
    builder.on("2026-09-30")
    builder.buy("Timber, returned", "-1100.00", refunded_expense_id=timber)
    assert builder.labels(*SEP) == expected[SEP]
    assert builder.owed("2026-09-30") == exact({"Owner": "12700.00"})

    # October
    builder.on("2026-10-08")
    builder.pay(stage, "12700.00")
    builder.on("2026-10-15")
    retention = builder.claim(house, claim="retention")
    shown = builder.web.get(f"/v1/invoices/{retention}")["data"]
    assert (shown["total"], shown["gst"]) == (Decimal("5500.00"), Decimal("500.00"))
    builder.on("2026-10-21")
    builder.lodge(*SEP)
    builder.on("2026-10-30")
    builder.pay(retention, "2750.00")  # half at completion, half once defects are mended
    hire("Sparks", "220.00", due_date="2027-07-15", date="2026-10-30", tax_invoice_held=False)  # unpaid, not claimed
    assert builder.labels(*AUG) == expected[AUG]
    assert builder.labels(*OCT) == expected[OCT]
    assert builder.corrections(*OCT) == {}
    assert builder.owed("2026-10-31") == exact({"Owner": "2750.00"})

    # Subdivision 396-B of Schedule 1, Taxation Administration Act 1953: by payment, in the year to 30 June
    paid = builder.web.get("/v1/reports/taxable_payments?year=2027")["data"]
    found = {one["supplier"]["name"]: (one["gross"], one["gst"], one["tax_withheld"]) for one in paid["contractors"]}
    assert found == {
        "Sparks": (Decimal("11000.00"), Decimal("1000.00"), 0),
        "Painter": (Decimal("2000.00"), 0, Decimal("940.00")),
        "Tiler": (Decimal("1500.00"), 0, 0),
    }
    assert {one["supplier"]["name"]: one["missing"] for one in paid["contractors"]}["Painter"] == ["abn"]


NOV, DEC, JUN = ("2026-11-01", "2026-11-30"), ("2026-12-01", "2026-12-31"), ("2027-06-01", "2027-06-30")
MAY = ("2027-05-01", "2027-05-31")

# A contract of 330,000.00 with 30,000.00 of GST, and 5 % of each claim retained: half until practical completion, half
# until the defects are mended. Claimed 100,000.01 + 120,000.02 + 109,999.97; retained 5,000.00 + 6,000.00 + 5,500.00.
RETAINED = {
    # The GST on what is not retained counts with the claim, that on what is retained once it is invoiced (PAR 2017/2,
    # section 5).
    "accrual": {
        AUG: {"G1": "95000.01", "1A": "8636.36"},  # 95,000.01 / 11 = 8,636.3645
        SEP: {"G1": "114000.02", "1A": "10363.64"},  # 114,000.02 / 11 = 10,363.6382
        # The last claim has what is left of the GST: 10,000.00 on all of it, 9,500.00 on 104,499.97.
        OCT: {"G1": "104499.97", "1A": "9500.00"},
        NOV: {"G1": "8250.00", "1A": "750.00"},
        DEC: {},
        MAY: {"G1": "8250.00", "1A": "750.00"},
        JUN: {},
    },
    # PAR 2017/2 leaves a cash basis as it is: what was paid counts (s 29-5(2)).
    "cash": {
        AUG: {"G1": "95000.01", "1A": "8636.36"},
        SEP: {"G1": "50000.00", "1A": "4545.46"},  # 10,363.64 x 50,000 / 114,000.02 = 4,545.4553
        OCT: {"G1": "64000.02", "1A": "5818.18"},  # 10,363.64 - 4,545.46
        NOV: {"G1": "104499.97", "1A": "9500.00"},
        DEC: {"G1": "8250.00", "1A": "750.00"},
        MAY: {},
        JUN: {"G1": "8250.00", "1A": "750.00"},
    },
}


def test_a_contract_with_retention(open_business, basis, exact):
    expected = {month: exact(labels) for month, labels in RETAINED[basis].items()}
    builder = open_business(basis, period="month")

    def contract():
        found = builder.web.get(f"/v1/jobs/{house}")["data"]["invoiced"]
        return {name: found[name] for name in ("invoiced", "remaining", "retained")}

    builder.on("2026-08-03")
    house = builder.job("Owner", "Townhouse", "330000.00")
    builder.on("2026-08-10")
    first = builder.claim(house, amount="100000.01", retention_percent=5)
    builder.on("2026-08-28")
    builder.pay(first, "95000.01")
    builder.on("2026-09-10")
    second = builder.claim(house, amount="120000.02", retention_percent=5)
    builder.on("2026-09-21")
    builder.lodge(*AUG)
    builder.on("2026-09-30")
    builder.pay(second, "50000.00")
    # What is retained is owed only once it is released.
    assert builder.owed("2026-09-30") == exact({"Owner": "64000.02"})
    builder.on("2026-10-15")
    builder.pay(second, "64000.02")
    builder.on("2026-10-21")
    builder.lodge(*SEP)
    builder.on("2026-10-30")
    third = builder.claim(house, final=True, retention_percent=5)
    assert contract() == exact({"invoiced": "313500.00", "remaining": "16500.00", "retained": "16500.00"})

    builder.on("2026-11-20")  # practical completion
    builder.lodge(*OCT)
    builder.pay(third, "104499.97")
    wrong = builder.claim(house, claim="retention")  # only half is to be released
    builder.do(f"invoices/{wrong}/void", {"mistake": True})
    half = builder.claim(house, claim="retention", percent=50)
    assert contract() == exact({"invoiced": "321750.00", "remaining": "8250.00", "retained": "8250.00"})
    builder.on("2026-12-15")
    builder.pay(half, "8250.00")
    builder.on("2026-12-21")
    builder.lodge(*NOV)

    builder.on("2027-05-20")  # the defects are mended
    builder.lodge(*DEC)
    rest = builder.claim(house, claim="retention")
    assert builder.owed("2027-05-31") == exact({"Owner": "8250.00"})
    builder.on("2027-06-30")
    builder.pay(rest, "8250.00")

    assert {month: builder.labels(*month) for month in expected} == expected
    assert builder.corrections(*JUN) == {}
    assert contract() == exact({"invoiced": "330000.00", "remaining": "0.00", "retained": "0.00"})
    assert builder.owed("2027-06-30") == {}
    whole = builder.labels("2026-08-01", "2027-06-30")
    assert whole == exact({"G1": "330000.00", "1A": "30000.00"})
