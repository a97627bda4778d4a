"""gunicorn's settings and hooks, for `billycan serve` and deploy/gunicorn.conf.py alike.

gunicorn's master reads this file by its path and imports nothing else of billycan, so that the workers it starts after
a reload (SIGHUP) run the code that is installed then. What runs in the workers is in hosting/.
"""

import ctypes
import logging
import os
import socket
import struct
import time
from pathlib import Path
from typing import Any

from gunicorn.glogging import Logger

_MEMORY = Path("/dev/shm")  # noqa: S108 - gunicorn makes private files there

bind = os.environ.get("BILLYCAN_BIND", "127.0.0.1:8000").split(",")
worker_class = os.environ.get("BILLYCAN_WORKER_CLASS", "gthread")
workers = os.environ.get("BILLYCAN_WORKERS", "2")
threads = os.environ.get("BILLYCAN_THREADS", "8") if worker_class == "gthread" else "1"
timeout = 30
graceful_timeout = 20
keepalive = 5
limit_request_line = 8190
# A worker touches its file all the time, which on a slow disk would stop it.
worker_tmp_dir = str(_MEMORY) if os.access(_MEMORY, os.W_OK) else None
control_socket_disable = True
# Which proxy may say what is billycan's own setting, trusted_proxies.
forwarded_allow_ips = ""


class OneLine(logging.Formatter):
    """A log of one line for each record, tracebacks too, so that nobody's input can forge a line."""

    converter = staticmethod(time.gmtime)

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(process)d %(levelname)s %(message)s", "%Y-%m-%dT%H:%M:%SZ")

    def format(self, record: logging.LogRecord) -> str:
        return " | ".join(super().format(record).splitlines())


class Log(Logger):  # type: ignore[misc]
    """gunicorn's log, and billycan's in the same form."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.setFormatter(OneLine())
        billycan = logging.getLogger("billycan")
        billycan.handlers, billycan.propagate = self.error_log.handlers, False
        billycan.setLevel(self.error_log.level)


logger_class = Log


def post_worker_init(worker: Any) -> None:
    """Called in each worker, once it has loaded the application."""
    from billycan.hosting import workers  # noqa: PLC0415 - only the workers import billycan

    workers.prepare(worker)


def when_ready(server: Any) -> None:
    """Called in the master, once it listens."""
    server.handle_term = lambda: _finish(server)


def _finish(server: Any) -> None:
    """What SIGTERM does: take no new connections, let the workers answer those that wait in the queue, then stop.

    gunicorn alone would reset all that still wait, and those that come while the workers finish.
    """
    shared = server.systemd or server.reexec_pid or server.master_pid
    if not shared and all(_refuse(listener) for listener in server.LISTENERS):
        deadline = time.monotonic() + graceful_timeout
        while any(listener.get_backlog() > 0 for listener in server.LISTENERS) and time.monotonic() < deadline:
            time.sleep(0.05)
    raise StopIteration


def _refuse(listener: Any) -> bool:
    """Let nothing more arrive at a listening socket, while what has arrived stays; False where the system cannot."""
    drop_all = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0))  # BPF: return 0 bytes of each packet
    program = struct.pack("HL", 1, ctypes.addressof(drop_all))
    try:
        listener.setsockopt(socket.SOL_SOCKET, 26, program)  # SO_ATTACH_FILTER of Linux
    except OSError:
        return False
    return True
