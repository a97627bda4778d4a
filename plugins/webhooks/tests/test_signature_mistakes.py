"""The mistakes that receivers make when they compute a signature are found by name."""

import base64
import hashlib
import hmac
import json

import pytest

from billycan_webhooks import signing
from billycan_webhooks.signature_mistakes import Signed, find_mistakes

SECRET, OTHER = bytes(range(32)), b"\xff" * 32
BODY = (
    '{"event":"invoice.paid","timestamp":"2026-11-21T00:00:00Z","data":{"name":"Zoë","total":10.00,"a":1.50}}'.encode()
)
ID, TIME = "evt_02", "1795219200"
SIGNED = Signed(
    SECRET,
    ID,
    TIME,
    BODY,
    others={"the secret of another endpoint": OTHER},
    timestamps=[TIME, "1795219750"],
    delivery_id="dlv_01",
)
TEXT = signing.PREFIX + base64.b64encode(SECRET).decode()


def mac(text=None, key=SECRET, name="sha256"):
    return hmac.digest(key, f"{ID}.{TIME}.".encode() + BODY if text is None else text, name)


def b64(raw):
    return base64.b64encode(raw).decode()


def with_body(body):
    return mac(f"{ID}.{TIME}.".encode() + body)


def in_python(**how):
    return with_body(json.dumps(json.loads(BODY), **how).encode())


STRINGIFIED = BODY.replace(b"10.00", b"10").replace(b"1.50", b"1.5")  # JSON.stringify(JSON.parse(…))


@pytest.mark.parametrize(
    ("pasted", "said"),
    [
        (b64(mac(key=TEXT.encode())), "used as text, with its whsec_"),
        (b64(mac(key=TEXT.removeprefix("whsec_").encode())), "used as text: decode"),
        (b64(mac(key=b"")), "key is empty"),
        (b64(mac(key=base64.b64decode(TEXT))), "decoded together"),
        (b64(mac(key=OTHER)), "secret of another endpoint"),
        (b64(mac(BODY)), "not the body alone"),
        (b64(mac(f"{TIME}.".encode() + BODY)), "The id is missing"),
        (b64(mac(f"{ID}.".encode() + BODY)), "The timestamp is missing"),
        (b64(with_body(b"")), "The body is missing"),
        (b64(mac(f"{TIME}.{ID}.".encode() + BODY)), "wrong way round"),
        (b64(mac(f"{ID}.1795219750.".encode() + BODY)), "another attempt"),
        (b64(mac(f"{ID}.{TIME}000.".encode() + BODY)), "milliseconds"),
        (b64(mac(f"dlv_01.{TIME}.".encode() + BODY)), "The delivery's id"),
        (b64(with_body(STRINGIFIED)), "parsed and written again"),
        (b64(in_python()), "parsed and written again"),
        (b64(in_python(sort_keys=True)), "parsed and written again"),
        (b64(in_python(separators=(",", ":"))), "parsed and written again"),
        (b64(with_body(BODY + b"\n")), "line break"),
        (b64(with_body(BODY.decode("latin-1").encode())), "character set"),
        (b64(mac(name="sha1")), "SHA-1"),
        (b64(mac(name="sha512")), "SHA-512"),
        (b64(hashlib.sha256(f"{ID}.{TIME}.".encode() + BODY).digest()), "without the secret"),
        (mac().hex(), "hexadecimal"),
        (f"sha256={mac().hex().upper()}", "hexadecimal"),
        (b64(mac().hex().encode()), "base64 of hexadecimal text"),
        (b64(mac()).rstrip("="), "= at the end"),
        (base64.urlsafe_b64encode(mac()).decode(), "URL-safe"),
    ],
)
def test_each_usual_mistake_is_named_alone(pasted, said):
    verdict = find_mistakes(pasted, SIGNED)
    assert verdict and not verdict.matches and len(verdict.mistakes) == 1 and said in verdict.mistakes[0], verdict


def test_mistakes_that_come_together_are_all_named():
    verdict = find_mistakes(mac(STRINGIFIED, key=TEXT.encode()).hex(), SIGNED)
    said = ("whsec_", "parsed", "not the body alone", "hexadecimal")
    assert verdict and all(a in b for a, b in zip(said, verdict.mistakes, strict=True)), verdict


def test_ours_matches_in_every_form_that_the_header_has_it():
    for pasted in (b64(mac()), f"v1,{b64(mac())}", f" v1,{b64(OTHER)}  v1,{b64(mac())}\n", f'"{b64(mac())}"'):
        assert find_mistakes(pasted, SIGNED).matches, pasted


def test_what_nobody_can_explain_is_not_explained_and_ends_soon():
    big = Signed(SECRET, ID, TIME, json.dumps({"data": "x" * 1_000_000}).encode())
    for pasted in ("", "?", "nonsense", b64(b"x" * 32), "=" * 600, "\x00é" * 100, "v1," * 100):
        assert find_mistakes(pasted, SIGNED) is None, pasted
    assert find_mistakes(b64(b"x" * 32), big) is None
