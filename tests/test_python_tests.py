"""The script behind `make python-test` runs each test once, in two groups, and fails when any of them fails."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "tools" / "python_tests.sh"
FAILED, STOPPED, NONE_SELECTED = 1, 2, 5  # what pytest exits with


def run(root: Path, serial: int, others: int, *args: str, load: str = "") -> tuple[int, list[str]]:
    """Run the script with a pytest that exits with `serial` and then with `others`; return its status and the calls."""
    calls = root / "calls"
    (root / "tools").mkdir()
    shutil.copy(SCRIPT, root / "tools")
    python = root / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    answer = f'case "$*" in *"not serial"*) exit {others} ;; *) exit {serial} ;; esac'
    python.write_text(f'#!/bin/sh\necho "$*" >> {calls}\n{answer}\n')
    python.chmod(0o755)
    tests = root / "tests"
    (root / "bench" / "tests").mkdir(parents=True)
    tests.mkdir()
    (tests / "test_pace.py").write_text("pytestmark = pytest.mark.serial")
    (tests / "test_other.py").write_text("")
    command = [root / "tools" / "python_tests.sh", *args]
    environ = os.environ | {"STILLFRAME_LOAD": load}
    done = subprocess.run(command, capture_output=True, check=False, env=environ)
    return done.returncode, calls.read_text().splitlines()


def test_the_serial_group_runs_by_itself_and_first(tmp_path: Path) -> None:
    status, calls = run(tmp_path, 0, 0, "-k", "login")
    assert status == 0
    assert calls == [
        "-m pytest -m serial and not wheel tests/test_pace.py -k login",
        "-m pytest -m not serial and not wheel -n 3 --dist worksteal -k login",
    ]


def test_the_paths_of_the_caller_are_those_of_both_groups(tmp_path: Path) -> None:
    _, calls = run(tmp_path, 0, 0, "tests/test_other.py::test_x")
    assert calls == [
        "-m pytest -m serial and not wheel tests/test_other.py::test_x",
        "-m pytest -m not serial and not wheel -n 3 --dist worksteal tests/test_other.py::test_x",
    ]


def test_no_short_times_are_measured_on_a_loaded_machine(tmp_path: Path) -> None:
    assert run(tmp_path, FAILED, 0, load="3") == (0, run_once(FAILED)[1:])


@pytest.mark.parametrize(
    ("serial", "others", "status"),
    [
        (FAILED, 0, FAILED),
        (0, FAILED, FAILED),
        (FAILED, FAILED, FAILED),
        (NONE_SELECTED, 0, 0),
        (0, NONE_SELECTED, 0),
        (NONE_SELECTED, NONE_SELECTED, NONE_SELECTED),
        (FAILED, NONE_SELECTED, FAILED),
        (0, STOPPED, STOPPED),
    ],
)
def test_a_failure_is_final(tmp_path: Path, serial: int, others: int, status: int) -> None:
    assert run(tmp_path, serial, others) == (status, run_once(serial))


def run_once(serial: int) -> list[str]:
    calls = [
        "-m pytest -m serial and not wheel tests/test_pace.py",
        "-m pytest -m not serial and not wheel -n 3 --dist worksteal",
    ]
    return calls[:1] if serial == STOPPED else calls


def test_a_stopped_run_does_not_go_on(tmp_path: Path) -> None:
    assert run(tmp_path, STOPPED, 0) == (STOPPED, run_once(STOPPED))
