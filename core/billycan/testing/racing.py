"""Requests of several clients that start at the same moment."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from threading import Barrier
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from .client import Client

C = TypeVar("C")
A = TypeVar("A")

MOST = 8  # clients of a race: the connections of an app's pool
_SECONDS = 180


def race(client: "Client", *calls: Sequence[Any]) -> list[Any]:
    """See `Client.race`."""

    def make(call: Sequence[Any]) -> Any:
        one = copy(client)
        one.web = type(client.web)(client.app.wsgi)  # whose cookies and last response are its own
        answer = one.call(*call)
        assert answer.status_int < 500, f"{call[0]} {call[1]}: {answer.status}: {answer.text}"
        return answer

    return together(make, calls, MOST)


def together(make: Callable[[C], A], calls: Sequence[C], clients: int) -> list[A]:
    """Make calls in a thread for each client, starting at the same moment; return the results in order."""
    clients = min(clients, len(calls))
    ready = Barrier(clients)

    def work(first: int) -> list[A]:
        ready.wait(_SECONDS)
        return [make(call) for call in calls[first::clients]]

    with ThreadPoolExecutor(clients) as pool:
        found = list(pool.map(work, range(clients)))
    return [found[i % clients][i // clients] for i in range(len(calls))]
