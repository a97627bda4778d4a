"""The command line: output for scripts, clear one-line refusals, and exit codes."""

import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
import pytest
import sqlalchemy as sa
import webtest
from click.testing import CliRunner, Result

from billycan import Manifest
from billycan.app import App, build
from billycan.fields import Moment
from billycan.operating.health import Finding
from billycan.starting import settings
from billycan.starting.command import command_line
from billycan.testing import Client
from billycan.testing.fixtures import SECRET
from billycan.tools import cli
from billycan.working import worker

pytestmark = pytest.mark.either

pytest.importorskip("billycan_contacts", reason="The commands were NOT TESTED without contacts")


@pytest.fixture
def environ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A deployment without a secret, in a folder of its own."""
    for variable in [name for name in os.environ if name.startswith("BILLYCAN_")]:
        monkeypatch.delenv(variable)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    return {
        "BILLYCAN_DATABASE": "sqlite:///here.db",
        "BILLYCAN_PLUGINS": "contacts",
        "BILLYCAN_SHARED_FOLDER": str(tmp_path / "shared"),
    }


Run = Callable[..., Result]


@pytest.fixture
def run(environ: dict[str, str]) -> Run:
    """Run a command; it fails the test where its exit code is another, or where it ends in a traceback."""

    def invoke(*words: str, code: int = 0, stdin: str = "", **variables: str) -> Result:
        result = CliRunner().invoke(cli.commands, words, input=stdin, env={**environ, **variables})
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
        assert result.exit_code == code, result.output
        return result

    return invoke


def refusal(result: Result) -> str:
    """The one line that says what was wrong."""
    lines = [line for line in result.stderr.splitlines() if not line.startswith(("Usage: ", "Try "))]
    (said,) = [line for line in lines if line]
    assert said.startswith("Error: ")
    return said.removeprefix("Error: ")


@pytest.fixture
def on(engine: str, databases: Any, environ: dict[str, str], run: Run) -> Run:
    """`run`, on a migrated database of each kind."""
    environ["BILLYCAN_DATABASE"] = databases.empty(engine)
    run("migrate")
    return run


@pytest.fixture
def served(environ: dict[str, str]) -> Iterator[Callable[[], App]]:
    """The deployment's app as a worker of the web server has it."""
    built: list[App] = []

    def start() -> App:
        built.append(build({**environ, "BILLYCAN_SECRET": SECRET}))
        return built[-1]

    yield start
    for app in built:
        app.close()


def asked(app: App, key: str, path: str = "/v1/me") -> Any:
    headers = {"Authorization": f"Bearer {key}"}
    return webtest.TestApp(app.wsgi).get(path, headers=headers, status="*")


