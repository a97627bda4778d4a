"""The settings of a deployment: one TOML file and the environment, typed and strict."""

import ipaddress
import logging
import os
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin

import msgspec
from msgspec import Meta, Struct

from ..members import options
from .packages import StartRefused

if TYPE_CHECKING:
    from ..manifest import Manifest

log = logging.getLogger("billycan")

PREFIX = "BILLYCAN_"
CONFIG, SECRET_FILE = f"{PREFIX}CONFIG", f"{PREFIX}SECRET_FILE"
# What gunicorn_conf.py reads, before any of billycan is imported, and `billycan webhooks listen`.
_ELSEWHERE = ("BIND", "WORKERS", "THREADS", "WORKER_CLASS", "LOG_FORMAT", "KEY", "WEBHOOK_SECRET")
ELSEWHERE = tuple(f"{PREFIX}{name}" for name in _ELSEWHERE)
_OF_A_PLUGIN = f"; one of a plugin, with two underscores: {PREFIX}<PLUGIN>__<SETTING>"


class SettingsError(StartRefused):
    """A setting that is unknown, malformed or missing; the message names it and says how to mend it."""


_Url = Meta(pattern=r"^https?://[^/\s]+(/[^\s]*)?$", examples=["https://api.example.com"])


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Core's own settings; each is a key of billycan.toml and `BILLYCAN_<NAME>` in the environment."""

    database: str = "sqlite:///var/billycan.db"
    database_owner: str | None = None
    database_replica: list[str] = []
    secret: Annotated[str, Meta(min_length=32)] | None = None
    secret_previous: Annotated[str, Meta(min_length=32)] | None = None
    public_url: Annotated[str, _Url] | None = None
    trusted_proxies: list[str] = []
    operator_token: Annotated[str, Meta(min_length=16)] | None = None
    plugins: str | None = None
    per_minute: Annotated[int, Meta(ge=1, le=100_000)] = 100
    per_second: Annotated[int, Meta(ge=1, le=100_000)] = 20
    business_per_minute: Annotated[int, Meta(ge=1, le=100_000)] = 600
    business_per_second: Annotated[int, Meta(ge=1, le=100_000)] = 60
    pool_size: Annotated[int, Meta(ge=1, le=1000)] = 8
    pooled: bool = False
    plain_sql: bool = False
    shared_folder: str | None = None
    events_days: Annotated[int, Meta(ge=1, le=36_500)] = 90
    events_mib: Annotated[int, Meta(ge=64, le=100_000_000)] = 2_048
    closed_days: Annotated[int, Meta(ge=1, le=3_650)] = 30
    closed_folder: str | None = None
    read_only: Annotated[str, Meta(min_length=1, max_length=500)] | None = None

    def __post_init__(self) -> None:
        for network in self.trusted_proxies:
            try:
                ipaddress.ip_network(network, strict=False)
            except ValueError:
                raise ValueError(
                    f"trusted_proxies: {network} is not an address or network such as 10.0.0.0/8"
                ) from None

    def __repr__(self) -> str:
        return "Settings(…)"  # the secrets stay out of tracebacks and logs


class Config(Struct, frozen=True):
    """Core's settings, and those for plugins, by plugin and setting; these are typed once the plugins are known."""

    settings: Settings
    plugins: dict[str, dict[str, Any]]

    def __repr__(self) -> str:
        return "Config(…)"


def load_settings(environ: Mapping[str, str] | None = None) -> Config:
    """Load the file named by BILLYCAN_CONFIG (default billycan.toml), with the environment's settings over it."""
    environ = os.environ if environ is None else environ
    table = _read_config_file(environ)
    core = {name: value for name, value in table.items() if not isinstance(value, dict)}
    plugins = {name: dict(value) for name, value in table.items() if isinstance(value, dict)}
    if misplaced := sorted(set(plugins) & set(Settings.__struct_fields__)):
        raise SettingsError(f"{misplaced[0]}: is a setting, not a table")
    if path := environ.get(SECRET_FILE):
        core["secret"] = _read_variable(Path(path), SECRET_FILE).strip()
    for variable, text in environ.items():
        if not variable.startswith(PREFIX) or variable in (CONFIG, SECRET_FILE, *ELSEWHERE):
            continue
        name = variable.removeprefix(PREFIX).lower()
        plugin, separator, setting = name.partition("__")
        if separator:
            plugins.setdefault(plugin, {})[setting] = text
        else:
            core[name] = text
    if isinstance(core.get("plugins"), list):
        core["plugins"] = ",".join(map(str, core["plugins"]))
    return Config(convert_settings(core, Settings, ""), plugins)


