"""The tables of the log of requests, and of what shows that some are missing from it."""

import sqlalchemy as sa

from billycan import ByCodePoint, UTCDateTime, new_table

# Ids begin with the time, so that the primary key finds the newest rows, and those of a day.
log = new_table(
    "requests_log",
    sa.Column("at", sa.BigInteger, nullable=False),  # in milliseconds since 1970
    sa.Column("caller_id", ByCodePoint, nullable=False),
    sa.Column("method", sa.Text, nullable=False),
    sa.Column("route", sa.Text, nullable=False),  # the template; empty for a path that does not exist
    sa.Column("status", sa.Integer, nullable=False),
    sa.Column("microseconds", sa.BigInteger, nullable=False),
    sa.Column("request_id", sa.Text, nullable=False),
    sa.Column("code", sa.Text),
    sa.Column("param", sa.Text),
)

# Ids are days (UTC), such as `2026-11-30`.
days = new_table(
    "requests_days",
    sa.Column("answered", sa.BigInteger, nullable=False),  # all of them
    sa.Column("refused", sa.BigInteger, nullable=False),  # with status 429
    sa.Column("failed", sa.BigInteger, nullable=False),  # with status 500 and above
    sa.Column("lost", sa.BigInteger, nullable=False),  # too many at once to be written
    sa.Column("kept", sa.BigInteger, nullable=False),  # in the log
    sa.Index("ix_requests_days_id", "id"),  # the worker finds old days by it
)

# The processes that may have unwritten requests in memory; a process that ends well leaves no row.
writers = new_table(
    "requests_writers",
    sa.Column("id", ByCodePoint, primary_key=True),
    sa.Column("wrote_at", UTCDateTime, nullable=False),
    of="deployment",
)
