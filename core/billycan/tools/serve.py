"""The command `billycan serve`: the web server and the worker on one machine under one small supervisor."""

import ctypes
import errno
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from ipaddress import ip_address
from pathlib import Path

import sqlalchemy as sa

from .. import demo
from ..app import App
from ..db import Database
from ..engines import private_files
from ..hosting import gunicorn_conf
from ..starting import migrate, packages, plugins, settings
from ..starting.command import command_line
from ..starting.settings import SettingsError
from .opening import SECRET, SERVED_AT

_OWNER = f"{settings.PREFIX}DATABASE_OWNER"
_STOP_SECONDS = gunicorn_conf.graceful_timeout + 5
_GUNICORN = [sys.executable, "-m", "gunicorn"]
_FIRST_RUN = """\

Created a demo business, with sample records in its sandbox. Its keys are shown only once:

  live     {live}
  sandbox  {test}

Try it:

  curl {url}{path} -H 'Authorization: Bearer {test}'

More keys:

  {more}"""


def serve(bind: str, workers: int, threads: int, *, reload: bool = False) -> int:
    """Migrate, then run gunicorn and the worker until a signal or the end of either; return the exit code.

    With `reload`, both start again when a source file changes.

    Raise SettingsError, before anything is started, if `bind` is taken or malformed.
    """
    os.umask(0o077)  # for all files of this process and its children
    stop = _catch_signals()
    with _open_socket(bind) as listener:
        host, port = listener.getsockname()[:2]
        url = _url_of(host, port)
        is_loopback = ip_address(host).is_loopback
        environ = _child_environment(url, is_loopback)
        app = App(settings.load_settings(environ))
        _upgrade_tables(app)
        environ.pop(_OWNER, None)  # the server does not need it
        app.start()
        web = _start_child(
            _gunicorn_command(listener.fileno(), workers, threads, reload=reload), environ, listener.fileno()
        )
    children = {"the web server": web}

    def begin() -> None:
        # Only now, because loading the worker would delay the first answer.
        worker = [sys.executable, "-m", "billycan.tools.cli", "worker", *(["--reload"] if reload else [])]
        children["the worker"] = _start_child(worker, environ)
        _announce_address(app, url, is_loopback)

    try:
        code = _watch_children(children, stop, lambda: _is_answering(host, port), begin)
    finally:
        failed = _end_children(children, stop)
    return code or failed


def _upgrade_tables(app: App) -> None:
    """Upgrade the tables, as the role that owns them if that is not the server's."""
    owner = Database(sa.make_url(app.settings.database_owner)) if app.settings.database_owner else app.db
    try:
        migrate.upgrade_all(owner, app.manifests)
    finally:
        owner.dispose()


def _open_socket(bind: str) -> socket.socket:
    host, _, port = bind.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not (host and port.isdecimal() and int(port) < 65536):
        raise SettingsError(f"bind: {bind} must be HOST:PORT such as 127.0.0.1:8000")
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, int(port)), family=family, backlog=2048)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise SettingsError(
                f"bind: {bind} is in use: stop what listens there, or choose another port with --bind {host}:PORT"
            ) from None
        raise SettingsError(f"bind: cannot listen on {bind}: {error.strerror}") from None


def _url_of(host: str, port: int) -> str:
    # A server on every address also listens on loopback.
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _child_environment(url: str, is_loopback: bool) -> dict[str, str]:
    """Return the children's environment: this one, with a secret, the URL and plugins' settings where it sets none."""
    environ = dict(os.environ)
    config = settings.load_settings(environ)
    given = config.settings
    SECRET.parent.mkdir(mode=0o700, exist_ok=True)
    if given.secret is None:
        environ[settings.SECRET_FILE] = str(_kept_secret().resolve())
    if given.public_url is None:
        SERVED_AT.write_text(f"{url}\n", "utf-8")  # for the commands that print addresses
        environ[f"{settings.PREFIX}PUBLIC_URL"] = url
    if not is_loopback or given.public_url or given.trusted_proxies:
        return environ  # Others can reach it, directly or through a proxy, so no settings for trying things out.
    _, manifests = plugins.load_plugins(packages.enabled_names(given.plugins), {})
    for name, manifest in manifests.items():
        for setting, value in getattr(manifest.settings, "when_alone", {}).items():
            if setting not in config.plugins.get(name, {}):
                environ[f"{settings.PREFIX}{name}__{setting}".upper()] = value
    return environ


