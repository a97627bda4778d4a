"""What a deployment sets for hosted pages."""

from msgspec import Struct

from billycan import RuleBroken

from .colours import DEFAULT, colour


class Settings(Struct, frozen=True, kw_only=True):
    """Settings of the plugin `hosted`: how the documents look of a business that sets nothing itself.

    accent_colour: A colour that can be read on white.
    footer: A few words at the foot of each page.
    """

    accent_colour: str = DEFAULT
    footer: str = ""

    def __post_init__(self) -> None:
        try:
            colour(self.accent_colour)
        except RuleBroken as broken:
            raise ValueError(f"accent_colour: {broken}") from None
