"""The GST of what a business buys, against the same sums in exact fractions."""

from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from billycan_expenses import rules

D = Decimal
CODES = list(rules.LABELS)

money = st.integers(1, 99_999_999_999).map(lambda cents: D(cents).scaleb(-2))
percent = st.integers(0, 1_000_000).map(lambda n: D(n).scaleb(-4))


def cents(exact):
    """Half a cent away from zero, by fractions."""
    return D(int(Fraction(exact) * 100 + Fraction(1, 2))).scaleb(-2)


@given(money, st.sampled_from(CODES))
def test_gst_is_an_eleventh_of_what_is_taxable(amount, code):
    gst = rules.default_gst(amount, code)
    assert gst == (cents(Fraction(amount) / 11) if code in ("gst", "capital") else 0)
    assert rules.gst_fits(gst, amount, code)


@given(money, st.integers(-3, 3), st.sampled_from(CODES))
def test_a_receipt_holds_at_most_an_eleventh_and_a_cent(amount, off, code):
    gst = rules.default_gst(amount, "gst") + D(off).scaleb(-2)
    most = Fraction(amount) / 11 + Fraction(1, 100) if code in ("gst", "capital") else 0
    assert rules.gst_fits(gst, amount, code) == (0 <= Fraction(gst) <= most)


@given(money, percent)
def test_the_business_share_is_rounded_once(gst, share):
    part = rules.claimable_part(gst, share)
    assert part == cents(Fraction(gst) * Fraction(share) / 100)
    assert 0 <= part <= gst.quantize(D("0.01"), ROUND_HALF_UP)
    assert rules.claimable_part(gst, D(100)) == gst


@pytest.mark.parametrize(
    ("amount", "held", "expected"),
    [
        ("82.50", False, "claimable"),
        ("82.51", False, "awaiting_tax_invoice"),
        ("82.51", True, "claimable"),
        ("0.01", False, "claimable"),
    ],
)
@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("status", ["recorded", "void"])
@pytest.mark.parametrize("registered", [True, False])
def test_a_claim_above_82_50_needs_a_tax_invoice(amount, held, expected, code, status, registered):
    found = rules.claim_status(
        amount=D(amount), gst_code=code, tax_invoice_held=held, status=status, registered=registered
    )
    creditable = registered and status == "recorded" and code in ("gst", "capital")
    assert found == (expected if creditable else "not_creditable")


@pytest.mark.parametrize(
    ("day", "period", "until"),
    [
        ("2022-09-30", "quarter", "2026-10-28"),
        ("2022-10-01", "quarter", "2027-02-28"),
        ("2023-03-31", "quarter", "2027-04-28"),
        ("2023-06-30", "quarter", "2027-07-28"),
        ("2022-11-30", "month", "2026-12-21"),
        ("2022-12-01", "month", "2027-01-21"),
        ("2022-06-30", "year", "2026-10-31"),
        ("2022-07-01", "year", "2027-10-31"),
    ],
)
def test_a_claim_ends_four_years_after_the_return_was_due(day, period, until):
    assert rules.claim_until(date.fromisoformat(day), period) == date.fromisoformat(until)


def test_the_published_figures_come_out():
    assert rules.default_gst(D("82.50"), "gst") == D("7.50")
    assert rules.default_gst(D("100.00"), "gst") == D("9.09")
    assert rules.claimable_part(D("9.09"), D("50")) == D("4.55")
    assert rules.claimable_part(rules.default_gst(D("88.00"), "gst"), D("50")) == D("4.00")
    assert rules.rate("gst") == 10 and rules.rate("input_taxed") == 0
