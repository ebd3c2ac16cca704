"""The examples run as a user runs them, and print exactly what they say."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from sampling import sampled

ROOT = Path(__file__).parent.parent
EXAMPLES = {path.name: path for path in sorted((ROOT / "examples").glob("*.py"))}
SHOWN_IN_THE_README = "login.py"
"""The README shows what this one prints, and the README's tests compare it."""
RUNS_AS_ROOT = "running as root, where Chrome cannot start with its sandbox"
TIMEOUT_S = 120
TESTS = sorted(name for name in EXAMPLES if name.startswith("test_"))
PROGRAMS = sorted(EXAMPLES.keys() - {SHOWN_IN_THE_README, *TESTS})
FEW = ("keep_login.py", "without_asyncio.py")
"""Those that always run: several browsers with a file, and the API without asyncio.

What the others call has tests in the rooms of the calls; that they print what they say is seen by `make test-all`.
tests/test_own_agent_loop.py runs a loop around a model, and tests/test_tutorial.py makes a trace and its report.
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short path, because Chrome's profiles hold sockets, whose paths may have 107 bytes at most."""
    with tempfile.TemporaryDirectory(prefix="sf-") as path:
        yield Path(path)


def docstring(name: str) -> str:
    return ast.get_docstring(ast.parse(EXAMPLES[name].read_text("utf-8"))) or ""


def promised(name: str) -> str:
    """Return what an example prints, according to the end of its docstring."""
    _, _, printed = docstring(name).partition("rints:\n\n")
    return textwrap.dedent(printed) + "\n"


def test_there_are_at_least_ten_examples_and_none_is_longer_than_sixty_lines() -> None:
    lengths = {name: len(path.read_text("utf-8").splitlines()) for name, path in EXAMPLES.items()}
    assert len(lengths) >= 10
    assert max(lengths.values()) <= 60, lengths


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_begins_with_a_sentence_about_what_it_does(name: str) -> None:
    first, _, _ = docstring(name).partition("\n")
    assert first.endswith(".")


def test_the_list_of_examples_says_what_each_does() -> None:
    text = (ROOT / "examples" / "README.md").read_text("utf-8")
    listed = re.findall(r"^\| \[(\S+)\]\((\S+)\) \| (.*) \|$", text, re.MULTILINE)
    assert listed == [(name, name, docstring(name).partition("\n")[0]) for name in EXAMPLES]


def run(*arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder that takes all temporary files, too."""
    finished = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished


@pytest.mark.browser
@pytest.mark.parametrize("name", sampled(PROGRAMS, FEW))
def test_an_example_prints_what_it_says_and_leaves_nothing_behind(name: str, folder: Path) -> None:
    finished = run(EXAMPLES[name], folder=folder)
    assert finished.stdout == promised(name)
    assert [line for line in finished.stderr.splitlines() if not line.startswith(RUNS_AS_ROOT)] == []
    assert list(folder.iterdir()) == []


@pytest.mark.browser
@pytest.mark.slow  # tests/docs/test_python_blocks.py runs the tests of docs/how-to/pytest.md, which are like these
@pytest.mark.parametrize("name", TESTS)
def test_an_example_with_tests_passes_as_it_says_and_leaves_nothing_behind(name: str, folder: Path) -> None:
    copied = shutil.copy(EXAMPLES[name], folder)  # out of reach of our own conftest.py
    options = ("-q", "-p", "no:cacheprovider", "-o", "asyncio_default_fixture_loop_scope=function")
    finished = run("-B", "-m", "pytest", *options, copied, folder=folder)
    assert re.findall(r"^\d+ passed", finished.stdout, re.MULTILINE) == [promised(name).strip()]
    assert [path.name for path in folder.iterdir()] == [name]
