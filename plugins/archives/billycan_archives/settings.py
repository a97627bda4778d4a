"""Settings of archives, which a deployment may change."""

from msgspec import Struct


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of archives.

    most_mib: The most that the file of a business may have, in MiB; the operator exports a larger one.
    """

    most_mib: int = 10_240

    def __post_init__(self) -> None:
        if self.most_mib < 1:
            raise ValueError("most_mib must be at least 1")
