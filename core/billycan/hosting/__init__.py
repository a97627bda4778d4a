"""How gunicorn hosts billycan: its settings, and what runs in its workers."""
