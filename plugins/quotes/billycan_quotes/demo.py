"""Sample quotes of an invented plumber in Hobart: one in each state."""

from datetime import timedelta
from typing import Any

from billycan import Context
from billycan.fields import Email, Name
from billycan.wire import decode
from billycan_contacts import api as contacts

from .documents import records
from .handlers import accept_quote, cancel_quote, convert_quote, create_quote, decline_quote, expire_quotes, send_quote
from .schemas import Acceptance, Conversion, NewQuote, Quote, Reason, Refusal, Resend

_LABOUR = {"description": "Labour, licensed plumber", "unit": "hour", "unit_price": "120.00"}


def add_samples(ctx: Context) -> None:
    """Add the sample quotes."""
    _add(
        ctx, "Marnie", "Outdoor tap by the courtyard", {**_LABOUR, "quantity": 2}, notes="Draft: measure the run first."
    )

    bathroom = _add(
        ctx,
        "Odo",
        "Bathroom rough-in",
        {**_LABOUR, "quantity": "22.5", "discount_percent": 5},
        {"description": "Pipe, fittings and wastes", "unit_price": "1186.40"},
        {"description": "Permit", "unit_price": "285.00", "gst_code": "gst_free"},
        summary="Move the shower and vanity wastes, new hot and cold runs, pressure test and certificate.",
        terms="Half on acceptance, the rest on completion.",
    )
    send_quote(ctx, bathroom.id, Resend())

    heater = _add(
        ctx,
        "Little Tern",
        "New hot water",
        {"description": "Heat pump unit, 315 L", "unit_price": "3240.00"},
        {**_LABOUR, "quantity": "6.5"},
    )
    send_quote(ctx, heater.id, Resend())
    accept_quote(
        ctx, heater.id, Acceptance(name=Name("Wilhelmina Bristlebird"), email=Email("office@littletern.example"))
    )

    gutters = _add(
        ctx,
        "Saltmarram",
        "Replace gutters, north side",
        {"description": "Gutter", "quantity": 34, "unit": "m", "unit_price": "74.00"},
    )
    send_quote(ctx, gutters.id, Resend())
    decline_quote(ctx, gutters.id, Refusal(reason=Reason("Going with a roofer for all of it")))

    if "jobs" in ctx.app.manifests:
        risers = _add(ctx, "Saltmarram", "Stairwell risers, third stage", {**_LABOUR, "quantity": 36})
        send_quote(ctx, risers.id, Resend())
        accept_quote(ctx, risers.id, Acceptance(name=Name("Isolde Ferntallow")))
        convert_quote(ctx, risers.id, Conversion(to="job"))

    if "invoices" in ctx.app.manifests:
        softener = _add(
            ctx, "Brindle Wren", "Water softener for the bar", {"description": "Softener", "unit_price": "485.00"}
        )
        send_quote(ctx, softener.id, Resend())
        accept_quote(ctx, softener.id, Acceptance(name=Name("Saoirse Wrenlocke")))
        convert_quote(ctx, softener.id, Conversion(to="invoice"))

    pump = _add(ctx, "Brindle Wren", "Sump pump", {"description": "Pump and float switch", "unit_price": "612.00"})
    cancel_quote(ctx, pump.id)

    # Sent and then forgotten: what expired was valid until yesterday.
    trap = _add(ctx, "Brindle Wren", "Grease trap, larger", {"description": "Trap, 2,000 L", "unit_price": "2890.00"})
    send_quote(ctx, trap.id, Resend())
    records.save(ctx, records.find(ctx, trap.id), expiry_date=ctx.today() - timedelta(days=1))
    expire_quotes(ctx)


def _add(ctx: Context, client: str, title: str, *lines: dict[str, Any], **members: Any) -> Quote:
    """A draft for one of the sample contacts, by part of its name."""
    client_id = ctx.db.execute(contacts.named_like(ctx, client)).scalar_one()
    body = {"client_id": client_id, "title": title, "line_items": list(lines), **members}
    return create_quote(ctx, decode(body, NewQuote))
