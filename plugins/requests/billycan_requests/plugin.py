"""Requests: a log of each business's API requests, written in the background and shown to its developers."""

from pathlib import Path

from billycan import Every, Manifest

from . import showing
from .collecting import Collector
from .keeping import forget_old, with_old
from .settings import Settings
from .tables import days, log, writers

manifest = Manifest(
    name="requests",
    requires=("users",),
    settings=Settings,
    tables=(log, days, writers),
    migrations=Path(__file__).parent / "migrations",
    pages=showing.screens,
    observes=Collector,
    tasks=(Every(seconds=60, run=forget_old, tenants=with_old),),
)
