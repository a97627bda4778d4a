"""Create the table of entries, which the database itself keeps from being changed."""

import sqlalchemy as sa
from alembic import op

from billycan import UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "audit_0001", None


def upgrade() -> None:
    op.create_table(
        "audit",
        *key_columns(),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("key_id", sa.Text),
        sa.Column("request_id", sa.Text, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.Column("previous_hash", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.UniqueConstraint("tenant_id", "sequence", name="uq_audit_tenant_id_sequence"),
    )
    if op.get_bind().dialect.name == "sqlite":
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER audit_no_{change.lower()} BEFORE {change} ON audit "
                "BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END"
            )
        return
    op.execute(
        "CREATE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'audit is append-only'; END $$"
    )
    op.execute(
        "CREATE TRIGGER audit_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON audit "
        "FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse()"
    )


def downgrade() -> None:
    op.drop_table("audit")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION audit_refuse()")
