"""Settings are typed and strict: whatever is wrong stops the start and is named."""

import json
import logging
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Annotated, Literal

import pytest
from msgspec import Meta, Struct

from billycan import Manifest
from billycan.app import App
from billycan.hosting import gunicorn_conf
from billycan.starting import plugins, settings
from billycan.starting.places import open_database
from billycan.starting.settings import Config, Settings, SettingsError, load_settings
from billycan.testing.fixtures import SECRET
from billycan.tools.commands import running

EXAMPLE = Path(__file__).parents[2] / "deploy" / "billycan.example.toml"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_defaults_need_nothing_to_be_set():
    config = load_settings({"PATH": "/bin"})
    assert config == Config(Settings(), {})
    assert config.settings.database == "sqlite:///var/billycan.db"
    assert (config.settings.per_minute, config.settings.per_second) == (100, 20)


def test_the_environment_comes_before_the_file(tmp_path):
    file = tmp_path / "any.toml"
    file.write_text(
        'per_minute = 5\nper_second = 3\nplugins = ["contacts", "documents"]\n[assets]\ncolour = "red"\nsize = 3\n',
        "utf-8",
    )
    config = load_settings(
        {"BILLYCAN_CONFIG": str(file), "BILLYCAN_PER_MINUTE": "7", "BILLYCAN_ASSETS__COLOUR": "blue"}
    )
    assert (config.settings.per_minute, config.settings.per_second) == (7, 3)
    assert config.settings.plugins == "contacts,documents"
    assert config.plugins == {"assets": {"colour": "blue", "size": 3}}


def test_billycan_toml_is_found_in_the_current_folder(tmp_path):
    (tmp_path / "billycan.toml").write_text("pool_size = 3", "utf-8")
    assert load_settings({}).settings.pool_size == 3


def test_lists_are_split_at_commas():
    assert load_settings({"BILLYCAN_TRUSTED_PROXIES": "127.0.0.1, 10.0.0.0/8,"}).settings.trusted_proxies == [
        "127.0.0.1",
        "10.0.0.0/8",
    ]


def test_the_secret_is_read_from_a_file_unless_it_is_given(tmp_path):
    file = tmp_path / "secret"
    file.write_text(SECRET + "\n", "utf-8")
    (tmp_path / "billycan.toml").write_text(f'secret = "{"toml" * 10}"', "utf-8")
    assert load_settings({"BILLYCAN_SECRET_FILE": str(file)}).settings.secret == SECRET
    given = {"BILLYCAN_SECRET_FILE": str(file), "BILLYCAN_SECRET": "environment" * 4}
    assert load_settings(given).settings.secret == "environment" * 4
    assert load_settings({}).settings.secret == "toml" * 10


def test_secrets_stay_out_of_what_is_printed():
    config = load_settings({"BILLYCAN_SECRET": SECRET})
    assert SECRET not in f"{config!r} {config} {config.settings!r}"


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("BILLYCAN_PER_MINTE", "5", "per_minte: unknown setting. Known settings: business_per_minute, "),
        ("BILLYCAN_PER_MINUTE", "many", "per_minute: must be a whole number from 1 to 100000"),
        ("BILLYCAN_PER_MINUTE", "0", "per_minute: must be a whole number from 1 to 100000"),
        ("BILLYCAN_SECRET", "short", "secret: must be text of at least 32 characters"),
        ("BILLYCAN_SECRET_PREVIOUS", "short", "secret_previous: must be text of at least 32 characters"),
        ("BILLYCAN_OPERATOR_TOKEN", "short", "operator_token: must be text of at least 16 characters"),
        ("BILLYCAN_PUBLIC_URL", "api.example.com", "public_url: must be text such as https://api.example.com"),
        ("BILLYCAN_TRUSTED_PROXIES", "127.0.0.1,nginx", "trusted_proxies: nginx is not an address or network"),
        ("BILLYCAN_SECRET_FILE", "/nowhere/secret", "BILLYCAN_SECRET_FILE: /nowhere/secret cannot be read"),
        ("BILLYCAN_CONFIG", "/nowhere/billycan.toml", "BILLYCAN_CONFIG: /nowhere/billycan.toml cannot be read"),
    ],
)
def test_what_is_wrong_in_the_environment_is_named(variable, value, said):
    with pytest.raises(SettingsError) as error:
        load_settings({variable: value})
    assert str(error.value).startswith(said)
    assert value not in said or variable not in ("BILLYCAN_SECRET", "BILLYCAN_OPERATOR_TOKEN")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("per_minute = ", "billycan.toml is not TOML: "),
        ("per_minute = 'x'", "per_minute: must be a whole number from 1 to 100000"),
        ("per_minte = 5", "per_minte: unknown setting. Known settings: "),
        ("database = 5", "database: must be text"),
        ("plugins = 5", "plugins: must be text"),
        ("[database]\nurl = 'sqlite://'", "database: is a setting, not a table"),
    ],
)
def test_what_is_wrong_in_the_file_is_named(tmp_path, text, said):
    (tmp_path / "billycan.toml").write_text(text, "utf-8")
    with pytest.raises(SettingsError, match="^" + re.escape(said)):
        load_settings({})


