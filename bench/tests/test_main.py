"""Each benchmark that `python -m bench` knows can be imported where only the command runs, without pytest's paths."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from bench.__main__ import LONG, NAMES, OWN, SOAKS

ROOT = Path(__file__).parents[2]


def test_every_benchmark_can_be_imported_by_the_command() -> None:
    modules = [*(f"bench.{name}" for name in (*NAMES, *SOAKS, *LONG)), *(f"bench.{name}.command" for name in OWN)]
    script = f"from importlib import import_module\nfor name in {modules}: import_module(name)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
