"""Handlers of custom fields: one function for each route."""

from collections.abc import Collection
from typing import Any

import sqlalchemy as sa

from billycan import Conflict, Context, Deleted, Invalid, Page, Patch, Query, Row, RuleBroken, own

from .definitions import outdate_fields
from .extension import extended_resources
from .schemas import Clearing, CustomField, CustomFieldChange, NewCustomField, check_choices
from .tables import clearings, fields, values

MOST_FIELDS = 200  # of a business


def list_custom_fields(ctx: Context, query: Query[CustomField]) -> Page[CustomField]:
    """The custom fields of all resources.

    `search` covers keys and labels.
    """
    return fields.records.page(ctx, query)


def create_custom_field(ctx: Context, body: NewCustomField) -> CustomField:
    """Add a custom field to the records of a resource.

    Records that exist have no value of it, even if it is required. Refused with `duplicate_custom_field` if the
    resource has a field of this `key`, and with `too_many_custom_fields` if the business has 200. Emits
    `custom_field.created`.
    """
    ctx.take_turns()
    known = sorted(extended_resources(ctx.app))
    if body.resource not in known:
        raise Invalid.member("resource", "invalid_value", f"must be one of {', '.join(known)}")
    table = fields.table
    there = ctx.db.execute(sa.select(table.c.resource, table.c.key).where(own(ctx, table))).all()
    if (body.resource, body.key) in [(*row,) for row in there]:
        message = f"The records of {body.resource} have a custom field {body.key}: change that one, or use another key."
        raise Conflict(message, code="duplicate_custom_field", param="key")
    if len(there) >= MOST_FIELDS:
        message = f"The business has {MOST_FIELDS} custom fields: delete one that is no longer needed."
        raise Conflict(message, code="too_many_custom_fields")
    field = fields.records.add(ctx, body, label=_label_of(body.key, body.label))
    outdate_fields(ctx)
    ctx.emit("custom_field.created", field)
    return field


def get_custom_field(ctx: Context, id: str) -> CustomField:
    """One custom field.

    Its values are in the `custom` of each record.
    """
    return fields.records.get(ctx, id)


def update_custom_field(ctx: Context, id: str, body: Patch[CustomFieldChange]) -> CustomField:
    """Change a custom field; its resource, key and type stay.

    Values stay as they are, except those that `choices` no longer has: it is refused with `has_values`, and how many
    they are, unless you send `clear_values: true`. They are then no longer shown, and removed within minutes, without
    an event for each record. Emits `custom_field.updated` if anything changed.
    """
    clears = bool(body.sent.pop("clear_values", False))
    row = fields.records.lock(ctx, id)
    after = body.over({**row._mapping, "clear_values": False})
    try:
        check_choices(row.type, after.choices)
    except RuleBroken as broken:
        raise Invalid.member("choices", broken.code, str(broken)) from None
    if gone := {*row.choices} - {*after.choices}:
        _clear_values(ctx, row, clears, gone)
    columns: dict[str, Any] = {name: getattr(after, name) for name in ("choices", "required", "on_document")}
    columns |= {"external_id": after.external_id, "metadata": after.metadata, "label": _label_of(row.key, after.label)}
    changed = fields.records.save(ctx, row, **columns)
    (field,) = fields.records.show(ctx, [changed])
    if changed.version != row.version:
        outdate_fields(ctx)
        ctx.emit("custom_field.updated", field)
    return field


def delete_custom_field(ctx: Context, id: str, query: Clearing) -> Deleted:
    """Delete a custom field, and its value in every record.

    Refused with `has_values`, and how many they are, while records have a value of it, unless you send
    `clear_values=true`. They are then no longer shown, and removed within minutes, without an event for each record.
    Emits `custom_field.deleted`.
    """
    row = fields.records.lock(ctx, id)
    _clear_values(ctx, row, query.clear_values)
    deleted = fields.records.delete(ctx, row)
    outdate_fields(ctx)
    ctx.emit("custom_field.deleted", deleted)
    return deleted


def _label_of(key: str, label: str | None) -> str:
    return label or key.replace("_", " ").strip().capitalize()


def _clear_values(ctx: Context, row: Row, clears: bool, gone: Collection[str] | None = None) -> None:
    """Have values of a field removed, or those of some choices; raise Conflict `has_values` unless that is meant."""
    stored = own(ctx, values) & (values.c.field_id == row.id)
    if gone is not None:
        stored &= values.c.value.in_(sorted(gone))
    if clears:
        there = sa.select(clearings.c.id).where(own(ctx, clearings), clearings.c.id == row.id)
        if ctx.db.execute(sa.select(values.c.id).where(stored).limit(1)).first() and not ctx.db.execute(there).first():
            ctx.db.execute(sa.insert(clearings).values(tenant_id=ctx.tenant_id, id=row.id, since=ctx.now()))
        return
    if count := ctx.db.execute(sa.select(sa.func.count()).select_from(values).where(stored)).scalar_one():
        of = "" if gone is None else f" {' or '.join(sorted(gone))} of"
        has = "1 record has" if count == 1 else f"{count} records have"
        message = f"{has} the value{of} custom.{row.key}, which would be removed: send clear_values if that is meant."
        raise Conflict(message, code="has_values", values=count)
