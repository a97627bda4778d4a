"""Fixtures of the client's tests."""

import importlib.util
import json
from pathlib import Path

import pytest

from billycan.app import App
from billycan.starting.plugins import first_party
from billycan.starting.settings import Config, Settings
from billycan.testing.fixtures import SECRET


@pytest.fixture(scope="session")
def document(tmp_path_factory):
    """The OpenAPI document of all first-party plugins."""
    folder = tmp_path_factory.mktemp("document")
    core = {"secret": SECRET, "database": f"sqlite:///{folder}/none.db", "shared_folder": str(folder)}
    app = App(Config(Settings(**core, plugins=",".join(sorted(first_party()))), {}))
    yield json.loads(json.dumps(app.openapi(), default=float))
    app.close()


@pytest.fixture(scope="session")
def example():
    """The module example.py, beside the package."""
    path = Path(__file__).parents[1] / "example.py"
    spec = importlib.util.spec_from_file_location("example", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
