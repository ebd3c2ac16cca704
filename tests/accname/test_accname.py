"""Roles and names of the page script against the table of cases, and the table against Chrome's own tree."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import pytest

from accname import table
from accname.answers import TWIN, Answer, chrome_says, core_says, show
from accname.table import Row
from stillframe.api.browser import Page

GROUPS = {"cases": table.cases(), "wpt": table.web_platform_tests()}


@pytest.mark.parametrize("group", GROUPS)
async def test_rows(page: Page, group: str) -> None:
    await page._tab.frames.main.evaluate(TWIN)
    wrong: dict[str, list[str]] = {"twin": [], "core": [], "chrome": []}
    apart = []
    for document in GROUPS[group]:
        twin = await show(page, document)
        wrong["twin"] += _wrong(zip(document.rows, twin, strict=True))
        core = await core_says(page)
        wrong["core"] += _wrong((_undescribed(document.rows[index]), answer) for index, answer in core.items())
        apart += [document.rows[index].id for index, answer in core.items() if not _agree(twin[index], answer)]
        chrome = await chrome_says(page)
        wrong["chrome"] += _wrong((document.rows[index], answer) for index, answer in chrome.items())
    rows = {row.id for document in GROUPS[group] for row in document.rows}
    _compare(wrong | {"apart": apart}, rows)


def _undescribed(row: Row) -> Row:
    return dataclasses.replace(row, description=None)


def _agree(twin: Answer, core: Answer) -> bool:
    return (twin.role, twin.name) == (core.role, core.name)


def _wrong(answers: Iterable[tuple[Row, Answer]]) -> list[str]:
    return [row.id for row, answer in answers if not answer.fits(row)]


def _compare(wrong: dict[str, list[str]], rows: set[str]) -> None:
    """Hold those that are wrong against those that are known to be: a row that is right again has to leave the list."""
    found = {who: sorted(set(ids)) for who, ids in wrong.items()}
    listed = {who: sorted(rows & table.known(who).keys()) for who in wrong}
    assert found == listed


def test_every_listed_row_exists() -> None:
    rows = {row.id for documents in GROUPS.values() for document in documents for row in document.rows}
    for who in ("twin", "core", "chrome", "apart"):
        assert table.known(who).keys() <= rows


def test_names_of_the_web_platform_tests() -> None:
    rows = [row for document in table.web_platform_tests() for row in document.rows if row.name is not None]
    for who in ("twin", "core"):
        wrong = [row for row in rows if row.id in table.known(who)]
        assert len(wrong) <= 0.03 * len(rows)


def test_the_table_is_large_and_its_ids_are_unique() -> None:
    ids = [row.id for documents in GROUPS.values() for document in documents for row in document.rows]
    assert len(ids) > 1000
    assert len(ids) == len(set(ids))
