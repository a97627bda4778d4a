"""The states of a job, and its checklist: pure functions."""

from collections.abc import Iterable, Mapping
from typing import Any

from billycan import Actions

# From when the work has a date on: a deposit is asked for before it begins.
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
# The time of the others was given back.
DONE_WITH = ("complete", "cancelled")


def allowed_actions(status: str, checklist: Iterable[Mapping[str, Any]], *, may_invoice: bool) -> list[str]:
    """What may be done with a job: completed once nothing required is left, invoiced if some of it is not."""
    now = {"complete": not undone(checklist), "invoice": may_invoice}
    return [action for action in actions.allowed(status) if now.get(action, True)]


def status_when_made(scheduled_start: object) -> str:
    """A new job's status: it is scheduled where it says when it starts."""
    return "open" if scheduled_start is None else "scheduled"


def undone(checklist: Iterable[Mapping[str, Any]]) -> list[str]:
    """What is required and not done, in words."""
    return [item["text"] for item in checklist if item["required"] and not item["done"]]
