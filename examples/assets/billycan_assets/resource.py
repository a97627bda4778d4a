"""An asset, declared once: what is sent, shown, filtered, sorted, searched and stored."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Literal

from billycan import Actions, Member, Named, NewResource, Resource, resource
from billycan.fields import Day, Id, Name, NotNegative
from billycan_contacts import api as contacts

Status = Literal["in_use", "retired"]

actions = Actions({"retire": ("in_use", "retired")})


class NewAsset(NewResource, kw_only=True):
    """An asset to create.

    bought_on: The day it was bought.
    custodian_id: The id of the contact who looks after it.
    """

    name: Annotated[Name, Member(sort=True, search=True)]
    cost: Annotated[NotNegative, Member(sort=True, role="amount")]
    bought_on: Annotated[Day | None, Member(filter="range", sort=True)] = None
    custodian_id: Annotated[Id | None, Member(filter="any", refers_to="contacts")] = None


class Asset(Resource):
    """An asset as it is shown.

    custodian: The contact who looks after it.
    """

    name: str
    cost: Decimal
    bought_on: date | None
    custodian_id: str | None
    custodian: Named | None
    status: Annotated[Status, Member(filter="any", role="status", good=("in_use",))]


assets = resource(
    "assets",
    sends=NewAsset,
    shows=Asset,
    prefix="ast",
    references={"custodian": contacts.names},
    actions=lambda row: actions.allowed(row.status),
)
