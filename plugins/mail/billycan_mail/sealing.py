"""What a letter says, at rest: it may hold a link that lets somebody in."""

import base64
import hmac

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from billycan import App


def sealed(app: App, text: str) -> bytes:
    """The text, encrypted with the newest of the deployment's secrets."""
    return _fernet(app).encrypt(text.encode())


def opened(app: App, given: bytes) -> str | None:
    """What was sealed; None where no secret of the deployment opens it any more."""
    try:
        return _fernet(app).decrypt(bytes(given)).decode()
    except InvalidToken:
        return None


def _fernet(app: App) -> MultiFernet:
    keys = [hmac.digest(secret.encode(), b"letters", "sha256") for secret in reversed(app.secrets)]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(key)) for key in keys])
