"""The translation of CDP events into signals, where it depends on the browser."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stillframe.cdp_types import network, page
from stillframe.chrome.capabilities import Capabilities
from stillframe.settling import signals
from stillframe.settling.events import FRAMES, NETWORK, translations

MAIN = "main"


def heard(milestone: int | None, event: Any, *, worker: bool = False) -> list[signals.Signal]:
    """Return the signals that a session of a browser makes of an event."""
    pairs = translations(Capabilities(milestone), worker=worker)
    made = [translate(event, MAIN) for kind, translate in pairs if kind is type(event)]
    return [signal for signal in made if signal is not None]


def scheduled(delay: float = 0.0, url: str = "http://a/next") -> Any:
    return page.FrameScheduledNavigation(frame_id=MAIN, delay=delay, reason="scriptInitiated", url=url)


def request(**changed: Any) -> Any:
    fields = {
        "requestId": "L",
        "loaderId": "L",
        "documentURL": "http://a/",
        "request": {"url": "http://a/", "method": "GET", "headers": {}, "initialPriority": "High"}
        | {"referrerPolicy": "origin"},
        "timestamp": 0.0,
        "wallTime": 0.0,
        "initiator": {"type": "other"},
        "type": "Document",
        "frameId": MAIN,
    }
    return msgspec.convert(fields | changed, network.RequestWillBeSent)


def test_a_current_browser_needs_no_stand_ins() -> None:
    assert translations(Capabilities(156), worker=False) == [*NETWORK.items(), *FRAMES.items()]
    assert translations(Capabilities(None), worker=False) == [*NETWORK.items(), *FRAMES.items()]
    assert translations(Capabilities(74), worker=True) == list(NETWORK.items())


@pytest.mark.parametrize(("milestone", "starts"), [(74, True), (133, True), (134, False), (None, False)])
def test_the_first_request_of_a_document_starts_its_navigation(milestone: int | None, starts: bool) -> None:
    kinds = [type(signal) for signal in heard(milestone, request())]
    assert kinds == [signals.NavigationStarted, signals.RequestStarted][0 if starts else 1 :]


@pytest.mark.parametrize("changed", [{"type": "Image"}, {"requestId": "1.2"}, {"frameId": None}])
def test_other_requests_start_none(changed: dict[str, Any]) -> None:
    assert [type(signal) for signal in heard(74, request(**changed))] == [signals.RequestStarted]


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (scheduled(), [signals.NavigationRequested(MAIN, "http://a/next", True)]),
        (scheduled(delay=5), []),
        (scheduled(url="javascript:void 0"), []),
    ],
    ids=["at once", "later", "a script"],
)
def test_a_scheduled_navigation_is_a_requested_one_before_75(event: Any, expected: list[signals.Signal]) -> None:
    assert heard(74, event) == expected
    assert heard(75, event) == []


@pytest.mark.parametrize(
    ("reason", "delay", "awaited"),
    [
        ("metaTagRefresh", 1.5, True),
        ("httpHeaderRefresh", 2, True),
        ("metaTagRefresh", 5, False),
        ("metaTagRefresh", 0, False),
    ],
)
def test_a_refresh_after_a_short_while_is_a_requested_navigation(reason: str, delay: float, awaited: bool) -> None:
    event = msgspec.structs.replace(scheduled(delay), reason=reason)
    expected = [signals.NavigationRequested(MAIN, "http://a/next", True, delay * 1000)]
    assert heard(156, event) == (expected if awaited else [])


@pytest.mark.parametrize("disposition", [None, "currentTab", "download"])
def test_a_requested_navigation_without_a_disposition_is_one_of_this_tab(disposition: str | None) -> None:
    event = page.FrameRequestedNavigation(
        frame_id=MAIN, reason="anchorClick", url="http://a/next", disposition=disposition
    )
    assert heard(83, event) == [signals.NavigationRequested(MAIN, "http://a/next", True)]
