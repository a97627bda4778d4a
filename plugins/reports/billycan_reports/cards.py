"""Cards of reports on the dashboard's front page."""

from billycan import Context, Manifest

from . import rules
from .warnings import near_threshold


def near_registration(ctx: Context) -> Manifest.Card | None:
    """Return the turnover of twelve months if it nears the amount at which the business must register for GST."""
    turnover = near_threshold(ctx)
    if turnover is None:
        return None
    reached = "reached" if turnover >= rules.THRESHOLD else "near"
    note = f"of sales in twelve months: {reached} the ${rules.THRESHOLD:,.0f} at which a business must register for GST"
    return Manifest.Card(title="GST registration", figure=turnover, note=note)
