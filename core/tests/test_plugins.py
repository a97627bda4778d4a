"""Installed is not enabled, and each way in which a set of plugins can be wrong stops the start and is named."""

import re
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import Any

import pytest

from billycan import Context, Deleted, Manifest, Route, hookimpl, plugins
from billycan.plugins import GROUP, PluginError, chosen


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Make these modules the only installed plugins: `installed(assets=module)`."""
    entries: list[EntryPoint] = []
    monkeypatch.setattr(plugins, "entry_points", lambda group: [e for e in entries if e.group == group])
    monkeypatch.setattr(plugins, "first_party", lambda: {e.name for e in entries})

    def install(**modules: Any) -> None:
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
    return list(plugins.load(names, {"core": ModuleType("core")})[1])


# Which are enabled ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "enabled"),
    [
        (None, ["contacts", "gst"]),
        ("", ["contacts", "gst"]),
        ("gst", ["gst"]),
        (" gst , assets ", ["assets", "gst"]),
        ("+assets", ["assets", "contacts", "gst"]),
        ("+assets,-gst", ["assets", "contacts"]),
        ("-gst,-contacts", []),
        ("-assets", ["contacts", "gst"]),
    ],
)
def test_a_list_or_changes_to_the_default(installed, monkeypatch, setting, enabled):
    installed(contacts=plugin("contacts"), gst=plugin("gst"), assets=plugin("assets"))
    monkeypatch.setattr(plugins, "first_party", lambda: {"contacts", "gst"})
    assert chosen(setting) == enabled


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("gst,+assets", "plugins: either list names, or change the default with + and - before every name"),
        ("-nothing", "plugins: -nothing names a plugin that is not installed: leave it out"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(installed, setting, said):
    installed(gst=plugin("gst"), assets=plugin("assets"))
    with pytest.raises(PluginError, match=re.escape(said)):
        chosen(setting)


def test_the_default_is_what_the_assembled_distribution_requires():
    assert {"contacts", "gst", "invoices"} <= plugins.first_party() <= set(plugins.installed())


def test_what_is_not_enabled_is_not_imported(installed):
    installed(good=plugin("good"), broken="no_such_module_anywhere")
    assert load("good") == ["good"]


# In which order -------------------------------------------------------------------------------------------------------


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
    manager, _ = plugins.load(["first", "last"], {})
    manager.hook.startup(app=None)
    assert called == ["first", "last"]


# What can be wrong ----------------------------------------------------------------------------------------------------


def refused(said: str, *names: str) -> None:
    with pytest.raises(PluginError, match=re.escape(said)):
        load(*names)


def test_one_that_is_not_installed(installed):
    installed(good=plugin("good"))
    refused(
        "enabled but not installed: assets, zebras: install them or take them off the list", "good", "zebras", "assets"
    )


def test_one_that_cannot_be_imported(installed):
    installed(broken="no_such_module_anywhere")
    refused("broken cannot be imported: ModuleNotFoundError", "broken")


def test_one_that_raises_while_it_is_imported(installed, tmp_path, monkeypatch):
    (tmp_path / "raising_plugin.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    installed(raising="raising_plugin")
    refused("raising cannot be imported: ZeroDivisionError('division by zero'): mend it or disable it", "raising")


def test_one_without_a_manifest(installed):
    installed(bare=ModuleType("bare"))
    refused("bare has no manifest: bare must hold `manifest = Manifest(...)`", "bare")


def test_one_whose_entry_point_names_something_within_a_module(installed):
    module = plugin("assets")
    installed(assets=module)
    name = next(iter(plugins.installed().values())).value
    installed(zebras=f"{name}:manifest")
    refused(f"zebras: its entry point {name}:manifest must name a module", "zebras")


def test_one_that_calls_itself_otherwise(installed):
    installed(assets=plugin("asset"))
    refused("assets calls itself 'asset': entry point and manifest must agree", "assets")


@pytest.mark.parametrize("name", ["Assets", "as-sets", "2assets", "as__sets", "_assets", "as.sets"])
def test_one_whose_name_would_not_do_for_tables_and_variables(installed, name):
    installed(**{name: plugin(name)})
    refused(f"{name!r} is no name for a plugin: it must be lower-case words joined by _", name)


def test_one_with_the_name_of_a_part_of_core(installed):
    installed(core=plugin("core"))
    refused("core is the name of a part of core: the plugin must take another", "core")


def test_two_of_one_name(installed):
    installed(assets=plugin("assets"))
    installed(assets=plugin("assets"))
    refused("assets is installed twice, as fake_assets_0 and fake_assets_1: uninstall one", "assets")


def test_one_whose_requirement_is_not_enabled(installed):
    installed(invoices=plugin("invoices", requires=("contacts",)), contacts=plugin("contacts"))
    refused("invoices requires contacts: enable it or disable invoices", "invoices")


def test_some_that_require_each_other(installed):
    installed(a=plugin("a", requires=("b",)), b=plugin("b", uses=("a",)))
    with pytest.raises(PluginError, match=r"plugins require each other: (a -> b -> a|b -> a -> b): break the circle"):
        load("a", "b")


def test_one_with_a_hook_that_does_not_exist(installed):
    installed(assets=plugin("assets", {"on_evnt": lambda ctx: None}))
    refused("assets: unknown hook 'on_evnt'", "assets")


def test_one_whose_hook_takes_an_unknown_argument(installed):
    installed(assets=plugin("assets", {"startup": lambda application: None}))
    with pytest.raises(PluginError, match=r"^assets: .*application.*: take only arguments the hook has"):
        load("assets")


def test_two_that_declare_the_same_event(installed):
    declared = {"events": {"asset.created": dict}}
    installed(assets=plugin("assets", **declared), zebras=plugin("zebras", **declared))
    refused("assets and zebras both declare the event asset.created: disable one of them", "zebras", "assets")


# What only shows in an App --------------------------------------------------------------------------------------------


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


def test_one_that_fails_to_start(make_app, install):
    def startup(app: Any) -> None:
        raise RuntimeError("no licence")

    install(Manifest(name="assets"), startup=startup)
    with pytest.raises(PluginError, match="assets failed to start: no licence: mend it or disable it"):
        make_app("assets")
