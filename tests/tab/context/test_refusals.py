"""The record of refusals: bounded in memory whatever pages ask for, and nothing of a secret is left by a cut."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

from stillframe.cdp_types import network
from stillframe.chrome.policy_proxy import PolicyProxy
from stillframe.model.bounds import TEXT_CHARACTERS
from stillframe.model.secret import REDACTED
from stillframe.security.policy import UrlPolicy
from stillframe.security.redaction import Redaction
from stillframe.security.urls import Host
from stillframe.tab.context.refusals import KEPT, MAX_URL, Refusals
from stillframe.tab.events.recorder import KEPT as RECORDED
from stillframe.tab.events.recorder import EventRecorder

SECRET = "c4n4ry-under-ground"


class Asking:
    """A page that tells what it asks for, as Chrome would, without a browser."""

    target_id = "T1"

    def __init__(self, policy_proxy: PolicyProxy | None = None) -> None:
        redaction = Redaction()
        redaction.add(SECRET)
        self.recorder = EventRecorder()
        self.opener = None
        self.context = SimpleNamespace(redaction=redaction)
        self.refusals = Refusals(UrlPolicy(), policy_proxy)
        self._handlers: dict[Any, Callable[[Any], None]] = {}
        self.refusals.watch(self, self, ExitStack())  # type: ignore[arg-type]

    def on(self, kind: Any, handler: Callable[[Any], None]) -> Callable[[], None]:
        self._handlers[kind] = handler
        return lambda: None

    def fetch(self, url: str) -> None:
        event = SimpleNamespace(type="Fetch", request=SimpleNamespace(url=url))
        self._handlers[network.RequestWillBeSent](event)


def test_thousands_of_long_urls_are_counted_and_not_kept() -> None:
    asking = Asking()
    long = "x" * 200_000
    with asking.recorder.record() as record:
        for number in range(3000):
            asking.fetch(f"http://127.0.0.1/{number}/{long}")
    kept = [refused.url for refused in (*asking.refusals.all, *record.refused)]
    assert len(kept) == KEPT + RECORDED
    assert sum(map(sys.getsizeof, kept)) < 10_000_000
    assert {len(refused.url) for refused in asking.refusals.all} == {MAX_URL}
    assert {len(refused.url) for refused in record.refused} == {TEXT_CHARACTERS}
    assert all(url.endswith("xx…") for url in kept)
    assert asking.refusals.count == 3000
    assert asking.refusals.omitted == 3000 - KEPT
    assert record.omitted["refused"] == 3000 - RECORDED


def test_what_is_still_undecided_is_short_too() -> None:
    asking = Asking()
    for number in range(300):
        asking.fetch(f"http://allowed.test/{number}/{'x' * 100_000}")
    assert all(len(report.url) == MAX_URL for *_, report in asking.refusals._requested)


def test_a_url_that_is_short_enough_is_whole() -> None:
    asking = Asking()
    url = "http://127.0.0.1/".ljust(MAX_URL, "x")
    asking.fetch(url)
    assert asking.refusals.all[0].url == url


def test_a_scheme_of_any_length_is_a_short_rule() -> None:
    asking = Asking()
    asking.fetch("x" * 1_000_000 + ":y")
    assert len(asking.refusals.all[0].rule) < 200


def test_the_gate_learns_which_page_asks() -> None:
    """The page is known from what it says, so that its names wait in a turn of their own."""
    policy_proxy = PolicyProxy(UrlPolicy())
    asking = Asking(policy_proxy)
    place = Host("shop.test"), 8080
    assert policy_proxy._find_requester(*place) is None
    asking.fetch("http://shop.test:8080/x")
    assert policy_proxy._find_requester(*place) == "T1"
    assert policy_proxy._find_requester(Host("shop.test"), 80) is None


def test_no_cut_leaves_half_a_secret() -> None:
    asking = Asking()
    for before in range(MAX_URL - 2 * len(SECRET), MAX_URL + 1):
        asking.fetch("http://127.0.0.1/".ljust(before, "x") + SECRET + "y" * 100)
    for refused in asking.refusals.all:
        assert len(refused.url) <= MAX_URL
        assert refused.url.endswith("…")
        assert "c4" not in refused.url
    assert any(REDACTED in refused.url for refused in asking.refusals.all)
