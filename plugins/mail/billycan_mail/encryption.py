"""Encryption of letters at rest: a letter may contain a link that gives access."""

import base64
import hmac

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from billycan import App


def encrypt_text(app: App, text: str) -> bytes:
    """Encrypt a text with the newest of the deployment's secrets."""
    return _fernet_of(app).encrypt(text.encode())


def decrypt_text(app: App, given: bytes) -> str | None:
    """Decrypt a text. Return None if no secret of the deployment can."""
    try:
        return _fernet_of(app).decrypt(bytes(given)).decode()
    except InvalidToken:
        return None


def _fernet_of(app: App) -> MultiFernet:
    keys = [hmac.digest(secret.encode(), b"letters", "sha256") for secret in reversed(app.secrets)]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(key)) for key in keys])
