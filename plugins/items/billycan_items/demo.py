"""Sample items: the price list of an invented plumber in Hobart."""

from billycan import Context, decode
from billycan.demo import ago

from .handlers import create_item
from .resource import NewItem

_SAMPLES = (
    {"name": "Labour", "description": "Labour, per hour", "unit": "hour", "unit_price": "98.00", "sku": "LAB"},
    {"name": "Call-out", "description": "Call-out, first half hour included", "unit_price": "120.00", "sku": "CALL"},
    {"name": "Mixer tap, chrome", "unit": "each", "unit_price": "189.50", "sku": "TAP-MX"},
    {"name": "Heat pump unit, 315 L", "unit": "each", "unit_price": "3240.00", "sku": "HP-315"},
    {"name": "Gas water heater", "unit": "each", "unit_price": "1480.00", "sku": "GWH-20", "active": False},
)


def add_samples(ctx: Context) -> None:
    """Add the sample items."""
    with ago(ctx, 380):
        for values in _SAMPLES:
            create_item(ctx, decode(values, NewItem))
