"""The command `billycan`: core's own commands, and those of the enabled plugins."""
# ruff: noqa: PLC0415 - a command imports what it needs, so that the others start quickly

import logging
import os
import secrets
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from .. import settings
from ..command import to_type
from ..problems import Problem

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from ..app import App

    Opened = Callable[[], AbstractContextManager[App]]

_BY_OPERATOR = "whoever runs commands runs the whole deployment"
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")


class _Commands(click.Group):
    """Core's commands, and those of the plugins, which are loaded only when one of them is asked for."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, cmd_name) or _of_plugins().get(cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        try:
            return [*super().list_commands(ctx), *_of_plugins()]
        except click.ClickException as error:
            click.echo(f"The commands of plugins are not listed: {error.message}", err=True)
            return super().list_commands(ctx)

    def invoke(self, ctx: click.Context) -> Any:
        with _one_line():
            return super().invoke(ctx)


@contextmanager
def _one_line() -> Iterator[None]:
    """Turn whoever's mistake it was into one line; only what is a fault of ours keeps its traceback."""
    try:
        yield
    except Problem as problem:
        said = "; ".join(f"{d.param}: {d.message}" for d in problem.details) or problem.message
        raise click.UsageError(said) from None
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except Exception as error:
        from ..explain import explained

        if (said_ := explained(error)) is None:
            raise
        raise click.ClickException(said_) from None


def _of_plugins() -> dict[str, click.Command]:
    from .. import packages

    with _one_line():
        brought = packages.commands(packages.chosen(settings.load().settings.plugins))
        return {name: _loaded(name, entry) for name, entry in sorted(brought.items())}


def _loaded(name: str, entry: "EntryPoint") -> click.Command:
    """A plugin's command; ClickException where it cannot be imported, or takes the place of one of core's."""
    if name in commands.commands:
        raise click.ClickException(f"{entry.value}: billycan has a command {name} of its own: rename the plugin's")
    try:
        command: click.Command = entry.load()
    except Exception as error:  # noqa: BLE001 - whatever a plugin raises
        raise click.ClickException(f"{entry.value} cannot be imported: {error!r}: mend or disable its plugin") from None
    return command


@contextmanager
def opened(config: settings.Config | None = None) -> Iterator["App"]:
    """The App of this environment, for a command: it need not have a secret, nor the shared folder of the workers."""
    from ..app import App

    config = config or settings.load()
    if config.settings.secret is None:  # Nothing that a command shows was signed.
        config = _with(config, secret=secrets.token_hex(32))
    with tempfile.TemporaryDirectory(prefix="billycan-") as folder:
        try:
            app = App(config)
        except (RuntimeError, OSError):
            app = App(_with(config, shared_folder=folder))
        try:
            yield app
        finally:
            app.close()


def _with(config: settings.Config, **changed: Any) -> settings.Config:
    return settings.Config(msgspec.structs.replace(config.settings, **changed), config.plugins)


def _print(value: Any) -> None:
    from ..wire import encode

    click.echo(msgspec.json.format(encode(value), indent=2))


def _table(rows: list[tuple[Any, ...]], empty: str) -> None:
    if not rows:
        click.echo(empty)
        return
    texts = [["-" if cell is None else str(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in texts) for column in range(len(texts[0]))]
    for row in texts:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="billycan-core", message="%(version)s")
@click.pass_context
def commands(ctx: click.Context) -> None:
    """Run and manage an API for small businesses.

    \b
    billycan serve                        run everything on this machine
    billycan tenants create "A Business"  create a business, its sandbox and keys
    billycan doctor                       find out what is wrong, and how to fix it
    """
    ctx.obj = opened


# One machine ----------------------------------------------------------------------------------------------------------


