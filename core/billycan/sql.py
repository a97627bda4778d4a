"""For a plugin's own SQL: core's tables, conditions that hold on both databases, and values as columns keep them."""

from .counters import advance, counters
from .db import upsert
from .folding import fold
from .patch import as_stored
from .records import among, contains, json_list_has, search_condition
from .tenants import tenants

__all__ = [
    "advance",
    "among",
    "as_stored",
    "contains",
    "counters",
    "fold",
    "json_list_has",
    "search_condition",
    "tenants",
    "upsert",
]
