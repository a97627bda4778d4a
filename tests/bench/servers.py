"""Servers to send requests to: a gunicorn on loopback, and what it and PostgreSQL used of the processor."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import billycan

SHIPPED = Path(billycan.__file__).with_name("gunicorn_conf.py")
_TICK = os.sysconf("SC_CLK_TCK")


class Server:
    """A running gunicorn of an application that may lie in the folder `beside`; it ends with `stop`."""

    def __init__(self, application: str, beside: Path, options: list[str], environ: dict[str, str], log: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        options = [*options, "--bind", f"127.0.0.1:{self.port}", "--pythonpath", str(beside), "--log-level", "warning"]
        command = [sys.executable, "-m", "gunicorn", *options, application]
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("BILLYCAN_")}
        self.log = log
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                command, cwd=log.parent, env=inherited | environ, stdout=output, stderr=subprocess.STDOUT
            )
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + 30
        while True:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
                connection.request("GET", "/-/health", headers={"Connection": "close"})
                connection.getresponse().read()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    self.stop()
                    raise RuntimeError(f"gunicorn did not start:\n{self.log.read_text()}") from None
                time.sleep(0.05)

    def cpu_seconds(self) -> float:
        """What all its processes have used."""
        return sum(map(cpu_seconds, [self.process.pid, *children(self.process.pid)]))

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def children(pid: int) -> list[int]:
    """The processes that a process started and that still run."""
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        return [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except FileNotFoundError:
        return []


def cpu_seconds(pid: int) -> float:
    """What a process has used of the processor, in user and in kernel mode."""
    try:
        user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    except FileNotFoundError:
        return 0.0
    return (int(user) + int(system)) / _TICK
