"""Formatting of numbers, units and dates."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from billycan.fields import Moment
from billycan_hosted import written as write


@pytest.mark.parametrize(
    ("number", "unit", "written"),
    [
        ("38", "hour", "38 hours"),
        ("1", "hour", "1 hour"),
        ("1", "hours", "1 hour"),
        ("-1", "hour", "-1 hour"),
        ("0.5", "hour", "0.5 hours"),
        ("2", "hours", "2 hours"),
        ("2", "box", "2 boxes"),
        ("24", "m", "24 m"),
        ("3", "each", "3 each"),
        ("1200", None, "1,200"),
        ("12345.6789", "kg", "12,345.6789 kg"),
        ("4", "Stunden", "4 Stunden"),
    ],
)
def test_quantities(number, unit, written):
    assert write.quantity(Decimal(number), unit) == written


@pytest.mark.parametrize(("number", "written"), [("10", "10%"), ("100", "100%"), ("12.50", "12.5%"), ("0.25", "0.25%")])
def test_percentages(number, written):
    assert write.percent(Decimal(number)) == written


def test_money():
    assert [write.money(Decimal(x)) for x in ("1210", "-0.5", "0")] == ["$1,210.00", "-$0.50", "$0.00"]


def test_days_and_moments_are_those_of_the_business():
    at = Moment.of(datetime(2026, 12, 31, 13, 5, tzinfo=UTC))
    assert write.day(date(2026, 2, 1)) == "1 February 2026"
    assert write.moment(at, "Australia/Hobart") == "1 January 2027, 12:05 am"
    assert write.moment(at, "Australia/Perth") == "31 December 2026, 9:05 pm"
