"""The calendar: what is planned, of every resource whose members say when it starts."""

from billycan import Manifest, Route

from .handlers import list_calendar

manifest = Manifest(name="calendar", routes=(Route("GET", "/v1/calendar", list_calendar, scope=None, own=True),))
