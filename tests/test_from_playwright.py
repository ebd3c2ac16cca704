"""The table of equivalents names what exists, in stillframe and in Playwright."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from typing import Any, NamedTuple, get_type_hints

import pytest

import stillframe
from documents import DOCS
from needing import NEEDS
from stillframe.api.keyboard import Keyboard
from stillframe.api.mouse import Mouse
from stillframe.api.web_storage import WebStorage
from stillframe.assertions.locator import LocatorAssertions
from stillframe.assertions.page import PageAssertions
from stillframe.chrome.options import LaunchOptions
from stillframe.model.options import SequenceOptions
from stillframe.tab.context.keywords import PdfKeywords
from stillframe.tab.context.options import ContextOptions

theirs = pytest.importorskip("playwright.async_api", reason=NEEDS["playwright"].reason)

PAGE = (DOCS / "how-to" / "from-playwright.md").read_text("utf-8")
OURS: dict[str, Any] = {
    "stillframe": stillframe,
    "browser": stillframe.Browser,
    "context": stillframe.BrowserContext,
    "page": stillframe.Page,
    "page.webmcp": stillframe.WebMCP,
    "page.keyboard": Keyboard,
    "page.mouse": Mouse,
    "page.local_storage": WebStorage,
    "dialog": stillframe.Dialog,
    "page.frame_locator()": stillframe.FrameLocator,
    "locator": stillframe.Locator,
    "handle": stillframe.ElementHandle,
    "route": stillframe.Route,
    "request": stillframe.Request,
    "response": stillframe.Response,
    "expect()": LocatorAssertions,
}
THEIRS: dict[str, Any] = {
    "playwright": theirs.Playwright,
    "playwright.chromium": theirs.BrowserType,
    "browser": theirs.Browser,
    "context": theirs.BrowserContext,
    "context.tracing": get_type_hints(theirs.BrowserContext.tracing.fget)["return"],
    "page": theirs.Page,
    "dialog": theirs.Dialog,
    "page.keyboard": theirs.Keyboard,
    "page.webmcp": get_type_hints(theirs.Page.webmcp.fget)["return"],
    "page.mouse": theirs.Mouse,
    "page.local_storage": get_type_hints(theirs.Page.local_storage.fget)["return"],
    "page.frame_locator()": theirs.FrameLocator,
    "locator": theirs.Locator,
    "handle": theirs.ElementHandle,
    "route": theirs.Route,
    "request": theirs.Request,
    "response": theirs.Response,
    "expect()": (theirs.LocatorAssertions, theirs.PageAssertions),
}
OPTIONS = frozenset(
    (
        *SequenceOptions.__struct_fields__,
        *ContextOptions.__struct_fields__,
        *LaunchOptions.__struct_fields__,
        *PdfKeywords.__annotations__,
    )
)
"""Options that signatures take as `**options`."""


class Row(NamedTuple):
    theirs: str
    ours: str


def rows() -> list[Row]:
    cells = re.findall(r"^\| (`[^|]+`) \| ([^|]+) \|[^|]*\|$", PAGE, re.MULTILINE)
    return [Row(theirs=first.strip("`"), ours=second.strip().strip("`")) for first, second in cells]


def uses(code: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield what an expression uses: an object, a name of it, and the keywords of the call, outermost first."""
    node: ast.expr = ast.parse(code, mode="eval").body
    while not isinstance(node, ast.Name):
        keywords: list[str] = []
        if isinstance(node, ast.Call):
            keywords = [str(keyword.arg) for keyword in node.keywords]
            node = node.func
        if not isinstance(node, ast.Attribute):
            return
        node, name = node.value, node.attr
        yield re.sub(r"\(.*\)$", "()", ast.unparse(node)), name, keywords


def test_the_uses_of_an_expression_are_found() -> None:
    assert list(uses("page.frame_locator('#pay').get_by_text('Buy', exact=True)")) == [
        ("page.frame_locator()", "get_by_text", ["exact"]),
        ("page", "frame_locator", []),
    ]


def test_the_table_is_long_and_has_no_row_twice() -> None:
    left = [row.theirs for row in rows()]
    assert len(left) > 60
    assert len(set(left)) == len(left)


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.theirs)
def test_an_equivalent_exists(row: Row) -> None:
    for owner, name, _ in uses(row.theirs):
        found = THEIRS[owner] if isinstance(THEIRS[owner], tuple) else (THEIRS[owner],)
        assert any(hasattr(each, name) for each in found), f"Playwright's {owner} has no {name}"
    if row.ours == "–":
        return
    for owner, name, keywords in uses(row.ours):
        member = getattr(PageAssertions if row.ours.startswith("expect(page)") else OURS[owner], name)
        known = OPTIONS | set(inspect.signature(member).parameters if callable(member) else ())
        assert set(keywords) <= known, f"{owner}.{name} does not take {set(keywords) - known}"


def test_what_is_listed_as_missing_is_playwrights() -> None:
    missing = re.findall(r"`page\.(\w+)`", PAGE.partition("## What has no equivalent")[2])
    assert missing
    assert [name for name in missing if not hasattr(theirs.Page, name)] == []
    assert [name for name in missing if hasattr(stillframe.Page, name)] == []
