"""Encryption of secrets at rest: with the deployment's own secret, or with one that only a browser has."""

import base64
import hashlib
import hmac

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from billycan import App


def secret_digest(secret: str) -> bytes:
    """Return the stored digest of a random secret: 256 random bits need no slow hash."""
    return hashlib.sha256(secret.encode()).digest()


def deployment_cipher(app: App, purpose: str) -> MultiFernet:
    """Return a cipher that encrypts with the newest of the deployment's secrets, and decrypts with any."""
    return MultiFernet([_fernet_of(secret, purpose) for secret in reversed(app.secrets)])


def browser_cipher(cookie: str, purpose: str) -> Fernet:
    """Return a cipher that uses a session's cookie, of which the database has only a digest."""
    return _fernet_of(cookie, purpose)


def decrypt_text(fernet: Fernet | MultiFernet, sealed: bytes) -> str | None:
    """Decrypt a text. Return None if this cipher cannot."""
    try:
        return fernet.decrypt(sealed).decode()
    except InvalidToken:
        return None


def _fernet_of(secret: str, purpose: str) -> Fernet:
    return Fernet(base64.urlsafe_b64encode(hmac.digest(secret.encode(), purpose.encode(), "sha256")))