def test_the_operator_moves_suspends_and_closes_a_business(on, served, engine, databases, environ, tmp_path):
    made = json.loads(on("tenants", "create", "Derwent Plumbing", "--json").stdout)
    ten, key = made["tenant"], made["keys"]["live"]
    assert "this needs the server's" in refusal(on("tenants", "export", ten, "a.zip", code=1))
    environ |= {"BILLYCAN_SECRET": SECRET, "BILLYCAN_CLOSED_FOLDER": "closed"}
    assert "Derwent Plumbing as of" in on("tenants", "export", ten, "a.zip").stdout
    assert (tmp_path / "a.zip").stat().st_mode & 0o777 == 0o600
    assert "is there already" in refusal(on("tenants", "export", ten, "a.zip", code=1))
    assert refusal(on("tenants", "export", "ten_none", "b.zip", code=1)) == "there is no business ten_none"
    assert "is here already: close it first" in refusal(on("tenants", "import", "a.zip", code=1))
    app = served()
    assert "can be read only" in on("tenants", "suspend", ten).stdout
    assert asked(app, key).status_int == 200
    body, headers = b'{"name": "Ada"}', {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    write = webtest.TestApp(app.wsgi).post
    assert write("/v1/contacts", body, headers=headers, status=403).json["error"]["code"] == "business_suspended"
    on("tenants", "resume", ten)
    write("/v1/contacts", body, headers=headers, status=201)
    assert "is deleted from" in on("tenants", "close", ten, "--days", "0").stdout
    worker.tick(app)
    assert asked(app, key).status_int == 401
    (sealed,) = tmp_path.glob("closed/*.sealed")
    assert "has the books" in on("tenants", "unseal", str(sealed), "books.zip").stdout
    assert "sealed with another secret" in refusal(
        on("tenants", "unseal", str(sealed), "c.zip", code=1, BILLYCAN_SECRET="x" * 32)
    )
    environ["BILLYCAN_DATABASE"] = databases.empty(engine)
    on("migrate")
    arrived = on("tenants", "import", "books.zip", code=1)
    assert "does not have its business and its sandbox" in arrived.stderr
    assert f"is here as {ten}" in on("tenants", "import", "a.zip").stdout
    assert asked(served(), key).status_int == 200


def test_the_operator_shows_and_changes_how_many_requests_a_business_may_make(on, served):
    made = json.loads(on("tenants", "create", "Derwent Plumbing", "--json").stdout)
    here = {"tenant": made["tenant"], "per_minute": 600, "per_second": 60}
    assert json.loads(on("tenants", "limits", made["tenant"], "--json").stdout) == here
    changed = on("tenants", "limits", made["tenant"], "--per-minute", "3000")
    assert "may make 3,000 requests a minute and 60 a second" in changed.stdout
    app = served()
    for tenant in (made["tenant"], made["sandbox"]):
        assert app.ceilings.of(tenant).per_minute == 3_000
    assert json.loads(on("tenants", "limits", made["sandbox"], "--default", "--json").stdout)["per_minute"] == 600
    assert json.loads(on("tenants", "limits", made["tenant"], "--json").stdout) == here
    assert refusal(on("tenants", "limits", "ten_none", code=1)).startswith("there is no tenant ten_none")
    both = on("tenants", "limits", made["tenant"], "--default", "--per-minute", "5", code=2)
    assert refusal(both) == "--default: leave out --per-minute and --per-second"


def test_a_key_cannot_have_more_than_ten_times_the_limits_of_the_deployment(on):
    made = json.loads(on("tenants", "create", "Derwent Plumbing", "--json").stdout)
    words = ("keys", "create", "--tenant", made["tenant"], "--scope", "read", "--per-minute")
    on(*words, "1000")
    said = refusal(on(*words, "1001", code=2))
    assert said == "--per-minute: at most 1,000, 10 times the deployment's 100"


def test_a_business_is_made_with_a_sandbox_and_a_key_to_each(on, served):
    words = ["Derwent Plumbing", "--abn", "47 555 222 000", "--timezone", "Australia/Hobart", "--gst-registered"]
    made = json.loads(on("tenants", "create", *words, "--legal-name", "Derwent Pty Ltd", "--json").stdout)
    assert sorted(made) == ["keys", "sandbox", "tenant"]
    app = served()
    for key, tenant, environment in (("live", "tenant", "live"), ("test", "sandbox", "sandbox")):
        assert made["keys"][key].startswith(f"svc_{key}_")
        me = asked(app, made["keys"][key]).json["data"]
        assert (me["tenant"]["id"], me["environment"]) == (made[tenant], environment)
        assert me["scopes"] == ["read", "write"]
    profile = asked(app, made["keys"]["live"], "/v1/tenant").json["data"]
    assert (profile["abn"], profile["timezone"]) == ("47555222000", "Australia/Hobart")
    assert (profile["legal_name"], profile["gst_registered"]) == ("Derwent Pty Ltd", True)
    listed = json.loads(on("tenants", "list", "--json").stdout)
    assert [(t["id"], t["environment"], t["name"]) for t in listed] == [
        (made["tenant"], "live", "Derwent Plumbing"),
        (made["sandbox"], "sandbox", "Derwent Plumbing"),
    ]


def test_a_business_is_shown_for_people_too(run):
    run("migrate")
    assert run("tenants", "list").stdout == "no tenants yet\n"
    said = run("tenants", "create", "Derwent Plumbing").stdout
    assert re.search(r"^tenant +ten_\w+ +svc_live_\w+\nsandbox +ten_\w+ +svc_test_\w+\n.*cannot be shown again", said)
    assert len(run("tenants", "list").stdout.splitlines()) == 2


def test_every_fault_of_a_profile_is_said_at_once(run):
    run("migrate")
    said = refusal(run("tenants", "create", " ", "--abn", "123", "--timezone", "Mars", code=2))
    assert all(part in said for part in ("name: must not be empty", "abn: is not a valid ABN", "timezone: must be an"))


def test_a_key_has_what_was_asked_for(on, served):
    made = json.loads(on("tenants", "create", "Derwent Plumbing", "--json").stdout)
    words = ["--scope", "contacts:read", "--name", "Bookkeeper", "--per-minute", "7", "--per-second", "3"]
    words += ["--expires-at", "2199-01-31T00:00:00+11:00", "--json"]
    key = json.loads(on("keys", "create", "--tenant", made["sandbox"], *words).stdout)
    assert sorted(key) == ["id", "key"]
    assert key["key"].startswith("svc_test_")
    app = served()
    me = asked(app, key["key"])
    assert me.json["data"]["id"] == key["id"]
    assert me.json["data"]["limits"] == {"per_minute": 7, "per_second": 3}
    assert me.headers["X-RateLimit-Limit"] == "7"
    assert asked(app, key["key"], "/v1/contacts").status_int == 200
    assert asked(app, key["key"], "/v1/tenant").status_int == 403
    listed = json.loads(on("keys", "list", "--tenant", made["sandbox"], "--json").stdout)
    (found,) = [k for k in listed if k["id"] == key["id"]]
    assert (found["name"], found["expires_at"], found["revoked_at"]) == ("Bookkeeper", "2199-01-30T13:00:00Z", None)
    assert found["last_used_at"] is not None
    assert len(listed) == 2
    shown = on("keys", "list").stdout
    assert len(shown.splitlines()) == 3
    assert key["key"] not in shown + json.dumps(listed)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (
            ["--tenant", "ten_nobody", "--scope", "read"],
            1,
            "there is no tenant ten_nobody: see `billycan tenants list`",
        ),
        (
            ["--tenant", "ten_nobody", "--scope", "contact:read"],
            2,
            "--scope: unknown scope contact:read. Known scopes: con",
        ),
        (["--tenant", "ten_nobody"], 2, "Missing option '--scope'"),
        (
            ["--tenant", "t", "--scope", "read", "--expires-at", "2027-01-31"],
            2,
            "--expires-at: must be a time such as ",
        ),
        (
            ["--tenant", "t", "--scope", "read", "--expires-at", "2020-01-31T00:00:00Z"],
            2,
            "--expires-at: must be in the",
        ),
        (["--tenant", "t", "--scope", "read", "--per-minute", "0"], 2, "Invalid value for '--per-minute': 0 is not in"),
        (["--tenant", "t", "--scope", "read", "--name", " "], 2, "--name: must not be empty"),
    ],
)
def test_a_key_that_cannot_be_made_is_refused(run, words, code, said):
    run("migrate")
    assert refusal(run("keys", "create", *words, code=code)).startswith(said)


