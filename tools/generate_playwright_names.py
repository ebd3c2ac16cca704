#!/usr/bin/env python3
"""Generate docs/reference/playwright-names.md: the public names of Playwright and ours.

    tools/generate_playwright_names.py             write the page
    tools/generate_playwright_names.py --check     exit with 1 if the page is stale, or a name is in no table

The names are those of the Playwright package that is installed; those that our classes do not have are in
`stillframe.api.playwright_names`.
"""

from __future__ import annotations

import argparse
import inspect
import sys
import typing
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from stillframe.api.playwright_names import NAMES  # noqa: E402  see above
from stillframe.model.playwright_parameters import OF_CALLS, PARAMETERS, ours  # noqa: E402
from stillframe.tab.context.names import NAMES as CONTEXT_OPTIONS  # noqa: E402

PAGE = ROOT / "docs" / "reference" / "playwright-names.md"

CLASSES: dict[str, str] = {
    "Page": "stillframe.api.browser",
    "Frame": "stillframe.api.frame",
    "Locator": "stillframe.api.locator",
    "FrameLocator": "stillframe.api.locator",
    "BrowserContext": "stillframe.api.browser",
    "Browser": "stillframe.api.browser",
    "Keyboard": "stillframe.api.keyboard",
    "Mouse": "stillframe.api.mouse",
    "Touchscreen": "stillframe.api.mouse",
    "Request": "stillframe.tab.network.requests",
    "Response": "stillframe.tab.network.responses",
    "Route": "stillframe.tab.network.routing",
    "Download": "stillframe.api.downloads",
    "Video": "stillframe.api.video",
    "Dialog": "stillframe.api.dialogs",
    "FileChooser": "stillframe.api.file_chooser",
    "WebSocket": "stillframe.api.websockets",
    "Worker": "stillframe.api.workers",
    "JSHandle": "stillframe.api.handles",
    "ElementHandle": "stillframe.api.handles",
    "APIRequestContext": "stillframe.tab.network.api_request",
    "APIResponse": "stillframe.tab.network.api_response",
}
"""Playwright's classes, and the module that has ours of the same name."""

ABSENT = "none: "
"""How the text begins of a name that has no equivalent; the reason follows."""


LISTENING = frozenset({"on", "once", "remove_listener"})


class Names(NamedTuple):
    """The public names of one of Playwright's classes: those of ours, those with another way, and the rest."""

    same: list[str]
    other: dict[str, str]
    absent: dict[str, str]
    unknown: list[str]
    """Those in no table."""

    @property
    def count(self) -> int:
        """How many names there are."""
        return len(self.same) + len(self.other) + len(self.absent) + len(self.unknown)


def names_of(kind: str) -> Names:
    """Return the names of a class."""
    theirs = getattr(import_module("playwright.async_api"), kind)
    ours: Any = getattr(import_module(CLASSES[kind]), kind)
    table = NAMES.get(kind, {})
    public = sorted(name for name in dir(theirs) if not name.startswith("_"))
    if "on" not in vars(theirs):  # each class inherits them, but only those that define them have events
        public = [name for name in public if name not in LISTENING]
    same = [name for name in public if hasattr(ours, name) or name in getattr(ours, "__struct_fields__", ())]
    left = [name for name in public if name not in same]
    return Names(
        same,
        {name: table[name] for name in left if name in table and not table[name].startswith(ABSENT)},
        {name: table[name].removeprefix(ABSENT) for name in left if table.get(name, "").startswith(ABSENT)},
        [name for name in left if name not in table],
    )


def parameters(found: dict[str, Names]) -> Iterator[tuple[str, str, str]]:
    """Yield class, method and name of each parameter of Playwright that our method of the same name does not take."""
    for kind, names in found.items():
        theirs = getattr(import_module("playwright.async_api"), kind)
        own = getattr(import_module(CLASSES[kind]), kind)
        for name in names.same:
            method = getattr(theirs, name)
            if inspect.isfunction(method) and callable(getattr(own, name, None)):
                missing = list(inspect.signature(method).parameters)[1:]
                yield from ((kind, name, each) for each in missing if each not in taken(getattr(own, name)))


