"""The bench measures only servers whose answers equal billycan's."""

import argparse
import importlib.util
import json
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from billycan.testing import throwaway
from billycan.testing.databases import NOT_TESTED

BENCH = Path(__file__).parent / "lab" / "bench"
PAGES = ("cursor, halfway", "number", "number, last", "number, after a change", "number, late, after a change")
ASKED = '{"data":{"id":"inv_1a","total":10.00,"lines":[{"net":1.50}],"number":"INV-0001","client_id":"con_1"}}'


@pytest.fixture(scope="module")
def bench():
    """Import tests/lab/bench/run.py, which imports other modules of its folder."""
    sys.path.append(str(BENCH))
    spec = importlib.util.spec_from_file_location("billycan_bench", BENCH / "run.py")
    module = sys.modules["billycan_bench"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(BENCH))


@pytest.mark.parametrize(
    "theirs, found",
    [
        (ASKED, []),
        (ASKED.replace("10.00", "10.0"), [".data.total"]),
        (ASKED.replace("1.50", "1.51"), [".data.lines[].net"]),
        (ASKED.replace("[{", '[{"net":1.50},{'), [".data.lines"]),
        (ASKED.replace(',"client_id":"con_1"', ""), [".data.client_id"]),
        (ASKED.replace('"id":"inv_1a","total":10.00', '"total":10.00,"id":"inv_1a"'), ["the order of members"]),
        (ASKED.replace("inv_1a", "inv_2b"), [".data.id"]),
    ],
)
def test_answers_differ_where_one_byte_does(bench, theirs, found):
    assert [path.partition(",")[0] for path in bench.differences(ASKED.encode(), theirs.encode())] == found


@pytest.mark.parametrize(
    "theirs, found",
    [
        (ASKED.replace("inv_1a", "inv_2b").replace("INV-0001", "INV-10000"), []),
        (ASKED.replace("inv_1a", "quo_1a"), [".data.id"]),
        (ASKED.replace("INV-0001", "INV-1"), [".data.number"]),
        (ASKED.replace("con_1", "con_2"), [".data.client_id"]),
    ],
)
def test_records_that_each_server_made_may_have_their_own_ids_and_numbers(bench, theirs, found):
    assert bench.differences(ASKED.encode(), theirs.encode(), made_anew=True) == found


def test_a_cursor_is_each_servers_own_but_one_may_not_be_missing(bench):
    ours = b'{"pagination":{"total":3,"next_cursor":"a","prev_cursor":null}}'
    assert bench.differences(ours, ours.replace(b'"a"', b'"b"')) == []
    assert bench.differences(ours, ours.replace(b'"a"', b"null")) == [".pagination.next_cursor"]


def served(bench, stack, url, folder, *names):
    """Start servers with a few rows; return them and their requests."""
    options = argparse.Namespace(worker_class="gthread", workers=1, threads=2, connections=1)
    sizes = bench.Sizes(invoices=100, contacts=200, deep=50)
    app = bench.application(url, str(folder / "shared"))
    filled = bench.fill(app, sizes, 1)
    app.close()
    targets = []
    for name in names:
        members = bench.members_of(targets[0], filled) if targets else None
        targets.append(stack.enter_context(bench.serving(name, url, filled, folder, options, members)))
    return targets, bench.operations(filled, sizes, "")


@pytest.mark.long
def test_a_server_that_answers_otherwise_is_not_measured(bench, tmp_path):
    class Altered(bench.Target):
        """A server's answer with one text replaced."""

        old = new = b""

        def ask(self, *asked):
            return super().ask(*asked).replace(self.old, self.new)

    with ExitStack() as stack:
        (billycan,), asked = served(bench, stack, f"sqlite:///{tmp_path}/bench.db", tmp_path, "billycan")
        asked = {name: each for name, each in asked.items() if each.of_peers}
        other = Altered("floor", billycan.server, billycan.headers)
        bench.check(other, asked, billycan, asked)
        for old, new, found in (
            (b'"total":328.35', b'"total":328.36', "list 25 of 100 invoices: .data[].total"),
            (b'"unit":null', b'"unit":""', "get one invoice: .data.line_items[].unit"),
            (b'"status":"draft"', b'"status":"sent"', "create with 5 lines: billycan reads another status"),
            (b'"status":"draft"', b'"status":"sent"', "create with 5 lines: its event in the log"),
            (b'"INV-100', b'"INV-200', "list 25 of 100 invoices: the second page"),
        ):
            Altered.old, Altered.new = old, new
            with pytest.raises(SystemExit) as ended:
                bench.check(other, asked, billycan, asked)
            assert found in str(ended.value).split("\n  ")


