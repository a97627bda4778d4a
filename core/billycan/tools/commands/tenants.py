"""Commands for businesses and their sandboxes."""
# ruff: noqa: PLC0415 - a command imports what it needs, so that the others start quickly

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from ...starting.command import command_line
from ..opening import bump_epoch, open_app_with_secret, open_checked_app, operator
from ..printing import as_json, print_json, print_table

if TYPE_CHECKING:
    from ...app import App

V = TypeVar("V")


@click.group()
def tenants() -> None:
    """Create and list businesses, each with its sandbox, limit their requests, and move, suspend or close them.

    \b
    billycan tenants create "Derwent Plumbing"
    billycan tenants list
    billycan tenants limits ten_01abc --per-minute 3000
    billycan tenants export ten_01abc derwent.zip
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
    from ...keys import create_business
    from ...reader import decode
    from ...tenants import Profile

    given = {"name": name, "timezone": timezone, "gst_registered": gst_registered, "legal_name": legal_name, "abn": abn}
    profile = decode({k: v for k, v in given.items() if v is not None}, Profile)
    with open_checked_app() as app, app.db.writing() as db:
        made = create_business(db, profile, app.now())
    if as_json:
        keys_ = {"live": made.live_key, "test": made.test_key}
        print_json({"tenant": made.tenant, "sandbox": made.sandbox, "keys": keys_})
    else:
        print_table([("tenant", made.tenant, made.live_key), ("sandbox", made.sandbox, made.test_key)], "")
        click.echo(f"The keys cannot be shown again: keep them, or create others with `{command_line('keys create')}`.")


@tenants.command("list")
@as_json
def list_tenants(as_json: bool) -> None:
    """List the businesses and their sandboxes, oldest first.

    \b
    billycan tenants list
    """
    import sqlalchemy as sa

    from ...tenants import tenants as table

    with open_checked_app() as app, app.db.reading() as db:
        rows = db.execute(sa.select(table).order_by(table.c.created_at, table.c.environment)).all()
    if as_json:
        shown = ("id", "environment", "paired_id", "created_at")
        print_json([{"name": row.profile["name"], **{k: getattr(row, k) for k in shown}} for row in rows])
    else:
        print_table([(row.id, row.environment, row.created_at, row.profile["name"]) for row in rows], "no tenants yet")


@tenants.command("limits")
@click.argument("tenant_id", metavar="TEN")
@click.option("--per-minute", type=click.IntRange(1, 100_000), help="Requests in any 60 s.")
@click.option("--per-second", type=click.IntRange(1, 100_000), help="Requests in any second.")
@click.option("--default", "as_default", is_flag=True, help="Give it the deployment's limits again.")
@as_json
def limit_tenant(
    tenant_id: str, per_minute: int | None, per_second: int | None, as_default: bool, as_json: bool
) -> None:
    """Show or change how many requests a business may make with all of its keys, apps and pages together.

    A business and its sandbox are counted together. What is not given stays as it is.

    \b
    billycan tenants limits ten_01abc
    billycan tenants limits ten_01abc --per-minute 3000 --per-second 200
    billycan tenants limits ten_01abc --default
    """
    import sqlalchemy as sa

    from ...tenants import tenants as table

    if as_default and (per_minute or per_second):
        raise click.UsageError("--default: leave out --per-minute and --per-second")
    with open_checked_app() as app:
        with app.db.reading(across="an operator's command shows a business") as db:
            if db.execute(sa.select(table.c.id).where(table.c.id == tenant_id)).first() is None:
                raise _unknown_tenant(tenant_id)
        if as_default or per_minute or per_second:
            app.operations.limit(tenant_id, operator(), per_minute, per_second)
        at_once = bump_epoch(app)
        limit = app.ceilings.of(tenant_id)
    if as_json:
        print_json({"tenant": tenant_id, "per_minute": limit.per_minute, "per_second": limit.per_second})
    else:
        click.echo(f"{tenant_id} may make {limit.per_minute:,} requests a minute and {limit.per_second:,} a second")
        if not at_once and (as_default or per_minute or per_second):
            click.echo("This applies within a second, because this user cannot notify the workers at once")


@tenants.command("export")
@click.argument("tenant_id", metavar="TEN")
@click.argument("file", type=click.Path(path_type=Path))
@as_json
def export_tenant(tenant_id: str, file: Path, as_json: bool) -> None:
    """Write a business and its sandbox into FILE, all of one moment, while requests are served.

    It holds the rows of every enabled plugin, the log of events, files and people, but nobody's password, and no
    secret of this deployment. Whoever has it can read all of the business.

    \b
    billycan tenants export ten_01abc derwent.zip
    """
    from ...moving.leaving import export_business

    with open_app_with_secret() as app:
        try:
            contents = export_business(app, tenant_id, file, _progress_teller(as_json))
        except (LookupError, FileExistsError) as error:
            raise click.ClickException(str(error.args[0])) from None
    if as_json:
        print_json(contents)
        return
    rows = sum(part.rows for part in contents.parts if part.table)
    click.echo(f"{file} has {contents.name} as of {contents.exported_at}: {rows:,} rows and {contents.files:,} files")
    for said in contents.left_out:
        click.echo(f"not in it: {said}")


@tenants.command("import")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@as_json
def import_tenant(file: Path, as_json: bool) -> None:
    """Bring a business from FILE into this deployment, on either database, with the same ids.

    The file is checked as a whole before anything is written. Nobody can use the business until all of it is here. If
    this is interrupted, run it again: it goes on where it was. Plugins and the version of the tables must be the same.

    \b
    billycan tenants import derwent.zip
    """
    from ...moving.arriving import Refused, import_business

    with open_app_with_secret() as app:
        try:
            arrival = import_business(app, file, _progress_teller(as_json))
        except Refused as error:
            raise click.ClickException(f"{file}: {error}") from None
        except FileNotFoundError:
            raise click.ClickException(f"there is no file {file}") from None
        bump_epoch(app)
    if as_json:
        print_json(arrival)
        return
    click.echo(f"{arrival.contents.name} is here as {arrival.contents.tenant}, as of {arrival.contents.exported_at}")
    for said in arrival.left_out:
        click.echo(f"not here: {said}")
    if arrival.resealed:
        click.echo(
            "The file is from a deployment with another secret: webhook endpoints have new secrets, and links in"
        )
        click.echo("emails that were sent there do not work here, unless secret_previous is that deployment's secret.")
    click.echo("People sign in once they have chosen a new password here, by the link for a forgotten one.")


def _progress_teller(as_json: bool) -> Callable[[str], object]:
    """Return a function that shows progress to people, on standard error."""
    return (lambda said: None) if as_json else lambda said: click.echo(said, err=True)


@tenants.command("suspend")
@click.argument("tenant_id", metavar="TEN")
def suspend_tenant(tenant_id: str) -> None:
    """Let a business and its sandbox be read only, until `resume`.

    Whoever writes gets a 403 `business_suspended`, and its timed work stops. What is queued already, such as deliveries
    of webhooks and emails, is still sent.

    \b
    billycan tenants suspend ten_01abc
    """
    _change_standing(tenant_id, lambda app: app.operations.suspend(tenant_id, operator()))
    click.echo(f"{tenant_id} can be read only: `{command_line('tenants resume')} {tenant_id}` undoes it")


@tenants.command("close")
@click.argument("tenant_id", metavar="TEN")
@click.option("--days", type=click.IntRange(0, 3650), help="Days until it is deleted.  [default: closed_days]")
def close_tenant(tenant_id: str, days: int | None) -> None:
    """Let a business and its sandbox be read only, and have the worker delete both in 30 days (`closed_days`).

    Its books are then kept apart for five years, as the law says, in a file that only the deployment's secret opens.
    Until it is deleted, `resume` undoes this, and `export` takes it along. An import that was interrupted is undone at
    once.

    \b
    billycan tenants close ten_01abc
    """
    import sqlalchemy as sa

    from ...moving import closing
    from ...moving.sealing import check_sealing
    from ...tenants import pair_of, standings

    check_sealing()
    with open_checked_app() as app:
        with app.db.reading(across="an operator's command changes a business") as db:
            ids = pair_of(db, tenant_id)
            state = db.execute(sa.select(standings.c.state).where(standings.c.tenant_id == tenant_id)).scalar()
        if ids and state == "arriving":
            closing.delete_rows(app, ids)
            click.echo(f"what was here of {tenant_id} is deleted")
            return
        folder = closing.closed_folder(app)
    ends_at = _change_standing(tenant_id, lambda app: app.operations.close(tenant_id, operator(), days))
    click.echo(
        f"{tenant_id} can be read only, and is deleted from {ends_at:%Y-%m-%d %H:%M} UTC on: the worker does that"
    )
    click.echo(
        f"Its books are then kept in {folder} for five years; `{command_line('tenants resume')} {tenant_id}` undoes it"
    )


@tenants.command("unseal")
@click.argument("sealed", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--secret-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The deployment's secret when the business was deleted, if it has another since.",
)
def unseal_tenant(sealed: Path, file: Path, secret_file: Path | None) -> None:
    """Write the kept books of a business that is gone into FILE, a zip as `export` writes it.

    \b
    billycan tenants unseal var/closed/ten_01abc.until-2031-12-01.sealed books.zip
    """
    import os

    from ...moving.sealing import NotSealed, read_sealed

    with open_app_with_secret() as app:
        secrets = [secret_file.read_text("utf-8").strip()] if secret_file else [*app.secrets]
    try:
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            for piece in read_sealed(sealed, secrets):
                out.write(piece)
    except FileExistsError:
        raise click.ClickException(f"{file} is there already: name another file") from None
    except NotSealed as error:
        file.unlink()
        raise click.ClickException(str(error)) from None
    click.echo(f"{file} has the books: keep it as safe as the business itself")


@tenants.command("resume")
@click.argument("tenant_id", metavar="TEN")
def resume_tenant(tenant_id: str) -> None:
    """Let a business that was suspended or closed work again.

    \b
    billycan tenants resume ten_01abc
    """
    _change_standing(tenant_id, lambda app: app.operations.resume(tenant_id, operator()))
    click.echo(f"{tenant_id} works again")


def _change_standing(tenant_id: str, change: "Callable[[App], V]") -> "V":
    """Change the standing of a business, unless it is being moved in or deleted."""
    from ...problems import Conflict, NotFound

    with open_checked_app() as app:
        try:
            changed = change(app)
        except NotFound:
            raise _unknown_tenant(tenant_id) from None
        except Conflict as error:
            raise click.ClickException(error.message) from None
        if not bump_epoch(app):
            click.echo("This applies within a second, because this user cannot notify the workers at once")
    return changed


def _unknown_tenant(tenant_id: str) -> click.ClickException:
    return click.ClickException(f"there is no tenant {tenant_id}: see `{command_line('tenants list')}`")
