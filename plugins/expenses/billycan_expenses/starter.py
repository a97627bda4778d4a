"""The expense categories that every business starts with.

A read must not write, and a business may list its categories before its first write. So the categories have fixed ids,
are shown from the start, and become rows at the first write that may touch one of them.
"""

import sqlalchemy as sa

from billycan import ByCodePoint, Context, Json, new_table
from billycan.sql import fold, tenants, upsert

from . import category_resource

NAMES = (
    "Accounting and legal",
    "Advertising and marketing",
    "Bank fees",
    "Cleaning and laundry",
    "Computers and software",
    "Electricity, gas and water",
    "Entertainment",
    "Equipment hire",
    "Freight and courier",
    "Fuel and oil",
    "General expenses",
    "Government charges",
    "Insurance",
    "Interest",
    "Licences and permits",
    "Materials and supplies",
    "Motor vehicle",
    "Office and stationery",
    "Parking and tolls",
    "Phone and internet",
    "Rent",
    "Repairs and maintenance",
    "Subcontractors",
    "Subscriptions and memberships",
    "Tools and equipment",
    "Training",
    "Travel and accommodation",
    "Waste disposal",
    "Workwear and safety gear",
)

# The GST codes that are not `gst`: financial supplies are input taxed (s 40-5 GST Act), and most taxes and charges of
# governments are outside GST (Division 81).
CODES = {"Bank fees": "input_taxed", "Government charges": "out_of_scope", "Interest": "input_taxed"}
# A premium includes stamp duty, on which there is no GST, so the GST is less than 1/11 of it (s 81-5 GST Act).
GST_REQUIRED = ("Insurance",)
# Entertainment is deductible in few cases, such as where fringe benefits tax is paid on it (s 69-5 GST Act).
NOT_DEDUCTIBLE = ("Entertainment",)

categories = category_resource.categories.table
# A row means that the tenant's starter set has been stored; the tenant may have changed it since.
started = new_table("expenses_started")

# The same in every business; a number never changes its category.
STARTER = {f"cat_{i:026d}": name for i, name in enumerate(NAMES, 1)}

_names = sa.union_all(
    *(
        sa.select(
            sa.literal(id, ByCodePoint).label("id"),
            sa.literal(name, sa.Text).label("name"),
            sa.literal(fold(name), ByCodePoint).label("folded"),
            sa.cast(CODES.get(name), sa.Text).label("gst_code"),
            (sa.true() if name in GST_REQUIRED else sa.false()).label("gst_required"),
            (sa.false() if name in NOT_DEDUCTIBLE else sa.true()).label("deductible"),
        )
        for id, name in STARTER.items()
    )
).subquery("names")

_unstored = {
    "tenant_id": tenants.c.id,
    "id": _names.c.id,
    "name": _names.c.name,
    "gst_code": _names.c.gst_code,
    "gst_required": _names.c.gst_required,
    "deductible": _names.c.deductible,
    "external_id": sa.cast(sa.null(), sa.Text),
    "metadata": sa.literal({}, Json),
    "version": sa.literal(1, sa.Integer),
    "created_at": tenants.c.created_at,
    "updated_at": tenants.c.created_at,
    "name_folded": _names.c.folded,
    "search_text": _names.c.folded,
}

# The stored categories of every tenant, and the starter set of those that have stored none yet.
all_categories = sa.union_all(
    sa.select(*categories.c),
    sa.select(*(_unstored[column.name].label(column.name) for column in categories.c))
    .join_from(tenants, _names, sa.true())
    .where(~sa.exists().where(started.c.tenant_id == tenants.c.id)),
).subquery("expense_categories")


def store(ctx: Context) -> None:
    """Store the tenant's starter set as rows, unless that was done before."""
    mark = upsert(started, ctx.db).values(tenant_id=ctx.tenant_id, id="all")
    # If several processes store at once, one inserts the mark; the others wait for its commit, then see the rows.
    if ctx.db.execute(mark.on_conflict_do_nothing().returning(started.c.id)).first() is None:
        return
    made_at = ctx.db.execute(sa.select(tenants.c.created_at).where(tenants.c.id == ctx.tenant_id)).scalar_one()
    same = {"tenant_id": ctx.tenant_id, "metadata": {}, "version": 1, "created_at": made_at, "updated_at": made_at}
    rows = [
        {
            **same,
            "id": id,
            "name": name,
            "gst_code": CODES.get(name),
            "gst_required": name in GST_REQUIRED,
            "deductible": name not in NOT_DEDUCTIBLE,
            "name_folded": fold(name),
            "search_text": fold(name),
        }
        for id, name in STARTER.items()
    ]
    ctx.db.execute(sa.insert(categories), rows)
    ctx.advance_counter(categories.name, len(rows))
