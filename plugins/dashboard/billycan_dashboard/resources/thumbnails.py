"""The small picture that a photo carries within itself (Exif), from cameras and from the script of our own forms."""

from struct import error, unpack_from

MOST_BYTES = 128 * 1024  # of a photo, in which the small picture begins and ends
_MARK, _APP1, _SCAN = 0xFF, 0xE1, 0xDA
_EXIF = b"Exif\0\0"
_TURNED, _BEGINS, _LENGTH = 0x0112, 0x0201, 0x0202  # tags: how the camera was held, and where the small picture is
_UPRIGHT = 1


def find_thumbnail(head: bytes) -> bytes | None:
    """Return the small picture within the first bytes of a JPEG file.

    None if there is none, or if the photo has to be turned to be upright: the small one would be shown as it lies.
    """
    try:
        tiff = _find_exif(head)
        if tiff is None or tiff[:2] not in (b"II", b"MM"):
            return None
        order = "<" if tiff[:2] == b"II" else ">"
        main, following = _read_directory(tiff, order, unpack_from(f"{order}I", tiff, 4)[0])
        small, _ = _read_directory(tiff, order, following) if following else ({}, 0)
    except error:  # it ends too early
        return None
    if main.get(_TURNED, _UPRIGHT) != _UPRIGHT or _BEGINS not in small:
        return None
    found = tiff[small[_BEGINS] : small[_BEGINS] + small.get(_LENGTH, 0)]
    return found if found.startswith(b"\xff\xd8\xff") and found.endswith(b"\xff\xd9") else None


def _find_exif(head: bytes) -> bytes | None:
    """Return the Exif part, without what comes before it."""
    at = 2
    while head[:2] == b"\xff\xd8":
        mark, kind, length = unpack_from(">BBH", head, at)
        if mark != _MARK or kind == _SCAN:
            return None
        if kind == _APP1 and head.startswith(_EXIF, at + 4):
            return head[at + 4 + len(_EXIF) : at + 2 + length]
        at += 2 + length
    return None


def _read_directory(tiff: bytes, order: str, at: int) -> tuple[dict[int, int], int]:
    """Return the numbers of a directory by tag, and where the next one begins; 0 if there is none."""
    (count,) = unpack_from(f"{order}H", tiff, at)
    found = {}
    for i in range(count):
        tag, form = unpack_from(f"{order}HH", tiff, at + 2 + 12 * i)
        is_short = form == 3
        (found[tag],) = unpack_from(f"{order}{'H' if is_short else 'I'}", tiff, at + 10 + 12 * i)
    return found, unpack_from(f"{order}I", tiff, at + 2 + 12 * count)[0]
