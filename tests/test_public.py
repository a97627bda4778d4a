"""The public API is exactly the list in docs/versions.md: plugins import nothing else of core."""

import ast
import importlib.util
import inspect
import re
import subprocess
import sys
import textwrap
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest

from billycan import App, Manifest
from billycan.starting import packages

pytestmark = pytest.mark.either

ROOT = Path(__file__).parents[1]
DOCUMENTED = {
    module: re.findall(r"`(\w+)`", names)
    for module, names in re.findall(
        r"^\| `(billycan[.\w]*)` \|.*\| (.*) \|$", (ROOT / "docs" / "versions.md").read_text("utf-8"), re.MULTILINE
    )
}
MOST_NAMES = 100
# Names that fewer than two of our plugins use, each with the need of somebody else's plugin.
NEEDS = {
    "Importer": "a plugin that makes records of rows has one",
    "Limit": "the hook rate_limit gets them",
    "Recorder": "the test that records a plugin's examples",
    "Rule": "a type of member whose values are read in a way of their own",
    "Zone": "a member that is a time zone",
    "upgrade_to": "the test of a migration",
}
SOURCES = [
    *ROOT.glob("plugins/*/billycan_*/**/*.py"),
    *ROOT.glob("examples/**/*.py"),
    *ROOT.glob("core/billycan/tools/template/**/*.py.txt"),
]
PAGES = [*ROOT.glob("docs/*.md"), *ROOT.glob("*/*/README.md")]


def test_each_public_module_has_the_names_that_are_documented():
    assert len(DOCUMENTED) == 11
    for module, names in DOCUMENTED.items():
        found = importlib.import_module(module)
        assert names == list(found.__all__), module
        assert all(hasattr(found, name) for name in names)


def test_no_name_is_public_twice_and_there_are_no_more_than_there_were():
    names = [name for each in DOCUMENTED.values() for name in each]
    assert len(names) == len(set(names))
    assert len(names) <= MOST_NAMES, "a new public name needs one that can leave, or a reason to raise this"


@pytest.mark.whole
def test_each_name_is_for_two_plugins_or_for_a_stated_need():
    """Check that no name is public which one plugin alone uses."""
    users: dict[str, set[str]] = {}
    for path in [*SOURCES, *ROOT.glob("plugins/*/tests/**/*.py"), *ROOT.glob("examples/*/tests/**/*.py")]:
        for module, name in imports(path.read_text("utf-8")):
            if module == "billycan.testing" or "tests" not in path.parts:
                users.setdefault(name, set()).add(path.relative_to(ROOT).parts[1])
    few = {name for names in DOCUMENTED.values() for name in names if len(users.get(name, ())) < 2}
    assert few == NEEDS.keys()
    told = "".join(page.read_text("utf-8") for page in PAGES if page.name != "versions.md")
    assert {name for name in few if f"`{name}" not in told} == set()


def test_plugins_and_documents_import_public_names_only():
    imported = [(path.relative_to(ROOT), *found) for path in SOURCES for found in imports(path.read_text("utf-8"))]
    for page in PAGES:
        blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
        imported += [(page.relative_to(ROOT), *found) for block in blocks for found in imports(block)]
    assert len(imported) > 100
    private = {
        f"{path}: {module}.{name}"
        for path, module, name in imported
        if name not in DOCUMENTED.get(module, ()) and f"{module}.{name}" not in DOCUMENTED
    }
    # The way a later core deprecates a hook.
    assert private <= {"docs/versions.md: billycan.hookspecs.hookspec"}


@pytest.mark.whole
def test_what_nobody_uses_is_not_public():
    """A name that no plugin uses and no document explains is a promise for nothing."""
    code = "".join(path.read_text("utf-8") for path in [*SOURCES, *ROOT.glob("*/*/tests/*.py")])
    told = code + "".join(page.read_text("utf-8") for page in PAGES if page.name != "versions.md")
    unused = {name for names in DOCUMENTED.values() for name in names if not re.search(rf"\b{name}\b", told)}
    assert not unused


