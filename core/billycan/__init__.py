"""The toolkit a plugin imports; docs/versions.md says what else is public."""

from .address import Address
from .context import Context, Event
from .db import Cents, Json, TenThousandths, UTCDateTime, own, reference, resource_table, tenant_table
from .hookspecs import hookimpl
from .manifest import Deleted, Every, Extends, Manifest, Named, NewResource, Page, PageQuery, Reply, Resource, Route
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
from .records import Records, folded, has_dependents, names_of, numbered, searchable
from .states import Actions
from .work import unit_of_work

__all__ = [
    "Actions",
    "Address",
    "BadRequest",
    "Cents",
    "Code",
    "Conflict",
    "Context",
    "Deleted",
    "Event",
    "Every",
    "Extends",
    "Fault",
    "Forbidden",
    "Invalid",
    "Json",
    "Manifest",
    "Named",
    "NewResource",
    "NotFound",
    "Page",
    "PageQuery",
    "Patch",
    "Problem",
    "Records",
    "Reply",
    "Resource",
    "Route",
    "RuleBroken",
    "TenThousandths",
    "UTCDateTime",
    "Unauthenticated",
    "folded",
    "has_dependents",
    "hookimpl",
    "names_of",
    "numbered",
    "own",
    "reference",
    "resource_table",
    "searchable",
    "tenant_table",
    "unit_of_work",
]
