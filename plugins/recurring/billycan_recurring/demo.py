"""Sample recurring invoices of an invented plumber in Hobart: a quarterly one, and one that is paused."""

from datetime import timedelta

from billycan import Context, decode
from billycan_contacts import api as contacts

from .handlers import create_recurring_invoice, pause_recurring_invoice
from .resource import NewRecurringInvoice


def add_samples(ctx: Context) -> None:
    """Add a quarterly service that starts next month, and a yearly one that the client paused."""
    start_on = (ctx.today() + timedelta(days=30)).isoformat()
    for client, frequency, reference, description, unit_price in (
        ("Little Tern", "year", "Taps", "Tempering valves, yearly test", "165.00"),
        ("Brindle Wren", "quarter", "Grease trap", "Grease trap pump-out, 1,000 L", "385.00"),
    ):
        members = {
            "client_id": ctx.db.execute(contacts.named_like(ctx, client)).scalar_one(),
            "frequency": frequency,
            "start_on": start_on,
            "line_items": [{"description": description, "unit_price": unit_price}],
            "reference": reference,
        }
        made = create_recurring_invoice(ctx, decode(members, NewRecurringInvoice))
        if frequency == "year":
            pause_recurring_invoice(ctx, made.id)