def test_a_revoked_key_is_refused_from_the_next_request_on(on, served):
    made = json.loads(on("tenants", "create", "Derwent Plumbing", "--json").stdout)
    app, key = served(), made["keys"]["live"]
    id = asked(app, key).json["data"]["id"]
    assert json.loads(on("keys", "revoke", id, "--json").stdout) == {"id": id, "revoked": True, "at_once": True}
    refused = asked(app, key)
    assert (refused.status_int, refused.json["error"]["code"]) == (401, "revoked_api_key")
    assert asked(app, made["keys"]["test"]).status_int == 200
    (first,) = [k["revoked_at"] for k in json.loads(on("keys", "list", "--json").stdout) if k["id"] == id]
    assert on("keys", "revoke", id).stdout == f"{id} is revoked: refused from the next request on\n"
    (again,) = [k["revoked_at"] for k in json.loads(on("keys", "list", "--json").stdout) if k["id"] == id]
    assert again == first
    assert refusal(on("keys", "revoke", "key_none", code=1)) == "there is no key key_none: see `billycan keys list`"


def test_revoking_says_when_it_cannot_tell_the_workers(run, environ, served, tmp_path):
    run("migrate")
    run("tenants", "create", "Derwent Plumbing")
    id = json.loads(run("keys", "list", "--json").stdout)[0]["id"]
    (tmp_path / "file").write_text("", "utf-8")
    said = run("keys", "revoke", id, BILLYCAN_SHARED_FOLDER=str(tmp_path / "file")).stdout
    assert said.startswith(f"{id} is revoked: refused within a second, because ")
    # Another user's workers for the same database have a folder of their own beside ours.
    del environ["BILLYCAN_SHARED_FOLDER"]
    ours = served().shared
    theirs = ours.with_name(ours.name.replace(f"billycan-{os.geteuid()}-", "billycan-4242-"))
    assert json.loads(run("keys", "revoke", id, "--json").stdout)["at_once"] is True
    theirs.mkdir()
    try:
        assert json.loads(run("keys", "revoke", id, "--json").stdout)["at_once"] is False
    finally:
        theirs.rmdir()
        shutil.rmtree(ours)


def test_migrate_says_what_it_did(on, run):
    assert on("migrate").stdout == "nothing to do\n"
    assert run("migrate", BILLYCAN_DATABASE="sqlite:///other.db").stdout.startswith("core: nothing -> core_")
    first = json.loads(run("migrate", "--json", BILLYCAN_DATABASE="sqlite:///new.db").stdout)["changed"]
    assert [line.partition(": nothing -> ")[0] for line in first] == ["core", "contacts"]
    assert json.loads(run("migrate", "--json", BILLYCAN_DATABASE="sqlite:///new.db").stdout) == {"changed": []}


def test_what_needs_tables_says_that_they_are_missing(run):
    for words in (["tenants", "list"], ["tenants", "create", "A"], ["keys", "list"], ["keys", "revoke", "key_a"]):
        said = refusal(run(*words, code=1))
        assert re.fullmatch(r"core is at nothing but the code expects core_\d+: run `billycan migrate`", said)


