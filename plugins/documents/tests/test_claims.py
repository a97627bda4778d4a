"""Claims of parts: together they have the work's net and GST, and never bill more than there is."""

from decimal import Decimal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from billycan import Invalid, RuleBroken
from billycan_documents.api import (
    Bill,
    Charge,
    Line,
    NewClaim,
    Part,
    bill_for,
    left_of,
    less_credited,
    part_of,
    rest,
    totals,
)
from billycan_documents.testing import documents

D = Decimal
thorough = settings(max_examples=120)


def work(document):
    """Return a document's lines as stored, and whether its GST is rounded for each line."""
    items = [msgspec.convert(item, Charge, strict=False) for item in document["line_items"]]
    terms = {name: document[name] for name in ("amounts_are", "gst_rounding")}
    discounts = {name: D(document[name]) for name in ("discount_percent", "discount_amount") if name in document}
    figures = totals(items, **terms, **discounts)
    lines = [
        Line(f"lin_{i}", "Goods", D(1), None, D(0), None, None, item.gst_code, row.net, row.gst, row.total)
        for i, (item, row) in enumerate(zip(items, figures.lines, strict=True))
    ]
    return lines, figures, terms["gst_rounding"] == "per_line"


def one(price, code="gst"):
    net = D(price)
    gst = (net / 10).quantize(D("0.01")) if code == "gst" else D("0.00")
    return Line("lin_0", "Goods", D(1), None, net, None, None, code, net, gst, net + gst)


def claim(**asked):
    return NewClaim(**{name: D(value) if name in ("percent", "amount") else value for name, value in asked.items()})


def billed(lines, quoted, asked, earlier, per_line=False):
    return bill_for(asked, quoted, left_of(lines, earlier), earlier, per_line=per_line)


asks = st.one_of(
    st.decimals(D("0.0001"), 100, places=4).map(lambda p: {"percent": p}),
    st.decimals(D("0.01"), 5000, places=2).map(lambda a: {"amount": a}),
    st.lists(st.integers(0, 7), min_size=1, max_size=4, unique=True).map(lambda i: {"line_ids": i}),
)
EVENTS = st.lists(st.tuples(asks, st.sampled_from(["progress", "deposit", "drop"])), max_size=12)


@thorough
@given(documents(), EVENTS)
def test_whatever_is_claimed_the_sum_is_the_work(document, events):
    lines, figures, per_line = work(document)
    quoted, earlier = int(figures.total * 100), []
    for sent, kind in events:
        asked = dict(sent)
        if kind == "drop":
            del earlier[:1]
            continue
        if "line_ids" in asked:
            asked["line_ids"] = [f"lin_{i % len(lines)}" for i in asked["line_ids"]]
        left = left_of(lines, earlier)
        try:
            made = billed(lines, quoted, NewClaim(**asked, claim=kind), earlier, per_line)
        except Invalid as refused:
            assert refused.code in ("over_invoiced", "validation_failed")
            assert left_of(lines, earlier) == left
            continue
        assert 0 < made.total <= left.remaining
        mine = {part.line_id: part for part in left.parts}
        for part in made.parts:  # never more of a line than there is
            had = mine[part.line_id]
            for take, there in ((part.net, had.net), (part.gst, had.gst)):
                assert min(there, 0) <= take <= max(there, 0)
        earlier.append(made)
        assert left_of(lines, earlier).remaining == left.remaining - made.total >= 0
    earlier.append(rest(left_of(lines, earlier)))
    assert sum(bill.total for bill in earlier) == quoted
    assert sum(part.gst for bill in earlier for part in bill.parts) == figures.gst * 100
    after = left_of(lines, earlier)
    assert (after.remaining, after.deposits) == (0, 0)
    assert not any(part.net or part.gst for part in after.parts)


