"""Cards of expenses on the dashboard's front page."""

from datetime import date
from decimal import Decimal

from billycan import Context, Manifest

from .schemas import SummaryQuery
from .summary import summarise_expenses

_MOST = 6


def by_category(ctx: Context) -> Manifest.Card:
    """Add up the spending of each category since the last quarter ended, and the GST on it that can be claimed."""
    today = ctx.today()
    since = date(today.year, (today.month - 1) // 3 * 3 + 1, 1)
    groups = summarise_expenses(ctx, SummaryQuery(group_by="category", date_from=since))
    groups.sort(key=lambda group: -group.amount)
    path = f"/v1/expenses?date_from={since}"
    rows = [(group.label, group.amount, f"{path}&category_id={group.key}") for group in groups[:_MOST]]
    if rest := sum((group.amount for group in groups[_MOST:]), Decimal("0.00")):
        rows.append(("Everything else", rest, path))
    claimable = sum((group.gst_claimable for group in groups), Decimal("0.00"))
    note = f"since {since.day} {since:%B}; ${claimable:,.2f} of GST on it can be claimed"
    total = sum((group.amount for group in groups), Decimal("0.00"))
    return Manifest.Card(title="Spent, by category", figure=total, note=note, rows=tuple(rows), path=path)
