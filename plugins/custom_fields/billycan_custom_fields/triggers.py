"""Triggers of events that recorded examples can make only once: a resource has one custom field of each key."""

from billycan import Context, Patch, new_id

from . import handlers
from .extension import extended_resources
from .schemas import Clearing, CustomField, CustomFieldChange, NewCustomField


def add_field(ctx: Context) -> CustomField:
    """Add a custom field to the first of the resources."""
    resource, key = min(extended_resources(ctx.app)), f"sample_{new_id('x')[-8:]}"
    return handlers.create_custom_field(ctx, NewCustomField(resource=resource, key=key, type="text"))


def change_field(ctx: Context) -> None:
    handlers.update_custom_field(ctx, add_field(ctx).id, Patch(CustomFieldChange, {"label": "A sample"}))


def delete_field(ctx: Context) -> None:
    handlers.delete_custom_field(ctx, add_field(ctx).id, Clearing())