def test_whoever_sets_a_plugins_setting_among_cores_is_told_how_it_is_set():
    with pytest.raises(SettingsError, match=r"^visits_announce_days: unknown.* two underscores: BILLYCAN_<PLUGIN>__<S"):
        load_settings({"BILLYCAN_VISITS_ANNOUNCE_DAYS": "3"})


def test_the_file_is_utf_8_on_a_machine_that_is_set_to_something_else(tmp_path):
    (tmp_path / "billycan.toml").write_text('trusted_proxies = ["::1"]  # Müllers', "utf-8")
    ascii_alone = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    code = (
        "import locale; from billycan.starting import settings\n"
        "print(locale.getencoding(), *settings.load_settings().settings.trusted_proxies)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=ascii_alone, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "utf" not in done.stdout.lower().partition(" ")[0] and "::1" in done.stdout


def test_a_file_that_is_not_text_is_named(tmp_path):
    (tmp_path / "billycan.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match=r"billycan.toml is not UTF-8"):
        load_settings({})


def test_what_gunicorn_reads_is_no_setting_of_the_application():
    assert load_settings(dict.fromkeys(settings.ELSEWHERE, "whatever")) == Config(Settings(), {})


class AssetSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    colour: str = "red"
    size: Annotated[int, Meta(ge=1)] = 1
    days: tuple[Annotated[int, Meta(ge=1)], ...] = (1, 2)
    tags: Annotated[list[str], Meta(max_length=2)] = []
    hosts: bool | Literal["here"] | None = None

    def __post_init__(self) -> None:
        if list(self.days) != sorted(self.days):
            raise ValueError("days: must grow")


def test_a_plugin_s_settings_come_typed_to_it():
    given = {"size": "3", "days": "4,5", "tags": "a, b"}
    assert settings.convert_settings(given, AssetSettings, "assets") == AssetSettings(
        size=3, days=(4, 5), tags=["a", "b"]
    )


@pytest.fixture
def start(tmp_path, install):
    """Start an app with the plugin `assets`, which has settings, or `plain`, which has none."""
    install(Manifest(name="assets", settings=AssetSettings))
    install(Manifest(name="plain"))
    install(Manifest(name="other"))

    def begin(enabled: str, **plugins: dict[str, object]) -> App:
        core = Settings(secret=SECRET, database=f"sqlite:///{tmp_path}/a.db", plugins=enabled, shared_folder="shared")
        app = App(Config(core, plugins))
        app.close()
        return app

    return begin


def test_an_enabled_plugin_has_its_settings(start):
    app = start("assets", assets={"colour": "blue"})
    assert app.plugin_settings[AssetSettings] == AssetSettings(colour="blue")
    assert start("assets").plugin_settings[AssetSettings] == AssetSettings()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"assets": {"color": "blue"}},
            "assets.color: unknown setting. Known settings: colour, ",
        ),
        ({"assets": {"size": "big"}}, "assets.size: must be a whole number of at least 1"),
        ({"assets": {"size": "0"}}, "assets.size: must be a whole number of at least 1"),
        ({"assets": {"days": "5,x"}}, "assets.days: must be a list, each of them a whole number of at least 1"),
        ({"assets": {"tags": "a,b,c"}}, "assets.tags: must be a list of at most 2 items, each of them text"),
        ({"assets": {"hosts": "nobody"}}, "assets.hosts: must be true or false or here"),
        ({"assets": {"days": "5,4"}}, "assets.days: must grow"),
        ({"plain": {"colour": "blue"}}, "plain: this plugin has no settings"),
    ],
)
def test_a_wrong_setting_of_an_enabled_plugin_stops_the_start(start, given, said):
    with pytest.raises(SettingsError, match="^" + re.escape(said)):
        start("assets,plain", **given)


def test_settings_of_plugins_that_are_not_enabled_give_one_warning(start, caplog):
    with caplog.at_level(logging.WARNING):
        start("plain", assets={"nonsense": "1"}, other={"a": "b", "c": "d"})
    assert [r.message for r in caplog.records] == [
        "settings of plugins that are not enabled are ignored: assets, other"
    ]


def test_settings_of_a_plugin_that_is_not_installed_stop_the_start(start):
    said = "asets: no such plugin is installed: correct its name or remove its settings"
    with pytest.raises(SettingsError, match=f"^{re.escape(said)}$"):
        start("plain", assets={"nonsense": "1"}, asets={"colour": "blue"})


