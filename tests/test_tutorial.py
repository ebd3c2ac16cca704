"""The steps of the tutorial that a reader does in a shell work as written; tests/docs runs its programs."""

from __future__ import annotations

import asyncio
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from documents import DOCS, Block, blocks
from stillframe.demo import Shop

TUTORIAL = blocks(DOCS / "tutorial.md")
PORT = 8000
"""The port of the shop that the tutorial tells a reader to start."""


def commands(block: Block) -> list[list[str]]:
    lines = [shlex.split(line, comments=True) for line in block.text.splitlines()]
    return [words[1:] for words in lines if words[:1] == ["stillframe"]]


def plain(text: str) -> list[str]:
    """Return the lines of a text without what differs from run to run: durations, sizes and the width of columns."""
    lines = [re.sub(r"\d+(\.\d+)? (ms|kB)\b", r"0 \2", line) for line in text.splitlines()]
    return [" ".join(line.split()) for line in lines if line.strip()]


def expanded(word: str, folder: Path) -> list[str]:
    """Return what a shell makes of a word: the files that match it."""
    return [str(path) for path in folder.glob(word)] if "*" in word else [word]


async def run(arguments: list[str], folder: Path, port: int) -> str:
    """Run a command in a folder, as a shell would, on the shop at another port."""
    words = [name for word in arguments for name in expanded(word.replace(f":{PORT}/", f":{port}/"), folder)]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "stillframe", *words), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return out.decode()


@pytest.mark.browser
async def test_the_sequence_with_a_trace_prints_what_the_tutorial_shows(tmp_path: Path) -> None:
    (actions,) = [block.text for block in TUTORIAL if block.language == "json"]
    (tmp_path / "login.json").write_text(actions)
    sequence = next(block for block in TUTORIAL if "--trace" in block.text)
    report = next(block for block in TUTORIAL if "trace show" in block.text)
    async with Shop() as shop:
        out = await run(*commands(sequence), tmp_path, shop.port)
    assert sequence.output is not None
    assert plain(out) == plain(sequence.output)
    assert plain(await run(*commands(report), tmp_path, PORT)) == ["login.html"]
    html = (tmp_path / "login.html").read_text("utf-8")
    assert "Welcome back!" in html
    assert "lantern" not in html


def test_the_tutorial_takes_twenty_minutes() -> None:
    text = (DOCS / "tutorial.md").read_text("utf-8")
    minutes = [int(found) for found in re.findall(r"^## \d\. .*\((\d) minutes\)$", text, re.MULTILINE)]
    assert sum(minutes) == 20
