"""Sample quotes of an invented plumber in Hobart: one in each state."""

from typing import Any

from billycan import Context, decode
from billycan.demo import ago
from billycan_contacts import api as contacts

from .handlers import accept_quote, cancel_quote, convert_quote, create_quote, decline_quote, expire_quote, send_quote
from .resource import NewQuote, Quote
from .schemas import Acceptance, Conversion, Reason, Refusal, Resend

_LABOUR = {"description": "Labour, licensed plumber", "unit": "hour", "unit_price": "120.00"}


def add_samples(ctx: Context) -> None:
    """Add the sample quotes, the oldest first, so that numbers follow dates."""
    # Sent, and expired without an answer.
    trap = {"description": "Trap, 2,000 L", "unit_price": "2890.00"}
    expire_quote(ctx, _send_sample(ctx, "Brindle Wren", 45, "Grease trap, larger", trap).id)

    if ctx.has("jobs"):
        risers = _send_sample(ctx, "Saltmarram", 27, "Stairwell risers, third stage", {**_LABOUR, "quantity": 36})
        with ago(ctx, 21):
            accept_quote(ctx, risers.id, Acceptance(name="Isolde Ferntallow"))
            convert_quote(ctx, risers.id, Conversion(to="job"))

    gutters = _send_sample(
        ctx,
        "Saltmarram",
        19,
        "Replace gutters, north side",
        {"description": "Gutter", "quantity": 34, "unit": "m", "unit_price": "74.00"},
    )
    with ago(ctx, 12):
        decline_quote(ctx, gutters.id, Refusal(reason=Reason("Going with a roofer for all of it")))

    if ctx.has("invoices"):
        softener = _send_sample(
            ctx, "Brindle Wren", 9, "Water softener for the bar", {"description": "Softener", "unit_price": "485.00"}
        )
        with ago(ctx, 1):
            accept_quote(ctx, softener.id, Acceptance(name="Saoirse Wrenlocke"))
        convert_quote(ctx, softener.id, Conversion(to="invoice"))

    heater = _send_sample(
        ctx,
        "Little Tern",
        6,
        "New hot water",
        {"description": "Heat pump unit, 315 L", "unit_price": "3240.00"},
        {**_LABOUR, "quantity": "6.5"},
    )
    with ago(ctx, 2):
        accept_quote(ctx, heater.id, Acceptance(name="Wilhelmina Bristlebird", email="office@littletern.example"))

    with ago(ctx, 5):
        pump = _add_sample(
            ctx, "Brindle Wren", "Sump pump", {"description": "Pump and float switch", "unit_price": "612.00"}
        )
    with ago(ctx, 4):
        cancel_quote(ctx, pump.id)

    _send_sample(
        ctx,
        "Odo",
        3,
        "Bathroom rough-in",
        {**_LABOUR, "quantity": "22.5", "discount_percent": 5},
        {"description": "Pipe, fittings and wastes", "unit_price": "1186.40"},
        {"description": "Permit", "unit_price": "285.00", "gst_code": "gst_free"},
        summary="Move the shower and vanity wastes, new hot and cold runs, pressure test and certificate.",
        terms="Half on acceptance, the rest on completion.",
    )

    _add_sample(
        ctx, "Marnie", "Outdoor tap by the courtyard", {**_LABOUR, "quantity": 2}, notes="Draft: measure the run first."
    )


def _send_sample(ctx: Context, client: str, days_ago: int, title: str, *lines: dict[str, Any], **members: Any) -> Quote:
    """Make a quote and send it so many days ago."""
    with ago(ctx, days_ago):
        return send_quote(ctx, _add_sample(ctx, client, title, *lines, **members).id, Resend())


def _add_sample(ctx: Context, client: str, title: str, *lines: dict[str, Any], **members: Any) -> Quote:
    """Add a draft for one of the sample contacts, found by part of its name."""
    client_id = ctx.db.execute(contacts.named_like(ctx, client)).scalar_one()
    body = {"client_id": client_id, "title": title, "line_items": list(lines), **members}
    return create_quote(ctx, decode(body, NewQuote))
