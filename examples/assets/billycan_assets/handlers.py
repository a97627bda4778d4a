"""Handlers of assets: one function for each route."""

from billycan import Actions, Context, Deleted, Page, Patch, Records
from billycan_contacts import api as contacts

from .schemas import Asset, AssetQuery, NewAsset
from .tables import assets

actions = Actions({"retire": ("in_use", "retired")})

records = Records(
    assets,
    Asset,
    prefix="ast",
    references={"custodian": contacts.names},
    search=("name",),
    actions=lambda row: actions.allowed(row.status),
)


def list_assets(ctx: Context, query: AssetQuery) -> Page[Asset]:
    """All assets."""
    return records.page(ctx, query)


def create_asset(ctx: Context, body: NewAsset) -> Asset:
    """Add an asset.

    Emits `asset.created`.
    """
    asset = records.add(ctx, body, status="in_use")
    ctx.emit("asset.created", asset)
    return asset


def get_asset(ctx: Context, id: str) -> Asset:
    """One asset."""
    return records.get(ctx, id)


def update_asset(ctx: Context, id: str, body: Patch[NewAsset]) -> Asset:
    """Change an asset.

    Emits `asset.updated` if anything changed.
    """
    asset, changed = records.change(ctx, id, body)
    if changed:
        ctx.emit("asset.updated", asset)
    return asset


def delete_asset(ctx: Context, id: str) -> Deleted:
    """Delete an asset.

    Emits `asset.deleted`.
    """
    deleted = records.remove(ctx, id)
    ctx.emit("asset.deleted", deleted)
    return deleted


def retire_asset(ctx: Context, id: str) -> Asset:
    """Take an asset out of use.

    Emits `asset.retired`.
    """
    row = records.lock(ctx, id)
    row = records.save(ctx, row, status=actions.check("retire", row.status))
    (asset,) = records.show(ctx, [row])
    ctx.emit("asset.retired", asset)
    return asset
