"""Generators of clients by others take the description as it is: without a word, and to make an invoice.

What each of them needs is asserted of the description itself in tests/test_openapi.py.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from billycan.hosting.served import serving
from billycan.starting.plugins import first_party
from billycan.testing import Client

FOLDER = Path(__file__).parent
TESTED = "Generators of clients"

pytestmark = [pytest.mark.long, pytest.mark.whole, pytest.mark.sqlite_alone]


def run(folder, *command, **environ):
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=300, check=False, env={**os.environ, **environ}
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def packages(fetch_packages):
    """The folder of the commands that npm installed."""
    fetch_packages(FOLDER, TESTED)
    return FOLDER / "node_modules" / ".bin"


@pytest.fixture(scope="module")
def python(fetch_environment):
    """The folder of a Python with the locked packages."""
    return fetch_environment("generators", TESTED)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    plugins = sorted(first_party() - {"redis_limits"})
    with serving(f"sqlite:///{folder}/served.db", plugins, folder, workers=1) as running:
        yield running


@pytest.fixture
def place(server, tmp_path):
    """A folder with the description, and what a program there needs to call the server."""
    document = json.dumps(server.app.openapi(), default=float)
    (tmp_path / "openapi.json").write_text(document, "utf-8")
    environ = {"URL": f"http://127.0.0.1:{server.port}", "KEY": Client(server.app).secret}
    return tmp_path, environ


def run_typescript(packages, place, name):
    folder, environ = place
    shutil.copy(FOLDER / f"{name}.ts", folder)
    options = ("--strict", "--target", "es2022", "--module", "commonjs", "--lib", "es2022,dom,dom.iterable")
    checked = run(folder, packages / "tsc", *options, f"{name}.ts")
    assert checked == (0, ""), checked[1]
    return run(folder, "node", f"{name}.js", **environ)


def quiet(done):
    """Fail unless a generator succeeded and warned of nothing."""
    status, said = done
    assert status == 0 and not any(word in said.lower() for word in ("warn", "error", "⚠", "unsupported")), said


def test_openapi_typescript(packages, place):
    quiet(run(place[0], packages / "openapi-typescript", "openapi.json", "-o", "billycan.d.ts"))
    assert run_typescript(packages, place, "typed") == (0, "draft 105.05\n")


def test_hey_api(packages, place):
    quiet(run(place[0], packages / "openapi-ts", "-i", "openapi.json", "-o", "hey"))
    assert run_typescript(packages, place, "called") == (0, "draft 105.05 %PDF\n")


def test_openapi_python_client(python, place):
    folder, environ = place
    command = (python / "openapi-python-client", "generate", "--path", "openapi.json", "--meta", "none")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # ruff is here
    done = run(folder, *command, "--output-path", "written", PATH=path)
    assert done == (0, "Generating written\n"), done[1]
    shutil.copy(FOLDER / "called.py", folder)
    assert run(folder, python / "python", "called.py", **environ) == (0, "draft 105.05 application/pdf %PDF\n")
