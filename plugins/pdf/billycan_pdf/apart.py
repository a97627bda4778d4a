"""The separate process for a plugin's own template: it can be killed, and reads only files beside the template."""

import shutil
import sys
from pathlib import Path

from .rendering import compile_paper


def main(template: str, folder: str, fonts: str) -> None:
    """Write the PDF that a template makes of the Paper on standard input; `folder` may hold a logo."""
    path, root = Path(template), Path(folder) / "root"
    shutil.copytree(path.parent, root, ignore=shutil.ignore_patterns("__pycache__", "*.py"))
    if (logo := Path(folder) / "logo").exists():
        logo.rename(root / "logo")
    sys.stdout.buffer.write(compile_paper(path.read_bytes(), root, sys.stdin.buffer.read().decode(), fonts))


if __name__ == "__main__":
    main(*sys.argv[1:])
