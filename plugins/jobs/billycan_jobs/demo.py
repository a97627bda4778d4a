"""Sample jobs of an invented plumber in Hobart: this week's work, in every state."""

from datetime import datetime, time, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from billycan import Context
from billycan.demo import ago, working_day
from billycan.fields import Moment
from billycan_contacts import api as contacts
from billycan_documents.api import NewClaim

from .api import make
from .handlers import cancel_job, complete_job, hold_job, invoice_job, start_job
from .resource import Job
from .schemas import Completion, JobCancellation, Reason

_HOT_WATER = [
    {"description": "Heat pump hot water unit, 250 L", "unit_price": "2890.00"},
    {"description": "Installation", "quantity": 5, "unit": "hour", "unit_price": "120.00"},
]
_GREASE_TRAP = [
    {"description": "Grease trap pump-out, 1,000 L", "unit_price": "385.00"},
    {"description": "Waste disposal levy", "unit_price": "62.40"},
]
_CISTERN = [
    {"description": "Call-out and first half hour", "unit_price": "145.00"},
    {"description": "Labour, licensed plumber", "quantity": "0.5", "unit": "hour", "unit_price": "120.00"},
]
_SEWER = [
    {"description": "Call-out and first half hour", "unit_price": "145.00"},
    {"description": "Jetter, per hour", "quantity": 2, "unit": "hour", "unit_price": "210.00"},
]
_RISERS = [
    {"description": "Labour, licensed plumber", "quantity": 38, "unit": "hour", "unit_price": "120.00"},
    {"description": "Copper riser, 50 mm", "quantity": 24, "unit": "m", "unit_price": "87.35"},
]
_CHECKLIST = [
    {"text": "Isolate and drain the old unit", "required": True},
    {"text": "Test the relief valve", "required": True},
    {"text": "Show the client the timer"},
]


def add_samples(ctx: Context) -> None:
    """Add the sample jobs."""
    heater = _add_sample(
        ctx,
        "Marnie",
        title="Replace hot water unit",
        **_working_times(ctx, 2, 10, 15),
        assignee_ids=_pick_somebody(ctx),
        priority="high",
        site_address={"line1": "14 Wattlebird Street", "suburb": "Sandy Bay", "state": "TAS", "postcode": "7005"},
        checklist=_CHECKLIST,
        line_items=_HOT_WATER,
    )
    _add_sample(
        ctx,
        "Little Tern",
        title="Fit two basins in the toddlers' room",
        description="Outside 7:30 to 18:00 only.",
    )
    sewer = _add_sample(
        ctx,
        "Odo",
        title="Clear blocked sewer",
        description="Backs up into the shower. Camera it once it runs.",
        line_items=_SEWER,
        **_under_way(ctx),
        assignee_ids=_pick_somebody(ctx),
        priority="urgent",
    )
    start_job(ctx, sewer.id)
    risers = _add_sample(
        ctx,
        "Saltmarram",
        title="Replace stairwell risers",
        **_working_times(ctx, -2, 8, 16),
        line_items=_RISERS,
        reference="PO 4471",
    )
    start_job(ctx, risers.id)
    hold_job(ctx, risers.id)
    trap = _add_sample(
        ctx,
        "Brindle Wren",
        title="Quarterly grease trap service",
        **_working_times(ctx, -1, 5, 7),
        line_items=_GREASE_TRAP,
    )
    complete_job(ctx, trap.id, Completion(notes="The baffle is worn: quote for a new one."))
    cistern = _add_sample(
        ctx,
        "Marnie",
        title="Repair leaking cistern",
        **_working_times(ctx, -1, 13, 14),
        line_items=_CISTERN,
    )
    if ctx.has("expenses"):
        from billycan_expenses import api as expenses  # noqa: PLC0415 - there only where that plugin is

        expenses.give_samples(ctx, cistern.id)
    complete_job(ctx, cistern.id, Completion())
    if ctx.has("invoices"):
        from billycan_invoices import api as invoices  # noqa: PLC0415 - there only where that plugin is

        invoice_job(ctx, cistern.id, NewClaim())
        deposit = invoices.send(ctx, invoice_job(ctx, heater.id, NewClaim(claim="deposit", percent=Decimal(10))).id)
        invoices.take_payment(
            ctx, deposit.id, deposit.total, payment_method="bank_transfer", external_id="sample deposit"
        )
    pipes = _add_sample(ctx, "Odo", title="Replace downpipes", priority="low")
    cancel_job(ctx, pipes.id, JobCancellation(reason=Reason("The body corporate has it done.")))


def _add_sample(ctx: Context, client: str, **members: Any) -> Job:
    """Add a job for the sample contact with this part of a name, taken on a week ago."""
    client_id = ctx.db.execute(contacts.named_like(ctx, client)).scalar_one()
    with ago(ctx, 7, 11):
        return make(ctx, {"client_id": client_id, **members})


def _working_times(ctx: Context, days: int, start: int, end: int) -> dict[str, Moment]:
    """Return a start and an end hour on a working day this many working days from today, in the business's zone."""
    day, zone = working_day(ctx, days), ZoneInfo(ctx.tenant.timezone)
    hours = {"scheduled_start": start, "scheduled_end": end}
    return {name: Moment.of(datetime.combine(day, time(hour), zone)) for name, hour in hours.items()}


def _under_way(ctx: Context) -> dict[str, Moment]:
    """Return times from the last full hour for three hours, at any time of day."""
    start = ctx.now().replace(minute=0, second=0, microsecond=0)
    return {"scheduled_start": Moment.of(start), "scheduled_end": Moment.of(start + timedelta(hours=3))}


def _pick_somebody(ctx: Context) -> list[str]:
    if not ctx.has("staff"):
        return []
    from billycan_staff import api as staff  # noqa: PLC0415 - there only where that plugin is

    return [id for id, person in staff.people(ctx).items() if person.active][:1]