def states(result: Result) -> dict[str, tuple[str, str | None]]:
    return {p["name"]: (p["state"], p["tables"]) for p in json.loads(result.stdout)}


def test_plugins_are_listed_with_their_state_and_tables(on):
    found = states(on("plugins", "list", "--json"))
    assert found["contacts"][0] == "enabled"
    assert found["contacts"][1].startswith("contacts_")
    assert found["assets"] == ("disabled", None)
    assert states(on("plugins", "list", "--json", BILLYCAN_PLUGINS="none"))["contacts"][0] == "disabled"
    assert re.search(r"(?m)^contacts +enabled +billycan-contacts +\S+ +contacts_\d+$", on("plugins").stdout)


def test_dropping_a_plugin_deletes_its_tables_and_nothing_else(on, served):
    key = json.loads(on("tenants", "create", "Derwent Plumbing", "--json").stdout)["keys"]["live"]
    client = webtest.TestApp(served().wsgi, extra_environ={"HTTP_AUTHORIZATION": f"Bearer {key}"})
    assert client.post_json("/v1/contacts", {"name": "Ada"}, status=201)
    said = refusal(on("plugins", "drop", "contacts", "--yes", code=1))
    assert said == "contacts is enabled: disable it first, such as with BILLYCAN_PLUGINS=-contacts"
    off = {"BILLYCAN_PLUGINS": "none"}
    asked_first = on("plugins", "drop", "contacts", code=1, stdin="n\n", **off)
    assert "Delete contacts, contacts_merged in " in asked_first.output
    assert states(on("plugins", "list", "--json"))["contacts"][1] is not None
    assert on("plugins", "drop", "contacts", stdin="y\n", **off).stdout == "contacts: tables dropped\n"
    assert states(on("plugins", "list", "--json"))["contacts"][1] is None
    assert refusal(on("plugins", "drop", "contacts", "--yes", code=1, **off)) == "contacts has no tables here"
    assert len(on("migrate").stdout.splitlines()) >= 1
    again = webtest.TestApp(served().wsgi, extra_environ={"HTTP_AUTHORIZATION": f"Bearer {key}"})
    assert again.get("/v1/contacts").json["pagination"]["total"] == 0
    assert again.get("/v1/events").json["pagination"]["total"] == 1


@pytest.mark.whole
def test_a_plugin_that_others_point_at_is_not_dropped(on):
    with_invoices = {"BILLYCAN_PLUGINS": "+invoices"}
    on("migrate", **with_invoices)
    said = refusal(on("plugins", "drop", "contacts", "--yes", code=1, BILLYCAN_PLUGINS="none"))
    assert re.match(r"other tables refer to those of contacts: drop .*\binvoices\b.* first$", said)
    assert states(on("plugins", "list", "--json"))["contacts"][1] is not None


def test_dropping_what_is_not_installed_says_so(run):
    said = refusal(run("plugins", "drop", "nonsense", "--yes", code=1))
    assert said == "nonsense is not installed: install it, or see `billycan plugins list`"


def test_search_is_indexed_as_soon_as_it_can_be(engine, on, run, environ):
    if engine == "sqlite":
        assert findings(on("doctor", "--json", code=1))["search"]["ok"]
        return
    engine = sa.create_engine(environ["BILLYCAN_DATABASE"], isolation_level="AUTOCOMMIT")
    with engine.connect() as db:
        db.exec_driver_sql("DROP INDEX ix_contacts_search")
        db.exec_driver_sql("DROP EXTENSION pg_trgm")
    engine.dispose()
    search = findings(run("doctor", "--json", code=1))["search"]
    assert (search["ok"], search["message"]) == (False, "reads every row of contacts")
    assert "CREATE EXTENSION pg_trgm;" in search["cure"]
    assert run("migrate").stdout == "contacts: indexed for search\n"
    assert findings(run("doctor", "--json", code=1))["search"]["ok"]


