"""Fill the rows that a release's migrations leave to the worker: a step at a time, one business after the other.

A migration that adds a column may define `fill(db, tenant_id)`, which fills at most some hundred rows of one business
and returns how many. Each call is a transaction, which counts what it filled, so whatever is killed goes on from there.
"""

import importlib.util
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from .. import db
from ..context import Context
from ..manifest import Manifest
from ..tenants import tenants
from . import versions
from .versions import Chain, Step

if TYPE_CHECKING:
    from ..app import App

fills = sa.Table(
    "core_fills",
    db.metadata,
    sa.Column("tenant_id", db.ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
    sa.Column("version", db.ByCodePoint, primary_key=True),
    sa.Column("filled", sa.BigInteger, nullable=False),
    sa.Column("is_done", sa.Boolean, nullable=False),
    info={"stays": True, "copied": True},
)
_ACROSS = "rows of all businesses are filled"


class Progress(NamedTuple):
    """The state of a migration's rows: the businesses, those of them that are done, and the rows filled so far."""

    version: str
    businesses: int
    done: int
    filled: int

    def __str__(self) -> str:
        return f"{self.version}: {self.done} of {self.businesses} businesses are filled, {self.filled} rows so far"


def to_fill(app: "App", now: Any) -> sa.Select[Any]:
    """Select the businesses with rows to fill, each with the version of the migration that fills them."""
    steps = [step for chain in versions.find_chains(app.manifests) for step in _list_awaited(chain)]
    each = [sa.select(sa.literal(step.version).label("version")) for step in steps]
    wanted = sa.union_all(*(each or [sa.select(sa.literal("").label("version")).where(sa.false())])).subquery()
    is_done = sa.exists().where(fills.c.tenant_id == tenants.c.id, fills.c.version == wanted.c.version, fills.c.is_done)
    found = sa.select(tenants.c.id.label("tenant_id"), wanted.c.version.label("id"))
    return found.join_from(tenants, wanted, sa.true()).where(~is_done)


def fill_rows(ctx: Context, version: str) -> bool:
    """Fill some rows of the business; whether there may be more."""
    chains = versions.find_chains(ctx.app.manifests)
    (step,) = (step for chain in chains for step in chain.steps if step.version == version)
    return _fill_some(ctx.db, ctx.tenant_id, step) > 0


def finish(database: db.Database, chain: Chain, before: str, note: Callable[[str], object]) -> None:
    """Fill what is left in every business, whichever process wrote it, before this migration takes something away."""
    for step in _list_awaited(chain, before):
        with database.reading(across=_ACROSS) as connection:
            ids = [*connection.execute(sa.select(tenants.c.id).order_by(tenants.c.id)).scalars()]
        filled = 0
        for tenant_id in ids:
            while True:
                with database.writing(tenant_id) as connection:
                    some = _fill_some(connection, tenant_id, step)
                if not some:
                    break
                filled += some
        if filled:
            note(f"{step.version}: filled {filled} rows")


def look(database: db.Database, manifests: Mapping[str, Manifest]) -> list[Progress]:
    """Return what `measure` yields; nothing before the tables of core are there."""
    with database.reading(across=_ACROSS) as connection:
        return [*measure(connection, manifests)] if sa.inspect(connection).has_table(fills.name) else []


def measure(connection: sa.Connection, manifests: Mapping[str, Manifest]) -> Iterator[Progress]:
    """Yield the progress of each migration with rows to fill that no later one has waited for."""
    steps = [step for chain in versions.find_chains(manifests) for step in _list_awaited(chain)]
    if not steps:
        return
    businesses = connection.execute(sa.select(sa.func.count()).select_from(tenants)).scalar_one()
    done = sa.func.coalesce(sa.func.sum(sa.case((fills.c.is_done, 1), else_=0)), 0)
    counted = sa.select(done, sa.func.coalesce(sa.func.sum(fills.c.filled), 0))
    for step in steps:
        row = connection.execute(counted.where(fills.c.version == step.version)).one()
        yield Progress(step.version, businesses, int(row[0]), int(row[1]))


def _list_awaited(chain: Chain, before: str = "") -> Iterable[Step]:
    """Return the migrations with rows to fill, up to `before`, except those that a later one has waited for."""
    until = max((s.version for s in chain.steps if s.oldest and s.version < (before or "~")), default="")
    return [s for s in chain.steps if s.fills and until < s.version < (before or "~")]


def _fill_some(connection: sa.Connection, tenant_id: str, step: Step) -> int:
    """Fill some rows and count them in one transaction, which keeps others from filling this business meanwhile."""
    this = {"tenant_id": tenant_id, "version": step.version}
    row = db.upsert(fills, connection).values(**this, filled=0, is_done=False)
    key = ["tenant_id", "version"]
    # This locks the row, whose count is that of earlier steps.
    connection.execute(row.on_conflict_do_update(index_elements=key, set_={"filled": fills.c.filled}))
    some: int = _load_function(step.file)(connection, tenant_id)
    changes = {"filled": fills.c.filled + some, "is_done": some == 0}
    connection.execute(
        sa.update(fills).where(fills.c.tenant_id == tenant_id, fills.c.version == step.version).values(changes)
    )
    return some


@cache
def _load_function(file: Path) -> Callable[[sa.Connection, str], int]:
    spec: Any = importlib.util.spec_from_file_location(f"billycan_fills_{file.stem}", file)
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[[sa.Connection, str], int] = module.fill
    return found
