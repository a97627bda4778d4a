"""Commands for API keys."""
# ruff: noqa: PLC0415 - a command imports what it needs, so that the others start quickly

from typing import Any

import click

from ...starting.command import command_line
from ..opening import bump_epoch, open_checked_app
from ..printing import as_json, print_json, print_table

_BY_OPERATOR = "whoever runs commands runs the whole deployment"


@click.group()
def keys() -> None:
    """Create, list and revoke API keys.

    \b
    billycan keys list
    billycan keys create --tenant ten_01abc --scope read
    billycan keys revoke key_01abc
    """


@keys.command("create")
@click.option("--tenant", required=True, metavar="TEN", help="The tenant's id; a sandbox gets a test key.")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    required=True,
    help="read, write, or a narrower one such as invoices:read; may be repeated.",
)
@click.option("--name", help="What the key is for.")
@click.option("--expires-at", help="When it expires, such as 2027-01-31T00:00:00+11:00.")
@click.option("--per-minute", type=click.IntRange(1, 100_000), help="Requests in any 60 s, instead of the default.")
@click.option("--per-second", type=click.IntRange(1, 100_000), help="Requests in any second, instead of the default.")
@as_json
def create_key(
    tenant: str,
    scopes: tuple[str, ...],
    name: str | None,
    expires_at: str | None,
    per_minute: int | None,
    per_second: int | None,
    as_json: bool,
) -> None:
    """Create a key; it is shown only once.

    \b
    billycan keys create --tenant ten_01abc --scope read --scope write
    billycan keys create --tenant ten_01abc --scope invoices:read --name "Bookkeeper" --json
    """
    import sqlalchemy as sa

    from ...fields import Moment, Name
    from ...keys import Keys
    from ...problems import Conflict
    from ...tenants import MOST_TIMES
    from ...tenants import tenants as table

    expires = _read_option("--expires-at", Moment, expires_at)
    name = _read_option("--name", Name, name)
    with open_checked_app() as app:
        if expires is not None and expires <= app.now():
            raise click.UsageError("--expires-at: must be in the future")
        for option, given, limit in (
            ("--per-minute", per_minute, app.settings.per_minute),
            ("--per-second", per_second, app.settings.per_second),
        ):
            if given and given > MOST_TIMES * limit:
                raise click.UsageError(
                    f"{option}: at most {MOST_TIMES * limit:,}, {MOST_TIMES} times the deployment's {limit:,}"
                )
        known = {"read", "write", *(e.route.scope for e in app.endpoints if e.route.scope)}
        if unknown := sorted(set(scopes) - known):
            raise click.UsageError(f"--scope: unknown scope {unknown[0]}. Known scopes: {', '.join(sorted(known))}")
        with app.db.writing() as db:
            if db.execute(sa.select(table.c.id).where(table.c.id == tenant)).first() is None:
                raise click.ClickException(f"there is no tenant {tenant}: see `{command_line('tenants list')}`")
            try:
                id, key = Keys.create(
                    db,
                    tenant,
                    list(dict.fromkeys(scopes)),
                    app.now(),
                    name=name,
                    expires_at=expires,
                    per_minute=per_minute,
                    per_second=per_second,
                )
            except Conflict as error:
                raise click.ClickException(error.message) from None
    if as_json:
        print_json({"id": id, "key": key})
    else:
        print_table([(id, key)], "")
        click.echo("The key cannot be shown again.")


def _read_option(option: str, kind: Any, text: str | None) -> Any:
    from ...problems import RuleBroken
    from ...reader import take

    try:
        return None if text is None else take(kind)(text)
    except RuleBroken as error:
        raise click.UsageError(f"{option}: {error}") from None


@keys.command("list")
@click.option("--tenant", metavar="TEN", help="Only the keys of this tenant or sandbox.")
@as_json
def list_keys(tenant: str | None, as_json: bool) -> None:
    """List keys, without their secrets.

    \b
    billycan keys list --tenant ten_01abc
    """
    import sqlalchemy as sa

    from ...keys import keys as table

    shown = [table.c[n] for n in ("id", "tenant_id", "name", "hint", "scopes", "per_minute", "per_second")]
    shown += [table.c[n] for n in ("created_at", "last_used_at", "expires_at", "revoked_at")]
    wanted = sa.select(*shown).order_by(table.c.created_at, table.c.id)
    if tenant:
        wanted = wanted.where(table.c.tenant_id == tenant)
    with open_checked_app() as app, app.db.reading(across=_BY_OPERATOR) as db:
        rows, now = db.execute(wanted).all(), app.now()
    if as_json:
        print_json([dict(row._mapping) for row in rows])
        return

    def state(row: Any) -> str:
        if row.revoked_at:
            return "revoked"
        return "expired" if row.expires_at and row.expires_at <= now else "active"

    lines = [(r.id, r.tenant_id, r.hint, " ".join(r.scopes), state(r), r.last_used_at, r.name) for r in rows]
    print_table(lines, "no keys yet")


@keys.command("revoke")
@click.argument("key_id")
@as_json
def revoke_key(key_id: str, as_json: bool) -> None:
    """Revoke a key: it is refused from the next request on.

    \b
    billycan keys revoke key_01abc
    """
    from ...keys import Keys

    with open_checked_app() as app:
        with app.db.writing(across=_BY_OPERATOR) as db:
            if not Keys.revoke(db, key_id, app.now()):
                raise click.ClickException(f"there is no key {key_id}: see `{command_line('keys list')}`")
        at_once = bump_epoch(app)
    if as_json:
        print_json({"id": key_id, "revoked": True, "at_once": at_once})
    elif at_once:
        click.echo(f"{key_id} is revoked: refused from the next request on")
    else:
        click.echo(f"{key_id} is revoked: refused within a second, because this user cannot notify the workers at once")
