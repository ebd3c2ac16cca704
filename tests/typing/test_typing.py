"""Type checkers see what users write: they pass the right calls and report every wrong one."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from mypy import api

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SOURCE = ROOT / "python"
PYRIGHT = Path(sys.executable).with_name("basedpyright")
"""Pyright as a wheel that brings all it needs; with pyright's own modes it reports what pyright reports."""

NAMES = ["values", "api"]

Reports = dict[int, list[str]]
"""What a checker reports, by line."""


@pytest.fixture(scope="session")
def mypy_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mypy")


def by_mypy(path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Reports:
    """Check a file with `mypy --strict` in this process."""
    monkeypatch.setenv("MYPYPATH", str(SOURCE))
    config = ["--config-file", "", "--strict", "--cache-dir", str(cache), "--python-version", "3.11"]
    shown, failed, _ = api.run([*config, "--no-error-summary", "--hide-error-context", str(path)])
    assert not failed
    return collected(path, re.findall(r"^(.+?):(\d+): error: (.*)$", shown, re.MULTILINE))


def by_pyright(path: Path, tmp_path: Path) -> Reports:
    """Check a copy of a file with pyright: strictly if it is right, so that nothing of ours is unknown to users."""
    copy = tmp_path / path.name
    copy.write_text(path.read_text())
    mode = "strict" if path.name.startswith("right") else "standard"
    settings = {"extraPaths": [str(SOURCE)], "typeCheckingMode": mode, "pythonVersion": "3.11"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [str(PYRIGHT), "--outputjson", "--project", str(tmp_path), "--pythonpath", sys.executable]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    found = json.loads(run.stdout)["generalDiagnostics"]
    errors = [each for each in found if each["severity"] == "error"]
    return collected(copy, [(each["file"], each["range"]["start"]["line"] + 1, each["message"]) for each in errors])


def collected(path: Path, rows: list[tuple[str, int | str, str]]) -> Reports:
    reports: Reports = {}
    for file, line, message in rows:
        assert Path(file).resolve() == path, f"{file}:{line}: {message}"
        reports.setdefault(int(line), []).append(message)
    return reports


def marked(path: Path) -> Iterator[int]:
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.endswith("# error"):
            yield number


@pytest.mark.parametrize("name", NAMES)
def test_mypy_passes_the_right_calls(name: str, mypy_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert by_mypy(HERE / f"right_{name}.py", mypy_cache, monkeypatch) == {}


@pytest.mark.parametrize("name", NAMES)
def test_mypy_reports_every_wrong_call(name: str, mypy_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = HERE / f"wrong_{name}.py"
    assert list(by_mypy(path, mypy_cache, monkeypatch)) == list(marked(path))


@pytest.mark.needs("basedpyright")
@pytest.mark.parametrize("name", NAMES)
def test_pyright_passes_the_right_calls(name: str, tmp_path: Path) -> None:
    assert by_pyright(HERE / f"right_{name}.py", tmp_path) == {}


@pytest.mark.needs("basedpyright")
@pytest.mark.parametrize("name", NAMES)
def test_pyright_reports_every_wrong_call(name: str, tmp_path: Path) -> None:
    path = HERE / f"wrong_{name}.py"
    assert sorted(by_pyright(path, tmp_path)) == list(marked(path))


@pytest.mark.parametrize(("name", "least"), [("values", 40), ("api", 40)])
def test_there_are_enough_wrong_calls(name: str, least: int) -> None:
    assert len(list(marked(HERE / f"wrong_{name}.py"))) >= least
