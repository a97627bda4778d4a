"""Numbers, units, dates and addresses as people write them."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from zoneinfo import ZoneInfo

from billycan.fields import Moment


def money(value: Decimal) -> str:
    """Format an amount: `$1,210.00`."""
    return f"-${-value:,.2f}" if value < 0 else f"${value:,.2f}"


def price(value: Decimal) -> str:
    """Format a price per unit with all of its decimals."""
    return f"-${-value:,}" if value < 0 else f"${value:,}"


def day(value: date) -> str:
    """Format a date: `5 December 2026`."""
    return f"{value.day} {value:%B %Y}"


def percent(value: Decimal) -> str:
    """Format a percentage: `12.5%`."""
    return f"{value.normalize():f}%"


# Units with a plural: abbreviations such as m, kg or hr have none.
_WORDS = """
    bag bottle box call carton day fixture hour item kilometre length litre load metre minute month night pack pair
    part person piece point room roll session set sheet trip unit visit week year
"""
_MANY = {word: f"{word}es" if word.endswith("x") else f"{word}s" for word in _WORDS.split()} | {"person": "people"}
_ONE = {many: one for one, many in _MANY.items()}


def quantity(value: Decimal, unit: str | None) -> str:
    """Format a quantity with its unit: `38 hours`, `1 hour`, `2.5 m`."""
    number = f"{value:,f}"
    if not unit:
        return number
    words = _ONE if abs(value) == 1 else _MANY
    return f"{number} {words.get(unit, unit)}"


_UNTAXED = {"gst_free": "GST-free", "export": "GST-free", "input_taxed": "Input taxed", "out_of_scope": "No GST"}


def untaxed(code: str) -> str:
    """Return the word that replaces the GST of a line without any."""
    return _UNTAXED[code]


def address_lines(address: Mapping[str, str | None] | None) -> tuple[str, ...]:
    """Return the lines of a stored address; none without an address."""
    found = address or {}
    place = " ".join(found[k] or "" for k in ("suburb", "state", "postcode") if found.get(k))
    country = found.get("country")
    lines = (found.get("line1"), found.get("line2"), place, None if country == "AU" else country)
    return tuple(line for line in lines if line)


def moment(value: Moment, zone: str) -> str:
    """Format a moment in a business's time zone: `5 December 2026, 9:30 am`."""
    local = value.astimezone(ZoneInfo(zone))
    hour = local.hour % 12 or 12
    return f"{day(local)}, {hour}:{local:%M} {'am' if local.hour < 12 else 'pm'}"


def abn(digits: str) -> str:
    """Format an ABN: `47 555 222 000`."""
    return f"{digits[:2]} {digits[2:5]} {digits[5:8]} {digits[8:]}"
