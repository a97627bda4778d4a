"""What a deployment sets for the explorer."""

from msgspec import Struct


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`live` lets the page take keys of production, beneath a warning."""

    live: bool = False
