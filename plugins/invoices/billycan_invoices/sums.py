"""Sums of money, added up by the database in the whole cents that are stored."""

from decimal import Decimal
from typing import Any

import sqlalchemy as sa


def in_cents(column: sa.ColumnElement[Any]) -> sa.ColumnElement[int]:
    """A column of amounts, as the whole numbers that it holds."""
    return sa.type_coerce(column, sa.BigInteger)


def amount_of(cents: Any) -> Decimal:
    """What a sum of these comes to; of no rows it is NULL, and PostgreSQL adds them up as numerics."""
    return Decimal(int(cents or 0)).scaleb(-2)
