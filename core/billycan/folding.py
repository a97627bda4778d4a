"""Text as it is compared in searches and sorts."""

import unicodedata
from functools import lru_cache


def fold(text: str) -> str:
    """Return a text as it is compared in searches and sorts: without case and accents."""
    if text.isascii():
        return text.lower()
    # One character at a time: ordering many accents in a row takes quadratic time.
    return "".join(map(_fold_character, text))


@lru_cache(4096)
def _fold_character(character: str) -> str:
    # Compatibility forms hide capitals (`㎒`), and folding some letters brings forth accents.
    spread = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    return "".join(c for c in spread if not unicodedata.combining(c))


def digits_of(text: str) -> str:
    """Return the digits of a phone number or ABN, with Australia's +61 written as a leading zero."""
    digits = "".join(c for c in text if c in "0123456789")
    return "0" + digits[2:] if text.lstrip().startswith("+61") else digits
