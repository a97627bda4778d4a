"""The names that every plugin imports; docs/versions.md lists them with the other public modules."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .app import App
    from .books import GstEntries, LedgerEntries
    from .context import Context, Event
    from .db import (
        ByCodePoint,
        Decimals,
        Json,
        UTCDateTime,
        new_table,
        own,
        reference,
    )
    from .declarations import resource
    from .engines.forms import Row
    from .fields import new_id
    from .hookspecs import hookimpl
    from .keys import Identity
    from .manifest import Every, Manifest, Route
    from .members import Member
    from .problems import (
        BadRequest,
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
    from .record_pages import RecordPages
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

__all__ = [
    "Actions",
    "Address",
    "App",
    "BadRequest",
    "ByCodePoint",
    "Conflict",
    "Context",
    "Decimals",
    "Deleted",
    "Event",
    "Every",
    "Fault",
    "Forbidden",
    "GstEntries",
    "Identity",
    "Invalid",
    "Json",
    "LedgerEntries",
    "Limit",
    "Manifest",
    "Member",
    "Named",
    "Neighbours",
    "NewResource",
    "NotFound",
    "Page",
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
    "UTCDateTime",
    "Unauthenticated",
    "decode",
    "hookimpl",
    "new_id",
    "new_table",
    "own",
    "reference",
    "resource",
]

# Loaded when first asked for, so that a command that needs none of them starts at once.
_HOMES = {
    "app": "App",
    "books": "GstEntries LedgerEntries",
    "context": "Context Event",
    "db": "ByCodePoint Decimals Json UTCDateTime new_table own reference",
    "declarations": "resource",
    "engines.forms": "Row",
    "fields": "new_id",
    "hookspecs": "hookimpl",
    "keys": "Identity",
    "manifest": "Every Manifest Route",
    "record_pages": "RecordPages",
    "members": "Member",
    "problems": "BadRequest Conflict Fault Forbidden Invalid NotFound Problem RuleBroken Unauthenticated",
    "reader": "Patch decode",
    "records": "Records",
    "references": "Neighbours",
    "resources": "Actions Address Deleted Named NewResource Page Paging Query Reply Resource",
    "sharing.limits": "Limit",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if (home := _HOME_OF.get(name)) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f".{home}", __name__), name)
    return found


def __dir__() -> list[str]:
    return __all__
