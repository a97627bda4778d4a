"""Delete one plugin's folder after the other from a clone, and run what is left.

`tests/without.py explorer users -- --engine sqlite` tries these; without names, each plugin has its turn. What is after
`--` goes to pytest. The clone has what is committed; it is kept where something failed, and its place printed.

Files of tests that cannot depend on the folder are left out, unless `--all` comes first: those that, with the
conftest.py beside them, neither name the plugin or one that requires it, nor do what LOOKS finds: look at what is
installed, read the repository, run a command or a process. A plugin's test_conformance.py is left out where nothing in
its plugin's folder names them.
"""

import ast
import re
import shutil
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
LOOKS = re.compile(r"""\b(absent|entry_points|examine|first_party|glob|installed(?=\())\b|["'/]plugins["'/]""")
UV = (".venv/bin/uv", "pip")


def passes_without(clone: Path, plugin: str, options: list[str], *, everything: bool) -> bool:
    """Whether the tests of a clone pass while it has no such plugin; it is there again afterwards."""
    folder, started = f"plugins/{plugin}", time.monotonic()
    gone = requiring(clone, plugin)
    run(clone, *UV, "uninstall", "-q", "-p", ".venv", package(plugin))
    shutil.rmtree(clone / folder)
    tests = [path for place in ("core", "plugins/*", "examples/*", ".") for path in clone.glob(f"{place}/tests/**/test_*.py")]
    chosen = [f"{path.relative_to(clone)}::{name}" for path in tests for name in may_depend(path, gone)]
    done = run(clone, ".venv/bin/pytest", "-q", *options, *([] if everything else chosen), check=False)
    run(clone, "git", "checkout", "-q", folder)
    run(clone, *UV, "install", "-q", "-p", ".venv", "--no-deps", "-e", folder)
    if done.returncode:
        print(f"{done.stdout}{done.stderr}")
    of = f"{len(chosen)} of {len(tests)} files in {time.monotonic() - started:.0f} s"
    print(f"without {plugin}: {done.stdout.rstrip().splitlines()[-1]}, {of}", flush=True)
    return not done.returncode


def run(clone: Path, *words: str, check: bool = True) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(words, cwd=clone, text=True, capture_output=True, check=check)


def package(plugin: str) -> str:
    return f"billycan-{plugin.replace('_', '-')}"


def requiring(clone: Path, plugin: str) -> set[str]:
    """The plugin and those that require it."""
    projects = {path.parent.name: path.read_text() for path in clone.glob("*/*/pyproject.toml")}
    found = {plugin}
    while more := {name for name, said in projects.items() for n in found if f'"{package(n)}>' in said} - found:
        found |= more
    return found


def may_depend(path: Path, gone: set[str]) -> list[str]:
    """The tests of a file that may do something else where these plugins are not there."""
    if gone & set(re.findall(r"^(?:from|import) billycan_(\w+)", path.read_text(), re.MULTILINE)):
        return []  # pytest does not collect it
    beside = path.with_name("conftest.py")
    named = pieces(path) | (pieces(beside) if beside.exists() else {})
    whole = path.parents[1] if path.name == "test_conformance.py" and "core" not in path.parts else None
    house = "".join(other.read_text() for other in whole.rglob("*.py")) if whole else ""
    of_them = re.compile(rf"""(["'/,]|billycan[_-])({"|".join(sorted(gone))})\b""")
    return [
        name
        for name in named
        if name.startswith(("test_", "Test"))
        and (LOOKS.search(said := taken(name, named)) or of_them.search(said + house))
    ]


@cache
def pieces(path: Path) -> dict[str, str]:
    """The text of what a module defines or imports, by name."""
    text, found = path.read_text(), dict[str, str]()
    lines = text.splitlines()
    for node in ast.parse(text).body:
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        said = "\n".join(lines[first - 1 : node.end_lineno])
        imported = [alias.asname or alias.name for alias in getattr(node, "names", ())]
        names = [node.name] if hasattr(node, "name") else imported or re.findall(r"\w+", said.partition("=")[0])
        found.update(dict.fromkeys(names, said))
    return found


def taken(name: str, named: dict[str, str]) -> str:
    """The text of a test and of all that it names, as functions, fixtures and constants do in turn."""
    found, new = set[str](), {name}
    while new:
        found |= new
        new = {word for one in new for word in re.findall(r"\w+", named[one]) if word in named} - found
    return "\n".join(named[one] for one in found)


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
