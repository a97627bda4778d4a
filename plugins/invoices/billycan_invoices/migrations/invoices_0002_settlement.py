"""Note what was written off and what was lost or won by rounding cash, and the date of each payment."""

from zoneinfo import ZoneInfo

import sqlalchemy as sa
from alembic import op

from billycan import Cents, Json, UTCDateTime

revision, down_revision = "invoices_0002", "invoices_0001"

BATCH = 1000

tenants = sa.table("core_tenants", sa.column("id", sa.Text), sa.column("profile", Json))
payments = sa.table(
    "invoices_payments",
    sa.column("tenant_id", sa.Text),
    sa.column("id", sa.Text),
    sa.column("paid_at", UTCDateTime),
    sa.column("paid_on", sa.Date),
)


def upgrade() -> None:
    # SQLite adds a column that is never null only with a default; each INSERT gives its own value.
    op.add_column("invoices", sa.Column("amount_written_off", Cents(), nullable=False, server_default="0"))
    op.add_column("invoices", sa.Column("cash_rounding", Cents(), nullable=False, server_default="0"))
    op.add_column("invoices_payments", sa.Column("cash_rounding", Cents(), nullable=False, server_default="0"))
    op.add_column("invoices_payments", sa.Column("paid_on", sa.Date, nullable=False, server_default="1970-01-01"))
    op.execute("UPDATE invoices SET amount_written_off = total - amount_paid WHERE status = 'written_off'")
    _date_payments(op.get_bind())


def downgrade() -> None:
    for column in ("paid_on", "cash_rounding"):
        op.drop_column("invoices_payments", column)
    for column in ("cash_rounding", "amount_written_off"):
        op.drop_column("invoices", column)


def _date_payments(connection: sa.Connection) -> None:
    """Give each payment the date it had in its business's time zone."""
    key = payments.c.tenant_id, payments.c.id
    named = sa.update(payments).where(
        payments.c.tenant_id == sa.bindparam("of_tenant"), payments.c.id == sa.bindparam("of_id")
    )
    for tenant_id, profile in connection.execute(sa.select(tenants.c.id, tenants.c.profile)).all():
        zone, last = ZoneInfo(profile["timezone"]), ""
        while True:
            of_tenant = (payments.c.tenant_id == tenant_id) & (payments.c.id > last)
            found = sa.select(*key, payments.c.paid_at).where(of_tenant).order_by(payments.c.id).limit(BATCH)
            rows = connection.execute(found).all()
            if not rows:
                break
            last = rows[-1].id
            dated = [
                {"of_tenant": row.tenant_id, "of_id": row.id, "paid_on": row.paid_at.astimezone(zone).date()}
                for row in rows
            ]
            connection.execute(named, dated)
