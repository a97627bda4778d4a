"""Private names of SQLAlchemy and the drivers are used in core/billycan/engines alone; docs/engines.md lists them."""

import ast
import inspect
import re
import sqlite3
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa
from psycopg import adapt, errors, generators, waiting
from sqlalchemy.sql.compiler import SQLCompiler

ROOT = Path(__file__).parents[1]
ROOM = ROOT / "core/billycan/engines"
PAGE = (ROOT / "docs/engines.md").read_text("utf-8")
LISTED = {name: re.findall(r"`(\w+)`", names) for name, names in re.findall(r"^\| `(\w+\.py)` \| (.+?) \|", PAGE, re.M)}
# Of webtest, as it happens.
ELSEWHERE = {"plugins/apps/billycan_apps/testing.py": {"_value"}}
# Of named tuples, SQLAlchemy's rows, and `os`.
DOCUMENTED = {"_asdict", "_exit", "_fields", "_make", "_mapping", "_replace"}
INNER_MODULES = {"psycopg.generators", "psycopg.waiting"}
_DEFINED = re.compile(r"(?:def |class |self\.|^\s*)(_[a-z]\w*)\b", re.M)
# Where each listed name is to be found.
HOMES = (
    *(sa.Connection, sa.Select, sa.Insert, sa.sql.elements.ClauseElement, SQLCompiler, psycopg.Connection),
    *(sa.sql.selectable.SelectState, psycopg, adapt.Transformer, adapt, errors, generators, waiting),
)


def theirs():
    """Return the private names that the two libraries and sqlite3 define."""
    folders = [Path(inspect.getfile(module)).parent for module in (sa, psycopg, sqlite3)]
    return {
        name
        for folder in folders
        for path in folder.rglob("*.py")
        for name in _DEFINED.findall(path.read_text("utf-8"))
    }


def own(tree):
    """Return the private names that a module defines itself."""
    found = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found |= {node.attr} if getattr(node.value, "id", "") == "self" else set()
    return found


def private_names(source, foreign):
    """Return the private names of others that a module uses."""
    if not {*re.findall(r"\w+", source)} & (foreign - DOCUMENTED | {"psycopg"}):
        return set()
    tree = ast.parse(source)
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            used |= {f"_{name.name}" for name in node.names if name.name in INNER_MODULES}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("sqlalchemy", "psycopg")):
            used |= {name.name for name in node.names}
            inner = {f"{node.module}.{name.name}" for name in node.names} | {node.module}
            used |= {f"_{name}" for name in inner & INNER_MODULES}
    foreign = foreign | {f"_{name}" for name in INNER_MODULES}
    return {name for name in used if name in foreign} - own(tree) - DOCUMENTED


@pytest.fixture(scope="module")
def foreign():
    return theirs()


def test_nothing_outside_of_the_room_uses_a_private_name(foreign):
    folders = [ROOT / "core/billycan", *ROOT.glob("plugins/*/billycan_*"), *ROOT.glob("examples/*/billycan_*")]
    files = [path for folder in folders for path in folder.rglob("*.py") if ROOM not in path.parents]
    found = {str(path.relative_to(ROOT)): private_names(path.read_text("utf-8"), foreign) for path in files}
    assert len(files) > 300 and {path: names for path, names in found.items() if names} == ELSEWHERE


@pytest.mark.parametrize(
    "source",
    [
        "db._execution_options = {}",
        "key = condition._generate_cache_key()",
        "from sqlalchemy.sql.elements import _truncated_label",
        "from psycopg import waiting",
        "from psycopg.generators import send",
        "import psycopg.waiting",
    ],
)
def test_each_way_to_use_one_is_seen(source, foreign):
    assert private_names(source, foreign)
    assert not private_names("def _execution_options(): ...\nself._mine = row._mapping, row._fields", foreign)


def test_the_page_lists_the_private_names_of_the_room(foreign):
    used = {path.name: private_names(path.read_text("utf-8"), foreign) for path in ROOM.glob("*.py")}
    used = {name: {n for n in names if "." not in n} for name, names in used.items()}
    assert {name for name, names in used.items() if names} <= LISTED.keys()
    for name, listed in LISTED.items():
        assert {n for n in listed if n.startswith("_")} == used[name], name
        source = (ROOM / name).read_text("utf-8")
        assert [n for n in listed if not re.search(rf"\b{n}\b", source)] == [], f"{name} has no use of these any more"


def test_the_installed_releases_have_each_listed_name():
    listed = {name for names in LISTED.values() for name in names}
    assert listed and [n for n in sorted(listed) if not any(_has(home, n) for home in HOMES)] == []


def _has(home, name):
    classes = [c for c in getattr(home, "__mro__", ()) if c is not object]
    declared = any(name in vars(c).get("__annotations__", ()) for c in classes)
    if home is psycopg.Connection and f"self.{name} = " in inspect.getsource(psycopg.connection):
        return True
    return declared or hasattr(home, name)
