"""Servers that live as long as one test run: PostgreSQL, and Redis where it is installed."""

from __future__ import annotations

import atexit
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from functools import cached_property
from pathlib import Path
from typing import Any

import sqlalchemy

INSTALLED = Path("/usr/lib/postgresql")  # Debian keeps every version's programs here, off the PATH.
# Without fsync a crash of PostgreSQL still loses nothing; only a crash of the machine would.
SETTINGS = {"listen_addresses": "", "port": "5432", "max_connections": "200", "shared_buffers": "128MB"}
SETTINGS |= {"jit": "off", "fsync": "off", "full_page_writes": "off"}
# It would come upon hundreds of small databases, and change the plans of some in the middle of a test.
SETTINGS |= {"autovacuum": "off"}
# The read ends when the kernel closes the owner's end of the pipe, however the owner died. Removal is tried again
# because an initdb or a start that was under way may still be writing.
WATCHDOG = """
read -r _
for _ in 1 2 3 4 5; do
    "$1/pg_ctl" stop -D "$2/data" -m immediate -t 20
    rm -rf "$2" && break
    sleep 1
done
"""


def find() -> Path | None:
    """Return the folder with PostgreSQL's programs: the newest version installed, else the one on the PATH."""
    versions = sorted(INSTALLED.glob("[0-9]*/bin"), key=lambda folder: float(folder.parent.name), reverse=True)
    on_path = [Path(initdb).parent] if (initdb := shutil.which("initdb")) else []
    programs = ("initdb", "postgres", "pg_ctl")
    complete = (f for f in versions + on_path if all(os.access(f / program, os.X_OK) for program in programs))
    return next(complete, None)


