"""Settings of crawls, and the codes with which they end."""

from __future__ import annotations

from typing import Any

import pytest

from stillframe.errors import (
    CrawlExists,
    DiskFull,
    LaunchFailed,
    NavigationFailed,
    OptionInvalid,
    OutputInvalid,
    PoolTimeout,
    StoreUnavailable,
)
from stillframe.farm.crawl.settings import CrawlSettings, read_settings
from stillframe.farm.crawl.summary import errors_of
from stillframe.farm.exits import MEANINGS, CrawlExit, exit_for_error

GOOD: dict[str, Any] = {"urls": ("https://example.org/",)}


def test_settings_come_back_as_they_were_recorded() -> None:
    settings = CrawlSettings(**GOOD, include=("**/a/*",), formats=("warc", "jsonl"), depth=0).check()
    assert read_settings(settings.to_builtins()) == settings
    with pytest.raises(OptionInvalid, match="did not write"):
        read_settings({"urls": 7})


@pytest.mark.parametrize(
    "wrong",
    [
        {"urls": ()},
        {"urls": ("example.org",)},
        {"urls": ("http://a:99999/",)},
        {"urls": ("http://a/ b",)},
        {"name": "no spaces"},
        {"name": ""},
        {"max_pages": 0},
        {"depth": -1},
        {"robots_token": "Shop Bot"},
        {"robots_token": "ShopBot/1.0"},
        {"user_agent": " "},
        {"user_agent": "ShopBot\nHost: a"},
        {"robots_wait_s": -1},
        {"include": ("/only/a/path",)},
        {"exclude": ("**/{a",)},
        {"ignore_parameters": ("a=b",)},
        {"trap_pages": -1},
        {"max_per_pattern": 0},
        {"max_pages_per_host": 0},
        {"budgets": ("**/forum/**",)},
        {"budgets": ("**/forum/**=-1",)},
        {"budgets": ("**/forum/**=many",)},
        {"budgets": ("/forum/=5",)},
        {"priorities": ("**/docs/**=101",)},
        {"priorities": ("**/docs/**=1.5",)},
        {"priorities": ("**/{a=1",)},
        {"ignore_parameters": ("*",)},
        {"ignore_parameters": ("",)},
    ],
)
def test_what_is_wrong_is_named(wrong: dict[str, Any]) -> None:
    with pytest.raises(OptionInvalid):
        CrawlSettings(**{**GOOD, **wrong}).check()


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (DiskFull("x", path="/", free_bytes=0, needed_bytes=1), CrawlExit.OUT_OF_SPACE),
        (LaunchFailed("x"), CrawlExit.BROWSER),
        (PoolTimeout("x", reason="browsers"), CrawlExit.BROWSER),
        (StoreUnavailable("x", url="sqlite://"), CrawlExit.QUEUE),
        (OutputInvalid("x", path="/"), CrawlExit.USAGE),
        (CrawlExists("x", name="a"), CrawlExit.USAGE),
        (NavigationFailed("x", url="", reason=""), CrawlExit.FAILED),
        (KeyError(), CrawlExit.FAILED),
    ],
)
def test_each_error_has_its_exit_code(error: Exception, code: CrawlExit) -> None:
    assert exit_for_error(error) == code


def test_each_exit_code_has_a_meaning() -> None:
    assert set(MEANINGS) == set(CrawlExit)


def test_errors_are_ranked() -> None:
    assert list(errors_of({"done": 9, "failed:b": 1, "failed:a": 1, "failed:c": 5})) == ["c", "a", "b"]
