"""billycan, whose first worker kills itself after the commit of a refresh, before anybody has the answer."""

import os
import signal
from pathlib import Path
from typing import Any

from billycan_apps import granting

_refresh, _died = granting.refresh, Path(os.environ["DIED"])


def refresh(*given: Any) -> Any:
    pair = _refresh(*given)
    if pair and not _died.exists():
        _died.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return pair


granting.refresh = refresh


def application() -> Any:
    from billycan.hosting import workers

    return workers.application()
