"""Write the configuration of import-linter: the contracts of pyproject.toml, with the names of plugins and public
modules.

So pyproject.toml names a new plugin only where it adds information: on its floor, in the first contract. This script
fails if it is missing there.
"""

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def main() -> None:
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    plugins = sorted(path.parent.name for path in ROOT.glob("*/*/billycan_*/plugin.py"))
    page = (ROOT / "docs" / "versions.md").read_text("utf-8")
    public = re.findall(r"^\| `(billycan\.[.\w]+)` \|", page, re.MULTILINE)
    contracts = linter.pop("contracts")
    on_floors = {name for floor in contracts[0]["layers"] for name in floor.split(" | ")}
    if missing := [name for name in plugins if name not in on_floors]:
        sys.exit(f"{', '.join(missing)}: on no floor. Name it in the layers of the first contract in pyproject.toml.")
    names = {"<plugin>": plugins, "<public>": public}
    written = ["[tool.importlinter]", *lines(linter, names)]
    for contract in contracts:
        written += ["", "[[tool.importlinter.contracts]]", *lines(contract, names)]
    sys.stdout.write("\n".join([*written, ""]))


def lines(table: dict[str, Any], names: dict[str, list[str]]) -> list[str]:
    """Write a table as TOML; its strings, lists of strings and booleans look the same in JSON."""
    return [f"{key} = {json.dumps(filled(value, names))}" for key, value in table.items()]


def filled(value: Any, names: dict[str, list[str]]) -> Any:
    """Repeat each list entry that contains a mark, once for each name of that mark."""
    for mark, each in names.items():
        if isinstance(value, list):
            value = [entry.replace(mark, name) for entry in value for name in (each if mark in entry else [""])]
    return value


if __name__ == "__main__":
    main()
