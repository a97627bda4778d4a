"""Legible colours: on white paper, and on the dark background of a screen."""

import re

from billycan import RuleBroken

DEFAULT = "#0b6b5d"
LEAST_CONTRAST = 4.5  # of text with its background: WCAG 2.2, success criterion 1.4.3
_WHITE, _DARK = (255.0, 255.0, 255.0), (24.0, 32.0, 38.0)  # backgrounds of pages
_COLOUR = re.compile("#[0-9a-f]{6}")

Rgb = tuple[float, float, float]


def parse_colour(text: str) -> str:
    """Return a colour as stored, `#rrggbb` in lower case. Raise RuleBroken unless it is legible on white."""
    found = text.lower()
    if not _COLOUR.fullmatch(found):
        raise RuleBroken("invalid_value", "must be a colour such as #0b6b5d")
    if (contrast := _contrast_of(_read_rgb(found), _WHITE)) < LEAST_CONTRAST:
        raise RuleBroken(
            "invalid_value", f"cannot be read on white: its contrast is {contrast:.1f} and must be 4.5 or more"
        )
    return found


def on_dark(text: str) -> str:
    """Lighten a colour until it is legible on the dark background of a page."""
    rgb = _read_rgb(text) if _COLOUR.fullmatch(text) else _read_rgb(DEFAULT)
    for step in range(21):
        lighter = tuple(part + (255 - part) * step / 20 for part in rgb)
        if _contrast_of(lighter, _DARK) >= LEAST_CONTRAST + 1:  # type: ignore[arg-type]
            break
    return "#" + "".join(f"{round(part):02x}" for part in lighter)


def _read_rgb(text: str) -> Rgb:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def _contrast_of(one: Rgb, other: Rgb) -> float:
    """Return the contrast ratio of two colours, from 1 to 21."""
    dark, light = sorted((_luminance_of(one), _luminance_of(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance_of(rgb: Rgb) -> float:
    red, green, blue = (
        part / 255 / 12.92 if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in rgb
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
