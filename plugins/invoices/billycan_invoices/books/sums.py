"""Sums of money, added up by the database in whole cents as stored."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

# The condition that a column of ids is one of those that a query is about.
Among = Callable[[sa.ColumnElement[str]], sa.ColumnElement[bool]]


def in_cents(column: sa.ColumnElement[Any]) -> sa.ColumnElement[int]:
    """Read a column of amounts as the whole numbers that it stores."""
    return sa.type_coerce(column, sa.BigInteger)


def amount_of(cents: Any) -> Decimal:
    """Convert a sum of cents to an amount. The sum of no rows is NULL, and PostgreSQL returns sums as numerics."""
    return Decimal(int(cents or 0)).scaleb(-2)