@commands.command()
@click.option("--bind", envvar="BILLYCAN_BIND", default="127.0.0.1:8000", show_default=True, metavar="HOST:PORT")
@click.option("--workers", envvar="BILLYCAN_WORKERS", default=2, show_default=True, type=click.IntRange(1, 256))
@click.option("--threads", envvar="BILLYCAN_THREADS", default=8, show_default=True, type=click.IntRange(1, 256))
def serve(bind: str, workers: int, threads: int) -> None:
    """Run all of billycan on this machine: the web server, the worker, and a database in ./var.

    The first run creates a demo business and prints its keys. Ctrl-C stops everything.

    \b
    billycan serve
    billycan serve --bind 127.0.0.1:9000 --workers 4
    """
    from .serve import serve as run

    _log_to_stderr()
    sys.exit(run(bind, workers, threads))


@commands.command()
def worker() -> None:
    """Run the worker, which sends webhooks and does timed work, until SIGTERM.

    \b
    billycan worker
    """
    from ..app import build
    from ..worker import run

    _log_to_stderr()
    os.umask(0o077)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: stop.set())
    app = build()
    try:
        run(app, stop)
    finally:
        stop.set()
        app.close()


def _log_to_stderr() -> None:
    from ..hosting.gunicorn_conf import OneLine

    handler = logging.StreamHandler()
    handler.setFormatter(OneLine())
    logging.basicConfig(handlers=[handler], level=logging.WARNING)


@commands.command()
@as_json
def migrate(as_json: bool) -> None:
    """Create or upgrade the tables of core and of every enabled plugin.

    \b
    billycan migrate
    """
    from .. import migrate as migrations

    with _owned(opened) as app:
        tell = (lambda step: None) if as_json else click.echo
        changed = migrations.upgrade(app.db, app.manifests, tell)
    if as_json:
        _print({"changed": changed})
    elif not changed:
        click.echo("nothing to do")


@commands.command()
@as_json
def doctor(as_json: bool) -> None:
    """Check the deployment and say how to fix what is wrong; the exit code is then 1.

    \b
    billycan doctor
    billycan doctor --json
    """
    from .doctor import examine

    found = list(examine())
    ok = all(finding.ok for finding in found)
    if as_json:
        _print({"ok": ok, "checks": found})
    else:
        for finding in found:
            click.echo(f"{'ok  ' if finding.ok else 'FAIL'} {finding.check}: {finding.message}")
            if finding.cure:
                click.echo(f"     cure: {finding.cure}")
    sys.exit(0 if ok else 1)


@commands.group()
def database() -> None:
    """Manage the database."""


@database.command("harden")
@click.argument("role", default="billycan_web")
def harden_database(role: str) -> None:
    """Let PostgreSQL isolate tenants by row-level security, with ROLE for the server to run as.

    ROLE can read and write rows but owns nothing. If it does not exist yet, it is created with a password that is
    shown only once. Run this as the owner of the tables, with permission to create roles, or as a superuser.

    \b
    billycan database harden
    billycan database harden billycan_web
    """
    from .. import walls

    with _owned(_database) as app:
        if app.db.is_sqlite:
            raise click.ClickException(
                "SQLite has no roles: each query keeps tenants apart, and every statement is checked"
            )
        password = secrets.token_urlsafe(24)
        with app.db.writing() as db:
            was = walls.stand(db)
            made = walls.build(db, role, password)
            slow = walls.unindexed(db)
    url = app.db.url.set(username=role, password=password if made else None).render_as_string(hide_password=False)
    click.echo("tenants are kept apart by row-level security" + (" already" if was else ""))
    click.echo("Let the web server and the worker run as this role, and only `billycan migrate` as the owner:")
    click.echo(f"\n  BILLYCAN_DATABASE={url}\n")
    if made:
        click.echo("The password cannot be shown again.")
    if slow:
        click.echo("Searches read every row of a tenant until a superuser runs this command once.")


# Tenants and keys -----------------------------------------------------------------------------------------------------


