"""The arithmetic of documents: published figures, refusals, and properties of random documents."""

import ast
from decimal import Decimal, localcontext
from fractions import Fraction
from math import floor
from pathlib import Path
from random import Random
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from billycan import Invalid
from billycan.fields import is_abn
from billycan_documents import rules
from billycan_documents.api import id_faults
from billycan_documents.rules import (
    GST_CODES,
    LIMIT,
    RATES,
    Charge,
    Totals,
    allocate,
    round_cents,
    totals,
)

AmountsAre = Literal["exclusive", "inclusive"]
GstRounding = Literal["total_invoice", "per_line"]
CENT = Fraction(1, 100)

thorough = settings(max_examples=6 * settings().max_examples)


def line(
    unit_price: str,
    quantity: str = "1",
    gst_code: str = "gst",
    discount_percent: str | None = None,
    discount_amount: str | None = None,
) -> Charge:
    percent = None if discount_percent is None else Decimal(discount_percent)
    amount = None if discount_amount is None else Decimal(discount_amount)
    return Charge(Decimal(quantity), Decimal(unit_price), gst_code, percent, amount)


def work_out(
    *charges: Charge,
    amounts_are: AmountsAre = "exclusive",
    gst_rounding: GstRounding = "total_invoice",
    **discount: str,
) -> Totals:
    exact = {name: Decimal(value) for name, value in discount.items()}
    return totals(
        charges,
        amounts_are=amounts_are,
        gst_rounding=gst_rounding,
        discount_percent=exact.get("discount_percent"),
        discount_amount=exact.get("discount_amount"),
    )


@pytest.mark.parametrize(
    ("charges", "amounts_are", "total_invoice", "per_line"),
    [
        ([line("1.05")] * 3, "inclusive", "0.29", "0.30"),
        ([line("0.05")] * 2, "exclusive", "0.01", "0.02"),
        ([line("0.01")] * 15, "exclusive", "0.02", "0.00"),
    ],
)
def test_both_rules_of_section_9_90_give_their_published_gst(
    charges: list[Charge], amounts_are: AmountsAre, total_invoice: str, per_line: str
) -> None:
    assert str(work_out(*charges, amounts_are=amounts_are).gst) == total_invoice
    assert str(work_out(*charges, amounts_are=amounts_are, gst_rounding="per_line").gst) == per_line


def test_a_float_would_be_wrong_for_114_of_the_first_prices_and_this_is_for_none() -> None:
    prices = [Decimal(cents) / 100 for cents in range(1, 5000)]
    exact = [Decimal(floor(Fraction(price) * 10 + Fraction(1, 2))) / 100 for price in prices]
    assert [work_out(Charge(Decimal(1), price)).gst for price in prices] == exact
    assert sum(Decimal(str(round(float(p) * 0.1, 2))) != gst for p, gst in zip(prices, exact, strict=True)) == 114


def test_the_stationery_invoice_of_gstr_2013_1_comes_to_187() -> None:
    found = work_out(line("1.00", "20"), line("1.00", "10"), line("35.00", "4"))
    assert [str(x) for x in (found.subtotal, found.gst, found.total)] == ["170.00", "17.00", "187.00"]
    assert [str(x.total) for x in found.lines] == ["22.00", "11.00", "154.00"]


def test_inclusive_lines_share_the_net_cents_as_peppol_wants() -> None:
    found = work_out(line("1.05"), line("1.05"), line("1.05"), amounts_are="inclusive")
    assert [str(x.net) for x in found.lines] == ["0.96", "0.95", "0.95"]
    assert [str(x.gst) for x in found.lines] == ["0.09", "0.10", "0.10"]
    assert str(found.subtotal) == "2.86"


def test_exclusive_lines_share_the_gst_cents_the_earlier_first() -> None:
    assert [str(x.gst) for x in work_out(line("0.05"), line("0.05")).lines] == ["0.01", "0.00"]


