"""Installed is not enabled, and each way in which a set of plugins can be wrong stops the start and is named."""

import re
import sys
from collections.abc import Callable
from email import message_from_string
from importlib.metadata import EntryPoint
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar
from unittest.mock import Mock

import pytest
import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import replace

from billycan import (
    Actions,
    Context,
    Deleted,
    Event,
    Every,
    GstEntries,
    Identity,
    Manifest,
    Named,
    Page,
    Query,
    RecordPages,
    Records,
    Resource,
    Route,
    hookimpl,
)
from billycan.db import metadata
from billycan.migrations import resource_columns
from billycan.resources import Empty
from billycan.starting import migrate, packages, plugins, versions
from billycan.starting.packages import enabled_names
from billycan.starting.plugins import GROUP, PluginError
from billycan.testing import Client
from billycan_assets.plugin import manifest as assets
from billycan_assets.resource import Asset, NewAsset
from billycan_assets.resource import assets as declared

pytestmark = pytest.mark.either


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Make these modules the only installed plugins, and these their former names: `installed(assets=module)`."""
    entries: list[EntryPoint] = []
    monkeypatch.setattr(packages, "_entry_points", lambda group, *path: [e for e in entries if e.group == group])
    monkeypatch.setattr(packages, "first_party", lambda: {e.name for e in entries if e.group == GROUP})

    def install(former: dict[str, str] | None = None, **modules: Any) -> None:
        entries.extend(EntryPoint(*names, packages.FORMER_NAMES) for names in (former or {}).items())
        for name, module in modules.items():
            path = module if isinstance(module, str) else f"fake_{name}_{len(entries)}"
            if not isinstance(module, str):
                monkeypatch.setitem(sys.modules, path, module)
            entries.append(EntryPoint(name, path, GROUP))

    return install


def plugin(name: str, hooks: dict[str, Callable[..., Any]] | None = None, **manifest: Any) -> ModuleType:
    module = ModuleType(f"fake_{name}")
    module.manifest = Manifest(name=name, **manifest)
    for hook, function in (hooks or {}).items():
        setattr(module, hook, hookimpl(function))
    return module


def load(*names: str) -> list[str]:
    """The names in the order they are loaded."""
    return list(plugins.load_plugins(names, {"core": ModuleType("core")})[1])


@pytest.mark.parametrize(
    ("setting", "enabled"),
    [
        (None, ["contacts", "staff"]),
        ("", ["contacts", "staff"]),
        ("staff", ["staff"]),
        (" staff , assets ", ["assets", "staff"]),
        ("+assets", ["assets", "contacts", "staff"]),
        ("+assets,-staff", ["assets", "contacts"]),
        ("-staff,-contacts", []),
        ("-assets", ["contacts", "staff"]),
    ],
)
def test_a_list_or_changes_to_the_default(installed, monkeypatch, setting, enabled):
    installed(contacts=plugin("contacts"), staff=plugin("staff"), assets=plugin("assets"))
    monkeypatch.setattr(packages, "first_party", lambda: {"contacts", "staff"})
    assert enabled_names(setting) == enabled


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("staff,+assets", "plugins: either list names, or change the default with + and - before every name"),
        ("-nothing", "plugins: -nothing names a plugin that is not installed: leave it out"),
        ("-gst", "plugins: gst is now called documents: write documents in its place"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(installed, setting, said):
    installed({"gst": "documents"}, staff=plugin("staff"), assets=plugin("assets"))
    with pytest.raises(PluginError, match=re.escape(said)):
        enabled_names(setting)


@pytest.mark.whole
def test_the_default_is_what_the_assembled_distribution_requires():
    assert {"contacts", "documents", "invoices"} <= plugins.first_party() <= set(plugins.installed())
    assert packages.renamed() == {"gst": "documents"}


def test_what_is_not_enabled_is_not_imported(installed):
    installed(good=plugin("good"), broken="no_such_module_anywhere")
    assert load("good") == ["good"]


@pytest.mark.parametrize("left", [(), ("gst",)])  # whether or not the old package is still there
def test_a_plugin_that_was_renamed_is_refused_with_its_new_name(installed, left):
    installed({"gst": "documents"}, **{name: plugin(name) for name in ("contacts", "documents", *left)})
    with pytest.raises(PluginError, match=r"^plugins: gst is now called documents: write documents in its place$"):
        load("contacts", "gst")


def test_dependencies_come_first_and_used_plugins_where_they_are_enabled(installed):
    installed(
        a=plugin("a", requires=("c",), uses=("z",)),
        c=plugin("c", uses=("missing",)),
        z=plugin("z"),
    )
    assert load("a", "c") == ["c", "a"]
    order = load("a", "c", "z")
    assert order.index("a") == 2


def test_hooks_are_called_in_the_order_of_dependence(installed):
    called: list[str] = []
    installed(
        first=plugin("first", {"startup": lambda app: called.append("first")}),
        last=plugin("last", {"startup": lambda: called.append("last")}, requires=("first",)),
    )
    manager, _ = plugins.load_plugins(["first", "last"], {})
    manager.hook.startup(app=None)
    assert called == ["first", "last"]


def refused(said: str, *names: str) -> None:
    with pytest.raises(PluginError, match=re.escape(said)):
        load(*names)


def test_one_that_is_not_installed(installed):
    installed(good=plugin("good"))
    refused(
        "enabled but not installed: assets, zebra_rides: install billycan-assets, billycan-zebra-rides, or remove what",
        "good",
        "zebra_rides",
        "assets",
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gst", "gst is now called documents: write documents in its place"),
        ("billycan-gst", "billycan-gst is now called documents: write documents in its place"),
        ("tenants", "tenants is a part of core: leave it out"),
        ("core", "core is a part of core: leave it out"),
        ("billycan-documents", "billycan-documents is the package of the plugin documents: write documents"),
        ("billycan_documents", "billycan_documents is the package of the plugin documents: write documents"),
        ("document", "there is no document: did you mean documents?"),
    ],
)
def test_a_mistaken_name_is_told_what_to_write(installed, name, said):
    installed({"gst": "documents"}, documents=plugin("documents"), a=plugin("a", requires=(name,)))
    refused(said, "documents", name)
    refused(f"a requires {name}: {said}", "documents", "a")


def test_a_former_name_or_a_part_of_core_is_not_used(installed):
    former = {"books": "documents"}
    installed(former, documents=plugin("documents"), a=plugin("a", uses=("books",)), b=plugin("b", uses=("documen",)))
    cure = "write documents in its place; `billycan.books` is a part of core, which every plugin has"
    refused(f"a uses books: books is now called documents: {cure}", "documents", "a")
    assert load("documents", "b")  # it may be a plugin that is not installed


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("billycan_gst.api", "gst is now called documents: write documents in its place"),
        ("billycan_trams.api", "install billycan-trams or disable it"),
        ("billycan_document", "there is no billycan_document: did you mean documents?"),
    ],
)
def test_an_import_of_another_plugin_by_a_mistaken_name(installed, tmp_path, monkeypatch, module, said):
    name = f"importing_{module.partition('.')[0]}"
    (tmp_path / f"{name}.py").write_text(f"import {module}", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    installed({"gst": "documents"}, documents=plugin("documents"), importing=name)
    refused("importing cannot be imported: ModuleNotFoundError", "importing")
    refused(said, "importing")


def test_one_that_cannot_be_imported(installed):
    installed(broken="no_such_module_anywhere")
    refused("broken cannot be imported: ModuleNotFoundError", "broken")


def test_one_that_raises_while_it_is_imported(installed, tmp_path, monkeypatch):
    (tmp_path / "raising_plugin.py").write_text("1 / 0", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    installed(raising="raising_plugin")
    refused("raising cannot be imported: ZeroDivisionError('division by zero'): fix it or disable it", "raising")


def test_one_without_a_manifest(installed):
    installed(bare=ModuleType("bare"))
    refused("bare has no manifest: bare must contain `manifest = Manifest(...)`", "bare")


def test_one_whose_entry_point_names_something_within_a_module(installed):
    module = plugin("assets")
    installed(assets=module)
    name = next(iter(plugins.installed().values())).value
    installed(zebras=f"{name}:manifest")
    refused(f"zebras: its entry point {name}:manifest must name a module", "zebras")


def test_one_that_calls_itself_otherwise(installed):
    installed(assets=plugin("asset"))
    refused("assets calls itself 'asset' in its manifest: make the names agree", "assets")


@pytest.mark.parametrize("name", ["Assets", "as-sets", "2assets", "as__sets", "_assets", "as.sets"])
def test_one_whose_name_would_not_do_for_tables_and_variables(installed, name):
    installed(**{name: plugin(name)})
    refused(f"{name!r} is not a valid plugin name: use lower-case words joined by _", name)


def test_one_with_the_name_of_a_part_of_core(installed):
    installed(core=plugin("core"))
    refused("core is the name of a part of core: rename the plugin", "core")


def test_two_of_one_name(installed):
    installed(assets=plugin("assets"))
    installed(assets=plugin("assets"))
    refused("assets is installed twice, as fake_assets_0 and fake_assets_1: uninstall one", "assets")


def test_one_whose_requirement_is_not_enabled(installed):
    installed(invoices=plugin("invoices", requires=("contacts",)), contacts=plugin("contacts"))
    refused("invoices requires contacts: enable it or disable invoices", "invoices")


def test_some_that_require_each_other(installed):
    installed(a=plugin("a", requires=("b",)), b=plugin("b", uses=("a",)))
    with pytest.raises(
        PluginError, match=r"plugins require each other: (a -> b -> a|b -> a -> b): remove one of these requirements"
    ):
        load("a", "b")


def test_one_with_a_hook_that_does_not_exist(installed):
    installed(assets=plugin("assets", {"on_evnt": lambda ctx: None}))
    refused("assets: unknown hook 'on_evnt'", "assets")


def test_one_whose_hook_takes_an_unknown_argument(installed):
    installed(assets=plugin("assets", {"startup": lambda application: None}))
    with pytest.raises(PluginError, match=r"^assets: .*application.*: use only the hook's arguments"):
        load("assets")


class Thing(Struct):
    """The data of an event."""

    id: str


class Options(Struct):
    """Settings."""

    size: int = 1


class Demanding(Struct):
    """Settings without a default."""

    size: int


class Eager(Struct):
    """Settings of which `billycan serve` is to use one that there is not."""

    when_alone: ClassVar[dict[str, str]] = {"sice": "1"}
    size: int = 0


class Poster:
    """A page."""

    def __init__(self, app: Any) -> None: ...


def table(name: str, prefix: str = "") -> sa.Table:
    return sa.Table(name, sa.MetaData(), sa.Column("id", sa.Text), info={"prefix": prefix} if prefix else {})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"requires": "contacts"}, 'in its manifest requires must be a tuple of plugin names, such as ("contacts",)'),
        ({"uses": ["contacts"]}, "in its manifest uses must be a tuple of plugin names"),
        ({"routes": Route("GET", "/v1/things", print, None)}, "in its manifest routes must be a tuple of Route("),
        ({"routes": (Route("GET", None, print, None),)}, "in its manifest routes must be a tuple of Route("),
        ({"events": ["asset.created"]}, "in its manifest events must map the name of each event to the Struct"),
        ({"tables": ("assets",)}, "in its manifest tables must be a tuple of tables"),
        ({"settings": {"size": 1}}, "in its manifest settings must be a Struct"),
        ({"settings": Demanding}, "its setting size has no default: give it one"),
        ({"tasks": (print,)}, "in its manifest tasks must be a tuple of Every(seconds=…, run=function)"),
        ({"tasks": (Every(seconds=0, run=print),)}, "a task runs every 0 seconds: it must be 1 or more"),
        ({"workers": print}, "in its manifest workers must be a tuple of functions"),
        (
            {"pages": ("/posters", Poster)},
            'in its manifest pages must be a tuple of pairs such as ("/posters", Poster)',
        ),
        ({"pages": (("/v1/posters", Poster),)}, "its page /v1/posters must begin with / and lie outside /v1 and /-"),
        ({"pages": (("/-/posters", Poster),)}, "its page /-/posters must begin with / and lie outside /v1 and /-"),
        ({"pages": (("posters", Poster),)}, "its page posters must begin with / and lie outside /v1 and /-: move it"),
        ({"records": ("/v1/things",)}, "in its manifest records must be a tuple of RecordPages"),
        ({"cards": (1,)}, "in its manifest cards must be a tuple of functions of the context"),
        ({"records": (RecordPages(path="/v1/nothings"),)}, "its records name /v1/nothings, which it does not list"),
        (
            {
                "routes": (Route("GET", "/v1/assets", print, "assets:read"),),
                "records": (RecordPages(path="/v1/assets", actions={"mend": RecordPages.Action()}),),
            },
            "its records of /v1/assets have no action mend: correct the actions",
        ),
        (
            {
                "routes": (Route("GET", "/v1/assets", print, "assets:read"),),
                "records": (RecordPages(path="/v1/assets", tells=("asset.mended",)),),
            },
            "its records of /v1/assets tell asset.mended, which it does not declare: correct tells",
        ),
        ({"demo": "yes"}, "in its manifest demo must be a function"),
        ({"settings": Eager}, "when_alone names sice, which is not among its settings: correct the name"),
        ({"offers": ("GstEntries",)}, "in its manifest offers must be a tuple of what others ask for"),
        (
            {"offers": (GstEntries(labels=("G99",), select=print),)},
            "what it offers as GstEntries has the label G99, which must be one of G1, ",
        ),
        (
            {"offers": (RecordPages.Place(at="record.beside", show=print),)},
            "what it offers as RecordPages.Place has 'record.beside' as at, which must be one of record.actions, ",
        ),
        (
            {"offers": (Manifest.Document.Routes("stamp"),)},
            "what it offers as Manifest.Document.Routes has 'stamp' as make, which must be a function",
        ),
        (
            {"offers": (Event.Carrier(needs="all"),)},
            "what it offers as Event.Carrier has needs that are not a SELECT of tenant_id and id",
        ),
        ({"events": {"AssetCreated": Thing}}, "'AssetCreated' is not a valid event name: use noun.past_verb"),
        ({"events": {"asset.created": dict}}, "the event asset.created must be declared with the Struct of its data"),
        (
            {"tables": (table("things"),)},
            "its table things must be called assets or assets_…: rename it",
        ),
        ({"tables": (table("assets"),)}, "has tables but no migrations: put them into the folder migrations beside"),
        (
            {"tables": (table("assets", "evt"),)},
            "ids that begin with evt are core's: choose another prefix",
        ),
        (
            {"tables": (table("assets", "Ast_"),)},
            "ids cannot begin with 'Ast_': a prefix is three lower-case letters",
        ),
    ],
)
def test_one_whose_manifest_says_what_cannot_be(installed, given, said):
    installed(assets=plugin("assets", **given), contacts=plugin("contacts"))
    with pytest.raises(PluginError, match=f"^assets:? {re.escape(said)}"):
        load("assets", "contacts")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("Manifest(name='mistaken', route=())", "Manifest has no route; did you mean routes? Correct it or disable it"),
        (
            "Manifest(\n    name='mistaken',\n    migrations='here',\n)",
            "Manifest has no migrations; it has name, requires, uses, settings,",
        ),
        (
            "Manifest(name='mistaken', routes=(billycan.Route('GET', '/v1/a', print, scop=None),))",
            "Route has no scop; did you mean scope? Correct it or disable it",
        ),
        (
            "Manifest(name='mistaken', routes=(billycan.Route('GET', '/v1/a', print, None, imports=True),))",
            "GET /v1/a: imports is for a POST that makes a record of its body",
        ),
    ],
)
def test_one_whose_manifest_has_an_unknown_member(installed, tmp_path, monkeypatch, source, said):
    source = f"import billycan\nfrom billycan import Manifest\nmanifest = {source}"
    (tmp_path / "mistaken_plugin.py").write_text(source, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    installed(mistaken="mistaken_plugin")
    refused("mistaken cannot be imported: ", "mistaken")
    refused(said, "mistaken")


@pytest.mark.parametrize(
    ("route", "said"),
    [
        (Route("GET", "/things", print, None), "GET /things must begin with /v1/ and end without /: move it"),
        (Route("GET", "/v1/things/", print, None), "GET /v1/things/ must begin with /v1/ and end without /"),
        (Route("PUT", "/v1/things", print, None), "PUT /v1/things: the method must be one of GET, POST, PATCH, DELETE"),
        (Route("GET", "/v1/things", "list", None), "GET /v1/things: its handler 'list' is not a function"),
        (
            Route("GET", "/v1/things", print, "things:read"),
            "GET /v1/things needs the scope 'things:read': take assets:read or assets:write, or None for any key",
        ),
        (Route("GET", "/v1/things", print, "read"), "GET /v1/things needs the scope 'read': take assets:read or"),
        (
            Route("GET", "/v1/things", print, None, needs=("invoces",)),
            "GET /v1/things needs the plugin 'invoces', which the manifest neither requires nor uses: name it there",
        ),
        (Route("GET", "/v1/things", print, None, needs=({"a", "jobs"},)), "GET /v1/things needs the plugin 'a'"),
        (Route("GET", "/v1/things", print, None, status=404), "GET /v1/things: the status 404 does not mean success"),
    ],
)
def test_one_with_a_route_that_cannot_be(installed, route, said):
    installed(assets=plugin("assets", routes=(route,), uses=("jobs",)))
    refused(f"assets: {said}", "assets")


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ({"events": {"asset.created": Thing}}, {"events": {"asset.created": Thing}}, "declare the event asset.created"),
        ({"pages": (("/p/{a}", Poster),)}, {"pages": (("/p/{b}", Poster),)}, "have the page /p/{}"),
        ({"settings": Options}, {"settings": Options}, "read their settings into Options"),
        (
            {"tables": (table("assets", "thg"),)},
            {"tables": (table("zebras", "thg"),)},
            "make ids that begin with thg",
        ),
        (
            {"offers": (Identity.Kind("bot", print),)},
            {"offers": (Identity.Kind("bot", print),)},
            "know the callers whose ids begin with bot",
        ),
    ],
)
def test_two_that_both_want_one_thing(installed, one, other, said):
    installed(assets=plugin("assets", **one), zebras=plugin("zebras", **other))
    refused(f"assets and zebras both {said}: disable one of them", "zebras", "assets")


def test_two_with_the_same_table(installed, tmp_path, monkeypatch):
    source = "from billycan import Manifest, new_table\ntable = new_table('assets_twice')\n"
    for name in ("assets", "zebras"):
        (tmp_path / f"twice_{name}.py").write_text(f"{source}manifest = Manifest(name='{name}')", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    installed(assets="twice_assets", zebras="twice_zebras")
    try:
        refused('zebras cannot be imported: ValueError("the table assets_twice already exists', "assets", "zebras")
    finally:
        metadata.remove(metadata.tables["assets_twice"])


def test_one_with_the_name_of_a_setting(installed):
    installed(database=plugin("database"))
    refused("database is the name of a setting of core: rename the plugin", "database")


def test_one_with_the_name_of_a_scope_of_core(make_app, install):
    install(Manifest(name="tenant"))
    with pytest.raises(PluginError, match=r"^tenant is the name of a scope of core: rename the plugin"):
        make_app("tenant", migrated=False, fresh=True)


@pytest.mark.parametrize(
    ("requirement", "said"),
    [
        (
            "billycan-core>=2,<3",
            "assets requires billycan-core<3,>=2 and 1.0.0 is installed: install versions that fit",
        ),
        ("billycan_core<0.9; python_version > '3'", "assets requires billycan_core<0.9 and 1.0.0 is installed"),
        ("acme-zebras==2", "assets requires acme-zebras==2 and 1.4 is installed: install versions that fit"),
        ("billycan-core>=1,<2", None),
        ("billycan-core>=2; extra == 'next'", None),
        ("billycan-core>=2; python_version < '3'", None),
        ("no-such-package>=2", None),
        ("billycan-trams>=1", None),
        ("billycan-books>=1", "assets: its package requires billycan-books: books is a part of core: leave it out"),
    ],
)
def test_one_made_for_another_version(installed, requirement, said):
    installed(assets=plugin("assets"), zebras=plugin("zebras"))
    found = plugins.installed()
    for name, version, requires in (("assets", "1.0", [requirement]), ("zebras", "1.4", [])):
        lines = [f"Name: Acme_{name}", f"Version: {version}", *(f"Requires-Dist: {text}" for text in requires)]
        dist = Mock(metadata=message_from_string("\n".join(lines)))
        found[name] = SimpleNamespace(load=found[name].load, value=found[name].value, dist=dist)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(packages, "installed", lambda: found)
        if said:
            refused(said, "assets")
        else:
            assert load("assets") == ["assets"]


def get_thing(ctx: Context, id: str) -> Deleted:
    """A thing."""
    return Deleted(id)


def get_other_thing(ctx: Context, thing_id: str) -> Deleted:
    """Another."""
    return Deleted(thing_id)


def test_two_with_the_same_route(make_app, install):
    install(Manifest(name="assets", routes=(Route("GET", "/v1/things/{id}", get_thing, scope=None),)))
    install(Manifest(name="zebras", routes=(Route("GET", "/v1/things/{thing_id}", get_other_thing, scope=None),)))
    with pytest.raises(PluginError, match=r"zebras and assets both have GET /v1/things/\{thing_id\}: disable one"):
        make_app("assets", "zebras")


def unannotated(ctx, id):
    """Nothing."""


def untyped(ctx: Context, id) -> Deleted:
    """Nothing."""


def without_ctx(id: str) -> Deleted:
    """Nothing."""


def with_strange_query(ctx: Context, id: str, query: dict[str, str]) -> Deleted:
    """Nothing."""


def with_body(ctx: Context, id: str, body: Empty) -> Deleted:
    """Nothing."""


def with_other_name(ctx: Context, asset_id: str) -> Deleted:
    """Nothing."""


def with_unknown_type(ctx: Context, id: str) -> "Nowhere":  # noqa: F821
    """Nothing."""


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(
    ("handler", "said"),
    [
        (unannotated, "GET /v1/things/{id}: unannotated does not say what it returns: correct the handler"),
        (untyped, "GET /v1/things/{id}: untyped does not say the type of id: correct the handler"),
        (without_ctx, "GET /v1/things/{id}: without_ctx must take ctx first: correct the handler"),
        (with_strange_query, "GET /v1/things/{id}: with_strange_query takes a query that is not a Struct"),
        (with_body, "GET /v1/things/{id}: with_body takes a body, which a GET does not have: correct the handler"),
        (with_other_name, "GET /v1/things/{id}: with_other_name takes ['asset_id'], but the path has ['id']"),
        (with_unknown_type, "name 'Nowhere' is not defined: correct the handler"),
    ],
)
def test_one_whose_handler_does_not_fit_its_path(make_app, install, handler, said):
    install(Manifest(name="assets", routes=(Route("GET", "/v1/things/{id}", handler, scope=None),)))
    with pytest.raises(PluginError, match=f"^assets: {re.escape(said)}"):
        make_app("assets", migrated=False, fresh=True)


def test_one_that_has_a_route_twice(make_app, install):
    route = Route("GET", "/v1/things/{id}", get_thing, scope=None)
    install(Manifest(name="assets", routes=(route, route)))
    with pytest.raises(PluginError, match=r"assets has GET /v1/things/\{id\} twice: remove one of them"):
        make_app("assets", migrated=False, fresh=True)


def test_two_whose_paths_do_not_go_together(make_app, install):
    install(Manifest(name="assets", routes=(Route("GET", "/v1/things/{id}", get_thing, scope=None),)))
    install(Manifest(name="zebras", routes=(Route("POST", "/v1/things/{thing_id}", get_other_thing, scope=None),)))
    with pytest.raises(PluginError, match=r"zebras: /v1/things/\{thing_id\} conflicts with the other paths: .*rename"):
        make_app("assets", "zebras", migrated=False, fresh=True)


def test_one_with_a_page_of_core_s(make_app, install):
    install(Manifest(name="assets", pages=(("/-/{page}", Poster),)))
    with pytest.raises(PluginError, match=r"assets: its page /-/\{page\} must begin with / and lie outside"):
        make_app("assets", migrated=False, fresh=True)


@pytest.fixture
def migrated(tmp_path, make_app, install):
    """Build an app whose plugin `assets` has these migrations, each a pair of it and the one before."""

    def build(*chain: tuple[str, str | None], database: str = "") -> Any:
        folder = tmp_path / f"{len(list(tmp_path.iterdir()))}" / "migrations"
        folder.mkdir(parents=True)
        for revision, before in chain:
            (folder / f"{revision}.py").write_text(
                f"revision, down_revision = {revision!r}, {before!r}\ndef upgrade(): ...\ndef downgrade(): ...\n",
                "utf-8",
            )
        install(Manifest(name="assets"), folder=folder.parent)
        return make_app("assets", fresh=not database, migrated=False, database=database)

    return build


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(
    ("chain", "said"),
    [
        ((), "exactly one of its migrations must be the last, but there are none: chain them"),
        (
            (("assets_0001", None), ("assets_0002", "assets_0001"), ("assets_0003", "assets_0001")),
            "exactly one of its migrations must be the last, but there are assets_0002 and assets_0003: chain them",
        ),
        ((("0001", None),), "its migration 0001 must be called assets_0001 or so: rename it"),
        ((("assets_0002", "assets_0001"),), "its migration assets_0001 is not there: restore it or disable assets"),
    ],
)
def test_one_whose_migrations_are_no_chain(migrated, chain, said):
    app = migrated(*chain)
    for use in (migrate.upgrade_all, versions.check_schema):
        with pytest.raises(PluginError, match=f"^assets: {re.escape(said)}"):
            use(app.db, app.manifests)


def test_tables_that_are_behind_and_tables_that_are_ahead(migrated):
    first = migrated(("assets_0001", None))
    with pytest.raises(versions.SchemaBehind, match=r"^core is at nothing but the code expects core_"):
        first.start()
    migrate.upgrade_all(first.db, first.manifests)
    url = first.db.url.render_as_string(hide_password=False)
    newer = migrated(("assets_0001", None), ("assets_0002", "assets_0001"), database=url)
    said = "assets is at assets_0001 but the code expects assets_0002: run `.*billycan migrate`"
    with pytest.raises(versions.SchemaBehind, match=f"^{said}$"):
        newer.start()
    assert migrate.upgrade_all(newer.db, newer.manifests) == ["assets: assets_0001 -> assets_0002"]
    newer.start()
    older = migrated(("assets_0001", None), database=url)
    # Migrations only add, so the previous release keeps running.
    older.start()
    assert migrate.upgrade_all(older.db, older.manifests) == []
    with older.db.writing() as db:
        db.execute(sa.insert(versions.oldest).values(name="assets", version="assets_0002"))
    said = "assets is at assets_0002 but the code knows only up to assets_0001: install the version of it that made"
    for use in (versions.check_schema, migrate.upgrade_all):
        with pytest.raises(versions.SchemaBehind, match=f"^{said}"):
            use(older.db, older.manifests)


@pytest.mark.parametrize(
    ("change", "method", "path", "body"),
    [
        ("ALTER TABLE contacts RENAME COLUMN notes TO remarks", "GET", "/v1/contacts", None),
        ("ALTER TABLE contacts RENAME COLUMN notes TO remarks", "POST", "/v1/contacts", {"name": "Ada"}),
        ("ALTER TABLE contacts ADD COLUMN rego TEXT NOT NULL DEFAULT NULL", "POST", "/v1/contacts", {"name": "Ada"}),
        ("ALTER TABLE contacts RENAME TO people", "GET", "/v1/contacts", None),
    ],
)
@pytest.mark.each_case
def test_a_table_of_another_form_is_an_error_of_ours_and_logged(make_app, caplog, change, method, path, body):
    app = make_app("contacts", fresh=True, walled=False)
    client = Client(app)
    with app.db.writing() as db:
        db.execute(sa.text(change))
    client.refused(500, "internal_error", method, path, body)
    assert f"request {client.last.headers['X-Request-Id']} failed" in caplog.text
    assert "Traceback" in caplog.text


class Thin(Resource):
    """A record that shows its name."""

    name: str


class Fat(Thin):
    """A record that shows what its table has not."""

    owner_id: str | None
    owner: Named | None


class ThinQuery(Query[Thin], kw_only=True):
    """No filter of its own."""


def things(*columns: Any, name: str = "assets") -> sa.Table:
    return sa.Table(name, sa.MetaData(), *(sa.Column(c, sa.Text) for c in ("id", "tenant_id", *columns)))


@pytest.mark.parametrize(
    ("columns", "given", "said"),
    [
        (("name",), {"search": ("name", "rego")}, "search needs the column rego, which the table has not: add it"),
        (("name",), {"search": ("name",)}, "search needs a column search_text, a text that is not null"),
        (("number",), {"number": "VEH-"}, "number needs the columns number and sequence"),
        (("name",), {"references": {"owner": dict}}, "references needs the column owner_id, which the table has not"),
    ],
)
def test_one_whose_records_name_what_the_table_has_not(columns, given, said):
    with pytest.raises(ValueError, match=f"^Records of assets: {re.escape(said)}"):
        Records(things(*columns), Thin, prefix="ast", **given)


def test_one_that_filters_by_what_its_query_has_not(make_app, install, tmp_path):
    table = things("name")
    records = Records(table, Thin, prefix="ast", filters={"colour": lambda ctx, value: sa.true()})

    def list_things(ctx: Context, query: ThinQuery) -> Page[Thin]:
        """Things."""
        return records.page(ctx, query)

    route = Route("GET", "/v1/things", list_things, scope=None)
    (tmp_path / "migrations").mkdir()
    install(Manifest(name="assets", tables=(table,), routes=(route,)), folder=tmp_path)
    said = "assets: Records of assets has the filter colour, which ThinQuery lacks: add it there, or remove it"
    with pytest.raises(PluginError, match=f"^{said}"):
        make_app("assets", migrated=False, fresh=True)


def test_one_that_shows_what_nothing_gives():
    columns = [c.name for c in resource_columns()]
    records = Records(things("name", "owner_id", *columns), Fat, prefix="ast")
    said = (
        "nothing gives owner of Fat: the table assets needs a column of this name, its Records references={'owner': …},"
        " or show() owner=…, which add, change, get and page do not pass on:"
        " use insert, save, find and rows in their place"
    )
    with pytest.raises(TypeError, match=f"^{re.escape(said)}$"):
        records.show(None, [])
    assert records.show(None, [], owner={}) == []


def test_one_that_fails_to_start(make_app, install):
    def startup(app: Any) -> None:
        raise RuntimeError("no licence")

    install(Manifest(name="assets"), startup=startup)
    with pytest.raises(PluginError, match="assets failed to start: no licence: fix it or disable it"):
        make_app("assets")


@pytest.mark.whole
def test_without_a_plugin_what_requires_it_is_off_by_default(monkeypatch):
    everything, here = packages.first_party(), packages.installed()
    monkeypatch.setattr(packages, "installed", lambda: {name: e for name, e in here.items() if name != "hosted"})
    monkeypatch.setattr(packages, "absent", packages.absent.__wrapped__)
    gone = packages.absent()
    assert {"hosted", "invoices", "quotes"} <= gone and not gone & {"contacts", "documents", "users"}
    assert packages.first_party() == everything - gone


def waiting(sort: str = "", action: str = "", **filters: str) -> tuple[RecordPages.Attention, ...]:
    return (RecordPages.Attention(title="Old assets", filters=filters, sort=sort, action=action),)


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"columns": ("name", "rego")}, "have no rego: correct the columns"),
        ({"sort": "rego"}, "do not sort by rego: correct the sort"),
        ({"labels": {"bought_on": "Bought", "rego": "Plate"}}, "have no rego: correct the labels"),
        ({"labels": {"bought_on.rego": "Plate"}}, "have no bought_on.rego: correct the labels"),
        ({"hints": {"rego": "As on the plate."}}, "have no rego: correct the hints"),
        ({"rare": ("rego",)}, "have no rego: correct the rare"),
        ({"suits": {"driver_id": {"status": "in_use", "rego": "H 42"}}}, "have no rego: correct suits"),
        ({"deletable": ("in_use", "broken")}, "are never broken: correct deletable"),
        ({"attention": waiting(rego="H 42")}, "cannot be asked for by rego: is an unknown .*: correct attention"),
        ({"attention": waiting(status="broken")}, "cannot be asked for by status: must .*: correct attention"),
        ({"attention": waiting(bought_on_to="{1}", sort="rego")}, "do not sort by rego: correct attention"),
        ({"attention": waiting(status="in_use", action="sell")}, "have no action sell: correct attention"),
    ],
)
def test_one_whose_pages_name_what_its_records_have_not(make_app, install, given, said):
    install(replace(assets, records=(RecordPages(path="/v1/assets", **given),)))
    with pytest.raises(PluginError, match=f"^assets: its records of /v1/assets {said}$"):
        make_app("assets", "contacts")


@pytest.mark.sqlite_alone
def test_one_with_a_route_that_makes_what_nobody_shows(make_app, install):
    (first, *others) = assets.routes
    for made, uses in (("/v1/contacts/{id}", ()), ("/v1/trams/{id}", ("trams",))):
        install(replace(assets, uses=uses, routes=(replace(first, makes=(made,)), *others)))
        make_app("assets", "contacts")
    install(replace(assets, routes=(replace(first, makes=("/v1/invoice/{id}",)), *others)))
    said = r"assets: GET /v1/assets makes /v1/invoice/{id}, which is the path of no GET route: correct it"
    with pytest.raises(PluginError, match=said):
        make_app("assets", "contacts")


def test_an_action_that_lacks_a_plugin_is_nowhere_allowed(make_app, install):
    actions = Actions({"retire": ("in_use", "retired"), "lend": ("in_use", None), "mend": ("retired", None)})
    given = {"references": declared.records.references, "search": ("name",)}
    found = Records(declared.table, Asset, prefix="ast", actions=lambda row: actions.allowed(row.status), **given)

    def create(ctx: Context, body: NewAsset) -> Asset:
        """Add an asset."""
        return found.add(ctx, body, status="in_use")

    def mend(ctx: Context, id: str) -> Asset:
        """Mend an asset."""
        row = found.lock(ctx, id)
        actions.check("mend", row.status)
        return found.show(ctx, [row])[0]

    path, scope = "/v1/assets", "assets:write"
    routes = (
        Route("GET", "/v1/assets/{id}", get_asset_of(found), scope="assets:read"),
        Route("POST", path, create, scope=scope, status=201),
        *(Route("POST", f"{path}/{{id}}/{name}", mend, scope=scope) for name in ("mend", "retire")),
        Route("POST", f"{path}/{{id}}/lend", mend, scope=scope, needs=(frozenset({"trams", "staff"}),)),
    )
    install(replace(assets, uses=("trams", "staff"), routes=routes, records=(), events={}))
    for plugins_on, allowed in (((), ["retire"]), (("staff",), ["retire", "lend"])):
        client = Client(make_app("assets", "contacts", *plugins_on))
        made = client.post(path, {"name": "Van", "cost": 1})["data"]
        assert made["allowed_actions"] == allowed
        assert client.get(f"{path}/{made['id']}")["data"]["allowed_actions"] == allowed
        refused = client.refused(409, "invalid_state_transition", "POST", f"{path}/{made['id']}/mend")
        assert refused["allowed_actions"] == allowed and ("`lend`" in refused["message"]) is bool(plugins_on)


def get_asset_of(found):
    def get_asset(ctx: Context, id: str) -> Asset:
        """One asset."""
        return found.get(ctx, id)

    return get_asset
