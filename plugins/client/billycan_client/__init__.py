"""A typed client for billycan's API: `Billycan("https://api.example.com", key).invoices.send(id)`."""

from msgspec import UNSET

from .api import Billycan
from .connection import Page
from .errors import (
    BillycanError,
    Conflict,
    ConnectionFailed,
    Fault,
    Forbidden,
    Invalid,
    InvalidRequest,
    NotFound,
    RateLimited,
    ServerFault,
    Unauthenticated,
    UnexpectedAnswer,
    VersionConflict,
)
from .pages import Listing

__all__ = [
    "UNSET",
    "Billycan",
    "BillycanError",
    "Conflict",
    "ConnectionFailed",
    "Fault",
    "Forbidden",
    "Invalid",
    "InvalidRequest",
    "Listing",
    "NotFound",
    "Page",
    "RateLimited",
    "ServerFault",
    "Unauthenticated",
    "UnexpectedAnswer",
    "VersionConflict",
]
