"""The kit that plugin authors test with: `make_app`, `Client` and `PluginConformance`; pytest loads it by itself.

Every test that takes `make_app` runs on SQLite and on PostgreSQL. Databases are shared by the tests of a run that
enable the same plugins: each Client is a tenant of its own, so none sees another's rows.
"""

import pytest

# Their assertions say what was compared, as those of tests do.
_ASSERT = ("client", "conformance", "extended", "finding", "racing", "strict")
pytest.register_assert_rewrite(*(f"{__name__}.{name}" for name in _ASSERT))

from ..starting.packages import StartRefused
from .client import Client, counted, run_timed, upgrade_to
from .conformance import PluginConformance
from .fixtures import Clock
from .recorder import Recorder

__all__ = [
    "Client",
    "Clock",
    "PluginConformance",
    "Recorder",
    "StartRefused",
    "counted",
    "run_timed",
    "upgrade_to",
]