@pytest.mark.long
def test_the_floor_answers_as_billycan_does(bench, engine, tmp_path):
    url = f"sqlite:///{tmp_path}/bench.db"
    if engine == "postgresql":
        server = throwaway.start()
        if server is None:
            pytest.skip(NOT_TESTED)
        url = server.database("bench").render_as_string(hide_password=False)
    with ExitStack() as stack:
        (billycan, floor), asked = served(bench, stack, url, tmp_path, "billycan", "floor")
        asked = {name: each for name, each in asked.items() if "cursor" not in name}
        bench.check(floor, asked, billycan, asked)


@pytest.mark.long
def test_growth_is_measured_and_drawn_for_rows_that_the_indexes_know(bench, engine, tmp_path, monkeypatch, capsys):
    if engine == "postgresql" and throwaway.find() is None:
        pytest.skip(NOT_TESTED)
    growth = bench.growth
    for name, value in {"ROWS": (60, 120, 0), "BUSINESSES": (1, 3, 0), "WARM": 1, "QUICKLY": 1}.items():
        monkeypatch.setattr(growth, name, value)
    answers = {}

    def asked(app, key, rows):
        found = requests(app, key, rows)
        for name in found.requests if rows == 120 else ():
            answers[name] = json.loads(found.ask(name, 0)[1])
        return found

    requests = growth._requests
    monkeypatch.setattr(growth, "_requests", asked)
    given = ["run.py", "--growth", "--quick", "--json", "--database", engine, "--pictures", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", given)
    bench.main()
    points = json.loads(capsys.readouterr().out)
    sizes = {("invoices", 60), ("invoices", 120), ("businesses", 1), ("businesses", 3)}
    assert {(p["grows"], p["size"]) for p in points} == sizes and all(p["ms"] > 0 for p in points)
    totals = {name: answer["pagination"]["total"] for name, answer in answers.items() if answer["pagination"]}
    assert totals == {
        **{"list": 121, "list of one client": 120, "custom filter, 1 hit": 1, "custom filter, 20 hits": 20},
        **{f"{name} by {way}": 121 for name in ("page", "sorted by a custom field") for way in PAGES},
        **{"total of a fifth": 24, "the same, after a change": 24},
        **{"search, 20 hits": 20, "search, 3 hits": 3, "search, no hit": 0},
    }
    found = {name: len(answers[f"search of all, {name}"]["data"]) for name in ("20 hits", "no hit")}
    assert found == {"20 hits": 20, "no hit": 0}
    assert [group["count"] for group in answers["GST of a quarter"]["data"]] == [51]  # and the one they are copies of
    for grows in ("invoices", "businesses"):
        picture = (tmp_path / f"growth-{engine}-{grows}.svg").read_text("utf-8")
        assert all(p["operation"] in picture for p in points if p["grows"] == grows)


@pytest.mark.long
def test_load_is_paced_and_counted_from_when_it_was_due(bench, tmp_path):
    with ExitStack() as stack:
        (billycan,), asked = served(bench, stack, f"sqlite:///{tmp_path}/bench.db", tmp_path, "billycan")
        get = f"GET {asked['get one invoice'].paths[0]} HTTP/1.1\r\nHost: x\r\n{billycan.headers['books'][0]}\r\n\r\n"
        done = bench.loaded._load(billycan.server, [[get], [get]], 0.5, rate=40)
        assert len(done["microseconds"]) == 20 and done["statuses"] == {"200": 20} and done["seconds"] >= 0.45
        held = bench.loaded.load.hold(billycan.server.port, 6, 3)
        assert bench.loaded.load.ask_again(held) == 6
