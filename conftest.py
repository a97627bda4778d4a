"""The same examples of properties in each run; and whole files run once more, with an app's access token for a key."""

import fcntl
import gc
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from billycan import App
from billycan.starting.packages import absent
from billycan.testing import Client

# The same examples each time, however slow and busy the machine is; HYPOTHESIS_PROFILE=search looks for new ones.
settings.register_profile(
    "same", deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, max_examples=50
)
settings.register_profile("search", settings.get_profile("same"), derandomize=False, max_examples=2_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

ROOT = Path(__file__).parent
WHOLE = ROOT / "tests"
LONG = {WHOLE / name for name in ("browser", "crash", "generators")}  # all that is in these folders takes long

# What is imported, collected and kept by tests grows to a GB: the garbage collector looks through it rarely.
gc.set_threshold(50_000, 50, 50)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out folders of which no test would be left, and what they import, such as a browser's driver."""
    return True if collection_path in LONG and config.getoption("markexpr") == "not long" else None


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "as_app: what is true of keys is true of apps' access tokens, too")


def pytest_collection_finish() -> None:
    """Keep the garbage collector from looking through thousands of tests, and all they import."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Look once for what was never closed: pytest does so five times, through all that thousands of tests left."""
    gc.collect()
    gc.freeze()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if metafunc.definition.get_closest_marker("as_app"):
        metafunc.fixturenames.append("credential")
        token = pytest.param("token", marks=pytest.mark.long)
        metafunc.parametrize("credential", ["key", *([] if "apps" in absent() else [token])], indirect=True)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the tests of the whole, the longest, so that no worker waits at the end while another runs one.

    Access tokens are left out on PostgreSQL: the tests of apps look them up there, and what follows is as with keys.
    """
    whole = f"{WHOLE}/"
    items.sort(key=lambda item: not str(item.path).startswith(whole))
    if not config.getoption("--engine"):
        config.hook.pytest_deselected(items=[item for item in items if _is_token_on_postgresql(item)])
        items[:] = [item for item in items if not _is_token_on_postgresql(item)]


def _is_token_on_postgresql(item: pytest.Item) -> bool:
    params = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    return params.get("credential") == "token" and params.get("engine") == "postgresql"


@pytest.fixture(scope="session", autouse=True)
def costly_hasher() -> Iterator[Any]:
    """Hash people's passwords at the least cost in all tests; give the deployment's hasher, which takes 30 ms each."""
    if "users" in absent():
        yield None
        return
    from argon2 import PasswordHasher  # noqa: PLC0415 - a dependency of that plugin

    from billycan_users import passwords  # noqa: PLC0415 - not without that plugin

    hasher = passwords._hasher
    passwords._hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    yield hasher
    passwords._hasher = hasher


@pytest.fixture(scope="session")
def fetch_packages() -> Callable[[Path, str], str]:
    """Put npm's packages beside the lock in a folder, once for all processes; return the command node.

    Skips a test where that cannot be: `fetch_packages(folder, "Generators of clients")` says what was not tested.
    """

    def fetch(folder: Path, tested: str) -> str:
        npm, node = shutil.which("npm"), shutil.which("node")
        if npm is None or node is None:
            pytest.skip(f"{tested} NOT TESTED: no node and npm here")
        installed, lock = folder / "node_modules" / ".package-lock.json", folder / "package-lock.json"
        with lock.open() as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
                words = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
                done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
                if done.returncode:
                    pytest.skip(f"{tested} NOT TESTED: npm ci failed: {(done.stdout + done.stderr)[-300:]}")
        return node

    return fetch


@pytest.fixture(scope="session")
def fetch_environment() -> Callable[[str, str], Path]:
    """Put locked packages of PyPI in an environment of their own, once for all processes; return its folder `bin`.

    Skips a test where that cannot be: `fetch_environment("generators", "Generators of clients")` takes the packages of
    deploy/requirements/generators.txt, and says what was not tested.
    """

    def fetch(name: str, tested: str) -> Path:
        lock, home = ROOT / "deploy" / "requirements" / f"{name}.txt", ROOT / ".venv" / name
        with lock.open() as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            if not (home / "lock").exists() or (home / "lock").read_bytes() != lock.read_bytes():
                shutil.rmtree(home, ignore_errors=True)
                subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
                pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", home / "bin" / "python"]
                words = [*pip, "install", "-qq", "--require-hashes", "--no-deps", "-r", lock]
                done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
                if done.returncode:
                    pytest.skip(f"{tested} NOT TESTED: pip failed: {(done.stdout + done.stderr)[-300:]}")
                shutil.copy(lock, home / "lock")
        return home / "bin"

    return fetch


@pytest.fixture
def examples(engine: str) -> Callable[[int], int]:
    """Return how many examples a property tries: `examples(100)`, and an eighth of them on PostgreSQL.

    There they take twice as long. They vary what Python decides; the statements are the same each time.
    HYPOTHESIS_PROFILE=search tries twenty times as many, and others each time.
    """
    share = 20.0 if not settings().derandomize else 1.0 if engine == "sqlite" else 0.125
    return lambda count: max(1, int(count * share))


@pytest.fixture
def credential(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Have every Client of a test call with a key, or with the access token of a connected app."""
    chosen: str = request.param
    if chosen == "token":
        from billycan_apps import callers  # noqa: PLC0415 - not without that plugin
        from billycan_apps.testing import give_token, limited  # noqa: PLC0415 - as above

        monkeypatch.setattr(Client, "_create_key", give_token)
        monkeypatch.setattr(callers, "_find", limited(callers._find))
    return chosen


@pytest.fixture
def make_app(make_app: Callable[..., App], request: pytest.FixtureRequest) -> Callable[..., App]:
    """As everywhere; where Clients call with tokens, with the plugin that knows those."""
    with_tokens = "credential" in request.fixturenames and request.getfixturevalue("credential") == "token"

    def make(*plugins: str, **given: Any) -> App:
        return make_app(*dict.fromkeys([*plugins, *(("apps", "users") if with_tokens else ())]), **given)

    return make
