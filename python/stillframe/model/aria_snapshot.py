"""A page as text for a language model."""

from __future__ import annotations

from stillframe.model.structs import Value


class AriaSnapshot(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    r"""The accessibility tree of a page in reading order, one element or text per line, within a budget of characters.

    A line reads `- role "name" [state] = "value" [ref=e12]` and is indented by two spaces more than its parent. Names,
    texts and values are in double quotes and escaped as in JSON, so page text cannot fake a line, a ref or a frame.
    White space is what the page lays out; preformatted text and field values keep their line breaks as `\n`. A line
    that begins with `…` says how many lines were left out there and which scope shows them. `ref=e12` is a selector.

    Everything that a user can reach has a ref. If the role does not tell how, a state does: `[clickable]`,
    `[focusable]`, `[draggable]`, `[resizable]`. `[hint="icon-trash"]` is not a name but the icon, id or class of an
    element without a name. `[placeholder="…"]` is the placeholder of an empty field; `[multiline]` tells text areas
    from inputs. `[active]` marks the element that has the focus, where keys go. What cannot be used, because it is
    `inert` or behind a `[modal]` dialog of the browser, is left out.
    """

    text: str
    """At most as many characters as the budget, refs included."""
    url: str
    title: str
    shown: int
    """The number of lines shown."""
    total: int
    """The number of lines in the scope."""
    cut: str = ""
    """What was left out or shortened, in words and numbers; empty if nothing was."""
    approximate: bool = False
    """Whether a frame could not be captured, or the page is nested too deeply to show its structure."""
