"""The names that every plugin imports; docs/versions.md lists them with the other public modules."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .app import App
    from .context import Context, Event
    from .db import (
        ByCodePoint,
        Decimals,
        Json,
        UTCDateTime,
        own,
        reference,
        resource_table,
        tenant_table,
    )
    from .declarations import resource
    from .engines.forms import Row
    from .fields import new_id
    from .gst import GstEntries, GstPeriod
    from .hookspecs import hookimpl
    from .keys import Identity, Secret
    from .ledger import LedgerEntries
    from .manifest import (
        Answered,
        Card,
        Document,
        Every,
        Extends,
        Gauge,
        Manifest,
        RecordPages,
        Route,
    )
    from .members import Meaning, Member
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
    from .reader import Patch, decode
    from .records import Records
    from .references import Neighbours
    from .resources import (
        Actions,
        Address,
        Deleted,
        Named,
        NewResource,
        Page,
        Paging,
        Query,
        Reply,
        Resource,
    )
    from .sharing.limits import Limit
    from .tenants import Profile

__all__ = [
    "Actions",
    "Address",
    "Answered",
    "App",
    "BadRequest",
    "ByCodePoint",
    "Card",
    "Code",
    "Conflict",
    "Context",
    "Decimals",
    "Deleted",
    "Document",
    "Event",
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
    "LedgerEntries",
    "Limit",
    "Manifest",
    "Meaning",
    "Member",
    "Named",
    "Neighbours",
    "NewResource",
    "NotFound",
    "Page",
    "Paging",
    "Patch",
    "Problem",
    "Profile",
    "Query",
    "RecordPages",
    "Records",
    "Reply",
    "Resource",
    "Route",
    "Row",
    "RuleBroken",
    "Secret",
    "UTCDateTime",
    "Unauthenticated",
    "decode",
    "hookimpl",
    "new_id",
    "own",
    "reference",
    "resource",
    "resource_table",
    "tenant_table",
]

# Loaded when first asked for, so that a command that needs none of them starts at once.
_HOMES = {
    "app": "App",
    "context": "Context Event",
    "db": "ByCodePoint Decimals Json UTCDateTime own reference resource_table tenant_table",
    "declarations": "resource",
    "engines.forms": "Row",
    "fields": "new_id",
    "gst": "GstEntries GstPeriod",
    "hookspecs": "hookimpl",
    "keys": "Identity Secret",
    "ledger": "LedgerEntries",
    "manifest": "Answered Card Document Every Extends Gauge Manifest RecordPages Route",
    "members": "Meaning Member",
    "problems": "BadRequest Code Conflict Fault Forbidden Invalid NotFound Problem RuleBroken Unauthenticated",
    "reader": "Patch decode",
    "records": "Records",
    "references": "Neighbours",
    "resources": "Actions Address Deleted Named NewResource Page Paging Query Reply Resource",
    "sharing.limits": "Limit",
    "tenants": "Profile",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if (home := _HOME_OF.get(name)) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f".{home}", __name__), name)
    return found


def __dir__() -> list[str]:
    return __all__
