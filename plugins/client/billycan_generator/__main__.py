"""Write a typed client from an OpenAPI document.

It works for the document of any deployment, plugins of third parties included. In Python it is a package, in TypeScript
the modules beside the client's own.
"""

import argparse
import json
from pathlib import Path

from . import python, typescript


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m billycan_generator", description=__doc__.splitlines()[0])
    parser.add_argument(
        "document", type=argparse.FileType(encoding="utf-8"), help="an OpenAPI 3.1 document; - for standard input"
    )
    parser.add_argument("--into", type=Path, required=True, help="the folder to write, of a package if in Python")
    parser.add_argument("--typescript", action="store_true", help="write TypeScript instead of Python")
    given = parser.parse_args()
    write = typescript.modules if given.typescript else python.modules
    given.into.mkdir(parents=True, exist_ok=True)
    for name, source in write(json.load(given.document)).items():
        (given.into / name).write_text(source, "utf-8")
    if not given.typescript:
        (given.into / "__init__.py").touch()


if __name__ == "__main__":
    main()
