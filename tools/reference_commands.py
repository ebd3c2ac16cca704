"""The page of the command line, from the commands themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import typer

from reference_sources import joined, table
from stillframe.cli import app
from stillframe.cli.output import ExitCode

Command = Any
Parameter = Any
"""Typer's own classes; their names are private."""

PLACEHOLDERS = {"float": "N", "int": "N", "int range": "N", "path": "PATH", "str": "TEXT"}
"""What stands for a value of these types where a command does not say."""

INTRO = """\
# Command line

`stillframe COMMAND --help` prints what this page says. [Use the command line](../how-to/shell.md) shows the
commands at work. With `--json` a command prints one JSON object and nothing else; an error is
`{"error": {"code", "message"}}`."""


def cli_page() -> str:
    """Return the page."""
    root = typer.main.get_command(app.cli)
    codes = table(["exit code", "meaning"], ([str(code.value), code.meaning] for code in ExitCode))
    sections = [_section(name, command) for name, command in _commands(root, "stillframe")]
    return "\n\n".join([INTRO, "## Exit codes", codes, *sections])


def _commands(command: Command, name: str) -> Iterator[tuple[str, Command]]:
    """Yield every command that does something, with its full name."""
    inner = getattr(command, "commands", None)
    if inner is None:
        yield name, command
    for word, below in (inner or {}).items():
        if not below.hidden:
            yield from _commands(below, f"{name} {word}")


def _section(name: str, command: Command) -> str:
    context = command.context_class(command, info_name=name)
    shown = [parameter for parameter in command.params if not getattr(parameter, "hidden", False)]
    arguments = [_row(parameter, context) for parameter in shown if parameter.param_type_name == "argument"]
    options = [_row(parameter, context) for parameter in shown if parameter.param_type_name == "option"]
    parts = [
        f"## `{name}`",
        _text(command.help or ""),
        arguments and table(["argument", "meaning"], arguments),
        options and table(["option", "meaning"], options),
        _own_exit_codes(command),
    ]
    return "\n\n".join(part for part in parts if part)


def _own_exit_codes(command: Command) -> str:
    """Return the exit codes of a command that has its own, as its help lists them."""
    lines = (command.epilog or "").replace("\b", "").strip().splitlines()
    rows = [line.split(maxsplit=1) for line in lines[1:] if line.strip()]
    if not rows or rows == [[str(code.value), code.meaning] for code in ExitCode]:
        return ""
    return table(["exit code", "meaning"], rows)


def _row(parameter: Parameter, context: Any) -> list[str]:
    return [_spelling(parameter, context), _text(parameter.help or "") + _default(parameter)]


def _spelling(parameter: Parameter, context: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar or parameter.name.upper()}`"
    value = "" if parameter.is_flag else f" {parameter.metavar or _placeholder(parameter, context)}"
    names = [f"{name}{value}" for name in parameter.opts] + parameter.secondary_opts
    return ", ".join(f"`{name}`" for name in names)


def _placeholder(parameter: Parameter, context: Any) -> str:
    shown = parameter.display_type(context).strip("<>").removeprefix("list[").removesuffix("]")
    return PLACEHOLDERS.get(shown, shown)


def _default(parameter: Parameter) -> str:
    value = parameter.default
    plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    return f" Default: {value}." if plain and parameter.show_default else ""


def _text(text: str) -> str:
    """Return help as Markdown: words in angle brackets would be read as HTML."""
    return re.sub(r"(?<!`)<([\w ]+)>", r"`<\1>`", joined(text.replace("\b", "")))
