"""The section "Install" of docs/deploy.md, carried out: build the wheels and serve from them alone."""

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from billycan.testing.fixtures import SECRET

ROOT = Path(__file__).parents[1]
LEFT_OUT = shutil.ignore_patterns(".*", "node_modules", "__pycache__", "dist", "site", "var")

pytestmark = pytest.mark.long


def run(command, folder, **environ):
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("BILLYCAN_", "PYTHON"))}
    done = subprocess.run(
        ["sh", "-euc", command], cwd=folder, env=kept | environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_what_is_installed_as_documented_serves(tmp_path):
    text = (ROOT / "docs" / "deploy.md").read_text("utf-8").partition("\n## Install\n")[2].partition("\n## ")[0]
    make, install = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    assert make == "make wheels\n"
    clone, here = tmp_path / "clone", tmp_path / "opt"
    shutil.copytree(ROOT, clone, ignore=LEFT_OUT)
    as_somebody = "-c user.name=A -c user.email=a@example.com"
    run(f"git init -q && git add core/pyproject.toml && git {as_somebody} commit -q -m first", clone)
    commit = run("git rev-parse --short=12 HEAD", clone)
    run(f"make wheels PYTHON={sys.executable}", clone, PYTHON=sys.executable)
    here.mkdir()
    # As it stands there, but for the user and the folder, which only root may make.
    said = install.replace("/opt/billycan", str(here)).replace("python3 ", f"{sys.executable} ")
    made = re.sub(r"(?m)^adduser .*\n", "", said)
    assert made != said
    run(made, clone, PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_CONFIG_FILE=os.devnull)
    shutil.rmtree(clone)

    given = {
        "BILLYCAN_SECRET": SECRET,
        "BILLYCAN_DATABASE": f"sqlite:///{tmp_path}/here.db",
        "BILLYCAN_SHARED_FOLDER": str(tmp_path / "shared"),
        "BILLYCAN_CONFIG": os.devnull,
    }
    where = run(".venv/bin/python -c 'import billycan; print(billycan.__file__)'", here)
    assert Path(where.strip()).is_relative_to(here)
    assert run(".venv/bin/billycan --version", here) == f"{version('billycan-core')} ({commit.strip()})\n"
    run(".venv/bin/billycan migrate", here, **given)
    # Loads the application, as each of its workers does, and ends.
    run(".venv/bin/gunicorn --check-config -c deploy/gunicorn.conf.py deploy.wsgi:application", here, **given)