def test_a_document_discount_lowers_the_base_of_every_code() -> None:
    found = work_out(line("1000"), line("1000", gst_code="export"), discount_percent="10")
    assert (str(found.gst), str(found.subtotal), str(found.total)) == ("90.00", "1800.00", "1890.00")
    assert str(found.discount_total) == "200.00"
    assert [(x.gst_code, str(x.rate), str(x.net), str(x.gst)) for x in found.gst_breakdown] == [
        ("gst", "10", "900.00", "90.00"),
        ("export", "0", "900.00", "0.00"),
    ]


def test_odd_cents_of_a_document_discount_do_not_pile_up_on_one_code() -> None:
    # Over the lines alone, all 30 spare cents would go to the remainders of 0.51, and the GST base be 0.15 wrong.
    charges = [line("0.49")] * 30 + [line("0.51", gst_code="gst_free")] * 30 + [line("70", gst_code="export")]
    found = work_out(*charges, discount_amount="1.00")
    assert [str(x.net) for x in found.gst_breakdown] == ["14.55", "15.15", "69.30"]


def test_who_gets_an_odd_cent_of_discount_does_not_hang_on_the_order_of_lines() -> None:
    taxed, free = line("10.05"), line("10.05", gst_code="gst_free")
    assert work_out(taxed, free, discount_amount="0.01").gst == Decimal("1.00")
    assert work_out(free, taxed, discount_amount="0.01").gst == Decimal("1.00")
    for sign in ("", "-"):
        small, large = line(f"{sign}0.02"), line(f"{sign}0.06")
        assert not work_out(small, large, discount_amount=f"{sign}0.02", gst_rounding="per_line").gst
        assert not work_out(large, small, discount_amount=f"{sign}0.02", gst_rounding="per_line").gst


def test_discounts_of_lines_and_document_add_up_in_the_terms_entered() -> None:
    charges = line("110", discount_percent="50"), line("55", discount_amount="5"), line("5")
    found = work_out(*charges, amounts_are="inclusive", discount_amount="11")
    assert (str(found.discount_total), str(found.total), str(found.gst)) == ("71.00", "99.00", "9.00")


def test_a_line_of_zero_gets_no_share_of_a_discount() -> None:
    found = work_out(line("0"), line("0.02"), line("0", discount_amount="0"), line("0.01"), discount_amount="0.02")
    assert [str(x.net) for x in found.lines] == ["0.00", "0.01", "0.00", "0.00"]


def test_a_discount_of_everything_leaves_nothing() -> None:
    found = work_out(line("33.33"), line("-11.11"), line("7", discount_percent="100"), discount_percent="100")
    assert {str(x) for row in found.lines for x in (row.net, row.gst, row.total)} == {"0.00"}
    assert (str(found.total), str(found.discount_total)) == ("0.00", "29.22")


def test_lines_that_cancel_come_to_plain_zero() -> None:
    found = work_out(line("0.05"), line("0.05", "-1"), discount_amount="0")
    assert [str(x) for x in (found.subtotal, found.gst, found.total)] == ["0.00"] * 3
    assert [str(x.gst) for x in found.lines] == ["0.01", "-0.01"]


def test_a_document_without_lines_comes_to_zero() -> None:
    found = work_out(discount_percent="10")
    assert (found.lines, found.gst_breakdown, str(found.total)) == ((), (), "0.00")


@pytest.mark.parametrize(
    ("unit_price", "gst"), [("0.15", "0.02"), ("0.35", "0.04"), ("1.15", "0.12"), ("8.35", "0.84"), ("-1.15", "-0.12")]
)
def test_gst_of_half_a_cent_rounds_away_from_zero(unit_price: str, gst: str) -> None:
    assert str(work_out(line(unit_price)).gst) == gst
    assert str(work_out(line(unit_price), gst_rounding="per_line").lines[0].gst) == gst


