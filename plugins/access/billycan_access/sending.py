"""Letters, as far as there is somebody to send them: the plugin mail, with one function in its `api`.

That is `send(app, db, *, to, subject, text)`: it sends a plain letter once the transaction of `db` is committed.
"""

from importlib import import_module

import sqlalchemy as sa

from billycan import App

from .settings import Settings

MAIL = "mail"


def has_mail(app: App) -> bool:
    """Whether letters are sent."""
    return MAIL in app.manifests and bool(import_module(f"billycan_{MAIL}.api").can_send(app))


def send(app: App, db: sa.Connection, *, to: str, subject: str, text: str) -> None:
    """Send a letter once the transaction is committed; nothing where there is no mail."""
    if has_mail(app):
        import_module(f"billycan_{MAIL}.api").send(app, db, to=to, subject=subject, text=text)


def check(app: App) -> None:
    """Raise ValueError where the settings promise what cannot be done without mail."""
    if app.settings_of(Settings).mode == "sandbox" and not has_mail(app):
        said = 'enable the plugin mail and set mail.url, or set access.mode to "request"'
        raise ValueError(f'access.mode = "sandbox" needs mail: {said}')
