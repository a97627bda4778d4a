"""Work that keeps a processor for long and needs nothing of the interpreter, such as a hash or a PDF."""

import sys
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def run_apart(work: Callable[[], T]) -> T:
    """What `work` returns; under gevent it runs in a thread of its own, so that the process answers others meanwhile.

    `work` is a call of a compiled library that lets other threads run, and touches neither locks nor connections.
    """
    monkey = sys.modules.get("gevent.monkey")
    if monkey is None or not monkey.is_module_patched("threading"):
        return work()
    from gevent import get_hub  # noqa: PLC0415 - gevent need not be installed

    return get_hub().threadpool.apply(work)  # type: ignore[no-any-return]
