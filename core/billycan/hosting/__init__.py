"""Hosting by gunicorn: its settings, and the code in its workers."""
