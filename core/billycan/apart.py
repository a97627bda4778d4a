"""Ways to do work that keeps a processor busy, such as a hash, a PDF or a long page, without holding up others."""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from time import perf_counter
from typing import Any, ClassVar, TypeVar

T = TypeVar("T")
# A thread lets others run at each statement. By default it gets its turn back after 5 ms if they compute, which is
# longer than a whole transaction takes; on SQLite all other writes wait for it meanwhile.
_SWITCH_SECONDS = 0.0005
PIECE_SECONDS = 0.001  # a quiet request waits for one piece each time that it waits for the database


def run_apart(work: Callable[[], T]) -> T:
    """Return the result of `work`; under gevent it runs in a thread, so that the process can answer others meanwhile.

    `work` is a call of a compiled library that lets other threads run, and touches neither locks nor connections.
    """
    if not _is_gevent():
        return work()
    from gevent import get_hub  # noqa: PLC0415 - gevent need not be installed

    return get_hub().threadpool.apply(work)  # type: ignore[no-any-return]


def take_short_turns() -> None:
    """Let the threads of this process that compute take turns more often than Python does by default."""
    sys.setswitchinterval(_SWITCH_SECONDS)


def in_turns(items: Iterable[T]) -> Iterable[T]:
    """Return the items of a long computation; under gevent, let the process serve others every few milliseconds while
    they are iterated. Threads do so anyway.

    Do not use it in a write transaction, for which those others might wait.
    """
    sys.audit("billycan.slow", "to serve others")
    return map(_after_a_piece, items) if _is_gevent() else items


def in_pieces(items: Sequence[T], size: int) -> Iterable[Sequence[T]]:
    """Return a list in pieces of this size, in turns as `in_turns` does; without gevent the whole list is one piece."""
    if not _is_gevent():
        return in_turns([items])
    return in_turns([items[first : first + size] for first in range(0, len(items), size)])


def share_time() -> None:
    """Let the process serve others, under gevent, if it has computed for some milliseconds.

    Do not use it in a write transaction, for which those others might wait.
    """
    sys.audit("billycan.slow", "to serve others")
    if _is_gevent():
        _after_a_piece(None)


def finalize_in_turns() -> Callable[[Any], Any] | None:
    """Return the `finalize` of a Jinja environment: under gevent its templates are rendered in turns with others.

    Jinja calls it with each value that is written, within loops and macros too. Without gevent it is None, which costs
    nothing. Such a template may not be rendered in a write transaction.
    """
    return _after_a_piece if _is_gevent() else None


def let_others_go() -> None:
    """Let every greenlet run for which data has arrived, and then those that let others go before.

    gevent's `sleep(0)` only runs the greenlets that are ready already. It looks for new data after 50 of them, and one
    request on each of ten connections may take a second.
    """
    from gevent.hub import get_hub  # noqa: PLC0415 - gevent need not be installed

    _line_of(get_hub()).wait()
    begin_turn()


def begin_turn() -> None:
    """Mark that a greenlet runs now after it has waited, so that it lets others go only once it has computed."""
    _Line.turn_began = perf_counter()


class _Line:
    """The greenlets that let others go: in each round of the hub's loop, after all new data, the first of them goes on.

    If all of them did, whoever waits for the database would wait for as many pieces each time.
    """

    turn_began: ClassVar = 0.0  # when the greenlet that runs went on, after it waited in this line or for PostgreSQL

    def __init__(self, hub: Any) -> None:
        self._hub, self._waiting = hub, deque[Any]()
        self._round = hub.loop.async_(priority=hub.loop.MINPRI)

    def wait(self) -> None:
        from gevent.hub import Waiter  # noqa: PLC0415 - gevent need not be installed

        waiter = Waiter(self._hub)
        self._waiting.append(waiter)
        if len(self._waiting) == 1:
            self._round.start(self._go_on)
            self._round.send()
        try:
            waiter.get()
        except BaseException:  # such as a gevent.Timeout
            if waiter in self._waiting:
                self._waiting.remove(waiter)
            raise

    def _go_on(self) -> None:
        waiter = self._waiting.popleft() if self._waiting else None
        if self._waiting:
            self._round.send()
        else:
            self._round.stop()  # or the loop would never end
        if waiter:
            waiter.switch(None)


@cache
def _line_of(hub: Any) -> _Line:
    return _Line(hub)


def _after_a_piece(value: T) -> T:
    if perf_counter() - _Line.turn_began >= PIECE_SECONDS:
        let_others_go()
    return value


def _is_gevent() -> bool:
    # Another thread may be importing it right now, such as by way of Huey: then nothing is patched.
    is_patched = getattr(sys.modules.get("gevent.monkey"), "is_module_patched", None)
    return is_patched is not None and bool(is_patched("threading"))
