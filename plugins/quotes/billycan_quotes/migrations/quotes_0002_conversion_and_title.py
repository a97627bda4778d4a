"""Note what a quote was converted to, so that it can go back when that is deleted; sort titles without their case."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint
from billycan.sql import fold

revision, down_revision = "quotes_0002", "quotes_0001"


def upgrade() -> None:
    op.add_column("quotes", sa.Column("converted_to", sa.Text))
    op.add_column("quotes", sa.Column("title_folded", ByCodePoint))
    op.execute("UPDATE quotes SET converted_to = 'job' WHERE status = 'converted'")
    op.execute("UPDATE quotes SET converted_to = 'invoice' WHERE status = 'invoiced'")
    connection = op.get_bind()
    for (title,) in connection.execute(sa.text("SELECT DISTINCT title FROM quotes WHERE title IS NOT NULL")).all():
        values = {"title": title, "folded": fold(title)}
        connection.execute(sa.text("UPDATE quotes SET title_folded = :folded WHERE title = :title"), values)


def downgrade() -> None:
    for column in ("title_folded", "converted_to"):
        op.drop_column("quotes", column)
