"""Bodies that are not JSON, received and sent piece by piece."""

import hashlib
from collections.abc import Callable, Iterable, Iterator

from .problems import PayloadTooLarge


class Incoming:
    """The bytes of a request's body, at most `most` of them: `for piece in incoming`.

    Iteration raises PayloadTooLarge beyond that, Timeout if they come too slowly, and BadRequest if the body is cut
    short. `size` and `sha256` are of what was read so far.
    """

    def __init__(self, pieces: Iterable[bytes], most: int) -> None:
        self._pieces, self._hash, self._most = pieces, hashlib.sha256(), most
        self.size = 0

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self.size += len(piece)
            if self.size > self._most:
                raise too_large(self._most)
            self._hash.update(piece)
            yield piece

    @property
    def sha256(self) -> str:
        """The SHA-256 of what was read so far, in hexadecimal."""
        return self._hash.hexdigest()


class Pieces:
    """The bytes of an answer, sent piece by piece; `close` is called at the end, even at an early one."""

    def __init__(self, pieces: Iterable[bytes], close: Callable[[], None] = lambda: None) -> None:
        self._pieces, self.close = pieces, close

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._pieces
        finally:
            self.close()


def too_large(most: int) -> PayloadTooLarge:
    """Return the refusal of a body of more than `most` bytes."""
    return PayloadTooLarge(f"The body is larger than {most >> 20} MiB.")
