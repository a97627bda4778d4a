"""The documents are true: every block of code in them is run or checked, and so is every link."""

import importlib.util
import inspect
import json
import os
import pkgutil
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Annotated, get_origin
from unittest import mock

import click
import msgspec
import pluggy
import pytest
import webtest
import yaml

from billycan import db, demo, fields, hookspecs, keys
from billycan.describe import schemas
from billycan.describe.codes import CODES
from billycan.members import parts
from billycan.sharing import limits
from billycan.starting import packages, plugins, settings
from billycan.testing import Client
from billycan.tools import scaffold
from billycan.tools.cli import commands
from billycan_agents.testing import agent_of

pytestmark = pytest.mark.either

ROOT = Path(__file__).parents[1]
WITH_CLIENT = pytest.mark.skipif(
    not (ROOT / "plugins/client").is_dir(), reason="Links to the client were NOT TESTED: not installed"
)
PAGES = [
    ROOT / "README.md",
    *sorted(ROOT.glob("docs/*.md")),
    *sorted(ROOT.glob("docs/decisions/*.md")),
    *sorted(ROOT.glob("plugins/*/README.md")),
    *sorted(ROOT.glob("examples/*/README.md")),
]
TUTORIAL = ROOT / "docs" / "write-a-plugin.md"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Programs of the system in the documents: only the files of ours that they name are checked.
SYSTEM = {
    *(
        "adduser",
        "cd",
        "chgrp",
        "chmod",
        "cp",
        "createdb",
        "createuser",
        "export",
        "install",
        "mkdir",
        "pg_basebackup",
        "pg_ctlcluster",
        "touch",
    ),
    *("docker", "git", "mv", "pip", "psql", "pytest", "python", "python3", "set", "sqlite3", "systemctl", "umask", "."),
}


def test_every_hook_is_documented_with_its_signature():
    text = (ROOT / "docs" / "hooks.md").read_text("utf-8")
    hooks = [f for f in vars(hookspecs).values() if inspect.isfunction(f) and hasattr(f, "billycan_spec")]
    assert len(hooks) == 10
    for hook in hooks:
        signature = f"| `{hook.__name__}({', '.join(inspect.signature(hook).parameters)})` |"
        assert signature in text, signature


@pytest.mark.whole
@WITH_CLIENT
def test_every_link_between_documents_leads_somewhere():
    for page in PAGES:
        for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", page.read_text("utf-8")):
            to = page.parent / target if target else page
            assert to.is_file(), f"{page.relative_to(ROOT)}: {target}"
            if anchor:
                headings = re.findall(r"^#+ (.*)$", to.read_text("utf-8"), re.MULTILINE)
                slugs = [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]
                assert anchor in slugs, f"{page.relative_to(ROOT)}: {target}#{anchor}"


@pytest.mark.whole
@WITH_CLIENT
def test_the_paths_the_documents_name_exist():
    for page in (ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("docs/decisions/*.md")):
        if page == TUTORIAL:  # It names those of its plugin.
            continue
        for path in re.findall(r"`((?:core|plugins|examples|deploy|docs|tests)/[\w./-]*)`", page.read_text("utf-8")):
            assert (ROOT / path).exists(), f"{page.name}: {path}"


@pytest.mark.whole
def test_the_modules_and_names_that_the_documents_give_exist():
    found = 0
    for page in PAGES:
        if page.name == "changelog.md" or page.parent.name == "decisions":  # which name what there was
            continue
        if page.parent.name == "telemetry":  # whose spans have attributes with such names
            continue
        for name in re.findall(r"`(billycan(?:\.\w+|_\w+\.api)[\w.]*)", page.read_text("utf-8")):
            if name != "billycan.toml":
                assert _is_there(name), f"{page.relative_to(ROOT)}: there is no {name}"
                found += 1
    assert found > 40