def test_a_plugin_s_commands_are_added(run, environ, tmp_path, monkeypatch):
    def install(command: str, function: str) -> None:
        folder = tmp_path / f"{command}-{function}"
        package = folder / "counting-1.0.dist-info"
        package.mkdir(parents=True)
        (package / "METADATA").write_text("Metadata-Version: 2.1\nName: counting\nVersion: 1.0\n", "utf-8")
        points = (
            f"[billycan.plugins]\ncounting = counting_plugin\n[billycan.commands]\n{command} = counting:{function}\n"
        )
        (package / "entry_points.txt").write_text(points, "utf-8")
        monkeypatch.setattr(sys, "path", [str(folder), str(tmp_path), *path])

    path = sys.path
    (tmp_path / "counting.py").write_text(
        """import click

@click.command(help="Count assets.")
@click.pass_obj
def count(opened):
    with opened() as app:
        click.echo(f"assets of {', '.join(app.manifests)}")
""",
        "utf-8",
    )
    plugin = "from billycan import Manifest\nmanifest = Manifest(name='counting')\n"
    (tmp_path / "counting_plugin.py").write_text(plugin, "utf-8")
    environ["BILLYCAN_PLUGINS"] = "counting"
    install("count-assets", "count")
    assert run("count-assets").stdout == "assets of counting\n"
    assert "count-assets  Count assets." in run("--help").stdout
    assert "No such command" in refusal(run("count-assets", code=2, BILLYCAN_PLUGINS="none"))
    install("count-assets", "coont")
    assert "counting:coont cannot be imported: AttributeError" in refusal(run("count-assets", code=1))
    install("serve", "count")
    assert "counting:count: billycan has a command serve of its own: rename" in refusal(run("count-assets", code=1))


def test_routes_and_the_description_are_those_of_the_enabled_plugins(run):
    routes = json.loads(run("routes", "--json").stdout)
    assert {"method": "GET", "path": "/v1/me", "scope": None, "plugin": "core"} in routes
    assert {"method": "POST", "path": "/v1/contacts", "scope": "contacts:write", "plugin": "contacts"} in routes
    assert not [r for r in routes if r["plugin"] not in ("core", "contacts")]
    assert re.search(r"(?m)^GET +/v1/contacts/\{id\} +contacts:read +contacts$", run("routes").stdout)
    document = json.loads(run("openapi").stdout)
    assert document["openapi"].startswith("3.1")
    assert {r["path"] for r in routes} - {"/v1/openapi.json"} <= set(document["paths"])
    lines = run("openapi", "--surface").stdout.splitlines()
    assert '"/v1/contacts POST": {"answer": {"$ref": "Contact"}, "body": {"$ref": "NewContact"}' in "\n".join(lines)
    facts = json.loads("\n".join(lines))
    assert len(lines) == len(facts) + 2 and {f"{r['path']} {r['method']}" for r in routes} <= facts.keys()


@pytest.mark.parametrize("options", [(), ("--surface",)])
def test_two_descriptions_are_compared(run, tmp_path, options):
    new, old = tmp_path / "new.json", tmp_path / "old.json"
    new.write_text(run("openapi", *options).stdout, "utf-8")
    old.write_text(new.read_text("utf-8").replace("archive_contact", "hide_contact"), "utf-8")
    assert run("openapi", "diff", str(new), str(new)).stdout == ""
    text = run("openapi", "diff", str(old), str(new), code=1).stdout
    assert text.startswith(
        "### Clients that rely on this must change\n\n- /v1/contacts/{id}/archive POST: id was hide_"
    )
    other = tmp_path / "other.json"
    other.write_text(run("openapi", *({"--surface"} - {*options})).stdout, "utf-8")
    assert "give two of a kind" in refusal(run("openapi", "diff", str(new), str(other), code=1))


def test_a_resource_is_printed_member_by_member(run):
    members = {each["member"]: each for each in json.loads(run("resource", "contacts", "--json").stdout)}
    about = {"column": "Text", "sent": "required", "shown": True, "filters": [], "sort": "indexed", "search": True}
    assert members["name"] == {"member": "name", "type": "str", "nullable": False, **about}
    assert (members["people"]["type"], members["people"]["column"]) == ("list[NewPerson]", "JSON")
    assert (members["status"]["sent"], members["status"]["filters"]) == ("no", ["status"])
    assert members["created_at"]["filters"] == ["created_at_from", "created_at_to"]
    assert (members["tag"]["shown"], members["tag"]["column"], members["tag"]["filters"]) == (False, None, ["tag"])
    lines = run("resource", "contacts").stdout.splitlines()
    assert len(lines) == len(members) + 1
    assert re.fullmatch(
        r"abn +str \| null +Text +optional +yes +abn +- +yes", next(x for x in lines if x[:4] == "abn ")
    )
    assert "there is no resource contact: name one of contacts" in refusal(run("resource", "contact", code=1))


def findings(result: Result) -> dict[str, Any]:
    told = json.loads(result.stdout)
    assert told["ok"] == all(finding["ok"] for finding in told["checks"]) == (result.exit_code == 0)
    assert all(finding["cure"] for finding in told["checks"] if not finding["ok"])
    assert all(sorted(finding) == sorted(Finding.__struct_fields__) for finding in told["checks"])
    return {finding["check"]: finding for finding in told["checks"]}


