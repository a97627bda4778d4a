"""The states of a job, and its checklist: pure functions."""

from collections.abc import Iterable, Mapping
from typing import Any

from billycan import Actions

# Not while open: a scheduled job may be invoiced before it begins, for a deposit.
INVOICEABLE = ("scheduled", "in_progress", "on_hold", "complete")

actions = Actions(
    {
        "schedule": ("open", "scheduled"),
        "start": ("open scheduled", "in_progress"),
        "hold": ("in_progress", "on_hold"),
        "resume": ("on_hold", "in_progress"),
        "complete": ("open scheduled in_progress on_hold", "complete"),
        "cancel": ("open scheduled in_progress on_hold", "cancelled"),
        "reopen": ("complete", "open"),
        "invoice": (" ".join(INVOICEABLE), None),
    }
)

DELETABLE = ("open", "cancelled")
# These no longer take staff's time.
DONE_WITH = ("complete", "cancelled")


def allowed_actions(status: str, checklist: Iterable[Mapping[str, Any]], *, may_invoice: bool) -> list[str]:
    """List the actions possible for a job: complete only if no required item is left, invoice only if some work is."""
    now = {"complete": not undone(checklist), "invoice": may_invoice}
    return [action for action in actions.allowed(status) if now.get(action, True)]


def status_when_made(scheduled_start: object) -> str:
    """Return a new job's status: scheduled if it has a start, otherwise open."""
    return "open" if scheduled_start is None else "scheduled"


def undone(checklist: Iterable[Mapping[str, Any]]) -> list[str]:
    """List the texts of required items that are not done."""
    return [item["text"] for item in checklist if item["required"] and not item["done"]]
