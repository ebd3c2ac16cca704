"""Set-up says in one sentence what cannot be had and how to get it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from stillframe.adb.adb_program import find_adb

SCRIPT = Path(__file__).parent.parent / "tools" / "setup.sh"
BASICS = ("bash", "dirname", "env", "mktemp", "rm", "sed", "tail", "touch", "true")
GOOD_CARGO = "echo cargo 1.99.0"


class Machine:
    """A machine with nothing on it but what is added, and a user who may not use apt."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.bin = root / "bin"
        self.bin.mkdir()
        for name in BASICS:
            found = shutil.which(name)
            assert found is not None
            (self.bin / name).symlink_to(found)
        (root / "tools").mkdir()
        shutil.copy(SCRIPT, root / "tools")
        self.add("id", "echo 1000")

    def add(self, name: str, script: str) -> None:
        path = self.root / name if "/" in name else self.bin / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def setup(self, step: str, **env: str) -> tuple[int, str]:
        """Run one step and return its exit code and what it said."""
        done = subprocess.run(
            [self.bin / "bash", self.root / "tools" / "setup.sh", step],
            env={"PATH": str(self.bin), **env},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout == ""
        return done.returncode, done.stderr


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def last_sentence(said: str) -> str:
    line = said.splitlines()[-1]
    assert line.startswith("stillframe: ")
    return line


@pytest.mark.parametrize("step", ["env", "core", "rust-tools"])
def test_without_rust(machine: Machine, step: str) -> None:
    code, said = machine.setup(step)
    assert code == 1
    assert said.splitlines() == [
        "stillframe: Rust is needed to build the native core and cargo was not found; "
        "install it from https://rustup.rs and run make again"
    ]


def test_with_a_rust_that_is_too_old(machine: Machine) -> None:
    machine.add("cargo", "echo 'cargo 1.63.0 (fd9c4297c 2022-07-01)'")
    code, said = machine.setup("core")
    assert code == 1
    assert "newer is needed and this is cargo 1.63.0" in last_sentence(said)


def test_with_a_rust_that_does_not_run(machine: Machine) -> None:
    machine.add("cargo", "echo \"error: toolchain '1.95.0' is not installed\" >&2; exit 1")
    code, said = machine.setup("core")
    assert code == 1
    assert "toolchain '1.95.0' is not installed" in said
    assert "rustup toolchain install" in last_sentence(said)


def test_without_a_linker(machine: Machine) -> None:
    machine.add("cargo", GOOD_CARGO)
    code, said = machine.setup("core")
    assert code == 1
    assert "apt install gcc libc6-dev" in last_sentence(said)


@pytest.mark.parametrize("stub", [None, "exit 127", "exit 1"])
def test_without_a_python_that_is_new_enough(machine: Machine, stub: str | None) -> None:
    machine.add("cargo", GOOD_CARGO)
    machine.add("cc", "true")
    if stub is not None:
        machine.add("python3", stub)
    code, said = machine.setup("env")
    assert code == 1
    assert "Python 3.11 or newer is needed" in last_sentence(said)


def test_without_the_venv_module(machine: Machine) -> None:
    machine.add("cargo", GOOD_CARGO)
    machine.add("cc", "true")
    machine.add("python3", 'case "$2" in *ensurepip*) exit 1 ;; esac')
    code, said = machine.setup("env")
    assert code == 1
    assert "apt install python3-venv" in last_sentence(said)


def test_without_a_browser(machine: Machine) -> None:
    machine.add(".venv/bin/python", "exit 1")
    code, said = machine.setup("browser")
    assert code == 1
    assert "STILLFRAME_CHROME" in last_sentence(said)


def test_with_a_browser_named_wrongly(machine: Machine) -> None:
    machine.add(".venv/bin/python", "exit 1")
    code, said = machine.setup("browser", STILLFRAME_CHROME="/no/chrome")
    assert code == 1
    assert "/no/chrome" in last_sentence(said)


def test_a_missing_browser_is_installed_where_that_is_allowed(machine: Machine) -> None:
    machine.add("id", "echo 0")
    machine.add("apt-get", f'echo "$*" >> {machine.root}/apt; touch {machine.root}/chrome')
    machine.add(".venv/bin/python", f"test -e {machine.root}/chrome")
    machine.bin.joinpath("test").symlink_to(shutil.which("test") or "")
    code, said = machine.setup("browser")
    assert (code, said) == (0, "stillframe: installing chromium chromium-sandbox fonts-liberation with apt\n")
    assert "install -q -y --no-install-recommends chromium" in (machine.root / "apt").read_text()


def test_without_adb(machine: Machine) -> None:
    machine.add(".venv/bin/python", "exit 1")
    code, said = machine.setup("adb")
    assert code == 1
    assert "apt install adb" in last_sentence(said)
    assert "ANDROID_HOME" in last_sentence(said)


def test_with_adb_nothing_happens(machine: Machine) -> None:
    machine.add("id", "echo 0")
    machine.add("apt-get", f"touch {machine.root}/apt")
    machine.add(".venv/bin/python", "exit 0")
    assert machine.setup("adb") == (0, "")
    assert not (machine.root / "apt").exists()


def test_a_missing_adb_is_installed_where_that_is_allowed(machine: Machine) -> None:
    machine.add("id", "echo 0")
    machine.add("apt-get", f'echo "$*" >> {machine.root}/apt; touch {machine.root}/adb')
    machine.add(".venv/bin/python", f"test -e {machine.root}/adb")
    machine.bin.joinpath("test").symlink_to(shutil.which("test") or "")
    assert machine.setup("adb") == (0, "stillframe: installing adb with apt\n")
    assert "install -q -y --no-install-recommends adb" in (machine.root / "apt").read_text()


def test_adb_is_looked_for_as_the_library_looks_for_it() -> None:
    """The script names a function of the library, which must exist."""
    assert "from stillframe.adb.adb_program import find_adb" in SCRIPT.read_text()
    assert find_adb(None, os.environ)


@pytest.fixture
def bench_machine(machine: Machine) -> Machine:
    """A machine whose Python peers are installed, and the rivals from npm are not."""
    machine.add(".venv-bench/bin/python", "true")
    (machine.root / "bench" / "settle" / "rivals").mkdir(parents=True)
    return machine


def test_the_bench_goes_on_without_npm(bench_machine: Machine) -> None:
    code, said = bench_machine.setup("bench")
    assert code == 0
    assert "npm was not found, so the benchmarks run without the rivals" in last_sentence(said)


def test_the_bench_goes_on_when_npm_fails(bench_machine: Machine) -> None:
    bench_machine.add("npm", "echo 'npm error 404'; exit 1")
    code, said = bench_machine.setup("bench")
    assert code == 0
    assert "npm could not install the rivals" in last_sentence(said)
    log = bench_machine.root / "bench" / "settle" / "rivals" / "install.log"
    assert log.read_text() == "npm error 404\n"


def test_a_step_that_does_not_exist(machine: Machine) -> None:
    code, said = machine.setup("everything")
    assert code == 1
    assert last_sentence(said).startswith("stillframe: usage:")
