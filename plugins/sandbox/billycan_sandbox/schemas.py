"""Structs that clients send and receive."""

from typing import Annotated

from msgspec import Struct

from billycan.fields import Moment, Whole


class NewReset(Struct, forbid_unknown_fields=True, kw_only=True):
    """A reset of the sandbox.

    samples: Whether it is then filled with sample records, those of the demo business; otherwise it stays empty.
    """

    samples: bool = True


class SandboxReset(Struct, kw_only=True):
    """The last reset of a sandbox.

    id: Its id.
    samples: Whether sample records are added.
    done: Whether it is done; false while records are removed and added.
    removed: How many rows were removed so far, those behind the records among them.
    created_at: The real time at which it was asked for.
    done_at: The real time at which it was done; null until then.
    """

    id: str
    samples: bool
    done: bool
    removed: Annotated[int, Whole()]
    created_at: Moment
    done_at: Moment | None
