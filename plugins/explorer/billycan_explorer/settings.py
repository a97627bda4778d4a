"""Settings of the explorer, which a deployment may change."""

from msgspec import Struct


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`live` lets the page use live keys, below a warning."""

    live: bool = False
