"""Each contract between packages in pyproject.toml catches an import that breaks it, and a new plugin needs a floor."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
# For each contract, by the beginning of its name, a module and an import that it must not have.
BREACHES = {
    "A plugin imports only those it requires": ("billycan_items/resource.py", "billycan_invoices.api"),
    "A plugin imports nothing of another": ("billycan_invoices/rules.py", "billycan_contacts.resource"),
    "A plugin imports public modules": ("billycan_staff/handlers.py", "billycan.context"),
    "The rooms beside the one": ("billycan/testing/racing.py", "billycan.tools.cli"),
    "What answers requests, and what describes it": ("billycan/working/worker.py", "billycan.hosting.workers"),
    "What answers requests is built in these layers": ("billycan/fields.py", "billycan.records"),
    "In invoices, notes stand on": ("billycan_invoices/books/sums.py", "billycan_invoices.payments.records"),
    "In the dashboard": ("billycan_dashboard/resources/kinds.py", "billycan_dashboard.business.overview"),
    "The client is installed alone": ("billycan_client/errors.py", "billycan.fields"),
}


def contracts(root: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, root / "deploy" / "contracts.py"]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


def test_each_contract_catches_what_breaks_it(tmp_path):
    for package in [ROOT / "core" / "billycan", *ROOT.glob("*/*/billycan_*/")]:
        shutil.copytree(package, tmp_path / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    for path, module in BREACHES.values():
        with (tmp_path / path).open("a", encoding="utf-8") as file:
            file.write(f"import {module}\n")
    config = contracts(ROOT).stdout
    (tmp_path / "contracts.toml").write_text(config, "utf-8")
    linter = Path(sys.executable).with_name("lint-imports")
    found = subprocess.run(
        [linter, "--no-logo", "--no-cache", "--config", "contracts.toml"],
        capture_output=True,
        check=False,
        cwd=tmp_path,
        encoding="utf-8",
        env=os.environ | {"PYTHONPATH": str(tmp_path), "COLUMNS": "300"},
    )
    named = re.findall(r'^name = "(.+)"$', config, re.MULTILINE)
    uncaught = [name for name in named if not name.startswith(tuple(BREACHES))]
    assert not uncaught and len(named) == len(BREACHES), f"for these nothing says what breaks them: {uncaught}"
    assert re.findall(r"^(.+) BROKEN", found.stdout, re.MULTILINE) == named, found.stdout + found.stderr
    for path, module in BREACHES.values():
        importer = path.removesuffix(".py").replace("/", ".")
        assert f"{importer} -> {module}" in found.stdout


def test_a_plugin_on_no_floor_is_refused(tmp_path):
    for path in ("pyproject.toml", "deploy/contracts.py", "docs/versions.md"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    (tmp_path / "plugins/boats/billycan_boats").mkdir(parents=True)
    (tmp_path / "plugins/boats/billycan_boats/plugin.py").touch()
    refused = contracts(tmp_path)
    assert refused.returncode
    assert refused.stderr.startswith("billycan_boats: on no floor.")
