"""Functions for tests that import files."""

from billycan import App

from .working import Rounds

_MOST_ROUNDS = 10_000


def finish_imports(app: App, rounds: int = _MOST_ROUNDS) -> None:
    """Work on the imports of every business as a worker does, until none is left. Raise any error of a step."""
    failures: list[Exception] = []
    work = Rounds(app, failures.append)
    while rounds and work.go():
        rounds -= 1
        if failures:
            raise failures[0]
