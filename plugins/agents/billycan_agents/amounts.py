"""Amounts of a call: of each document that it shows, the greatest of its total, its payment and what its total changed
by. Pure functions.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

ZERO = Decimal("0.00")
_MONEY = ("total", "amount")


def amounts_of(records: Iterable[Any], before: Mapping[str, Any] | None) -> dict[str, Decimal]:
    """Map each document among records to its amount; `before` is the record that the call named, as it was."""
    found: dict[str, Decimal] = {}
    for record in records:
        if not isinstance(record, Mapping) or not isinstance(id := record.get("id"), str):
            continue
        values = [abs(_signed(record))]
        if before is not None and before.get("id") == id:
            values.append(abs(_signed(record) - _signed(before)))
        if "total" not in record and isinstance(of := record.get("invoice_id"), str):
            id = of  # a payment of an invoice is the same money
        found[id] = max(found.get(id, ZERO), *values)
    return {id: amount for id, amount in found.items() if amount}


def _signed(record: Mapping[str, Any]) -> Decimal:
    values = [record[name] for name in _MONEY if isinstance(record.get(name), Decimal | int)]
    return max(map(Decimal, values), key=abs, default=ZERO)


def charge_of(amounts: Mapping[str, Decimal], counted: Mapping[str, Decimal]) -> tuple[str, Decimal]:
    """Return the document by which a call adds most to a day, and how much: what is counted already is not again.

    A quote and the invoice made of it are the same money, so a call counts once.
    """
    if not amounts:
        return "", ZERO
    added = {id: max(ZERO, amount - counted.get(id, ZERO)) for id, amount in amounts.items()}
    id = max(added, key=lambda each: added[each])
    return id, added[id]
