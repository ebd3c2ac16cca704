"""The layout of a script's file, and the line of the file that a mistake is in."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from stillframe.model.validation import UNKNOWN
from stillframe.security.untrusted_text import escape_invisible

PATH_PART = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
"""One part of a path such as `steps[2].goal`: a key or an index."""
BYTE = re.compile(r"\(byte (\d+)\)")
"""Where msgspec says that a text stops being JSON."""
SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()

Step = tuple[dict[str, Any], list[dict[str, Any]]]


def laid_out(header: Mapping[str, Any], steps: Sequence[Step]) -> str:
    """Return a script as JSON with one key per line, so that a change of one action is a change of few lines."""
    lines = [f"  {one_line(key)}: {one_line(value)}," for key, value in header.items()]
    return "\n".join(["{", *lines, f'  "steps": {_list([_step(step) for step in steps], "  ")}', "}", ""])


def one_line(value: Any) -> str:
    """Return a value as JSON on one line, in which nothing is invisible."""
    text = json.dumps(value, ensure_ascii=False)
    if escape_invisible(text) == text:
        return text
    return "".join(json.dumps(char)[1:-1] if _is_hidden(char) else char for char in text)


def line_of_offset(text: str, reason: str) -> int:
    """Return the line of the byte that a message names, counted from 1; the last line if it names none."""
    found = BYTE.search(reason)
    return 1 + text.encode(errors="replace")[: int(found[1]) if found else None].count(b"\n")


def line_of_path(text: str, path: str) -> int | None:
    """Return the line where the value of a path begins, or the last part of the path that exists; None without one.

    The text is valid JSON.
    """
    at = 0
    for key, index in PATH_PART.findall(path):
        inner = _inside(text, at, key, int(index) if index else None)
        if inner is None:
            break
        at = inner
    return 1 + text.count("\n", 0, at) if path else None


def mistake(error: msgspec.ValidationError) -> tuple[str, str]:
    """Return the path of the wrong value, for `line_of_path`, and what is wrong with it."""
    reason, _, path = str(error).partition(" - at `$")
    path = path.rstrip("`").lstrip(".")
    unknown = UNKNOWN.fullmatch(reason)
    return (".".join(filter(None, (path, unknown[1]))), "there is no such key") if unknown else (path, reason)


def _inside(text: str, at: int, key: str, index: int | None) -> int | None:
    """Return where a member of the object or array at `at` begins."""
    at = _after_space(text, at)
    opening = text[at]
    at = _after_space(text, at + 1)
    count = 0
    while opening == ("{" if index is None else "[") and text[at] not in "}]":
        name: Any = count
        if index is None:
            name, at = _DECODER.raw_decode(text, at)
            at = _after_space(text, _after_space(text, at) + 1)
        if name == (key if index is None else index):
            return at
        at = _after_space(text, _DECODER.raw_decode(text, at)[1])
        at = _after_space(text, at + 1) if text[at] == "," else at
        count += 1
    return None


def _after_space(text: str, at: int) -> int:
    found = SPACE.match(text, at)
    assert found is not None
    return found.end()


def _is_hidden(char: str) -> bool:
    return char != "\n" and (escape_invisible(char) != char or unicodedata.category(char) == "Cs")


def _step(step: Step) -> str:
    head, actions = step
    lines = [f"      {one_line(key)}: {one_line(value)}," for key, value in head.items()]
    return "\n".join(["{", *lines, f'      "actions": {_list(list(map(_action, actions)), "      ")}', "    }"])


def _action(action: Mapping[str, Any]) -> str:
    lines = [f"          {one_line(key)}: {one_line(value)}" for key, value in action.items()]
    return "{\n" + ",\n".join(lines) + "\n        }"


def _list(items: Sequence[str], indent: str) -> str:
    inner = f",\n{indent}  ".join(items)
    return f"[\n{indent}  {inner}\n{indent}]" if items else "[]"
