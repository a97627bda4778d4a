"""The check that a connection has a session of PostgreSQL to itself.

The tenant of the next statements, prepared statements and timeouts belong to a session. A pooler that hands one session
to one connection after another, such as PgBouncer in transaction mode, would mix up tenants. With the setting `pooled`
they belong to a transaction, and no session is looked at.
"""

import selectors
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

_PATIENCE_SECONDS = 2.0
_ROUNDS, _LOOKS = 5, 10
_PID = "SELECT pg_backend_pid()"
_SHARED = (
    "a pooler between here and PostgreSQL shares sessions, but billycan needs each connection to have one of its own:"
    " set PgBouncer's pool_mode to session, or the setting pooled to true, or connect to PostgreSQL itself"
)


def connect_unshared(dialect: Any, *args: Any, **options: Any) -> Any:
    """Make a connection with a session of its own and the settings it needs.

    Raise OperationalError if a pooler shares the session with others.
    """
    connection = dialect.connect(*args, **options)
    try:
        autocommit, connection.autocommit = connection.autocommit, True
        # A pooler gives its clients process numbers of its own, so that it can forward cancel requests.
        if _ask_process_number(connection) != connection.info.backend_pid:
            if _is_shared(connection, lambda: dialect.connect(*args, **options)):
                raise dialect.loaded_dbapi.OperationalError(_SHARED)
            _apply_settings(connection, options["options"])
        connection.autocommit = autocommit
    except BaseException:
        connection.close()
        raise
    return connection


def _is_shared(connection: Any, connect_another: Callable[[], Any]) -> bool:
    """Tell whether a pooler gives others the session of a connection between its transactions."""
    mine = _ask_process_number(connection)
    with closing(connect_another()) as another:
        another.autocommit = True
        # A pooler without other traffic gives this session to the next client. With other traffic it
        # may give another one, but then this connection gets other sessions, too, sooner or later.
        for _ in range(_ROUNDS):
            theirs = _pid_soon(another)
            if theirs == mine or any(_ask_process_number(connection) != mine for _ in range(_LOOKS)):
                return True
            if theirs is None:  # it waits for a session and does not get this one
                break
            another.execute("ROLLBACK")
    return False


def _ask_process_number(connection: Any) -> int:
    """Return the number of the session's process, from PostgreSQL."""
    number: int = connection.execute(_PID).fetchone()[0]
    return number


def _pid_soon(connection: Any) -> int | None:
    """Return that number within a transaction that stays open; None if the answer takes long."""
    pgconn, end = connection.pgconn, time.monotonic() + _PATIENCE_SECONDS
    pgconn.send_query(f"BEGIN; {_PID}".encode())
    found = None
    with selectors.DefaultSelector() as selector:
        selector.register(pgconn.socket, selectors.EVENT_READ)
        while True:
            while pgconn.is_busy():
                if not selector.select(end - time.monotonic()):
                    return None
                pgconn.consume_input()
            if (result := pgconn.get_result()) is None:
                return found
            found = int(result.get_value(0, 0)) if result.ntuples else found


def _apply_settings(connection: Any, options: str) -> None:
    """Apply to the session the settings that were requested when connecting, which a pooler drops."""
    for option in options.split("-c ")[1:]:
        connection.execute("SELECT set_config(%s, %s, false)", option.strip().split("=", 1))
