"""The settings and page methods of the Scrapy download handler, without a browser."""

from __future__ import annotations

from typing import Any

import pytest
from scrapy.settings import Settings

from stillframe.errors import ActionInvalid, OptionInvalid
from stillframe.farm.scrapy import PageMethod
from stillframe.farm.scrapy.page_methods import action_of, only_read
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
    ("name", "value", "text"),
    [
        ("CDP_URL", "http://127.0.0.1:9222", "connects to none"),
        ("CONNECT_URL", "ws://127.0.0.1:9", "a server of Playwright"),
        ("BROWSER_TYPE", "firefox", "only 'chromium' can be had"),
        ("RESTART_DISCONNECTED_BROWSER", False, "only True can be had"),
        ("TARGET_CLOSED_MAX_RETRIES", 3, "RETRY_TIMES"),
        ("LAUNCH_OPTIONS", {"headed": True}, "unknown launch option 'headed'"),
        ("CONTEXTS", {"x": {"javascript_on": False}}, "unknown option 'javascript_on'"),
        ("PROCESS_REQUEST_HEADERS", lambda *, playwright_request: {}, "page_request and scrapy_request"),
    ],
)
def test_settings_of_scrapy_playwright_without_a_meaning_say_what_to_do(name: str, value: Any, text: str) -> None:
    with pytest.raises(OptionInvalid, match=text):
        read_settings(Settings({f"STILLFRAME_{name}": value}))


def test_names_of_playwright_are_translated() -> None:
    settings = read_settings(
        Settings(
            {
                "STILLFRAME_BROWSER_TYPE": "chromium",
                "STILLFRAME_CONTEXTS": {"far": {"timezone_id": "Asia/Tokyo", "extra_http_headers": {"A": "b"}}},
                "STILLFRAME_DOWNLOAD_TIMEOUT": 100,
                "STILLFRAME_LAUNCH_OPTIONS": {"executable_path": "/bin/false", "timeout": 5000, "locale": "de-CH"},
            }
        )
    )
    assert settings.context_options("far", None) == {"timezone": "Asia/Tokyo", "extra_headers": {"A": "b"}}
    assert settings.launch_options == {"executable": "/bin/false", "timeout_ms": 5000, "locale": "de-CH"}
    assert settings.download_timeout_ms == 100


@pytest.mark.parametrize(
    ("methods", "only"),
    [
        ([PageMethod("wait_for_selector", "#a"), PageMethod("title"), WaitFor(selector="#a")], True),
        ([PageMethod("evaluate", "1")], False),
        ([PageMethod(print)], False),
        ([Click("#a")], False),
        (None, True),
    ],
)
def test_methods_that_only_read(methods: Any, only: bool) -> None:
    assert only_read(methods) is only


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
