"""The differences between the two databases: their connections and transactions, and the sending of statements.

docs/engines.md lists the private names of SQLAlchemy and psycopg that these modules lean on, what each module saves,
and how to live without them.
"""

PLAIN = "billycan_plain"  # the execution option of connections on which SQLAlchemy's public names do everything
UNHURRIED = "billycan_unhurried"  # the execution option of a connection whose statements may take longer
PLANNED_ANEW = "billycan_planned_anew"
"""The execution option of a statement that PostgreSQL plans for its values each time: `{PLANNED_ANEW: True}`.

Such a statement is never prepared. Of one that is, PostgreSQL keeps a single plan for all values before long: right for
`id = ?`, and ruinous if the value decides which index is the one to use, as in a sum over some days.
"""