def test_the_doctor_finds_what_is_wrong_one_thing_after_the_other(engine, databases, environ, run, served):
    environ["BILLYCAN_DATABASE"] = databases.empty(engine)
    found = findings(run("doctor", "--json", code=1))
    assert not found["secret"]["ok"]
    assert (found["schema"]["ok"], found["schema"]["cure"]) == (False, "run `billycan migrate`")
    run("migrate")
    environ["BILLYCAN_SECRET"] = SECRET
    found = findings(run("doctor", "--json", code=1))
    assert [name for name, finding in found.items() if not finding["ok"]] == ["worker"]
    assert found["worker"]["message"] == "none has run yet"
    worker.tick(served())
    found = findings(run("doctor", "--json"))
    if engine == "postgresql":
        alone = found.pop("host")["figures"]["alone"]
        assert ["closed" in alone[0], "redis_limits" in alone[1]] == [True, True]
    assert sorted(found) == [
        "clock",
        "database",
        "disk",
        "files",
        "kept",
        "read_only",
        "schema",
        "search",
        "secret",
        "settings",
        "tasks",
        "tenants",
        "worker",
    ]
    assert run("doctor").stdout.startswith("ok   secret: set\nok   settings: plugins: contacts\nok   files: private\n")
    with served().db.writing() as db:
        db.execute(sa.update(worker.tasks).values(due_at=served().now().replace(year=2020)))
    assert "cure: start `billycan worker`" in run("doctor", code=1).stdout


def test_the_doctor_finds_clocks_that_are_wrong_and_work_that_waits(
    engine, databases, environ, run, served, monkeypatch
):
    environ |= {"BILLYCAN_DATABASE": databases.empty(engine), "BILLYCAN_SECRET": SECRET}
    run("migrate")
    app = served()
    worker.tick(app)

    def failing():
        return {n: f["message"] for n, f in findings(run("doctor", "--json", code=1)).items() if not f["ok"]}

    def due(name, **by):
        at = Moment.of(app.now() + timedelta(**by))
        with app.db.writing() as db:
            db.execute(sa.update(worker.tasks).where(worker.tasks.c.name == name).values(due_at=at))

    due(worker.ALIVE, days=30)
    assert failing()["worker"].startswith("last seen in the future, 2,59")
    due(worker.ALIVE, seconds=worker.ALIVE_SECONDS)
    due(worker.CLOCK, minutes=-2)
    assert re.fullmatch(r"its clock is 1(19|20|21) s behind the database server's", failing()["worker"])
    due(worker.CLOCK)
    due("core.forget_large", hours=-1)
    assert re.fullmatch(r"a business has waited 3,6\d\d s for its timed work", failing()["tasks"])
    due("core.forget_large", minutes=1)
    if engine == "postgresql":  # SQLite has no clock but this machine's
        now = App.now
        monkeypatch.setattr(App, "now", lambda app: Moment.of(now(app) + timedelta(minutes=3)))
        assert re.fullmatch(r"this machine's is 1\d\d s ahead of the database server's", failing()["clock"])


