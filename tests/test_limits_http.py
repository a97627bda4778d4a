"""The rate limit over real HTTP: it holds across workers and after one is killed. The soak tests it for longer."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SOAK = Path(__file__).parent / "lab" / "soak" / "run.py"


@pytest.mark.long
def test_a_key_is_limited_exactly_while_a_worker_is_killed():
    # The speed of a busy machine proves nothing; the requests counted do.
    options = ["--seconds", "5", "--workers", "2", "--per-minute", "25", "--per-second", "8", "--stall", "60", "--json"]
    done = subprocess.run([sys.executable, SOAK, *options], check=False, capture_output=True, text=True, timeout=120)
    assert done.stdout, done.stderr
    result = json.loads(done.stdout)
    assert result["passed"], result
    assert result["figures"]["accepted"] >= 8 and result["figures"]["refused"] >= 8
