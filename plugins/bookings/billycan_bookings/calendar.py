"""A booking as an iCalendar file (RFC 5545)."""

from datetime import datetime

from .schemas import Booking

MEDIA_TYPE = "text/calendar; charset=utf-8"
# A booking that is not going to happen stays in a calendar as cancelled, so that importing it again takes it out.
_STATUSES = {"pending": "TENTATIVE", "cancelled": "CANCELLED", "declined": "CANCELLED"}


def calendar(booking: Booking) -> bytes:
    """The file: one event with a lasting UID, its SEQUENCE the booking's version."""
    members = {
        "UID": f"{booking.id}@billycan",
        "SEQUENCE": str(booking.version),
        "DTSTAMP": _time(booking.updated_at),
        "CREATED": _time(booking.created_at),
        "LAST-MODIFIED": _time(booking.updated_at),
        "DTSTART": _time(booking.start_at),
        "DTEND": _time(booking.end_at),
        "SUMMARY": _text(f"{booking.service.name} for {booking.client.name}"),
        "LOCATION": _text(booking.location or ""),
        "DESCRIPTION": _text(booking.notes or ""),
        "STATUS": _STATUSES.get(booking.status, "CONFIRMED"),
    }
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//billycan//bookings//EN", "BEGIN:VEVENT"]
    lines += [f"{name}:{value}" for name, value in members.items() if value]
    lines += ["END:VEVENT", "END:VCALENDAR"]
    return b"".join(_folded(line) for line in lines)


def _time(moment: datetime) -> str:
    return f"{moment:%Y%m%dT%H%M%SZ}"


def _text(text: str) -> str:
    """A TEXT value: what has a meaning there is escaped (section 3.3.11)."""
    for character in "\\;,":
        text = text.replace(character, f"\\{character}")
    return text.replace("\n", "\\n")


def _folded(line: str) -> bytes:
    """A line of at most 75 octets to each of its parts, none cut within a character (section 3.1)."""
    parts, size = [b""], 75
    for character in line:
        octets = character.encode()
        if len(parts[-1]) + len(octets) > size:
            parts.append(b" ")
        parts[-1] += octets
    return b"\r\n".join(parts) + b"\r\n"
