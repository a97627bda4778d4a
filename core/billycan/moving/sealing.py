"""Sealed files: encrypted with a secret of the deployment, piece by piece, so that none is cut short or changed."""

import hmac
import os
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

_MAGIC = b"billycan sealed 1\n"
_PIECE_BYTES = 1024 * 1024
_TAG_BYTES = 16
_KEY_ID_BYTES, _NONCE_BYTES = 12, 8


class NotSealed(Exception):
    """A file is not sealed, was sealed with another secret, or is damaged; the message says which."""


def write_sealed(source: IO[bytes], path: Path, secret: str) -> None:
    """Write what is left of an open file to a new sealed file, which is there as a whole or not at all."""
    part, nonce = path.with_name(f"{path.name}.part"), os.urandom(_NONCE_BYTES)
    cipher = _build_cipher(secret)
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(_MAGIC + _key_id(secret) + nonce)
        number, piece = 0, source.read(_PIECE_BYTES)
        while True:
            after = source.read(_PIECE_BYTES)
            place = struct.pack(">I?", number, not after)  # the last piece says so
            file.write(cipher.encrypt(nonce + place[:4], piece, place))
            if not after:
                break
            number, piece = number + 1, after
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def read_sealed(path: Path, secrets: Sequence[str]) -> Iterator[bytes]:
    """Yield the pieces of a sealed file; raise NotSealed if none of these secrets opens it."""
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - as in _cipher

    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise NotSealed(f"{path} is not a sealed file")
        wanted, nonce = file.read(_KEY_ID_BYTES), file.read(_NONCE_BYTES)
        secret = next((secret for secret in secrets if _key_id(secret) == wanted), None)
        if secret is None:
            raise NotSealed(f"{path} was sealed with another secret: name the file with the secret of that time")
        cipher, number = _build_cipher(secret), 0
        piece = file.read(_PIECE_BYTES + _TAG_BYTES)
        while True:
            after = file.read(_PIECE_BYTES + _TAG_BYTES)
            place = struct.pack(">I?", number, not after)
            try:
                yield cipher.decrypt(nonce + place[:4], piece, place)
            except InvalidTag:
                raise NotSealed(f"{path} is damaged or cut short") from None
            if not after:
                return
            number, piece = number + 1, after


def check_sealing() -> None:
    """Raise RuntimeError with the cure if nothing can be sealed here."""
    _build_cipher("")


def _build_cipher(secret: str) -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - few deployments close any
    except ImportError:
        raise RuntimeError("sealed files need the package cryptography: pip install cryptography") from None
    return AESGCM(hmac.digest(secret.encode(), b"billycan sealed files", "sha256"))


def _key_id(secret: str) -> bytes:
    return hmac.digest(secret.encode(), b"billycan sealed files' key", "sha256")[:_KEY_ID_BYTES]
