"""The Makefile from nothing: each step of the set-up runs once, although steps run side by side."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# The core takes so long that whatever does not wait for it begins beside it.
SETUP = """#!/bin/sh
echo "begin $*" >> log
case "$*" in
    "env demo") mkdir -p .venv/bin; for name in python zizmor stillframe; do cp tool .venv/bin/$name; done ;;
    core) sleep 0.3; mkdir -p .venv/.stamps; touch .venv/.stamps/core ;;
    wheel) mkdir -p dist; touch dist/stillframe.whl ;;
esac
"""
TOOL = '#!/bin/sh\necho "$(basename $0) $*" >> log\n'


def executable(path: Path, text: str) -> None:
    """Write a script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a folder with the Makefile, what it reads, and tools that only write down that they ran."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    for group in ("demo", "check", "test", "docs", "clients"):
        (tmp_path / "requirements").mkdir(exist_ok=True)
        (tmp_path / "requirements" / f"{group}.txt").touch()
    for name in ("pyproject.toml", "Cargo.toml", "Cargo.lock", "rust-toolchain.toml"):
        (tmp_path / name).touch()
    (tmp_path / "tests" / "mcp" / "clients").mkdir(parents=True)
    (tmp_path / "tests" / "mcp" / "clients" / "package-lock.json").touch()
    (tmp_path / "rust" / "core" / "src").mkdir(parents=True)
    executable(tmp_path / "tools" / "setup.sh", SETUP)
    executable(tmp_path / "tools" / "python_tests.sh", TOOL)
    executable(tmp_path / "tool", TOOL)
    executable(tmp_path / "path" / "cargo", TOOL)
    return tmp_path


def make(clone: Path, target: str) -> list[str]:
    """Make a target and return the lines that the tools have written since."""
    (clone / "log").unlink(missing_ok=True)
    environment = {"PATH": f"{clone / 'path'}:{os.environ['PATH']}", "HOME": str(clone)}
    made = subprocess.run(
        ["make", "--no-print-directory", target],
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return (clone / "log").read_text().splitlines()


@pytest.mark.parametrize("target", ["test", "check", "demo"])
def test_nothing_is_built_twice(clone: Path, target: str) -> None:
    built = Counter(line for line in make(clone, target) if line.startswith(("begin env", "begin core", "begin wheel")))
    assert built["begin core"] == 1
    assert {line: count for line, count in built.items() if count > 1} == {}


@pytest.mark.parametrize(
    ("changed", "repeated"),
    [
        ("Cargo.lock", {"rust", "gate", "wheel", "lint"}),
        ("pyproject.toml", {"wheel", "lint"}),
        ("tests/test_some.py", {"lint"}),
    ],
)
def test_checks_run_again_only_when_their_inputs_have_changed(clone: Path, changed: str, repeated: set[str]) -> None:
    signs = {"cargo test": "rust", "cargo run": "gate", "python -m pytest -m wheel": "wheel", "python -m mypy": "lint"}

    def checks(lines: list[str]) -> set[str]:
        return {check for line in lines for sign, check in signs.items() if line.startswith(sign)}

    assert checks(make(clone, "test")) == {"rust", "gate", "wheel", "lint"}
    assert checks(make(clone, "test")) == set()
    (clone / changed).write_text("changed")
    assert checks(make(clone, "test")) == repeated


def test_a_run_of_all_tests_trusts_no_earlier_one(clone: Path) -> None:
    make(clone, "test")
    lines = make(clone, "test-all")
    assert [line for line in lines if line.startswith("cargo test")]
    assert "python_tests.sh --all" in lines
