"""Texts that are nearly the one searched for: two letters swapped, or one missing, wrong or too many."""

import re

from billycan.sql import fold

LEAST, MOST = 4, 60  # letters of a text that others may be similar to


def is_long_enough(text: str) -> bool:
    return LEAST <= len(text) <= MOST


def parts_of(text: str) -> tuple[str, str, str]:
    """Return texts of which a similar one contains at least one.

    A mistake spoils one half of the text, and leaves the other as it is, or else two letters in the middle are swapped.
    """
    half = len(text) // 2
    return text[:half], text[half:], f"{text[: half - 1]}{text[half]}{text[half - 1]}{text[half + 1 :]}"


def pattern_of(text: str) -> re.Pattern[str]:
    """Return the pattern of the texts that are similar to one, as columns that are searched keep them."""
    text, found = fold(text), list[str]()
    for i, letter in enumerate(text):
        before, after = re.escape(text[:i]), re.escape(text[i + 1 :])
        found.append(f"{before}[^\\n]?{after}")  # a wrong one, or one too many
        found.append(f"{before}[^\\n]{re.escape(letter)}{after}")  # one is missing before it
        if after:
            found.append(f"{before}{re.escape(text[i + 1] + letter + text[i + 2 :])}")
    return re.compile("|".join(found))
