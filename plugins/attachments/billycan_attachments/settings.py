"""Settings of attachments: where their bytes are stored, and how many a business may have."""

from typing import Annotated

from msgspec import Meta, Struct


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of the plugin `attachments`."""

    folder: str | None = None
    quota_bytes: Annotated[int, Meta(ge=0, le=1 << 62)] = 1 << 30
    bucket: str | None = None
    prefix: str = ""
    endpoint: Annotated[str, Meta(pattern=r"^https?://[^/\s]+", examples=["https://s3.example.com"])] | None = None
    region: str = "us-east-1"
    access_key_id: str | None = None
    secret_access_key: str | None = None

    def __post_init__(self) -> None:
        if bool(self.access_key_id) is not bool(self.secret_access_key):
            raise ValueError("access_key_id: needs secret_access_key too, and the other way round")

    def __repr__(self) -> str:
        return "Settings(…)"  # the secret stays out of tracebacks and logs
