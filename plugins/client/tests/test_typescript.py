"""The TypeScript client is built from the document, and calls a real server from Node."""

import base64
import datetime as dt
import json
import os
import re
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest
from standardwebhooks import Webhook

from billycan.hosting.served import serving
from billycan.starting.plugins import first_party
from billycan.testing import Client
from billycan_generator import typescript

TERSE = runpy.run_path(str(Path(__file__).with_name("test_generate.py")))["TERSE"]
FOLDER = Path(__file__).parents[1] / "typescript"
PAGE = Path(__file__).parents[3] / "docs" / "typescript.md"
SECRET = "whsec_" + base64.b64encode(b"k" * 32).decode()
NOW = 1_795_219_200
BODY = json.dumps({"event": "contact.created", "timestamp": "2026-11-21T00:00:00.005Z", "data": {"name": "Ada"}})


def run(folder, *command, **environ):
    given = {"cwd": folder, "capture_output": True, "text": True, "timeout": 300}
    return subprocess.run(command, check=False, env={**os.environ, **environ}, **given)


@pytest.fixture(scope="module")
def node(fetch_packages):
    return fetch_packages(FOLDER, "The TypeScript client")


@pytest.fixture(scope="module")
def package(node, document, tmp_path_factory):
    """The package in a folder of its own, built as `make client` does."""
    folder = tmp_path_factory.mktemp("package")
    for name in ("package.json", "tsconfig.json", "tsconfig.example.json", "example.ts"):
        shutil.copy(FOLDER / name, folder)
    (folder / "node_modules").symlink_to(FOLDER / "node_modules")
    (folder / "src").mkdir()
    for name, source in typescript.modules(document).items():
        (folder / "src" / name).write_text(source, "utf-8")
    done = run(folder, "npm", "run", "-s", "build")
    assert done.returncode == 0, done.stdout
    return folder


def compiled(package, name, text):
    """Check a program that uses the package, and write it as JavaScript beside it; return what the compiler says."""
    (package / f"{name}.ts").write_text(text, "utf-8")
    config = {"extends": "./tsconfig.example.json", "include": [f"{name}.ts"]}
    (package / f"of_{name}.json").write_text(json.dumps(config), "utf-8")
    return run(package, package / "node_modules" / ".bin" / "tsc", "--project", f"of_{name}.json").stdout


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    plugins = sorted(first_party() - {"redis_limits"})
    with serving(f"sqlite:///{folder}/served.db", plugins, folder, workers=1) as running:
        yield running


@pytest.mark.long
@pytest.mark.whole
def test_it_calls_a_server_and_its_types_hold(package, server):
    example = (FOLDER / "example.ts").read_text("utf-8")
    assert compiled(package, "example", example) == ""
    # And not because nothing is checked.
    assert "amount_dew" in compiled(package, "wrong", example.replace("amount_due", "amount_dew"))
    shutil.copy(Path(__file__).with_name("client.test.mjs"), package)
    business = Client(server.app)
    signature = Webhook(SECRET).sign("evt_1", dt.datetime.fromtimestamp(NOW, dt.UTC), BODY)
    headers = {"webhook-id": "evt_1", "webhook-timestamp": str(NOW), "webhook-signature": signature}
    signed = {"secret": SECRET, "headers": headers | {"billycan-environment": "sandbox"}, "body": BODY, "now": NOW}
    done = run(
        package,
        *("node", "--test", "--test-reporter=tap", "client.test.mjs"),
        URL=f"http://127.0.0.1:{server.port}",
        KEY=business.key(per_minute=100_000).secret,
        OTHER_KEY=business.key("events:read").secret,
        SIGNED=json.dumps(signed),
    )
    assert done.returncode == 0, done.stdout[-6000:]
    assert re.findall(r"^# (pass|fail|skipped) (\d+)$", done.stdout, re.MULTILINE)[0] == ("pass", "10")


@pytest.mark.long
@pytest.mark.whole
def test_the_page_runs_as_it_stands(package, server):
    url, key = f"http://127.0.0.1:{server.port}", Client(server.app).secret
    program = "\n".join(re.findall(r"```ts\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL))
    assert compiled(package, "page", program.replace("https://api.example.com", url).replace("svc_test_…", key)) == ""
    done = run(package, "node", "page.js")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert re.fullmatch(r"INV-0001 262.63 \d{4}-\d\d-\d\d http\S+", lines[0])
    said = [
        "INV-0001 262.63",
        "1 of 1 INV-0001 1",
        "reason required must not be empty",
        "live",
        "application/pdf 14",
        "401",
        "[ 'L-1', 'from the ledger' ]",
    ]
    assert lines[1:] == said


@pytest.mark.long
@pytest.mark.parametrize("document", [TERSE, {**TERSE, "paths": {}, "webhooks": {}}], ids=["terse", "empty"])
def test_a_terse_document_makes_a_client(node, document, tmp_path):
    (tmp_path / "src").mkdir()
    for name, source in typescript.modules(document).items():
        (tmp_path / "src" / name).write_text(source, "utf-8")
    for name in ("package.json", "tsconfig.json"):
        shutil.copy(FOLDER / name, tmp_path)
    assert run(tmp_path, FOLDER / "node_modules" / ".bin" / "tsc").stdout == ""


def test_a_file_of_each_module_is_written(document):
    sources = typescript.modules(document)
    assert {"api.ts", "models.ts", "webhooks.ts", "index.ts", "connection.ts", "errors.ts"} <= {*sources}
    operations = [path for path, item in document["paths"].items() for method in item]
    assert len(re.findall(r"^    return ", sources["api.ts"], re.MULTILINE)) == len(operations)
    names = re.findall(r"^export (?:interface|type) (\w+)", sources["models.ts"], re.MULTILINE)
    assert len(names) == len({*names}) > 100
    # Of changes, the name of a list tells the type of the record.
    lines = sources["models.ts"].splitlines()
    assert {"  invoices: ListedInvoice;", "  resource: R;", "  record: ListedRecords[R] | null;"} <= {*lines}


def test_the_lock_names_hashes_and_no_place():
    packages = json.loads((FOLDER / "package-lock.json").read_text("utf-8"))["packages"]
    assert not [name for name, package in packages.items() if "resolved" in package]
    assert all("integrity" in package for name, package in packages.items() if name)
