"""The differences between the two databases: their connections and transactions, and the sending of statements.

docs/engines.md lists the private names of SQLAlchemy and psycopg that these modules lean on, what each module saves,
and how to live without them.
"""

PLAIN = "billycan_plain"  # the execution option of connections on which SQLAlchemy's public names do everything
