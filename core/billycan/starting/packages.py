"""The installed plugins, and those among them that a setting enables, from the packages' metadata alone."""

import re
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from importlib.metadata import Distribution, EntryPoint, PackageNotFoundError, distribution, entry_points
from pathlib import Path
from typing import Any, NamedTuple

GROUP, COMMANDS, FORMER_NAMES = "billycan.plugins", "billycan.commands", "billycan.former_names"
ASSEMBLED, CORE = "billycan", "billycan-core"
# What is easily taken for a plugin, and is always there.
_IN_CORE = frozenset({"billycan", "books", "core", "events", "keys", "platform", "tenants"})
_NAME_OF = re.compile(r"^[\w.-]+")  # a requirement


class Package(NamedTuple):
    """The metadata of a package: its canonical name, its version, and its requirements."""

    name: str
    version: str
    requires: tuple[str, ...]


class StartRefused(Exception):
    """The app does not start with its settings and plugins; the message says what is wrong, and its cure."""


class PluginError(StartRefused):
    """The deployment asks for a set of plugins that cannot run; the message names the plugin, the rule and the cure."""


def installed() -> dict[str, EntryPoint]:
    """Map the names of installed plugins to their entry points, without packages that a rename left behind."""
    found, former = dict[str, EntryPoint](), renamed()
    for entry in (e for e in _entry_points(GROUP, *sys.path) if e.name not in former):
        if (other := found.get(entry.name)) and other.value != entry.value:
            raise PluginError(f"{entry.name} is installed twice, as {other.value} and {entry.value}: uninstall one")
        found[entry.name] = entry
    return found


def renamed() -> dict[str, str]:
    """Map the former names of plugins, which deployments may still list, to their present names."""
    return {entry.name: entry.value for entry in _entry_points(FORMER_NAMES, *sys.path)}


@cache
def _entry_points(group: str, *path: str) -> tuple[EntryPoint, ...]:
    return tuple(_all_entries(*path).select(group=group))


@cache
def _all_entries(*path: str) -> Any:  # its type differs between Python 3.11 and later versions
    # Cached, because it reads a file of each package on the path.
    return entry_points()


def folder_of(name: str) -> Path | None:
    """Return the folder of a plugin's module, where its migrations and examples lie; that of core for `core`.

    None for a plugin that is no package, and so has no folder of its own.
    """
    if name == "core":
        return Path(__file__).parents[1]
    module = installed()[name].load()
    return Path(module.__file__).parent if module.__package__ and getattr(module, "__file__", None) else None


def migrations_of(name: str) -> Path | None:
    """Return the folder of a plugin's migrations, if there is one."""
    folder = folder_of(name)
    return folder / "migrations" if folder and (folder / "migrations").is_dir() else None


def examples_of(name: str) -> Path | None:
    """Return the file of a plugin's recorded examples, which is missing before the first recording."""
    folder = folder_of(name)
    return folder / "examples.json" if folder else None


def first_party() -> set[str]:
    """Return the usable plugins of the assembled distribution; none if only core is installed.

    An extra with the name of a plugin, such as `pdf`, installs that plugin.
    """
    parts, unusable = _first_party_parts() | {f"{ASSEMBLED}-{name}" for name in plugin_extras()}, absent() | lacking()
    return {
        name
        for name, entry in installed().items()
        if entry.dist and read_metadata(entry.dist).name in parts and name not in unusable
    }


@cache
def absent() -> frozenset[str]:
    """Return the plugins of the assembled distribution and its extras that are not installed.

    Plugins that require one of them, and so cannot be imported, are included.
    """
    here = {read_metadata(entry.dist).name: entry.dist for entry in installed().values() if entry.dist}
    gone = _first_party_parts(with_extras=True) - here.keys() - {CORE}
    while more := {name for name, package in here.items() if gone and _required_packages(package) & gone} - gone:
        gone |= more
    return frozenset(name.removeprefix(f"{ASSEMBLED}-").replace("-", "_") for name in gone)


@cache
def plugin_extras() -> frozenset[str]:
    """Return the plugins that come with an extra of their name."""
    try:
        named = distribution(ASSEMBLED).metadata.get_all("Provides-Extra") or []
    except PackageNotFoundError:
        return frozenset()
    return frozenset(name for name in named if f"{ASSEMBLED}-{name}" in _first_party_parts(with_extras=True))


