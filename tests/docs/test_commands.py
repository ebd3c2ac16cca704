"""Every command line in the documents is spelled right: its command, its options, the targets of make, the extras."""

from __future__ import annotations

import re
import shlex
import tomllib
from functools import cache
from typing import Any

import pytest
import typer

from documents import PATHS, ROOT, Block, all_blocks
from stillframe.cli import app

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
ENDS = frozenset({"|", ">", "&&", "&", ";"})
"""Words after which another command begins, or a file."""
SHELLS = [*all_blocks("sh"), *all_blocks("console"), *all_blocks("bash")]


def lines(block: Block) -> list[str]:
    """Return the commands of a block, those over several lines joined."""
    return block.text.replace("\\\n", " ").splitlines()


def commands(word: str) -> list[str]:
    """Return the commands that begin with a word, whatever folder it is in."""
    found = [line.strip().removeprefix("$ ") for block in SHELLS for line in lines(block)]
    return sorted({line for line in found if re.match(rf"(\S*/)?{word}\s", line)})


def first_command(line: str) -> list[str]:
    """Return the arguments of the first command of a line."""
    words = shlex.split(line, comments=True)[1:]
    return words[: next((index for index, word in enumerate(words) if word in ENDS), len(words))]


@cache
def whole_command() -> Any:
    """Return the command with all that is in it; making it takes as long as thirty of the tests."""
    return typer.main.get_command(app.cli)


@pytest.mark.parametrize("line", commands("stillframe"))
def test_every_command_line_is_spelled_right(line: str) -> None:
    words = first_command(line)
    command, name = whole_command(), "stillframe"
    if words[0].startswith("-"):
        assert words[0] in {option for parameter in command.params for option in parameter.opts}
        return
    while inner := getattr(command, "commands", None):
        assert words, f"{name} needs a command"
        name, *words = words
        assert name in inner, f"there is no command {name}"
        command = inner[name]
    command.make_context(name, words).close()


@pytest.mark.parametrize("line", commands("make"))
def test_every_target_of_make_exists(line: str) -> None:
    targets = [word for word in first_command(line) if "=" not in word]
    rules = (ROOT / "Makefile").read_text("utf-8")
    assert all(re.search(rf"^{target}:", rules, re.MULTILINE) for target in targets)


def test_every_extra_that_a_document_installs_exists() -> None:
    text = "\n".join(path.read_text("utf-8") for path in PATHS)
    groups = re.findall(r"pip install '?[^'\n`]*?stillframe[^'\n`]*\[([\w,]+)\]", text)
    extras = {extra for group in groups for extra in group.split(",")}
    assert extras
    assert extras <= set(PROJECT["project"]["optional-dependencies"])
