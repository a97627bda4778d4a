"""Which of the tests over all plugins run when."""

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is true on either database alike takes long: it runs on PostgreSQL with the long tests only."""
    for item in items:
        engine = getattr(item, "callspec", None) and item.callspec.params.get("engine")
        if item.get_closest_marker("either") and engine == "postgresql":
            item.add_marker("long")
