"""A plugin with a column of every kind, for tests of core alone."""

from contextlib import ExitStack
from datetime import date
from decimal import Decimal
from typing import Annotated

import pytest
import sqlalchemy as sa
from msgspec import Meta

from billycan import (
    Cents,
    Context,
    Manifest,
    NewResource,
    Page,
    PageQuery,
    Records,
    Resource,
    Route,
    TenThousandths,
    UTCDateTime,
    folded,
    resource_table,
    searchable,
)
from billycan.fields import Amount, Day, DayOrInstant, Instant, Moment, Name, Search, UnitPrice
from billycan.testing import Client

table = resource_table(
    "widgets",
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("price", Cents()),
    sa.Column("rate", TenThousandths()),
    sa.Column("size", sa.Integer),
    sa.Column("due_date", sa.Date),
    sa.Column("seen_at", UTCDateTime),
    folded("name"),
    searchable(),
)


class NewWidget(NewResource, kw_only=True):
    """A widget to make."""

    name: Name
    price: Amount | None = None
    rate: UnitPrice | None = None
    size: Annotated[int, Meta(ge=-100, le=100)] | None = None
    due_date: Day | None = None
    seen_at: Instant | None = None


class Widget(Resource):
    """A widget."""

    name: str
    price: Decimal | None
    rate: Decimal | None
    size: int | None
    due_date: date | None
    seen_at: Moment | None


class WidgetQuery(PageQuery, kw_only=True):
    """Filters of widgets."""

    sortable = ("created_at", "updated_at", "name", "price", "rate", "size", "due_date", "seen_at")

    search: Search | None = None
    name: list[Name] | None = None
    size: list[int] | None = None
    price_from: Amount | None = None
    price_to: Amount | None = None
    due_date_from: Day | None = None
    due_date_to: Day | None = None
    seen_at_from: DayOrInstant | None = None
    seen_at_to: DayOrInstant | None = None


records = Records(table, Widget, prefix="wid", search=("name",))


def list_widgets(ctx: Context, query: WidgetQuery) -> Page[Widget]:
    """Widgets."""
    return records.page(ctx, query)


def create_widget(ctx: Context, body: NewWidget) -> Widget:
    """Make a widget."""
    return records.add(ctx, body)


def list_others(ctx: Context, id: str, query: WidgetQuery) -> Page[Widget]:
    """All widgets but one."""
    return records.page(ctx, query, table.c.id != id)


def get_widget(ctx: Context, id: str) -> Widget:
    """One widget."""
    return records.get(ctx, id)


manifest = Manifest(
    name="widgets",
    routes=(
        Route("GET", "/v1/widgets", list_widgets, scope="widgets:read"),
        Route("POST", "/v1/widgets", create_widget, scope="widgets:write", status=201),
        Route("GET", "/v1/widgets/{id}", get_widget, scope="widgets:read"),
        Route("GET", "/v1/widgets/{id}/others", list_others, scope="widgets:read"),
    ),
)


class Widgets:
    """The plugin `widgets`, installed: an app with it, and its rows."""

    def __init__(self, make_app):
        self.make_app = make_app

    def app(self, **given):
        app = self.make_app("widgets", walled=False, **given)  # its table is in no migration
        with app.db.writing() as db:
            table.create(db, checkfirst=True)
        return app

    def add(self, client, *rows):
        """New rows of a client's tenant, as the database has them."""
        ctx = Context(client.app, client.tenant_id)
        with client.app.db.writing() as ctx.db:
            return [records.insert(ctx, metadata={}, **row) for row in rows]

    def remove(self, client, ids):
        ctx = Context(client.app, client.tenant_id)
        with client.app.db.writing() as ctx.db:
            for id in ids:
                records.remove(ctx, id)


@pytest.fixture
def ctx_with(make_app, install):
    """A context that writes, in an app with a plugin that has only this table: `ctx_with(table)`."""
    with ExitStack() as opened:

        def ctx(table):
            install(Manifest(name=table.name))
            app = make_app(table.name, walled=False)
            found = Context(app, Client(app).tenant_id)
            found.db = opened.enter_context(app.db.writing(found.tenant_id))
            table.create(found.db, checkfirst=True)
            return found

        yield ctx


@pytest.fixture
def widgets(make_app, install):
    install(manifest)
    return Widgets(make_app)
