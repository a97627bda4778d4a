"""Bookings' functions for other plugins: names of services and bookings, and times that are held."""

from billycan import Records

from .holding import Held, count_holds, extend_hold, find_hold, give_back, hold_time
from .tables import bookings, services

__all__ = ["Held", "count_holds", "extend_hold", "find_hold", "give_back", "hold_time", "names", "service_names"]

# Map each id to a service's name, or to itself for a booking, which has no name, in one query; `lock=True` keeps the
# records from being deleted until the transaction ends.
service_names = Records.names_of(services.c.name)
names = Records.names_of(bookings.c.id)
