"""Answers without an envelope: a record, a list of records, or an error."""

from typing import Any

from billycan import Manifest, Problem, hookimpl

manifest = Manifest(name="bare")


@hookimpl
def envelope(data: Any, problem: Problem | None) -> Any:
    """Return the error or the data by itself; None, where there is neither, leaves the answer to core."""
    return problem.as_error() if problem else data
