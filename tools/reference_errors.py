"""The page of all errors: class, code, bases, cause and remedy, from the docstrings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reference_sources import docstring, table
from stillframe.errors import StillframeError, all_errors

REMEDY = "Remedy: "
"""How the last paragraph of a docstring begins that says what to do."""
INTRO = """\
# Errors

Every error is a `stillframe.StillframeError` with a `code`, the data you need to act, and a message that says what was
wrong, where, and what to do. Tell them apart by class, or in JSON by `code`. [Handle errors](../how-to/errors.md)
shows how."""


def parts(error: type[StillframeError]) -> tuple[str, str]:
    """Return what an error means, and what to do about it; the latter is empty where only subclasses are raised."""
    paragraphs = re.sub(
        r"docs/reference/(\w+)\.md", lambda page: f"[{page[1].capitalize()}]({page[1]}.md)", docstring(error)
    ).split("\n\n")
    remedy = [text.removeprefix(REMEDY) for text in paragraphs if text.startswith(REMEDY)]
    return "\n\n".join(text for text in paragraphs if not text.startswith(REMEDY)), "\n\n".join(remedy)


def below(error: type[StillframeError]) -> Iterator[type[StillframeError]]:
    """Yield an error of `stillframe.errors` and its subclasses there, each before its own."""
    yield error
    for subclass in all_errors():
        if error in subclass.__bases__:
            yield from below(subclass)


def errors_page() -> str:
    """Return the page."""
    tops = [error for error in all_errors() if StillframeError in error.__bases__]
    families = [family for family in tops if len(list(below(family))) > 1]
    single = [error for error in tops if error not in families]
    sections = [f"## {family.__name__}\n\n" + "\n\n".join(_entries(family)) for family in families]
    others = "\n\n".join(entry for error in single for entry in _entries(error, heading=f"### {error.__name__}"))
    return "\n\n".join([INTRO, *sections, "## Other errors", others, "## Codes", _codes()])


def _codes() -> str:
    """Return a table from the code to the class."""
    errors = [error for error in below(StillframeError) if error is not StillframeError]
    return table(
        ["code", "class"],
        sorted([f"`{error.code}`", f"[{error.__name__}](#{error.__name__.lower()})"] for error in errors),
    )


def _entries(family: type[StillframeError], *, heading: str = "") -> Iterator[str]:
    """Yield the entry of each error of a family, whose own heading is `heading`."""
    for error in below(family):
        meaning, remedy = parts(error)
        facts = "; a kind of ".join([f"Code `{error.code}`", *_bases(error)]) + "."
        above = heading if error is family else f"### {error.__name__}"
        shown = [above, facts, meaning, remedy and f"**What to do:** {remedy}"]
        yield "\n\n".join(text for text in shown if text)


def _bases(error: type[StillframeError]) -> list[str]:
    """Return the bases of an error that say more than that it is ours, with links."""
    return [
        f"[{base.__name__}](#{base.__name__.lower()})" if issubclass(base, StillframeError) else f"`{base.__name__}`"
        for base in error.__bases__
        if base is not StillframeError
    ]
