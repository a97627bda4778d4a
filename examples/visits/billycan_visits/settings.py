"""Settings of visits, which a deployment may change."""

from typing import Annotated

from msgspec import Meta, Struct


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`announce_days` is the number of days before a visit is due that it is announced."""

    announce_days: Annotated[int, Meta(ge=0, le=30)] = 0
