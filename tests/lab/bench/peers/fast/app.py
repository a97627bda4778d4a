"""The service in FastAPI, with SQLAlchemy's asynchronous sessions over asyncpg, and Pydantic for request bodies."""

import hashlib
import os
import time
from collections import defaultdict, deque
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any

from fastapi import Depends, FastAPI, HTTPException, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from itsdangerous import BadSignature, URLSafeSerializer
from pydantic import BaseModel, Field
from service import (
    DATABASE,
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
from sqlalchemy import select, tuple_
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import joinedload, selectinload
from starlette.exceptions import HTTPException as StarletteHTTPException

from .models import Allocation, Contact, Counter, Event, Invoice, Key, Line

engine = create_async_engine(DATABASE.replace("postgresql:", "postgresql+asyncpg:"), pool_size=10)
sessions = async_sessionmaker(engine, expire_on_commit=False)
cursors = URLSafeSerializer(os.environ["BENCH_SECRET"])
bearer = HTTPBearer(auto_error=False)


class Reply(JSONResponse):
    def render(self, content: Any) -> bytes:
        return encode(content)


app = FastAPI(default_response_class=Reply)


class NewLine(BaseModel):
    description: str = Field(min_length=1, max_length=4000)
    quantity: Decimal = Field(Decimal(1), max_digits=13, decimal_places=4)
    unit_price: Decimal = Field(max_digits=13, decimal_places=4)


class NewInvoice(BaseModel):
    client_id: str
    reference: str | None = Field(None, max_length=100)
    line_items: list[NewLine] = Field(min_length=1, max_length=500)


async def opened() -> Any:
    async with sessions() as session:
        yield session


Session = Annotated[AsyncSession, Depends(opened)]
accepted: dict[tuple[str, int], deque[float]] = defaultdict(deque)


def limit(key: Key) -> None:
    """Refuse requests above the key's limits for any 60 s and for any second."""
    at = time.monotonic()
    windows = [(accepted[key.id, 60], 60, key.per_minute or 100), (accepted[key.id, 1], 1, key.per_second or 20)]
    for times, seconds, most in windows:
        while times and times[0] <= at - seconds:
            times.popleft()
        if len(times) >= most:
            retry_after = str(int(times[0] + seconds - at) + 1)
            raise HTTPException(429, "too many requests", {"Retry-After": retry_after})
    for times, _, _ in windows:
        times.append(at)


async def holder(
    request: Request, session: Session, given: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]
) -> Key:
    """The key of the request, with its tenant."""
    digest = hashlib.sha256(given.credentials.encode()).digest() if given else b""
    key = (await session.execute(select(Key).where(Key.digest == digest))).scalar_one_or_none()
    if key is None or key.revoked_at or (key.expires_at and key.expires_at <= now()):
        raise HTTPException(401, "no valid API key", {"WWW-Authenticate": "Bearer"})
    if ("read" if request.method == "GET" else "write") not in key.scopes:
        raise HTTPException(403, "the key may not do this")
    limit(key)
    return key


Holder = Annotated[Key, Depends(holder)]


@app.exception_handler(StarletteHTTPException)
async def refuse(request: Request, error: StarletteHTTPException) -> Reply:
    return Reply(refusal(error.status_code, error.detail), error.status_code, error.headers)


@app.exception_handler(RequestValidationError)
async def refuse_body(request: Request, error: RequestValidationError) -> Reply:
    return Reply(refusal(422, [f"{e['loc']}: {e['msg']}" for e in error.errors()]), 422)


def shown(record: Any, members: list[str], derived: dict[str, Any], seller: dict[str, Any]) -> dict[str, Any]:
    answer = {}
    for name in members:
        if name in derived:
            answer[name] = derived[name](record, seller)
        else:
            value = getattr(record, "metadata_" if name == "metadata" else name)
            answer[name] = moment(value) if isinstance(value, datetime) else value
    return answer


def in_full(invoice: Invoice, seller: dict[str, Any]) -> dict[str, Any]:
    parts = {
        "line_items": lambda invoice, seller: [shown(line, MEMBERS["line"], {}, seller) for line in invoice.line_items],
        "payments": lambda invoice, seller: [
            shown(payment, MEMBERS["payment"], PAYMENT_DERIVED, seller) for payment in invoice.payments
        ],
    }
    return shown(invoice, MEMBERS["shown"], DERIVED | parts, seller)


