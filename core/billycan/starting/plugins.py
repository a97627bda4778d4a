"""Check, order and register the enabled plugins."""

import linecache
import re
import traceback
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution
from types import ModuleType, SimpleNamespace
from typing import Any

import pluggy
from packaging.requirements import Requirement

from .. import hookspecs
from .. import manifest as manifest_parts
from ..manifest import Manifest
from ..moving import whose
from . import checks, packages
from .command import command_line
from .packages import GROUP, PluginError, check_renamed, first_party, installed
from .settings import Settings

__all__ = ["GROUP", "PluginError", "first_party", "installed", "load_plugins", "read_manifest"]

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def load_plugins(enabled: Iterable[str], core: Mapping[str, Any]) -> tuple[pluggy.PluginManager, dict[str, Manifest]]:
    """Return the plugin manager and the manifests of `enabled`, dependencies first; `core` holds core's own plugins."""
    available = packages.installed()
    names = sorted(set(enabled))
    check_renamed(names)
    if missing := [name for name in names if name not in available]:
        _refuse_start(f"plugins: {cure}" for name in missing if (cure := packages.explain_mistake(name)))
        cure = f"install {', '.join(map(packages.package_of, missing))}, or remove what you do not need from the list"
        raise PluginError(f"enabled but not installed: {', '.join(missing)}: {cure}")
    _check_names(names, core)
    _check_versions({name: available[name] for name in names}, available)
    modules = {name: _import_module(name, available[name]) for name in names}
    manifests = {name: module.manifest for name, module in modules.items()}
    for manifest in manifests.values():
        _refuse_start(checks.check_manifest(manifest))
    order = sort_plugins(manifests)
    _refuse_start(checks.check_names([manifests[name] for name in order]))
    _refuse_start(whose.check_tables([manifests[name] for name in order]))
    for name in order:
        if manifests[name].tables and packages.migrations_of(name) is None:
            raise PluginError(
                f"{name} has tables but no migrations: put them into the folder migrations beside its plugin.py"
            )
    manager = pluggy.PluginManager("billycan")
    manager.add_hookspecs(hookspecs)
    # pluggy calls the last registered first, so plugins are registered after those that depend on them.
    for name in reversed(order):
        _register_hooks(manager, modules[name], name)
    for name, plugin in core.items():
        manager.register(plugin, name)
    try:
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        culprit = manager.get_name(error.plugin)
        raise PluginError(f"{culprit}: {_one_line(error)}: remove the hook or correct its name") from None
    return manager, {name: manifests[name] for name in order}


def callable_hooks(manager: pluggy.PluginManager) -> SimpleNamespace:
    """Return the hooks to call. A hook that only core implements, or none, skips pluggy, which takes 2 µs."""
    callers = {name: caller for name, caller in vars(manager.hook).items() if not name.startswith("_")}
    return SimpleNamespace(**{name: _only_answer(caller) or caller for name, caller in callers.items()})


def _only_answer(caller: pluggy.HookCaller) -> Callable[..., Any] | None:
    """Return the only function that answers a hook, if it takes all of the hook's arguments."""
    functions, asked = caller.get_hookimpls(), caller.spec
    if not functions:
        return _answer_nothing
    is_only = asked is not None and [f.argnames for f in functions] == [asked.argnames]
    is_plain = not (functions[0].wrapper or functions[0].hookwrapper)
    return functions[0].function if is_only and is_plain else None


def _answer_nothing(**offered: Any) -> None:
    """Answer a hook that nobody implements."""


def read_manifest(name: str) -> Manifest:
    """Return the manifest of an installed plugin, enabled or not."""
    if (entry := packages.installed().get(name)) is None:
        if cure := packages.explain_mistake(name):
            raise PluginError(cure)
        raise PluginError(f"{name} is not installed: install it, or see `{command_line('plugins list')}`")
    found: Manifest = _import_module(name, entry).manifest
    return found


def _import_module(name: str, entry: EntryPoint) -> ModuleType:
    # It becomes part of the names of tables and of environment variables.
    if not _NAME.fullmatch(name):
        raise PluginError(f"{name!r} is not a valid plugin name: use lower-case words joined by _")
    try:
        module = entry.load()
    except Exception as error:
        raise PluginError(f"{name} cannot be imported: {error!r}: {_find_cure(name, error)} or disable it") from error
    if not isinstance(module, ModuleType):
        raise PluginError(f"{name}: its entry point {entry.value} must name a module")
    manifest = getattr(module, "manifest", None)
    if not isinstance(manifest, Manifest):
        raise PluginError(f"{name} has no manifest: {module.__name__} must contain `manifest = Manifest(...)`")
    if manifest.name != name:
        raise PluginError(f"{name} calls itself {manifest.name!r} in its manifest: make the names agree")
    return module


