"""Settings of paylink, which a deployment may change."""

from typing import Literal

from msgspec import Struct


class Account(Struct, frozen=True):
    """The credentials for one environment."""

    key: str
    signing_secret: str

    def __repr__(self) -> str:
        return "Account(…)"


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`url` is the provider's API; the keys and secrets that begin with `test_` are those of sandboxes.

    An environment that lacks one of them takes no payments.
    """

    url: str = ""
    key: str = ""
    signing_secret: str = ""
    test_key: str = ""
    test_signing_secret: str = ""

    def __repr__(self) -> str:
        return "Settings(…)"

    def account(self, environment: Literal["live", "sandbox"]) -> Account | None:
        """Return the credentials of this environment, never the other's."""
        found = Account(self.key, self.signing_secret)
        if environment == "sandbox":
            found = Account(self.test_key, self.test_signing_secret)
        return found if self.url and found.key and found.signing_secret else None
