"""Categories of expenses, declared once: what is sent, shown, filtered, sorted, searched and stored."""

from typing import Annotated

from billycan import Member, NewResource, Resource, resource
from billycan.fields import Name

from .rules import GstCode


class NewCategory(NewResource, kw_only=True):
    """A category of expenses.

    name: Its name.
    gst_code: The GST code of its expenses, unless an expense has another; `gst` if left out.
    gst_required: Whether `gst` has to be entered, because it is not 1/11 of the amount: an insurance premium includes
      stamp duty.
    deductible: Whether its expenses are deductible for income tax. The GST on those that are not, such as
      entertainment, cannot be claimed (s 69-5 GST Act), so their `business_use_percent` is 0 unless an expense has
      another.
    """

    name: Annotated[Name, Member(sort=True, search=True)]
    gst_code: GstCode | None = None
    gst_required: bool = False
    deductible: bool = True


class Category(Resource):
    """A category of expenses, as shown."""

    name: str
    gst_code: GstCode | None
    gst_required: bool
    deductible: bool


categories = resource("expenses_categories", sends=NewCategory, shows=Category, prefix="cat")