@pytest.mark.parametrize(
    ("charge", "net"),
    [
        (line("1.005"), "1.01"),
        (line("2.675"), "2.68"),
        (line("0.285", "100"), "28.50"),
        (line("0.0001", "50"), "0.01"),
        (line("1.115", "-1"), "-1.12"),
        (line("10.05", discount_percent="50"), "5.03"),
        (line("0.3333", "3", discount_amount="0.99"), "0.01"),
    ],
)
def test_a_line_is_rounded_once_from_its_exact_amount(charge: Charge, net: str) -> None:
    assert str(work_out(replace(charge, gst_code="gst_free")).subtotal) == net


def test_the_largest_document_that_is_allowed_is_exact() -> None:
    found = work_out(line("999999999.99"), amounts_are="inclusive")
    assert [str(x) for x in (found.subtotal, found.gst, found.total)] == ["909090909.08", "90909090.91", str(LIMIT)]


def test_a_caller_with_little_decimal_precision_gets_the_same_figures() -> None:
    charges = line("12345.6789", "1234.5678", discount_percent="12.5"), line("987654.32", gst_code="export")
    expected = work_out(*charges, discount_percent="3.3")
    with localcontext(prec=3):
        assert work_out(*charges, discount_percent="3.3") == expected


def test_money_is_never_a_float() -> None:
    tree = ast.parse(Path(rules.__file__).read_text("utf-8"))
    assert not [x for x in ast.walk(tree) if isinstance(x, ast.Constant) and isinstance(x.value, float)]
    assert not [x for x in ast.walk(tree) if isinstance(x, ast.Name) and x.id == "float"]


def test_every_code_has_a_rate_and_only_one_is_taxed() -> None:
    assert tuple(RATES) == GST_CODES
    assert [code for code in GST_CODES if RATES[code]] == ["gst"]


@pytest.mark.parametrize("text", ["47555222000", "91888222000", "51824753556", "43002724334"])
def test_issued_abns_are_valid(text: str) -> None:
    assert is_abn(text)


@pytest.mark.parametrize(
    "text",
    [
        "32123456789",  # on the ATO's own sample invoice
        "01000100000",  # passes the sum, cannot have been issued
        "\uff14\uff17\uff15\uff15\uff15\uff12\uff12\uff12\uff10\uff10\uff10",  # 47555222000 in full-width digits
        "47 555 222 000",
        "47555222000\n",
        "4755522200",
        "475552220000",
        "-7555222000",
        "",
    ],
)
def test_other_texts_are_not_abns(text: str) -> None:
    assert not is_abn(text)


@given(place=st.integers(0, 10), digit=st.integers(0, 9))
def test_one_wrong_digit_spoils_an_abn(place: int, digit: int) -> None:
    changed = f"{'47555222000'[:place]}{digit}{'47555222000'[place + 1 :]}"
    assert is_abn(changed) == (changed == "47555222000")


@pytest.mark.parametrize(
    ("charge", "member", "code"),
    [
        (line("30", discount_amount="30.01"), "discount_amount", "out_of_range"),
        (line("0.996", discount_amount="1"), "discount_amount", "out_of_range"),
        (line("30", discount_amount="-0.01"), "discount_amount", "out_of_range"),
        (line("-30", discount_amount="1"), "discount_amount", "out_of_range"),
        (line("-30", discount_amount="-31"), "discount_amount", "out_of_range"),
        (line("0", discount_amount="0.01"), "discount_amount", "out_of_range"),
        (line("30", discount_percent="100.01"), "discount_percent", "out_of_range"),
        (line("30", discount_percent="-1"), "discount_percent", "out_of_range"),
        (line("30", discount_percent="0", discount_amount="0"), "discount_amount", "invalid_value"),
        (line("30", gst_code="GST"), "gst_code", "invalid_value"),
        (line("999999999.995"), "total", "out_of_range"),
        (line("999999999.99"), "total", "out_of_range"),
        (line("-99999.9999", "99999.9999"), "total", "out_of_range"),
        (line("1000000000", discount_percent="100"), "total", "out_of_range"),
    ],
)
def test_a_line_that_breaks_a_rule_is_named(charge: Charge, member: str, code: str) -> None:
    with pytest.raises(Invalid) as refusal:
        work_out(line("10"), charge)
    assert (refusal.value.param, refusal.value.details[0].code) == (f"line_items[1].{member}", code)


