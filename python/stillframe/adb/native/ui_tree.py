"""The native elements on the screen: parse what `uiautomator dump` prints, and find elements in it. No I/O."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.parsers import expat

import msgspec

from stillframe.adb.errors import ShellFailed
from stillframe.adb.native.rect import Rect

COMMAND = "uiautomator dump"

MAX_BYTES = 32 << 20
"""The most bytes of XML that are parsed; a screen with 10,000 views has 4 MB."""
MAX_DEPTH = 1000
"""How deep elements may nest; Android's own layout fails with a stack overflow at some hundreds."""

SAMPLE = 500
"""Characters of the output that an error keeps."""

ROLES: dict[str, str] = {
    "AutoCompleteTextView": "textbox",
    "Button": "button",
    "CheckBox": "checkbox",
    "CheckedTextView": "checkbox",
    "Chronometer": "timer",
    "CompoundButton": "switch",
    "EditText": "textbox",
    "ExpandableListView": "list",
    "FloatingActionButton": "button",
    "GridView": "grid",
    "Image": "img",
    "ImageButton": "button",
    "ImageView": "img",
    "ListView": "list",
    "MultiAutoCompleteTextView": "textbox",
    "ProgressBar": "progressbar",
    "RadioButton": "radio",
    "RadioGroup": "radiogroup",
    "RatingBar": "slider",
    "RecyclerView": "list",
    "SearchView": "search",
    "SeekBar": "slider",
    "Spinner": "combobox",
    "Switch": "switch",
    "TabWidget": "tablist",
    "TextView": "text",
    "ToggleButton": "switch",
    "ViewPager": "region",
    "WebView": "document",
}
"""ARIA's roles of Android's widget classes, by the last part of the class name; all others are `generic`."""


class NativeElement(msgspec.Struct, frozen=True, kw_only=True):
    """One element of the native screen, as Android's accessibility sees it.

    `name` is `text` or, if that is empty, `content_desc`. `resource_id` is whole: `com.example.shop:id/login`. `bounds`
    are in pixels of the screen. `checked` is None if the element cannot be checked. `depth` is 0 for the root; an
    element comes before its children in a list.
    """

    class_name: str = ""
    role: str = "generic"
    name: str = ""
    text: str = ""
    content_desc: str = ""
    resource_id: str = ""
    package: str = ""
    bounds: Rect = Rect(0, 0, 0, 0)
    clickable: bool = False
    long_clickable: bool = False
    enabled: bool = True
    focused: bool = False
    selected: bool = False
    scrollable: bool = False
    password: bool = False
    checked: bool | None = None
    depth: int = 0

    @property
    def short_id(self) -> str:
        """The resource id without its package, as `id=` takes it: `login`."""
        return self.resource_id.rpartition("/")[2]

    def describe(self) -> str:
        """Return the role and every selector that can find the element: `button ~"Buy" id=buy text="Buy now"`."""
        parts = [
            self.role if self.role != "generic" else self.class_name.rpartition(".")[2],
            self.content_desc and f'~"{_short(self.content_desc)}"',
            self.short_id and f"id={self.short_id}",
            self.text and f'text="{_short(self.text)}"',
        ]
        return " ".join(part for part in parts if part)


def parse_hierarchy(output: bytes) -> list[NativeElement]:
    """Return the elements in the output of `uiautomator dump`, in document order; text around the XML is ignored.

    Characters that XML forbids are tolerated, because Android writes them: emoji as two surrogates each. A document
    type is refused, so no entity expands. Raises ShellFailed if the output holds no such XML.
    """
    if len(output) > MAX_BYTES:
        raise _failure(f"it has {len(output)} bytes, and the limit is {MAX_BYTES}", "")
    text = output.decode("utf-8", "replace")
    if (xml := _xml_in(text)) is None:
        raise _failure("it holds no XML", text)
    reader = _Reader()
    try:
        reader.read(_legal(xml))
    except expat.ExpatError as error:
        raise _failure(f"its XML does not parse: {error}", text) from error
    return reader.found


def _failure(reason: str, output: str) -> ShellFailed:
    return ShellFailed(
        f"the output of {COMMAND!r} is not a view hierarchy: {reason}",
        command=COMMAND,
        returncode=None,
        stdout=output[:SAMPLE],
    )


