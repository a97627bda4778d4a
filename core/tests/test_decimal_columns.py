"""A column of decimals has the declared number of places, and names what it accepts when given something else."""

from decimal import Decimal

import pytest
import sqlalchemy as sa

from billycan import Decimals, Records, Resource, new_table

PLACES = (0, 1, 3, 6)
table = new_table(
    "tanks",
    sa.Column("price", Decimals(2)),
    *(sa.Column(f"litres_{places}", Decimals(places)) for places in PLACES),
    of="resource",
)


class Tank(Resource):
    """A tank."""

    price: Decimal | None
    litres_0: Decimal | None
    litres_1: Decimal | None
    litres_3: Decimal | None
    litres_6: Decimal | None


records = Records(table, Tank, prefix="tnk")


@pytest.fixture
def ctx(ctx_with):
    return ctx_with(table)


@pytest.mark.parametrize("text", ["0", "-1", "999999999"])
def test_numbers_come_back_with_the_places_of_their_column(ctx, text):
    given = {f"litres_{p}": Decimal(text) + (Decimal(5).scaleb(-p) if p else 0) for p in PLACES}
    row = records.find(ctx, records.insert(ctx, metadata={}, **given).id)
    for places in PLACES:
        stored = getattr(row, f"litres_{places}")
        assert stored == given[f"litres_{places}"] and stored.as_tuple().exponent == -places


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"price": 5}, r"5 is of the type int, and its column takes a Decimal: write Decimal\('5'\)"),
        ({"price": 0.1}, r"0.1 is of the type float, and its column takes a Decimal: write Decimal\('0.1'\)"),
        ({"litres_1": "2.5"}, r"'2.5' is of the type str, and its column takes a Decimal: write Decimal\('2.5'\)"),
        ({"litres_1": Decimal("2.55")}, "2.55 has more decimal places than its column, which has 1: round it first"),
    ],
)
def test_what_is_no_such_number_is_refused_with_the_cure(ctx, given, said):
    with pytest.raises((TypeError, ValueError, sa.exc.StatementError), match=said):
        records.insert(ctx, metadata={}, **given)
