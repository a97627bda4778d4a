"""What a deployment sets for access."""

from typing import Annotated, Literal

from msgspec import Meta, Struct


class Settings(Struct, frozen=True, kw_only=True):
    """Settings of the plugin `access`.

    mode: "off": there is no page to ask for access. "request": anybody may ask, and whoever runs the deployment
      decides. "sandbox": whoever proves an email address gets a key to a sandbox at once, and the live business when it
      is approved; this needs the plugin mail and mail.url.
    per_day: How many requests are taken in 24 hours in all.
    idle_days: After how many days a request that nobody decided on expires.
    """

    mode: Literal["off", "request", "sandbox"] = "off"
    per_day: Annotated[int, Meta(ge=1, le=10_000)] = 100
    idle_days: Annotated[int, Meta(ge=1, le=365)] = 30
