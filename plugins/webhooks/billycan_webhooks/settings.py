"""Settings of webhooks, which a deployment may change."""

from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct

LEAST_MARGIN_SECONDS = 5
MOST_LEASE_SECONDS = 600


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of the plugin `webhooks`."""

    when_alone: ClassVar[dict[str, str]] = {"allow_private": "sandbox"}

    allow_private: bool | Literal["sandbox"] = False
    retry_offsets: tuple[Annotated[int, Meta(ge=1, le=2_592_000)], ...] = (550, 7_150, 86_350)
    timeout_seconds: Annotated[float, Meta(ge=0.1, le=60)] = 10.0
    lease_seconds: Annotated[float, Meta(ge=1, le=MOST_LEASE_SECONDS)] = 45.0
    threads: Annotated[int, Meta(ge=2, le=64)] = 32
    keep_days: Annotated[int, Meta(ge=1, le=3650)] = 30
    hold_days: Annotated[int, Meta(ge=1, le=3650)] = 90
    hold_most: Annotated[int, Meta(ge=1, le=10_000_000)] = 10_000
    disable_after_days: Annotated[int, Meta(ge=1, le=365)] = 5
    queue: str | None = None

    def __post_init__(self) -> None:
        if self.lease_seconds < self.timeout_seconds + LEAST_MARGIN_SECONDS:
            raise ValueError(
                f"lease_seconds: must be at least timeout_seconds + {LEAST_MARGIN_SECONDS}, or two might send at once"
            )
        if list(self.retry_offsets) != sorted(set(self.retry_offsets)):
            raise ValueError("retry_offsets: must increase, because each is counted from the first attempt")

    def allows_private(self, environment: Any) -> bool:
        """Tell whether tenants of this environment may have private receivers and plain http."""
        return self.allow_private is True or (self.allow_private == "sandbox" and environment == "sandbox")
