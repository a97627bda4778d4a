"""Settings of hosted pages, which a deployment may change."""

from msgspec import Struct

from billycan import RuleBroken

from .colours import DEFAULT, parse_colour


class Settings(Struct, frozen=True, kw_only=True):
    """Settings of the plugin `hosted`: the look of documents of businesses that set none themselves.

    accent_colour: A colour that can be read on white.
    footer: A few words at the foot of each page.
    """

    accent_colour: str = DEFAULT
    footer: str = ""

    def __post_init__(self) -> None:
        try:
            parse_colour(self.accent_colour)
        except RuleBroken as broken:
            raise ValueError(f"accent_colour: {broken}") from None
