"""For a plugin's pages, requests and files: a body's bytes, JSON as answers have it, CSV, and refusals of a page."""

from .limits import network
from .problems import MethodNotAllowed, PayloadTooLarge, RouteNotFound
from .sheets import csv_reply
from .wire import encode, read_bytes

__all__ = ["MethodNotAllowed", "PayloadTooLarge", "RouteNotFound", "csv_reply", "encode", "network", "read_bytes"]
