"""A Json column gives back what was stored, decimals to the last digit."""

from decimal import Decimal

import pytest
import sqlalchemy as sa

from billycan import Json, Query, Records, Resource, new_table

table = new_table("crates", sa.Column("parts", Json, nullable=False), of="resource")


class Crate(Resource):
    """A crate."""

    parts: list[dict[str, Decimal | str]]


records = Records(table, Crate, prefix="cra")
EXACT = ("0.10", "12.50", "5.00", "-0.0001", "999999999.99", "0.1000000000000000000001", "12345678901234567890.5")


@pytest.fixture
def ctx(ctx_with):
    return ctx_with(table)


def test_decimals_come_back_as_they_were(ctx):
    parts = [{"price": Decimal(text)} for text in EXACT]
    id = records.insert(ctx, parts=parts, metadata={}).id
    stored = records.find(ctx, id).parts
    assert [str(part["price"]) for part in stored] == [*EXACT]
    assert all(type(part["price"]) is Decimal for part in stored)


def test_the_same_decimals_are_no_change(ctx):
    row = records.insert(ctx, parts=[{"price": Decimal("12.50"), "unit": "m"}], metadata={})
    same = records.save(ctx, records.find(ctx, row.id), parts=[{"price": Decimal("12.50"), "unit": "m"}])
    assert same.version == 1
    assert records.save(ctx, same, parts=[{"price": Decimal("12.51"), "unit": "m"}]).version == 2


def test_whole_numbers_texts_and_null_stay_what_they_are(ctx):
    parts = [{"count": 5, "text": "0.10", "none": None, "flag": True, "list": [1, "1"]}]
    id = records.insert(ctx, parts=parts, metadata={}).id
    (stored,) = records.find(ctx, id).parts
    assert stored == parts[0] and type(stored["count"]) is int


def test_rows_of_a_list_do_not_share_what_can_be_changed(ctx):
    for _ in range(2):
        records.insert(ctx, parts=[{"unit": "m"}], metadata={})
    one, other = records.rows(ctx, Query()).items
    one.parts.append({"unit": "kg"})
    assert other.parts == [{"unit": "m"}] and one.metadata is not other.metadata
