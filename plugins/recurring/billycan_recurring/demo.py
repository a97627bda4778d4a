"""Sample recurring invoices of an invented plumber in Hobart: a quarterly one."""

from datetime import timedelta

from billycan import Context, decode
from billycan_contacts import api as contacts

from .handlers import create_recurring_invoice
from .resource import NewRecurringInvoice


def add_samples(ctx: Context) -> None:
    """Add a quarterly service that starts next month."""
    client_id = ctx.db.execute(contacts.named_like(ctx, "Brindle Wren")).scalar_one()
    lines = [{"description": "Grease trap pump-out, 1,000 L", "unit_price": "385.00"}]
    start_on = (ctx.today() + timedelta(days=30)).isoformat()
    members = {"client_id": client_id, "frequency": "quarter", "start_on": start_on, "line_items": lines}
    create_recurring_invoice(ctx, decode({**members, "reference": "Grease trap"}, NewRecurringInvoice))