@pytest.mark.parametrize(
    ("charges", "discount", "param", "code"),
    [
        ([line("10")], {"discount_amount": "10.01"}, "discount_amount", "out_of_range"),
        ([line("10")], {"discount_amount": "-1"}, "discount_amount", "out_of_range"),
        ([line("-10")], {"discount_amount": "1"}, "discount_amount", "out_of_range"),
        ([line("10"), line("-10")], {"discount_amount": "0.01"}, "discount_amount", "out_of_range"),
        ([], {"discount_amount": "0.01"}, "discount_amount", "out_of_range"),
        ([line("10")], {"discount_percent": "101"}, "discount_percent", "out_of_range"),
        ([line("10")], {"discount_percent": "1", "discount_amount": "1"}, "discount_amount", "invalid_value"),
        ([line("500000000")] * 2, {}, "total", "out_of_range"),
        ([line("500000000")] * 2, {"discount_percent": "100"}, "total", "out_of_range"),
        ([line("900000000"), line("-900000000", gst_code="export")] * 2, {}, "total", "out_of_range"),
    ],
)
def test_a_document_that_breaks_a_rule_is_told_which(
    charges: list[Charge], discount: dict[str, str], param: str, code: str
) -> None:
    with pytest.raises(Invalid) as refusal:
        work_out(*charges, **discount)  # type: ignore[arg-type]
    assert (refusal.value.param, refusal.value.details[0].code) == (param, code)


def test_a_refusal_says_what_would_be_accepted() -> None:
    with pytest.raises(Invalid, match=r"discount_amount: must be from 0 to 30.5, the amount it reduces, not 31"):
        work_out(line("30.50", discount_amount="31"))
    with pytest.raises(Invalid, match=r"must not exceed 999,999,999.99: lower"):
        work_out(line("999999999.99"))


@pytest.mark.parametrize(
    ("amount", "weights"), [("0.01", []), ("0.01", ["0"]), ("1", ["1", "-1"]), ("0.005", ["1"]), ("-1.001", ["1"])]
)
def test_an_amount_that_cannot_be_shared_is_refused(amount: str, weights: list[str]) -> None:
    with pytest.raises(ValueError, match="cannot be shared"):
        allocate(Decimal(amount), [Decimal(weight) for weight in weights])


@pytest.mark.parametrize(
    ("amount", "weights", "parts"),
    [
        ("1.00", "1 1 1", "0.34 0.33 0.33"),
        ("-1.00", "1 1 1", "-0.34 -0.33 -0.33"),
        ("0.02", "1 1 1", "0.01 0.01 0.00"),
        ("0.02", "1 3", "0.01 0.01"),
        ("0.05", "0 3 0 1", "0.00 0.04 0.00 0.01"),
        ("10.00", "1 2 3", "1.67 3.33 5.00"),
        ("1.00", "3 -1", "1.50 -0.50"),
        ("0.01", "3 -2", "0.03 -0.02"),
        ("0.00", "1 -1", "0.00 0.00"),
        ("0.00", "", ""),
    ],
)
def test_cents_are_shared_by_largest_remainder_and_the_earlier_wins(amount: str, weights: str, parts: str) -> None:
    shared = allocate(Decimal(amount), [Decimal(weight) for weight in weights.split()])
    assert [str(part) for part in shared] == parts.split()


