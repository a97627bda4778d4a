"""billycan's tables as SQLAlchemy's models: a record's key is the pair of its tenant and its id."""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any

from service import dollars, number, scaled
from sqlalchemy import JSON, BigInteger, DateTime, ForeignKey, ForeignKeyConstraint, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship
from sqlalchemy.types import TypeDecorator


class Cents(TypeDecorator):
    impl, cache_ok = BigInteger, True

    def process_bind_param(self, value, dialect):
        return scaled(value, 2)

    def process_result_value(self, value, dialect):
        return dollars(value)


class TenThousandths(TypeDecorator):
    impl, cache_ok = BigInteger, True

    def __init__(self, places: int = 0) -> None:
        super().__init__()
        self.places = places

    def process_bind_param(self, value, dialect):
        return scaled(value, 4)

    def process_result_value(self, value, dialect):
        return number(value, self.places)


Money = Annotated[Decimal, mapped_column(Cents())]
Share = Annotated[Decimal, mapped_column(TenThousandths())]
Price = Annotated[Decimal, mapped_column(TenThousandths(places=2))]


class Base(DeclarativeBase):
    type_annotation_map = {str: Text, datetime: DateTime(timezone=True), dict[str, Any]: JSONB, list[str]: JSONB}


class Record:
    """A tenant's record."""

    tenant_id: Mapped[str] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(primary_key=True)


class Tenant(Base):
    __tablename__ = "core_tenants"

    id: Mapped[str] = mapped_column(primary_key=True)
    profile: Mapped[dict[str, Any]]


class Key(Base):
    __tablename__ = "core_keys"

    id: Mapped[str] = mapped_column(primary_key=True)
    tenant_id: Mapped[str] = mapped_column(ForeignKey(Tenant.id))
    digest: Mapped[bytes]
    scopes: Mapped[list[str]]
    per_minute: Mapped[int | None]
    per_second: Mapped[int | None]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    tenant: Mapped[Tenant] = relationship(lazy="joined", innerjoin=True)


class Counter(Base):
    __tablename__ = "core_counters"

    tenant_id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(BigInteger)
    live: Mapped[int] = mapped_column(BigInteger)


class Event(Record, Base):
    __tablename__ = "core_events"

    sequence: Mapped[int] = mapped_column(BigInteger)
    event: Mapped[str]
    created_at: Mapped[datetime]
    data: Mapped[str]


class Contact(Record, Base):
    __tablename__ = "contacts"

    name: Mapped[str]
    abn: Mapped[str | None]
    payment_terms_days: Mapped[int | None]


class Invoice(Record, Base):
    __tablename__ = "invoices"
    __table_args__ = (ForeignKeyConstraint(["tenant_id", "client_id"], ["contacts.tenant_id", "contacts.id"]),)

    number: Mapped[str]
    sequence: Mapped[int] = mapped_column(BigInteger)
    client_id: Mapped[str]
    status: Mapped[str]
    issue_date: Mapped[date]
    due_date: Mapped[date]
    amounts_are: Mapped[str]
    gst_rounding: Mapped[str]
    discount_percent: Mapped[Share | None]
    discount_amount: Mapped[Money | None]
    subtotal: Mapped[Money]
    discount_total: Mapped[Money]
    gst: Mapped[Money]
    total: Mapped[Money]
    gst_breakdown: Mapped[list[dict[str, str]]] = mapped_column(JSON)
    document_title: Mapped[str]
    amount_paid: Mapped[Money]
    amount_credited: Mapped[Money]
    amount_written_off: Mapped[Money]
    cash_rounding: Mapped[Money]
    reference: Mapped[str | None]
    purchase_order: Mapped[str | None]
    notes: Mapped[str | None]
    terms: Mapped[str | None]
    quote_id: Mapped[str | None]
    job_id: Mapped[str | None]
    booking_id: Mapped[str | None]
    client_name: Mapped[str | None]
    sent_at: Mapped[datetime | None]
    paid_at: Mapped[datetime | None]
    payment_method: Mapped[str | None]
    voided_at: Mapped[datetime | None]
    void_reason: Mapped[str | None]
    written_off_at: Mapped[datetime | None]
    write_off_reason: Mapped[str | None]
    claim: Mapped[str | None]
    deposits_applied: Mapped[Money]
    applied_to: Mapped[str | None]
    forfeited_on: Mapped[date | None]
    forfeit_reason: Mapped[str | None]
    search_text: Mapped[str] = mapped_column(deferred=True)
    external_id: Mapped[str | None]
    # A mapped class's own `metadata` is its tables.
    metadata_: Mapped[dict[str, Any]] = mapped_column("metadata")
    version: Mapped[int]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    client: Mapped[Contact] = relationship(innerjoin=True)
    line_items: Mapped[list["Line"]] = relationship(order_by="Line.position")
    payments: Mapped[list["Allocation"]] = relationship(order_by="Allocation.payment_id")


class Line(Record, Base):
    __tablename__ = "invoices_lines"
    __table_args__ = (ForeignKeyConstraint(["tenant_id", "document_id"], ["invoices.tenant_id", "invoices.id"]),)

    document_id: Mapped[str]
    position: Mapped[int]
    description: Mapped[str]
    quantity: Mapped[Share]
    unit: Mapped[str | None]
    unit_price: Mapped[Price]
    discount_percent: Mapped[Share | None]
    discount_amount: Mapped[Money | None]
    gst_code: Mapped[str]
    net: Mapped[Money]
    gst: Mapped[Money]
    total: Mapped[Money]
    item_id: Mapped[str | None]


class Payment(Record, Base):
    __tablename__ = "invoices_payments"

    payment_method: Mapped[str]
    paid_at: Mapped[datetime]
    paid_on: Mapped[date]
    reference: Mapped[str | None]
    status: Mapped[str]
    created_at: Mapped[datetime]
    reversed_at: Mapped[datetime | None]
    reverse_reason: Mapped[str | None]


class Allocation(Record, Base):
    __tablename__ = "invoices_allocations"
    __table_args__ = (
        ForeignKeyConstraint(["tenant_id", "invoice_id"], ["invoices.tenant_id", "invoices.id"]),
        ForeignKeyConstraint(["tenant_id", "payment_id"], ["invoices_payments.tenant_id", "invoices_payments.id"]),
    )

    payment_id: Mapped[str]
    invoice_id: Mapped[str]
    amount: Mapped[Money]
    cash_rounding: Mapped[Money]
    payment: Mapped[Payment] = relationship(innerjoin=True)