def _is_there(name: str) -> bool:
    """Tell whether a dotted name is that of a module, or of something in one."""
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def test_a_command_that_a_document_shows_is_found_where_it_is_pasted():
    """By its path, or because the page had its reader activate the environment first."""
    shown = 0
    for page in PAGES:
        if page.parts[-3:-1] == ("plugins", "client"):  # which is installed anywhere
            continue
        text = page.read_text("utf-8")
        for block in re.finditer(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            for line in block[1].splitlines():
                if re.match(r"(\w+=\S* )*(billycan|pytest|pip) ", line):
                    shown += 1
                    assert ". .venv/bin/activate" in text[: block.end()], f"{page.relative_to(ROOT)}: {line}"
    assert shown > 10


SECTIONS = ["Fields", "States", "Routes", "Events", "Settings", "Commands", "For other plugins"]


def test_the_pages_of_plugins_have_the_same_sections_in_the_same_order():
    for page in ROOT.glob("plugins/*/README.md"):
        shared = [heading for heading in _headings(page) if heading in SECTIONS]
        assert shared == [heading for heading in SECTIONS if heading in shared], page
    for name in plugins.first_party():
        if plugins.read_manifest(name).tables:
            headings = _headings(ROOT / "plugins" / name / "README.md")
            assert set(SECTIONS[:5]) <= set(headings), name


def _headings(page: Path) -> list[str]:
    return re.findall(r"^## (.*)$", BLOCK.sub("", page.read_text("utf-8")), re.MULTILINE)


def test_what_a_plugin_offers_others_is_on_its_page():
    """Each public name of its `api`, a function with its parameters."""
    pages = 0
    for name in plugins.first_party():
        page = ROOT / "plugins" / name / "README.md"
        if not (page.parent / f"billycan_{name}" / "api.py").exists():
            continue
        pages += 1
        module = importlib.import_module(f"billycan_{name}.api")
        text = page.read_text("utf-8").partition("## For other plugins")[2]
        for public in getattr(module, "__all__", [public for public in vars(module) if _offers(module, public)]):
            offered, takes = getattr(module, public), ""
            if inspect.isfunction(offered):
                signature = inspect.signature(offered)
                bare = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
                takes = str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))
            assert f"`{public}{takes}" in text, f"{name}: {public}{takes}"
    assert pages


def _offers(module: ModuleType, name: str) -> bool:
    offered = getattr(module, name)
    made_here = getattr(offered, "__module__", "") == module.__name__ or getattr(offered, "__name__", "") == "names"
    return not name.startswith("_") and made_here


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 130


@pytest.mark.whole
def test_every_code_is_documented_with_its_status():
    text = (ROOT / "docs" / "errors.md").read_text("utf-8")
    _, core, of_plugins, _ = re.split(r"^##+ (?:Codes|From plugins|In `details`)$", text, flags=re.MULTILINE)
    assert _codes(core) == {code: said.status for code, said in CODES.items()}
    manifests = [plugins.read_manifest(name) for name in plugins.first_party()]
    assert _codes(of_plugins) == {code: status for m in manifests for code, (status, _) in m.codes.items()}


def _codes(table: str) -> dict[str, int]:
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \| [^|]+ \| [^|]+ \|$", table, re.MULTILINE)
    assert len(rows) == len(re.findall(r"^\| \d", table, re.MULTILINE))
    return {code: int(status) for status, code in rows}


def test_what_a_wrong_set_of_plugins_is_told(make_app):
    said = re.search(r"`(invoices requires [^`]*)`", (ROOT / "docs" / "plugins.md").read_text("utf-8"))
    with pytest.raises(plugins.PluginError, match=re.escape(said[1])):
        make_app("contacts", "invoices")


@pytest.mark.whole
def test_a_deprecated_route_says_so_as_documented(install, make_app):
    text = (ROOT / "docs" / "versions.md").read_text("utf-8")
    example, hook = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    exec(example, given := {})
    install(msgspec.structs.replace(plugins.read_manifest("assets"), routes=(given["route"],), records=()))
    shown = re.search(r"^```\n(Deprecation: .*?)^```$", text, re.MULTILINE | re.DOTALL)[1]
    refused = Client(make_app("assets", "contacts")).call("POST", "/v1/assets/ast_1/retire", status=404)
    for header in shown.splitlines():
        name, _, value = header.partition(": ")
        assert refused.headers[name] == value
    exec(hook, given := {})
    manager = pluggy.PluginManager("billycan")
    manager.add_hookspecs(SimpleNamespace(on_event=given["on_event"]))
    with pytest.warns(DeprecationWarning, match="rename your function"):
        manager.register(SimpleNamespace(on_event=hookspecs.hookimpl(lambda ctx, event: None)))


