"""Bookings' functions for other plugins: names of services and bookings."""

from billycan import Records

from .tables import bookings, services

# Map each id to a service's name, or to itself for a booking, which has no name, in one query; `lock=True` keeps the
# records from being deleted until the transaction ends.
service_names = Records.names_of(services.c.name)
names = Records.names_of(bookings.c.id)
