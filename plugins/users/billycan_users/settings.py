"""Settings of users, which a deployment may change."""

from typing import Annotated

from msgspec import Meta, Struct


class Settings(Struct, frozen=True, kw_only=True):
    """Settings of the plugin `users`.

    dashboard_url: What the addresses of pages begin with, where that is another than `public_url`; its host is the one
      that passkeys are bound to.
    """

    dashboard_url: Annotated[
        str, Meta(pattern=r"^(https?://[^/\s]+)?$", examples=["https://dashboard.example.com"])
    ] = ""
