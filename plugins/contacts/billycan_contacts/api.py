"""What other plugins may use of contacts."""

from collections.abc import Iterable

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, own

from .tables import contacts


class Party(Struct):
    """What a document needs to know of the contact it is for."""

    id: str
    name: str
    abn: str | None
    billing_address: dict[str, str | None] | None
    payment_terms_days: int | None


def names(ctx: Context, ids: Iterable[str]) -> dict[str, str]:
    """Map each id to the contact's name, in one query; ids that are not the tenant's are left out."""
    found = sa.select(contacts.c.id, contacts.c.name).where(own(ctx, contacts), contacts.c.id.in_(list(ids)))
    return {row.id: row.name for row in ctx.db.execute(found)}


def party(ctx: Context, id: str) -> Party | None:
    """The contact with this id; None where it is not the tenant's."""
    found = sa.select(*(contacts.c[name] for name in Party.__struct_fields__))
    row = ctx.db.execute(found.where(own(ctx, contacts), contacts.c.id == id)).first()
    return Party(*row) if row else None
