"""The running release: its version, and the commit that it was built from."""

import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path


def release_text() -> str:
    """Return the version, with the commit if it is known: `1.0.0 (5f0c2a9d1b7e)`."""
    made_from = commit()
    return version("billycan-core") + (f" ({made_from})" if made_from else "")


def commit() -> str | None:
    """Return the commit of this clone, with `-dirty` if files were changed, or that this wheel was built from."""
    here = Path(__file__)
    root = here.parents[3]
    if here.parent == root / "core" / "billycan" / "tools" and (root / ".git").exists():
        return _ask_git(root)
    written = here.with_name("commit")  # by deploy/wheels.sh
    return written.read_text("utf-8").strip() if written.exists() else None


def _ask_git(root: Path) -> str | None:
    git = shutil.which("git")
    if git is None:
        return None
    # Both are named, since a hook of another repository sets GIT_DIR; --exclude leaves tags out.
    place = [f"--git-dir={root / '.git'}", f"--work-tree={root}"]
    words = [git, *place, "describe", "--always", "--dirty", "--exclude=*", "--abbrev=12"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stdout.strip() or None
