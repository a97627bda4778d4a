"""What a deployment sets for visits."""

from typing import Annotated

from msgspec import Meta, Struct


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`announce_days` is how many days before a visit is due it is announced."""

    announce_days: Annotated[int, Meta(ge=0, le=30)] = 0
