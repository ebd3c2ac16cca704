"""Read one line of the text of an ARIA snapshot: what stands in its brackets, and not in the words of the page."""

from __future__ import annotations

import re

_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_BRACKETED = re.compile(r"\[([^\]]*)\]")


def brackets(line: str) -> tuple[str, ...]:
    """Return what stands in brackets, such as `ref=e2` and `clickable`; names and texts of the page are left out."""
    head = _QUOTED.sub("", line).partition(": ")[0]
    return tuple(_BRACKETED.findall(head))
