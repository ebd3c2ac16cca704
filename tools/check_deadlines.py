"""Check that a call has one deadline: below `api`, a function takes `deadline: Deadline` and no number of seconds.

A function that gets seconds begins to count again, so a call that asks three of them lasts three times its limit.
`WIRE` lists where a limit has to be seconds.

    python tools/check_deadlines.py
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).resolve().parent.parent / "python" / "stillframe"

ROOMS = ("tab", "settling", "engine", "har", "video", "extend")
"""The rooms between the protocol, whose commands take seconds, and the public calls, which take milliseconds."""

LIMITS = frozenset({"timeout", "timeout_s", "seconds", "limit", "limit_s"})
"""How a parameter is named that limits a call. One that is not a limit says what it is: `interval_s`, `quiet_s`."""

WIRE = {
    "tab.deadline": "seconds become a deadline here",
    "tab.frames": "a limit becomes the seconds of one CDP command",
    "tab.locating.query": "a limit becomes the seconds of one CDP command",
    "tab.remote": "a limit becomes the seconds of one CDP command",
}
"""Modules, and functions by their dotted names, that may take seconds, with the reason."""

NUMBERS = frozenset({"float", "None"})
"""What the annotation of such a parameter consists of; an `int` is a number of things."""


INSTEAD = (
    "take `deadline: Deadline` and pass it on; a part of the call gets `deadline.within(…)`, and a CDP command "
    "`timeout=deadline.left_s`"
)


class Parameter(NamedTuple):
    """A parameter of a function: the dotted name of the function, and where the parameter stands."""

    function: str
    line: int
    name: str
    annotation: str


def main(source: Path = SOURCE) -> int:
    found = [each for room in ROOMS for path in files(source, room) for each in parameters(source, path)]
    problems = [*check(found), *unknown_wire(found)]
    for problem in problems:
        print(problem)
    if not problems:
        print(f"deadlines: {len(ROOMS)} rooms, no function below api takes seconds")
    return bool(problems)


def check(found: list[Parameter]) -> Iterator[str]:
    """Yield a sentence for each limit in seconds that `WIRE` does not list."""
    for each in found:
        if is_limit(each) and not any(is_within(each.function, entry) for entry in WIRE):
            yield f"{each.function}:{each.line} takes `{each.name}: {each.annotation}`: {INSTEAD}"


def unknown_wire(found: list[Parameter]) -> Iterator[str]:
    """Yield a sentence for each entry of WIRE that takes no seconds, so that the list stays short."""
    for entry in WIRE:
        if not any(is_limit(each) and is_within(each.function, entry) for each in found):
            yield f"WIRE in tools/check_deadlines.py names {entry}, where nothing takes seconds: remove it"


def is_limit(parameter: Parameter) -> bool:
    kinds = {kind.strip() for kind in parameter.annotation.split("|")}
    return parameter.name in LIMITS and kinds <= NUMBERS and kinds != {"None"}


def is_within(function: str, entry: str) -> bool:
    return function == entry or function.startswith(f"{entry}.")


def files(source: Path, room: str) -> list[Path]:
    return sorted((source / room).rglob("*.py"))


def parameters(source: Path, path: Path) -> Iterator[Parameter]:
    """Yield the annotated parameters of all functions of a module, those of methods and inner functions included."""
    parts = path.relative_to(source).with_suffix("").parts
    yield from _parameters(".".join(parts[:-1] if parts[-1] == "__init__" else parts), ast.parse(path.read_bytes()))


def _parameters(place: str, node: ast.AST) -> Iterator[Parameter]:
    for inner in ast.iter_child_nodes(node):
        named = isinstance(inner, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        name = f"{place}.{inner.name}" if named else place
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
            for each in (*inner.args.posonlyargs, *inner.args.args, *inner.args.kwonlyargs):
                if each.annotation is not None:
                    yield Parameter(name, each.lineno, each.arg, ast.unparse(each.annotation).strip("'"))
        yield from _parameters(name, inner)


if __name__ == "__main__":
    sys.exit(main())
