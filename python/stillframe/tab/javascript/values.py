"""Convert values of JavaScript to Python: numbers that JSON lacks, big integers, dates, maps, cycles.

`arguments` converts the other way.
"""

from __future__ import annotations

import base64
import math
import re
import struct
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlparse  # noqa: TID251  its ParseResult stands for a URL of the page

import msgspec

if TYPE_CHECKING:
    from stillframe.cdp_types.runtime import DeepSerializedValue

SAFE_INTEGER = 2**53 - 1
"""Number.MAX_SAFE_INTEGER: a larger int would lose precision as a double, so it is sent as a BigInt."""

MAX_PATTERN = 10_000
"""Characters of a regular expression that Python compiles; a longer one stays a str."""

UNSERIALIZABLE: dict[str, float] = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf, "-0": -0.0}
"""Runtime.UnserializableValue, except big integers."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class JsError(msgspec.Struct, frozen=True):
    """An Error object that a script returned as a value; a thrown one raises EvaluationFailed."""

    name: str
    message: str
    stack: str = ""


# -- from JavaScript -----------------------------------------------------------------------------


def primitive(remote_object: Any) -> Any:
    """Return the value of a RemoteObject that is not an object; undefined, symbols and functions become None."""
    text = remote_object.unserializable_value
    if text is None:
        return remote_object.value if remote_object.type in ("string", "number", "boolean") else None
    return UNSERIALIZABLE[text] if text in UNSERIALIZABLE else int(text.removesuffix("n"))


def read(nodes: Sequence[Sequence[Any]]) -> Any:
    """Return the first of the nodes from `serialize.ts`; shared and cyclic references stay one Python object."""
    return _Reader(nodes).value([0])


def is_whole(value: DeepSerializedValue) -> bool:
    """Return whether a value that Chrome itself serialized can be read without asking the page for more."""
    return value.weak_local_object_reference is None and _is_whole(value.type, value.value)


def _is_whole(kind: str, content: Any) -> bool:
    if kind in _CHROMES:
        return True
    if content is None or kind not in ("array", "object"):
        return False
    items = content if kind == "array" else [item for _, item in content]
    return all("weakLocalObjectReference" not in item and _is_whole(item["type"], item.get("value")) for item in items)


def read_whole(kind: str, content: Any) -> Any:
    """Return a value that Chrome itself serialized, by its type and content; `is_whole` holds for it."""
    if kind == "array":
        return [read_whole(item["type"], item.get("value")) for item in content]
    if kind == "object":
        return {key: read_whole(item["type"], item.get("value")) for key, item in content}
    return _CHROMES[kind](content)


_CHROMES: dict[str, Callable[[Any], Any]] = {
    "undefined": lambda _: None,
    "null": lambda _: None,
    "function": lambda _: None,
    "symbol": lambda _: None,
    "string": lambda text: text,
    "boolean": lambda value: value,
    "number": lambda value: UNSERIALIZABLE.get(value, value) if isinstance(value, str) else value,
    "bigint": int,
    "window": lambda _: "ref: <Window>",
    "node": lambda node: "ref: <Document>" if node["nodeType"] == 9 else "ref: <Node>",
}


class _Reader:
    def __init__(self, nodes: Sequence[Sequence[Any]]) -> None:
        self._nodes = nodes
        self._made = [_MADE[node[0]](*node[1:]) if node[0] in _MADE else self._container(node) for node in nodes]
        for made, (kind, *content) in zip(self._made, nodes, strict=True):
            if kind in _FILL:
                _FILL[kind](made, [self.value(encoded) for encoded in content[0]])

    def value(self, encoded: Any) -> Any:
        """Return the decoded value: a plain value, a tagged one, or a reference to a node by its number."""
        hops = 0
        while isinstance(encoded, list) and isinstance(encoded[0], int) and self._nodes[encoded[0]][0] == "same":
            encoded, hops = self._nodes[encoded[0]][1], hops + 1
            if hops > len(self._nodes):
                return None  # its toJSON leads back to itself
        if not isinstance(encoded, list):
            return encoded
        kind = encoded[0]
        return self._made[kind] if isinstance(kind, int) else _TAGGED[kind](*encoded[1:])

    def _container(self, node: Sequence[Any]) -> Any:
        kind, content = node
        if kind in ("object", "same"):
            return {} if kind == "object" else None
        keys = content[::2] if kind == "map" else content
        if kind == "array" or not all(map(self._is_hashable, keys)):
            return []
        return {} if kind == "map" else set()

    def _is_hashable(self, encoded: Any) -> bool:
        is_node = isinstance(encoded, list) and isinstance(encoded[0], int)
        return not is_node or self._nodes[encoded[0]][0] in _MADE


_TAGGED: dict[str, Callable[..., Any]] = {
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
    """Return a datetime; an invalid Date becomes NaN, one outside Python's years its milliseconds since 1970."""
    if ms is None:
        return math.nan
    try:
        return EPOCH + timedelta(milliseconds=ms)
    except OverflowError:
        return float(ms)


FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}


def _regexp(pattern: str, flags: str) -> re.Pattern[str] | str:
    """Return a compiled pattern, or JavaScript's notation as a str if Python cannot compile it."""
    notation = f"/{pattern}/{flags}"
    if len(pattern) > MAX_PATTERN:
        return notation
    try:
        return re.compile(pattern, sum(FLAGS.get(flag, 0) for flag in flags))
    except (ValueError, re.error, OverflowError, RecursionError):
        return notation


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
"""Typed arrays that become lists of numbers; byte arrays become bytes. Every platform of Chrome is little-endian."""


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


# -- numbers in commands -------------------------------------------------------------------------


def unserializable(value: float) -> str | None:
    """Return CDP's notation of a number that JSON lacks: NaN, an infinity, -0, an int that no double holds."""
    if isinstance(value, int):
        return f"{value}n" if abs(value) > SAFE_INTEGER else None
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else None
    return None if math.isfinite(value) else "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
