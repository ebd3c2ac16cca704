"""Find secrets that a text holds in several encodings at once, such as JSON in a URL in a URL.

The redaction of a context replaces a secret in each single encoding. A trace outlives its page and is handed on, so its
texts are also decoded, and one that still shows a secret then is left out as a whole.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, unquote_plus

from stillframe.model.secret import REDACTED

if TYPE_CHECKING:
    from stillframe._core import Redactor

DEPTH = 3
"""How many encodings around each other are undone."""

_MARKS = re.compile(r"[%\\&]")
"""What every encoded text has."""
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_ORIGIN = re.compile(r"(?:\w+ )?\w+://[^/?#\s%&\\]*/", re.ASCII)


def without_encoded_secrets(value: Any, redactor: Redactor) -> Any:
    """Return a plain value with each text replaced that shows a secret once it is decoded."""
    if isinstance(value, str):
        return _left_out(value) if _MARKS.search(value) and _shows(value, redactor) else value
    if isinstance(value, dict):
        return {key: without_encoded_secrets(each, redactor) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [without_encoded_secrets(each, redactor) for each in value]
    return value


def _left_out(text: str) -> str:
    """Return what remains of a text: of a URL its origin."""
    origin = _ORIGIN.match(text)
    return f"{origin[0] if origin else ''}{REDACTED}"


def _shows(text: str, redactor: Redactor) -> bool:
    seen = {text}
    layer = [text]
    for _ in range(DEPTH):
        layer = [decoded for each in layer for decoded in _decoded(each) if decoded not in seen]
        if any(redactor.redact(each) != each for each in layer):
            return True
        seen.update(layer)
    return False


def _decoded(text: str) -> Iterator[str]:
    """Yield a text with one encoding of a kind undone."""
    yield unquote(text)
    yield unquote_plus(text)
    yield html.unescape(text)
    yield _ESCAPE.sub(_unescaped, text)


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else match[3]
