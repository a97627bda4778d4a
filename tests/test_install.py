"""The section "Install" of docs/deploy.md, carried out: build the wheels and serve from them alone."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

from billycan.testing import throwaway
from billycan.testing.fixtures import SECRET

ROOT = Path(__file__).parents[1]
IMAGE = (ROOT / "deploy" / "Containerfile").read_text("utf-8")
READ_ONLY = 'mount --bind "$0" "$0"; mount -o remount,ro,bind "$0"; cd "$0"; exec "$@"'
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
    if sys.version_info[:2] == (3, 11):
        assert [*(clone / "dist").glob("async_timeout-*")], "Debian 12's 3.11.2 needs it, and 3.11.3 does not"
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

    # The image has what was just installed, and runs it: the folder is read-only there, and so it is here.
    (steps,) = re.findall(r"^RUN (python3 .*) && rm -r dist$", IMAGE, re.MULTILINE)
    assert steps.replace(" && ", "\n") in install
    (probe,), (command,) = (
        re.findall(rf"^{name}(.*)$", IMAGE, re.MULTILINE) for name in ("HEALTHCHECK .* CMD ", "CMD ")
    )
    with throwaway.hold_port() as held:
        port = str(held.getsockname()[1])
        environ = {"PATH": os.environ["PATH"], **given, "BILLYCAN_BIND": f"127.0.0.1:{port}"}
        locked = ["unshare", "--mount", "sh", "-euc", READ_ONLY, str(here), *json.loads(command)]
        server = subprocess.Popen(locked, cwd=here, env=environ, stderr=subprocess.PIPE, text=True)
        try:
            ask = [word.replace("8000", port) for word in json.loads(probe)]
            deadline = time.monotonic() + 120
            while subprocess.run(ask, cwd=here, check=False, capture_output=True).returncode:
                assert server.poll() is None and time.monotonic() < deadline, "the probe never succeeded"
                time.sleep(0.1)
        finally:
            server.terminate()
            said = server.communicate(timeout=120)[1]
    assert "Traceback" not in said, said


def test_nothing_else_is_root_or_writes_in_the_composition():
    text = (ROOT / "deploy" / "compose.yaml").read_text("utf-8")
    found = yaml.safe_load(text)["services"]
    assert re.findall(r"^USER (.*)$", IMAGE, re.MULTILINE) == ["billycan"]
    for name in ("migrate", "web", "worker", "proxy", "mail"):
        service = found[name]
        assert service["read_only"] and service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert not [volume for volume in service.get("volumes", ()) if volume.startswith("./") and ":ro" not in volume]
    for path in re.findall(r"\./([a-z.]+):/", text):
        assert path == "certificate" or (ROOT / "deploy" / path).exists(), path