def in_memory() -> str | None:
    """Return a folder in memory for temporary files, or None if there is none."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108


def hold_port() -> socket.socket:
    """Reserve a port of loopback for a server: return a socket that keeps the kernel from giving the port to others.

    A server that sets SO_REUSEADDR, as all do, may listen there repeatedly. Until it does, connections are refused.
    """
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    return held


def start(**settings: str) -> Postgres | None:
    """A new server, or None where PostgreSQL is not installed; a RuntimeError has the server's own log.

    `settings` are further settings of the server, such as `listen_addresses="127.0.0.1", port="5433"`.
    """
    programs = find()
    return None if programs is None else Postgres(programs, SETTINGS | settings)


class Postgres:
    """A running throwaway server with named databases. It ends with the process that started it.

    With `primary`, it is a replica of that one, which replays what the primary writes as it is written.
    """

    def __init__(self, programs: Path, settings: dict[str, str], primary: Postgres | None = None) -> None:
        account = _unprivileged_account()
        # The account must be able to reach the folder and remove it; the socket's path must stay under 100 bytes.
        parent = in_memory() or tempfile.gettempdir()
        if parent == tempfile.gettempdir() and (account or len(os.fsencode(parent)) > 60):
            parent = "/tmp"  # noqa: S108
        self._folder = Path(tempfile.mkdtemp(prefix="billycan-pg-", dir=parent))
        self._owner, self._programs, self._data = os.getpid(), programs, self._folder / "data"
        self._settings = settings
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        self._how: dict[str, Any] = {"cwd": "/", "env": environment | {"LC_ALL": "C"}}
        if account:
            os.chown(self._folder, account.pw_uid, account.pw_gid)
            self._how |= {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        self._start_watchdog()
        try:
            place = {"host": str(self._folder), "port": settings["port"]}
            self.url = sqlalchemy.URL.create("postgresql+psycopg", "postgres", database="postgres", query=place)
            pool = sqlalchemy.pool.NullPool  # Nobody can copy a database that a pool is still connected to.
            self._engine = sqlalchemy.create_engine(self.url, isolation_level="AUTOCOMMIT", poolclass=pool)
            if primary:
                whose = ["-h", str(primary._folder), "-p", str(primary.url.query["port"]), "-U", "postgres"]
                self._run_program(
                    "pg_basebackup", *whose, "-D", str(self._data), "-R", "--checkpoint=fast", "--no-sync"
                )
            else:
                self._init_data_folder()
            self._write_settings(settings | {"unix_socket_directories": str(self._folder)})
            self.start()
        except BaseException:
            self._end_watchdog()
            raise

    def replica(self, **settings: str) -> Postgres:
        """Start a replica of this server, which has its settings unless others are given."""
        return Postgres(self._programs, self._settings | settings, self)

    def database(self, name: str, template: str | None = None) -> sqlalchemy.URL:
        """Create a database, empty or a copy of `template` (which nobody may be connected to), and give its URL."""
        # What is the default from 15 on writes each page of the copy to the log, and takes three times as long.
        how = " STRATEGY FILE_COPY" if self._server_version >= 15 else ""
        self._execute_statement(f"CREATE DATABASE {{}} TEMPLATE {{}}{how}", name, template or "template1")
        return self.url.set(database=name)

    def drop(self, name: str) -> None:
        """Remove a database, ending whatever is connected to it."""
        self._execute_statement("DROP DATABASE {} WITH (FORCE)", name)

    def stop(self, mode: str = "immediate") -> None:
        """Stop the server and keep its data: `immediate` is a crash, `fast` and `smart` are orderly."""
        self._control_server("stop", "-m", mode)

    def start(self) -> None:
        """Start the stopped server on the data it had, and return when it accepts connections."""
        self._control_server("start", "-l", str(self._folder / "log"))

    def promote(self) -> None:
        """Make a replica a primary of its own."""
        self._control_server("promote")

    @cached_property
    def _server_version(self) -> int:
        with self._engine.connect() as connection:
            return int((connection.dialect.server_version_info or (0,))[0])

    def _start_watchdog(self) -> None:
        command = ["/bin/sh", "-c", WATCHDOG, "sh", str(self._programs), str(self._folder)]
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
        self._watchdog = subprocess.Popen(command, bufsize=0, stdin=subprocess.PIPE, **quiet, **self._how)
        if pipe := self._watchdog.stdin:  # A forked child that outlives the owner must not hold it open.
            os.register_at_fork(after_in_child=pipe.close)
        atexit.register(self._end_watchdog)

    def _end_watchdog(self) -> None:
        if os.getpid() == self._owner:
            self._watchdog.communicate()  # Closes the pipe and waits.

    def _init_data_folder(self) -> None:
        options = ["-D", str(self._data), "--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-sync"]
        if "--no-data-checksums" in self._run_program("initdb", "--help"):  # PostgreSQL 18 turned them on by default.
            options.append("--no-data-checksums")
        try:
            self._run_program("initdb", *options, "--locale=C.UTF-8")
        except RuntimeError:  # Not every system has C.UTF-8; any other cause fails again and is told.
            self._run_program("initdb", *options, "--locale=C")

    def _write_settings(self, settings: dict[str, str]) -> None:
        with (self._data / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.writelines("{} = '{}'\n".format(name, text.replace("'", "''")) for name, text in settings.items())

    def _control_server(self, action: str, *options: str) -> None:
        if os.getpid() != self._owner:
            raise RuntimeError(f"process {self._owner} started this PostgreSQL: {action} it from there")
        self._run_program("pg_ctl", action, "-D", str(self._data), "-w", "-s", *options)

    def _run_program(self, program: str, *arguments: str) -> str:
        command = [str(self._programs / program), *arguments]
        done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, **self._how)
        output: str = (done.stdout + done.stderr).decode(errors="replace")
        if done.returncode:
            logs = [log.read_text("utf-8", errors="replace")[-4000:] for log in self._folder.glob("log")]
            raise RuntimeError("\n".join([f"{program} failed ({done.returncode}): {output}", *logs]))
        return output

    def _execute_statement(self, statement: str, *names: str) -> None:
        quote = self._engine.dialect.identifier_preparer.quote_identifier
        with self._engine.connect() as connection:
            connection.exec_driver_sql(statement.format(*map(quote, names)))


def _unprivileged_account() -> pwd.struct_passwd | None:
    """Return the account to run the server as, because PostgreSQL refuses to run as root; None if we are not root."""
    if os.geteuid() != 0:
        return None
    accounts = {account.pw_name: account for account in pwd.getpwall()}
    if not (account := accounts.get("postgres") or accounts.get("nobody")):
        raise RuntimeError("PostgreSQL refuses to run as root: add a user named postgres, or run as another user")
    return account


# The read ends when the kernel closes the owner's end of the pipe, however the owner died.
REDIS = """
redis-server --port 0 --unixsocket "$1/redis.sock" --save "" --appendonly no --dir "$1" &
read -r _
kill -KILL $!
"""


class Pooler:
    """A PgBouncer before a throwaway PostgreSQL; `url` is that of a database behind it."""

    def __init__(self, url: sqlalchemy.URL, mode: str, size: int = 20, more: str = "") -> None:
        account = _unprivileged_account()  # as which PostgreSQL runs, whose socket is its own
        self.folder = Path(tempfile.mkdtemp(prefix="billycan-pooler-", dir="/tmp"))
        (self.folder / "users").write_text("".join(f'"{name}" ""\n' for name in ("postgres", url.username)), "utf-8")
        (self.folder / "ini").write_text(
            _POOLER.format(**url.query, folder=self.folder, mode=mode, size=size, more=more), "utf-8"
        )
        how: dict[str, Any] = {}
        if account:
            how = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
            os.chown(self.folder, account.pw_uid, account.pw_gid)
        command = [str(self.program()), "-q", str(self.folder / "ini")]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL, **how)
        self.url = url.set(query={"host": str(self.folder), "port": "6432"})
        end = time.monotonic() + 60
        while not (self.folder / ".s.PGSQL.6432").exists():
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("PgBouncer did not start")
            time.sleep(0.01)

    @staticmethod
    def program() -> str | None:
        """Return the path of PgBouncer; None if it is not installed."""
        return shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder)


_POOLER = """
[databases]
* = host={host} port={port}
[pgbouncer]
unix_socket_dir = {folder}
listen_addr =
listen_port = 6432
auth_type = trust
auth_file = {folder}/users
ignore_startup_parameters = extra_float_digits, options
pool_mode = {mode}
default_pool_size = {size}
server_login_retry = 1
{more}
"""


class Redis:
    """A running throwaway Redis that keeps nothing when it stops. Raises RuntimeError if Redis is not installed."""

    def __init__(self) -> None:
        if not shutil.which("redis-server"):
            raise RuntimeError("no redis-server on PATH")
        self._folder = Path(tempfile.mkdtemp(prefix="billycan-redis-", dir=in_memory()))
        self.url = f"unix://{self._folder}/redis.sock"
        self.start()

    def start(self) -> None:
        """Start it, empty, and return when it answers."""
        command = ["/bin/sh", "-c", REDIS, "sh", str(self._folder)]
        self._shell = subprocess.Popen(command, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while self.ask("PING") != b"+PONG":
            if time.monotonic() > deadline:
                raise RuntimeError("redis-server does not answer")
            time.sleep(0.02)

    def ask(self, command: str) -> bytes:
        """Send a command such as FLUSHALL; return the first line of the answer, or an empty string if none comes."""
        with socket.socket(socket.AF_UNIX) as connection:
            try:
                connection.connect(f"{self._folder}/redis.sock")
                connection.sendall(command.encode() + b"\r\n")
                return connection.recv(1024).partition(b"\r\n")[0]
            except OSError:
                return b""

    def stop(self) -> None:
        """Kill it, as a crash would: all its data is gone."""
        self._shell.communicate()

    def close(self) -> None:
        """End it for good."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)
