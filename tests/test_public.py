"""The public API is what docs/versions.md lists: every plugin imports that and nothing else of core."""

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTED = {
    module: re.findall(r"`(\w+)`", names)
    for module, names in re.findall(
        r"^\| `(billycan[.\w]*)` \|.*\| (.*) \|$", (ROOT / "docs" / "versions.md").read_text(), re.MULTILINE
    )
}
SOURCES = [
    *ROOT.glob("plugins/*/billycan_*/**/*.py"),
    *ROOT.glob("examples/**/*.py"),
    *ROOT.glob("core/billycan/tools/template/**/*.py.txt"),
]
PAGES = [*ROOT.glob("docs/*.md"), *ROOT.glob("*/*/README.md")]


def test_each_public_module_has_the_names_that_are_documented():
    assert len(DOCUMENTED) == 8
    for module, names in DOCUMENTED.items():
        found = importlib.import_module(module)
        assert names == list(found.__all__), module
        assert all(hasattr(found, name) for name in names)


def test_no_name_is_public_twice():
    names = [name for each in DOCUMENTED.values() for name in each]
    assert len(names) == len(set(names))


def test_plugins_and_documents_import_public_names_only():
    imported = [(path.relative_to(ROOT), *found) for path in SOURCES for found in imports(path.read_text())]
    for page in PAGES:
        blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
        imported += [(page.relative_to(ROOT), *found) for block in blocks for found in imports(block)]
    assert len(imported) > 500
    private = {
        f"{path}: {module}.{name}"
        for path, module, name in imported
        if name not in DOCUMENTED.get(module, ()) and f"{module}.{name}" not in DOCUMENTED
    }
    # How a later core deprecates a hook.
    assert private <= {"docs/versions.md: billycan.hookspecs.hookspec"}


def test_what_nobody_uses_is_not_public():
    """A name that no plugin uses and no document explains is a promise for nothing."""
    code = "".join(path.read_text() for path in [*SOURCES, *ROOT.glob("*/*/tests/*.py")])
    told = code + "".join(page.read_text() for page in PAGES if page.name != "versions.md")
    unused = {name for names in DOCUMENTED.values() for name in names if not re.search(rf"\b{name}\b", told)}
    assert not unused


def imports(source: str) -> Iterator[tuple[str, str]]:
    """Module and name of everything that a source imports from core."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "billycan":
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (("billycan", a.name) for a in node.names if a.name.partition(".")[0] == "billycan")


def test_a_name_that_is_not_there_is_told_as_python_does():
    with pytest.raises(ImportError, match="cannot import name 'Recods'"):
        exec("from billycan import Recods")
    assert not hasattr(importlib.import_module("billycan"), "Recods")


# What is loaded -------------------------------------------------------------------------------------------------------


def loaded(code: str, **environ: str) -> set[str]:
    """The modules that a fresh Python has loaded after some code."""
    script = f"{code}\nimport sys\nprint(*sys.modules, file=sys.stderr)"
    run = [sys.executable, "-c", script]
    done = subprocess.run(run, capture_output=True, text=True, check=True, env={"BILLYCAN_CONFIG": "/dev/null"})
    return set(done.stderr.split())


def test_importing_billycan_loads_next_to_nothing():
    found = loaded("import billycan")
    assert {name for name in found if name.startswith("billycan")} == {"billycan"}
    assert not found & {"msgspec", "sqlalchemy", "falcon"}
