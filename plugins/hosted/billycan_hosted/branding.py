"""How a business's documents look."""

from billycan import Context
from billycan.paper import Brand


def brand_of(ctx: Context) -> Brand:
    """The brand of the caller's business."""
    return Brand()
