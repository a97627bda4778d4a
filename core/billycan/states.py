"""State changes as data: which action leads from which statuses to which."""

from collections.abc import Mapping, Sequence

from .problems import Conflict


class Actions:
    """Each action's statuses, separated by spaces, and where it leads: `{"archive": ("active", "archived")}`."""

    def __init__(self, table: Mapping[str, tuple[str, str | None]]) -> None:
        self._from = {action: frozenset(statuses.split()) for action, (statuses, _) in table.items()}
        self._to = {action: to for action, (_, to) in table.items()}
        statuses = {status for some in self._from.values() for status in some}
        self._allowed = {status: [a for a, some in self._from.items() if status in some] for status in statuses}

    def allowed(self, status: str) -> list[str]:
        """The actions a record of this status may take."""
        return self._allowed.get(status, []).copy()

    def check(self, action: str, status: str, allowed: Sequence[str] | None = None) -> str | None:
        """The status an action leads to; Conflict where it does not start from this one.

        `allowed` is what the record may do, where its status alone does not tell.
        """
        if status not in self._from[action]:
            allowed = self.allowed(status) if allowed is None else allowed
            raise Conflict(
                f"The action `{action}` is not possible while the status is `{status}`. {_possible(allowed)}",
                code="invalid_state_transition",
                status=status,
                allowed_actions=allowed,
            )
        return self._to[action]


def _possible(actions: Sequence[str]) -> str:
    return (
        f"Possible now: {', '.join(f'`{action}`' for action in actions)}." if actions else "No action is possible now."
    )