def test_every_variable_that_a_document_sets_is_read():
    known = {plugin: plugins.read_manifest(plugin).settings for plugin in packages.installed()}
    for page in PAGES:
        for name in re.findall(r"\bBILLYCAN_([A-Z_]+)\b(?!<)", page.read_text("utf-8")):
            plugin, of_plugin, setting = name.lower().partition("__")
            kind = known[plugin] if of_plugin else settings.Settings
            elsewhere = {settings.CONFIG, settings.SECRET_FILE, *settings.ELSEWHERE, "BILLYCAN_RECORD"}
            is_read = f"BILLYCAN_{name}" in elsewhere or (setting or plugin) in kind.__struct_fields__
            assert is_read, f"{page.relative_to(ROOT)}: BILLYCAN_{name}"


def test_each_file_and_function_on_the_way_of_a_request_is_there():
    homes = [ROOT / "core/billycan", *(ROOT / f"plugins/{name}/billycan_{name}" for name in ("webhooks", "contacts"))]
    hooks = {name for name, each in vars(hookspecs).items() if hasattr(each, "billycan_spec")}
    cells = re.findall(r"^\| \d+ \| [^|]* \| ([^|]*) \|", (ROOT / "docs/request.md").read_text("utf-8"), re.MULTILINE)
    assert len(cells) > 25
    for cell in cells:
        for names, file in re.findall(r"((?:`[\w.]+`,? )+)in `([\w/]+\.py)`", cell):
            sources = [(home / file).read_text("utf-8") for home in homes if (home / file).is_file()]
            for name in re.findall(r"[\w.]+(?=`)", names):
                named = [rf"(def|class) {part}\b" for part in name.split(".")]
                assert any(all(re.search(one, text) for one in named) for text in sources), f"{name} in {file}"
        for file in re.findall(r"`([\w/]+\.py)`", cell):
            assert any((home / file).is_file() for home in homes), file
        assert {*re.findall(r"hook `(\w+)`", cell)} <= hooks, cell


def test_every_type_of_a_member_is_documented_with_its_column():
    table = TUTORIAL.read_text("utf-8").partition("## Types")[2].partition("## ")[0]
    columns = {str: "`sa.Text`", int: "`sa.Integer`", date: "`sa.Date`", fields.Moment: "`UTCDateTime`", dict: "`Json`"}
    told = set()
    for names, takes, column in re.findall(r"^\| (`.*`) \| (.*) \| (.*) \|$", table, re.MULTILINE):
        for name in re.findall(r"`(\w+)`", names):
            plain, rule, _ = parts(getattr(fields, name))
            told.add(name)
            decimals = f"`Decimals({getattr(rule, 'places', 2)})`"
            assert column in ("–", columns.get(get_origin(plain) or plain, decimals)), name
            if "characters" in takes:
                assert f"{rule.most:,}" in takes and (not rule.least or f"{rule.least} to" in takes), name
    assert told == {name for name in fields.__all__ if get_origin(getattr(fields, name)) is Annotated} | {"Moment"}


def test_members_are_described_as_documented():
    class NewVehicle(msgspec.Struct):
        """A vehicle as sent.

        plate: What the plate says.
        """

        plate: fields.Name
        colour: Annotated[str, msgspec.Meta(description="Its colour.", examples=["red"])]

    (_, structs) = schemas.describe_types([NewVehicle])
    members = structs["NewVehicle"]["properties"]
    assert members["plate"]["description"] == "What the plate says."
    assert (members["colour"]["description"], members["colour"]["examples"]) == ("Its colour.", ["red"])


def test_a_deprecated_member_is_described_as_such():
    text = (ROOT / "docs" / "after-the-first-release.md").read_text("utf-8").partition("## Retire a member")[2]
    exec(BLOCK.search(text)[2], given := {"__name__": "visits"})
    (_, structs) = schemas.describe_types([given["Visit"]])
    hours = structs["Visit"]["properties"]["hours"]
    assert (hours["deprecated"], hours["description"]) == (True, "Use `minutes`.")


def test_the_documented_plugin_with_hooks_only_works(install, make_app):
    text = (ROOT / "docs" / "hooks.md").read_text("utf-8").partition("## A plugin with hooks only")[2]
    exec(BLOCK.findall(text)[0][1], given := {})
    project = tomllib.loads(BLOCK.findall(text)[1][1])
    assert list(project["project"]["entry-points"][plugins.GROUP]) == [given["manifest"].name]
    install(given["manifest"], authorize=given["authorize"])
    client = Client(make_app("contacts", "keep_all"))
    id = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    client.refused(403, "insufficient_scope", "DELETE", f"/v1/contacts/{id}")


