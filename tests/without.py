"""Delete one plugin's folder after the other from a clone, and run the remaining tests.

`tests/without.py explorer users -- --engine sqlite` tries these plugins; without names, it tries every plugin.
Arguments after `--` go to pytest. The clone has the committed files; it is kept after a failure, and its path printed.

Tests that cannot depend on the folder are left out, unless `--all` comes first. A test may depend on it if it names the
plugin or one that requires it, or if LOOKS matches it: it looks at the installed plugins or their files. The text of a
test includes the fixtures, functions and constants it uses, from its file and from the conftest.py beside it. An app, a
command or a process has only the plugins that a test names, so any other plugin is off there, with or without its
folder.
"""

import ast
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
LOOKS = re.compile(r"""\b(absent|entry_points|examine|first_party|installed(?=\())\b|["'/]plugins["'/]|"\*/""")
IMPORTED = re.compile(r'^(?:from|import) billycan_(\w+)|^pytest\.importorskip\(\s*"billycan_(\w+)"', re.MULTILINE)
UV = (".venv/bin/uv", "pip")


def passes_without(clone: Path, plugin: str, options: list[str], *, everything: bool) -> bool:
    """Run the tests of a clone without one plugin, then put the plugin back; tell whether they pass."""
    folder, gone = f"plugins/{plugin}", requiring(clone, plugin)
    run(clone, *UV, "uninstall", "-q", "-p", ".venv", package(plugin))
    aside = clone.with_name(f"{clone.name}-{plugin}")
    (clone / folder).rename(aside)
    chosen = [f"{path.relative_to(clone)}::{name}" for path in files(clone) for name in may_depend(path, gone)]
    done = run(clone, ".venv/bin/pytest", "-q", *options, *([] if everything else chosen), check=False)
    aside.rename(clone / folder)
    run(clone, *UV, "install", "-q", "-p", ".venv", "--no-deps", "-e", folder)
    if done.returncode:
        print(f"{done.stdout}{done.stderr}")
    print(f"without {plugin}: {' '.join(done.stdout.splitlines()[-1:])}", flush=True)
    return not done.returncode


def run(clone: Path, *words: str, check: bool = True) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(words, cwd=clone, text=True, capture_output=True, check=check)


def package(plugin: str) -> str:
    return f"billycan-{plugin.replace('_', '-')}"


def requiring(clone: Path, plugin: str) -> set[str]:
    """Return the plugin and those that require it."""
    projects = {path.parent.name: tomllib.loads(path.read_text("utf-8")) for path in clone.glob("*/*/pyproject.toml")}
    requires = {name: " ".join(said["project"].get("dependencies", ())) for name, said in projects.items()}
    found = {plugin}
    while more := {name for name, said in requires.items() for one in found if f"{package(one)}>" in said} - found:
        found |= more
    return found


def may_depend(path: Path, gone: set[str]) -> list[str]:
    """List the tests of a file that may behave differently without these plugins."""
    if gone & imported(path):
        return []  # pytest does not collect it
    of_them = re.compile(rf"""(["'/,]|billycan[_-])({"|".join(sorted(gone))})\b""")
    return [name for name, said in tests(path).items() if LOOKS.search(said) or of_them.search(said)]


def files(root: Path) -> list[Path]:
    """List the files of tests that a run collects."""
    return [
        path for place in ("core", "plugins/*", "examples/*", ".") for path in root.glob(f"{place}/tests/**/test_*.py")
    ]


def imported(path: Path) -> set[str]:
    """Return the plugins without which pytest leaves a file out."""
    return {name for names in IMPORTED.findall(path.read_text("utf-8")) for name in names if name}


@cache
def tests(path: Path) -> dict[str, str]:
    """Map each test of a file to its text and the text of everything it uses, directly or through others."""
    beside = path.with_name("conftest.py")
    named = (pieces(beside) if beside.exists() else {}) | pieces(path)
    names = {name: named.keys() & re.findall(r"\w+", said) for name, said in named.items()}
    found = {}
    for test in (name for name in named if name.startswith(("test_", "Test"))):
        taken = new = {test, *(named.keys() & {"pytestmark"})}
        while new := set().union(*(names[one] for one in new)) - taken:
            taken = taken | new
        found[test] = "\n".join(named[one] for one in taken)
    return found


def pieces(path: Path) -> dict[str, str]:
    """Map each name that a module defines or imports to its text."""
    text, found = path.read_text("utf-8"), dict[str, str]()
    lines = text.splitlines()
    for node in ast.parse(text).body:
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        said = "\n".join(lines[first - 1 : node.end_lineno])
        imported = [alias.asname or alias.name for alias in getattr(node, "names", ())]
        names = [node.name] if hasattr(node, "name") else imported or re.findall(r"\w+", said.partition("=")[0])
        found.update(dict.fromkeys(names, said))
    return found


if __name__ == "__main__":
    given, options = sys.argv[1:], []
    if "--" in given:
        given, options = given[: given.index("--")], given[given.index("--") + 1 :]
    everything = given[:1] == ["--all"]
    clone = Path(tempfile.mkdtemp(prefix="without-"))
    run(clone, "git", "clone", "-q", str(HERE), ".")
    run(clone, "make", "-s", "setup")
    names = given[everything:] or sorted(path.name for path in HERE.glob("plugins/*/"))
    passed = [passes_without(clone, plugin, options, everything=everything) for plugin in names]
    if all(passed):
        shutil.rmtree(clone)
    else:
        print(f"something failed in {clone}")
    sys.exit(not all(passed))
