"""Ways to do work that keeps a processor busy, such as a hash or a PDF, without holding up other requests."""

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def run_apart(work: Callable[[], T]) -> T:
    """Return the result of `work`; under gevent it runs in a thread, so that the process can answer others meanwhile.

    `work` is a call of a compiled library that lets other threads run, and touches neither locks nor connections.
    """
    if not _is_gevent():
        return work()
    from gevent import get_hub  # noqa: PLC0415 - gevent need not be installed

    return get_hub().threadpool.apply(work)  # type: ignore[no-any-return]


def in_turns(items: Iterable[T]) -> Iterator[T]:
    """Yield the items of a long computation; under gevent, let the process serve others after each. Threads do so
    anyway.

    Do not use it in a write transaction, for which those others might wait.
    """
    for item in items:
        yield item
        sys.audit("billycan.slow", "to serve others")
        if _is_gevent():
            let_others_go()


def let_others_go() -> None:
    """Let every greenlet run for which data has arrived.

    gevent's `sleep(0)` only runs the greenlets that are ready already. It looks for new data after 50 of them, and one
    request on each of ten connections may take a second.
    """
    from gevent.hub import Waiter, get_hub  # noqa: PLC0415 - gevent need not be installed

    hub = get_hub()
    waiter, watcher = Waiter(hub), hub.loop.async_(priority=hub.loop.MINPRI)
    try:
        watcher.start(waiter.switch, None)
        watcher.send()
        waiter.get()
    finally:
        watcher.close()


def _is_gevent() -> bool:
    monkey = sys.modules.get("gevent.monkey")
    return monkey is not None and bool(monkey.is_module_patched("threading"))