def test_what_hooks_answer_is_documented():
    text = (ROOT / "docs" / "hooks.md").read_text("utf-8")
    for kind in (keys.Identity, limits.Allowance):
        (table,) = re.findall(rf"^\| Member of an? `{kind.__qualname__}` .*?(?=\n\n)", text, re.MULTILINE | re.DOTALL)
        rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
        assert set(re.findall(r"`(\w+)`", " ".join(rows))) == set(kind.__struct_fields__)


@pytest.fixture
def reader(make_app, clock):
    """Return a reader with a sandbox key of the demo business, who follows the documents command by command."""
    app = make_app(*plugins.first_party(), fresh=True, per_minute=100, per_second=20)
    return Reader(app, demo.first(app).test_key, clock)


@pytest.mark.whole
def test_every_block_of_the_documents_works(reader):
    tables = set(db.metadata.tables)
    for page in PAGES:
        if page != TUTORIAL:
            reader.follow(page)
    for name in set(db.metadata.tables) - tables:  # for the next database
        db.metadata.remove(db.metadata.tables[name])


@pytest.fixture
def vehicles(tmp_path, monkeypatch):
    """Install the plugin of the tutorial for this test."""
    folder = tmp_path / "billycan-vehicles"
    scaffold.write(scaffold.words("vehicles", None, None, None), folder)
    change(folder)
    installed = folder / "billycan_vehicles-1.0.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: billycan-vehicles\nVersion: 1.0.0\n", "utf-8")
    (installed / "entry_points.txt").write_text("[billycan.plugins]\nvehicles = billycan_vehicles.plugin\n", "utf-8")
    monkeypatch.syspath_prepend(folder)
    yield folder
    for name in [name for name in sys.modules if name.startswith("billycan_vehicles")]:
        del sys.modules[name]
    if "vehicles" in db.metadata.tables:
        db.metadata.remove(db.metadata.tables["vehicles"])


def change(folder: Path) -> None:
    """Make the tutorial's changes in order, each in the file that the text before it names."""
    path = ""
    for before, block in re.findall(
        r"(.*?)^```diff\n(.*?)^```$", TUTORIAL.read_text("utf-8"), re.MULTILINE | re.DOTALL
    ):
        named = re.findall(r"`((?:migrations/|tests/)?\w+\.(?:py|md))`", before)
        path = named[-1] if named else path
        file = (
            folder / path if path.startswith("tests/") or path == "README.md" else folder / "billycan_vehicles" / path
        )
        lines = block.splitlines(keepends=True)
        old = "".join(line[1:] for line in lines if line[0] != "+")
        assert file.read_text("utf-8").count(old) == 1, f"{path}:\n{old}"
        file.write_text(
            file.read_text("utf-8").replace(old, "".join(line[1:] for line in lines if line[0] != "-")), "utf-8"
        )


@pytest.mark.long
@pytest.mark.sqlite_alone
def test_the_tutorial_leads_to_a_plugin_that_works(engine, vehicles, make_app, clock):
    if engine == "sqlite":
        # In this process, since another would take seconds to import what is here already.
        run = ["-q", "--engine", "sqlite", "-p", "no:cacheprovider", "--import-mode=importlib", "--rootdir", vehicles]
        assert pytest.main([*map(str, run), str(vehicles)]) == 0
    assert len([line for line in TUTORIAL.read_text("utf-8").splitlines() if line.startswith("+")]) < 100
    app = make_app(*plugins.first_party(), "vehicles", fresh=True, per_minute=100, per_second=20)
    Reader(app, demo.first(app).test_key, clock).follow(TUTORIAL)


