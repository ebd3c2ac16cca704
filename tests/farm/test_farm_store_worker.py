"""Names of workers: which process of which machine and container has ended."""

from __future__ import annotations

import subprocess
import sys

from stillframe.farm.store.worker import is_dead, place


def test_a_process_that_ended_is_dead() -> None:
    said = subprocess.run(
        [sys.executable, "-c", "from stillframe.farm.store import worker_name; print(worker_name())"],
        capture_output=True,
        text=True,
        check=True,
    )
    name = said.stdout.strip()
    assert name.endswith(place())
    assert is_dead(name)