@given(cents=st.integers(-(10**11), 10**11), weights=st.lists(st.integers(-500, 500), max_size=60).filter(sum))
@thorough
def test_shares_are_exact_nearest_and_mirrored(cents: int, weights: list[int]) -> None:
    amount, exact = Decimal(cents) / 100, [Fraction(cents * weight, 100 * sum(weights)) for weight in weights]
    shares = allocate(amount, [Fraction(weight) for weight in weights])
    off = [Fraction(share) - part for share, part in zip(shares, exact, strict=True)]
    assert sum(shares) == amount
    assert all(abs(x) < CENT for x in off)
    # So no cent moved from one share to another would bring them nearer to the exact ones.
    assert max(off) - min(off) <= CENT
    assert allocate(-amount, [Fraction(weight) for weight in weights]) == [-share for share in shares]


@given(st.fractions(max_denominator=10**6) | st.integers(-(10**15), 10**15).map(lambda n: Fraction(n, 10**4)))
@thorough
def test_rounding_is_half_away_from_zero(value: Fraction) -> None:
    rounded = round_cents(value)
    off = abs(Fraction(rounded) - value)
    assert off < CENT / 2 or (off == CENT / 2 and abs(Fraction(rounded)) > abs(value))
    assert is_plain_money(rounded)


class Document(Struct, frozen=True):
    """A document as entered, with everything that its totals depend on."""

    charges: tuple[Charge, ...]
    amounts_are: AmountsAre
    gst_rounding: GstRounding
    discount_percent: Decimal | None
    discount_amount: Decimal | None

    def totals(self) -> Totals:
        return totals(
            self.charges,
            amounts_are=self.amounts_are,
            gst_rounding=self.gst_rounding,
            discount_percent=self.discount_percent,
            discount_amount=self.discount_amount,
        )


def to_cent(exact: Fraction) -> Fraction:
    cents = Fraction(floor(abs(exact) * 100 + Fraction(1, 2)), 100)
    return -cents if exact < 0 else cents


def undiscounted(charge: Charge) -> Fraction:
    return Fraction(charge.quantity) * Fraction(charge.unit_price)


def discount_off(exact: Fraction, discounted: Charge | Document) -> Fraction:
    return exact * Fraction(discounted.discount_percent or 0) / 100 + Fraction(discounted.discount_amount or 0)


def entered(charge: Charge) -> Fraction:
    return to_cent(undiscounted(charge) - discount_off(undiscounted(charge), charge))


@st.composite
def discounts(draw: st.DrawFn, exact: Fraction) -> tuple[Decimal | None, Decimal | None]:
    """Generate no discount, a percentage, or an amount from zero to the exact figure."""
    kind = draw(st.sampled_from(["none", "none", "percent", "amount"]))
    if kind == "percent":
        return draw(st.decimals(0, 100, places=2) | st.sampled_from([Decimal(10), Decimal("12.5"), Decimal(100)])), None
    if kind == "amount":
        most = int(abs(exact) * 100)
        cents = draw(st.integers(0, most) | st.integers(0, min(most, 9)) | st.just(most))
        return None, Decimal(cents if exact > 0 else -cents) / 100
    return None, None


@st.composite
def lines(draw: st.DrawFn, codes: st.SearchStrategy[str], least: int) -> Charge:
    # Small round figures meet in ties far more often than large random ones.
    quantity = draw(st.integers(least, 9).map(Decimal) | st.decimals(least * 1000, 1000, places=4))
    cents = st.integers(least * 30, 30).map(lambda cents: Decimal(cents) / 100)
    unit_price = draw(cents | st.decimals(least * 9000, 9000, places=4) | st.decimals(least, 1, places=4))
    charge = Charge(quantity, unit_price, draw(codes))
    percent, amount = draw(discounts(undiscounted(charge)))
    return replace(charge, discount_percent=percent, discount_amount=amount)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    codes = draw(st.sampled_from([st.just("gst"), st.sampled_from(["gst", "export"]), st.sampled_from(GST_CODES)]))
    least, max_size = draw(st.sampled_from([0, -1])), draw(st.sampled_from([3, 9, 60]))
    charges = draw(st.lists(lines(codes, least), max_size=max_size))
    percent, amount = draw(discounts(sum(map(entered, charges), Fraction())))
    amounts_are: AmountsAre = draw(st.sampled_from(["exclusive", "inclusive"]))
    gst_rounding: GstRounding = draw(st.sampled_from(["total_invoice", "per_line"]))
    return Document(tuple(charges), amounts_are, gst_rounding, percent, amount)


