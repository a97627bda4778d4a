"""What each endpoint does."""

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
    actions=lambda asset: actions.allowed(asset.status),
)


def list_assets(ctx: Context, query: AssetQuery) -> Page[Asset]:
    """All assets."""
    return records.page(ctx, query)


def create_asset(ctx: Context, body: NewAsset) -> Asset:
    """Add an asset."""
    asset = records.add(ctx, body, status="in_use")
    ctx.emit("asset.created", asset)
    return asset


def get_asset(ctx: Context, id: str) -> Asset:
    """One asset."""
    return records.get(ctx, id)


def update_asset(ctx: Context, id: str, body: Patch[NewAsset]) -> Asset:
    """Change an asset."""
    return records.change(ctx, id, body)[0]


def delete_asset(ctx: Context, id: str) -> Deleted:
    """Delete an asset."""
    return records.remove(ctx, id)


def retire_asset(ctx: Context, id: str) -> Asset:
    """Take an asset out of use."""
    row = records.lock(ctx, id)
    row = records.save(ctx, row, status=actions.check("retire", row.status))
    (asset,) = records.show(ctx, [row])
    ctx.emit("asset.retired", asset)
    return asset
