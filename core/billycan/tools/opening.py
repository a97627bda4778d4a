"""The App for commands."""
# ruff: noqa: PLC0415 - a command imports what it needs, so that the others start quickly

import getpass
import os
import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ..starting import settings

if TYPE_CHECKING:
    from ..app import App

    Opened = Callable[[], AbstractContextManager[App]]

SECRET = Path("var/secret")  # the secret that `billycan serve` makes in this folder
SERVED_AT = Path("var/url")  # the URL of the last `billycan serve` in this folder


@contextmanager
def open_app(config: settings.Config | None = None) -> Iterator["App"]:
    """Open the App of this environment for a command, which needs neither a secret nor the workers' shared folder.

    If no `public_url` is set, URLs begin as those of `billycan serve` in this folder.
    """
    from ..app import App

    config = config or settings.load_settings()
    if config.settings.secret is None:  # Commands verify no signatures.
        config = with_settings(config, secret=secrets.token_hex(32))
    if config.settings.public_url is None:
        with suppress(OSError):  # there is none, or it is another user's
            config = with_settings(config, public_url=SERVED_AT.read_text("utf-8").strip() or None)
    with tempfile.TemporaryDirectory(prefix="billycan-") as folder:
        try:
            app = App(config)
        except (RuntimeError, OSError):
            app = App(with_settings(config, shared_folder=folder))
        try:
            yield app
        finally:
            app.close()


def with_settings(config: settings.Config, **changed: Any) -> settings.Config:
    """Return the configuration with other settings of core."""
    return settings.Config(msgspec.structs.replace(config.settings, **changed), config.plugins)


@contextmanager
def open_checked_app(config: settings.Config | None = None) -> Iterator["App"]:
    """Open the App and check its tables."""
    from ..starting import versions

    with open_app(config) as app:
        versions.check_schema(app.db, {})
        yield app


@contextmanager
def open_app_with_secret() -> Iterator["App"]:
    """Open the App with the deployment's own secret, for what is sealed or derived with it, and check its tables."""
    config = settings.load_settings()
    if config.settings.secret is None:
        try:
            config = with_settings(config, secret=SECRET.read_text("utf-8").strip())
        except OSError:
            raise settings.SettingsError(
                "secret: this needs the server's: set BILLYCAN_SECRET_FILE to the file that the server reads"
            ) from None
    with open_checked_app(config) as app:
        yield app


@contextmanager
def open_as_owner(open_: Any) -> Iterator["App"]:
    """Open the App as the role that owns the tables, if that is not the server's."""
    config = settings.load_settings()
    owner = config.settings.database_owner
    with open_(with_settings(config, database=owner) if owner else None) as app:
        yield app


def operator() -> str:
    """Return who runs this command, for the log of what operators do."""
    try:
        return f"{getpass.getuser()} (command)"
    except (OSError, KeyError):  # a user without a name
        return f"user {os.geteuid()} (command)"


def bump_epoch(app: "App") -> bool:
    """Make every worker of this host forget what it remembers; return False if some are another user's."""
    if app.settings.shared_folder != settings.load_settings().settings.shared_folder:
        return False  # The App was opened without it.
    try:
        app.epoch.bump()
    except (OSError, RuntimeError):
        return False
    deployment = app.shared.name.rpartition("-")[2]
    return not [f for f in app.shared.parent.glob(f"billycan-*-{deployment}") if f != app.shared]
