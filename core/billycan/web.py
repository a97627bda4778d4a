"""Names for a plugin's pages, requests and files: reading bodies, JSON as in answers, CSV, and refusals of a page."""

from .apart import finalize_in_turns, in_turns, run_apart, share_time
from .problems import MethodNotAllowed, PayloadTooLarge, RouteNotFound, Unavailable, UnsupportedMediaType
from .wire import Incoming, Pieces, encode, read_bytes

__all__ = [
    "Incoming",
    "MethodNotAllowed",
    "PayloadTooLarge",
    "Pieces",
    "RouteNotFound",
    "Unavailable",
    "UnsupportedMediaType",
    "encode",
    "finalize_in_turns",
    "in_turns",
    "read_bytes",
    "run_apart",
    "share_time",
]
