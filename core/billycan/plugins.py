"""Find, check, order and register the enabled plugins."""

import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib.metadata import Distribution, EntryPoint, PackageNotFoundError, distribution, entry_points
from types import ModuleType
from typing import Any

import pluggy
from packaging.requirements import Requirement

from . import checks, hookspecs
from .command import to_type
from .manifest import Manifest
from .settings import Settings

GROUP = "billycan.plugins"
ASSEMBLED, CORE = "billycan", "billycan-core"
# What deployments may still list, and how it is called now.
RENAMED = {"gst": "documents"}
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


class PluginError(Exception):
    """The deployment asks for a set of plugins that cannot run; the message names the plugin, the rule and the cure."""


def installed() -> dict[str, EntryPoint]:
    """Every installed plugin, by name; a package whose plugin was renamed may have been left behind and is none."""
    found: dict[str, EntryPoint] = {}
    for entry in (e for e in _entries(*sys.path) if e.name not in RENAMED):
        if (other := found.get(entry.name)) and other.value != entry.value:
            raise PluginError(f"{entry.name} is installed twice, as {other.value} and {entry.value}: uninstall one")
        found[entry.name] = entry
    return found


@cache
def _entries(*path: str) -> tuple[EntryPoint, ...]:
    # Reading a file of each package on the path takes long enough to do it once.
    return tuple(entry_points(group=GROUP))


def first_party() -> set[str]:
    """The plugins that the assembled distribution consists of; none where only core is installed."""
    try:
        requirements = distribution(ASSEMBLED).requires or []
    except PackageNotFoundError:
        return set()
    parts = {_canonical(Requirement(r).name) for r in requirements if "extra ==" not in r}
    return {name for name, entry in installed().items() if entry.dist and _canonical(entry.dist.name) in parts}


def _canonical(name: str) -> str:
    return name.lower().replace("_", "-")


def chosen(setting: str | None) -> list[str]:
    """The plugins a setting enables: a list of names, `none`, or changes to the default such as `+a,-b`."""
    if setting == "none":
        return []
    names = [name.strip() for name in (setting or "").split(",") if name.strip()]
    changes = [name for name in names if name[0] in "+-"]
    if names and not changes:
        return sorted(set(names))
    if len(changes) != len(names):
        raise PluginError("plugins: either list names, or change the default with + and - before every name")
    enabled = first_party()
    _check_renamed(change[1:] for change in changes)
    for change in changes:
        if change[0] == "-" and change[1:] not in installed():
            raise PluginError(f"plugins: {change} names a plugin that is not installed: leave it out")
        (enabled.add if change[0] == "+" else enabled.discard)(change[1:])
    return sorted(enabled)


def load(enabled: Iterable[str], core: Mapping[str, Any]) -> tuple[pluggy.PluginManager, dict[str, Manifest]]:
    """The plugin manager and the manifests of `enabled`, dependencies first; `core` holds core's own plugins."""
    available = installed()
    names = sorted(set(enabled))
    _check_renamed(names)
    if missing := [name for name in names if name not in available]:
        raise PluginError(f"enabled but not installed: {', '.join(missing)}: install them or take them off the list")
    _check_names(names, core)
    _check_versions({name: available[name] for name in names}, available)
    modules = {name: _imported(name, available[name]) for name in names}
    manifests = {name: module.manifest for name, module in modules.items()}
    for manifest in manifests.values():
        _refuse(checks.alone(manifest))
    order = in_order(manifests)
    _refuse(checks.together([manifests[name] for name in order]))
    manager = pluggy.PluginManager("billycan")
    manager.add_hookspecs(hookspecs)
    # pluggy calls the last registered first, so what others depend on is registered last.
    for name in reversed(order):
        _register(manager, modules[name], name)
    for name, plugin in core.items():
        manager.register(plugin, name)
    try:
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        culprit = manager.get_name(error.plugin)
        raise PluginError(f"{culprit}: {_one_line(error)}: remove the hook or correct its name") from None
    return manager, {name: manifests[name] for name in order}


