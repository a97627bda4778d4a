"""Django's settings: only what the service needs, and connections that stay open."""

import os

from psycopg.conninfo import conninfo_to_dict
from service import DATABASE

if DATABASE.startswith("postgresql"):
    place = conninfo_to_dict(DATABASE)
    database = {"ENGINE": "django.db.backends.postgresql", "NAME": place["dbname"], "USER": place["user"]}
    database |= {"HOST": place["host"], "PORT": place["port"], "CONN_MAX_AGE": 600}
else:
    pragmas = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
    options = {"transaction_mode": "IMMEDIATE", "init_command": pragmas, "timeout": 10}
    database = {"ENGINE": "django.db.backends.sqlite3", "NAME": DATABASE, "CONN_MAX_AGE": None, "OPTIONS": options}

SECRET_KEY = os.environ["BENCH_SECRET"]
ALLOWED_HOSTS = ["127.0.0.1"]
DATABASES = {"default": database}
ROOT_URLCONF = "drf.views"
USE_TZ = True
INSTALLED_APPS = ["rest_framework", "drf"]
MIDDLEWARE = ["django.middleware.security.SecurityMiddleware", "django.middleware.common.CommonMiddleware"]
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["drf.requests.KeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["drf.requests.HoldsScope"],
    "DEFAULT_THROTTLE_CLASSES": ["drf.requests.PerMinute", "drf.requests.PerSecond"],
    "DEFAULT_RENDERER_CLASSES": ["drf.requests.Renderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "EXCEPTION_HANDLER": "drf.views.refuse",
    "UNAUTHENTICATED_USER": None,
}
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"stderr": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
}
