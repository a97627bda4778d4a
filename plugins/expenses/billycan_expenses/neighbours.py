"""What expenses do when something happens in other plugins, inside the same transaction."""

from collections.abc import Callable

from billycan import Context, Deleted, check_unused

from .tables import expenses


def keep_job(ctx: Context, job: Deleted) -> None:
    """Refuse to delete a job that expenses were made for."""
    check_unused(ctx, expenses, expenses.c.job_id == job.id)


hears: dict[str, Callable[..., None]] = {"job.deleted": keep_job}
