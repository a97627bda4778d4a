"""The command `billycan users`: people who sign in to the dashboard."""
# ruff: noqa: PLC0415 - a command imports what it needs, so that the others start quickly

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from billycan import App

_BY_OPERATOR = "whoever runs commands runs the whole deployment"


@click.group("users")
def users() -> None:
    """Invite, list and remove the people who sign in to the dashboard.

    \b
    billycan users invite --tenant ten_01abc --email ann@example.com --role owner
    """


@users.command("invite")
@click.option("--tenant", metavar="TEN", help="The business's id; its sandbox is included.")
@click.option("--email", required=True, help="The person's email address.")
@click.option(
    "--role",
    type=click.Choice(["owner", "office", "bookkeeper", "field", "developer", "viewer"]),
    default="owner",
    show_default=True,
)
@click.option("--operator", is_flag=True, help="The person also runs this deployment.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def invite(opened: Any, tenant: str | None, email: str, role: Any, operator: bool, as_json: bool) -> None:
    """Invite somebody to a business; prints the link, which works once within 72 hours.

    The link is not emailed: send it yourself. Invitations that an owner makes in the dashboard are emailed.

    \b
    billycan users invite --tenant ten_01abc --email ann@example.com --role owner --json
    """
    from billycan.fields import Email

    from . import people
    from .field_values import read_field
    from .page_routes import page_address

    if tenant is None and not operator:
        raise click.UsageError(
            "--tenant: name the business, or use --operator for somebody who only runs the deployment"
        )
    with _open_app(opened) as app:
        email = read_field(Email, "email", email)
        with app.db.writing(across=_BY_OPERATOR) as db:
            user_id, token = people.invite_person(db, tenant, email, role, app.now(), is_operator=operator)
        _print_found({"user": user_id, "link": page_address(app, f"/dashboard/join/{token}")}, as_json)


@users.command("list")
@click.option("--tenant", metavar="TEN", help="Only those of this business.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def list_users(opened: Any, tenant: str | None, as_json: bool) -> None:
    """List the people, with their roles.

    \b
    billycan users list --tenant ten_01abc
    """
    from . import people

    with _open_app(opened) as app, app.db.reading(across=_BY_OPERATOR) as db:
        rows = people.list_people(db, app.now(), people.live_of(db, tenant) if tenant else None)
    if as_json:
        _print_found(rows, as_json)
        return
    for row in rows:
        state = "" if row["has_joined"] else "  invited"
        click.echo(f"{row['id']}  {row['email']}  {row['role'] or '-'}  {row['tenant_id'] or '-'}{state}")
    if not rows:
        click.echo("nobody yet")


@users.command("remove")
@click.argument("user_id")
@click.option("--tenant", metavar="TEN", help="Only from this business; otherwise from all of them, permanently.")
@click.option("--keep", is_flag=True, help="Leave the keys, connected apps and webhook endpoints that they set up.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def remove(opened: Any, user_id: str, tenant: str | None, keep: bool, as_json: bool) -> None:
    """Remove somebody: their sessions, API keys, connected apps and webhook endpoints end at once.

    \b
    billycan users remove usr_01abc --tenant ten_01abc
    """
    import sqlalchemy as sa

    from billycan import Context

    from . import key_makers, people
    from .tables import sessions
    from .tables import users as table

    ended: list[key_makers.SetUp] = []
    with _open_app(opened) as app:
        with app.db.writing(across=_BY_OPERATOR) as db:
            _check_known(db, user_id)
            from_all = [business.id for business in people.list_businesses(db, user_id)]
            leaves = [people.live_of(db, tenant)] if tenant else from_all
            db.execute(sa.delete(sessions).where(sessions.c.user_id == user_id))
            for live in leaves:
                if not keep:
                    ended += key_makers.revoke_beyond(db, app, live, user_id, None, user_id)
                people.remove_from_business(db, live, user_id)
            if not tenant:
                db.execute(sa.delete(table).where(table.c.id == user_id))
        for live in leaves if not keep else ():
            ended += key_makers.end_beyond(app, live, user_id, None, (), lambda tenant_id: Context(app, tenant_id))
        with suppress(OSError, RuntimeError):  # another user's workers notice within a second
            app.epoch.bump()
    counts = {f"{kind.replace(' ', '_')}s": sum(each.kind == kind for each in ended) for kind in key_makers.KINDS}
    _print_found({"user": user_id, "removed": True, **{f"ended_{kind}": n for kind, n in counts.items()}}, as_json)


@users.command("reset")
@click.argument("user_id")
@click.option("--second-factor", is_flag=True, help="Turn the authenticator app off, and remove all passkeys, at once.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def reset(opened: Any, user_id: str, second_factor: bool, as_json: bool) -> None:
    """Print a link with which somebody chooses a new password; it works once within an hour.

    Every session of theirs ends at once, and earlier such links stop working. Their passkeys go when the link is used.
    The authenticator app stays unless you give --second-factor, of which a letter tells them; what is there now is
    listed.

    \b
    billycan users reset usr_01abc
    """
    import sqlalchemy as sa

    from . import passkeys, people, sessions, ways_in
    from .page_routes import page_address
    from .tables import sessions as table
    from .tables import users as people_table

    with _open_app(opened) as app:
        with app.db.writing(across=_BY_OPERATOR) as db:
            _check_known(db, user_id)
            sessions.end_sessions(db, table.c.user_id == user_id)
            if second_factor:
                ways_in.remove_second_factor(db, app, ways_in.prove_by_operator(db, user_id))
            token = people.new_reset_link(db, user_id, app.now())
            totp = db.execute(sa.select(people_table.c.totp).where(people_table.c.id == user_id)).scalar()
            left = {"authenticator_app": totp is not None, "passkeys": len(passkeys.list_passkeys(db, user_id))}
        _print_found({"user": user_id, "link": page_address(app, f"/dashboard/join/{token}"), **left}, as_json)


def _check_known(db: Any, user_id: str) -> None:
    import sqlalchemy as sa

    from .tables import users as table

    if db.execute(sa.select(table.c.id).where(table.c.id == user_id)).first() is None:
        raise click.ClickException(f"there is no user {user_id}: see `billycan users list`")


@contextmanager
def _open_app(opened: Any) -> Iterator["App"]:
    with opened() as app:
        if "users" not in app.manifests:
            raise click.ClickException("the plugin users is not enabled: add it to plugins")
        yield app


def _print_found(found: Any, as_json: bool) -> None:
    from billycan.web import encode

    if as_json:
        click.echo(encode(found).decode())
    else:
        click.echo("\n".join(f"{name}: {value}" for name, value in found.items()))
