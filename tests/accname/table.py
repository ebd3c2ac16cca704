"""The table of cases: elements with the role and the name that ARIA, accname and HTML-AAM give them.

`cases/*.html` are ours: every target carries its id, role and name as `data-case`, `data-role` and `data-name` ("" is
`generic` or `none`). `wpt/` is vendored. `known.json` lists by reason the rows that somebody answers otherwise.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

HERE = Path(__file__).parent
NO_VERDICT = (
    "description_1.0_combobox-focusable",
    "name_file-title",
    "name_test_case_659",
    "name_test_case_660",
    "name_test_case_751",
)
"""Pages of the web platform tests on which all browsers agree with one another and not with them."""


@dataclass(frozen=True, slots=True)
class Row:
    """One element and what is expected of it; None where nothing is."""

    id: str
    selector: str
    role: str | None
    name: str | None
    description: str | None


@dataclass(frozen=True, slots=True)
class Document:
    """The body of a page and its rows."""

    name: str
    body: str
    rows: tuple[Row, ...]


class _Targets(HTMLParser):
    def __init__(self, subject: str) -> None:
        super().__init__()
        self.subject = subject
        self.rows: list[Row] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        case = given.get("data-case")
        if case is None:
            return
        selector = f'[data-case="{case}"]'
        id_ = f"{self.subject}/{case}"
        self.rows.append(Row(id_, selector, given["data-role"], given["data-name"], given.get("data-description")))


def _case_file(path: Path) -> Document:
    body = path.read_text("utf-8")
    targets = _Targets(path.stem)
    targets.feed(body)
    return Document(path.stem, body, tuple(targets.rows))


@functools.cache
def cases() -> tuple[Document, ...]:
    """Return our own documents."""
    return tuple(_case_file(path) for path in sorted((HERE / "cases").glob("*.html")))


@functools.cache
def web_platform_tests() -> tuple[Document, ...]:
    """Return the vendored documents that count."""
    pages = json.loads((HERE / "wpt" / "wpt-accname.json").read_text("utf-8"))
    return tuple(_wpt(page) for page in pages if not any(name in page["file"] for name in NO_VERDICT))


def _wpt(page: dict[str, object]) -> Document:
    name = str(page["file"]).removeprefix("accname/").removesuffix(".html").removesuffix("-manual")
    checks: list[dict[str, str]] = page["checks"]  # type: ignore[assignment]
    rows = tuple(
        Row(f"{name}{check['selector']}", check["selector"], None, check.get("name"), check.get("description"))
        for check in checks
    )
    return Document(name, str(page["html"]), rows)


@functools.cache
def known(who: str) -> dict[str, str]:
    """Return the rows that `who` answers otherwise, with the reason of each.

    "twin" is the page script, "core" a snapshot, "chrome" Chrome's own tree; in "apart" are those that the page script
    and a snapshot answer differently.
    """
    reasons: dict[str, list[str]] = json.loads((HERE / "known.json").read_text("utf-8"))[who]
    return {row: reason for reason, rows in reasons.items() for row in rows}
