"""Convert values of Python to arguments of JavaScript: what `revive.ts` decodes in the page.

Containers become a flat list of nodes that refer to each other by number, so neither depth nor cycles matter. Big
integers and lone surrogates, which JSON cannot carry, become constants in the source of the function that decodes.
"""

from __future__ import annotations

import base64
import json
import re
import traceback
from collections.abc import Callable, Sequence
from dataclasses import is_dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import ParseResult, urlunparse

from stillframe.errors import ArgumentInvalid, HandleForeign
from stillframe.tab.javascript.page_objects import PageObject
from stillframe.tab.javascript.values import EPOCH, FLAGS, JsError, unserializable

if TYPE_CHECKING:
    from stillframe.tab.frames import Frame

MILLISECOND = timedelta(milliseconds=1)

PASSED = (
    "None, True, False, numbers, str, bytes, lists, tuples, dicts (keys: str or int), sets, datetimes, re.Pattern, "
    "urllib.parse.ParseResult, exceptions, and handles"
)
"""What can be passed, for messages."""

INSTEAD: dict[str, str] = {
    "Locator": "pass `await locator.element_handle()`, or call `locator.evaluate`",
    "date": "pass a datetime, or `.isoformat()`",
    "time": "pass `.isoformat()`",
    "Decimal": "pass a float or a str",
    "UUID": "pass a str",
    "ndarray": "pass `.tolist()`",
    "function": "pass the source of a JavaScript function in the expression, or use page.expose_function",
    "Secret": "secrets are typed by `fill` and `type` alone",
}
"""What to do about some types that cannot be passed."""

INLINE_FLAGS = re.compile(r"^\(\?[aiLmsux]+\)")
PYTHONS_SYNTAX = re.compile(r"\(\?P<|\(\?P=(\w+)\)|\\(.)", re.DOTALL)
PYTHONS_ESCAPES = {"A": r"(?<![\s\S])", "Z": r"(?![\s\S])"}
"""What Python writes otherwise than JavaScript."""


class Arguments(NamedTuple):
    """Encoded arguments: `nodes`, the first of them the list of all, `constants` as JavaScript, and objects."""

    nodes: list[list[Any]]
    constants: str
    objects: list[PageObject]


def encode(values: Sequence[Any], frame: Frame | None = None) -> Arguments:
    """Return what `revive.ts` decodes into the values, for a script that runs in a frame.

    Raises ArgumentInvalid for what has no JavaScript value, HandleForeign and HandleReleased.
    """
    return _Encoder(values, frame).result()


