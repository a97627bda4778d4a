"""Tracking categories: up to two ways, beside accounts, in which a business looks at its income and costs."""

from collections.abc import Collection, Mapping
from typing import Annotated, Any

import sqlalchemy as sa
from msgspec import Meta, Struct

from billycan import (
    Conflict,
    Context,
    Deleted,
    Invalid,
    Json,
    Member,
    NewResource,
    Page,
    Patch,
    Query,
    Resource,
    new_table,
    own,
    resource,
)
from billycan.fields import Text
from billycan.sql import ByIds

from .entries import entries

MOST_CATEGORIES = 2
MOST_OPTIONS = 100

Option = Annotated[str, Text("A tracking category or option: 1 to 50 characters.", least=1, most=50)]
Tracking = Annotated[dict[Option, Option], Meta(max_length=MOST_CATEGORIES)]


class NewTrackingCategory(NewResource, kw_only=True):
    """A tracking category, such as Region, with its options, such as North and South.

    name: Its name, unique among the two.
    options: The options, in order.
    """

    name: Annotated[Option, Member(sort=True, unique=True)]
    options: Annotated[list[Option], Meta(min_length=1, max_length=MOST_OPTIONS)]


class TrackingCategory(Resource):
    """A tracking category, as it is shown."""

    name: str
    options: list[str]


categories = resource("reports_tracking", sends=NewTrackingCategory, shows=TrackingCategory, prefix="trk")

# What records are tracked by, by category; each row's id is the record's.
tracked = new_table("reports_tracking_of", sa.Column("tracking", Json, nullable=False))


def list_tracking_categories(ctx: Context, query: Query[TrackingCategory]) -> Page[TrackingCategory]:
    """The tracking categories, of which there are at most two.

    Invoices and expenses name an option of each in `tracking`.
    """
    return categories.records.page(ctx, query)


def create_tracking_category(ctx: Context, body: NewTrackingCategory) -> TrackingCategory:
    """Add a tracking category.

    Refused with `too_many_tracking_categories` if there are two, and with `duplicate_tracking_category` if the other
    one has its name. Emits `tracking_category.created`.
    """
    _check_category(ctx, body)
    category = categories.records.add(ctx, body)
    ctx.emit("tracking_category.created", category)
    return category


def get_tracking_category(ctx: Context, id: str) -> TrackingCategory:
    """One tracking category.

    It has its options, in order.
    """
    return categories.records.get(ctx, id)


def update_tracking_category(ctx: Context, id: str, body: Patch[NewTrackingCategory]) -> TrackingCategory:
    """Change a tracking category; what is tracked already stays as it was named then.

    Refused with `duplicate_tracking_category` if the other one has its name. Emits `tracking_category.updated` if
    anything changed.
    """
    before = categories.records.find(ctx, id)
    _check_category(ctx, body.over(before._mapping), id)
    category, changed = categories.records.change(ctx, id, body)
    if changed:
        ctx.emit("tracking_category.updated", category)
    return category


def delete_tracking_category(ctx: Context, id: str) -> Deleted:
    """Delete a tracking category; what is tracked already stays so.

    Emits `tracking_category.deleted`.
    """
    deleted = categories.records.remove(ctx, id)
    ctx.emit("tracking_category.deleted", deleted)
    return deleted


class IsTracked(Struct, kw_only=True):
    """The tracking that a record shows.

    tracking: The option of each tracking category that its income and costs have, such as `{"Region": "North"}`.
    """

    tracking: dict[str, str] = {}


class TakesTracking(Struct, kw_only=True):
    """The tracking that a client sends with a record.

    tracking: An option for each tracking category that it should have, such as `{"Region": "North"}`.
    """

    tracking: Tracking = {}


def fill_tracking(ctx: Context, ids: Collection[str]) -> dict[str, IsTracked]:
    """Map records to how they are tracked."""
    return {id: IsTracked(tracking=dict(tracking)) for id, tracking in tracking_of(ctx, ids).items()}


def keep_tracking(ctx: Context, id: str, sent: TakesTracking) -> None:
    """Store how a record is tracked. Raise Invalid for a category or option that does not exist, and Conflict if the
    record has entries of days for which the books are locked: they would be moved.
    """
    if ctx.tenant.locked_until is not None:
        first = sa.select(sa.func.min(entries.c.date)).where(own(ctx, entries), entries.c.document_id == id)
        ctx.check_unlocked(ctx.db.execute(first).scalar(), cure="Leave tracking as it is")
    rows = ctx.db.execute(sa.select(categories.table).where(own(ctx, categories.table))).all() if sent.tracking else []
    options = {row.name: row.options for row in rows}
    stored = tracking_of(ctx, [id]).get(id, {})
    for name, option in sent.tracking.items():
        if stored.get(name) == option:
            continue  # it stays as it was named then
        if name not in options:
            raise Invalid.member("tracking", "not_found", f"names {name}, which is no tracking category")
        if option not in options[name]:
            raise Invalid.member("tracking", "not_found", f"names {option}, which is no option of {name}")
    this = own(ctx, tracked) & (tracked.c.id == id)
    if ctx.db.execute(sa.select(tracked.c.id).where(this)).first() is None:
        # Not an upsert: imported files may only add rows.
        ctx.db.execute(sa.insert(tracked).values(tenant_id=ctx.tenant_id, id=id, tracking=sent.tracking))
    else:
        ctx.db.execute(sa.update(tracked).where(this).values(tracking=sent.tracking))


def forget_tracking(ctx: Context, gone: Deleted) -> None:
    """Forget how a deleted record was tracked."""
    ctx.db.execute(sa.delete(tracked).where(own(ctx, tracked), tracked.c.id == gone.id))


def tracking_of(ctx: Context, ids: Collection[str]) -> Mapping[str, Mapping[str, str]]:
    """Map records to the options that they have by tracking category, without those that have none."""
    return {row.id: row.tracking for row in _TRACKED.all(ctx.db, ctx.tenant_id, ids)}


def _check_category(ctx: Context, body: Any, id: str | None = None) -> None:
    ctx.take_turns()  # two may be added at once
    rows = ctx.db.execute(sa.select(categories.table.c.id, categories.table.c.name).where(own(ctx, categories.table)))
    others = [row.name for row in rows if row.id != id]
    if body.name in others:
        raise Conflict("The other one has this name.", code="duplicate_tracking_category", param="name")
    if len(others) >= MOST_CATEGORIES:
        raise Conflict(
            "There are two tracking categories, which is as many as there can be: change one of them.",
            code="too_many_tracking_categories",
        )
    if len({*body.options}) < len(body.options):
        raise Invalid.member("options", "invalid_value", "must not have an option twice")


_TRACKED = ByIds(sa.select(tracked.c.id, tracked.c.tracking), tracked.c.id)
