"""billycan, whose first worker kills itself after the commit of a refresh, before anybody has the answer."""

import os
import signal
from pathlib import Path
from typing import Any

from billycan_apps import grants

_refresh, _died = grants.renew_tokens, Path(os.environ["DIED"])


def refresh(*given: Any) -> Any:
    pair = _refresh(*given)
    if pair and not _died.exists():
        _died.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return pair


grants.renew_tokens = refresh


def application() -> Any:
    from billycan.hosting import workers

    return workers.application()
