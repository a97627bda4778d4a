"""Settings of telemetry, which a deployment may change."""

from typing import Annotated

from msgspec import Meta, Struct

_Url = Meta(pattern=r"^https?://[^/\s]+(/[^\s]*)?$", examples=["https://collector.example.com/v1/traces"])
_Header = Meta(pattern=r"^[A-Za-z0-9-]+=[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$", examples=["x-api-key=secret"])


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of the plugin `telemetry`.

    endpoint: Where the collector takes traces, by OTLP over HTTP.
    headers: Headers for the collector, such as `x-api-key=secret`.
    sample: The part of all requests that is traced, from 0 to 1.
    service: The name under which the collector shows this deployment.
    """

    endpoint: Annotated[str, _Url] = "http://127.0.0.1:4318/v1/traces"
    headers: list[Annotated[str, _Header]] = []
    sample: Annotated[float, Meta(ge=0, le=1)] = 1.0
    service: str = "billycan"

    def __repr__(self) -> str:
        return "Settings(…)"  # the headers' secrets stay out of tracebacks and logs
