"""Structs that clients send and receive."""

from typing import Annotated

from msgspec import Struct

from billycan.fields import Moment, Whole


class NewClock(Struct, forbid_unknown_fields=True, kw_only=True):
    """A clock for the sandbox.

    now: The time that it shows from now on; by default the real time.
    """

    now: Moment | None = None


class Advance(Struct, forbid_unknown_fields=True, kw_only=True):
    """A step forward in time.

    to: The time up to which the sandbox lives: at most two years ahead of the real time.
    """

    to: Moment


class Clock(Struct, kw_only=True):
    """The clock of a sandbox.

    id: Its id.
    now: The sandbox's time: while the clock advances, how far it has come.
    done: Whether the last advance is done; false while it advances.
    progress: How much of the last advance is done, in percent; 100 if the clock was never advanced.
    advanced_from: The time at which the last advance began; null if there was none.
    advanced_to: The time to which it went; null if there was none.
    created_at: The real time at which the clock was set.
    """

    id: str
    now: Moment
    done: bool
    progress: Annotated[int, Whole()]
    advanced_from: Moment | None
    advanced_to: Moment | None
    created_at: Moment
