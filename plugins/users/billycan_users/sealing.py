"""Secrets at rest: encrypted under the deployment's own secret, or under one that only a browser has."""

import base64
import hashlib
import hmac

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from billycan import App


def digest(secret: str) -> bytes:
    """What is stored of a random secret: 256 random bits need no slow hash."""
    return hashlib.sha256(secret.encode()).digest()


def of_deployment(app: App, purpose: str) -> MultiFernet:
    """Encrypts with the newest of the deployment's secrets, and decrypts with any."""
    return MultiFernet([_fernet(secret, purpose) for secret in reversed(app.secrets)])


def of_browser(cookie: str, purpose: str) -> Fernet:
    """Encrypts under a session's cookie, of which the database has only a digest."""
    return _fernet(cookie, purpose)


def opened(fernet: Fernet | MultiFernet, sealed: bytes) -> str | None:
    """What was sealed; None where this cannot open it."""
    try:
        return fernet.decrypt(sealed).decode()
    except InvalidToken:
        return None


def _fernet(secret: str, purpose: str) -> Fernet:
    return Fernet(base64.urlsafe_b64encode(hmac.digest(secret.encode(), purpose.encode(), "sha256")))
