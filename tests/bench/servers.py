"""Servers to send requests to, on loopback, and what they and PostgreSQL used of the processor."""

import http.client
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import billycan
from billycan.testing import throwaway

SHIPPED = Path(billycan.__file__).parent / "hosting" / "gunicorn_conf.py"
TICK_SECONDS = 1 / os.sysconf("SC_CLK_TCK")


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
