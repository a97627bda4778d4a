"""Errors that stop a start, each in one line that names it and its cure."""

import sqlalchemy as sa

from ..db import reason
from .plugins import PluginError
from .settings import SettingsError
from .versions import SchemaBehind


def explain_error(error: BaseException) -> str | None:
    """Return the message for the person who started something that failed; None for an error that is our own fault."""
    if isinstance(error, SettingsError | PluginError | SchemaBehind):
        return str(error)
    if isinstance(error, sa.exc.NoSuchModuleError | ModuleNotFoundError):
        return f"database: its driver is not installed ({error}): use sqlite:/// or postgresql+psycopg://"
    if isinstance(error, sa.exc.OperationalError | sa.exc.TimeoutError):
        return f"the database cannot be used: {reason(error)}: check BILLYCAN_DATABASE"
    if isinstance(error, OSError) and error.strerror and not isinstance(error, BrokenPipeError):
        return f"{error.filename or 'the system'}: {error.strerror}"
    # An error of the shared folder.
    return str(error) if type(error) is RuntimeError else None
