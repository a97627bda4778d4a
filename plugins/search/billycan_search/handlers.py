"""Handlers of the search, one function for each route: records found, as their lists show them to the caller."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct

from billycan import BadRequest, Context, Named

from .finding import Place, find_own_places, find_places, find_similar_places
from .schemas import FoundRecord, SearchQuery
from .searched import Searched, asked_resources


def search_records(ctx: Context, query: SearchQuery) -> list[FoundRecord]:
    """Find records of every resource that the key may read, archived and void ones too.

    What is exactly the text comes first: a number, a reference, a name, an email address or a phone number, however it
    is spaced. Then come texts and words that begin with it, then those that contain it, then what belongs to a client
    that was found; case, accents and the kind of apostrophe do not matter. If nothing is found, records with a similar
    text are: two letters swapped, or one missing, wrong or too many. Of a text with fewer than three letters, the
    newest 1,000 records of each resource are searched. The key needs the read scope of each resource in `types`;
    otherwise `insufficient_scope`.
    """
    asked, text = asked_resources(ctx, query.types), (query.q or "").strip()
    if not text:
        raise BadRequest("q: write what to search for.", code="invalid_parameter", param="q")
    if ctx.sees_only_own:
        return [*_show_found(ctx, asked, find_own_places(ctx, asked, text, query.per_type))]
    with ctx.one_moment():
        found = find_places(ctx, asked, text, query.per_type) or find_similar_places(ctx, asked, text, query.per_type)
        return [*_show_found(ctx, asked, found)]


def _show_found(ctx: Context, asked: Sequence[Searched], found: Sequence[Place]) -> Iterable[FoundRecord]:
    """Yield what is shown of records, as their lists have them; what these do not show is left out."""
    records = dict[str, Any]()
    for place, each in enumerate(asked):
        records |= ctx.app.read_records(ctx, each.path, [id for _, of, id in found if of == place], each.members)
    for _, place, id in found:
        if (record := records.get(id)) is not None:
            yield _show_record(ctx, asked[place], record)


def _show_record(ctx: Context, of: Searched, record: Struct) -> FoundRecord:
    titles = [text for name in of.titles if (text := _text_of(record, name))]
    client = getattr(record, "client", None)
    others = [*titles[1:], *([client.name] if isinstance(client, Named) else [])]
    others = others or [text for name in of.said if (text := _text_of(record, name)) and text not in titles]
    whose = client.name if isinstance(client, Named) else ""
    return FoundRecord(
        type=of.name,
        id=record.id,  # type: ignore[attr-defined]
        title=titles[0] if titles else whose or record.id,  # type: ignore[attr-defined]
        subtitle=" · ".join(dict.fromkeys(others[:2])) or None if titles else None,
        status=getattr(record, of.status) if of.status else None,
        amount=next((amount for name in of.amounts if (amount := getattr(record, name)) is not None), None),
        date=next((day for name in of.dates if (day := _day_of(ctx, getattr(record, name))) is not None), None),
    )


def _text_of(record: Struct, name: str) -> str:
    value = getattr(record, name, None)
    return value.partition("\n")[0][:200] if isinstance(value, str) else ""


def _day_of(ctx: Context, value: Any) -> date | None:
    if isinstance(value, datetime):
        return value.astimezone(ZoneInfo(ctx.tenant.timezone)).date()
    return value if isinstance(value, date) else None
