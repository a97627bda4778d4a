"""Make the queue's tables on PostgreSQL, as the owner: the role that runs the server may not."""

from alembic import op

revision, down_revision = "webhooks_0004", "webhooks_0003"


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        from huey.storage import PostgresStorage  # noqa: PLC0415 - SQLite needs none of it

        for statement in PostgresStorage(create_tables=False).ddl:
            op.execute(statement)


def downgrade() -> None:
    # Undone only by hand: another deployment's queue may be in the same tables.
    pass