def taken(method: Any) -> set[str]:
    """Return the names of the parameters of a method of ours, those of its options included."""
    function = inspect.unwrap(method)
    names = set()
    for parameter in inspect.signature(function).parameters.values():
        names.add(parameter.name)
        if parameter.kind is parameter.VAR_KEYWORD:
            options = eval(parameter.annotation, {**vars(typing), **function.__globals__})
            names |= set(typing.get_args(options)[0].__annotations__)
    return names | set(CONTEXT_OPTIONS) if function.__name__ in ("new_context", "new_page") else names


def parameter_lines(found: dict[str, Names]) -> Iterator[str]:
    """Yield the lines about parameters."""
    missing = list(parameters(found))
    yield ""
    yield "## Parameters"
    yield ""
    yield "The calls that both have take Playwright's parameters, except for these. A call with one that many calls"
    yield "have raises an error that says the same. Options of contexts have Playwright's names beside ours."
    yield ""
    yield "| Playwright | of | stillframe |"
    yield "|---|---|---|"
    for name, text in sorted(PARAMETERS.items()):
        yield f"| `{name}` | {sum(each == name for _, _, each in missing)} calls | {_cell(text)} |"
    rows: dict[tuple[str, str], list[str]] = {}
    for call, texts in OF_CALLS.items():
        for name, text in texts.items():
            rows.setdefault((name, text), []).append(call)
    for (name, text), calls in sorted(rows.items()):
        yield f"| `{name}` | {', '.join(f'`{call}`' for call in sorted(calls))} | {_cell(text)} |"


def lines(found: dict[str, Names]) -> Iterator[str]:
    """Yield the lines of the page."""
    total, same = sum(each.count for each in found.values()), sum(len(each.same) for each in found.values())
    other = sum(len(each.other) for each in found.values())
    yield "# Names of Playwright"
    yield ""
    yield f"Of the {total} public names of {len(found)} classes of Playwright's Python package, stillframe has {same}"
    yield f"({same / total:.0%}) under the same name and {other} under another; {total - same - other} have none."
    yield "[Come from Playwright](../how-to/from-playwright.md) shows how programs change."
    for kind, names in found.items():
        yield ""
        yield f"## {kind}"
        yield ""
        yield f"The same: {', '.join(f'`{name}`' for name in names.same)}."
        if names.other or names.absent:
            yield ""
            yield "| Playwright | stillframe |"
            yield "|---|---|"
            yield from (f"| `{name}` | {_cell(text)} |" for name, text in names.other.items())
            yield from (f"| `{name}` | – ({_cell(text)}) |" for name, text in names.absent.items())
    yield from parameter_lines(found)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only tell whether the page is fresh")
    check = parser.parse_args().check
    found = {kind: names_of(kind) for kind in CLASSES}
    unknown = [f"{kind}.{name}" for kind, names in found.items() for name in names.unknown]
    if unknown:
        sys.stderr.write(f"in no table of python/stillframe/api/playwright_names.py: {', '.join(unknown)}\n")
        return 1
    strange = sorted({f"{call}({name}=)" for _, call, name in parameters(found) if ours(call, name) is None})
    if strange:
        sys.stderr.write(f"in no table of python/stillframe/model/playwright_parameters.py: {', '.join(strange)}\n")
        return 1
    text = "\n".join(lines(found)) + "\n"
    if check:
        stale = not PAGE.exists() or PAGE.read_text("utf-8") != text
        if stale:
            sys.stderr.write(f"{PAGE.relative_to(ROOT)} is stale: tools/generate_playwright_names.py\n")
        return int(stale)
    PAGE.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
