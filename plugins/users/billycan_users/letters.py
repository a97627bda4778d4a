"""Letters to people, as far as there is somebody to send them: the plugin mail, with a mail server."""

from importlib import import_module

import sqlalchemy as sa

from billycan import App

MAIL = "mail"


def can_send(app: App) -> bool:
    """Whether letters reach anybody. They are sealed with the deployment's secret, which a command may not have."""
    return bool(app.secrets) and MAIL in app.manifests and bool(import_module(f"billycan_{MAIL}.api").can_send(app))


def send(app: App, db: sa.Connection, *, to: str, subject: str, text: str) -> None:
    """Send a letter once the transaction is committed; nothing where there is no mail."""
    if can_send(app):
        import_module(f"billycan_{MAIL}.api").send(app, db, to=to, subject=subject, text=text)
