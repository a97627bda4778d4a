"""Give links ids of their own, by which an invitation is changed: a person's id tells how old their account is."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, new_id

revision, down_revision = "users_0005", "users_0004"

links = sa.table("users_links", sa.column("digest", sa.LargeBinary), sa.column("id", ByCodePoint))


def upgrade() -> None:
    op.add_column("users_links", sa.Column("id", ByCodePoint))
    db = op.get_bind()
    for digest in db.execute(sa.select(links.c.digest)).scalars().all():
        db.execute(sa.update(links).where(links.c.digest == digest).values(id=new_id("lnk")))
    with op.batch_alter_table("users_links") as table:
        table.alter_column("id", existing_type=ByCodePoint, nullable=False)
        table.create_unique_constraint("uq_users_links_id", ["id"])


def downgrade() -> None:
    with op.batch_alter_table("users_links") as table:
        table.drop_constraint("uq_users_links_id", type_="unique")
        table.drop_column("id")