def figures(found: Totals) -> list[Decimal]:
    """List all amounts in a result, in order."""
    document = [found.subtotal, found.discount_total, found.gst, found.total]
    of_lines = [figure for x in found.lines for figure in (x.net, x.gst, x.total)]
    return document + of_lines + [figure for x in found.gst_breakdown for figure in (x.net, x.gst)]


def is_plain_money(figure: Decimal) -> bool:
    return figure.as_tuple().exponent == -2 and not (figure == 0 and figure.is_signed())


def final_amounts(document: Document, found: Totals) -> list[Fraction]:
    """List each line's final amount, with or without GST as entered."""
    return [Fraction(x.net if document.amounts_are == "exclusive" else x.total) for x in found.lines]


def largest_remainder(cents: Fraction, exact: list[Fraction]) -> list[int]:
    """Round all shares down and give the spare cents to the largest remainders; shares are not negative."""
    parts = [floor(x) for x in exact]
    spare = int(cents) - sum(parts)
    for i in sorted(range(len(exact)), key=lambda i: exact[i] - parts[i], reverse=True)[:spare]:
        parts[i] += 1
    return parts


@given(documents())
@thorough
def test_every_document_adds_up(document: Document) -> None:
    found = document.totals()
    assert found.subtotal + found.gst == found.total
    assert all(x.net + x.gst == x.total for x in found.lines)
    assert sum(x.net for x in found.lines) == sum(x.net for x in found.gst_breakdown) == found.subtotal
    assert sum(x.gst for x in found.lines) == sum(x.gst for x in found.gst_breakdown) == found.gst
    assert sum(x.total for x in found.lines) == found.total
    assert all(is_plain_money(figure) for figure in figures(found))


@pytest.mark.long
@given(documents())
@thorough
def test_every_line_and_code_keeps_to_its_own(document: Document) -> None:
    found = document.totals()
    present = [charge.gst_code for charge in document.charges]
    assert [x.gst_code for x in found.gst_breakdown] == [code for code in GST_CODES if code in present]
    for row in found.gst_breakdown:
        own = [x for x, code in zip(found.lines, present, strict=True) if code == row.gst_code]
        assert (sum(x.net for x in own), sum(x.gst for x in own)) == (row.net, row.gst)
        assert row.rate == RATES[row.gst_code]
        assert row.gst_code == "gst" or {str(x.gst) for x in own} == {"0.00"}
    for amount, charge in zip(final_amounts(document, found), document.charges, strict=True):
        assert abs(amount) <= abs(entered(charge))
        assert amount * entered(charge) >= 0


@pytest.mark.long
@given(documents())
@thorough
def test_discounts_agree_with_the_exact_model(document: Document) -> None:
    found = document.totals()
    before, after = [entered(charge) for charge in document.charges], final_amounts(document, found)
    whole = sum(before, Fraction())
    left = whole - to_cent(discount_off(whole, document))
    assert sum(after) == left
    assert Fraction(found.discount_total) == sum(to_cent(undiscounted(charge)) for charge in document.charges) - left

    exact = [amount * left / whole if whole else amount for amount in before]
    groups = [[i for i, charge in enumerate(document.charges) if charge.gst_code == code] for code in GST_CODES]
    assert all(abs(x - y) < CENT for x, y in zip(after, exact, strict=True))
    assert all(abs(sum((after[i] - exact[i] for i in group), Fraction())) < CENT for group in groups)
    if all(amount >= 0 for amount in before):
        shares = [(amount - x) * 100 for amount, x in zip(before, exact, strict=True)]
        sums = [sum((shares[i] for i in group), Fraction()) for group in groups]
        for group, cents in zip(groups, largest_remainder((whole - left) * 100, sums), strict=True):
            larger_first = sorted(group, key=lambda i: -before[i])
            expected = largest_remainder(Fraction(cents), [shares[i] for i in larger_first])
            assert [(before[i] - after[i]) * 100 for i in larger_first] == expected


