"""Equipment a business owns, and which contact looks after it."""

from billycan import Deleted, Manifest, RecordPages, Route

from .handlers import create_asset, delete_asset, get_asset, list_assets, retire_asset, update_asset
from .resource import Asset, assets

manifest = Manifest(
    name="assets",
    requires=("contacts",),
    tables=(assets.table,),
    events={
        "asset.created": Asset,
        "asset.updated": Asset,
        "asset.deleted": Deleted,
        "asset.retired": Asset,
    },
    routes=(
        Route("GET", "/v1/assets", list_assets, scope="assets:read"),
        Route("POST", "/v1/assets", create_asset, scope="assets:write", status=201),
        Route("GET", "/v1/assets/{id}", get_asset, scope="assets:read"),
        Route("PATCH", "/v1/assets/{id}", update_asset, scope="assets:write"),
        Route("DELETE", "/v1/assets/{id}", delete_asset, scope="assets:write"),
        Route("POST", "/v1/assets/{id}/retire", retire_asset, scope="assets:write"),
    ),
    records=(
        RecordPages(
            path="/v1/assets",
            empty="An asset has a cost, and a contact who looks after it.",
            columns=("name", "custodian", "cost", "bought_on", "status"),
            actions={"retire": RecordPages.Action(weight="aside")},
        ),
    ),
)