@app.get("/v1/invoices")
async def list_invoices(key: Holder, session: Session, cursor: Annotated[str | None, Query()] = None) -> Reply:
    """A page of invoices, newest first."""
    page, newest_first = 1, (Invoice.created_at.desc(), Invoice.id.desc())
    query = (
        select(Invoice).where(Invoice.tenant_id == key.tenant_id).options(joinedload(Invoice.client, innerjoin=True))
    )
    if cursor:
        try:
            created_at, id, page, total = cursors.loads(cursor, salt=key.tenant_id)
        except BadSignature:
            raise HTTPException(400, "the cursor is not one of this service's") from None
        query = query.where(tuple_(Invoice.created_at, Invoice.id) < (datetime.fromisoformat(created_at), id))
    else:
        counted = select(Counter.live).where(Counter.tenant_id == key.tenant_id, Counter.name == "invoices")
        total = (await session.execute(counted)).scalar_one()
    rows = (await session.execute(query.order_by(*newest_first).limit(PER_PAGE + 1))).scalars().all()
    following = None
    if len(rows) > PER_PAGE:
        last = rows[PER_PAGE - 1]
        following = cursors.dumps([last.created_at.isoformat(), last.id, page + 1, total], salt=key.tenant_id)
    data = [shown(invoice, MEMBERS["listed"], DERIVED, key.tenant.profile) for invoice in rows[:PER_PAGE]]
    pagination = {"page": page, "per_page": PER_PAGE, "total": total, "has_more": following is not None}
    return Reply(envelope(data, pagination | {"next_cursor": following, "prev_cursor": None}))


@app.get("/v1/invoices/{id}")
async def get_invoice(id: str, key: Holder, session: Session) -> Reply:
    settled_by = selectinload(Invoice.payments).joinedload(Allocation.payment, innerjoin=True)
    related = joinedload(Invoice.client), selectinload(Invoice.line_items), settled_by
    query = select(Invoice).where(Invoice.tenant_id == key.tenant_id, Invoice.id == id).options(*related)
    invoice = (await session.execute(query)).scalar_one_or_none()
    if invoice is None:
        raise HTTPException(404, "there is no such invoice")
    return Reply(envelope(in_full(invoice, key.tenant.profile)))


@app.post("/v1/invoices", status_code=201)
async def create_invoice(body: NewInvoice, key: Holder, session: Session) -> Reply:
    """A new draft; its number is the tenant's next one."""
    profile, tenant_id = key.tenant.profile, key.tenant_id
    client = await session.get(Contact, (tenant_id, body.client_id))
    if client is None:
        raise HTTPException(422, "client_id: there is no such contact")
    figures, columns = work_out((line.quantity, line.unit_price) for line in body.line_items)
    terms = client.payment_terms_days
    days = profile["default_payment_terms_days"] if terms is None else terms
    sequence, at, issue_date = await advance(session, tenant_id, "invoices"), now(), today(profile)
    lines = enumerate(zip(body.line_items, figures, strict=True))
    invoice = Invoice(
        tenant_id=tenant_id,
        id=new_id("inv"),
        number=f"INV-{sequence:04}",
        sequence=sequence,
        client=client,
        client_id=client.id,
        status="draft",
        issue_date=issue_date,
        due_date=issue_date + timedelta(days=days),
        amounts_are=profile["amounts_are"],
        gst_rounding=profile["gst_rounding"],
        document_title="Tax invoice",
        reference=body.reference,
        search_text=searched(f"INV-{sequence:04}", body.reference),
        metadata_={},
        version=1,
        created_at=at,
        updated_at=at,
        line_items=[
            Line(id=new_id("lin"), position=i, description=line.description, **worked) for i, (line, worked) in lines
        ],
        payments=[],
        **columns,
    )
    session.add(invoice)
    answer = in_full(invoice, profile)
    session.add(
        Event(
            tenant_id=tenant_id,
            id=new_id("evt"),
            sequence=await advance(session, tenant_id, "core_events"),
            event="invoice.created",
            created_at=now(),
            data=encode(answer).decode(),
        )
    )
    await session.commit()
    return Reply(envelope(answer), 201, {"Location": f"/v1/invoices/{invoice.id}"})


async def advance(session: AsyncSession, tenant_id: str, name: str) -> int:
    """The tenant's next number; its row stays locked until the transaction ends."""
    row = insert(Counter).values(tenant_id=tenant_id, name=name, number=1, live=1)
    upsert = row.on_conflict_do_update(
        index_elements=["tenant_id", "name"], set_={"number": Counter.number + 1, "live": Counter.live + 1}
    )
    return (await session.execute(upsert.returning(Counter.number))).scalar_one()


@app.get("/-/health")
async def health() -> Reply:
    return Reply("ok")
