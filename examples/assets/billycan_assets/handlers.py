"""Handlers of assets: one function for each route."""

from billycan import Context, Deleted, Page, Patch, Query

from .resource import Asset, NewAsset, actions, assets


def list_assets(ctx: Context, query: Query[Asset]) -> Page[Asset]:
    """All assets."""
    return assets.records.page(ctx, query)


def create_asset(ctx: Context, body: NewAsset) -> Asset:
    """Add an asset.

    Emits `asset.created`.
    """
    asset = assets.records.add(ctx, body, status="in_use")
    ctx.emit("asset.created", asset)
    return asset


def get_asset(ctx: Context, id: str) -> Asset:
    """One asset."""
    return assets.records.get(ctx, id)


def update_asset(ctx: Context, id: str, body: Patch[NewAsset]) -> Asset:
    """Change an asset.

    Emits `asset.updated` if anything changed.
    """
    asset, changed = assets.records.change(ctx, id, body)
    if changed:
        ctx.emit("asset.updated", asset)
    return asset


def delete_asset(ctx: Context, id: str) -> Deleted:
    """Delete an asset.

    Emits `asset.deleted`.
    """
    deleted = assets.records.remove(ctx, id)
    ctx.emit("asset.deleted", deleted)
    return deleted


def retire_asset(ctx: Context, id: str) -> Asset:
    """Take an asset out of use.

    Emits `asset.retired`.
    """
    row = assets.records.lock(ctx, id)
    row = assets.records.save(ctx, row, status=actions.check("retire", row.status))
    (asset,) = assets.records.show(ctx, [row])
    ctx.emit("asset.retired", asset)
    return asset
