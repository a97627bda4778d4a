"""All packages have one version, the changelog lists it, and `billycan --version` names its commit."""

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from billycan.tools import release

ROOT = Path(__file__).parents[1]
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)(?: \(\d{4}-\d\d-\d\d\))?")


def test_all_packages_have_the_version_on_top_of_the_changelog():
    projects = [ROOT / "pyproject.toml", ROOT / "core" / "pyproject.toml", *ROOT.glob("plugins/*/pyproject.toml")]
    versions = {tomllib.loads(path.read_text("utf-8"))["project"]["version"] for path in projects}
    first, *headings = HEADING.findall((ROOT / "docs" / "changelog.md").read_text("utf-8"))
    found = [VERSION.fullmatch(heading) for heading in headings]
    assert first == "Unreleased" and all(found), headings
    numbers = [tuple(map(int, match.groups())) for match in found]
    assert numbers == sorted(numbers, reverse=True)
    assert versions == {".".join(map(str, numbers[0]))}
    # Only the newest may wait for its day.
    assert all(heading.endswith(")") for heading in headings[1:])


def test_a_release_sets_all_versions_and_keeps_the_surface(tmp_path):
    copied = ("Makefile", "pyproject.toml", "core/pyproject.toml", "plugins/items/pyproject.toml", "docs/openapi.json")
    packages = [path.relative_to(ROOT) for path in ROOT.glob("plugins/client/typescript/package*.json")]
    for name in (*copied, *packages):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    make = ["make", "-s", "release"]
    refused = subprocess.run(make, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert refused.returncode and "VERSION=" in refused.stderr
    subprocess.run([*make, "VERSION=1.1.0"], cwd=tmp_path, check=True)
    for project in tmp_path.rglob("pyproject.toml"):
        before = (ROOT / project.relative_to(tmp_path)).read_text("utf-8")
        after = project.read_text("utf-8")
        assert after != before and after == re.sub(r'(?m)^version = ".*"$', 'version = "1.1.0"', before)
    for name in packages:  # where the client is
        before, after = ((folder / name).read_text("utf-8") for folder in (ROOT, tmp_path))
        own = json.loads(after)
        assert own["version"] == own.get("packages", {"": own})[""]["version"] == "1.1.0"
        assert after == before.replace(f'"version": "{json.loads(before)["version"]}"', '"version": "1.1.0"')
    kept = tmp_path / "docs" / "released" / "openapi-1.1.0.json"
    assert kept.read_bytes() == (ROOT / "docs" / "openapi.json").read_bytes()


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """Make a clone with a commit and the command."""
    if shutil.which("git") is None:
        pytest.skip("The commit was NOT TESTED: there is no git here")
    file = tmp_path / "core" / "billycan" / "tools" / "release.py"
    file.parent.mkdir(parents=True)
    file.touch()
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "-m", "first")
    monkeypatch.setattr(release, "__file__", str(file))
    return tmp_path


def git(folder, *words):
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_clone_asks_git(clone, monkeypatch):
    head = git(clone, "rev-parse", "HEAD")
    assert release.commit() == head[:12]
    monkeypatch.setenv("GIT_DIR", str(clone / "elsewhere"))  # as in a hook of another repository
    assert release.commit() == head[:12]
    monkeypatch.delenv("GIT_DIR")
    git(clone, "tag", "1.0.0")
    assert release.commit() == head[:12]
    (clone / "core" / "billycan" / "tools" / "release.py").write_text("changed = True\n", "utf-8")
    assert release.commit() == head[:12] + "-dirty"


def test_a_wheel_says_what_was_written_into_it(tmp_path, monkeypatch):
    installed = tmp_path / "lib" / "site-packages" / "billycan" / "tools"
    installed.mkdir(parents=True)
    monkeypatch.setattr(release, "__file__", str(installed / "release.py"))
    assert release.commit() is None
    (installed / "commit").write_text("5f0c2a9d1b7e\n", "utf-8")
    assert release.commit() == "5f0c2a9d1b7e"


def test_without_git_nobody_knows(clone, monkeypatch):
    monkeypatch.setenv("PATH", str(clone))
    assert release.commit() is None


def test_a_folder_that_git_refuses_has_no_commit(clone):
    (clone / ".git" / "HEAD").unlink()
    assert release.commit() is None
