"""The checks of a running deployment, for `billycan doctor` and the operator's console: one declaration for both."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from ..db import reason
from ..moving.closing import closed_folder
from ..starting import distribution, filling, policies, versions
from ..starting.command import command_line
from ..starting.explain import explain_error
from ..timed import Leases
from ..working import replays, retention, worker
from .disks import measure_disks
from .metrics import measure_replicas

if TYPE_CHECKING:
    from ..app import App

FAR_BEHIND_BYTES = 16 * 1024 * 1024  # a file of PostgreSQL's log
_ACROSS = "doctor looks at the whole deployment"
_SET_CLOCK = "set the clock right, and keep it so by NTP (`timedatectl set-ntp true`)"
_OF_ANOTHER_FORM = (
    "never change a migration that has run: write a new one; while you are developing {name}, switch it off and"
    " run `{drop}`, or use a new database"
)


class Finding(Struct):
    """The result of one check; `figures` are the numbers in its message."""

    check: str
    ok: bool
    message: str
    cure: str | None = None
    figures: dict[str, Any] | None = None


def examine_app(app: "App", *, deep: bool) -> Iterator[Finding]:
    """Run every check of a deployment that runs, except those that need another one that failed.

    Without `deep` each check costs the same however much is stored: then the console can run them at each visit.
    """
    yield from check_disks(app)
    yield from _check_database(app, deep=deep)


def check_disks(app: "App") -> Iterator[Finding]:
    """Check that there is room where core writes files on this host."""
    for disk in measure_disks(app):
        said = f"{_in_units(disk.free)} of {_in_units(disk.total)} are free for {disk.folder}"
        figures = {"use": disk.use, "free_bytes": disk.free, "total_bytes": disk.total}
        cure = "make room on it, or move the folder to a larger one"
        yield Finding("disk", not disk.is_short, said, cure if disk.is_short else None, figures)


def _check_database(app: "App", *, deep: bool) -> Iterator[Finding]:
    where = app.db.url.render_as_string(hide_password=True)
    try:
        with app.db.reading() as db:
            db.execute(sa.select(1))
    except sa.exc.SQLAlchemyError as error:
        cure = "start the database, or correct BILLYCAN_DATABASE"
        yield Finding("database", False, f"{where}: {explain_error(error) or error}", cure)
        return
    yield Finding("database", True, where)
    try:
        versions.check_schema(app.db, app.manifests)
    except versions.SchemaBehind as error:
        yield Finding("schema", False, str(error), f"run `{command_line('migrate')}`")
        return
    if deep and (different := _find_difference(app)):
        yield different
        return
    yield Finding("schema", True, "current")
    for progress in filling.look(app.db, app.manifests):
        yield Finding("fills", True, str(progress), figures=progress._asdict())
    try:
        with app.db.writing() as db:
            db.execute(sa.update(worker.tasks).where(sa.false()).values(name=""))
    except sa.exc.SQLAlchemyError as error:
        cure = "check for a full disk, missing write permission, or a process that holds a lock"
        yield Finding("database", False, f"cannot be written: {reason(error)}", cure)
        return
    yield _check_read_only(app)
    yield _check_tenants(app)
    yield from check_replicas(app)
    if not app.db.is_sqlite:
        yield _check_host(app)
        yield from _check_nodes(app)
    yield _check_clock(app)
    yield _check_worker(app)
    yield _check_tasks(app)
    yield from _check_gauges(app)
    if not deep:
        return
    yield _check_search(app)
    yield _check_storage(app)
    for name, manifest in app.manifests.items():
        if manifest.doctor:
            try:
                yield Finding(name, True, manifest.doctor(app))
            except OSError as error:
                yield Finding(name, False, str(error), f"check the settings of {name}")


def _find_difference(app: "App") -> Finding | None:
    """Return what differs between a plugin's tables and its code; None if nothing does."""
    from ..starting import migrate  # noqa: PLC0415 - which loads Alembic

    for name, manifest in app.manifests.items():
        found = migrate.find_differences(app.db, name, manifest.tables)
        # A table that looks like this plugin's may belong to one that is off.
        if said := migrate.describe_differences([d for d in found if d[0] != "remove_table"]):
            cure = _OF_ANOTHER_FORM.format(name=name, drop=command_line(f"plugins drop {name}"))
            return Finding("schema", False, f"{name}: {'; '.join(said)}", cure)
    return None


