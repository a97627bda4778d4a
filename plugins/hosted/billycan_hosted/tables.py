"""The table of branding."""

import sqlalchemy as sa

from billycan import UTCDateTime, new_table

# One row for each business; its id is always `branding`.
branding = new_table(
    "hosted_branding",
    sa.Column("logo_attachment_id", sa.Text),
    sa.Column("accent_colour", sa.Text),
    sa.Column("footer", sa.Text),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("updated_at", UTCDateTime, nullable=False),
)
