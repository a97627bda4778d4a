"""The explorer's code as shown: each operation's curl, Python and TypeScript, run on a fresh demo."""

import contextlib
import io
import json
import re
import shutil
import sqlite3
import subprocess

import pytest
import sqlalchemy as sa

from billycan.hosting.served import serving

from .test_explorer import ALL, DESK, Explorer, resize, working_demo

NODEJS = shutil.which("node")

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

# Runs modules one after the other, each a line of JSON, and answers each with what it logged. Each is a thread with
# connections of its own: one that the server closes at this moment would fail the next.
NODE = """
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Worker } from "node:worker_threads";
for await (const line of createInterface({ input: process.stdin })) {
  const code = new URL(`data:text/javascript,${encodeURIComponent(JSON.parse(line))}`);
  const worker = new Worker(code, { stdout: true });
  let said = "";
  worker.stdout.on("data", (part) => (said += part));
  worker.on("error", (error) => (said += `${error}`));
  await Promise.all([once(worker.stdout, "end"), new Promise((done) => worker.on("exit", done))]);
  console.log(JSON.stringify(said.trimEnd()));
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


@contextlib.contextmanager
def snapshot(db):
    """Give a function that makes the database what it is now, below the server that has it open."""
    with contextlib.closing((_of_sqlite if db.is_sqlite else _of_postgresql)(db)) as steps:
        next(steps)
        yield lambda: next(steps)


def _of_sqlite(db):
    fresh = sqlite3.connect(":memory:")
    with contextlib.closing(sqlite3.connect(db.url.database)) as now:
        now.backup(fresh)
    while True:
        yield
        with contextlib.closing(sqlite3.connect(db.url.database, timeout=60)) as now:
            now.execute("PRAGMA synchronous = OFF")
            fresh.backup(now)


# A trigger of each table notes that it was written to: to fill all of them anew takes a second.
NOTED = """
CREATE SCHEMA fresh;
CREATE TABLE fresh.written (name text);
CREATE FUNCTION fresh.note() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN INSERT INTO fresh.written VALUES (TG_TABLE_NAME); RETURN NULL; END'
"""
COPIED = """
CREATE TABLE fresh.{0} AS TABLE public.{0};
CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON public.{0} EXECUTE FUNCTION fresh.note()
"""


def _of_postgresql(db):
    engine = sa.create_engine(db.url, poolclass=sa.pool.NullPool)
    with engine.begin() as now:
        names = now.exec_driver_sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").scalars().all()
        now.exec_driver_sql(NOTED + "".join(f";{COPIED.format(name)}" for name in names))
    while True:
        yield
        with engine.begin() as now:
            now.exec_driver_sql("SET LOCAL session_replication_role = replica")
            for name in now.exec_driver_sql("SELECT DISTINCT name FROM fresh.written").scalars().all():
                now.exec_driver_sql(f"DELETE FROM public.{name}; INSERT INTO public.{name} TABLE fresh.{name}")
            now.exec_driver_sql("DELETE FROM fresh.written")


@pytest.mark.skipif(not NODEJS, reason="The code that is shown was NOT TESTED: apt-get install -y nodejs")
def test_the_code_of_every_operation_runs_as_shown_on_a_fresh_demo(browser, engine, databases, tmp_path, monkeypatch):
    with serving(databases.empty(engine), ALL, tmp_path, workers=1) as server:
        client = working_demo(server.app)
        monkeypatch.setenv("KEY", client.secret)
        resize(browser, *DESK)
        page = Explorer(browser, f"http://127.0.0.1:{server.port}", client).open()
        names = page.script("return [...document.querySelectorAll('#endpoints a')].map((a) => a.hash)")
        shown = {name[1:]: browser.execute_async_script(SHOWN, name) for name in names}
        described = client.call("GET", "/v1/openapi.json", status=200).json["paths"].values()
        operations = [operation for item in described for operation in item.values() if "operationId" in operation]
        fits = {o["operationId"]: {s for s in o["responses"] if s.startswith("2")} for o in operations}
        assert shown.keys() == fits.keys() and len(shown) > 220
        refused = {}
        with node() as typescript, snapshot(server.app.db) as restore:
            # A database is asked the same by each language; the server, too.
            languages = (curl, python, typescript) if engine == "sqlite" else (None, python, None)
            for name, codes in shown.items():
                for run, code in zip(languages, codes, strict=True):
                    if run is None:
                        continue
                    status, text = run(code)
                    if status not in fits[name]:
                        refused.setdefault(name, []).append((status, text))
                    if re.search(r"-X |requests\.(?!get)|method:", code):
                        restore()
        assert not refused
