"""Servers to send requests to, on loopback, and the CPU time that they and PostgreSQL use."""

import http.client
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import sqlalchemy as sa

import billycan
from billycan.testing import throwaway

SHIPPED = Path(billycan.__file__).parent / "hosting" / "gunicorn_conf.py"
TICK_SECONDS = 1 / os.sysconf("SC_CLK_TCK")
# Durable, as in production, and with room for the larger tables.
POSTGRESQL = {
    "fsync": "on",
    "full_page_writes": "on",
    "shared_buffers": "512MB",
    "min_wal_size": "1GB",
    "max_wal_size": "4GB",
    "autovacuum": "on",
}
_LOG_FILES = 40
_GROUPS = Path("/sys/fs/cgroup")
_PERIOD_US = 10_000


def postgresql(**settings: str) -> throwaway.Postgres:
    """Return a throwaway PostgreSQL as durable as one in production, with these further settings."""
    server = throwaway.start(**POSTGRESQL | settings)
    assert server is not None
    return server


def settle(url: str) -> None:
    """Let PostgreSQL make enough log files to reuse, like a server that has run for a while.

    It makes new files only when it needs them, and no transaction commits during the 40 to 70 ms that each takes: at
    400 new invoices a second, that delays one in a hundred.
    """
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.pool.NullPool)
    with engine.connect() as db:
        for _ in range(_LOG_FILES):
            db.exec_driver_sql("SELECT pg_logical_emit_message(false, '', ''), pg_switch_wal()")
        db.exec_driver_sql("CHECKPOINT")


# Measure the server, not its limits.
NO_LIMITS = dict.fromkeys(
    (f"BILLYCAN_{name}" for name in ("PER_MINUTE", "PER_SECOND", "BUSINESS_PER_MINUTE", "BUSINESS_PER_SECOND")),
    "100000",
)


class Server:
    """A running gunicorn, or uvicorn, of an application that may lie in the folder `beside`; `stop` ends it."""

    def __init__(
        self,
        application: str,
        beside: Path,
        options: list[str],
        environ: dict[str, str],
        log: Path,
        *,
        python: str = sys.executable,
        program: str = "gunicorn",
    ) -> None:
        self.held = throwaway.hold_port()
        self.port = self.held.getsockname()[1]
        where = {
            "gunicorn": ["--bind", f"127.0.0.1:{self.port}", "--pythonpath", str(beside)],
            "uvicorn": ["--port", str(self.port), "--app-dir", str(beside)],
        }
        command = [python, "-m", program, *options, *where[program], "--log-level", "warning", application]
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("BILLYCAN_")}
        inherited |= NO_LIMITS
        self.log = log
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                command, cwd=log.parent, env=inherited | environ, stdout=output, stderr=subprocess.STDOUT
            )
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + 180
        while not healthy(self.port):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"{self.process.args[2]} did not start:\n{self.log.read_text('utf-8')}")
            time.sleep(0.05)

    def cpu_seconds(self) -> float:
        """Return the CPU time of all its processes."""
        return tree_cpu_seconds(self.process.pid)

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.held.close()


def healthy(port: int) -> bool:
    """Tell whether a server answers at this port."""
    try:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
            connection.request("GET", "/-/health", headers={"Connection": "close"})
            return connection.getresponse().status == 200
    except OSError:
        return False


def tree(pid: int) -> list[int]:
    """List a process and its descendants."""
    return [pid, *(each for child in children(pid) for each in tree(child))]


def children(pid: int) -> list[int]:
    """List the running processes that a process started."""
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        return [int(child) for task in tasks for child in (task / "children").read_text("utf-8").split()]
    except FileNotFoundError:
        return []


def tree_cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process and its children, including children that have ended."""
    return sum(map(cpu_seconds, [pid, *children(pid)]))


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process, in user and kernel mode, including its children that have ended."""
    try:
        used = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[11:15]
    except FileNotFoundError:
        return 0.0
    return sum(map(int, used)) * TICK_SECONDS


@contextmanager
def held_to(share: float, processes: Sequence[int]) -> Iterator[None]:
    """Limit each process to this share of a core; raise OSError if that is impossible, as without root."""
    one = (_GROUPS / "cpu" / "cpu.cfs_quota_us").exists()  # the first version of control groups
    root = _GROUPS / "cpu" if one else _GROUPS
    quota = round(_PERIOD_US * share)
    limits = (
        {"cpu.cfs_period_us": _PERIOD_US, "cpu.cfs_quota_us": quota} if one else {"cpu.max": f"{quota} {_PERIOD_US}"}
    )
    groups: dict[int, Path] = {}
    try:
        for process in processes:
            groups[process] = root / f"billycan-{process}"
            groups[process].mkdir()
            for name, value in limits.items():
                (groups[process] / name).write_text(str(value), "utf-8")
            (groups[process] / "cgroup.procs").write_text(str(process), "utf-8")
        yield
    finally:
        for process, group in groups.items():
            if group.exists():
                with suppress(ProcessLookupError):
                    (root / "cgroup.procs").write_text(str(process), "utf-8")
                group.rmdir()
