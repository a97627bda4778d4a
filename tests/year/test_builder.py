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
    stage = builder.claim(house, amount="41800.00")
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
    stage = builder.claim(house, amount="62700.00")
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
    retention = builder.claim(house)
    shown = builder.web.get(f"/v1/invoices/{retention}")["data"]
    assert shown["work"] == exact({"subtotal": "100000.00", "gst": "10000.00", "total": "110000.00"})
    assert shown["less_invoiced"] == exact({"subtotal": "95000.00", "gst": "9500.00", "total": "104500.00"})
    assert shown["total"] == Decimal("5500.00")
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
