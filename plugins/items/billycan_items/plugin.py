"""Items: the price list of a business, from which lines of its documents are filled in."""

from billycan import Deleted, Manifest, RecordPages, Route

from . import handlers as h
from .demo import add_samples
from .handlers import handle_error
from .resource import Item, items

__all__ = ["handle_error", "manifest"]

manifest = Manifest(
    name="items",
    tables=(items.table,),
    events={"item.created": Item, "item.updated": Item, "item.deleted": Deleted},
    routes=(
        Route("GET", "/v1/items", h.list_items, scope="items:read"),
        Route("POST", "/v1/items", h.create_item, scope="items:write", status=201, imports=True),
        Route("GET", "/v1/items/{id}", h.get_item, scope="items:read"),
        Route("PATCH", "/v1/items/{id}", h.update_item, scope="items:write"),
        Route("DELETE", "/v1/items/{id}", h.delete_item, scope="items:write"),
    ),
    records=(
        RecordPages(
            path="/v1/items",
            empty="Items are your price list: one gives a line its description, unit and price.",
            columns=("name", "sku", "unit_price", "unit", "active"),
            hints={
                "unit_price": "With or without GST, as the prices of your invoices are.",
                "unit": "Such as hour or metre.",
                "gst_code": "Leave it empty to tax it as the other lines are.",
                "description": "What the line of an invoice says. Leave it empty for the name.",
                "sku": "Your own code for it.",
            },
            order=85,
        ),
    ),
    demo=add_samples,
    codes={"duplicate_sku": (409, "Another item has this `sku`.")},
)
