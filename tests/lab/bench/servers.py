"""Servers to send requests to, on loopback, and what they and PostgreSQL used of the processor."""

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
    """A throwaway PostgreSQL as durable as one in production, with these further settings."""
    server = throwaway.start(**POSTGRESQL | settings)
    assert server is not None
    return server


def settle(url: str) -> None:
    """Leave PostgreSQL with files of its log to use again, as one has that has run for a while.

    It makes new ones only when they are needed, and no transaction commits in the 40 to 70 ms that each takes: with 400
    new invoices a second that is one of a hundred.
    """
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.pool.NullPool)
    with engine.connect() as db:
        for _ in range(_LOG_FILES):
            db.exec_driver_sql("SELECT pg_logical_emit_message(false, '', ''), pg_switch_wal()")
        db.exec_driver_sql("CHECKPOINT")


# What is measured is the server, not its limits.
NO_LIMITS = dict.fromkeys(
    (f"BILLYCAN_{name}" for name in ("PER_MINUTE", "PER_SECOND", "BUSINESS_PER_MINUTE", "BUSINESS_PER_SECOND")),
    "100000",
)


class Server:
    """A running gunicorn, or uvicorn, of an application that may lie in the folder `beside`; it ends with `stop`."""

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
        """What all its processes have used."""
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
    """Whether whatever listens there answers."""
    try:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
            connection.request("GET", "/-/health", headers={"Connection": "close"})
            return connection.getresponse().status == 200
    except OSError:
        return False


def tree(pid: int) -> list[int]:
    """A process and all that came of it."""
    return [pid, *(each for child in children(pid) for each in tree(child))]


def children(pid: int) -> list[int]:
    """The processes that a process started and that still run."""
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        return [int(child) for task in tasks for child in (task / "children").read_text("utf-8").split()]
    except FileNotFoundError:
        return []


def tree_cpu_seconds(pid: int) -> float:
    """What a process and its children have used, those too that have ended."""
    return sum(map(cpu_seconds, [pid, *children(pid)]))


def cpu_seconds(pid: int) -> float:
    """What a process has used of the processor, in user and in kernel mode, and those of its children that ended."""
    try:
        used = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[11:15]
    except FileNotFoundError:
        return 0.0
    return sum(map(int, used)) * TICK_SECONDS


@contextmanager
def held_to(share: float, processes: Sequence[int]) -> Iterator[None]:
    """Let each process have no more than this share of a core; OSError where that cannot be had, as without root."""
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
