"""billycan's tables as Django models: a record's key is the pair of its tenant and its id."""

from typing import Any

from django.db import connection, models
from service import dollars, scaled
from service import number as shown_number


class Cents(models.BigIntegerField):
    def from_db_value(self, value, expression, connection):
        return dollars(value)

    def get_prep_value(self, value):
        return scaled(value, 2)


class TenThousandths(models.BigIntegerField):
    def __init__(self, *args, places=0, **kwargs):
        super().__init__(*args, **kwargs)
        self.places = places

    def from_db_value(self, value, expression, connection):
        return shown_number(value, self.places)

    def get_prep_value(self, value):
        return scaled(value, 4)


class Json(models.JSONField):
    def from_db_value(self, value, expression, connection):
        # Of PostgreSQL's two types psycopg has decoded `json`, which Django does not expect.
        return super().from_db_value(value, expression, connection) if isinstance(value, str | None) else value


class Table(models.Model):
    """A tenant's records."""

    pk = models.CompositePrimaryKey("tenant_id", "id")
    tenant_id = models.TextField()
    id = models.TextField()

    class Meta:
        abstract = True


def reference(to: Any, column: str, related_name: str) -> Any:
    """Make a key to another record of the same tenant."""
    pair = {"from_fields": ("tenant_id", column), "to_fields": ("tenant_id", "id")}
    return models.ForeignObject(to, models.DO_NOTHING, related_name=related_name, **pair)


class Tenant(models.Model):
    id = models.TextField(primary_key=True)
    profile = Json()

    class Meta:
        managed, db_table = False, "core_tenants"


class Key(models.Model):
    id = models.TextField(primary_key=True)
    tenant = models.ForeignKey(Tenant, models.DO_NOTHING)
    digest = models.BinaryField()
    scopes = Json()
    per_minute = models.IntegerField(null=True)
    per_second = models.IntegerField(null=True)
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        managed, db_table = False, "core_keys"


class Counter(models.Model):
    pk = models.CompositePrimaryKey("tenant_id", "name")
    tenant_id = models.TextField()
    name = models.TextField()
    number = models.BigIntegerField()
    live = models.BigIntegerField()

    class Meta:
        managed, db_table = False, "core_counters"


class Event(Table):
    sequence = models.BigIntegerField()
    event = models.TextField()
    created_at = models.DateTimeField()
    data = models.TextField()

    class Meta:
        managed, db_table = False, "core_events"


class Contact(Table):
    name = models.TextField()
    abn = models.TextField(null=True)
    payment_terms_days = models.IntegerField(null=True)

    class Meta:
        managed, db_table = False, "contacts"


class Invoice(Table):
    number = models.TextField()
    sequence = models.BigIntegerField()
    client_id = models.TextField()
    client = reference(Contact, "client_id", "invoices")
    status = models.TextField()
    issue_date = models.DateField()
    due_date = models.DateField()
    amounts_are = models.TextField()
    gst_rounding = models.TextField()
    discount_percent = TenThousandths(null=True)
    discount_amount = Cents(null=True)
    subtotal = Cents()
    discount_total = Cents()
    gst = Cents()
    total = Cents()
    gst_breakdown = Json()
    document_title = models.TextField()
    amount_paid = Cents()
    amount_credited = Cents()
    amount_written_off = Cents()
    cash_rounding = Cents()
    reference = models.TextField(null=True)
    purchase_order = models.TextField(null=True)
    notes = models.TextField(null=True)
    terms = models.TextField(null=True)
    quote_id = models.TextField(null=True)
    job_id = models.TextField(null=True)
    booking_id = models.TextField(null=True)
    client_name = models.TextField(null=True)
    sent_at = models.DateTimeField(null=True)
    paid_at = models.DateTimeField(null=True)
    payment_method = models.TextField(null=True)
    voided_at = models.DateTimeField(null=True)
    void_reason = models.TextField(null=True)
    written_off_at = models.DateTimeField(null=True)
    write_off_reason = models.TextField(null=True)
    claim = models.TextField(null=True)
    deposits_applied = Cents()
    applied_to = models.TextField(null=True)
    forfeited_on = models.DateField(null=True)
    forfeit_reason = models.TextField(null=True)
    search_text = models.TextField()
    external_id = models.TextField(null=True)
    metadata = Json()
    version = models.IntegerField()
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        managed, db_table = False, "invoices"


class Line(Table):
    document_id = models.TextField()
    document = reference(Invoice, "document_id", "lines")
    position = models.IntegerField()
    description = models.TextField()
    quantity = TenThousandths()
    unit = models.TextField(null=True)
    unit_price = TenThousandths(places=2)
    discount_percent = TenThousandths(null=True)
    discount_amount = Cents(null=True)
    gst_code = models.TextField()
    net = Cents()
    gst = Cents()
    total = Cents()
    item_id = models.TextField(null=True)

    class Meta:
        managed, db_table, ordering = False, "invoices_lines", ["position"]


class Payment(Table):
    payment_method = models.TextField()
    paid_at = models.DateTimeField()
    paid_on = models.DateField()
    reference = models.TextField(null=True)
    status = models.TextField()
    created_at = models.DateTimeField()
    reversed_at = models.DateTimeField(null=True)
    reverse_reason = models.TextField(null=True)

    class Meta:
        managed, db_table = False, "invoices_payments"


class Allocation(Table):
    payment_id = models.TextField()
    payment = reference(Payment, "payment_id", "allocations")
    invoice_id = models.TextField()
    invoice = reference(Invoice, "invoice_id", "settled_by")
    amount = Cents()
    cash_rounding = Cents()

    class Meta:
        managed, db_table, ordering = False, "invoices_allocations", ["payment_id"]


def advance(tenant_id: str, name: str) -> int:
    """Return the tenant's next number; its row stays locked until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO core_counters (tenant_id, name, number, live) VALUES (%s, %s, 1, 1) "
            "ON CONFLICT (tenant_id, name) DO UPDATE SET number = core_counters.number + 1, "
            "live = core_counters.live + 1 RETURNING number",
            [tenant_id, name],
        )
        return cursor.fetchone()[0]
