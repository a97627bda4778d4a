"""The explorer's code as shown: each operation's curl, Python and TypeScript, run on a fresh demo."""

import contextlib
import io
import json
import re
import shutil
import sqlite3
import subprocess

import pytest

from billycan import demo
from billycan.hosting.served import serving
from billycan.starting.plugins import first_party
from billycan.testing import Client

from .test_explorer import DESK, Explorer, resize

NODEJS = shutil.which("node")
PLUGINS = tuple(sorted(first_party() - {"redis_limits"}))
# A rule belongs to a person and a proposal to an agent: the demo has neither, and no call with a key makes one.
LACKING = {"get_notification_rule", "update_notification_rule", "get_proposal"}

# Open an operation, and return its code in each language once it is shown.
SHOWN = """
const [hash, done] = arguments;
const look = () => {
  if (document.querySelector('a[aria-current=page]')?.hash !== hash) return setTimeout(look, 5);
  done([...document.querySelectorAll('#code pre')].map((code) => code.textContent));
};
location.hash = hash;
look();
"""

# Runs modules one after the other, each a line of JSON, and answers each with what it logged.
NODE = """
import { createInterface } from "node:readline";
const answer = console.log;
let said = [];
console.log = (...parts) => said.push(parts.join(" "));
for await (const line of createInterface({ input: process.stdin })) {
  said = [];
  await import(`data:text/javascript,${encodeURIComponent(JSON.parse(line))}`).catch((error) => said.push(`${error}`));
  answer(JSON.stringify(said.join("\\n")));
}
"""

# What the shell's curl prints after an answer is its status.
CURL = """curl() { command curl -sS -w '\\n%{http_code}' "$@"; }
"""


def curl(code):
    """Run the shell's commands; return the status and the text of the last answer."""
    done = subprocess.run(["bash", "-c", CURL + code], check=False, capture_output=True, timeout=60)
    text, _, status = done.stdout.decode("utf-8", "replace").rpartition("\n")
    return status, text + done.stderr.decode()


def python(code):
    """Run a program in this process, where `requests` is imported once for all."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(code, "shown.py", "exec"), {"__name__": "__main__"})
        except (OSError, LookupError, TypeError) as error:
            return "", repr(error)
    status, _, text = printed.getvalue().partition(" ")
    return status, text


@contextlib.contextmanager
def node():
    """Give a function that runs a module, and returns its status and text, in one Node process for all."""
    command, pipe = [NODEJS, "--input-type=module", "--eval", NODE], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:

        def run(code):
            process.stdin.write(json.dumps(code) + "\n")
            process.stdin.flush()
            status, _, text = json.loads(process.stdout.readline()).partition(" ")
            return status, text

        yield run
        process.stdin.close()


def restore(fresh, path):
    """Make the database what it was, below the server that has it open."""
    with contextlib.closing(sqlite3.connect(path, timeout=60)) as now:
        now.execute("PRAGMA synchronous = OFF")
        fresh.backup(now)


@pytest.mark.skipif(not NODEJS, reason="The code that is shown was NOT TESTED: apt-get install -y nodejs")
def test_the_code_of_every_operation_runs_as_shown_on_a_fresh_demo(browser, tmp_path, monkeypatch):
    path = tmp_path / "demo.db"
    with serving(f"sqlite:///{path}", PLUGINS, tmp_path, workers=1) as server:
        client = Client(server.app, demo.first(server.app).sandbox)
        monkeypatch.setenv("KEY", client.secret)
        resize(browser, *DESK)
        page = Explorer(browser, f"http://127.0.0.1:{server.port}", client).open()
        names = page.script("return [...document.querySelectorAll('#endpoints a')].map((a) => a.hash)")
        shown = {name[1:]: browser.execute_async_script(SHOWN, name) for name in names}
        described = client.call("GET", "/v1/openapi.json", status=200).json["paths"].values()
        operations = [operation for item in described for operation in item.values() if "operationId" in operation]
        fits = {o["operationId"]: {s for s in o["responses"] if s.startswith("2")} for o in operations}
        assert shown.keys() == fits.keys() and len(shown) > 220
        fresh = sqlite3.connect(":memory:")
        with contextlib.closing(sqlite3.connect(path)) as now:
            now.backup(fresh)
        refused = {}
        with node() as typescript:
            for name, codes in shown.items():
                for run, code in zip((curl, python, typescript), codes, strict=True):
                    status, text = run(code)
                    if status not in fits[name]:
                        refused.setdefault(name, []).append((status, text))
                    if re.search(r"-X |requests\.(?!get)|method:", code):
                        restore(fresh, path)
        assert refused.keys() == LACKING, refused
        assert {status for answers in refused.values() for status, _ in answers} == {"404"}
