"""The size of a picture from its file alone: a few bytes can stand for more pixels than memory holds."""

import zlib
from collections.abc import Iterator
from typing import Literal

_ORIENTATION = 0x0112  # the tag of EXIF
_MOST_PROFILE_BYTES = 4 * 1024 * 1024  # of a colour profile, which is packed in a PNG


def picture_size(content: bytes) -> tuple[int, int] | None:
    """Return the width and height that a PNG, JPEG or WebP file claims, in pixels; None if it cannot be told."""
    if content.startswith(b"\x89PNG"):
        size = _png(content)
    elif content.startswith(b"\xff\xd8"):
        size = _jpeg(content)
    else:
        size = _webp(content)
    return size if all(size) else None


def picture_turned(content: bytes) -> bool:
    """Tell whether a JPEG file is to be shown turned or mirrored (EXIF orientation), which not every viewer does."""
    if not content.startswith(b"\xff\xd8"):
        return False
    parts = (
        content[at + 4 : at + 2 + _read(content[at + 2 : at + 4])] for kind, at in _segments(content) if kind == 0xE1
    )
    return any(_turned(part[6:]) for part in parts if part.startswith(b"Exif\0\0"))


def _read(part: bytes, order: Literal["big", "little"] = "big") -> int:
    return int.from_bytes(part, order)


def _png(content: bytes) -> tuple[int, int]:
    """Return the size; nothing if its colour profiles would fill the memory or keep the processor busy."""
    at, left = 8, _MOST_PROFILE_BYTES
    while (kind := content[at + 4 : at + 8]) not in (b"IDAT", b""):
        length = _read(content[at : at + 4])
        if kind == b"iCCP":
            packed = content[at + 8 : at + 8 + length].partition(b"\0")[2][1:]
            try:
                left -= len(zlib.decompressobj().decompress(packed, left + 1))
            except zlib.error:
                return 0, 0
            if left < 0:
                return 0, 0
        at += 12 + length
    return _read(content[16:20]), _read(content[20:24])


def _jpeg(content: bytes) -> tuple[int, int]:
    """Return the size of the largest frame before the data of the first scan."""
    size = (0, 0)
    for kind, at in _segments(content):
        if 0xC0 <= kind <= 0xCF and kind not in (0xC4, 0xC8, 0xCC):
            height, width = _read(content[at + 5 : at + 7]), _read(content[at + 7 : at + 9])
            size = max(size, (width, height), key=lambda each: each[0] * each[1])
    return size


def _segments(content: bytes) -> Iterator[tuple[int, int]]:
    """Yield the kind and the position of each part of a JPEG before the data of its first scan."""
    at = 2
    while at + 1 < len(content) and content[at] == 0xFF and (kind := content[at + 1]) != 0xDA:
        if kind == 0xFF:  # a byte that fills
            at += 1
            continue
        yield kind, at
        at += 2 + _read(content[at + 2 : at + 4])


def _turned(tiff: bytes) -> bool:
    """Tell whether the tags of an EXIF part have an orientation other than upright."""
    order: Literal["big", "little"] = "little" if tiff.startswith(b"II") else "big"
    at = _read(tiff[4:8], order)
    end = min(at + 2 + 12 * _read(tiff[at : at + 2], order), len(tiff))
    tags = (tiff[start : start + 12] for start in range(at + 2, end, 12))
    return any(_read(tag[:2], order) == _ORIENTATION and 1 < _read(tag[8:10], order) <= 8 for tag in tags)


def _webp(content: bytes) -> tuple[int, int]:
    kind = content[12:16]
    if kind == b"VP8X":
        return 1 + _read(content[24:27], "little"), 1 + _read(content[27:30], "little")
    if kind == b"VP8L":
        bits = _read(content[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if kind == b"VP8 ":
        return _read(content[26:28], "little") & 0x3FFF, _read(content[28:30], "little") & 0x3FFF
    return 0, 0
