"""The usual mistakes in computing a signature, tried one by one and in pairs against what a receiver computed."""

import base64
import binascii
import hashlib
import hmac
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from msgspec import Struct

from .signing import encode_secret

MOST_HASHED = 64 * 1024 * 1024  # bytes, for one comparison
MOST_PASTED = 500


class Signed(Struct, frozen=True):
    """The input of a signature: the secret, the parts of the text, and the times of the delivery's other attempts."""

    secret: bytes
    webhook_id: str
    timestamp: str
    body: bytes
    others: Mapping[str, bytes] = {}  # other secrets, by description
    timestamps: Sequence[str] = ()
    delivery_id: str = ""


class Verdict(Struct, frozen=True):
    """The result of a comparison: True if it is our signature, and the mistakes in words."""

    matches: bool
    mistakes: list[str] = []


def find_mistakes(pasted: str, signed: Signed) -> Verdict | None:
    """Find the mistakes that lead to the pasted signature. Return None if none of the usual ones does."""
    given = [*_pasted_signatures(pasted[:MOST_PASTED])][:8]
    left = MOST_HASHED
    for key, body, frame, how in _ways_to_sign(signed) if given else ():
        text = frame[1](body[1])
        left -= len(text) + 128
        if left < 0:
            return None
        made = how[1](key[1], text)
        for raw, written in given:
            if hmac.compare_digest(raw, made):
                found = [each for each in (key[0], body[0], frame[0], how[0], written) if each]
                return Verdict(not found, found)
    return None


def fingerprint(secret: bytes) -> str:
    """Return the first 12 hexadecimal digits of the SHA-256 of a secret: they identify it without revealing it."""
    return hashlib.sha256(secret).hexdigest()[:12]


def _pasted_signatures(pasted: str) -> Iterator[tuple[bytes, str]]:
    """Yield the bytes that each pasted part may mean, with what is unusual about its encoding."""
    for part in re.split(r"[\s]+", pasted.strip().strip("\"'")):
        bare = re.sub(r"^(v1,|v1=|sha256=|sha1=|webhook-signature:)", "", part.strip("\"',"), flags=re.IGNORECASE)
        if re.fullmatch(r"[0-9a-fA-F]{40,128}", bare) and len(bare) % 2 == 0:
            yield bytes.fromhex(bare), "It is written in hexadecimal: write the bytes in base64."
        raw = _decode_base64(bare)
        if raw is None:
            continue
        plain = bare.replace("-", "+").replace("_", "/")
        unusual = ""
        if plain != bare:
            unusual = "It is written in URL-safe base64, with - and _: use the ordinary alphabet, with + and /."
        elif len(bare) % 4:
            unusual = "The = at the end of the base64 is missing."
        yield raw, unusual
        if re.fullmatch(rb"[0-9a-fA-F]{64}", raw):
            yield (
                bytes.fromhex(raw.decode()),
                "It is the base64 of hexadecimal text: write the bytes themselves in base64.",
            )


def _decode_base64(text: str) -> bytes | None:
    plain = text.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def _ways_to_sign(signed: Signed) -> Iterator[tuple[Any, ...]]:
    """Yield every way to sign: a key, a body, the text around it and the algorithm; the right way first.

    The ways with one mistake follow, then those with two and so on: the fewest mistakes explain best.
    """
    options: list[Sequence[Any]] = [
        [*_possible_keys(signed)],
        [*_possible_bodies(signed.body)],
        [*_possible_frames(signed)],
        _HOWS,
    ]
    for wrong in sorted(product((False, True), repeat=len(options)), key=sum):
        yield from product(*(_right_or_wrong(each, is_wrong) for each, is_wrong in zip(options, wrong, strict=True)))


def _right_or_wrong(options: Sequence[Any], is_wrong: bool) -> Sequence[Any]:
    """Return the right option, which is the first, or all the others."""
    return options[1:] if is_wrong else options[:1]


def _possible_keys(signed: Signed) -> Iterator[tuple[str, bytes]]:
    text = encode_secret(signed.secret)
    yield "", signed.secret
    yield (
        "The secret was used as text, with its whsec_: remove whsec_ and decode the rest from base64 first.",
        text.encode(),
    )
    bare = text.removeprefix("whsec_")
    yield "The secret was used as text: decode what follows whsec_ from base64 first.", bare.encode()
    for lenient in (base64.b64decode(text), _decode_base64(text[:48])):  # as Python reads it, then as Node does
        yield "The secret was decoded together with its whsec_: remove that first.", lenient or b""
    yield "The key is empty: the secret was not read, for instance from a variable that is not set.", b""
    for what, other in signed.others.items():
        yield f"It was signed with {what}: use the one that this endpoint has now.", other


