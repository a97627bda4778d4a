"""The year in examples/a_year_of_business.py: each quarter's report equals the one calculated by hand."""

import importlib.util
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from billycan.testing import Client, Clock

PLUGINS = ("contacts", "documents", "expenses", "hosted", "invoices", "jobs", "reports")
PATH = Path(__file__).parents[1] / "examples" / "a_year_of_business.py"


class Days(Clock):
    """A clock that stays at noon in Hobart until it is moved to another day."""

    def __call__(self):
        return self.time

    def come(self, day):
        self.time = datetime.fromisoformat(day).replace(hour=2, tzinfo=UTC)


@pytest.fixture
def clock():
    return Days()


@pytest.mark.either
def test_each_quarter_is_what_was_worked_out_by_hand(make_app, clock):
    spec = importlib.util.spec_from_file_location("a_year_of_business", PATH)
    year = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(year)
    clock.come("2026-07-01")
    client = Client(make_app(*PLUGINS), profile={"timezone": "Australia/Hobart"})
    year.live(client, clock.come)
    for basis, quarters in (("accrual", year.ACCRUAL), ("cash", year.CASH)):
        for quarter, expected in quarters.items():
            found = year.lodge(client, quarter, basis)
            assert found == {label: Decimal(amount) for label, amount in expected.items()}, (basis, quarter)
