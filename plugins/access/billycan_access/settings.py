"""Settings of access, which a deployment may change."""

from typing import Annotated, Literal

from msgspec import Meta, Struct


class Settings(Struct, frozen=True, kw_only=True):
    """Settings of the plugin `access`.

    mode: "off": there is no page to request access. "request": anybody may request it, and the operator decides.
      "sandbox": a confirmed email address gets a key to a sandbox at once, and the live business once the request is
      approved; this needs the plugin mail and mail.url.
    per_day: How many requests are accepted in 24 hours in all.
    idle_days: After how many days a request without a decision expires.
    """

    mode: Literal["off", "request", "sandbox"] = "off"
    per_day: Annotated[int, Meta(ge=1, le=10_000)] = 100
    idle_days: Annotated[int, Meta(ge=1, le=365)] = 30