class Reader:
    def __init__(self, app, key, clock):
        self.app, self.key, self.clock = app, key, clock
        self.ids: dict[str, str] = {}

    def follow(self, page: Path) -> None:
        """Carry out a page in order; each answer it shows must be the answer received."""
        self.page, self.answer, self.seen = page.relative_to(ROOT), None, {}
        # The tests of webhooks write these deliveries, and compare them.
        text = re.sub(r"<!-- examples -->.*<!-- end of examples -->", "", page.read_text("utf-8"), flags=re.DOTALL)
        blocks = BLOCK.findall(text)
        assert len(blocks) == text.count("\n```") / 2, f"{self.page}: a block of code is not closed"
        for (kind, block), (after, shown) in pairwise([*blocks, ("", "")]):
            self.refused = after == "json" and '"error": {' in shown
            getattr(self, f"read_{kind or 'text'}")(block)

    def read_sh(self, block: str) -> None:
        if "$AGENT_KEY" in block:
            client = Client(self.app, self.app.keys.identify(self.key).tenant_id)
            block = block.replace("$AGENT_KEY", agent_of(client, "propose").secret)
        for words in simple_commands(block.replace("$URL", "").replace("$KEY", self.key)):
            if words[0] == "sudo":
                words = words[words.index("-u") + 2 :]  # noqa: PLW2901
            program = words[0].removeprefix(".venv/bin/")
            if program in ("curl", "billycan", "make"):
                getattr(self, program)(words[1:])
            else:
                assert program in SYSTEM, f"{self.page}: nobody checks {program}"
                self.files(words[1:])

    def read_json(self, block: str) -> None:
        assert self.answer is not None, f"{self.page}: this is the answer to nothing: {block}"
        whole = re.sub(r"…(?=\s*\])", '"…"', re.sub(r"…(?=\s*\})", '"…": null', block))
        try:
            matches(json.loads(whole, parse_float=Decimal), self.answer, "")
        except AssertionError as error:
            raise AssertionError(f"{self.page}: {error}\n{json.dumps(self.answer, default=str, indent=1)}") from None

    def read_python(self, block: str) -> None:
        if self.page.parts[:2] == ("plugins", "client"):
            return  # its own tests run it, on a server
        if self.page.name == "apps.md":
            return  # run in plugins/apps/tests/test_libraries.py, on a server, with a person who consents
        if self.page.name in ("extend.md", "after-the-first-release.md") and not re.search("^(from|import) ", block):
            # from an example, which has tests of its own
            assert any(block in path.read_text("utf-8") for path in ROOT.glob("examples/visits/**/*.py")), block
            return
        exec(compile(block, str(self.page), "exec", dont_inherit=True), {})

    def read_ts(self, block: str) -> None:
        assert self.page.name == "typescript.md"  # run in plugins/client/tests/test_typescript.py

    def read_diff(self, block: str) -> None:
        assert self.page.name == TUTORIAL.name  # whose plugin the answers are from

    def read_js(self, block: str) -> None:
        assert self.page.name in ("README.md", "webhooks.md")  # run in plugins/webhooks/tests/test_tools.py

    def read_toml(self, block: str) -> None:
        table = tomllib.loads(block)
        if "dependencies" not in table:  # of a pyproject.toml
            core = {name: value for name, value in table.items() if not isinstance(value, dict)}
            core["plugins"] = ",".join(core.get("plugins", [])) or None
            settings.convert_settings(core, settings.Settings, "")

    def read_yaml(self, block: str) -> None:
        (job,) = yaml.safe_load(block)["scrape_configs"]  # of Prometheus: with the names that the alerts expect
        assert (job["job_name"], job["metrics_path"]) == ("billycan", "/-/metrics")

    def read_text(self, block: str) -> None:
        for variable in re.findall(r"^BILLYCAN_(\w+)=", block, re.MULTILINE):
            known = (*settings.Settings.__struct_fields__, "config", "secret_file", "bind", "workers", "worker_class")
            assert variable.lower() in known, f"{self.page}: {variable}"

    def curl(self, words: list[str]) -> None:
        method, headers, body, url = None, {}, "", ""
        while words:
            word = self.with_ids(words.pop(0))
            if word == "-X":
                method = words.pop(0)
            elif word == "-H":
                name, _, value = words.pop(0).partition(": ")
                headers[name] = value
            elif word == "-d":
                body = self.with_ids(words.pop(0))
            elif word.startswith(">"):
                break
            elif word != "-s":
                word = word.removeprefix("https://api.example.com")
                assert not url and word.startswith("/"), f"{self.page}: {word}"
                url = word
        method = method or ("POST" if body else "GET")
        answer = self.ask(method, url, headers, body)
        assert (answer.status_int >= 400) == self.refused, f"{self.page}: {method} {url}: {answer.text}"
        self.answer = Client.decoded(answer)
        if not self.refused:
            data = self.answer.get("data", {})  # the OpenAPI document has none
            for record in [data] if isinstance(data, dict) else data[:1]:
                if "id" in record:
                    self.seen[record["id"][:3]] = record["id"]

    def ask(self, method: str, url: str, headers: dict[str, str], body: str = ""):
        self.clock.move(seconds=1)
        return webtest.TestApp(self.app.wsgi).request(
            url, method=method, headers=headers, body=body.encode(), status="*"
        )

    def with_ids(self, text: str) -> str:
        """Replace each placeholder of an id, such as con_…, with the last id seen or with an existing one."""
        if "_…" in text and not self.ids:
            for route in (e.route for e in self.app.endpoints if e.route.method == "GET" and "{" not in e.route.path):
                answer = self.ask("GET", route.path, {"Authorization": f"Bearer {self.key}"})
                is_json = answer.status_int == 200 and "json" in answer.content_type
                data = answer.json.get("data") if is_json else None
                if isinstance(data, list) and data and "id" in data[0]:
                    self.ids[data[0]["id"][:3]] = data[0]["id"]
        return re.sub(r"\b([a-z]{3})_…", lambda m: (self.ids | self.seen)[m[1]], text)

    def billycan(self, words: list[str]) -> None:
        """Parse a command as the console script does, and stop before it runs."""
        command, context = commands, None
        words = [word.replace("…", "01abc") for word in words]
        while isinstance(command, click.Group):
            assert words and command.get_command(context, words[0]), f"{self.page}: billycan {words}"
            command, words = command.get_command(context, words[0]), words[1:]
        with mock.patch.dict(os.environ, {"BILLYCAN_KEY": self.key}):
            command.make_context(command.name, words)

    def make(self, words: list[str]) -> None:
        targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
        assert {word for word in words if "=" not in word} <= set(targets), f"{self.page}: make {words}"

    def files(self, words: list[str]) -> None:
        for word in words:
            if re.match(r"(\./)?(core|plugins|deploy|examples|docs)\b", word):
                assert list(ROOT.glob(word)), f"{self.page}: {word}"