def test_no_app_starts_without_a_secret_or_with_a_strange_database(tmp_path):
    with pytest.raises(SettingsError, match=r"^secret: set BILLYCAN_SECRET or BILLYCAN_SECRET_FILE"):
        App(Config(Settings(plugins="-none"), {}))
    files = ("sqlite://", "sqlite:///:memory:", "sqlite:///file:here.db?uri=true")
    for url in ("nonsense", "mysql://localhost/x", "postgres://localhost/x", *files):
        with pytest.raises(SettingsError, match=r"^database: must be "):
            App(Config(Settings(secret=SECRET, database=url, plugins="contacts"), {}))


def test_several_hosts_of_a_database_are_asked_for_the_primary():
    hosts = "postgresql+psycopg://u@/x?host=10.0.0.11&host=10.0.0.12"
    # PostgreSQL takes a session that may only read for one of a replica, and reads are sent in such sessions.
    for url in (hosts, f"{hosts}&target_session_attrs=read-write", f"{hosts}&target_session_attrs=any"):
        with pytest.raises(SettingsError, match=r"^database: several hosts need target_session_attrs=primary"):
            open_database(Settings(database=url))
    open_database(Settings(database=f"{hosts}&target_session_attrs=primary")).dispose()


@pytest.mark.whole
def test_the_example_file_names_every_setting_and_is_valid(tmp_path):
    text = EXAMPLE.read_text("utf-8")
    assert tomllib.loads(text) == {}
    whole = re.sub(r"(?m)^#(\w+ = |\[\w+\]$)", r"\1", text)
    assert sorted(k for k, v in tomllib.loads(whole).items() if not isinstance(v, dict)) == sorted(
        Settings.__struct_fields__
    )
    assert all(variable in text for variable in (*settings.ELSEWHERE, settings.CONFIG, settings.SECRET_FILE))
    (tmp_path / "billycan.toml").write_text(whole, "utf-8")
    found = load_settings({})
    shown = {"": Settings}
    for name in plugins.first_party():
        if kind := plugins.read_manifest(name).settings:
            shown[name] = kind
            assert sorted(found.plugins[name]) == sorted(kind.__struct_fields__), f"[{name}] is not as its settings are"
    assert sorted(found.plugins) == sorted(name for name in shown if name)
    for name, kind in shown.items():
        values = settings.convert_settings(found.plugins[name], kind, name) if name else found.settings
        for setting in kind.__struct_fields__:
            default = getattr(kind(), setting)
            comment = re.search(rf"((?:#.*\n)+)(?:#\w+ = .*\n)*#{setting} = ", text)[1]
            if default is None or default == []:
                assert "or example" in comment, f"{name}.{setting} is not said to be an example"
            else:
                assert getattr(values, setting) == default, f"{name}.{setting} is not shown with its default"


def test_the_example_file_shows_the_defaults_of_the_environment():
    given = dict(re.findall(r"(?m)^#   BILLYCAN_(\w+) .* {2,}(\S+)$", EXAMPLE.read_text("utf-8")))
    assert given == {
        "BIND": gunicorn_conf.bind[0],
        "WORKERS": gunicorn_conf.workers,
        "THREADS": gunicorn_conf.threads,
        "WORKER_CLASS": gunicorn_conf.worker_class,
        "LOG_FORMAT": gunicorn_conf.log_format,
    }
    defaults = {p.envvar: str(p.default) for p in running.serve.params if p.envvar}
    of_servers = given.keys() - {"WORKER_CLASS", "LOG_FORMAT"}
    assert {f"BILLYCAN_{name}": given[name] for name in of_servers} == defaults


def test_each_line_of_the_log_is_one_entry(monkeypatch):
    try:
        raise ValueError("Ada\nINFO forged")
    except ValueError:
        failed = logging.LogRecord("billycan", logging.ERROR, __file__, 1, "%s\r\nand", ("a",), sys.exc_info())
    plain = logging.LogRecord("gunicorn.error", logging.INFO, __file__, 1, "Booting", (), None)
    plain.trace_id = "0af7"
    text = gunicorn_conf.line_format().format(failed)
    assert len(text.splitlines()) == 1 and "ERROR a | and | Traceback" in text
    monkeypatch.setattr(gunicorn_conf, "log_format", "json")
    lines = [gunicorn_conf.line_format().format(record) for record in (failed, plain)]
    assert [len(line.splitlines()) for line in lines] == [1, 1]
    first, second = map(json.loads, lines)
    assert (first["level"], first["logger"], first["message"]) == ("ERROR", "billycan", "a\r\nand")
    assert first["exception"].endswith("ValueError: Ada\nINFO forged") and "trace_id" not in first
    assert second["trace_id"] == "0af7" and "exception" not in second
    monkeypatch.setattr(gunicorn_conf, "log_format", "xml")
    with pytest.raises(SystemExit, match="BILLYCAN_LOG_FORMAT: must be text or json"):
        gunicorn_conf.line_format()
