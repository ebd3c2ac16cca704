"""The settings and page methods of the Scrapy download handler, without a browser."""

from __future__ import annotations

from typing import Any

import pytest
from scrapy.settings import Settings

from stillframe.errors import ActionInvalid, OptionInvalid
from stillframe.farm.scrapy import PageMethod
from stillframe.farm.scrapy.page_methods import action_of
from stillframe.farm.scrapy.settings import read_settings
from stillframe.model.actions import Click, PressKey, SetValue, WaitFor


def test_settings_are_read() -> None:
    settings = read_settings(
        Settings(
            {
                "STILLFRAME_BLOCK": ["*.png"],
                "STILLFRAME_CONTEXTS": {"german": {"locale": "de-CH"}},
                "STILLFRAME_DEFAULT_NAVIGATION_TIMEOUT": "1500",
                "STILLFRAME_MAX_CONTEXTS": 3,
                "STILLFRAME_MAX_PAGES_PER_CONTEXT": 2,
            }
        )
    )
    assert (settings.navigation_timeout_ms, settings.max_pages_per_context) == (1500, 2)
    assert (settings.pool.contexts_per_browser, settings.pool.pages_per_browser) == (3, 16)
    assert settings.context_options("german", {"locale": "fr"}) == {"locale": "de-CH", "block": ("*.png",)}


@pytest.mark.parametrize(
    ("name", "value"),
    [("STILLFRAME_MAX_CONTEXT", 2), ("STILLFRAME_DEFAULT_NAVIGATION_TIMEOUT", 0), ("STILLFRAME_BROWSERS", 0)],
)
def test_wrong_settings_are_refused(name: str, value: Any) -> None:
    with pytest.raises(OptionInvalid):
        read_settings(Settings({name: value}))


@pytest.mark.parametrize(
    ("method", "action"),
    [
        (PageMethod("click", "#a", timeout=500), Click("#a", timeout_ms=500)),
        (PageMethod("fill", "#a", "x"), SetValue("#a", "x")),
        (PageMethod("press", "#a", "Enter"), PressKey("#a", "Enter")),
        (PageMethod("wait_for_selector", "#a", state="hidden"), WaitFor(selector="#a", state="hidden")),
        (PageMethod("title"), None),
        (Click("#a"), Click("#a")),
    ],
)
def test_page_methods_stand_for_actions(method: Any, action: Any) -> None:
    assert action_of(method) == action


def test_arguments_that_an_action_does_not_take_are_refused() -> None:
    with pytest.raises(ActionInvalid):
        action_of(PageMethod("click", "#a", force=True))