class _Encoder:
    def __init__(self, values: Sequence[Any], frame: Frame | None) -> None:
        self._frame = frame
        self._numbers: dict[int, int] = {}
        self._values: list[Any] = []
        self._places: list[tuple[int, Any]] = []
        """For each value the number of the container that holds it, and the key or index in that."""
        self._constants: list[str] = []
        self._objects: list[PageObject] = []
        self._number(list(values), 0, None)

    def result(self) -> Arguments:
        nodes: list[list[Any]] = []
        for each in self._values:  # the list grows meanwhile
            nodes.append(self._node(len(nodes), each))
        return Arguments(nodes, f"[{','.join(self._constants)}]", self._objects)

    def _encoded(self, value: Any, holder: int, key: Any) -> Any:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int | float):
            return self._numeral(value)
        held = value if isinstance(value, PageObject) else getattr(value, "_page_object", None)
        if isinstance(held, PageObject):
            return self._object(held)
        return [self._number(value, holder, key)]

    def _text(self, value: str) -> Any:
        text = str.__str__(value)
        return text if text.isascii() or not _has_lone_surrogate(text) else self._constant(json.dumps(text))

    def _numeral(self, value: float) -> Any:
        plain = int(value) if isinstance(value, int) else float(value)
        text = unserializable(plain)
        if text is None:
            return plain
        return self._constant(text) if text.endswith("n") else ["number", text]

    def _constant(self, source: str) -> list[Any]:
        self._constants.append(source)
        return ["constant", len(self._constants) - 1]

    def _object(self, held: PageObject) -> Any:
        held.require_usable()
        if held.object_id is None:
            return self._primitive(held)
        if held.frame is not self._frame:
            here = "the script" if self._frame is None else self._frame.describe()
            raise HandleForeign(
                f"a handle of {held.frame.describe()} cannot be passed to a script in {here}: objects stay in the "
                "document that they belong to; get one there, or pass what you need of it as a value"
            )
        self._objects.append(held)
        return ["object", len(self._objects) - 1]

    def _primitive(self, held: PageObject) -> Any:
        remote = held.remote
        if remote.type == "undefined":
            return ["undefined"]
        text = remote.unserializable_value
        if text is None:
            return remote.value
        return self._constant(text) if text.endswith("n") else ["number", text]

    def _number(self, value: Any, holder: int, key: Any) -> int:
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self._values)
            self._values.append(value)
            self._places.append((holder, key))
        return self._numbers[id(value)]

    def _node(self, number: int, value: Any) -> list[Any]:
        if isinstance(value, list | tuple) and not isinstance(value, ParseResult):
            return ["array", [self._encoded(item, number, at) for at, item in enumerate(value)]]
        if isinstance(value, dict):
            return self._dict(number, value)
        if isinstance(value, set | frozenset):
            return ["set", [self._encoded(item, number, None) for item in value]]
        for kinds, made in _NODES:
            if isinstance(value, kinds):
                return self._made(number, value, made)
        raise self._refused(number, value)

    def _made(self, number: int, value: Any, made: Callable[[Any], list[Any]]) -> list[Any]:
        try:
            kind, *content = made(value)
        except _Unfit as unfit:
            raise self._refused(number, value, str(unfit)) from None
        return [kind, *(self._text(each) if isinstance(each, str) else each for each in content)]

    def _dict(self, number: int, value: dict[Any, Any]) -> list[Any]:
        content: dict[str, Any] = {}
        keys, values = [], []
        for key, item in value.items():
            if isinstance(key, int) and not isinstance(key, bool):
                key = str(int(key))  # as an object of JavaScript has it
            if not isinstance(key, str):
                raise self._refused(number, value, f"it has the key {key!r}, and keys must be str or int; convert them")
            name, encoded = self._text(key), self._encoded(item, number, key)
            if name == "__proto__" or isinstance(name, list):
                keys.append(self._constant(json.dumps(key)))
                values.append(encoded)
            else:
                content[name] = encoded
        return ["object", content, keys, values, list(content)]

    def _refused(self, number: int, value: Any, why: str = "") -> ArgumentInvalid:
        kind, place = type(value).__name__, self._place(number)
        if not why:
            instead = "pass `dataclasses.asdict` of it" if is_dataclass(value) else f"pass {PASSED}"
            why = f"it has no JavaScript value; {INSTEAD.get(kind, instead)}"
        return ArgumentInvalid(f"{place} is of type {kind}: {why}", place=place, kind=kind)

    def _place(self, number: int) -> str:
        """Return where a value is: `arg["rows"][2]`."""
        keys: list[Any] = []
        while number:
            number, key = self._places[number]
            keys.append(key)
        inner = keys[:-1][::-1]  # the outermost is the index among all arguments
        return "arg" + "".join("{…}" if key is None else f"[{json.dumps(key)}]" for key in inner)


class _Unfit(Exception):
    """Why a value of a type that can be passed cannot be passed."""


def _has_lone_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _date(value: datetime) -> list[Any]:
    return ["date", (value.astimezone(UTC) - EPOCH) // MILLISECOND]


def _bytes(value: bytes | bytearray | memoryview) -> list[Any]:
    raw = bytes(value)
    return ["bytes", base64.b64encode(raw).decode(), len(raw)]


def _regexp(value: re.Pattern[Any]) -> list[Any]:
    if not isinstance(value.pattern, str):
        raise _Unfit("its pattern is of bytes, and JavaScript has texts only")
    if value.flags & re.VERBOSE:
        raise _Unfit("JavaScript has no re.VERBOSE; write the pattern without it")
    source = PYTHONS_SYNTAX.sub(_translated, INLINE_FLAGS.sub("", value.pattern))
    return ["regexp", source, "".join(letter for letter, flag in FLAGS.items() if value.flags & flag)]


def _translated(found: re.Match[str]) -> str:
    if found[2] is not None:
        return PYTHONS_ESCAPES.get(found[2], found[0])
    return "(?<" if found[1] is None else rf"\k<{found[1]}>"


def _error(value: BaseException) -> list[Any]:
    return ["error", type(value).__name__, str(value), "".join(traceback.format_exception(value))]


_NODES: tuple[tuple[Any, Callable[[Any], list[Any]]], ...] = (
    (datetime, _date),
    ((bytes, bytearray, memoryview), _bytes),
    (re.Pattern, _regexp),
    (ParseResult, lambda url: ["url", urlunparse(url)]),
    (JsError, lambda error: ["error", error.name, error.message, error.stack]),
    (BaseException, _error),
)
"""The types that are not containers, and the node of each."""
