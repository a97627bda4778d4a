"""`billycan new-plugin` writes plugins that pass their own tests at once, whatever they are called."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from billycan.starting import checks
from billycan.tools import cli, scaffold

pytest.importorskip(
    "billycan_contacts", reason="New plugins were NOT TESTED without contacts, which the example requires"
)
ROOT = Path(__file__).parents[2]
ASSETS = scaffold.Words("assets", "asset", "ast", "Equipment a business owns, and which contact looks after it")

# As a server would have it, for one request.
SERVE = """
import json, sys, threading, urllib.request
from wsgiref.simple_server import WSGIRequestHandler, make_server
from billycan.starting import migrate, settings
from billycan.keys import create_business
from billycan.app import App
from billycan.fields import Moment
from billycan.tenants import Profile

class Quiet(WSGIRequestHandler):
    def log_message(self, *args): ...

app = App(settings.load_settings())
migrate.upgrade_all(app.db, app.manifests)
with app.db.writing() as db:
    key = create_business(db, Profile(name="Derwent Plumbing"), app.now()).test_key
server = make_server("127.0.0.1", 0, app.start().wsgi, handler_class=Quiet)
threading.Thread(target=server.handle_request, daemon=True).start()
headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
url = f"http://127.0.0.1:{server.server_port}/v1/{sys.argv[1]}"
request = urllib.request.Request(url, b'{"name": "Ada", "cost": "1.00"}', headers)
print(urllib.request.urlopen(request, timeout=180).read().decode())
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Run `billycan new-plugin` in an empty folder; returns what it says."""
    monkeypatch.chdir(tmp_path)

    def run(*words, code=0):
        result = CliRunner().invoke(cli.commands, ["new-plugin", *words])
        assert result.exit_code == code, result.output
        return result.output

    return run


def installed(folder, *names):
    """The environment of a process in which these plugins are installed, each by its entry point."""
    places = [folder / f"billycan-{name}" for name in names]
    for name, place in zip(names, places, strict=True):
        info = place / f"billycan_{name}-1.0.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: billycan-{name}\nVersion: 1.0.0\n", "utf-8")
        project = (place / "pyproject.toml").read_text("utf-8")
        (entry,) = re.findall(rf"^{name} = \"(.*)\"$", project, re.MULTILINE)
        (info / "entry_points.txt").write_text(f"[billycan.plugins]\n{name} = {entry}\n", "utf-8")
    given = {k: v for k, v in os.environ.items() if not k.startswith("BILLYCAN_")}
    return {**given, "PYTHONPATH": os.pathsep.join(map(str, places)), "PYTHONDONTWRITEBYTECODE": "1"}


def run(command, folder, environ=None):
    return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, timeout=300, check=False)


def test_new_plugins_pass_their_own_tests_and_answer(write, tmp_path):
    write("work_orders")
    write("people", "--one", "person", "--about", "Who works where")
    write("keep_all", "--hooks-only", "--about", "Nothing is ever deleted")
    environ = installed(tmp_path, "work_orders", "people", "keep_all")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--engine", "sqlite"]
    command += [
        "--import-mode=importlib",
        "billycan-people",
        "billycan-work_orders/tests/test_work_orders.py",
        "billycan-keep_all",
    ]
    done = run(command, tmp_path, environ)
    passed = re.search(r"^(\d+) passed", done.stdout, re.MULTILINE)
    assert done.returncode == 0 and passed and int(passed[1]) >= 40, done.stdout + done.stderr

    environ |= {
        "BILLYCAN_DATABASE": f"sqlite:///{tmp_path}/here.db",
        "BILLYCAN_PLUGINS": "contacts,people",
        "BILLYCAN_SECRET": "x" * 32,
        "BILLYCAN_SHARED_FOLDER": str(tmp_path / "shared"),
    }
    served = run([sys.executable, "-c", SERVE, "people"], tmp_path, environ)
    assert served.returncode == 0, served.stderr
    person = json.loads(served.stdout)["data"]
    assert person["id"].startswith("per_") and person["status"] == "in_use" and person["cost"] == 1


def test_the_example_is_what_new_plugin_writes(tmp_path):
    for path in scaffold.write(ASSETS, tmp_path / "assets"):
        kept = ROOT / "examples/assets" / path.relative_to(tmp_path / "assets")
        assert kept.read_text("utf-8") == path.read_text("utf-8"), (
            f"{kept} is not as core/billycan/tools/template has it: write it anew"
        )


def test_what_is_written_is_clean_whatever_the_name(write, tmp_path):
    for name in ("a_zs", "oxs", "vehicles", "maintenance_agreements", "abcdefghij_abcdefghij_abcdefghs"[:29] + "s"):
        write(name)
    write("quiet_hours", "--hooks-only")
    written = sorted(tmp_path.iterdir())
    # As in a checkout, where billycan is the first party.
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for folder in ("core/billycan", "plugins/contacts/billycan_contacts"):
        (tmp_path / folder).parent.mkdir(parents=True)
        (tmp_path / folder).symlink_to(ROOT / folder)
    ruff = Path(sys.executable).parent / "ruff"
    for command in (["check"], ["format", "--check"]):
        done = run([ruff, *command, "--no-cache", *written], tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_next_steps_are_said(write, tmp_path):
    said = write("vehicles", "--prefix", "vhc")
    assert "billycan-vehicles: 10 files; ids start with vhc_." in said
    for step in (
        " -m pip install -e './billycan-vehicles[test]'\n",
        " -m pytest billycan-vehicles\n",
        "  BILLYCAN_PLUGINS=+vehicles ",
        "  curl -s http://127.0.0.1:8000/v1/vehicles ",
    ):
        assert step in said
    assert 'prefix="vhc"' in (tmp_path / "billycan-vehicles/billycan_vehicles/resource.py").read_text("utf-8")


def test_a_plugin_of_hooks_has_no_ids_to_call_for(write, tmp_path):
    said = write("keep_all", "--hooks-only")
    assert "billycan-keep_all: 7 files.\n" in said and "BILLYCAN_PLUGINS=+keep_all " in said
    assert "curl" not in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["Vehicles"], "NAME: Vehicles is not allowed: use lower-case words joined by _, at most 30 characters"),
        (["work-orders"], "NAME: work-orders is not allowed: use lower-case words joined by _"),
        (["x" * 30 + "s"], "is not allowed: use lower-case words joined by _, at most 30 characters"),
        (["vehicles", "--one", "Car"], "--one: Car is not allowed"),
        (["people"], "people is not a plural: give the singular with --one, such as --one people_item"),
        (["equipment", "--one", "equipment"], "or choose a plural for NAME, such as equipment_items"),
        (["classes"], "Python or the plugin's own files use the word class: choose another NAME or --one"),
        (["resources"], "Python or the plugin's own files use the word resource"),
        (["contexts"], "Python or the plugin's own files use the word Context"),
        (["dicts"], "Python or the plugin's own files use the word dict"),
        (["core", "--one", "cor"], "core uses the name core: choose another"),
        (["plugins"], "core uses the name plugins: choose another"),
        (["events"], "core uses the name events: choose another"),
        pytest.param(
            ["invoices"],
            "a plugin named invoices is already installed: choose another name, or uninstall it",
            marks=pytest.mark.whole,
        ),
        pytest.param(
            ["services"],
            "the path /v1/services of bookings already exists: choose another NAME",
            marks=pytest.mark.whole,
        ),
        pytest.param(
            ["tasks", "--one", "job"],
            "jobs already has events of a job: choose another NAME or --one",
            marks=pytest.mark.whole,
        ),
        (
            ["vehicles", "--prefix", "con"],
            "--prefix: con is not allowed: use three lower-case letters that no other ids start with",
        ),
        (["vehicles", "--prefix", "ve1"], "--prefix: ve1 is not allowed"),
        (["keep_all", "--hooks-only", "--prefix", "kee"], "--one and --prefix are for a resource: leave them out"),
        (["route", "--hooks-only"], "Python or the plugin's own files use the word route: choose another"),
        (["Keep", "--hooks-only"], "NAME: Keep is not allowed"),
        (["vehicles", "--about", 'The "best".'], "--about: use one line of at most 100 characters"),
        (["vehicles", "--into", "full"], "full already exists: name another folder with --into, or remove it"),
    ],
)
def test_what_cannot_be_is_refused_with_the_rule(write, tmp_path, words, said):
    (tmp_path / "full").mkdir()
    (tmp_path / "full/kept").touch()
    assert said in write(*words, code=2)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["full", "kept"]


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("vehicles", "vehicle"),
        ("parties", "party"),
        ("boxes", "box"),
        ("branches", "branch"),
        ("addresses", "address"),
        ("work_orders", "work_order"),
        ("glass", "glass"),
    ],
)
def test_one_of_several(plural, one):
    assert scaffold.singular_of(plural) == one


@pytest.mark.whole
def test_the_prefixes_that_are_taken_are_known():
    used = set()
    for path in [*ROOT.glob("core/billycan/*.py"), *ROOT.glob("plugins/*/billycan_*/**/*.py")]:
        used |= set(re.findall(r"(?:new_id\(|\bprefix=)\"([a-z]{3})\"", path.read_text("utf-8")))
    assert {"con", "inv", "lin", "pay", "evt"} < used
    assert used <= {*checks.PREFIXES, *scaffold.TAKEN}
    assert "ast" in scaffold.taken_prefixes(), "an installed plugin's are known too"
    first = [next(scaffold.free_prefixes(one)) for one in ("vehicle", "invoice_line", "contract", "ox")]
    assert first == ["veh", "ino", "cot", "oxx"]