# -- XML -----------------------------------------------------------------------------------------

_BEGIN = re.compile(r"<\?xml|<hierarchy\b|<!DOCTYPE")
_END = "</hierarchy>"
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_SURROGATES = re.compile(r"&#(5[56]\d{3}|x[dD][89abAB][0-9a-fA-F]{2});&#(5[67]\d{3}|x[dD][c-fC-F][0-9a-fA-F]{2});")
_REFERENCE = re.compile(r"&#(\d{1,8}|x[0-9a-fA-F]{1,6});")
REPLACEMENT = "\ufffd"


def _xml_in(text: str) -> str | None:
    begin = _BEGIN.search(text)
    if begin is None:
        return None
    end = text.rfind(_END)
    return text[begin.start() : end + len(_END)] if end >= 0 else text[begin.start() : text.rfind(">") + 1]


def _legal(xml: str) -> str:
    """Return XML without the characters that it forbids: they become U+FFFD, and two surrogates their character."""
    joined = _SURROGATES.sub(lambda pair: _joined(_number(pair[1]), _number(pair[2])), xml)
    return _CONTROL.sub(REPLACEMENT, _REFERENCE.sub(_legal_reference, joined))


def _number(reference: str) -> int:
    return int(reference[1:], 16) if reference.startswith("x") else int(reference)


def _joined(high: int, low: int) -> str:
    if not (0xD800 <= high < 0xDC00 <= low < 0xE000):
        return REPLACEMENT
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))


def _legal_reference(match: re.Match[str]) -> str:
    number = _number(match[1])
    legal = number in (9, 10, 13) or 0x20 <= number < 0xD800 or 0xE000 <= number < 0xFFFE or 0xFFFF < number < 0x110000
    return match[0] if legal else REPLACEMENT


class _Reader:
    """Collects the nodes of a hierarchy; without recursion, so that no depth overflows the stack."""

    def __init__(self) -> None:
        self.found: list[NativeElement] = []
        self._depth = 0
        self._open = 0
        self._parser = expat.ParserCreate("utf-8")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._doctype

    def read(self, xml: str) -> None:
        self._parser.Parse(xml.encode("utf-8", "replace"), True)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._open += 1
        if self._open > MAX_DEPTH:
            raise _failure(f"its elements nest deeper than {MAX_DEPTH}", "")
        if tag == "node":
            self.found.append(element(attributes, self._depth))
            self._depth += 1

    def _end(self, tag: str) -> None:
        self._open -= 1
        self._depth -= tag == "node"

    def _doctype(self, *_: object) -> None:
        raise _failure("it declares a document type, which uiautomator never does", "")


_BOUNDS = re.compile(r"\[(-?\d{1,9}),(-?\d{1,9})\]\[(-?\d{1,9}),(-?\d{1,9})\]")


def element(attributes: Mapping[str, str], depth: int = 0) -> NativeElement:
    """Return the element of a `<node>`; attributes that are missing or malformed count as empty."""

    def on(name: str) -> bool:
        return attributes.get(name) == "true"

    class_name, text = attributes.get("class", ""), attributes.get("text", "")
    described = attributes.get("content-desc", "")
    return NativeElement(
        class_name=class_name,
        role=ROLES.get(class_name.rpartition(".")[2], "generic"),
        name=text or described,
        text=text,
        content_desc=described,
        resource_id=attributes.get("resource-id", ""),
        package=attributes.get("package", ""),
        bounds=_bounds(attributes.get("bounds", "")),
        clickable=on("clickable"),
        long_clickable=on("long-clickable"),
        enabled=attributes.get("enabled") != "false",
        focused=on("focused"),
        selected=on("selected"),
        scrollable=on("scrollable"),
        password=on("password"),
        checked=on("checked") if on("checkable") else None,
        depth=depth,
    )


def _bounds(text: str) -> Rect:
    match = _BOUNDS.fullmatch(text)
    if match is None:
        return Rect(0, 0, 0, 0)
    left, top, right, bottom = map(int, match.groups())
    return Rect(left, top, max(right - left, 0), max(bottom - top, 0))


def _short(text: str, most: int = 60) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"