def _check_read_only(app: "App") -> Finding:
    """Report whether anything can be changed; that nothing can is right as long as the operator wants it."""
    standing = app.read_only
    if standing is None:
        return Finding("read_only", True, "off")
    since = f" since {standing.since}" if standing.since else " by the setting read_only"
    until = f", until about {standing.ends_at}" if standing.ends_at else ""
    said = f"nothing can be changed{since}{until}: {standing.reason}"
    return Finding("read_only", True, said, figures={"since": standing.since, "ends_at": standing.ends_at})


def _check_gauges(app: "App") -> Iterator[Finding]:
    """Check the gauges of plugins that say what is well; work that waits while nothing can be changed is well."""
    if app.read_only:
        return
    with app.db.reading(across=_ACROSS) as db:
        now = app.shared_now(db)
        found = [(m.name, g, g.read(db, now)) for m in app.manifests.values() for g in m.gauges if g.most is not None]
    for name, gauge, values in found:
        if not values:
            continue
        value, most = max(values.values()), gauge.most or 0.0
        unit = " s" if gauge.name.endswith("_seconds") else ""
        said = f"{gauge.help[:1].lower()}{gauge.help[1:].rstrip('.')}: {value:,.0f}{unit}"
        ok, figures = value <= most, {gauge.name: round(value, 3), "most": most}
        yield Finding(
            name,
            ok,
            said if ok else f"{said}; it should be at most {most:,.0f}{unit}",
            None if ok else gauge.cure,
            figures,
        )


def _check_storage(app: "App") -> Finding:
    """Report how much is stored besides the records themselves, and for how long."""
    with app.db.reading(across="doctor looks at the whole deployment") as db:
        log, answers = retention.kept(db), replays.kept(db)
    days, mib = app.settings.events_days, app.settings.events_mib
    said = f"{_count_text(log.count, 'event')} ({_in_units(log.bytes)})"
    if log.largest:
        said += f", the oldest of {log.oldest}, the most ({_in_units(log.most_bytes)}) of {log.largest}"
    newest = _in_units(mib << 20)
    said += f"; kept for {days} days, the newest {newest} of each business, and while they are to be delivered"
    said += f". {_count_text(answers.count, 'answer')} for repeated requests ({_in_units(answers.bytes)})"
    said += ", kept for 24 hours"
    figures = {"events": msgspec.structs.asdict(log), "answers": msgspec.structs.asdict(answers)}
    return Finding("kept", True, said, figures={**figures, "events_days": days, "events_mib": mib})


