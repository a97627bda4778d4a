"""Delete one plugin's folder after the other from a clone, and run what is left.

`tests/without.py explorer users -- --engine sqlite` tries these; without names, each plugin has its turn. What is after
`--` goes to pytest. The clone has what is committed; it is kept where something failed, and its place printed.

Tests that cannot depend on the folder are left out, unless `--all` comes first: those that neither name the plugin, nor
one that requires it, nor do what LOOKS finds, which is to look at what is installed or at the plugins' files. What a
test's fixtures, functions and constants say counts as its own, if they are in its file or in the conftest.py beside it.
An app, a command and a process have the plugins that a test names for them; so a plugin that is not named is off in all
of these, whether its folder is there or not.
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
    """Whether the tests of a clone pass while it has no such plugin; it is there again afterwards."""
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
    """The plugin and those that require it."""
    projects = {path.parent.name: tomllib.loads(path.read_text("utf-8")) for path in clone.glob("*/*/pyproject.toml")}
    requires = {name: " ".join(said["project"].get("dependencies", ())) for name, said in projects.items()}
    found = {plugin}
    while more := {name for name, said in requires.items() for one in found if f"{package(one)}>" in said} - found:
        found |= more
    return found


def may_depend(path: Path, gone: set[str]) -> list[str]:
    """The tests of a file that may do something else where these plugins are not there."""
    if gone & imported(path):
        return []  # pytest does not collect it
    of_them = re.compile(rf"""(["'/,]|billycan[_-])({"|".join(sorted(gone))})\b""")
    return [name for name, said in tests(path).items() if LOOKS.search(said) or of_them.search(said)]


def files(root: Path) -> list[Path]:
    """The files of tests that a run collects."""
    return [
        path for place in ("core", "plugins/*", "examples/*", ".") for path in root.glob(f"{place}/tests/**/test_*.py")
    ]


def imported(path: Path) -> set[str]:
    """The plugins without which pytest leaves a file out."""
    return {name for names in IMPORTED.findall(path.read_text("utf-8")) for name in names if name}


@cache
def tests(path: Path) -> dict[str, str]:
    """Each test of a file: its text, with that of all it names, as functions, fixtures and constants do in turn."""
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
    """The text of what a module defines or imports, by name."""
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
