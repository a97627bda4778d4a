"""Find, check, order and register the enabled plugins."""

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution, entry_points
from types import ModuleType
from typing import Any

import pluggy

from . import hookspecs
from .manifest import Manifest

GROUP = "billycan.plugins"
ASSEMBLED = "billycan"


class PluginError(Exception):
    """The deployment asks for a set of plugins that cannot run; the message names the plugin, the rule and the cure."""


def installed() -> dict[str, EntryPoint]:
    """Every installed plugin, by name."""
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def first_party() -> set[str]:
    """The plugins that the assembled distribution consists of; none where only core is installed."""
    try:
        requirements = distribution(ASSEMBLED).requires or []
    except PackageNotFoundError:
        return set()
    parts = {_canonical(r.split(";")[0]) for r in requirements if "extra ==" not in r}
    return {name for name, entry in installed().items() if entry.dist and _canonical(entry.dist.name) in parts}


def _canonical(requirement: str) -> str:
    name = requirement.strip()
    for mark in " <>=!~[":
        name = name.split(mark)[0]
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
    for change in changes:
        if change[0] == "-" and change[1:] not in installed():
            raise PluginError(f"plugins: {change} names a plugin that is not installed: leave it out")
        (enabled.add if change[0] == "+" else enabled.discard)(change[1:])
    return sorted(enabled)


def load(enabled: Iterable[str], core: Mapping[str, Any]) -> tuple[pluggy.PluginManager, dict[str, Manifest]]:
    """The plugin manager and the manifests of `enabled`, dependencies first; `core` holds core's own plugins."""
    available = installed()
    names = sorted(set(enabled))
    if missing := [name for name in names if name not in available]:
        raise PluginError(f"enabled but not installed: {', '.join(missing)}: install them or take them off the list")
    modules = {name: _imported(name, available[name]) for name in names}
    manifests = {name: module.manifest for name, module in modules.items()}
    order = in_order(manifests)
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
        raise PluginError(f"{manager.get_name(error.plugin)}: {error}: remove the hook or correct its name") from None
    return manager, {name: manifests[name] for name in order}


def _imported(name: str, entry: EntryPoint) -> ModuleType:
    try:
        module = entry.load()
    except Exception as error:
        raise PluginError(f"{name} cannot be imported: {error!r}: mend it or disable it") from error
    manifest = getattr(module, "manifest", None)
    if not isinstance(manifest, Manifest):
        raise PluginError(f"{name} has no manifest: {module.__name__} must hold `manifest = Manifest(...)`")
    if manifest.name != name:
        raise PluginError(f"{name} calls itself {manifest.name!r}: entry point and manifest must agree")
    if not isinstance(module, ModuleType):
        raise PluginError(f"{name}: its entry point must name a module")
    return module


def _register(manager: pluggy.PluginManager, module: ModuleType, name: str) -> None:
    try:
        manager.register(module, name)
    except pluggy.PluginValidationError as error:
        raise PluginError(f"{name}: {error}: take only arguments the hook has") from None


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