def _count_text(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _in_units(count: int) -> str:
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            break
        count = round(count / 1024)
    return f"{count:,} {unit}"


def _check_tenants(app: "App") -> Finding:
    with app.db.reading() as db:
        if not policies.has_policies(db):
            return Finding("tenants", True, "isolated by each query")
        role = db.execute(sa.text("SELECT current_user")).scalar_one()
        holds = db.execute(sa.text("SELECT row_security_active('core_tenants')")).scalar_one()
        missing, in_cluster = policies.tables_without_policy(db), distribution.is_in_use(db)
        if in_cluster and holds and not missing:
            try:
                missing = [f"{name} on some node" for name in policies.tables_open_on_a_node(db)]
            except RuntimeError as error:
                return Finding("tenants", False, str(error), "start that node, and let this role connect to it")
    if not holds or missing:
        said = f"no policy protects {', '.join(missing)}" if missing else f"no policy applies to the role {role}"
        return Finding(
            "tenants", False, said, "run `billycan migrate`" if missing else "run `billycan database harden`"
        )
    where = " on each node" if in_cluster else ""
    return Finding("tenants", True, f"isolated by each query, and by row-level security for the role {role}{where}")


def _check_host(app: "App") -> Finding:
    """Report what core keeps on this host alone, for those who have several."""
    alone = [f"the books of deleted businesses in {closed_folder(app)}, unless hosts share that folder"]
    if len(app.plugins.hook.rate_limit.get_hookimpls()) == 1:
        alone.append("the counts of requests, which redis_limits would share")
    return Finding("host", True, f"has alone: {'; '.join(alone)}", figures={"alone": alone})


def _check_nodes(app: "App") -> Iterator[Finding]:
    """Check that every table is distributed if any is."""
    with app.db.reading() as db:
        if not distribution.is_in_use(db):
            return
        try:
            left = distribution.describe_undistributed(db, app.manifests)
        except RuntimeError as error:
            yield Finding("nodes", False, str(error), "run SELECT undistribute_table(…), then `billycan migrate`")
            return
    said = f"not distributed yet: {', '.join(left)}" if left else "each business's rows lie on one node of the cluster"
    yield Finding("nodes", not left, said, "run `billycan migrate`" if left else None)


def check_replicas(app: "App") -> Iterator[Finding]:
    """Check that each replica answers, follows the primary and is not far behind it."""
    for name, found in measure_replicas(app):
        if not isinstance(found, int):
            cure = "start it, or correct database_replica; meanwhile everything is read from the primary"
            yield Finding("replica", False, f"{name}: {found}", cure, {"behind_bytes": None})
            continue
        is_far = found > FAR_BEHIND_BYTES
        cure = "give it a faster disk and network, or less to do; meanwhile everything is read from the primary"
        figures = {"behind_bytes": found}
        yield Finding("replica", not is_far, f"{name}: {_in_units(found)} behind", cure if is_far else None, figures)


def _check_clock(app: "App") -> Finding:
    """Check that this machine's clock agrees with the database server's."""
    with app.db.reading() as db:
        ahead = (app.now() - app.shared_now(db)).total_seconds()
    if abs(ahead) <= Leases.AHEAD_SECONDS:
        return Finding("clock", True, "agrees with the database's", figures={"ahead_seconds": round(ahead, 3)})
    said = f"this machine's is {_seconds_apart(ahead)} the database server's"
    return Finding("clock", False, said, _SET_CLOCK, {"ahead_seconds": round(ahead, 3)})


def _check_worker(app: "App") -> Finding:
    with app.db.reading() as db:
        now, seen = app.shared_now(db), worker.last_seen(db)
        (ahead,) = worker.clock_ahead(db, now).values() or (0.0,)
    cure = f"start `{command_line('worker')}` beside the web server, or use `{command_line('serve')}`"
    if seen is None:
        return Finding("worker", False, "none has run yet", cure)
    ago = (now - seen).total_seconds()
    figures = {"seen_seconds": round(ago, 3), "clock_ahead_seconds": round(ahead, 3)}
    if ago < -Leases.AHEAD_SECONDS:
        said = f"last seen in the future, {-ago:,.0f} s from now: the clock that it noted was wrong, or no worker runs"
        return Finding("worker", False, said, f"{_SET_CLOCK}, then {cure}", figures)
    if ago > worker.SILENT_SECONDS:
        return Finding("worker", False, f"last seen {ago:,.0f} s ago", cure, figures)
    if abs(ahead) > Leases.AHEAD_SECONDS:
        return Finding(
            "worker", False, f"its clock is {_seconds_apart(ahead)} the database server's", _SET_CLOCK, figures
        )
    return Finding("worker", True, f"last seen {max(ago, 0):.0f} s ago", figures=figures)


def _seconds_apart(ahead: float) -> str:
    return f"{abs(ahead):,.0f} s {'ahead of' if ahead > 0 else 'behind'}"


def _check_tasks(app: "App") -> Finding:
    """Check that no timed work has waited for too long."""
    with app.db.reading(across="doctor looks at the whole deployment") as db:
        (waits,) = worker.longest_wait(db, app.shared_now(db)).values()
    figures = {"waiting_seconds": round(waits, 3)}
    if app.read_only:
        return Finding("tasks", True, "timed work waits, because nothing can be changed", figures=figures)
    if waits <= worker.WAITING_SECONDS:
        return Finding("tasks", True, "nobody's timed work waits", figures=figures)
    said = f"a business has waited {waits:,.0f} s for its timed work"
    cure = f"look into the log for tasks that fail or take long; run another `{command_line('worker')}` if all are busy"
    return Finding("tasks", False, said, cure, figures)


def _check_search(app: "App") -> Finding:
    from ..starting import migrate  # noqa: PLC0415 - which loads Alembic

    with app.db.reading() as db:
        missing = migrate.unindexed_tables(db, app.manifests)
        cures = policies.index_statements(db) if policies.searches_unindexed(db) else []
    if cures:
        cure = f"as a superuser run in the database: {'; '.join(cures)}"
        return Finding("search", False, "reads every row, because of row-level security", cure)
    if not missing:
        return Finding("search", True, "indexed")
    if app.db.is_sqlite:
        cure = f"run `{command_line('migrate')}`, with SQLite 3.34 or newer"
        return Finding("search", False, f"reads every row of {', '.join(missing)}", cure)
    cure = (
        "as a superuser run CREATE EXTENSION btree_gin; CREATE EXTENSION pg_trgm; (package postgresql-contrib),"
        f" then `{command_line('migrate')}`"
    )
    return Finding("search", False, f"reads every row of {', '.join(missing)}", cure)