@cache
def lacking() -> frozenset[str]:
    """Return those of the extras' plugins that are not installed, or lack a requirement."""
    here = {name: entry.dist for name, entry in installed().items() if entry.dist}
    return frozenset(
        name for name in plugin_extras() if not (name in here and all(map(_is_here, _required_packages(here[name]))))
    )


def _is_here(package: str) -> bool:
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True


@cache
def _first_party_parts(*, with_extras: bool = False) -> set[str]:
    try:
        return _required_packages(distribution(ASSEMBLED), with_extras=with_extras)
    except PackageNotFoundError:
        return set()


def _required_packages(package: Distribution, *, with_extras: bool = False) -> set[str]:
    """Return the names of the packages that a package requires."""
    requirements = read_metadata(package).requires
    return {canonical_name(_NAME_OF.findall(r)[0]) for r in requirements if with_extras or "extra ==" not in r}


@cache
def read_metadata(package: Distribution) -> Package:
    """Return a package's metadata, parsed once: its own attributes read and parse them at each use."""
    said = package.metadata
    return Package(canonical_name(said["Name"]), said["Version"], tuple(said.get_all("Requires-Dist") or ()))


def canonical_name(name: str) -> str:
    """Return a distribution's name in its canonical form, for comparing."""
    return name.lower().replace("_", "-")


def enabled_names(setting: str | None) -> list[str]:
    """List the plugins that a setting enables: names, `none`, or changes to the default such as `+a,-b`."""
    if setting == "none":
        return []
    names = [name.strip() for name in (setting or "").split(",") if name.strip()]
    changes = [name for name in names if name[0] in "+-"]
    if names and not changes:
        return sorted(set(names))
    if len(changes) != len(names):
        raise PluginError("plugins: either list names, or change the default with + and - before every name")
    enabled = first_party()
    check_renamed(change[1:] for change in changes)
    for change in changes:
        if change[0] == "-" and change[1:] not in installed():
            cure = explain_mistake(change[1:]) or "leave it out"
            raise PluginError(f"plugins: {change} names a plugin that is not installed: {cure}")
        (enabled.add if change[0] == "+" else enabled.discard)(change[1:])
    return sorted(enabled)


def commands(enabled: Iterable[str]) -> dict[str, EntryPoint]:
    """Map names to the commands in these plugins' packages; none of them is loaded yet."""
    available = installed()
    brought = {read_metadata(dist).name for name in enabled if name in available and (dist := available[name].dist)}
    found: dict[str, EntryPoint] = {}
    for entry in (e for e in _entry_points(COMMANDS, *sys.path) if e.dist and read_metadata(e.dist).name in brought):
        if (other := found.get(entry.name)) and other.value != entry.value:
            raise PluginError(f"{other.value} and {entry.value} both are the command {entry.name}: disable one plugin")
        found[entry.name] = entry
    return found


def check_renamed(names: Iterable[str]) -> None:
    """Raise PluginError for a former name of a plugin."""
    former = renamed()
    for name in names:
        if now := former.get(name):
            raise PluginError(f"plugins: {name} is now called {now}: write {now} in its place")


def explain_mistake(name: str, *, guess: bool = True) -> str:
    """Say why a name is no plugin's, and what to write instead; return "" for a name that may be right.

    `name` may be that of a package or module, too. With `guess`, a name is mistaken if an installed plugin's is close.
    """
    plain = canonical_name(name).replace("-", "_").removeprefix("billycan_")
    in_core = f"`billycan.{plain}` is a part of core, which every plugin has" if plain in _IN_CORE else ""
    if now := renamed().get(plain):
        return f"{name} is now called {now}: write {now} in its place" + (in_core and f"; {in_core}")
    if plain in _IN_CORE:
        return f"{name} is a part of core: leave it out"
    known = installed()
    if plain in known and plain != name:
        return f"{name} is the package of the plugin {plain}: write {plain}"
    near = get_close_matches(plain, known, 1, 0.8) if guess and plain not in known else ()
    return f"there is no {name}: did you mean {near[0]}?" if near else ""


def package_of(name: str) -> str:
    """Return the name by which pip installs a plugin."""
    return f"{ASSEMBLED}[{name}]" if name in plugin_extras() else f"{ASSEMBLED}-{name.replace('_', '-')}"
