"""The settings of gunicorn: `gunicorn -c deploy/gunicorn.conf.py deploy.wsgi:application`, beside `billycan worker`.

BILLYCAN_BIND, BILLYCAN_WORKERS, BILLYCAN_THREADS and BILLYCAN_WORKER_CLASS (sync, gthread or gevent) set what differs
between machines; add any other gunicorn settings below. SIGHUP reloads code and settings, SIGTERM stops.
"""

from importlib.util import find_spec
from pathlib import Path
from runpy import run_path

# By its path: the master must not import billycan, or its workers would run old code after a reload.
_billycan = find_spec("billycan")
if _billycan is None or _billycan.origin is None:
    raise RuntimeError("billycan is not installed for the Python that runs gunicorn: use the one of its environment")
globals().update(run_path(str(Path(_billycan.origin).parent / "hosting" / "gunicorn_conf.py")))
