#!/usr/bin/env python3
"""Generate the Python face of the page scripts: one typed function for each function that an entry exports.

    tools/generate_page_calls.py             write stillframe/injected/elements.py, observer.py and recorder.py
    tools/generate_page_calls.py --check     exit with 1 if one of them is stale

It reads signatures in TypeScript as prettier lays them out, so it needs no Node.js.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "js" / "src"
OUT = ROOT / "python" / "stillframe" / "injected"

ENTRIES = {"elements": "__sf", "observer": "__sfSettle", "recorder": "__sfRecorder"}
"""The entries whose exports are functions of a global of the isolated world, and that global."""

WORDS = {"elements": "finds elements, checks them and makes them ready", "observer": "tells when a document is still"}
WORDS["recorder"] = "reports what a person does"

SUBJECTS = re.compile(r"(?:HTML\w*)?Element|Node|EventTarget|Target|Chain|ShadowRoot")
"""The types of a first parameter that is what the function is called on: a handle, or what a selector finds."""

WHOLE = re.compile(r"token|\w+Token|id|frames|turn|at", re.ASCII)
"""The names of numbers that are whole."""

TYPES = {"string": "str", "number": "float", "boolean": "bool", "null": "None", "unknown": "Any"}
EXPORT = re.compile(
    r'^export \{([^}]*)\} from "\./(\w+)\.ts"|^export \{([^}]*)\} from "\.\./(\w+/\w+)\.ts"', re.MULTILINE
)


class Parameter(NamedTuple):
    """A parameter of a function in TypeScript."""

    name: str
    type: str
    optional: bool


class Function(NamedTuple):
    """A function that an entry exports; `about` is the comment above it."""

    name: str
    parameters: list[Parameter]
    about: str


# -- reading TypeScript ----------------------------------------------------------------------------


def exported(entry: str) -> Iterator[tuple[str, Path]]:
    """Yield the name and the module of everything that an entry exports, in its order."""
    folder = SOURCES / entry
    for found in EXPORT.finditer((folder / "index.ts").read_text("utf-8")):
        names, module = (found[1], folder / f"{found[2]}.ts") if found[1] else (found[3], SOURCES / f"{found[4]}.ts")
        for name in names.replace("\n", " ").split(","):
            if name.strip():
                yield name.strip(), module


def function(name: str, module: Path) -> Function | None:
    """Return a function of a module; None for a constant that is made by a call."""
    text = module.read_text("utf-8")
    found = re.search(rf"^export (?:async )?(?:function\*? {name}|const {name} = (?:async )?)\(", text, re.MULTILINE)
    if found is None:
        if re.search(rf"^export const {name}\b", text, re.MULTILINE):
            return None
        raise SystemExit(f"{module.relative_to(ROOT)} has no function {name} that is exported where it is declared")
    end = closing(text, found.end() - 1)
    return Function(name, [*parameters(text[found.end() : end])], about(text[: found.start()]))


def closing(text: str, at: int) -> int:
    """Return the place of the bracket that closes the one at `at`."""
    depth = 0
    for place in range(at, len(text)):
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(text[place], 0)
        if not depth:
            return place
    raise ValueError(f"nothing closes {text[at : at + 30]!r}")


def parts(text: str) -> Iterator[str]:
    """Yield what commas outside of any bracket part."""
    depth, begin = 0, 0
    for place, letter in enumerate(text):
        depth += {"(": 1, "{": 1, "[": 1, "<": 1, ")": -1, "}": -1, "]": -1, ">": -1}.get(letter, 0)
        if letter == ">" and text[place - 1] == "=":
            depth += 1  # an arrow
        if letter == "," and not depth:
            yield text[begin:place].strip()
            begin = place + 1
    if text[begin:].strip():
        yield text[begin:].strip()


def parameters(text: str) -> Iterator[Parameter]:
    for part in parts(text):
        head, _, default = part.partition(" = ")
        name, _, type_ = head.partition(":")
        told = {"true": "boolean", "false": "boolean", "null": "unknown"}.get(default, "unknown")
        yield Parameter(name.strip().rstrip("?"), type_.strip() or told, bool(default) or name.endswith("?"))


def about(before: str) -> str:
    """Return the comment that ends a text, as one line."""
    found = re.search(r"((?:^//[^\n]*\n)+)\Z", before, re.MULTILINE)
    return " ".join(line.removeprefix("//").strip() for line in found[1].splitlines()) if found else ""


# -- writing Python --------------------------------------------------------------------------------


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])[A-Z]", lambda found: f"_{found[0].lower()}", name)


def in_python(type_: str, name: str = "") -> str:
    """Return the type in Python; what has a shape of its own in TypeScript is a mapping here."""
    if type_ == "number" and WHOLE.fullmatch(name):
        return "int"
    if " | " in type_:
        return " | ".join(dict.fromkeys(in_python(each, name) for each in type_.split(" | ")))
    if type_.endswith("[]"):
        return f"Sequence[{in_python(type_.removesuffix('[]'))}]"
    if type_.startswith('"'):
        return "str"
    return TYPES.get(type_, "Mapping[str, Any]")


def annotation(parameter: Parameter) -> str:
    """Return what follows the name of a parameter; what has a value of its own may be left out."""
    if not parameter.optional:
        return in_python(parameter.type, parameter.name)
    return f"{in_python(f'{parameter.type} | null', parameter.name)} = None"


def written(of: str, function: Function) -> str:
    """Return the function in Python."""
    given = function.parameters
    on = bool(given) and SUBJECTS.fullmatch(given[0].type) is not None
    own = given[1:] if on else given
    head = ", ".join(f"{snake(each.name)}: {annotation(each)}" for each in own)
    names = ", ".join(snake(each.name) for each in own)
    arguments = f"given({names})" if any(each.optional for each in own) else f"({names}{',' * (len(own) == 1)})"
    rest = ", on=True" if on else ""
    made = f'Call("{of}.{function.name}", {arguments}{rest})'
    return f"\n\ndef {snake(function.name)}({head}) -> Call:\n    return {made}\n"


def module(entry: str) -> str:
    """Return the face of one entry."""
    functions = [found for name, path in exported(entry) if (found := function(name, path)) is not None]
    body = "".join(written(ENTRIES[entry], each) for each in sorted(functions, key=lambda each: snake(each.name)))
    names = [name for name in ("Mapping", "Sequence") if f"{name}[" in body]
    imports = f"from collections.abc import {', '.join(names)}\n" if names else ""
    imports += "from typing import Any\n" if "Any" in body else ""
    imports += "\n" if imports else ""
    helper = "Call, given" if "given(" in body else "Call"
    return formatted(
        f'"""Calls of the script `{entry}`, which {WORDS[entry]}.\n\n'
        f"Generated by tools/generate_page_calls.py from the exports of js/src/{entry}/index.ts; do not edit.\n"
        '"""\n\nfrom __future__ import annotations\n\n'
        f"{imports}from stillframe.injected.call import {helper}\n{body}"
    )


def formatted(text: str) -> str:
    """Return a module as `ruff` formats it."""
    ruff = [sys.executable, "-m", "ruff", "format", "--stdin-filename", "calls.py", "-"]
    return subprocess.run(ruff, input=text, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 if a module is stale")
    check = parser.parse_args().check
    for entry in ENTRIES:
        path, text = OUT / f"{entry}.py", module(entry)
        if not check:
            path.write_text(text, "utf-8")
        elif not path.is_file() or path.read_text("utf-8") != text:
            sys.exit(f"{path.relative_to(ROOT)} is stale; run tools/generate_page_calls.py")


if __name__ == "__main__":
    main()
