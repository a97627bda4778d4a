"""Structs that clients send and receive."""

from decimal import Decimal
from typing import Annotated, Literal

from billycan import NewResource, PageQuery, Resource
from billycan.fields import Description, Name, Search, Text, UnitPrice

GstCode = Literal["gst", "gst_free", "export", "input_taxed", "out_of_scope"]
Unit = Annotated[str, Text("What a quantity counts, such as `hour` or `each`.", least=1, most=20)]
Sku = Annotated[str, Text("Your own code for an item: 1 to 100 characters.", least=1, most=100)]


class NewItem(NewResource, kw_only=True):
    """Something the business sells, as its price list has it.

    name: Its name.
    description: What the line of a document says; by default, the name.
    unit: The unit in which it is sold, such as `hour`.
    unit_price: The price of one unit, copied as it is: with or without GST, as the documents it is for are.
    gst_code: How it is taxed; by default, as the document's other lines are.
    sku: Your own code for it, unique among items.
    active: Whether forms still offer it.
    """

    name: Name
    description: Description | None = None
    unit: Unit | None = None
    unit_price: UnitPrice
    gst_code: GstCode | None = None
    sku: Sku | None = None
    active: bool = True


class Item(Resource):
    """An item of the price list as it is shown."""

    name: str
    description: str | None
    unit: str | None
    unit_price: Decimal
    gst_code: GstCode | None
    sku: str | None
    active: bool


class ItemQuery(PageQuery, kw_only=True):
    """Filters of items."""

    sortable = ("created_at", "updated_at", "name", "sku", "unit_price")

    search: Search | None = None
    active: bool | None = None
    sku: Sku | None = None
    gst_code: list[GstCode] | None = None
    unit_price_from: UnitPrice | None = None
    unit_price_to: UnitPrice | None = None
