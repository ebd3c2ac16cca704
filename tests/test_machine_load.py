"""The busy loops beside the tests: as many as wanted, and none left however the run ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from machine_load import wanted
from nested_pytest import own_folder
from sampling import sampled

HANG_S = 60.0
"""Seconds in which pytest starts and processes end, however busy the machine is."""

RUN = """
import os, pathlib, psutil, threading

def test_it():
    pid = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
    loops = [p.pid for p in psutil.Process(pid).children() if "end_with_parent" in " ".join(p.cmdline())]
    pathlib.Path("loops").write_text(" ".join(map(str, loops)))
    print("\\nnoted", flush=True)
    {then}
"""


@contextmanager
def running(path: Path, load: str, then: str = "", *options: str) -> Iterator[subprocess.Popen[str]]:
    """Run pytest with one test that writes down the loops beside it and goes on with `then`."""
    (path / "test_run.py").write_text(RUN.format(then=then))
    command = [sys.executable, "-m", "pytest", "-p", "machine_load", "-p", "no:cacheprovider", *options, "test_run.py"]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    # To load the plugins of this environment takes longer than all the rest.
    environ |= {
        "STILLFRAME_LOAD": load,
        "PYTHONPATH": str(Path(__file__).parent),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        **own_folder(path),
        "PYTHONFAULTHANDLER": "1",
    }
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=path, env=environ, text=True, stdout=pipe, stderr=subprocess.STDOUT) as process:
        try:
            yield process
        finally:
            process.kill()


def output_of(process: subprocess.Popen[str]) -> str:
    """Return what a run prints; the failure of one that does not end shows what each of its threads does."""
    try:
        return process.communicate(timeout=HANG_S)[0]
    except subprocess.TimeoutExpired:
        for each in [*psutil.Process(process.pid).children(recursive=True), process]:
            os.kill(each.pid, signal.SIGABRT)
        pytest.fail(f"pytest has not ended after {HANG_S} s: {process.communicate()[0]}")


def noted(path: Path) -> list[psutil.Process]:
    """Return the loops that still run of those that were beside the test."""
    return [psutil.Process(int(pid)) for pid in (path / "loops").read_text().split() if psutil.pid_exists(int(pid))]


@pytest.mark.parametrize(
    ("loops", "options"),
    # Loops beside the other tests cost these time: one is enough where a second process must not start its own.
    [(2, ()), (1, ("-p", "xdist", "-n", "1"))],
    ids=["one process", "xdist"],
)
def test_as_many_loops_run_as_are_wanted_and_the_header_says_so(
    tmp_path: Path, loops: int, options: tuple[str, ...]
) -> None:
    with running(tmp_path, str(loops), "", *options) as process:
        output = output_of(process)
    assert process.returncode == 0, output
    assert f"load: the machine is loaded by {loops} busy loop" in output
    assert len((tmp_path / "loops").read_text().split()) == loops
    assert noted(tmp_path) == []


@pytest.mark.parametrize("sent", sampled([signal.SIGINT, signal.SIGTERM, signal.SIGKILL], [signal.SIGKILL]))
def test_no_loop_outlives_a_run_that_is_ended(tmp_path: Path, sent: signal.Signals) -> None:
    with running(tmp_path, "2", "threading.Event().wait()", "-s") as process:
        assert process.stdout is not None
        assert "noted\n" in iter(process.stdout.readline, "")
        loops = noted(tmp_path)
        assert len(loops) == 2
        process.send_signal(sent)
        _, alive = psutil.wait_procs(loops, timeout=HANG_S)
        assert alive == []


def test_nothing_runs_without_the_variable(tmp_path: Path) -> None:
    with running(tmp_path, "") as process:
        output = output_of(process)
    assert process.returncode == 0, output
    assert "busy" not in output
    assert noted(tmp_path) == []


def test_what_is_not_a_number_is_refused() -> None:
    with pytest.raises(pytest.UsageError, match="STILLFRAME_LOAD='many' is not a number of busy loops"):
        wanted("many")
