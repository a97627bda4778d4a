"""The checks of `billycan doctor`: those of the settings and files of this host, and those of a running deployment."""

import glob
import os
import shlex
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ..app import App
from ..engines import private_files
from ..operating.health import Finding
from ..starting import packages, settings
from ..starting.command import command_line
from ..starting.explain import explain_error
from ..starting.plugins import PluginError
from ..starting.settings import SettingsError
from .opening import SECRET


def examine() -> Iterator[Finding]:
    """Run every check, except those that need another one that failed."""
    try:
        config = settings.load_settings()
    except SettingsError as error:
        yield Finding(
            "settings", False, str(error), "correct this setting; deploy/billycan.example.toml explains every one"
        )
        return
    yield _check_secret(config.settings.secret)
    if not config.settings.secret:
        config = settings.Config(msgspec.structs.replace(config.settings, secret="x" * 32), config.plugins)
    try:
        app = App(config)
    except Exception as error:
        if (said := explain_error(error)) is None:
            raise
        cure = "fix what it names"
        if isinstance(error, PluginError):
            said, _, cure = said.rpartition(": ")  # Each ends with its own cure.
        yield Finding("settings", False, said, cure)
        return
    yield Finding("settings", True, f"plugins: {', '.join(app.manifests) or 'none'}")
    for name in sorted(packages.lacking() - set(app.manifests)):
        said = f"off, because what it needs is not installed; `pip install 'billycan[{name}]'` installs it"
        yield Finding(name, True, said)
    try:
        yield _check_files(app)
        yield from app.operations.examine(deep=True)
    finally:
        app.close()


def _check_secret(secret: str | None) -> Finding:
    if secret:
        return Finding("secret", True, "set")
    if SECRET.exists():
        return Finding("secret", True, f"{SECRET}, which `billycan serve` uses")
    cure = (
        "set BILLYCAN_SECRET_FILE to a file with at least 32 random characters;"
        f" `{command_line('serve')}` creates one itself"
    )
    return Finding("secret", False, "not set", cure)


def _check_files(app: App) -> Finding:
    paths = [settings.settings_file(os.environ), SECRET, app.shared]
    if secret := os.environ.get(settings.SECRET_FILE):
        paths.append(Path(secret))
    if app.db.is_sqlite and app.db.url.database:
        database = Path(app.db.url.database)
        # With its journals and lock files. The folder around them is not billycan's alone.
        paths += sorted(database.parent.glob(f"{glob.escape(database.stem)}.*"))
        paths += [database.parent] if database.parent.resolve() != Path.cwd() else []
    found = private_files.open_to_others(paths)
    if not found:
        return Finding("files", True, "private")
    named = " ".join(shlex.quote(str(path)) for path in found)
    return Finding("files", False, f"other users of this machine may read or write {named}", f"chmod o= {named}")