@commands.group()
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
    from .. import demo
    from ..reader import decode
    from ..tenants import Profile

    given = {"name": name, "timezone": timezone, "gst_registered": gst_registered, "legal_name": legal_name, "abn": abn}
    profile = decode({k: v for k, v in given.items() if v is not None}, Profile)
    with _database() as app, app.db.writing() as db:
        made = demo.create(db, profile, app.now())
    if as_json:
        keys_ = {"live": made.live_key, "test": made.test_key}
        _print({"tenant": made.tenant, "sandbox": made.sandbox, "keys": keys_})
    else:
        _table([("tenant", made.tenant, made.live_key), ("sandbox", made.sandbox, made.test_key)], "")
        click.echo(f"The keys cannot be shown again: keep them, or create others with `{to_type('keys create')}`.")


@tenants.command("list")
@as_json
def list_tenants(as_json: bool) -> None:
    """List the businesses and their sandboxes, oldest first.

    \b
    billycan tenants list
    """
    import sqlalchemy as sa

    from ..tenants import tenants as table

    with _database() as app, app.db.reading() as db:
        rows = db.execute(sa.select(table).order_by(table.c.created_at, table.c.environment)).all()
    if as_json:
        shown = ("id", "environment", "paired_id", "created_at")
        _print([{"name": row.profile["name"], **{k: getattr(row, k) for k in shown}} for row in rows])
    else:
        _table([(row.id, row.environment, row.created_at, row.profile["name"]) for row in rows], "no tenants yet")


@commands.group()
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

    from .. import keys as store
    from ..fields import Instant, Name
    from ..tenants import tenants as table

    expires = _option("--expires-at", Instant, expires_at)
    name = _option("--name", Name, name)
    with _database() as app:
        if expires is not None and expires <= app.now():
            raise click.UsageError("--expires-at: must be in the future")
        known = {"read", "write", *(e.route.scope for e in app.endpoints if e.route.scope)}
        if unknown := sorted(set(scopes) - known):
            raise click.UsageError(f"--scope: unknown scope {unknown[0]}. Known scopes: {', '.join(sorted(known))}")
        with app.db.writing() as db:
            if db.execute(sa.select(table.c.id).where(table.c.id == tenant)).first() is None:
                raise click.ClickException(f"there is no tenant {tenant}: see `{to_type('tenants list')}`")
            id, key = store.create(
                db,
                tenant,
                list(dict.fromkeys(scopes)),
                app.now(),
                name=name,
                expires_at=expires,
                per_minute=per_minute,
                per_second=per_second,
            )
    if as_json:
        _print({"id": id, "key": key})
    else:
        _table([(id, key)], "")
        click.echo("The key cannot be shown again.")


def _option(option: str, kind: Any, text: str | None) -> Any:
    from ..problems import RuleBroken
    from ..reader import take

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

    from ..keys import keys as table

    shown = [table.c[n] for n in ("id", "tenant_id", "name", "hint", "scopes", "per_minute", "per_second")]
    shown += [table.c[n] for n in ("created_at", "last_used_at", "expires_at", "revoked_at")]
    wanted = sa.select(*shown).order_by(table.c.created_at, table.c.id)
    if tenant:
        wanted = wanted.where(table.c.tenant_id == tenant)
    with _database() as app, app.db.reading(across=_BY_OPERATOR) as db:
        rows, now = db.execute(wanted).all(), app.now()
    if as_json:
        _print([dict(row._mapping) for row in rows])
        return

    def state(row: Any) -> str:
        if row.revoked_at:
            return "revoked"
        return "expired" if row.expires_at and row.expires_at <= now else "active"

    lines = [(r.id, r.tenant_id, r.hint, " ".join(r.scopes), state(r), r.last_used_at, r.name) for r in rows]
    _table(lines, "no keys yet")


