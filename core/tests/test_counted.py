"""A new record is counted, numbered and found at once, whatever columns its table has."""

from datetime import datetime

import pytest
import sqlalchemy as sa

from billycan import Query, Records, Resource, new_table
from billycan.db import numbered, searchable
from billycan.fields import Search


class Hour(sa.types.TypeDecorator[datetime]):
    """A time of which only the hour counts."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value, dialect):
        return value and value.replace(minute=0)


table = new_table(
    "dockets",
    sa.Column("state", sa.Text, nullable=False, default="open"),
    sa.Column("ready_at", Hour),
    searchable(),
    *numbered(),
    of="resource",
)


class Docket(Resource):
    """A docket."""

    number: str
    state: str


class DocketQuery(Query[Docket], kw_only=True):
    """Filters of dockets."""

    search: Search | None = None


records = Records(table, Docket, prefix="doc", number="2026/", search=("state", "number"))


@pytest.fixture
def ctx(ctx_with):
    return ctx_with(table)


def test_a_column_has_the_default_that_python_gives_it(ctx):
    first, second = (records.insert(ctx, metadata={}) for _ in range(2))
    assert (first.state, first.number, second.number) == ("open", "2026/0001", "2026/0002")
    assert records.insert(ctx, state="shut", metadata={}).state == "shut"
    assert records.page(ctx, DocketQuery()).total == 3


@pytest.mark.parametrize("text", ["2026/0001", "20260001", "OPEN"])
def test_a_record_is_found_by_its_number_from_the_start(ctx, text):
    made = records.insert(ctx, state="open", metadata={})
    records.insert(ctx, state="shut", metadata={})
    assert [row.id for row in records.rows(ctx, DocketQuery(search=text)).items] == [made.id]
    changed = records.save(ctx, made, metadata={"a": "b"})
    assert [row.id for row in records.rows(ctx, DocketQuery(search=text)).items] == [changed.id]


def test_a_time_is_read_by_its_columns_own_type(ctx):
    for minute in (5, 40):
        records.insert(ctx, ready_at=datetime.fromisoformat(f"2026-11-23T09:{minute:02}:00+00:00"), metadata={})
    shown = [row.ready_at for row in records.rows(ctx, DocketQuery()).items]
    assert [(at.hour, at.minute) for at in shown] == [(9, 0)] * 2
