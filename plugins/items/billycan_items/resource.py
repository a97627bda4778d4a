"""Items, declared once: what is sent, shown, filtered, sorted, searched and stored."""

from decimal import Decimal
from typing import Annotated, Literal

from billycan import Member, NewResource, Resource, resource
from billycan.fields import Description, Name, Number, Text

GstCode = Literal["gst", "gst_free", "export", "input_taxed", "out_of_scope"]
Unit = Annotated[str, Text("What a quantity counts, such as `hour` or `each`.", least=1, most=20)]
Sku = Annotated[str, Text("Your own code for an item: 1 to 100 characters.", least=1, most=100)]
UnitPrice = Annotated[
    Decimal,
    Number("A price per unit with at most 4 decimal places; negative for a credit line.", places=4, kind="money"),
]


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

    name: Annotated[Name, Member(sort="indexed", search=True)]
    description: Annotated[Description | None, Member(search=True)] = None
    unit: Unit | None = None
    unit_price: Annotated[UnitPrice, Member(filter="range", sort=True, role="amount")]
    gst_code: Annotated[GstCode | None, Member(filter="any")] = None
    sku: Annotated[Sku | None, Member(filter="one", sort=True, search=True, unique=True)] = None
    active: Annotated[bool, Member(filter="one", role="active")] = True


class Item(Resource):
    """An item of the price list as it is shown."""

    name: str
    description: str | None
    unit: str | None
    unit_price: Decimal
    gst_code: GstCode | None
    sku: str | None
    active: bool


items = resource("items", sends=NewItem, shows=Item, prefix="itm")
