"""Names for a plugin's pages, requests and files: bodies, JSON, and work that shares the processor."""

from .apart import finalize_in_turns, in_turns, run_apart, share_time
from .problems import PayloadTooLarge
from .wire import Incoming, Pieces, encode, read_bytes

__all__ = [
    "Incoming",
    "PayloadTooLarge",
    "Pieces",
    "encode",
    "finalize_in_turns",
    "in_turns",
    "read_bytes",
    "run_apart",
    "share_time",
]