def simple_commands(block: str) -> Iterator[list[str]]:
    """Yield the commands of a shell script, as words, without assignments of variables."""
    held = ""
    for line in block.splitlines():
        held += line
        try:
            words = shlex.split(held.removesuffix("\\"), comments=True)
        except ValueError:  # a quotation goes on
            held += "\n"
            continue
        if held.endswith("\\"):
            held = held[:-1] + " "
            continue
        held = ""
        words = [part for word in words for part in ([word[:-1], ";"] if word.endswith(";") else [word])]
        while words:
            end = next((n for n, word in enumerate(words) if word in (";", "|", "&&")), len(words))
            command, words = words[:end], words[end + 1 :]
            while command and re.match(r"\w+=", command[0]):
                command.pop(0)
            if command:
                yield command
    assert not held, held


def matches(shown, real, at: str) -> None:
    """Assert that an answer is as documented: ids, times, dates and numbers by form, and … for any more."""
    if isinstance(shown, dict) and isinstance(real, dict):
        open_ended = shown.pop("…", ...) is None
        assert shown.keys() <= real.keys() if open_ended else shown.keys() == real.keys(), (
            f"{at}: {sorted(shown.keys() ^ real.keys())}"
        )
        for name, value in shown.items():
            matches(value, real[name], f"{at}.{name}")
    elif isinstance(shown, list) and isinstance(real, list):
        open_ended = bool(shown) and shown[-1] == "…"
        shown = shown[:-1] if open_ended else shown
        assert len(shown) <= len(real) if open_ended else len(shown) == len(real), f"{at}: {len(real)} items"
        for n, value in enumerate(shown):
            matches(value, real[n], f"{at}[{n}]")
    else:
        assert form(shown) == form(real) or elided(shown, real), f"{at}: {shown!r} is {real!r}"


def form(value):
    if not isinstance(value, str):
        return value
    value = re.sub(r"\b([a-z]{3,4})_[0-9a-z]{26}\b", r"\1_", value)
    value = re.sub(r"\b\d{4}-\d\d-\d\dT[\d:.]+Z", "<time>", value)
    return re.sub(r"\b(\d{4}-\d\d-\d\d|(?<=INV-)\d{4,})\b", "<n>", value)


