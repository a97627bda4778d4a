"""A test that needs a plugin says so in a way that pytest sees, and is skipped if that plugin is not installed.

`make_app("contacts")` does, an import or importorskip at the top of its file, the mark `whole`, and the plugin's own
folder. without.py proves it: it deletes one plugin's folder after the other.
"""

import re
import runpy
from pathlib import Path

import pytest

from billycan.starting import plugins

ROOT = Path(__file__).parents[1]
without = runpy.run_path(str(ROOT / "tests" / "without.py"))
ENABLED = re.compile(r'\bBILLYCAN_PLUGINS"?[\]:=, ]+"([\w,+-]+)"')
EVERYTHING = re.compile(r"\b(first_party|installed)\(\)")
COPES = re.compile(r"\babsent\(\)")


@pytest.fixture(scope="module")
def owners():
    """Map each path to its plugin, by the part after /v1/."""
    routes = [(name, route.path) for name in plugins.first_party() for route in plugins.read_manifest(name).routes]
    shortest_last = sorted(routes, key=lambda route: -len(route[1]))
    return {path.split("/")[2]: name for name, path in shortest_last if path.startswith("/v1/")}


def lacked(path, said, owners):
    """Return the plugins that a test uses without naming them: through a setting, or because all plugins are on."""
    needed = {name for names in ENABLED.findall(said) for name in re.findall(r"\w+", names)} & {*owners.values()}
    if EVERYTHING.search(said) and not COPES.search(said):
        needed |= {owners[called] for called in re.findall(r"(?:/v1/|\bapi\.)(\w+)", said) if called in owners}
    return needed and needed - set(re.findall(r'"(\w+)"', ENABLED.sub("", said))) - {path.parts[-3]}


def test_what_needs_a_plugin_says_so(owners):
    read, found = 0, []
    for path in without["files"](ROOT):
        imported = without["imported"](path)
        for name, said in without["tests"](path).items():
            read += 1
            if "mark.whole" not in said and (names := lacked(path, said, owners) - imported):
                found.append(f"{path.relative_to(ROOT)}::{name} needs {', '.join(sorted(names))}: mark it whole")
    assert read > 1_000 and not found, "\n".join(found)


@pytest.mark.parametrize(
    "said", ['make_app(*first_party()); client.get("/v1/services")', 'env = {"BILLYCAN_PLUGINS": "bookings"}']
)
def test_what_does_not_is_found(said):
    assert lacked(ROOT / "tests" / "test_a.py", said, {"services": "bookings"}) == {"bookings"}


def test_what_any_run_loads_imports_no_plugin_that_may_not_be_there():
    """Or no test could be collected at all: a conftest.py imports its own plugin at most, which requires no other."""
    for place in ("core", "plugins/*", "examples/*", "."):
        for path in ROOT.glob(f"{place}/tests/**/conftest.py"):
            for name in without["imported"](path):
                assert path.parts[-3] == name and not plugins.read_manifest(name).requires, path