def test_a_manifest_has_few_members_and_each_is_for_several_plugins():
    manifests = [entry.load().manifest for entry in packages.installed().values() if entry.dist]
    plain = Manifest(name="plain")
    uses = {
        member: [m.name for m in manifests if getattr(m, member) != getattr(plain, member)]
        for member in Manifest.__struct_fields__
    }
    assert len(uses) <= 20
    assert {member: names for member, names in uses.items() if len(names) < 2} == {}


def test_each_offer_that_a_plugin_makes_is_told_of():
    manifests = [entry.load().manifest for entry in packages.installed().values() if entry.dist]
    made = {type(offer).__name__ for manifest in manifests for offer in manifest.offers}
    section = (
        (ROOT / "docs" / "plugin-topics.md").read_text("utf-8").partition("\n## Offers\n")[2].partition("\n## ")[0]
    )
    assert set(re.findall(r"^\| .*?`(?:[\w.]+\.)?(\w+)`", section, re.MULTILINE)) == made


@cache
def imports(source: str) -> list[tuple[str, str]]:
    """List the module and name of everything that a source imports from core."""
    found: list[tuple[str, str]] = []
    for node in ast.walk(ast.parse(textwrap.dedent(source))) if re.search(r"\bbillycan\b", source) else ():
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "billycan":
            found += [(node.module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [("billycan", a.name) for a in node.names if a.name.partition(".")[0] == "billycan"]
    return found


def test_a_name_that_is_not_there_is_told_as_python_does():
    with pytest.raises(ImportError, match="cannot import name 'Recods'"):
        exec("from billycan import Recods")
    assert not hasattr(importlib.import_module("billycan"), "Recods")


def loaded(code: str, **environ: str) -> set[str]:
    """Return the modules that a fresh Python has loaded after running some code."""
    script = f"{code}\nimport sys\nprint(*sys.modules, file=sys.stderr)"
    run = [sys.executable, "-c", script]
    given = {"BILLYCAN_CONFIG": "/dev/null", **environ}
    done = subprocess.run(run, capture_output=True, text=True, check=True, env=given)
    return set(done.stderr.split())


def test_importing_billycan_loads_next_to_nothing():
    found = loaded("import billycan")
    assert {name for name in found if name.startswith("billycan")} == {"billycan"}
    assert not found & {"msgspec", "sqlalchemy", "falcon"}


@pytest.mark.whole
def test_who_serves_loads_nothing_of_who_migrates_or_delivers(tmp_path):
    """These were a third of the memory of a web process, and two fifths of its start."""
    imports = "import os; from billycan.app import App; from billycan.starting import settings"
    code = f"{imports}; App(settings.load_settings(os.environ))"
    found = loaded(code, BILLYCAN_DATABASE=f"sqlite:///{tmp_path}/x.db", BILLYCAN_SECRET="x" * 40)
    assert "billycan_webhooks.plugin" in found
    assert not found & {"alembic", "huey", "redis", "httpcore", "psycopg"}


def test_the_reference_is_what_its_script_writes():
    """It has every public name with its signature and docstring, and fails for one that has none."""
    path = ROOT / "docs" / "site" / "reference.py"
    script = importlib.util.module_from_spec(importlib.util.spec_from_file_location("billycan_reference", path))
    script.__spec__.loader.exec_module(script)
    assert script.write() == (ROOT / "docs" / "reference.md").read_text("utf-8"), "run make fix"
    headings = re.findall(r"^#+ `([\w.]+)`$", script.write(), re.MULTILINE)
    assert {*DOCUMENTED, "Manifest", "Records", "Paper.Party"} <= {*headings}
    with pytest.raises(SystemExit, match=r"needs a docstring of Thing\.member"):
        script.section(
            "Thing", script.Found(ast.parse(SAID_NOTHING).body[0], "A thing.", SimpleNamespace(Thing=object))
        )


SAID_NOTHING = """
class Thing:
    def member(self):
        pass
"""


def test_what_the_reference_says_of_an_app_is_there(make_app):
    app = make_app("contacts")
    entries = re.findall(r"^(\w+(?:, \w+)*): ", inspect.getdoc(App), re.MULTILINE)
    assert len(entries) > 10
    assert all(hasattr(app, name) for names in entries for name in names.split(", "))
