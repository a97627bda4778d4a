"""What a business that is not registered for GST has to know in time."""

from billycan import Card, Context

from . import rules
from .warnings import near_threshold


def near_registration(ctx: Context) -> Card | None:
    """The turnover of twelve months, where it nears the amount at which the business must register."""
    turnover = near_threshold(ctx)
    if turnover is None:
        return None
    reached = "reached" if turnover >= rules.THRESHOLD else "near"
    note = f"of sales in twelve months: {reached} the ${rules.THRESHOLD:,.0f} at which a business must register for GST"
    return Card(title="GST registration", figure=turnover, note=note)
