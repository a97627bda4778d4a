"""The service in Django REST Framework: generic views, model serializers, its own paging and throttle."""

from datetime import timedelta
from typing import Any

from django.core import signing
from django.db import transaction
from django.db.models import DateTimeField, Prefetch, Q
from django.http import HttpResponse
from django.urls import path
from rest_framework import exceptions, generics, serializers
from rest_framework.pagination import BasePagination
from rest_framework.response import Response
from rest_framework.views import exception_handler
from service import (
    DERIVED,
    MEMBERS,
    PAYMENT_DERIVED,
    PER_PAGE,
    encode,
    envelope,
    moment,
    new_id,
    now,
    refusal,
    searched,
    today,
    work_out,
)

from .models import Allocation, Cents, Contact, Counter, Event, Invoice, Line, Tenant, TenThousandths, advance


class Exact(serializers.Field):
    def to_representation(self, value):
        return value


class Moment(serializers.Field):
    def to_representation(self, value):
        return moment(value)


class Derived(serializers.Field):
    """A member that is not stored but calculated from the record and the business's profile."""

    def to_representation(self, record):
        return self.parent.derived[self.field_name](record, self.context["request"].auth.tenant.profile)


class Shown(serializers.ModelSerializer):
    serializer_field_mapping = {
        **serializers.ModelSerializer.serializer_field_mapping,
        **{Cents: Exact, TenThousandths: Exact, DateTimeField: Moment},
    }
    derived = {}

    def build_field(self, field_name, info, model_class, nested_depth):
        if field_name in self.derived:
            return Derived, {"source": "*", "read_only": True}
        return super().build_field(field_name, info, model_class, nested_depth)


class LineSerializer(Shown):
    class Meta:
        model, fields, read_only_fields = Line, MEMBERS["line"], MEMBERS["line"]


class PaymentSerializer(Shown):
    derived = PAYMENT_DERIVED

    class Meta:
        model, fields, read_only_fields = Allocation, MEMBERS["payment"], MEMBERS["payment"]


class ListedInvoice(Shown):
    derived = DERIVED

    class Meta:
        model, fields, read_only_fields = Invoice, MEMBERS["listed"], MEMBERS["listed"]


class ShownInvoice(Shown):
    derived = DERIVED
    line_items = LineSerializer(many=True, read_only=True)
    payments = PaymentSerializer(many=True, read_only=True)

    class Meta:
        model, fields, read_only_fields = Invoice, MEMBERS["shown"], MEMBERS["shown"]


class NewLine(serializers.Serializer):
    description = serializers.CharField(max_length=4000)
    quantity = serializers.DecimalField(max_digits=13, decimal_places=4, default=1)
    unit_price = serializers.DecimalField(max_digits=13, decimal_places=4)


class NewInvoice(serializers.Serializer):
    client_id = serializers.CharField()
    reference = serializers.CharField(max_length=100, default=None)
    line_items = NewLine(many=True, allow_empty=False, max_length=500)


def refuse(error, context):
    response = exception_handler(error, context)
    if response is not None:
        if isinstance(error, exceptions.ValidationError):
            response.status_code = 422
        response.data = refusal(response.status_code, response.data)
    return response


class NewestFirst(BasePagination):
    def paginate_queryset(self, queryset, request, view=None):
        tenant_id, self.page = request.auth.tenant_id, 1
        if cursor := request.query_params.get("cursor"):
            try:
                created_at, id, self.page, self.total = signing.loads(cursor, salt=tenant_id)
            except signing.BadSignature:
                raise exceptions.ValidationError({"cursor": ["is not one of this service's"]}) from None
            queryset = queryset.filter(Q(created_at__lt=created_at) | Q(created_at=created_at, id__lt=id))
        else:
            self.total = Counter.objects.values_list("live", flat=True).get(tenant_id=tenant_id, name="invoices")
        rows = list(queryset.order_by("-created_at", "-id")[: PER_PAGE + 1])
        self.next = None
        if len(rows) > PER_PAGE:
            last = rows[PER_PAGE - 1]
            self.next = signing.dumps([str(last.created_at), last.id, self.page + 1, self.total], salt=tenant_id)
        return rows[:PER_PAGE]

    def get_paginated_response(self, data):
        pagination = {"page": self.page, "per_page": PER_PAGE, "total": self.total, "has_more": bool(self.next)}
        return Response(envelope(data, pagination | {"next_cursor": self.next, "prev_cursor": None}))


