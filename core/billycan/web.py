"""For a plugin's own pages and requests: a body's bytes, JSON as answers have it, and the refusals of a page."""

from .problems import MethodNotAllowed, PayloadTooLarge, RouteNotFound
from .wire import encode, read_bytes

__all__ = ["MethodNotAllowed", "PayloadTooLarge", "RouteNotFound", "encode", "read_bytes"]
