"""The headers of a request that began before its tab was set up."""

from __future__ import annotations

from typing import Any

import pytest

from stillframe.tab.context.options import ContextOptions
from stillframe.tab.network.network import corrected

CHROMIUM = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari"
SENT = {"Accept": "*/*", "User-Agent": "Headless/1", "sec-ch-ua": '"A";v="1"', "sec-ch-ua-platform": '"Linux"'}
HINTS = {
    "sec-ch-ua": '"Not:A-Brand";v="8", "Chromium";v="149", "Google Chrome";v="149"',
    "sec-ch-ua-mobile": "?0",
    "sec-ch-ua-platform": '"Windows"',
}
LOWER = {name.lower(): value for name, value in SENT.items()}
CASES: dict[str, tuple[dict[str, Any], dict[str, str], dict[str, str]]] = {
    "no Chromium": ({"user_agent": "Own/1"}, {}, {"accept": "*/*", "user-agent": "Own/1"}),
    "a Chromium": ({"user_agent": CHROMIUM}, {}, {"accept": "*/*", "user-agent": CHROMIUM, **HINTS}),
    "a locale": ({"locale": "de-CH"}, {}, {**LOWER, "accept-language": "de-CH,de;q=0.9"}),
    "a language": ({"locale": "fr"}, {}, {**LOWER, "accept-language": "fr"}),
    "a header": ({}, {"X-Own": "1"}, {**LOWER, "x-own": "1"}),
    "a header that replaces one": (
        {"user_agent": "Own/1"},
        {"User-Agent": "Two"},
        {"accept": "*/*", "user-agent": "Two"},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_headers_become_those_of_the_context(case: str) -> None:
    options, extra, wanted = CASES[case]
    entries = corrected(SENT, ContextOptions(**options), extra)
    assert entries is not None
    assert {entry.name: entry.value for entry in entries} == wanted


def test_no_hints_are_added_where_chrome_sends_none() -> None:
    entries = corrected({"User-Agent": "Headless/1"}, ContextOptions(user_agent=CHROMIUM), {})
    assert entries is not None
    assert [entry.name for entry in entries] == ["user-agent"]


@pytest.mark.parametrize("options", [{}, {"user_agent": "Headless/1"}, {"timezone": "Asia/Tokyo"}])
def test_right_headers_are_left_alone(options: dict[str, Any]) -> None:
    assert corrected({"User-Agent": "Headless/1"}, ContextOptions(**options), {}) is None
