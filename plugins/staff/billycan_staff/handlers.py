"""Handlers of staff: one function for each route."""

from msgspec.structs import asdict

from billycan import Context, Deleted, Identity, Invalid, Page, Patch, Query, Unauthenticated

from .resource import NewStaff, Staff, staff


def list_staff(ctx: Context, query: Query[Staff]) -> Page[Staff]:
    """All staff, including inactive ones unless you filter by `active`.

    Their `hours` and `time_off` decide what can be booked.
    """
    return staff.records.page(ctx, query)


def create_staff(ctx: Context, body: NewStaff) -> Staff:
    """Add a member of staff.

    Without `hours` they cannot be booked unless you send `force`. Emits `staff.created`.
    """
    _check_person(ctx, body.user_id)
    member = staff.records.add(ctx, body, timezone=body.timezone or ctx.tenant.timezone)
    ctx.emit("staff.created", member)
    return member


def get_staff(ctx: Context, id: str) -> Staff:
    """One member of staff.

    Their hours are local times in their `timezone`.
    """
    return staff.records.get(ctx, id)


def update_staff(ctx: Context, id: str, body: Patch[NewStaff]) -> Staff:
    """Change a member of staff; existing bookings stay.

    Emits `staff.updated` if anything changed.
    """
    before = staff.records.lock(ctx, id)
    member = body.over(before._mapping)
    if member.user_id != before.user_id:
        _check_person(ctx, member.user_id)
    after = staff.records.save(ctx, before, **{**asdict(member), "timezone": member.timezone or ctx.tenant.timezone})
    (shown,) = staff.records.show(ctx, [after])
    if after.version != before.version:
        ctx.emit("staff.updated", shown)
    return shown


def delete_staff(ctx: Context, id: str) -> Deleted:
    """Delete a member of staff that no record refers to; if someone leaves, set `active` to false instead.

    Refused with `has_dependents` while a booking, service or job refers to them. Emits `staff.deleted`.
    """
    deleted = staff.records.remove(ctx, id)
    ctx.emit("staff.deleted", deleted)
    return deleted


def _check_person(ctx: Context, user_id: str | None) -> None:
    """Raise Invalid unless this is a person of the business."""
    if user_id is None:
        return
    try:
        if not user_id.startswith("usr_"):
            raise Unauthenticated
        Identity.later(ctx.app, ctx.tenant_id, user_id, ())
    except Unauthenticated:
        raise Invalid.member("user_id", "not_found", "must be a person who can sign in to this business") from None