def test_the_doctor_finds_a_database_that_cannot_be_written(run, monkeypatch):
    run("migrate")
    monkeypatch.setattr("billycan.engines.sqlite.WAIT_SECONDS", 0.01)
    with closing(sqlite3.connect("here.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        found = findings(run("doctor", "--json", code=1))
    assert found["database"]["message"] == "cannot be written: database is locked"


def test_the_doctor_finds_tables_of_another_form(on, served):
    with served().db.writing() as db:
        db.execute(sa.text("ALTER TABLE contacts RENAME COLUMN notes TO remarks"))
    found = findings(on("doctor", "--json", code=1))["schema"]
    assert found["message"] == (
        "contacts: the table contacts lacks the column notes; "
        "the table contacts has the column remarks, which the code does not declare"
    )
    assert found["cure"].startswith("never change a migration that has run: write a new one; while you are")
    assert "`billycan plugins drop contacts`" in found["cure"]


def test_the_doctor_finds_what_other_users_may_read(run, environ, tmp_path):
    tmp_path.chmod(0o755)
    name = "data/it's here.db"
    environ["BILLYCAN_DATABASE"] = f"sqlite:///{name}"
    run("migrate")
    assert findings(run("doctor", "--json", code=1))["files"] == {
        "check": "files",
        "ok": True,
        "message": "private",
        "cure": None,
        "figures": None,
    }
    Path("data").chmod(0o755)
    Path(name).chmod(0o644)
    found = findings(run("doctor", "--json", code=1))["files"]
    assert found["message"].startswith("other users of this machine may read or write ")
    assert found["cure"] == f"chmod o= {shlex.quote(name)} data"
    subprocess.run(found["cure"], shell=True, check=True)
    assert findings(run("doctor", "--json", code=1))["files"]["ok"]
    for name, mode in (("billycan.toml", 0o604), ("key", 0o602)):
        Path(name).write_text("" if name == "billycan.toml" else SECRET, "utf-8")
        Path(name).chmod(mode)
        environ["BILLYCAN_SECRET_FILE"] = "key" if name == "key" else ""
        found = findings(run("doctor", "--json", code=1))["files"]
        assert found["cure"] == f"chmod o= {name}"
        Path(name).chmod(0o640)


def test_the_doctor_says_how_much_is_kept_and_for_how_long(run, environ):
    run("migrate")
    nothing = findings(run("doctor", "--json", code=1))["kept"]
    assert nothing["message"].startswith("0 events (0 bytes); kept for 90 days, the newest 2 GiB of each business")
    client = Client(App(settings.load_settings(environ | {"BILLYCAN_SECRET": SECRET})).start())
    client.post("/v1/contacts", {"name": "Ada", "notes": "x" * 3_000}, Idempotency_Key="one")
    (event,) = client.get("/v1/events")["data"]
    client.app.close()
    found = findings(run("doctor", "--json", code=1, BILLYCAN_EVENTS_DAYS="7"))["kept"]
    log, answers = found["figures"]["events"], found["figures"]["answers"]
    assert found["ok"] and found["figures"]["events_days"] == 7
    assert (log["count"], log["oldest"], log["largest"]) == (1, event["created_at"], client.tenant_id)
    assert 3_000 < log["bytes"] == log["most_bytes"] < 4_000 and answers["count"] == 1 and answers["bytes"] < 600
    assert found["message"] == (
        f"1 event (3 KiB), the oldest of {event['created_at']}, the most (3 KiB) of {client.tenant_id};"
        " kept for 7 days, the newest 2 GiB of each business, and while they are to be delivered."
        f" 1 answer for repeated requests ({answers['bytes']} bytes), kept for 24 hours"
    )


def test_a_database_is_private_from_its_first_byte_on(run, environ, tmp_path):
    environ["BILLYCAN_DATABASE"] = "sqlite:///data/here.db"
    before = os.umask(0)
    try:
        run("migrate")
        with closing(sqlite3.connect("data/here.db")) as other:
            other.execute("SELECT * FROM core_tenants").fetchall()  # as long as it is open there are journals
            run("tenants", "create", "Derwent Plumbing")
            modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "data").iterdir()}
    finally:
        os.umask(before)
    assert {"here.db", "here.db-wal", "here.db-shm", "here.db-turn"} <= set(modes)
    assert set(modes.values()) == {0o600}
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700


def test_the_start_closes_files_that_others_may_read(run, environ, tmp_path, caplog):
    run("migrate")
    names = ["here.db", "here.db-turn", "here.db-wal", "here.db-shm"]
    before = os.umask(0o022)
    try:
        with closing(sqlite3.connect("here.db")) as other:
            other.execute("SELECT * FROM core_tenants").fetchall()  # as long as it is open there are journals
            for name in names:
                Path(name).chmod(0o644)
            Path("shared").chmod(0o755)
            app = App(settings.load_settings(environ | {"BILLYCAN_SECRET": SECRET})).start()
            app.close()
            assert {name: Path(name).stat().st_mode & 0o777 for name in names} == dict.fromkeys(names, 0o600)
            assert Path("shared").stat().st_mode & 0o777 == 0o700
            assert "here.db was open to other users (mode 0644): now only its owner may use it" in caplog.text
            # A group that was let in, and nobody else, stays: whoever did that meant it.
            Path("here.db").chmod(0o640)
            app.start()
            app.close()
            assert Path("here.db").stat().st_mode & 0o777 == 0o640
    finally:
        os.umask(before)


def test_the_doctor_s_cure_is_the_one_of_the_fault(run, install):
    install(Manifest(name="guest"), autenticate=lambda app: None)
    finding = findings(run("doctor", "--json", code=1, BILLYCAN_PLUGINS="guest"))["settings"]
    assert finding["message"].startswith("guest: unknown hook 'autenticate'")
    assert finding["cure"] == "remove the hook or correct its name"


def test_the_doctor_knows_the_secret_that_serve_made(run, tmp_path):
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "secret").write_text(SECRET, "utf-8")
    assert findings(run("doctor", "--json", code=1))["secret"]["ok"]


@pytest.mark.parametrize(
    ("variables", "check", "said"),
    [
        ({"BILLYCAN_COLOUR": "red"}, "settings", "colour: unknown setting"),
        ({"BILLYCAN_PLUGINS": "nothing"}, "settings", "enabled but not installed: nothing"),
        ({"BILLYCAN_DATABASE": "sqlite:////proc/none/here.db"}, "settings", "/proc/none: No such file"),
        (
            {"BILLYCAN_DATABASE": "postgresql+psycopg://me:hush@127.0.0.1:1/none"},
            "database",
            "postgresql+psycopg://me:***@127.0.0.1:1/none: the database cannot be used: ",
        ),
    ],
)
def test_the_doctor_survives_what_stops_all_else(run, variables, check, said):
    finding = findings(run("doctor", "--json", code=1, **variables))[check]
    assert not finding["ok"]
    assert finding["message"].startswith(said)


