"""The calendar's entries as iCalendar (RFC 5545)."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Any

from billycan.fields import Moment

MEDIA_TYPE = "text/calendar; charset=utf-8"
_OPEN_END = timedelta(hours=1)  # of an entry that says no end, so that a calendar shows a block of some size
_REFRESH = "PT1H"


def write_calendar(name: str, entries: Iterable[Mapping[str, Any]], page_of: Mapping[str, str]) -> bytes:
    """Return a calendar file of entries as `GET /v1/calendar` shows them.

    Each has a UID that never changes, and the version and the time of its last change as its SEQUENCE and DTSTAMP, so
    equal entries give equal bytes. `page_of` maps a type to the address of its records' pages.
    """
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//billycan//calendar feeds//EN",
        "CALSCALE:GREGORIAN",
        f"NAME:{_escape_text(name)}",
        f"X-WR-CALNAME:{_escape_text(name)}",  # the name that Apple, Google and Outlook read
        f"REFRESH-INTERVAL;VALUE=DURATION:{_REFRESH}",
        f"X-PUBLISHED-TTL:{_REFRESH}",
    ]
    for entry in entries:
        lines += _write_event(entry, page_of.get(entry["type"], ""))
    lines.append("END:VCALENDAR")
    return b"".join(_fold_line(line) for line in lines)


def _write_event(entry: Mapping[str, Any], page: str) -> Iterator[str]:
    start, changed = Moment.read(entry["start_at"]), _write_time(Moment.read(entry["updated_at"]))
    end = Moment.read(entry["end_at"]) if entry["end_at"] else start + _OPEN_END
    client = entry["client"]["name"] if entry["client"] else ""
    summary = entry["title"] if client in ("", entry["title"]) else f"{entry['title']} for {client}"
    cancelled, pending = entry["cancelled"], entry["status"] == "pending"
    members = {
        "UID": f"{entry['id']}@billycan",
        "SEQUENCE": str(entry["version"]),
        "DTSTAMP": changed,
        "LAST-MODIFIED": changed,
        "DTSTART": _write_time(start),
        "DTEND": _write_time(max(start, end)),
        "SUMMARY": _escape_text(summary),
        "LOCATION": _escape_text(entry["location"] or ""),
        "URL": f"{page}/{entry['id']}" if page else "",
        "STATUS": "CANCELLED" if cancelled else "TENTATIVE" if pending else "CONFIRMED",
        "TRANSP": "TRANSPARENT" if cancelled else "",
    }
    yield "BEGIN:VEVENT"
    yield from (f"{name}:{value}" for name, value in members.items() if value)
    yield "END:VEVENT"


def _write_time(moment: Any) -> str:
    return f"{moment:%Y%m%dT%H%M%SZ}"


def _escape_text(text: str) -> str:
    """Escape a TEXT value (section 3.3.11)."""
    for character in "\\;,":
        text = text.replace(character, f"\\{character}")
    return text.replace("\n", "\\n")


def _fold_line(line: str) -> bytes:
    """Fold a line into parts of at most 75 octets, without splitting a character (section 3.1)."""
    parts, size = [b""], 75
    for character in line:
        octets = character.encode()
        if len(parts[-1]) + len(octets) > size:
            parts.append(b" ")
        parts[-1] += octets
    return b"\r\n".join(parts) + b"\r\n"
