"""TypeScript types are built from the document, and a program that uses them passes `tsc --strict`."""

import fcntl
import json
import shutil
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "typescript"
NOT_TESTED = "the TypeScript types were NOT TESTED: "


def run(*command, **more):
    return subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, timeout=300, check=False, **more)


@pytest.fixture(scope="module")
def npm():
    """npm, with the locked packages in place; they are fetched once."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip(NOT_TESTED + "no node and npm here")
    installed, lock = FOLDER / "node_modules" / ".package-lock.json", FOLDER / "package-lock.json"
    with lock.open() as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)  # two test processes fetch once
        if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
            done = run(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
            if done.returncode:
                pytest.skip(NOT_TESTED + f"npm ci failed: {done.stderr[-300:]}")
    return npm


@pytest.mark.long
@pytest.mark.whole
def test_the_types_of_the_document_check_a_program_that_uses_them(npm, document, tmp_path):
    (tmp_path / "openapi.json").write_text(json.dumps(document), "utf-8")
    done = run(npm, "run", "-s", "types", "--", str(tmp_path / "openapi.json"), str(tmp_path / "billycan.d.ts"))
    assert done.returncode == 0, done.stderr
    for name in ("usage.ts", "tsconfig.json"):
        shutil.copy(FOLDER / name, tmp_path)
    checked = run(FOLDER / "node_modules" / ".bin" / "tsc", "--project", tmp_path)
    assert checked.returncode == 0, checked.stdout
    # And not because nothing is checked.
    (tmp_path / "usage.ts").write_text(
        (FOLDER / "usage.ts").read_text("utf-8").replace("amount_due", "amount_dew"), "utf-8"
    )
    wrong = run(FOLDER / "node_modules" / ".bin" / "tsc", "--project", tmp_path)
    assert "amount_dew" in wrong.stdout


def test_the_lock_names_hashes_and_no_place():
    packages = json.loads((FOLDER / "package-lock.json").read_text("utf-8"))["packages"]
    assert not [name for name, package in packages.items() if "resolved" in package]
    assert all("integrity" in package for name, package in packages.items() if name)
