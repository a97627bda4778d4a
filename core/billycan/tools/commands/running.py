"""Commands that run everything on this machine, or the worker alone."""
# ruff: noqa: PLC0415 - a command imports what it needs, so that the others start quickly

import logging
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    pass


@click.command()
@click.option("--bind", envvar="BILLYCAN_BIND", default="127.0.0.1:8000", show_default=True, metavar="HOST:PORT")
@click.option("--workers", envvar="BILLYCAN_WORKERS", default=2, show_default=True, type=click.IntRange(1, 256))
@click.option("--threads", envvar="BILLYCAN_THREADS", default=8, show_default=True, type=click.IntRange(1, 256))
@click.option("--reload", is_flag=True, help="Start again when a source file changes: for those who write a plugin.")
def serve(bind: str, workers: int, threads: int, *, reload: bool) -> None:
    """Run all of billycan on this machine: the web server, the worker, and a database in ./var.

    The first run creates a demo business and prints its keys. Ctrl-C stops everything.

    \b
    billycan serve
    billycan serve --bind 127.0.0.1:9000 --workers 4
    BILLYCAN_PLUGINS=+vehicles billycan serve --reload --workers 1
    """
    from ..serve import serve as run

    _log_to_stderr()
    sys.exit(run(bind, workers, threads, reload=reload))


@click.command()
@click.option("--reload", is_flag=True, help="Start again when a source file changes: for those who write a plugin.")
def worker(*, reload: bool) -> None:
    """Run the worker, which sends webhooks and does timed work, until SIGTERM.

    \b
    billycan worker
    """
    from ...app import build
    from ...working.worker import run

    _log_to_stderr()
    os.umask(0o077)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: stop.set())
    if reload:
        from ...hosting.reloading import run_again_on_change

        run_again_on_change(build, run, stop)
        return
    app = build()
    try:
        run(app, stop)
    finally:
        stop.set()
        app.close()


def _log_to_stderr() -> None:
    from ...hosting.gunicorn_conf import line_format

    handler = logging.StreamHandler()
    handler.setFormatter(line_format())
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