def _possible_frames(signed: Signed) -> Iterator[tuple[str, Callable[[bytes], bytes]]]:
    id, time = signed.webhook_id.encode(), signed.timestamp.encode()
    yield "", _frame_body(id, time)
    yield "The id and the timestamp are missing: sign id.timestamp.body, not the body alone.", lambda body: body
    yield "The id is missing: sign id.timestamp.body.", lambda body: b"%s.%s" % (time, body)
    yield "The timestamp is missing: sign id.timestamp.body.", lambda body: b"%s.%s" % (id, body)
    yield (
        "Id and timestamp are the wrong way round: sign id.timestamp.body.",
        lambda body: b"%s.%s.%s" % (time, id, body),
    )
    yield "The full stops are missing: sign id.timestamp.body.", lambda body: id + time + body
    yield "The parts are joined by a colon: join them by full stops.", lambda body: b"%s:%s:%s" % (id, time, body)
    yield (
        "The timestamp was made into milliseconds: use the header webhook-timestamp as it came.",
        lambda body: b"%s.%s000.%s" % (id, time, body),
    )
    for other in {each.encode() for each in signed.timestamps} - {time}:
        yield "The timestamp is that of another attempt: each attempt is signed anew.", _frame_body(id, other)
    if signed.delivery_id not in ("", signed.webhook_id):
        of_delivery = _frame_body(signed.delivery_id.encode(), time)
        yield "The delivery's id was used: use the header webhook-id, which is the event's.", of_delivery


def _frame_body(first: bytes, second: bytes) -> Callable[[bytes], bytes]:
    return lambda body: b"%s.%s.%s" % (first, second, body)


def _possible_bodies(body: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the body, then the bodies that result from parsing and rewriting it, or from reading it carelessly."""
    parsed = "The body was parsed and written again as JSON: sign the raw bytes, exactly as they arrived."
    yield "", body
    try:
        floats, exact = json.loads(body), json.loads(body, parse_float=_js_number)
    except (ValueError, RecursionError):
        floats = exact = None
    if floats is not None:
        compact = (",", ":")
        for value, in_order, in_ascii in product((floats, exact), (False, True), (True, False)):
            for separators in (None, compact):
                text = json.dumps(value, sort_keys=in_order, ensure_ascii=in_ascii, separators=separators)
                yield parsed, text.encode("utf-8", "replace")
        yield parsed, json.dumps(exact, indent=2, ensure_ascii=False).encode("utf-8", "replace")
        if isinstance(exact, dict) and "data" in exact:
            data = json.dumps(exact["data"], ensure_ascii=False, separators=compact).encode("utf-8", "replace")
            yield "Only the member data was signed, parsed and written again: sign the whole raw body.", data
    yield "The body is missing: it was read before, or is empty. Keep the raw bytes.", b""
    yield "A line break was added to the body: sign the raw bytes.", body + b"\n"
    yield "A line break was added to the body: sign the raw bytes.", body + b"\r\n"
    yield "The body was decoded with another character set: sign the raw bytes.", body.decode("latin-1").encode()


def _js_number(text: str) -> float | int:
    """Return a number as JavaScript writes it: 10.00 becomes 10."""
    number = float(text)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _hmac_by(name: str) -> Any:
    return lambda key, text: hmac.digest(key, text, name)


_HOWS = (
    ("", _hmac_by("sha256")),
    ("The hash is SHA-1: use HMAC-SHA256.", _hmac_by("sha1")),
    ("The hash is SHA-512: use HMAC-SHA256.", _hmac_by("sha512")),
    (
        "The text was hashed without the secret: use HMAC-SHA256, with the secret as its key.",
        lambda key, text: hashlib.sha256(text).digest(),
    ),
    (
        "Key and text were hashed one after the other: use HMAC-SHA256, with the secret as its key.",
        lambda key, text: hashlib.sha256(key + text).digest(),
    ),
    (
        "Key and text are the wrong way round: the secret is HMAC's key.",
        lambda key, text: hmac.digest(text, key, "sha256"),
    ),
)
