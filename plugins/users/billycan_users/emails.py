"""Emails to people, through the plugin mail if it is on."""

from importlib import import_module

import sqlalchemy as sa

from billycan import App

MAIL = "mail"


def can_send(app: App) -> bool:
    """Tell whether emails can be sent. They are encrypted with the deployment's secret, which commands may lack."""
    return bool(app.secrets) and MAIL in app.manifests and bool(import_module(f"billycan_{MAIL}.api").can_send(app))


def send(app: App, db: sa.Connection, *, to: str, subject: str, text: str) -> None:
    """Send an email once the transaction is committed. Do nothing without the plugin mail."""
    if can_send(app):
        import_module(f"billycan_{MAIL}.api").send(app, db, to=to, subject=subject, text=text)
