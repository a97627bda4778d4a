"""Notes of records that change without an event, such as an invoice that is paid in part.

Each has the number that the log of events gives out in the same transaction, so that it appears in commit order, too.
"""

from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from billycan import Context
from billycan.sql import Statement, counters, events

from .followed import followed_prefixes
from .tables import untold


def note_untold(ctx: Context, ids: Sequence[str]) -> list[Statement.Asked]:
    """Return the statements that note these records, to be sent once the transaction has its number."""
    followed = followed_prefixes(ctx.app)
    return [(_NOTE, {"of_tenant": ctx.tenant_id, "of_id": id}) for id in ids if id.partition("_")[0] in followed]


def _build_note(insert: Callable[[sa.Table], Any]) -> Any:
    tenant_id, id = (sa.bindparam(name, type_=sa.Text) for name in ("of_tenant", "of_id"))
    c = counters.c
    numbered = sa.select(tenant_id, id, c.number).where(c.tenant_id == tenant_id, c.name == events.name)
    row = insert(untold).from_select(["tenant_id", "id", "sequence"], numbered)
    return row.on_conflict_do_update(index_elements=["tenant_id", "id"], set_={"sequence": row.excluded.sequence})


_NOTE = Statement(sqlite=_build_note(sqlite.insert), postgresql=_build_note(postgresql.insert))
