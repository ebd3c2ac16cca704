"""Values of JavaScript in Python and back, as they are: numbers that JSON lacks, big integers, dates, maps, cycles."""

from __future__ import annotations

import base64
import math
import re
import struct
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlparse

import msgspec

from stillframe import injected
from stillframe.errors import OptionInvalid

SAFE_INTEGER = 2**53 - 1
"""Number.MAX_SAFE_INTEGER: a larger int would arrive as another one, so it is sent as a BigInt."""

MOST_PATTERN = 10_000
"""Characters of a regular expression that is compiled here; a longer one stays a text."""

UNSERIALIZABLE: dict[str, float] = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf, "-0": -0.0}
"""Runtime.UnserializableValue, but for big integers."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class JsError(msgspec.Struct, frozen=True):
    """An Error of the page that is a value; one that is thrown is raised as EvaluationFailed."""

    name: str
    message: str
    stack: str = ""


# -- from JavaScript -----------------------------------------------------------------------------


def primitive(told: Any) -> Any:
    """Return the value of a RemoteObject that is no object; undefined, symbols and functions are None."""
    text = told.unserializable_value
    if text is None:
        return told.value if told.type in ("string", "number", "boolean") else None
    return UNSERIALIZABLE[text] if text in UNSERIALIZABLE else int(text.removesuffix("n"))


def read(nodes: Sequence[Sequence[Any]]) -> Any:
    """Return the first of the nodes that `serialize.js` tells: what several hold, or themselves, is one object here."""
    return _Reader(nodes).value([0])


class _Reader:
    def __init__(self, nodes: Sequence[Sequence[Any]]) -> None:
        self._nodes = nodes
        self._made = [_MADE[node[0]](*node[1:]) if node[0] in _MADE else self._container(node) for node in nodes]
        for made, (kind, *content) in zip(self._made, nodes, strict=True):
            if kind in _FILL:
                _FILL[kind](made, [self.value(told) for told in content[0]])

    def value(self, told: Any) -> Any:
        """Return what a node tells of something in it: a plain value, one with a name, or the number of a node."""
        seen = 0
        while isinstance(told, list) and isinstance(told[0], int) and self._nodes[told[0]][0] == "same":
            told, seen = self._nodes[told[0]][1], seen + 1
            if seen > len(self._nodes):
                return None  # its toJSON leads back to itself
        if not isinstance(told, list):
            return told
        kind = told[0]
        return self._made[kind] if isinstance(kind, int) else _NAMED[kind](*told[1:])

    def _container(self, node: Sequence[Any]) -> Any:
        kind, content = node
        if kind in ("object", "same"):
            return {} if kind == "object" else None
        keys = content[::2] if kind == "map" else content
        if kind == "array" or not all(map(self._is_hashable, keys)):
            return []
        return {} if kind == "map" else set()

    def _is_hashable(self, told: Any) -> bool:
        is_node = isinstance(told, list) and isinstance(told[0], int)
        return not is_node or self._nodes[told[0]][0] in _MADE


_NAMED: dict[str, Callable[..., Any]] = {
    "number": lambda text: UNSERIALIZABLE[text],
    "bigint": int,
    "undefined": lambda: None,
}


def _pairs(items: list[Any]) -> list[tuple[Any, Any]]:
    return list(zip(items[::2], items[1::2], strict=True))


def _fill_map(made: Any, items: list[Any]) -> None:
    made.update(_pairs(items)) if isinstance(made, dict) else made.extend(map(list, _pairs(items)))


_FILL: dict[str, Callable[[Any, list[Any]], None]] = {
    "array": lambda made, items: made.extend(items),
    "object": lambda made, items: made.update(_pairs(items)),
    "map": _fill_map,
    "set": lambda made, items: made.update(items) if isinstance(made, set) else made.extend(items),
}


def _date(ms: float | None) -> datetime | float:
    """A date that Python has no year for is its time in milliseconds since 1970; one that is none is NaN."""
    if ms is None:
        return math.nan
    try:
        return EPOCH + timedelta(milliseconds=ms)
    except OverflowError:
        return float(ms)


FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}


def _regexp(pattern: str, flags: str) -> re.Pattern[str] | str:
    """What Python's expressions do not have stays a text, as JavaScript writes it."""
    try:
        if len(pattern) > MOST_PATTERN:
            raise ValueError("too long")
        return re.compile(pattern, sum(FLAGS.get(flag, 0) for flag in flags))
    except (ValueError, re.error, OverflowError, RecursionError):
        return f"/{pattern}/{flags}"


