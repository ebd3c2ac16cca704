"""One self-contained HTML page that shows a trace: it opens from disk, and nothing of it leaves the file."""

from __future__ import annotations

import base64
import hashlib
import html
from functools import cache
from importlib.resources import files
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.trace.spans import LANES
from stillframe.trace.timeline import timeline

if TYPE_CHECKING:
    from stillframe.trace.reading import Trace

PARTS = ("steps", "lanes", "views", "controls")
"""The files of the script, in the order in which they run; they share one scope."""


def report(trace: Trace) -> str:
    """Return the report of a trace as HTML.

    Text of the page stands in the document as data and is shown as text. Besides, a content security policy admits
    only the script and the style of the report itself, by their hashes, and no request at all.
    """
    style, script = _part("report.css"), _script()
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    filled = {
        "policy": html.escape(policy, quote=True),
        "style": style,
        "script": script,
        "data": _as_script_data(view_of(trace)),
    }
    pieces = _part("report.html").split("{{")
    # Each placeholder is replaced once: text of the page that looks like one stays as it is.
    return pieces[0] + "".join(filled[name] + rest for name, _, rest in (piece.partition("}}") for piece in pieces[1:]))


def view_of(trace: Trace) -> dict[str, Any]:
    """Return what the report shows, as plain values; `trace show --json` prints it."""
    return {
        "file": PurePath(trace.path).name,
        "header": trace.header,
        "problems": trace.problems,
        "complete": trace.is_complete,
        "lanes": LANES,
        "timeline": timeline(trace),
    }


@cache
def _part(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    return '"use strict"\n;(() => {\n' + "\n".join(_part(f"{name}.js") for name in PARTS) + "})()"


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def _as_script_data(value: Any) -> str:
    """Return JSON that cannot end its script element, nor open a comment in it."""
    text = msgspec.json.encode(value).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
