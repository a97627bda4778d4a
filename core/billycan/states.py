"""State changes as data: the statuses from which each action leads to another."""

from collections.abc import Collection, Mapping, Sequence

from .problems import Conflict


class NotPossible(Conflict):
    """An action does not start from the status of its record; `allowed` are the actions that do."""

    code = "invalid_state_transition"

    def __init__(self, action: str, status: str, allowed: Sequence[str]) -> None:
        self.action, self.record_status, self.allowed = action, status, list(allowed)
        super().__init__(
            f"The action `{action}` is not possible while the status is `{status}`. {_possible(allowed)}",
            status=status,
            allowed_actions=self.allowed,
        )

    def without(self, off: Collection[str]) -> "NotPossible":
        """Return the same error without the actions whose routes are off."""
        refusal = NotPossible(self.action, self.record_status, [name for name in self.allowed if name not in off])
        refusal.param = self.param
        return refusal


class Actions:
    """Maps each action to the statuses it starts from, separated by spaces, and the one it leads to: `{"archive":
    ("active", "archived")}`.
    """

    def __init__(self, table: Mapping[str, tuple[str, str | None]]) -> None:
        self._from = {action: frozenset(statuses.split()) for action, (statuses, _) in table.items()}
        self._to = {action: to for action, (_, to) in table.items()}
        statuses = {status for some in self._from.values() for status in some}
        self._allowed = {status: [a for a, some in self._from.items() if status in some] for status in statuses}

    def allowed(self, status: str) -> list[str]:
        """List the actions that a record of this status may take."""
        return self._allowed.get(status, []).copy()

    def check(self, action: str, status: str, allowed: Sequence[str] | None = None) -> str | None:
        """Return the status that an action leads to; raise Conflict if it does not start from this one.

        `allowed` are the record's possible actions, if its status alone does not decide them.
        """
        if status not in self._from[action]:
            allowed = self.allowed(status) if allowed is None else allowed
            raise NotPossible(action, status, allowed)
        return self._to[action]


def _possible(actions: Sequence[str]) -> str:
    return (
        f"Possible now: {', '.join(f'`{action}`' for action in actions)}." if actions else "No action is possible now."
    )
