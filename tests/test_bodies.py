"""Any JSON sent to any route is either read or refused as the client's fault."""

import contextlib
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from billycan import web
from billycan.describe.schemas import described
from billycan.problems import Problem
from billycan.reader import decode, decode_patch, differing
from billycan.starting import signatures
from billycan.starting.plugins import first_party, installed

NUMBERS = ["0", "-0", "1", "-1", "2.5", "1e2", "1e400", "1e9999999", "-1e9999999", "1e-9999999", "0e9999999"]
NUMBERS += ["1e999999999999999999999", "9" * 50, "0." + "9" * 50, "2147483648", "9223372036854775808", "14.0"]
TEXTS = ["", " ", "a", "con_1", "AUD", "2026-11-30", "2026-02-30", "2026-11-30T09:00:00Z", "08:00", "24:00", "\0"]
TEXTS += ["\ud800", "1e5", "19.95", "NaN", "x" * 201, "ada@example.com", "https://example.com", "47555222000", "0800"]
TEXTS += ["Australia/Hobart", "*", "invoice.*", "gst", "client", "monday", "null", "é" * 60, "\u0301" * 60]


def routes():
    """List the routes of first-party plugins that take a body."""
    for plugin in sorted(first_party()):
        for route in installed()[plugin].load().manifest.routes:
            signature = signatures.read(route)
            if signature.body:
                yield pytest.param(signature, id=f"{route.method} {route.path}")


def words(kind):
    """List the names of members in a schema, and all its other names."""
    _, structs = described([kind])
    names = {name for struct in structs.values() for name in struct["properties"]}
    return sorted(names), sorted({text for text in json.dumps(structs).split('"') if text.isidentifier()})


def bodies(signature):
    """Generate JSON text of any shape, mostly from the members that the route knows."""
    names, values = words(signature.body)
    texts = st.sampled_from(TEXTS + values) | st.text(max_size=5)
    scalars = st.sampled_from([*NUMBERS, "null", "true", "false"]) | texts.map(json.dumps)
    keys = st.sampled_from([*names, "id", "total", "status", "created_at", "x"]).map(json.dumps)

    def larger(inner):
        members = st.dictionaries(keys, inner, max_size=8)
        items = st.lists(inner, max_size=4)
        return members.map(lambda found: f"{{{','.join(f'{k}:{v}' for k, v in found.items())}}}") | items.map(
            lambda found: f"[{','.join(found)}]"
        )

    anything = st.recursive(scalars, larger, max_leaves=20)
    return st.dictionaries(keys, anything, min_size=1).map(
        lambda found: f"{{{','.join(f'{k}:{v}' for k, v in found.items())}}}"
    )


@pytest.mark.parametrize("examples", [5, pytest.param(50, marks=pytest.mark.long)])
@pytest.mark.parametrize("signature", [*routes()])
def test_a_body_is_read_or_refused(signature, examples):
    @settings(max_examples=examples, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(bodies(signature).map(lambda text: text.encode("utf-8", "surrogatepass")))
    def read(raw):
        with contextlib.suppress(Problem):
            decode(web.parse(raw), signature.body, signature.shown)
        with contextlib.suppress(Problem):
            patch, aside = decode_patch(web.parse(raw), signature.body, signature.shown)
            differing(aside, dict.fromkeys(signature.body.__struct_fields__))
            patch.over(dict.fromkeys(signature.body.__struct_fields__))

    read()
