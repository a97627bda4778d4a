"""The tables of people, their roles in businesses, their links and their sessions."""

import sqlalchemy as sa

from billycan import ByCodePoint, Json, UTCDateTime, new_table

users = new_table(
    "users_users",
    sa.Column("id", ByCodePoint, primary_key=True),
    sa.Column("email", sa.Text, nullable=False, unique=True),  # in lower case
    sa.Column("name", sa.Text),
    # Whoever moves with a business chooses a new password there: what lets somebody in is in no file.
    sa.Column("password", sa.Text, info={"elsewhere": None}),  # Argon2id's own form; null until one is chosen
    sa.Column("is_operator", sa.Boolean, nullable=False, info={"elsewhere": False}),
    sa.Column("totp", sa.LargeBinary, info={"elsewhere": None}),  # the secret, sealed
    sa.Column("totp_step", sa.BigInteger, info={"elsewhere": None}),  # of the last code used
    sa.Column("recovery", Json, nullable=False, info={"elsewhere": []}),  # digests of the unused codes
    # True if the password was chosen with a link that proves the address.
    sa.Column("is_proved", sa.Boolean, nullable=False, server_default=sa.false(), info={"elsewhere": False}),
    sa.Column("last_business_id", ByCodePoint, info={"elsewhere": None}),  # the tenant shown last, live or sandbox
    sa.Column("created_at", UTCDateTime, nullable=False),
    of="deployment",
)

roles = new_table(
    "users_roles",
    # `id` is the person's: one role in a business.
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("created_at", UTCDateTime, nullable=False),
    sa.Column("settled_at", UTCDateTime),  # when the person finished or dismissed the first steps
    sa.ForeignKeyConstraint(["id"], ["users_users.id"], ondelete="CASCADE"),
    sa.Index("ix_users_roles_id", "id"),
)

sessions = new_table(
    "users_sessions",
    sa.Column("digest", sa.LargeBinary, primary_key=True),  # of the cookie, which cannot be read back
    sa.Column("id", ByCodePoint, nullable=False, unique=True),
    sa.Column("user_id", ByCodePoint, sa.ForeignKey("users_users.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("business_id", ByCodePoint),  # the tenant shown, live or sandbox
    sa.Column("is_complete", sa.Boolean, nullable=False),  # False until the second factor is given
    sa.Column("address", sa.Text, nullable=False),
    sa.Column("browser", sa.Text, nullable=False),
    sa.Column("created_at", UTCDateTime, nullable=False),
    sa.Column("seen_at", UTCDateTime, nullable=False),
    sa.Column("proved_at", UTCDateTime, nullable=False),  # when the password was last given
    sa.Column("offered", sa.LargeBinary),  # the secret of a second factor that is being set up, sealed
    of="deployment",
)

# One-use links: to join a business, to choose a new password, and `billycan serve`'s to sign in.
links = new_table(
    "users_links",
    sa.Column("digest", sa.LargeBinary, primary_key=True),
    sa.Column("id", ByCodePoint, nullable=False, unique=True),
    sa.Column("purpose", sa.Text, nullable=False),
    sa.Column("user_id", ByCodePoint, sa.ForeignKey("users_users.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("business_id", ByCodePoint),
    sa.Column("role", sa.Text),
    sa.Column("made_by", ByCodePoint),  # the owner who invites: ends when they are no longer one
    # True if only the address's mailbox has the link, or the operator handed it over.
    sa.Column("proves", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("expires_at", UTCDateTime, nullable=False, index=True),
    of="deployment",
)

passkeys = new_table(
    "users_passkeys",
    sa.Column("id", ByCodePoint, primary_key=True),
    sa.Column("user_id", ByCodePoint, sa.ForeignKey("users_users.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("credential", sa.LargeBinary, nullable=False),
    sa.Column("count", sa.BigInteger, nullable=False),
    sa.Column("created_at", UTCDateTime, nullable=False),
    sa.Column("used_at", UTCDateTime),
    of="deployment",
)

# Attempts at passwords and codes, by account and by address.
attempts = new_table(
    "users_attempts",
    sa.Column("name", ByCodePoint, primary_key=True),
    sa.Column("failures", sa.Integer, nullable=False),
    sa.Column("until", UTCDateTime, nullable=False, index=True),
    of="deployment",
)

# Answered challenges of passkeys: each is good once.
answered = new_table(
    "users_answered",
    sa.Column("digest", sa.LargeBinary, primary_key=True),
    sa.Column("expires_at", UTCDateTime, nullable=False, index=True),
    of="deployment",
)

# Secrets shown once, on the page after a form: encrypted with the session's cookie.
shown_once = new_table(
    "users_shown_once",
    sa.Column("session_id", ByCodePoint, sa.ForeignKey("users_sessions.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("path", sa.Text, primary_key=True),
    sa.Column("sealed", sa.LargeBinary, nullable=False),
    sa.Column("expires_at", UTCDateTime, nullable=False),
    of="deployment",
)

# How a person is notified of an event, if they did not keep the default of their role.
notification_rules = new_table(
    "users_notification_rules",
    sa.Column("user_id", ByCodePoint, nullable=False),
    sa.Column("how", sa.Text, nullable=False),
    sa.Index(None, "tenant_id", "user_id"),
)

# The ids of events that are still to be told.
untold = new_table("users_untold", sa.Column("created_at", UTCDateTime, nullable=False, index=True))

# Events that wait for a person's next digest.
digests = new_table(
    "users_digests",
    sa.Column("user_id", ByCodePoint, nullable=False),
    sa.Column("event_id", ByCodePoint, nullable=False),
    sa.Column("due_at", UTCDateTime, nullable=False, index=True),
    sa.Index(None, "tenant_id", "user_id", "id"),
)

# What lets somebody in goes with no business that moves; it ends with one that is deleted.
for table in (sessions, links, shown_once):
    table.info["stays"] = True