FORMATS = {
    "Int8Array": "b",
    "Int16Array": "h",
    "Uint16Array": "H",
    "Int32Array": "i",
    "Uint32Array": "I",
    "Float16Array": "e",
    "Float32Array": "f",
    "Float64Array": "d",
    "BigInt64Array": "q",
    "BigUint64Array": "Q",
}
"""Typed arrays that are lists of numbers; bytes are bytes. All machines that Chrome runs on have the low byte first."""


def _bytes(kind: str, content: str) -> bytes | list[Any]:
    raw = base64.b64decode(content)
    letter = FORMATS.get(kind)
    return raw if letter is None else [value for (value,) in struct.iter_unpack(f"<{letter}", raw)]


_MADE: dict[str, Callable[..., Any]] = {
    "date": _date,
    "regexp": _regexp,
    "error": JsError,
    "url": urlparse,
    "bytes": _bytes,
}


# -- to JavaScript -------------------------------------------------------------------------------


def is_special(value: Any) -> bool:
    """Whether something in a list, dict or tuple, or the value itself, is one that JSON lacks; cycles are too."""
    pending, seen = [value], set[int]()
    while pending:
        each = pending.pop()
        if isinstance(each, dict | list | tuple):
            if id(each) in seen:
                return True
            seen.add(id(each))
            pending.extend(each.values() if isinstance(each, dict) else each)
        elif isinstance(each, SPECIAL) or (isinstance(each, int | float) and unserializable(each) is not None):
            return True
    return False


SPECIAL = (set, frozenset, datetime, bytes, bytearray, memoryview)


def unserializable(value: float) -> str | None:
    """Return how CDP takes a number that JSON lacks: NaN, an infinity, -0, an int that is no double."""
    if isinstance(value, int):
        return f"{value}n" if abs(value) > SAFE_INTEGER else None
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else None
    return None if math.isfinite(value) else "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def reviving(declaration: str) -> str:
    """Return a function that takes the nodes of a list of arguments and calls another one with these."""
    return f"function(nodes) {{ return ({declaration}).apply(this, ({injected.function('revive')})(nodes)) }}"


def nodes_of(value: Any) -> list[list[Any]]:
    """Return what `revive.js` makes a value of; raises OptionInvalid for what JavaScript has no value for."""
    return _Writer(value).nodes


class _Writer:
    def __init__(self, value: Any) -> None:
        self.nodes: list[list[Any]] = []
        self._numbers: dict[int, int] = {}
        self._values: list[Any] = []
        self._number(value)
        for each in self._values:  # it grows meanwhile
            self.nodes.append(self._node(each))

    def _told(self, value: Any) -> Any:
        if value is None or isinstance(value, str | bool):
            return value
        if isinstance(value, int | float):
            text = unserializable(value)
            return value if text is None else ["bigint", text[:-1]] if text.endswith("n") else ["number", text]
        return [self._number(value)]

    def _number(self, value: Any) -> int:
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self._values)
            self._values.append(value)
        return self._numbers[id(value)]

    def _node(self, value: Any) -> list[Any]:
        if isinstance(value, list | tuple):
            return ["array", [self._told(item) for item in value]]
        if isinstance(value, dict):
            return ["object", [told for key, item in value.items() for told in (_key(key), self._told(item))]]
        if isinstance(value, set | frozenset):
            return ["set", [self._told(item) for item in value]]
        if isinstance(value, datetime):
            return ["date", (value.astimezone(UTC) - EPOCH) / timedelta(milliseconds=1)]
        if isinstance(value, bytes | bytearray | memoryview):
            return ["bytes", base64.b64encode(value).decode()]
        raise OptionInvalid(
            f"an argument holds {type(value).__name__}, which JavaScript has no value for: give text, numbers, True, "
            "False, None, lists, dicts, sets, bytes or datetimes",
            option="args",
        )


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise OptionInvalid(f"an argument has the key {key!r}: the keys of objects are texts", option="args")
    return key
