"""Names of workers: which process of which machine and container has ended."""

from __future__ import annotations

import subprocess
import sys

import pytest

from stillframe.farm.store.worker import is_dead, place, worker_name

HOST, PID, STARTED, PLACE = worker_name().split(":")
BOOT, NAMESPACE = PLACE.split(".")
GONE = str(int(STARTED) + 9999)
"""The start of a process that had this process's id before it."""


@pytest.mark.parametrize(
    ("name", "dead"),
    [
        (worker_name(), False),
        (f"{HOST}:{PID}:{GONE}:{PLACE}", True),
        (f"{HOST}:{PID}:{STARTED}", False),
        (f"{HOST}:{PID}:{GONE}", True),  # a name of an older stillframe
        (f"{HOST}:{PID}:{GONE}:{BOOT}.1", False),  # another container
        (f"{HOST}:{PID}:{GONE}:0{BOOT[1:-1]}.{NAMESPACE}", False),  # another machine of the same host name
        (f"far:{PID}:{GONE}:{PLACE}", False),
        ("w", False),
        (f"{HOST}:x:{GONE}", False),
        (f"{HOST}:{PID}:{GONE}:{PLACE}:more", False),
    ],
    ids=["own", "gone", "old and alive", "old and gone", "container", "machine", "host", "word", "no number", "longer"],
)
def test_a_worker_is_dead_only_where_its_process_id_means_something(name: str, dead: bool) -> None:
    assert is_dead(name) is dead


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