def settings_file(environ: Mapping[str, str]) -> Path:
    """Return the path of the settings file, which may not exist."""
    return Path(environ.get(CONFIG, "billycan.toml"))


def _read_config_file(environ: Mapping[str, str]) -> dict[str, Any]:
    path = settings_file(environ)
    if CONFIG not in environ and not path.exists():
        return {}
    try:
        return tomllib.loads(_read_variable(path, CONFIG))
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not TOML: {error}") from None


def _read_variable(path: Path, variable: str) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise SettingsError(f"{variable}: {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{variable}: {path} is not UTF-8 text") from None


def convert_settings(table: Mapping[str, Any], kind: type[Any], plugin: str) -> Any:
    """Convert a table of settings to a Struct; raise SettingsError naming the first that is unknown or malformed."""
    members = {f.encode_name: f.type for f in msgspec.structs.fields(kind)}
    values: dict[str, Any] = {}
    for name, value in table.items():
        label = f"{plugin}.{name}" if plugin else name
        if name not in members:
            known = f"{', '.join(sorted(members)) or 'none'}{'' if plugin else _OF_A_PLUGIN}"
            raise SettingsError(f"{label}: unknown setting. Known settings: {known}")
        if isinstance(value, str) and _is_list(members[name]):
            value = [part.strip() for part in value.split(",") if part.strip()]  # noqa: PLW2901
        try:
            values[name] = msgspec.convert(value, members[name], strict=False)
        except msgspec.ValidationError:
            raise SettingsError(f"{label}: must be {_describe_values(members[name])}") from None
    try:
        return kind(**values)
    except ValueError as error:
        raise SettingsError(f"{plugin}.{error}" if plugin else str(error)) from None


def plugin_settings(
    tables: Mapping[str, Mapping[str, Any]], enabled: "Mapping[str, Manifest]", installed: Collection[str]
) -> dict[type[Struct], Struct]:
    """Return the settings of the enabled plugins, by their Struct; those of other installed plugins are ignored."""
    found: dict[type[Struct], Struct] = {}
    for name, manifest in enabled.items():
        if manifest.settings:
            found[manifest.settings] = convert_settings(tables.get(name, {}), manifest.settings, name)
        elif tables.get(name):
            raise SettingsError(f"{name}: this plugin has no settings")
    if unused := sorted(set(tables) - set(enabled)):
        if unknown := sorted(set(unused) - set(installed)):
            raise SettingsError(f"{unknown[0]}: no such plugin is installed: correct its name or remove its settings")
        log.warning("settings of plugins that are not enabled are ignored: %s", ", ".join(unused))
    return found


def _is_list(kind: Any) -> bool:
    bare = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    return get_origin(bare) in (list, tuple)


_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}


def _describe_values(kind: Any) -> str:
    """Describe the values of a setting, to end a sentence: `a whole number from 1 to 1000`."""
    limits = Meta()
    if get_origin(kind) is Annotated:
        kind, limits = get_args(kind)
    if get_origin(kind) is Literal:
        return " or ".join(map(str, get_args(kind)))
    if len(options(kind)) > 1:
        return " or ".join(_describe_values(option) for option in options(kind) if option is not NoneType)
    if get_origin(kind) in (list, tuple):
        most = f" of at most {limits.max_length} items" if limits.max_length else ""
        return f"a list{most}, each of them {_describe_values(get_args(kind)[0])}"
    return _KINDS.get(kind, "of another form") + _describe_limits(limits)


def _describe_limits(limits: Meta) -> str:
    if limits.examples:
        return f" such as {limits.examples[0]}"
    if limits.min_length:
        return f" of at least {limits.min_length} characters"
    if limits.ge is not None:
        return f" from {limits.ge} to {limits.le}" if limits.le is not None else f" of at least {limits.ge}"
    return ""