@given(documents())
@thorough
def test_gst_agrees_with_the_exact_model(document: Document) -> None:
    found = document.totals()
    rows = zip(final_amounts(document, found), found.lines, document.charges, strict=True)
    taxable = [(amount, Fraction(x.gst)) for amount, x, charge in rows if charge.gst_code == "gst"]
    part = Fraction(1, 10 if document.amounts_are == "exclusive" else 11)
    if document.gst_rounding == "per_line":
        assert all(gst == to_cent(amount * part) for amount, gst in taxable)
    else:
        exact = sum((amount * part for amount, _ in taxable), Fraction())
        assert Fraction(found.gst) == to_cent(exact)
        assert abs(Fraction(found.gst) - exact) <= CENT / 2
        off = [gst - amount * part for amount, gst in taxable] or [Fraction()]
        assert all(abs(x) < CENT for x in off)
        assert max(off) - min(off) <= CENT


@pytest.mark.long
@given(documents())
@thorough
def test_a_full_credit_cancels_every_figure(document: Document) -> None:
    def negated(amount: Decimal | None) -> Decimal | None:
        return None if amount is None else -amount

    charges = [
        replace(charge, quantity=-charge.quantity, discount_amount=negated(charge.discount_amount))
        for charge in document.charges
    ]
    credit = replace(document, charges=tuple(charges), discount_amount=negated(document.discount_amount))
    assert figures(credit.totals()) == [-figure for figure in figures(document.totals())]


@pytest.mark.long
@given(documents(), st.randoms(use_true_random=False))
@thorough
def test_the_order_of_lines_changes_no_total(document: Document, random: Random) -> None:
    shuffled = list(document.charges)
    random.shuffle(shuffled)
    found, again = document.totals(), replace(document, charges=tuple(shuffled)).totals()
    assert replace(again, lines=()) == replace(found, lines=())


@given(st.lists(st.tuples(st.integers(-9999, 9999), st.sampled_from(GST_CODES)), max_size=60))
@thorough
def test_round_figures_come_to_the_same_with_and_without_gst(prices: list[tuple[int, str]]) -> None:
    without = [Charge(Decimal(1), Decimal(tenths) / 10, code) for tenths, code in prices]
    within = [replace(c, unit_price=c.unit_price * (100 + RATES[c.gst_code]) / 100) for c in without]
    rounding: GstRounding
    for rounding in ("total_invoice", "per_line"):
        found = work_out(*within, amounts_are="inclusive", gst_rounding=rounding)
        assert work_out(*without, gst_rounding=rounding) == found
        assert found.gst * 10 == sum(charge.unit_price for charge in without if charge.gst_code == "gst")


def test_a_price_split_and_put_together_again_moves_only_where_half_a_cent_must() -> None:
    # The net of 11q + 5 cents is 10q + 5: a tenth of it ends in half a cent, which s 9-90 rounds up.
    for cents in range(1100):
        price = Decimal(cents) / 100
        net = work_out(Charge(Decimal(1), price), amounts_are="inclusive").subtotal
        again = work_out(Charge(Decimal(1), net)).total
        assert again - price == (Decimal("0.01") if cents % 11 == 5 else 0)


ids = st.sampled_from(["lin_1", "lin_2", "lin_3", None])


@given(st.lists(ids), st.sets(ids))
def test_an_id_is_known_once(sent, stored):
    faulty = {fault.param for fault in id_faults("checklist", "an item", sent, stored - {None})}
    seen = set()
    for i, id in enumerate(sent):
        expected = id is not None and (id not in stored or id in seen)
        assert (f"checklist[{i}].id" in faulty) == expected
        seen.add(id)
