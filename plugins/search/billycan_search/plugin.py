"""Search: records of every resource that can be searched, found by one text."""

from billycan import Manifest, Route

from .handlers import search_records

manifest = Manifest(name="search", routes=(Route("GET", "/v1/search", search_records, scope=None, own=True),))
