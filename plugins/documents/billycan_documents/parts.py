"""The lines of a page's documents: refused if they are too large together, and fetched in turns."""

from collections.abc import Iterator, Sequence

import sqlalchemy as sa

from billycan import Context, Page, Row
from billycan.sql import ByIds, Statement

_MOST_AT_ONCE = 500  # parts that are fetched together, if they are not of one record: some milliseconds of work
_MOST_TEXT = 4 * 4_000  # bytes of a description


class Parts:
    """The rows of `table`, which belong to records by their `document_id`, in the order of their `position` from 0 on.

    Each row is the id of its record and then these columns. A part has about `besides` bytes of JSON besides its
    description.
    """

    def __init__(self, table: sa.Table, columns: Sequence[str], *, besides: int) -> None:
        of, other = table.c.document_id, table.alias()
        rows = sa.select(of, *(table.c[name] for name in columns)).order_by(of, table.c.position)
        last = sa.select(sa.func.max(other.c.position)).where(
            other.c.tenant_id == sa.bindparam("tenant_id"), other.c.document_id == of
        )
        # Two steps in the index for each record, however many parts it has.
        counts = sa.select(of, (last.scalar_subquery() + 1).label("parts")).where(table.c.position == 0)
        sizes = sa.select(of, sa.func.sum(sa.func.octet_length(table.c.description) + besides).label("size")).group_by(
            of
        )
        self._rows, self._counts, self._sizes = (
            ByIds(rows, of),
            ByIds(counts, of),
            ByIds(sizes, of),
        )
        self._most = _MOST_TEXT + besides

    def asked(self, tenant_id: str, id: str) -> Statement.Asked:
        """Return a statement for `at_once` that finds the parts of one record."""
        return self._rows.asked(tenant_id, id)

    def all(self, ctx: Context, ids: Sequence[str]) -> list[Row]:
        """Return the parts of these records in one query."""
        return self._rows.all(ctx.db, ctx.tenant_id, ids)

    def of_page(self, ctx: Context, ids: Sequence[str]) -> Iterator[Row]:
        """Yield the parts of a page's records; raise BadRequest, before fetching any, if they are too large together.

        A single record is never too large.
        """
        if len(ids) < 2:
            yield from self.all(ctx, ids)
            return
        counts = {row[0]: row.parts for row in self._counts.all(ctx.db, ctx.tenant_id, ids)}
        if sum(counts.values()) * self._most > Page.MOST_BYTES:
            self._check_size(ctx, len(ids), self._rows.groups(ids, counts, _MOST_AT_ONCE))
        yield from self._rows.in_groups(ctx.db, ctx.tenant_id, ids, counts, _MOST_AT_ONCE)

    def _check_size(self, ctx: Context, records: int, groups: Sequence[Sequence[str]]) -> None:
        """Refuse parts that are too large together, without looking at those beyond."""
        so_far = fits = 0
        for group in ctx.in_turns(groups):
            sizes = {row[0]: row.size for row in self._sizes.all(ctx.db, ctx.tenant_id, group)}
            for id in group:
                so_far += sizes.get(id, 0)
                if so_far > Page.MOST_BYTES:
                    raise Page.too_large(records, fits)
                fits += 1
