"""The names that every plugin imports; docs/versions.md lists them with the other public modules."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .address import Address
    from .app import App
    from .callers import Caller, caller_of, identity_now
    from .context import Context, Event
    from .db import (
        ByCodePoint,
        Cents,
        Decimals,
        Json,
        TenThousandths,
        UTCDateTime,
        folded,
        numbered,
        own,
        reference,
        resource_table,
        searchable,
        tenant_table,
    )
    from .declarations import resource
    from .dependents import check_unused
    from .engines.statements import Row
    from .gst import GstEntries, GstPeriod
    from .hookspecs import hookimpl
    from .ids import new_id, new_ids
    from .keys import Identity
    from .manifest import (
        ActionWords,
        Answered,
        CallerKind,
        Card,
        Document,
        DocumentRoutes,
        EventCarrier,
        Every,
        Extends,
        Gauge,
        Manifest,
        Offer,
        RecordPages,
        Route,
    )
    from .meanings import Member
    from .naming import names_of
    from .neighbours import Neighbours, neighbour_index, take_turns
    from .patch import Patch
    from .problems import (
        BadRequest,
        Code,
        Conflict,
        Fault,
        Forbidden,
        Invalid,
        NotFound,
        Problem,
        RuleBroken,
        Unauthenticated,
    )
    from .reader import decode
    from .records import Records
    from .resources import Deleted, Named, NewResource, Page, PageQuery, Paging, Query, Reply, Resource
    from .sharing.limits import Allowance, Limit
    from .states import Actions
    from .work import unit_of_work

__all__ = [
    "ActionWords",
    "Actions",
    "Address",
    "Allowance",
    "Answered",
    "App",
    "BadRequest",
    "ByCodePoint",
    "Caller",
    "CallerKind",
    "Card",
    "Cents",
    "Code",
    "Conflict",
    "Context",
    "Decimals",
    "Deleted",
    "Document",
    "DocumentRoutes",
    "Event",
    "EventCarrier",
    "Every",
    "Extends",
    "Fault",
    "Forbidden",
    "Gauge",
    "GstEntries",
    "GstPeriod",
    "Identity",
    "Invalid",
    "Json",
    "Limit",
    "Manifest",
    "Member",
    "Named",
    "Neighbours",
    "NewResource",
    "NotFound",
    "Offer",
    "Page",
    "PageQuery",
    "Paging",
    "Patch",
    "Problem",
    "Query",
    "RecordPages",
    "Records",
    "Reply",
    "Resource",
    "Route",
    "Row",
    "RuleBroken",
    "TenThousandths",
    "UTCDateTime",
    "Unauthenticated",
    "caller_of",
    "check_unused",
    "decode",
    "folded",
    "hookimpl",
    "identity_now",
    "names_of",
    "neighbour_index",
    "new_id",
    "new_ids",
    "numbered",
    "own",
    "reference",
    "resource",
    "resource_table",
    "searchable",
    "take_turns",
    "tenant_table",
    "unit_of_work",
]

# Loaded when first asked for, so that a command that needs none of them starts at once.
_HOMES = {
    "address": "Address",
    "app": "App",
    "callers": "Caller caller_of identity_now",
    "context": "Context Event",
    "db": "ByCodePoint Cents Decimals Json TenThousandths UTCDateTime folded numbered own reference resource_table"
    " searchable tenant_table",
    "declarations": "resource",
    "dependents": "check_unused",
    "gst": "GstEntries GstPeriod",
    "hookspecs": "hookimpl",
    "ids": "new_id new_ids",
    "keys": "Identity",
    "sharing.limits": "Allowance Limit",
    "manifest": "ActionWords Answered CallerKind Card Document DocumentRoutes EventCarrier Every Extends Gauge Manifest"
    " Offer RecordPages Route",
    "meanings": "Member",
    "naming": "names_of",
    "neighbours": "Neighbours neighbour_index take_turns",
    "patch": "Patch",
    "problems": "BadRequest Code Conflict Fault Forbidden Invalid NotFound Problem RuleBroken Unauthenticated",
    "reader": "decode",
    "records": "Records",
    "resources": "Deleted Named NewResource Page PageQuery Paging Query Reply Resource",
    "engines.statements": "Row",
    "states": "Actions",
    "work": "unit_of_work",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if (home := _HOME_OF.get(name)) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f".{home}", __name__), name)
    return found


def __dir__() -> list[str]:
    return __all__
