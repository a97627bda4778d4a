"""Names for a plugin's own SQL: core's tables, conditions for both databases, and values as columns store them."""

from .counters import counters
from .db import at_most, upsert
from .engines.statements import ByIds, Statement
from .events import events
from .lists.filters import fold
from .tenants import tenants

__all__ = [
    "ByIds",
    "Statement",
    "at_most",
    "counters",
    "events",
    "fold",
    "tenants",
    "upsert",
]