@keys.command("revoke")
@click.argument("key_id")
@as_json
def revoke_key(key_id: str, as_json: bool) -> None:
    """Revoke a key: it is refused from the next request on.

    \b
    billycan keys revoke key_01abc
    """
    from .. import keys as store

    with _database() as app:
        with app.db.writing(across=_BY_OPERATOR) as db:
            if not store.revoke(db, key_id, app.now()):
                raise click.ClickException(f"there is no key {key_id}: see `{to_type('keys list')}`")
        at_once = _tell_workers(app)
    if as_json:
        _print({"id": key_id, "revoked": True, "at_once": at_once})
    elif at_once:
        click.echo(f"{key_id} is revoked: refused from the next request on")
    else:
        click.echo(f"{key_id} is revoked: refused within a second, because this user cannot notify the workers at once")


def _tell_workers(app: "App") -> bool:
    """Make every worker of this host forget what it remembers; False where some are another user's."""
    if app.settings.shared_folder != settings.load().settings.shared_folder:
        return False  # The App was opened without it.
    try:
        app.epoch.bump()
    except (OSError, RuntimeError):
        return False
    deployment = app.shared.name.rpartition("-")[2]
    return not [f for f in app.shared.parent.glob(f"billycan-*-{deployment}") if f != app.shared]


@contextmanager
def _database(config: settings.Config | None = None) -> Iterator["App"]:
    """The App, its tables checked."""
    from .. import migrate as migrations

    with opened(config) as app:
        migrations.check(app.db, {})
        yield app


@contextmanager
def _owned(open_: Any) -> Iterator["App"]:
    """The App as the role that owns the tables, where the server's is another."""
    config = settings.load()
    owner = config.settings.database_owner
    with open_(_with(config, database=owner) if owner else None) as app:
        yield app


@commands.group("events")
def events() -> None:
    """Make events happen in a sandbox, to test what they trigger.

    \b
    billycan events trigger invoice.paid --tenant ten_01abc
    """


@events.command("trigger")
@click.argument("event")
@click.option("--tenant", required=True, metavar="TEN", help="The id of a sandbox: see `billycan tenants list`.")
@click.pass_obj
def trigger_event(opened: "Opened", event: str, tenant: str) -> None:
    """Make an event happen in a sandbox: create a record and take it through every step that leads to the event.

    The events are printed, logged and delivered like any others.

    \b
    billycan events trigger invoice.paid --tenant ten_01abc
    """
    from .trigger import CannotTrigger, trigger

    with opened() as app:
        try:
            happened = trigger(app, tenant, event)
        except (CannotTrigger, Problem) as error:
            raise click.ClickException(str(error)) from None
    for name, id in happened:
        click.echo(f"{name} {id}")


# What is there --------------------------------------------------------------------------------------------------------


