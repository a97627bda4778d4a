"""Settings of the request log, which a deployment may change."""

from typing import Annotated

from msgspec import Meta, Struct


class Settings(Struct, frozen=True, kw_only=True):
    """Settings of the plugin `requests`.

    most: How many requests are kept of each business, and as many of its sandbox. They are kept for 30 days; of more
      than these, give or take one in twenty, the oldest go first.
    """

    most: Annotated[int, Meta(ge=1_000, le=10_000_000)] = 100_000
