"""Work that keeps a processor for long: apart from the interpreter, such as a hash or a PDF, or with pauses."""

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def run_apart(work: Callable[[], T]) -> T:
    """What `work` returns; under gevent it runs in a thread of its own, so that the process answers others meanwhile.

    `work` is a call of a compiled library that lets other threads run, and touches neither locks nor connections.
    """
    if not _is_gevent():
        return work()
    from gevent import get_hub  # noqa: PLC0415 - gevent need not be installed

    return get_hub().threadpool.apply(work)  # type: ignore[no-any-return]


def in_turns(items: Iterable[T]) -> Iterator[T]:
    """The items of a long computation; after each, under gevent, the process serves others. Threads do so anyway.

    Not in a write transaction, for which those others might wait.
    """
    for item in items:
        yield item
        sys.audit("billycan.slow", "to serve others")
        if _is_gevent():
            let_others_go()


def let_others_go() -> None:
    """Let each greenlet run for which something has arrived.

    gevent's `sleep(0)` lets only those run that are ready already. It looks for what has arrived after 50 of them, and
    one request of each of ten connections may take a second.
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