@commands.group(invoke_without_command=True)
@click.pass_context
def plugins(ctx: click.Context) -> None:
    """List installed plugins, or drop the tables of one.

    \b
    billycan plugins list
    billycan plugins drop invoices
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_plugins, as_json=False)


@plugins.command("list")
@as_json
def list_plugins(as_json: bool) -> None:
    """List the installed plugins, whether each is enabled, and the versions of its package and tables.

    \b
    billycan plugins list
    BILLYCAN_PLUGINS=-invoices billycan plugins list
    """
    import sqlalchemy as sa

    from .. import migrate as migrations
    from .. import packages

    entries = packages.installed()
    with opened() as app:
        try:
            with app.db.reading() as db:
                tables = {name: migrations.current(db, name) for name in entries}
        except sa.exc.SQLAlchemyError:
            tables = {}
            click.echo("the database cannot be reached, so the versions of tables are not shown", err=True)
        listed = [
            {
                "name": name,
                "state": "enabled" if name in app.manifests else "disabled",
                "package": entry.dist.name if entry.dist else None,
                "version": entry.dist.version if entry.dist else None,
                "tables": tables.get(name),
            }
            for name, entry in sorted(entries.items())
        ]
    if as_json:
        _print(listed)
    else:
        _table([tuple(plugin.values()) for plugin in listed], "no plugins are installed")


@plugins.command("drop")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@as_json
def drop_plugin(name: str, yes: bool, as_json: bool) -> None:
    """Delete the tables of a disabled plugin, with everything in them.

    \b
    billycan plugins drop invoices
    billycan plugins drop invoices --yes
    """
    from .. import migrate as migrations
    from .. import plugins as known

    manifest = known.manifest(name)
    with _owned(opened) as app:
        if name in app.manifests:
            raise click.ClickException(f"{name} is enabled: disable it first, such as with BILLYCAN_PLUGINS=-{name}")
        with app.db.reading() as db:
            if migrations.current(db, name) is None:
                raise click.ClickException(f"{name} has no tables here")
            if others := migrations.dependents(db, manifest):
                raise click.ClickException(f"other tables refer to those of {name}: drop {', '.join(others)} first")
        if not yes:
            tables = ", ".join(table.name for table in manifest.tables)
            click.confirm(f"Delete {tables} in {app.db.url.render_as_string()} for good?", abort=True, err=True)
        migrations.drop(app.db, name, manifest)
    if as_json:
        _print({"name": name, "dropped": [table.name for table in manifest.tables]})
    else:
        click.echo(f"{name}: tables dropped")


@commands.command("new-plugin")
@click.argument("name")
@click.option("--one", metavar="WORD", help="The singular, if it is not NAME without its s.")
@click.option("--prefix", metavar="ABC", help="The three letters that ids start with.")
@click.option("--about", metavar="TEXT", help="What the plugin is for, in one line.")
@click.option("--hooks-only", is_flag=True, help="Without a resource: hooks, a setting and tests.")
@click.option("--into", metavar="FOLDER", help="Where to write it; default ./billycan-NAME.")
def new_plugin(
    name: str, one: str | None, prefix: str | None, about: str | None, hooks_only: bool, into: str | None
) -> None:
    """Generate a working plugin: table, migration, endpoints, events and tests. NAME is a plural.

    \b
    billycan new-plugin vehicles
    billycan new-plugin people --one person --about "Who works where" --into ../billycan-people
    billycan new-plugin keep_all --hooks-only --about "Nothing is ever deleted"
    """
    from . import scaffold

    try:
        if hooks_only and (one or prefix):
            raise scaffold.Unfit("--one and --prefix are for a resource: leave them out with --hooks-only")
        words = scaffold.hooks_words(name, about) if hooks_only else scaffold.words(name, one, prefix, about)
        folder = Path(into or f"billycan-{name}")
        written = scaffold.write(words, folder)
    except scaffold.Unfit as error:
        raise click.UsageError(str(error)) from None
    install, test, serve, *call = scaffold.next_steps(words, folder)
    ids = f"; ids start with {words.prefix}_" if words.prefix else ""
    click.echo(f"{folder}: {len(written)} files{ids}.")
    click.echo(f"\nInstall it, test it, and run it:\n\n  {install}\n  {test}\n  {serve}")
    if call:
        click.echo(f"\nThen, in another terminal, with KEY=svc_test_… as printed by the first run:\n\n  {call[0]}")


@commands.command()
@as_json
def routes(as_json: bool) -> None:
    """List every endpoint and the scope it needs.

    \b
    billycan routes
    """
    with opened() as app:
        listed = [
            {"method": e.route.method, "path": e.route.path, "scope": e.route.scope, "plugin": e.plugin}
            for e in sorted(app.endpoints, key=lambda e: (e.plugin, e.route.path, e.route.method))
        ]
    if as_json:
        _print(listed)
    else:
        _table([tuple(route.values()) for route in listed], "no routes")


@commands.command()
def openapi() -> None:
    """Print this deployment's OpenAPI 3.1 document.

    \b
    billycan openapi > openapi.json
    """
    with opened() as app:
        _print(app.openapi())


def main() -> None:
    """The console script."""
    commands(prog_name="billycan")


if __name__ == "__main__":
    main()
