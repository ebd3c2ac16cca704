"""What a page says, as text for a model."""

from __future__ import annotations

from typing import Any

import msgspec


class PageText(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The accessible tree of a page in reading order, one element or text a line, within a budget of characters.

    A line reads `- role "name" [state] = "value" [ref=e12]`, two spaces further in than what holds it; names, texts and
    values stand in double quotes, escaped as in JSON, so that page text can fake no line, ref or frame. White space is
    what the page lays out; preformatted text and the values of fields keep their lines, as `\\n`. A line that begins
    with `…` says how many lines were left out there and which scope shows them. `ref=e12` is a selector.

    Whatever a person can reach has a ref. Where the role does not say how, a state does: `[clickable]`, `[focusable]`,
    `[draggable]`, `[resizable]`. `[hint="icon-trash"]` is no name: it is the icon, id or class of what has none.
    `[placeholder="…"]` is what an empty field shows, `[multiline]` tells text areas from inputs.
    """

    text: str
    """At most as many characters as the budget has, refs included."""
    url: str
    title: str
    shown: int
    """Lines of the page that are shown."""
    total: int
    """Lines that the scope has."""
    cut: str = ""
    """What was left out or cut short, in words and numbers; empty if nothing was."""
    approximate: bool = False
    """Whether a frame could not be captured, or structure is nested too deep to be shown as it is."""

    def to_dict(self) -> dict[str, Any]:
        """Return the text as plain builtins with its JSON keys."""
        builtins: dict[str, Any] = msgspec.to_builtins(self)
        return builtins