@pytest.mark.parametrize(
    ("path", "here", "typed"),
    [
        ("/usr/bin", "{own}", ".venv/bin/billycan migrate"),
        ("/usr/bin", "{own}/var", "'{own}/.venv/bin/billycan' migrate"),
        ("{own}/.venv/bin:/usr/bin", "{own}", "billycan migrate"),
        ("{own}/other:{own}/.venv/bin", "{own}", ".venv/bin/billycan migrate"),  # another's is found first
    ],
)
def test_what_is_said_to_type_works_where_it_is_pasted(tmp_path, monkeypatch, path, here, typed):
    own = tmp_path / "a clone"
    for folder in (own / ".venv" / "bin", own / "other", own / "var"):
        folder.mkdir(parents=True)
        (folder / "billycan").touch(0o755)
    monkeypatch.setattr(sys, "executable", str(own / ".venv" / "bin" / "python"))
    monkeypatch.setenv("PATH", path.format(own=own))
    monkeypatch.chdir(here.format(own=own))
    said = command_line("migrate")
    assert said == typed.format(own=own)
    look = ["/bin/sh", "-c", f"command -v {said.removesuffix(' migrate')}"]
    pasted = subprocess.run(look, capture_output=True, text=True, check=True)
    assert Path(pasted.stdout.strip()).resolve() == own / ".venv" / "bin" / "billycan"


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"BILLYCAN_COLOUR": "red"}, "colour: unknown setting"),
        ({"BILLYCAN_PLUGINS": "nothing"}, "enabled but not installed: nothing"),
        ({"BILLYCAN_DATABASE": "nonsense"}, "database: must be a SQLAlchemy URL"),
        ({"BILLYCAN_DATABASE": "postgresql+psycopg2://x/y"}, "database: its driver is not installed"),
        ({"BILLYCAN_DATABASE": "postgresql+psycopg://me:hush@127.0.0.1:1/none"}, "the database cannot be used: "),
        ({"BILLYCAN_DATABASE": "sqlite:////proc/none/here.db"}, "/proc/none: No such file or directory"),
    ],
)
@pytest.mark.parametrize("words", [["migrate"], ["tenants", "list"]])
def test_what_is_wrong_is_said_in_one_line(run, words, variables, said):
    assert refusal(run(*words, code=1, **variables)).startswith(said)


def test_the_worker_does_not_start_without_a_secret_or_tables(run):
    assert refusal(run("worker", code=1)).startswith("secret: set BILLYCAN_SECRET or BILLYCAN_SECRET_FILE")
    assert "run `billycan migrate`" in refusal(run("worker", code=1, BILLYCAN_SECRET=SECRET))


def test_the_release_is_said(run):
    """In a clone with the commit, too: see tests/test_releases.py."""
    assert re.fullmatch(
        re.escape(version("billycan-core")) + r"( \([0-9a-f]{12}(-dirty)?\))?\n", run("--version").stdout
    )


def test_help_shows_the_commands_even_where_the_settings_are_wrong(run):
    shown = run("--help", BILLYCAN_COLOUR="red")
    assert "serve" in shown.stdout
    assert "The commands of plugins are not listed: colour: unknown setting" in shown.stderr


def every_command(group: click.Group, *above: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    for name in [*cli.CORE] if group is cli.commands else group.commands:
        command = group.get_command(click.Context(group), name)
        if isinstance(command, click.Group):
            yield from every_command(command, *above, name)
        else:
            yield (*above, name), command


@pytest.mark.parametrize("path", [" ".join(path) for path, _ in every_command(cli.commands)])
def test_every_command_s_help_has_an_example(run, path):
    assert f"\n  billycan {path}" in run(*path.split(), "--help").stdout


HEAVY = {
    "alembic",
    "billycan.app",
    "falcon",
    "gunicorn",
    "httpcore",
    "huey",
    "pluggy",
    "psycopg",
    "redis",
    "sqlalchemy",
}


@pytest.mark.whole
@pytest.mark.parametrize("words", ["--help", "--version", "serve --help", "keys create --help", "webhooks --help"])
def test_help_starts_without_what_only_some_commands_need(words, environ):
    run = "import sys; from billycan.tools.cli import commands; commands(sys.argv[1:], standalone_mode=False)"
    check = f"{run}; print(*sys.modules, file=sys.stderr)"
    environ = {**environ, "BILLYCAN_PLUGINS": "webhooks,audit"}
    given = [sys.executable, "-c", check, *words.split()]
    done = subprocess.run(given, check=True, capture_output=True, text=True, timeout=60, env=environ)
    assert done.stdout
    assert not HEAVY & set(done.stderr.split())
