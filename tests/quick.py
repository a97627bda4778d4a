"""Run the tests of what changed since the last commit, on SQLite alone: `make quick`.

A changed test file runs itself. A change to a plugin or an example runs its own tests. A change to a module of core
runs the tests of core that are named after it or import it, and one plugin's conformance tests. The tests of how files
look always run. `make test` runs everything.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
ALWAYS = ("tests/test_houses.py",)
OF_CORE = ("plugins/items/tests/test_conformance.py",)


def changed() -> list[str]:
    """List the files that differ from the last commit, and those that git does not know yet."""
    commands = ("git diff --name-only HEAD", "git ls-files --others --exclude-standard")
    return [name for command in commands for name in _run(command).splitlines() if (ROOT / name).exists()]


def tests_of(name: str) -> Iterator[str]:
    """Yield the tests of a changed file, as pytest takes them."""
    path = Path(name)
    if path.name.startswith("test_") and path.suffix == ".py":
        yield name
    elif (
        path.parts[0] in ("plugins", "examples")
        and (ROOT / (folder := f"{path.parts[0]}/{path.parts[1]}/tests")).exists()
    ):
        yield folder
    elif path.parts[:2] == ("core", "billycan") and path.suffix == ".py":
        yield from _of_module(path.stem if path.stem != "__init__" else path.parent.name)
        yield from OF_CORE


def _of_module(module: str) -> Iterator[str]:
    imports = re.compile(rf"^from billycan[\w.]*\b{module}\b|^from billycan[\w.]* import .*\b{module}\b", re.MULTILINE)
    for test in sorted((ROOT / "core/tests").glob("test_*.py")):
        if test.stem == f"test_{module}" or imports.search(test.read_text("utf-8")):
            yield str(test.relative_to(ROOT))


def _run(command: str) -> str:
    return subprocess.run(command.split(), cwd=ROOT, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    found = dict.fromkeys([*(test for name in changed() for test in tests_of(name)), *ALWAYS])
    print("make quick:", *found, flush=True)
    pytest = str(Path(sys.executable).with_name("pytest"))
    os.execv(pytest, [pytest, "-n", "2", "--dist", "worksteal", "-q", "--engine", "sqlite", *sys.argv[1:], *found])