def _kept_secret() -> Path:
    if not SECRET.exists():
        new = SECRET.with_name(f"secret.{os.getpid()}")
        new.unlink(missing_ok=True)
        private_files.make_file(new)
        new.write_text(secrets.token_urlsafe(48) + "\n", "utf-8")
        try:
            SECRET.hardlink_to(new)  # whole or not at all, and never over another's
        except FileExistsError:
            pass
        finally:
            new.unlink()
    return SECRET


def _gunicorn_command(socket_number: int, workers: int, threads: int, *, reload: bool) -> list[str]:
    options = {
        "--config": gunicorn_conf.__file__,
        "--bind": f"fd://{socket_number}",
        "--workers": str(workers),
        "--threads": str(threads),
        "--log-level": "warning",
    }
    flags = [part for option in options.items() for part in option]
    if reload:
        return [*_GUNICORN, *flags, "--reload", "billycan.hosting.workers:application(reload=True)"]
    return [*_GUNICORN, *flags, "billycan.hosting.workers:application()"]


def _start_child(command: list[str], environ: Mapping[str, str], *sockets: int) -> subprocess.Popen[bytes]:
    # In a session of its own, so that Ctrl-C reaches the supervisor alone, which then stops both in good order.
    return subprocess.Popen(
        command,
        env=environ,
        pass_fds=sockets,
        start_new_session=True,
        preexec_fn=_die_with(os.getpid()),  # noqa: PLW1509 - there are no other threads
    )


def _die_with(supervisor: int) -> Callable[[], None]:
    """Return a function for the child to call first: the kernel then sends it a SIGTERM when the supervisor ends."""
    prctl = getattr(ctypes.CDLL(None), "prctl", None)  # Linux

    def ask() -> None:
        if prctl:
            prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
            if os.getppid() != supervisor:
                os._exit(1)

    return ask


def _catch_signals() -> list[int]:
    """Return the list to which signals to stop are added; it is empty at first."""
    came: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup wants it
            signal.signal(number, lambda number, frame: came.append(number))
    return came


def _watch_children(
    children: Mapping[str, subprocess.Popen[bytes]],
    stop: list[int],
    answers: Callable[[], bool],
    begin: Callable[[], None],
) -> int:
    """Wait for a signal, or for a child to end by itself; return the exit code, which is 1 if a child ended.

    Call `begin` as soon as the server answers.
    """
    begun = False
    while not stop:
        if dead := [name for name, child in children.items() if child.poll() is not None]:
            how = " and ".join(f"{name} ended ({_how_it_ended(children[name].returncode)})" for name in dead)
            print(f"billycan: {how}, so everything stops; the log above says why", file=sys.stderr)  # noqa: T201
            return 1
        if not begun and answers():
            begin()
            begun = True
        time.sleep(0.05)
    return 0


def _end_children(children: Mapping[str, subprocess.Popen[bytes]], stop: list[int]) -> int:
    """Stop what still runs; return 1 if something had to be killed or failed. A second signal does not wait."""
    code, signals, deadline = 0, len(stop), time.monotonic() + _STOP_SECONDS
    for child in children.values():
        if child.poll() is None:
            child.terminate()
    while any(child.poll() is None for child in children.values()):
        if time.monotonic() > deadline or len(stop) > max(signals, 1):
            break
        time.sleep(0.05)
    for child in children.values():
        code = code or int(child.poll() not in (0, -signal.SIGTERM))  # a signal from before it had begun
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)  # with what a killed gunicorn leaves behind
        child.wait()
    return code


def _how_it_ended(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"killed by {signal.Signals(-code).name}"


def _is_answering(host: str, port: int) -> bool:
    connection = HTTPConnection({"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port, timeout=1)  # noqa: S104
    try:
        connection.request("GET", "/-/ready")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _announce_address(app: App, url: str, is_loopback: bool = True) -> None:
    business = demo.first(app)
    text = "\n".join([f"billycan serves {url}", *(f"  in a browser: {url}{path}" for path in app.entrances)])
    if not is_loopback:
        text += "\n  anybody who can reach this machine can call it, over plain http: put a TLS proxy in front of it"
    if business:
        shown = sorted((r for m in app.manifests.values() for r in m.records if not r.hidden), key=lambda r: r.order)
        text += "\n" + _FIRST_RUN.format(
            url=url,
            path=shown[0].path if shown else "/v1/me",
            live=business.live_key,
            test=business.test_key,
            more=command_line(f"keys create --tenant {business.sandbox} --scope read --scope write"),
        )
    for greet in app.greetings if is_loopback else ():
        if line := greet(app, url):
            text += f"\n{line}"
    app.close()
    print(text, flush=True)  # noqa: T201
