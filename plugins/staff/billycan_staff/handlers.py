"""Handlers of staff: one function for each route."""

from msgspec.structs import asdict

from billycan import Context, Deleted, Page, Patch, Records

from .schemas import NewStaff, Staff, StaffQuery
from .tables import staff

records = Records(staff, Staff, prefix="stf", search=("name", "email", "phone"))


def list_staff(ctx: Context, query: StaffQuery) -> Page[Staff]:
    """All staff, including inactive ones unless you filter by `active`.

    Their `hours` and `time_off` decide what can be booked.
    """
    return records.page(ctx, query)


def create_staff(ctx: Context, body: NewStaff) -> Staff:
    """Add a member of staff.

    Without `hours` they cannot be booked unless you send `force`. Emits `staff.created`.
    """
    member = records.add(ctx, body, timezone=body.timezone or ctx.tenant.timezone)
    ctx.emit("staff.created", member)
    return member


def get_staff(ctx: Context, id: str) -> Staff:
    """One member of staff.

    Their hours are local times in their `timezone`.
    """
    return records.get(ctx, id)


def update_staff(ctx: Context, id: str, body: Patch[NewStaff]) -> Staff:
    """Change a member of staff; existing bookings stay.

    Emits `staff.updated` if anything changed.
    """
    before = records.lock(ctx, id)
    member = body.over(before._mapping)
    after = records.save(ctx, before, **{**asdict(member), "timezone": member.timezone or ctx.tenant.timezone})
    (shown,) = records.show(ctx, [after])
    if after.version != before.version:
        ctx.emit("staff.updated", shown)
    return shown


def delete_staff(ctx: Context, id: str) -> Deleted:
    """Delete a member of staff that no record refers to; if someone leaves, set `active` to false instead.

    Refused with `has_dependents` while a booking, service or job refers to them. Emits `staff.deleted`.
    """
    deleted = records.remove(ctx, id)
    ctx.emit("staff.deleted", deleted)
    return deleted
