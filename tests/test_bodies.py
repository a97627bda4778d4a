"""Any JSON sent to any route is either read or refused as the client's fault."""

import contextlib
import json
from random import Random

import pytest

from billycan import web
from billycan.describe.schemas import describe_types
from billycan.problems import Problem
from billycan.reader import decode, decode_patch, differing
from billycan.starting import signatures
from billycan.starting.plugins import first_party, installed

NUMBERS = ["0", "-0", "1", "-1", "2.5", "1e2", "1e400", "1e9999999", "-1e9999999", "1e-9999999", "0e9999999"]
NUMBERS += ["1e999999999999999999999", "9" * 50, "0." + "9" * 50, "2147483648", "9223372036854775808", "14.0"]
TEXTS = ["", " ", "a", "con_1", "AUD", "2026-11-30", "2026-02-30", "2026-11-30T09:00:00Z", "08:00", "24:00", "\0"]
TEXTS += ["\ud800", "1e5", "19.95", "NaN", "x" * 201, "ada@example.com", "https://example.com", "47555222000", "0800"]
TEXTS += ["Australia/Hobart", "*", "invoice.*", "gst", "client", "monday", "null", "é" * 60, "\u0301" * 60]
CHARACTERS = 'aZ0 .-/\\"\u00e9\u0301\u200b\u2028\U0001f642\0\t\n'
BODIES, DEEPEST = 200, 4


def routes():
    """List the routes of first-party plugins that take a body."""
    for plugin in sorted(first_party()):
        for route in installed()[plugin].load().manifest.routes:
            signature = signatures.read_signature(route)
            if signature.body:
                yield pytest.param(signature, id=f"{route.method} {route.path}")


def words(kind):
    """List the names of members in a schema, and all its other names."""
    _, structs = describe_types([kind])
    names = {name for struct in structs.values() for name in struct["properties"]}
    return sorted(names), sorted({text for text in json.dumps(structs).split('"') if text.isidentifier()})


def bodies(signature, random):
    """Generate JSON texts of any shape, mostly from the members that the route knows."""
    names, values = words(signature.body)
    texts, keys = TEXTS + values, [*names, "id", "total", "status", "created_at", "x"]

    def scalar():
        text = random.choice(texts) if random.random() < 0.9 else "".join(random.choices(CHARACTERS, k=5))
        return random.choice([*NUMBERS, "null", "true", "false"]) if random.random() < 0.5 else json.dumps(text)

    def anything(depth):
        shape = random.random()
        if depth == DEEPEST or shape < 0.5:
            return scalar()
        return (
            members(depth) if shape < 0.8 else f"[{','.join(anything(depth + 1) for _ in range(random.randint(0, 4)))}]"
        )

    def members(depth):
        chosen = random.sample(keys, random.randint(depth == 0, min(8, len(keys))))
        return f"{{{','.join(f'{json.dumps(key)}:{anything(depth + 1)}' for key in chosen)}}}"

    return [members(0) for _ in range(BODIES)]


@pytest.mark.parametrize("signature", [*routes()])
def test_a_body_is_read_or_refused(signature):
    for text in bodies(signature, Random(signature.body.__qualname__)):
        raw = text.encode("utf-8", "surrogatepass")
        try:
            with contextlib.suppress(Problem):
                decode(web.parse(raw), signature.body, signature.shown)
            with contextlib.suppress(Problem):
                patch, aside = decode_patch(web.parse(raw), signature.body, signature.shown)
                differing(aside, dict.fromkeys(signature.body.__struct_fields__))
                patch.over(dict.fromkeys(signature.body.__struct_fields__))
        except Exception as error:
            error.add_note(text)
            raise