@thorough
@given(documents(), st.lists(st.integers(1, 400_000), min_size=1, max_size=9))
def test_shares_that_come_to_100_percent_come_to_the_whole(document, weights):
    lines, figures, per_line = work(document)
    if figures.total < D("5.00"):
        return
    scaled = [D(weight * 1_000_000 // sum(weights)).scaleb(-4) for weight in weights]
    percents = [percent for percent in scaled if percent > 1] or [D(100)]
    percents[-1] += 100 - sum(percents)
    earlier: list[Bill] = []
    for percent in percents:
        earlier.append(billed(lines, int(figures.total * 100), NewClaim(percent=percent), earlier, per_line))
    assert sum(bill.total for bill in earlier) == figures.total * 100
    assert sum(part.gst for bill in earlier for part in bill.parts) == figures.gst * 100


def test_each_progress_claim_has_its_own_eleventh():
    lines = [one("909.09")]  # 909.09 + 90.91
    first = billed(lines, 100_000, claim(percent="33.3333"), [])
    assert first.parts == [Part("lin_0", "gst", 30303, 3030)]
    second = billed(lines, 100_000, claim(amount="0.05"), [first])
    assert second.parts == [Part("lin_0", "gst", 5, 0)]
    last = rest(left_of(lines, [first, second]))
    assert last.parts == [Part("lin_0", "gst", 60601, 6061)]


def test_more_than_is_left_is_refused_and_says_how_much_there_is():
    lines = [one("100.00")]
    first = billed(lines, 11_000, claim(percent="60"), [])
    for asked in ({"percent": "40.01"}, {"amount": "44.01"}):
        with pytest.raises(Invalid) as refused:
            billed(lines, 11_000, claim(**asked), [first])
        assert (refused.value.code, refused.value.more["left"]) == ("over_invoiced", D("44.00"))
    with pytest.raises(Invalid, match="less than a cent"):
        billed(lines, 11_000, claim(percent="0.0001"), [first])


def test_a_deposit_has_no_gst_and_the_last_claim_takes_it_off():
    lines = [one("100.00")]
    deposit = billed(lines, 11_000, claim(percent="20", claim="deposit"), [])
    assert (deposit.parts, deposit.deposit) == ([], 2200)
    middle = billed(lines, 11_000, claim(amount="11.00"), [deposit])
    assert (middle.parts[0].gst, middle.deposit) == (100, 0)
    last = billed(lines, 11_000, claim(amount="77.00"), [deposit, middle])
    assert (last.parts, last.deposit, last.total) == ([Part("lin_0", "gst", 9000, 900)], -2200, 7700)
    # Should the deposit be void after all, its price comes back, and its GST was on the last claim.
    assert left_of(lines, [middle, last]).remaining == 2200
    again = billed(lines, 11_000, claim(percent="20"), [middle, last])
    assert (again.parts, again.deposit) == ([], 2200)


def test_lines_are_claimed_once():
    lines = [one("100.00"), msgspec.structs.replace(one("50.00", "gst_free"), id="lin_1")]
    first = billed(lines, 16_000, claim(line_ids=["lin_1"]), [])
    assert first.parts == [Part("lin_1", "gst_free", 5000, 0)]
    for ids, code in ((["lin_1"], "over_invoiced"), (["lin_9", "lin_0", "lin_0"], "validation_failed")):
        with pytest.raises(Invalid) as refused:
            billed(lines, 16_000, claim(line_ids=ids), [first])
        assert refused.value.code == code
    assert billed(lines, 16_000, claim(line_ids=["lin_0"]), [first]).parts == [Part("lin_0", "gst", 10000, 1000)]


def test_a_line_that_was_claimed_and_then_removed_is_taken_off_the_rest():
    first = Bill([Part("lin_9", "gst", 1000, 100)])
    left = left_of([one("100.00")], [first])
    assert left.remaining == 9900
    assert rest(left).parts == [Part("lin_0", "gst", 10000, 1000), Part("lin_9", "gst", -1000, -100)]


def test_what_was_credited_is_free_again_by_code():
    parts = [Part("a", "gst", 100, 10), Part("b", "gst", 201, 20), Part("c", "gst_free", 50, 0)]
    freed = less_credited(parts, {"gst": (100, 10)})
    assert [sum(p.net for p in freed if p.gst_code == code) for code in ("gst", "gst_free")] == [201, 50]
    assert sum(p.gst for p in freed) == 20
    assert less_credited(parts, {"gst": (301, 30), "gst_free": (50, 0)}) == [
        Part("a", "gst", 0, 0), Part("b", "gst", 0, 0), Part("c", "gst_free", 0, 0)
    ]  # fmt: skip


@thorough
@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**5)), min_size=1, max_size=9), st.data())
def test_a_part_is_never_more_than_there_is(amounts, data):
    parts = [Part(str(i), "gst", net, gst) for i, (net, gst) in enumerate(amounts)]
    whole = sum(part.total for part in parts)
    if whole < 1:
        return
    wanted, per_line = data.draw(st.integers(1, whole)), data.draw(st.booleans())
    made = {part.line_id: part for part in part_of(parts, wanted, per_line=per_line)}
    assert sum(part.total for part in made.values()) == wanted
    for part in parts:
        mine = made.get(part.line_id, Part("", "", 0, 0))
        assert 0 <= mine.net <= part.net and 0 <= mine.gst <= part.gst


@pytest.mark.parametrize(
    ("asked", "param"),
    [
        ({"percent": D(1), "amount": D(1)}, "amount"),
        ({"amount": D(1), "line_ids": ["lin_1"]}, "line_ids"),
        ({"amount": D(1), "final": True}, "final"),
        ({"claim": "deposit"}, "percent"),
        ({"final": False}, "percent"),
    ],
)
def test_one_part_is_named_at_most(asked, param):
    with pytest.raises(RuleBroken) as refused:
        NewClaim(**asked)
    assert refused.value.at == param
