"""The application for gunicorn or any other WSGI server: `deploy.wsgi:application`."""

from billycan.hosting.workers import application as _make

application = _make()
