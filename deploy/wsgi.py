"""The application for gunicorn or any other WSGI server: `deploy.wsgi:application`."""

from billycan.hosting import application as _make

application = _make()
