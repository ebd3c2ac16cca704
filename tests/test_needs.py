"""A run reports what the machine lacks, before the tests and after them, and skips the tests that need it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import needs
from nested_pytest import own_folder
from stillframe.adb.adb_program import find_adb
from stillframe.errors import AdbBinaryMissing

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "tools" / "needs.py"


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def ask(*arguments: str, path: Path) -> list[str]:
    command = [sys.executable, str(SCRIPT), *arguments]
    done = subprocess.run(command, env={"PATH": str(path)}, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_it_runs_before_anything_is_installed(tmp_path: Path) -> None:
    """Without the packages of the environment: -S leaves them out."""
    done = subprocess.run([sys.executable, "-S", SCRIPT, "packages"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "\n")


def test_what_is_missing_is_named_by_its_packages(tmp_path: Path) -> None:
    assert ask("packages", "display", "valgrind", path=tmp_path) == ["xvfb valgrind"]
    program(tmp_path / "Xvfb")
    assert ask("packages", "display", "valgrind", path=tmp_path) == ["valgrind"]


@pytest.mark.parametrize(("apt", "listed"), [("no", True), ("yes", False)])
def test_what_apt_brings_is_not_left_out(tmp_path: Path, apt: str, listed: bool) -> None:
    lines = ask("missing", "--apt", apt, path=tmp_path)
    expected = (
        "left out: the core's instructions are not counted, because valgrind is missing; "
        "install it (Debian: apt install valgrind)"
    )
    assert (expected in lines) is listed


def test_nobody_is_both_root_and_not(tmp_path: Path) -> None:
    lines = ask("missing", "--apt", "yes", path=tmp_path)
    assert [line.endswith(("as root to see that", "as another user to see that")) for line in lines].count(True) == 1


@pytest.mark.parametrize("place", ["adb", "sdk/platform-tools/adb", None])
def test_adb_is_looked_for_as_the_library_looks_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str | None
) -> None:
    if place:
        program(tmp_path / place)
    monkeypatch.setattr(needs, "SDK_PLACES", ())
    monkeypatch.setattr("stillframe.adb.adb_program._SDK_PLACES", {})
    for name, value in {"PATH": tmp_path, "ANDROID_HOME": tmp_path / "sdk"}.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.delenv("ANDROID_SDK_ROOT", raising=False)
    assert needs.have_adb() is bool(place)
    if place:
        assert find_adb(None, os.environ) == str(tmp_path / place)
    else:
        with pytest.raises(AdbBinaryMissing):
            find_adb(None, os.environ)


TESTS = """
import pytest, needing

@pytest.mark.needs("display")
def test_a_window(): ...

@pytest.fixture
def display():
    needing.require("display")

@pytest.mark.parametrize("number", [1, 2])
def test_a_fixture(display, number): ...

def test_anything(): ...
"""


def run_tests(folder: Path, *options: str) -> list[str]:
    """Run TESTS on a machine with nothing but what is in `folder`, and return what pytest says."""
    (folder / "test_it.py").write_text(TESTS)
    (folder / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-p", "needing", "-q", "-p", "no:cacheprovider", *options, "test_it.py"]
    imported = os.pathsep.join(str(ROOT / name) for name in ("tests", "tools", "python"))
    # To load the plugins of this environment takes longer than all the rest.
    environment = {"PATH": str(folder), "PYTHONPATH": imported, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment |= own_folder(folder)
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("workers", [(), ("-p", "xdist", "-n", "1")])
def test_the_summary_repeats_what_was_left_out(tmp_path: Path, workers: tuple[str, ...]) -> None:
    lines = run_tests(tmp_path, *workers)
    heading = next(number for number, line in enumerate(lines) if "left out on this machine" in line)
    assert lines[heading + 1] == f"3 tests: {needs.NEEDS['display'].reason}"
    assert "1 passed, 3 skipped" in lines[-1]


def test_where_all_is_there_the_summary_says_nothing(tmp_path: Path) -> None:
    program(tmp_path / "Xvfb")
    lines = run_tests(tmp_path)
    assert not [line for line in lines if "left out" in line]
    assert "4 passed" in lines[-1]
