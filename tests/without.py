"""Delete one plugin's folder after the other from a fresh clone, and run what is left.

`tests/without.py explorer users -- -k sqlite` tries these; without names, each plugin has its turn. What is after `--`
goes to pytest. A clone has what is committed; one that fails is kept, and its place printed.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]


def passes_without(plugin: str, arguments: list[str]) -> bool:
    """Whether a clone without this plugin's folder can be set up, and passes its own tests."""
    clone = Path(tempfile.mkdtemp(prefix=f"without-{plugin}-"))
    for step in (
        ["git", "clone", "-q", str(HERE), "."],
        ["rm", "-r", f"plugins/{plugin}"],
        ["make", "-s", "setup"],
        [".venv/bin/pytest", "-q", "-n", "1", *arguments],
    ):
        done = subprocess.run(step, cwd=clone, text=True, capture_output=True, check=False)
        if done.returncode:
            print(f"without {plugin}: {step[0]} failed in {clone}\n{done.stdout}{done.stderr}", flush=True)
            return False
    print(f"without {plugin}: {done.stdout.splitlines()[-1]}", flush=True)
    shutil.rmtree(clone)
    return True


if __name__ == "__main__":
    given = sys.argv[1:]
    names, arguments = (given[: given.index("--")], given[given.index("--") + 1 :]) if "--" in given else (given, [])
    passed = [passes_without(plugin, arguments) for plugin in names or sorted(p.name for p in HERE.glob("plugins/*/"))]
    sys.exit(not all(passed))
