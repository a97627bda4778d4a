"""The tables of jobs, their lines, and the invoices made for them."""

import sqlalchemy as sa

from billycan import ByCodePoint, new_table, reference
from billycan_documents.api import lines_table

from . import resource

jobs = resource.jobs.table
lines = lines_table("jobs")

# Each row's id is the id of an invoice.
invoiced = new_table(
    "jobs_invoices",
    sa.Column("job_id", ByCodePoint, nullable=False),
    reference("job_id", "jobs"),
    sa.Index(None, "tenant_id", "job_id", "id"),
)