class Invoices(generics.ListCreateAPIView):
    serializer_class, pagination_class = ListedInvoice, NewestFirst

    def get_queryset(self):
        return Invoice.objects.filter(tenant_id=self.request.auth.tenant_id).select_related("client")

    def create(self, request):
        body = NewInvoice(data=request.data)
        body.is_valid(raise_exception=True)
        with transaction.atomic():
            invoice = make(request.auth.tenant, **body.validated_data)
            shown = ShownInvoice(invoice, context=self.get_serializer_context()).data
            Event.objects.create(
                tenant_id=invoice.tenant_id,
                id=new_id("evt"),
                sequence=advance(invoice.tenant_id, "core_events"),
                event="invoice.created",
                created_at=now(),
                data=encode(shown).decode(),
            )
        return Response(envelope(shown), 201, headers={"Location": f"/v1/invoices/{invoice.id}"})


class OneInvoice(generics.RetrieveAPIView):
    serializer_class, lookup_field = ShownInvoice, "id"

    def get_queryset(self):
        settled_by = Allocation.objects.select_related("payment")
        related = Prefetch("lines", to_attr="line_items"), Prefetch("settled_by", settled_by, to_attr="payments")
        mine = Invoice.objects.filter(tenant_id=self.request.auth.tenant_id)
        return mine.select_related("client").prefetch_related(*related)

    def retrieve(self, request, id):
        return Response(envelope(self.get_serializer(self.get_object()).data))


def make(tenant: Tenant, client_id: str, reference: str | None, line_items: list[dict[str, Any]]) -> Invoice:
    """Make a new draft with its lines."""
    profile = tenant.profile
    try:
        client = Contact.objects.get(tenant_id=tenant.id, id=client_id)
    except Contact.DoesNotExist:
        raise exceptions.ValidationError({"client_id": ["there is no such contact"]}) from None
    figures, columns = work_out((line["quantity"], line["unit_price"]) for line in line_items)
    terms = client.payment_terms_days
    days = profile["default_payment_terms_days"] if terms is None else terms
    sequence, at, issue_date = advance(tenant.id, "invoices"), now(), today(profile)
    invoice = Invoice.objects.create(
        tenant_id=tenant.id,
        id=new_id("inv"),
        number=f"INV-{sequence:04}",
        sequence=sequence,
        client_id=client_id,
        status="draft",
        issue_date=issue_date,
        due_date=issue_date + timedelta(days=days),
        amounts_are=profile["amounts_are"],
        gst_rounding=profile["gst_rounding"],
        document_title="Tax invoice",
        reference=reference,
        search_text=searched(f"INV-{sequence:04}", reference),
        metadata={},
        version=1,
        created_at=at,
        updated_at=at,
        **columns,
    )
    own = {"tenant_id": tenant.id, "document_id": invoice.id}
    lines = zip(line_items, figures, strict=True)
    invoice.client, invoice.payments = client, []
    invoice.line_items = Line.objects.bulk_create(
        Line(id=new_id("lin"), position=i, description=line["description"], **own, **worked)
        for i, (line, worked) in enumerate(lines)
    )
    return invoice


def handler404(request, exception):
    return HttpResponse(encode(refusal(404, "there is no such path")), "application/json", 404)


urlpatterns = [
    path("v1/invoices", Invoices.as_view()),
    path("v1/invoices/<id>", OneInvoice.as_view()),
    path("-/health", lambda request: HttpResponse("ok")),
]
