"""A plugin with a column of every kind, for tests of core alone."""

from contextlib import ExitStack
from datetime import date
from decimal import Decimal
from typing import Annotated

import pytest
from msgspec import Meta

from billycan import Context, Manifest, Member, NewResource, Page, Query, Resource, Route, resource
from billycan.fields import Amount, Day, Moment, Name, Number
from billycan.testing import Client

Rate = Annotated[Decimal, Number(places=4, kind="money")]


class NewWidget(NewResource, kw_only=True):
    """A widget to make."""

    name: Annotated[Name, Member(filter="any", sort=True, search=True)]
    price: Annotated[Amount | None, Member(filter="range", sort=True)] = None
    rate: Annotated[Rate | None, Member(sort=True)] = None
    size: Annotated[Annotated[int, Meta(ge=-100, le=100)] | None, Member(filter="any", sort=True)] = None
    due_date: Annotated[Day | None, Member(filter="range", sort=True)] = None
    seen_at: Annotated[Moment | None, Member(filter="range", sort=True)] = None


class Widget(Resource):
    """A widget."""

    name: str
    price: Decimal | None
    rate: Decimal | None
    size: int | None
    due_date: date | None
    seen_at: Moment | None


widgets = resource("widgets", sends=NewWidget, shows=Widget, prefix="wid", remembers=True)
table, records = widgets.table, widgets.records


def list_widgets(ctx: Context, query: Query[Widget]) -> Page[Widget]:
    """Widgets."""
    return records.page(ctx, query)


def create_widget(ctx: Context, body: NewWidget) -> Widget:
    """Make a widget."""
    return records.add(ctx, body)


def list_others(ctx: Context, id: str, query: Query[Widget]) -> Page[Widget]:
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
        with ctx.transaction():
            return [records.insert(ctx, metadata={}, **row) for row in rows]

    def remove(self, client, ids):
        ctx = Context(client.app, client.tenant_id)
        with ctx.transaction():
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
