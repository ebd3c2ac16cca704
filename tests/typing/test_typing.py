"""Type checkers see what users write: they pass the right calls and report every wrong one."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from mypy import api

pytestmark = pytest.mark.heavy

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SOURCE = ROOT / "python"
PYRIGHT = Path(sys.executable).with_name("basedpyright")
"""Pyright as a wheel that brings all it needs; with pyright's own modes it reports what pyright reports."""

FILES = [HERE / f"{kind}_{name}.py" for kind in ("right", "wrong") for name in ("values", "api")]
"""All are checked in one run: a checker takes most of its time to read what they import."""

Reports = dict[str, dict[int, list[str]]]
"""What a checker reports, by file and line."""


def by_mypy(monkeypatch: pytest.MonkeyPatch) -> Reports:
    """Check all files with `mypy --strict` in this process."""
    monkeypatch.setenv("MYPYPATH", str(SOURCE))
    config = ["--config-file", "", "--strict", "--cache-dir", os.devnull, "--python-version", "3.11"]
    shown, failed, _ = api.run([*config, "--no-error-summary", "--hide-error-context", *map(str, FILES)])
    assert not failed
    return collected(re.findall(r"^(.+?):(\d+): error: (.*)$", shown, re.MULTILINE))


def by_pyright(tmp_path: Path) -> Reports:
    """Check copies of all files with pyright: those that are right strictly, so that users know all that is ours."""
    for path in FILES:
        mode = "strict" if path.name.startswith("right") else "standard"
        (tmp_path / path.name).write_text(f"{path.read_text()}\n# pyright: {mode}\n")
    settings = {"extraPaths": [str(SOURCE)], "typeCheckingMode": "standard", "pythonVersion": "3.11"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [str(PYRIGHT), "--outputjson", "--project", str(tmp_path), "--pythonpath", sys.executable]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    found = json.loads(run.stdout)["generalDiagnostics"]
    errors = [each for each in found if each["severity"] == "error"]
    return collected([(each["file"], each["range"]["start"]["line"] + 1, each["message"]) for each in errors])


def collected(rows: list[tuple[str, int | str, str]]) -> Reports:
    reports: Reports = {path.name: {} for path in FILES}
    for file, line, message in rows:
        assert Path(file).name in reports, f"{file}:{line}: {message}"
        reports[Path(file).name].setdefault(int(line), []).append(message)
    return reports


def check(reports: Reports) -> None:
    """Check that the right calls pass, and that every wrong one and nothing else is reported."""
    assert {name: reports[name] for name in reports if name.startswith("right")} == {
        path.name: {} for path in FILES if path.name.startswith("right")
    }
    wrong = [path for path in FILES if path.name.startswith("wrong")]
    assert {path.name: sorted(reports[path.name]) for path in wrong} == {
        path.name: list(marked(path)) for path in wrong
    }


def marked(path: Path) -> Iterator[int]:
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.endswith("# error"):
            yield number


def test_mypy_passes_the_right_calls_and_reports_every_wrong_one(monkeypatch: pytest.MonkeyPatch) -> None:
    check(by_mypy(monkeypatch))


@pytest.mark.needs("basedpyright")
def test_pyright_passes_the_right_calls_and_reports_every_wrong_one(tmp_path: Path) -> None:
    check(by_pyright(tmp_path))


@pytest.mark.parametrize(("name", "least"), [("values", 40), ("api", 40)])
def test_there_are_enough_wrong_calls(name: str, least: int) -> None:
    assert len(list(marked(HERE / f"wrong_{name}.py"))) >= least
