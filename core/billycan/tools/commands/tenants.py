"""Businesses and their sandboxes."""
# ruff: noqa: PLC0415 - a command imports what it needs, so that the others start quickly

from typing import TYPE_CHECKING

import click

from ...starting.command import to_type
from ..opening import checked
from ..printing import as_json, print_json, print_table

if TYPE_CHECKING:
    pass


@click.group()
def tenants() -> None:
    """Create and list businesses, each with its sandbox.

    \b
    billycan tenants create "Derwent Plumbing"
    billycan tenants list
    """


@tenants.command("create")
@click.argument("name")
@click.option("--legal-name", help="The name on documents, if different.")
@click.option("--abn", help="The Australian Business Number, with or without spaces.")
@click.option("--timezone", default="Australia/Sydney", show_default=True, help="An IANA time zone.")
@click.option("--gst-registered/--no-gst-registered", default=False, show_default=True)
@as_json
def create_tenant(
    name: str, legal_name: str | None, abn: str | None, timezone: str, gst_registered: bool, as_json: bool
) -> None:
    """Create a business, its sandbox, and a key with the scopes read and write for each.

    The keys are shown only once; `billycan keys create` creates more.

    \b
    billycan tenants create "Derwent Plumbing" --abn "47 555 222 000" --gst-registered --timezone Australia/Hobart
    billycan tenants create "Derwent Plumbing" --json
    """
    from ...businesses import create_business
    from ...reader import decode
    from ...tenants import Profile

    given = {"name": name, "timezone": timezone, "gst_registered": gst_registered, "legal_name": legal_name, "abn": abn}
    profile = decode({k: v for k, v in given.items() if v is not None}, Profile)
    with checked() as app, app.db.writing() as db:
        made = create_business(db, profile, app.now())
    if as_json:
        keys_ = {"live": made.live_key, "test": made.test_key}
        print_json({"tenant": made.tenant, "sandbox": made.sandbox, "keys": keys_})
    else:
        print_table([("tenant", made.tenant, made.live_key), ("sandbox", made.sandbox, made.test_key)], "")
        click.echo(f"The keys cannot be shown again: keep them, or create others with `{to_type('keys create')}`.")


@tenants.command("list")
@as_json
def list_tenants(as_json: bool) -> None:
    """List the businesses and their sandboxes, oldest first.

    \b
    billycan tenants list
    """
    import sqlalchemy as sa

    from ...tenants import tenants as table

    with checked() as app, app.db.reading() as db:
        rows = db.execute(sa.select(table).order_by(table.c.created_at, table.c.environment)).all()
    if as_json:
        shown = ("id", "environment", "paired_id", "created_at")
        print_json([{"name": row.profile["name"], **{k: getattr(row, k) for k in shown}} for row in rows])
    else:
        print_table([(row.id, row.environment, row.created_at, row.profile["name"]) for row in rows], "no tenants yet")
