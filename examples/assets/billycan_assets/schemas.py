"""Structs that clients send and receive."""

from datetime import date
from decimal import Decimal
from typing import Literal

from billycan import Named, NewResource, PageQuery, Resource
from billycan.fields import Day, Id, Name, NotNegative, Search

Status = Literal["in_use", "retired"]


class NewAsset(NewResource, kw_only=True):
    """An asset to create.

    bought_on: The day it was bought.
    custodian_id: The id of the contact who looks after it.
    """

    name: Name
    cost: NotNegative
    bought_on: Day | None = None
    custodian_id: Id | None = None


class Asset(Resource):
    """An asset as it is shown.

    custodian: The contact who looks after it.
    """

    name: str
    cost: Decimal
    bought_on: date | None
    custodian_id: str | None
    custodian: Named | None
    status: Status


class AssetQuery(PageQuery, kw_only=True):
    """Filters of assets."""

    sortable = ("created_at", "name", "cost", "bought_on")

    search: Search | None = None
    status: list[Status] | None = None
    custodian_id: list[str] | None = None
    bought_on_from: Day | None = None
    bought_on_to: Day | None = None