def manifest(name: str) -> Manifest:
    """The manifest of an installed plugin, whether it is enabled or not."""
    if (entry := installed().get(name)) is None:
        raise PluginError(f"{name} is not installed: install it, or see `{to_type('plugins list')}`")
    found: Manifest = _imported(name, entry).manifest
    return found


def _imported(name: str, entry: EntryPoint) -> ModuleType:
    # It becomes part of the names of tables and of environment variables.
    if not _NAME.fullmatch(name):
        raise PluginError(f"{name!r} is no name for a plugin: it must be lower-case words joined by _")
    try:
        module = entry.load()
    except Exception as error:
        raise PluginError(f"{name} cannot be imported: {error!r}: mend it or disable it") from error
    if not isinstance(module, ModuleType):
        raise PluginError(f"{name}: its entry point {entry.value} must name a module")
    manifest = getattr(module, "manifest", None)
    if not isinstance(manifest, Manifest):
        raise PluginError(f"{name} has no manifest: {module.__name__} must hold `manifest = Manifest(...)`")
    if manifest.name != name:
        raise PluginError(f"{name} calls itself {manifest.name!r}: entry point and manifest must agree")
    return module


def _register(manager: pluggy.PluginManager, module: ModuleType, name: str) -> None:
    try:
        manager.register(module, name)
    except pluggy.PluginValidationError as error:
        raise PluginError(f"{name}: {_one_line(error)}: take only arguments the hook has") from None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _refuse(faults: Iterable[str]) -> None:
    for fault in faults:
        raise PluginError(fault)


def _check_renamed(names: Iterable[str]) -> None:
    for name in names:
        if name in RENAMED:
            raise PluginError(f"plugins: {name} is now called {RENAMED[name]}: write {RENAMED[name]} in its place")


def _check_names(names: Iterable[str], core: Mapping[str, Any]) -> None:
    """Refuse names that core's own parts, settings or scopes have."""
    scopes = getattr(getattr(core.get("platform"), "manifest", None), "scopes", ())
    owners = {scope.partition(":")[0] for scope in scopes}
    for what, reserved in (("part", set(core)), ("setting", set(Settings.__struct_fields__)), ("scope", owners)):
        if found := sorted(set(names) & reserved):
            raise PluginError(f"{found[0]} is the name of a {what} of core: the plugin must take another")


def _check_versions(enabled: Mapping[str, EntryPoint], available: Mapping[str, EntryPoint]) -> None:
    """Refuse plugins whose package asks for another version of core or of a plugin than is installed."""
    found = dict(_told(entry.dist)[0] for entry in available.values() if entry.dist)
    with suppress(PackageNotFoundError):  # Run from its source, it is of no version.
        found[CORE] = distribution(CORE).version
    for name, entry in enabled.items():
        for wanted in _told(entry.dist)[1] if entry.dist else ():
            version = found.get(_canonical(wanted.name))
            if version is None or (wanted.marker and not wanted.marker.evaluate({"extra": ""})):
                continue
            if not wanted.specifier.contains(version, prereleases=True):
                raise PluginError(
                    f"{name} requires {wanted.name}{wanted.specifier} and {version} is installed: "
                    f"install versions that fit, or disable {name}"
                )


@cache
def _told(package: Distribution) -> tuple[tuple[str, str], tuple[Requirement, ...]]:
    """A package's name and version, and what it requires."""
    return (_canonical(package.name), package.version), tuple(Requirement(text) for text in package.requires or ())


def in_order(manifests: Mapping[str, Manifest]) -> list[str]:
    """Names sorted so that whatever a plugin requires or uses comes before it."""
    graph: dict[str, list[str]] = {}
    for name, manifest in sorted(manifests.items()):
        if missing := sorted(set(manifest.requires) - set(manifests)):
            raise PluginError(f"{name} requires {', '.join(missing)}: enable it or disable {name}")
        graph[name] = sorted(set(manifest.requires) | (set(manifest.uses) & set(manifests)))
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        raise PluginError(f"plugins require each other: {' -> '.join(error.args[1])}: break the circle") from None
