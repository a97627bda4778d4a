"""What several threads ask for at the same time, done in one go."""

import threading
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

A = TypeVar("A")
R = TypeVar("R")


class _Asked(Generic[A, R]):
    answers: list[R]
    taken = False

    def __init__(self, what: A) -> None:
        self.what, self.answers = what, []


class Together(Generic[A, R]):
    """Has `do` see at once to everything that was asked while it was busy; each asker gets its own answer.

    Where that fails, each is done by itself, so that the trouble of one stays its own.
    """

    def __init__(self, do: Callable[[list[A]], list[R]]) -> None:
        self._do = do
        self._waiting: deque[_Asked[A, R]] = deque()
        self._turn = threading.Lock()

    def ask(self, what: A) -> R:
        """What `do` answers to this; raises what it raises for this alone."""
        mine = _Asked[A, R](what)
        self._waiting.append(mine)
        with self._turn:
            if not mine.taken:
                self._do_all()
        (answer,) = mine.answers or self._do([what])
        return answer

    def _do_all(self) -> None:
        taken = []
        while self._waiting:
            taken.append(self._waiting.popleft())
            taken[-1].taken = True
        try:
            answers = self._do([asked.what for asked in taken])
        except Exception:
            if len(taken) == 1:
                raise
            return
        for asked, answer in zip(taken, answers, strict=True):
            asked.answers = [answer]
