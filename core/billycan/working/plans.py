"""Keep PostgreSQL's plans right while tables grow."""

import sqlalchemy as sa

from ..db import Database, metadata
from ..starting import policies


def measure_grown(database: Database) -> None:
    """Have PostgreSQL take stock of the tables that more than doubled since it last did.

    It looks by itself once a minute. Until then a statement that was prepared on an empty table goes on reading all of
    a tenant's rows for one, which is quick with ten of them and stands still with ten thousand.
    """
    with database.reading() as db:
        grown = list(db.execute(_GROWN, {"names": list(metadata.tables)}).scalars())
    for name in grown:
        with database.writing() as db:
            if policies.has_policies(db):
                db.execute(sa.text("SELECT billycan_analyze(:name)"), {"name": name})
            else:
                db.exec_driver_sql(f"ANALYZE {db.dialect.identifier_preparer.quote(name)}")


# Both count pages of 8 KiB; a handful is read in no time, whatever the plan.
_GROWN = sa.text(
    "SELECT relname FROM pg_class WHERE relname = ANY(:names) AND pg_table_is_visible(oid) AND relkind = 'r'"
    " AND pg_relation_size(oid) / 8192 > 2 * greatest(relpages, 0) + 4 ORDER BY relname"
)
