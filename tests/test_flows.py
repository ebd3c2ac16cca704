"""The flows of examples/flows: every flavour does the same, and ours are not longer than Playwright's."""

from __future__ import annotations

import ast
import importlib
import json
import os
import re
import runpy
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import stillframe
from stillframe.api.browser import Browser
from stillframe.chrome.executable import find_executable

ROOT = Path(__file__).parent.parent
FLOWS = ROOT / "examples/flows"
PYTHONS = (
    os.environ.get("STILLFRAME_BENCH_PYTHON", ""),
    str(ROOT / ".venv-bench/bin/python"),
    sys.executable,
)
"""The interpreters that may have Playwright; `tools/setup.sh bench` makes the second one."""
LIMIT_S = 400
"""Seconds that all flows of one flavour may take; on an idle machine they take twenty."""

RESULTS: dict[str, Any] = {
    "01_login": "Hello, Ann",
    "02_validation": ["This is not an e-mail address", "Welcome, ann@example.org"],
    "03_autocomplete": "Lisbon",
    "04_pagination": [f"Item {number}" for number in range(1, 10)],
    "05_table": [["Torch", "12"], ["Reading", "25"], ["Harbour", "59"], ["Storm", "89"]],
    "06_files": ["1 file received", "4 lamps sold"],
    "07_dialog": "deleted",
    "08_popup": "Terms of trade",
    "09_payment": "Paid with 4242, 12/30",
    "10_drag": "Done: Paint the fence",
    "11_scroll": 40,
    "12_dashboard": ["orders: 31", "visits: 415", "returns: 9"],
}
OURS = ("stillframe_async", "stillframe_sync")


def lines_of_code(path: Path) -> int:
    """Count the lines with code: imports count, blank lines, comments and docstrings do not."""
    tree = ast.parse(path.read_text())
    documentation = tree.body[0]
    lines = {
        number
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt | ast.expr) and documentation.end_lineno is not None
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
        if node.lineno > documentation.end_lineno
    }
    return sum(bool(path.read_text().splitlines()[number - 1].strip()) for number in lines)


def test_the_lines_of_code_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "flow.py"
    path.write_text('"""Two\nlines."""\n\nimport os\n# comment\n\n\ndef run():\n    return f(\n        1,\n\n    )\n')
    assert lines_of_code(path) == 5


def test_all_twelve_are_there_in_each_flavour() -> None:
    found = {path.relative_to(FLOWS).with_suffix("").as_posix() for path in FLOWS.glob("*/*.py")}
    assert found == {f"{name}/{flavour}" for name in RESULTS for flavour in ("playwright_async", *OURS)}


@pytest.mark.parametrize("flavour", OURS)
@pytest.mark.parametrize("name", RESULTS)
def test_ours_is_not_longer(name: str, flavour: str) -> None:
    assert lines_of_code(FLOWS / name / f"{flavour}.py") <= lines_of_code(FLOWS / name / "playwright_async.py")


FEW = ("06_files", "08_popup", "09_payment", "12_dashboard")
"""Flows with what a page alone does not have: files, another tab, frames, and parts that come one by one."""


@pytest.fixture
def shared(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `stillframe.launch` give the browser of the tests, and close what a flow has opened there."""

    @asynccontextmanager
    async def launched() -> AsyncIterator[Browser]:
        known = set(browser.pages)
        yield browser
        for page in set(browser.pages) - known:
            await page.close()

    monkeypatch.setattr(stillframe, "launch", launched)
    monkeypatch.syspath_prepend(FLOWS)


@pytest.mark.usefixtures("shared")
async def test_a_few_of_ours_do_what_they_say() -> None:
    """On the browser of the tests; `make test-all` runs them with run.py, where each one launches its own."""
    flows = {name: runpy.run_path(str(FLOWS / name / "stillframe_async.py"))["run"] for name in FEW}
    with importlib.import_module("flow_site").served() as url:
        assert {name: await run(f"{url}/{name}") for name, run in flows.items()} == {
            name: RESULTS[name] for name in FEW
        }


PORTED = {
    r"from playwright\.async_api import async_playwright(, expect)?\n": (
        "import stillframe\nfrom stillframe.testing import expect\n"
    ),
    r"async with async_playwright\(\) as playwright, await playwright\.chromium\.launch\(\*\*options\) as browser:": (
        "async with stillframe.launch(**options) as browser:"
    ),
}
"""The lines of a program for Playwright that change: the import and the launch."""


def ported(path: Path) -> Any:
    """Return the function of a flow for Playwright, with those two lines changed."""
    text = path.read_text()
    for theirs, ours in PORTED.items():
        text, count = re.subn(theirs, ours, text)
        assert count == 1, path
    names: dict[str, Any] = {"__file__": str(path)}
    exec(compile(text, path, "exec"), names)
    return names["run"]


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("part", range(3))
async def test_programs_for_playwright_run_with_another_import_and_launch(part: int) -> None:
    flows = {name: ported(FLOWS / name / "playwright_async.py") for name in sorted(RESULTS)[part::3]}
    with importlib.import_module("flow_site").served() as url:
        assert {name: await run(f"{url}/{name}") for name, run in flows.items()} == {
            name: RESULTS[name] for name in flows
        }


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize("flavour", OURS)
def test_ours_do_what_they_say(flavour: str) -> None:
    assert results(sys.executable, flavour) == RESULTS


@pytest.mark.browser
@pytest.mark.slow
def test_playwright_does_the_same() -> None:
    python = next(filter(has_playwright, PYTHONS), None)
    if python is None:
        pytest.skip(f"Playwright is in none of {PYTHONS}: `tools/setup.sh bench` installs it")
    # Its own Chromium need not be installed, and as root Chrome has no sandbox.
    options = {"executable_path": find_executable().path, "args": ["--no-sandbox"] if os.geteuid() == 0 else []}
    assert results(python, "playwright_async", "--options", json.dumps(options)) == RESULTS


def has_playwright(python: str) -> bool:
    if not python or not Path(python).exists():
        return False
    return subprocess.run([python, "-c", "import playwright"], capture_output=True).returncode == 0


def results(python: str, flavour: str, *more: str) -> dict[str, Any]:
    """Run all flows of a flavour; one that raises shows its traceback."""
    command = [python, "-W", "default", str(FLOWS / "run.py"), "--flavour", flavour, *more]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {line["flow"]: line["result"] for line in lines}
