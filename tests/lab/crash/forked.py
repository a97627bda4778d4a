"""Run `fail.py worker` in a process that was forked from one that has imported billycan."""

import os
import runpy
import sys
from pathlib import Path


def work(environ, log):
    """Be a worker with this environment, whose output goes to the end of a file."""
    os.environ.clear()
    os.environ.update(environ)
    with log.open("ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    sys.argv[1:] = ["worker"]
    runpy.run_path(str(Path(__file__).with_name("fail.py")), run_name="__main__")
