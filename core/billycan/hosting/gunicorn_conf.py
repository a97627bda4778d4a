"""gunicorn's settings and hooks, for both `billycan serve` and deploy/gunicorn.conf.py.

gunicorn's master reads this file by its path and imports nothing else of billycan, so that the workers it starts after
a reload (SIGHUP) run the code that is installed then. The code of the workers is in hosting/.
"""

import ctypes
import json
import logging
import os
import socket
import struct
import time
from pathlib import Path
from typing import Any

from gunicorn.glogging import Logger

_MEMORY = Path("/dev/shm")  # noqa: S108 - gunicorn makes private files there
_SO_ATTACH_FILTER = 26  # of Linux
_HANDSHAKE_SECONDS = 0.2  # time for clients that had begun to connect when the server stopped

bind = os.environ.get("BILLYCAN_BIND", "127.0.0.1:8000").split(",")
worker_class = os.environ.get("BILLYCAN_WORKER_CLASS", "gthread")
workers = os.environ.get("BILLYCAN_WORKERS", "2")
threads = os.environ.get("BILLYCAN_THREADS", "8") if worker_class == "gthread" else "1"
log_format = os.environ.get("BILLYCAN_LOG_FORMAT", "text")  # no setting of gunicorn's
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
    """A log with one line for each record, tracebacks included, so that no client's input can forge a line."""

    converter = staticmethod(time.gmtime)

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(process)d %(levelname)s %(message)s", "%Y-%m-%dT%H:%M:%SZ")

    def format(self, record: logging.LogRecord) -> str:
        return " | ".join(super().format(record).splitlines())


class JsonLine(OneLine):
    """A log with one JSON object for each record; a plugin such as `telemetry` adds whose request it is about."""

    def format(self, record: logging.LogRecord) -> str:
        said = {
            "time": self.formatTime(record, self.datefmt),
            "level": record.levelname,
            "logger": record.name,
            "process": record.process,
            "message": record.getMessage(),
        }
        said |= {name: value for name, value in vars(record).items() if name in ("request_id", "trace_id", "span_id")}
        if record.exc_info:
            said["exception"] = self.formatException(record.exc_info)
        return json.dumps(said)


def line_format() -> logging.Formatter:
    """Return the form of the log's lines that the environment names."""
    if log_format not in ("text", "json"):
        raise SystemExit("BILLYCAN_LOG_FORMAT: must be text or json")
    return JsonLine() if log_format == "json" else OneLine()


class Log(Logger):  # type: ignore[misc]
    """gunicorn's log, and billycan's in the same form."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.setFormatter(line_format())
        billycan = logging.getLogger("billycan")
        billycan.handlers, billycan.propagate = self.error_log.handlers, False
        billycan.setLevel(self.error_log.level)


logger_class = Log


def post_fork(server: Any, worker: Any) -> None:
    """Called in each worker, before it loads the application."""
    if worker.cfg.reload:
        from billycan.hosting import reloading  # noqa: PLC0415 - only the workers import billycan

        reloading.watch_in_gunicorn()


def post_worker_init(worker: Any) -> None:
    """Called in each worker, once it has loaded the application."""
    from billycan.hosting import workers  # noqa: PLC0415 - only the workers import billycan

    workers.prepare_worker(worker)


def when_ready(server: Any) -> None:
    """Called in the master, once it listens."""
    server.handle_term = lambda: _finish_requests(server)


def _finish_requests(server: Any) -> None:
    """Handle SIGTERM: take no new connections, let the workers answer those that wait in the queue, then stop.

    gunicorn alone would reset all waiting connections, and those that come while the workers finish.
    """
    shared = server.systemd or server.reexec_pid or server.master_pid
    if not shared and all(refuse_new(listener) for listener in server.LISTENERS):
        deadline = time.monotonic() + graceful_timeout
        time.sleep(_HANDSHAKE_SECONDS)
        while any(listener.get_backlog() > 0 for listener in server.LISTENERS) and time.monotonic() < deadline:
            time.sleep(0.05)
    raise StopIteration


def refuse_new(listener: Any) -> bool:
    """Refuse new connections to a listening socket, but keep those in progress; return False if unsupported.

    The last packet of a handshake must pass: its sender already takes the connection to be open.
    """
    program = struct.pack(
        "HBBI" * 5,
        *(0x30, 0, 0, 13),  # the flags of the TCP header
        *(0x54, 0, 0, 0x12),  # of them SYN and ACK
        *(0x15, 0, 1, 0x02),  # SYN alone
        *(0x06, 0, 0, 0),  # is dropped,
        *(0x06, 0, 0, 0xFFFF_FFFF),  # all else is kept whole
    )
    instructions = ctypes.create_string_buffer(program)
    try:
        listener.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, struct.pack("HL", 5, ctypes.addressof(instructions)))
    except OSError:
        return False
    return True