def elided(shown, real) -> bool:
    """Tell whether a text fits one that is shortened: `req_9b6c…` stands for any text of its kind."""
    return isinstance(shown, str) and shown.endswith("…") and str(real).startswith(shown[:4])


@pytest.fixture(scope="module")
def site():
    spec = importlib.util.spec_from_file_location("pages", ROOT / "docs" / "site" / "pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.whole
@WITH_CLIENT
def test_the_site_has_every_document_and_its_links_hold(site, make_app, engine, tmp_path):
    if engine != "sqlite":
        pytest.skip("the document is the same")
    document = json.loads(json.dumps(make_app(*plugins.first_party()).openapi(), default=str))
    site.lay_out(tmp_path / "pages", document)
    laid = {path.relative_to(tmp_path / "pages").as_posix() for path in (tmp_path / "pages").rglob("*.md")}
    assert {p.relative_to(ROOT / "docs").as_posix() for p in ROOT.glob("docs/**/*.md")} < laid
    index = (tmp_path / "pages" / "index.md").read_text("utf-8")
    decisions = (tmp_path / "pages" / "decisions" / "README.md").read_text("utf-8").rpartition("```{toctree}")[2]
    for name in sorted(laid):
        text = (tmp_path / "pages" / name).read_text("utf-8")
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", re.sub(BLOCK, "", text)):
            assert (tmp_path / "pages" / name).parent.joinpath(target).is_file(), f"{name}: {target}"
        page = name.removesuffix(".md")
        is_listed = page in index or page.removeprefix("decisions/") in decisions.splitlines()
        assert name == "index.md" or "orphan: true" in text or is_listed, name
    for method, path in [
        (e.route.method, e.route.path) for e in make_app("invoices", "contacts", "documents", "hosted").endpoints
    ]:
        page = "core" if path.startswith(("/v1/me", "/v1/tenant", "/v1/events", "/v1/openapi")) else None
        page = "resources/hosted" if path == "/v1/branding" else page
        is_contacts = path.startswith("/v1/contacts") and "/statement" not in path
        page = page or f"resources/{'contacts' if is_contacts else 'invoices'}"
        assert f"### `{method} {path}`\n" in (tmp_path / "pages" / f"{page}.md").read_text("utf-8")


def test_systemd_takes_the_units(tmp_path):
    if (verify := shutil.which("systemd-analyze")) is None:
        pytest.skip("the units were NOT TESTED: no systemd-analyze")
    for unit in ROOT.glob("deploy/systemd/*.service"):
        # If billycan is not installed in /opt, systemd misses the program.
        (tmp_path / unit.name).write_text(
            re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", unit.read_text("utf-8"), flags=re.M), "utf-8"
        )
    done = subprocess.run([verify, "verify", *tmp_path.glob("*.service")], capture_output=True, text=True, check=False)
    ours = [line for line in done.stderr.splitlines() if "billycan" in line]
    assert not ours, ours
    rate = [verify, "security", "--offline=yes", "--threshold=20", *tmp_path.glob("*.service")]
    done = subprocess.run(rate, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    # It empties the user's folders in /dev/shm when either service stops, and the other one still uses them.
    assert "RemoveIPC=true" not in unit.read_text("utf-8")


def test_nginx_takes_its_configuration(tmp_path):
    text = (ROOT / "deploy" / "nginx.conf").read_text("utf-8")
    assert text.count("{") == text.count("}")
    nginx = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin")
    if nginx is None or shutil.which("openssl") is None:
        pytest.skip("nginx was NOT TESTED: it is not installed")
    pair = ["-keyout", tmp_path / "key.pem", "-out", tmp_path / "fullchain.pem"]
    new = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-subj",
        "/CN=api.example.com",
        "-days",
        "1",
        *pair,
    ]
    subprocess.run(new, check=True, capture_output=True)
    site = text.replace("/etc/ssl/billycan", str(tmp_path))
    whole = f"pid {tmp_path}/pid;\nevents {{}}\nhttp {{\naccess_log off;\n{site}\n}}\n"
    (tmp_path / "nginx.conf").write_text(whole, "utf-8")
    check = [nginx, "-t", "-e", tmp_path / "log", "-c", tmp_path / "nginx.conf"]
    done = subprocess.run(check, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "warn" not in done.stderr, done.stderr
