"""The process in which a plugin's own template runs: it can be ended, and reads what lies beside the template."""

import shutil
import sys
from pathlib import Path

from .rendering import compiled


def main(template: str, folder: str, fonts: str) -> None:
    """Write the PDF that a template makes of the Paper on standard input; `folder` holds the logo if there is one."""
    path, root = Path(template), Path(folder) / "root"
    shutil.copytree(path.parent, root, ignore=shutil.ignore_patterns("__pycache__", "*.py"))
    if (logo := Path(folder) / "logo").exists():
        logo.rename(root / "logo")
    sys.stdout.buffer.write(compiled(path.read_bytes(), root, sys.stdin.buffer.read().decode(), fonts))


if __name__ == "__main__":
    main(*sys.argv[1:])
