"""Each plugin's house looks like the next: its files begin with the same words, and manifests have one order.

What a process may not do at all is looked for here, too.
"""

import ast
import re
from pathlib import Path

import pytest

from billycan import Manifest

ROOT = Path(__file__).parents[1]
HOUSES = sorted(path.parent for path in ROOT.glob("*/*/*/plugin.py"))
BEGINNINGS = {
    "api.py": "for other plugins",
    "commands.py": "The command `billycan ",
    "demo.py": "Sample ",
    "documents.py": "as stored and as shown",
    "handlers.py": "one function for each route",
    "neighbours.py": "when something happens in other plugins",
    "pages.py": "The page",
    "records.py": "as stored and as shown",
    "resource.py": "declared once: what is sent, shown, filtered, sorted, searched and stored",
    "rules.py": "pure functions",
    "schemas.py": "Structs that clients send and receive",
    "settings.py": "Settings of ",
    "tables.py": "The table",
}


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("house", HOUSES, ids=named)
def test_files_of_one_name_say_the_same_of_themselves(house):
    for path in sorted(house.rglob("*.py")):
        words = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        assert words or path.name == "__init__.py", f"{named(path)} does not say what it is for"
        assert BEGINNINGS.get(path.name, "") in words, f"{named(path)}: {BEGINNINGS[path.name]}"
        if "_0001_" in path.name:
            assert words.startswith("Create "), named(path)


@pytest.mark.parametrize("house", HOUSES, ids=named)
def test_manifests_have_one_order(house):
    calls = [n for n in ast.walk(ast.parse((house / "plugin.py").read_text("utf-8"))) if isinstance(n, ast.Call)]
    (manifest,) = (call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Manifest")
    given = [keyword.arg for keyword in manifest.keywords]
    assert given == sorted(given, key=Manifest.__struct_fields__.index)


@pytest.mark.parametrize("house", HOUSES, ids=named)
def test_what_every_plugin_keeps_is_tested(house):
    tests = house.parent / "tests"
    assert "(PluginConformance)" in (tests / "test_conformance.py").read_text("utf-8")
    for path in tests.glob("test_*.py"):
        assert path.name == "test_conformance.py" or ast.get_docstring(ast.parse(path.read_text("utf-8"))), named(path)


OF_COLUMNS = "kind.python_type"  # Python's own
PLAIN = {"date", "datetime", "dict", "int", "list", "str", "tuple"}
AT_START = ("starting", "describe", "testing", "tools")  # before there are two threads


def arguments(tree, function, place):
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == function)
    return {ast.unparse(call.args[place]): call.args[place] for call in calls if len(call.args) > place}


def test_msgspec_knows_each_struct_before_two_threads_need_it_at_once():
    """It crashes the process otherwise: whatever is converted is made known by a Decoder in the same module."""
    found = 0
    for path in (*ROOT.glob("core/billycan/**/*.py"), *ROOT.glob("plugins/*/billycan_*/**/*.py")):
        source = path.read_text("utf-8")
        if "msgspec.convert" in source and not {*AT_START} & {*path.parts}:
            tree = ast.parse(source)
            known = arguments(tree, "msgspec.json.Decoder", 0)
            for kind, node in arguments(tree, "msgspec.convert", 1).items():
                names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
                assert names <= PLAIN or kind == OF_COLUMNS or kind in known, (
                    f"{named(path)} first needs {kind} in a request"
                )
                found += not names <= PLAIN
    assert found > 4


def test_no_text_is_read_or_written_as_the_machine_is_set():
    """Not every machine defaults to UTF-8; ruff's rule covers few of these calls and is still in preview."""
    found = 0
    folders = [ROOT / name for name in ("core", "plugins", "tests", "examples", "docs", "deploy")]
    files = [file for folder in folders for file in folder.rglob("*.py") if "node_modules" not in file.parts]
    for file in (ROOT / "conftest.py", *files):
        source = file.read_text("utf-8")
        calls = (n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Call)) if "_text(" in source else ()
        for call in calls:
            if isinstance(call.func, ast.Attribute) and call.func.attr in ("read_text", "write_text"):
                said = {ast.unparse(value) for value in (*call.args, *(k.value for k in call.keywords))}
                assert "'utf-8'" in said, f"{named(file)}: {ast.unparse(call)} does not say utf-8"
                found += 1
    assert found > 100


def test_what_the_makefile_runs_is_there():
    run = re.findall(
        r"(?:python|pytest|sh) (?:-\S+ )*(?:--engine sqlite )?([\w/]+\.\w+)", (ROOT / "Makefile").read_text("utf-8")
    )
    assert len(run) > 8
    assert not [path for path in run if not (ROOT / path).is_file()]