def _find_cure(name: str, error: Exception) -> str:
    """Return the cure for a plugin that cannot be imported."""
    if unknown := re.match(r"Unexpected keyword argument '(\w+)'", str(error)):
        return _explain_member(unknown[1], error)
    lacking = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if lacking.startswith(f"{packages.ASSEMBLED}_"):
        return packages.explain_mistake(lacking) or f"install {packages.package_of(lacking.removeprefix('billycan_'))}"
    return f"install {packages.package_of(name)}" if lacking and name in packages.plugin_extras() else "fix it"


def _explain_member(member: str, error: Exception) -> str:
    """Say what a part of a manifest has instead of an unknown member."""
    (*_, call) = traceback.extract_tb(error.__traceback__)
    called = re.match(r"[\w.]+", linecache.getline(call.filename, call.lineno or 0)[call.colno or 0 :])
    name = called[0].rpartition(".")[2] if called else ""
    known: tuple[str, ...] = getattr(getattr(manifest_parts, name, None), "__struct_fields__", ())
    if not known:
        return "fix it"
    near = get_close_matches(member, known, 1, 0.6)
    said = f"did you mean {near[0]}?" if near else f"it has {', '.join(known)}:"
    return f"{name} has no {member}; {said} Correct it"


def _register_hooks(manager: pluggy.PluginManager, module: ModuleType, name: str) -> None:
    try:
        manager.register(module, name)
    except pluggy.PluginValidationError as error:
        raise PluginError(f"{name}: {_one_line(error)}: use only the hook's arguments") from None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _refuse_start(faults: Iterable[str]) -> None:
    for fault in faults:
        raise PluginError(fault)


def _check_names(names: Iterable[str], core: Mapping[str, Any]) -> None:
    """Refuse names that core's own parts, settings or scopes have."""
    scopes = getattr(getattr(core.get("platform"), "manifest", None), "scopes", ())
    owners = {scope.partition(":")[0] for scope in scopes}
    for what, reserved in (("part", set(core)), ("setting", set(Settings.__struct_fields__)), ("scope", owners)):
        if found := sorted(set(names) & reserved):
            raise PluginError(f"{found[0]} is the name of a {what} of core: rename the plugin")


def _check_versions(enabled: Mapping[str, EntryPoint], available: Mapping[str, EntryPoint]) -> None:
    """Refuse plugins whose package asks for another version of core or of a plugin than is installed."""
    known = [packages.read_metadata(entry.dist) for entry in available.values() if entry.dist]
    found = {package.name: package.version for package in known}
    with suppress(PackageNotFoundError):  # Code that runs from its source has no version.
        found[packages.CORE] = distribution(packages.CORE).version
    for name, entry in enabled.items():
        for wanted in map(_read_requirement, packages.read_metadata(entry.dist).requires if entry.dist else ()):
            version = found.get(packages.canonical_name(wanted.name))
            package = packages.canonical_name(wanted.name)
            if version is None and package.startswith(f"{packages.ASSEMBLED}-"):
                cure = packages.explain_mistake(package.removeprefix(f"{packages.ASSEMBLED}-"), guess=False)
                _refuse_start([f"{name}: its package requires {wanted.name}: {cure}"] if cure else [])
            if version is None or (wanted.marker and not wanted.marker.evaluate({"extra": ""})):
                continue
            if not wanted.specifier.contains(version, prereleases=True):
                raise PluginError(
                    f"{name} requires {wanted.name}{wanted.specifier} and {version} is installed: "
                    f"install versions that fit, or disable {name}"
                )


@cache
def _read_requirement(text: str) -> Requirement:
    return Requirement(text)


def sort_plugins(manifests: Mapping[str, Manifest]) -> list[str]:
    """Sort names so that whatever a plugin requires or uses comes before it."""
    graph: dict[str, list[str]] = {}
    for name, manifest in sorted(manifests.items()):
        if missing := sorted(set(manifest.requires) - set(manifests)):
            _refuse_start(
                f"{name} requires {other}: {cure}" for other in missing if (cure := packages.explain_mistake(other))
            )
            absent = [packages.package_of(other) for other in missing if other not in packages.installed()]
            install = f"install {', '.join(absent)} and " if absent else ""
            raise PluginError(f"{name} requires {', '.join(missing)}: {install}enable it or disable {name}")
        unknown = [other for other in manifest.uses if other not in manifests]
        _refuse_start(
            f"{name} uses {other}: {c}" for other in unknown if (c := packages.explain_mistake(other, guess=False))
        )
        graph[name] = sorted(set(manifest.requires) | (set(manifest.uses) & set(manifests)))
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        raise PluginError(
            f"plugins require each other: {' -> '.join(error.args[1])}: remove one of these requirements"
        ) from None
