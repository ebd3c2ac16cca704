"""The chain of documents that one navigation goes through, without a browser: events in, state out."""

from __future__ import annotations

import time
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.cdp_types import network
from stillframe.cdp_types import page as cdp_page
from stillframe.tab.navigation.loading import EVENTS, MAX_DOCUMENTS, Loading

MAIN = "main"


def made(type_: type[Any], **fields: Any) -> Any:
    return msgspec.convert(fields, type_)


def started(loader: str, frame: str = MAIN, kind: str = "differentDocument") -> Any:
    fields = {"frameId": frame, "url": f"http://a/{loader}", "loaderId": loader, "navigationType": kind}
    return made(cdp_page.FrameStartedNavigating, **fields)


def committed(loader: str, frame: str = MAIN, type_: str = "Navigation", **more: Any) -> Any:
    info = {
        "id": frame,
        "loaderId": loader,
        "url": f"http://a/{loader}",
        "domainAndRegistry": "",
        "securityOrigin": "",
        "mimeType": "text/html",
        "secureContextType": "Secure",
        "crossOriginIsolatedContextType": "Isolated",
        "gatedAPIFeatures": [],
    }
    return made(cdp_page.FrameNavigated, frame=info | more, type=type_)


def lived(loader: str, name: str, frame: str = MAIN) -> Any:
    return made(cdp_page.LifecycleEvent, frameId=frame, loaderId=loader, name=name, timestamp=0.0)


def asked(url: str, disposition: str | None = "currentTab", frame: str = MAIN) -> Any:
    fields = {"frameId": frame, "reason": "scriptInitiated", "url": url, "disposition": disposition}
    return made(cdp_page.FrameRequestedNavigation, **fields)


def stopped(frame: str = MAIN) -> Any:
    return made(cdp_page.FrameStoppedLoading, frameId=frame)


def failed(loader: str, reason: str) -> Any:
    return made(network.LoadingFailed, requestId=loader, timestamp=0.0, type="Document", errorText=reason)


def heard(*events: Any, root: str | None = "A") -> Loading:
    loading = Loading(MAIN)
    for event in events:
        loading.hear(event)
    loading.follow(root)
    return loading


LOADED = (lived("A", "DOMContentLoaded"), lived("A", "load"))


def test_the_events_of_one_document() -> None:
    loading = heard(started("A"), committed("A"))
    assert [loading.arrived("commit"), loading.arrived("domcontentloaded"), loading.arrived("load")] == [1, 0, 0]
    loading.hear(lived("A", "DOMContentLoaded"))
    assert [loading.arrived("domcontentloaded"), loading.arrived("load")] == [1, 0]
    loading.hear(lived("A", "load"))
    assert loading.arrived("load")


def test_it_rests_when_its_last_document_has_ended_loading_and_leads_nowhere() -> None:
    assert heard().rests
    for under_way in [
        (started("A"),),
        (started("A"), committed("A")),
        (started("A"), committed("A"), stopped(), asked("http://a/B")),
        (started("A"), committed("A"), stopped(), started("B")),
        (started("A"), committed("A"), *LOADED, started("B"), committed("B")),
    ]:
        assert not heard(*under_way).rests
        loading = heard(*under_way, started("C"), committed("C"), stopped())
        assert loading.rests
    assert heard(started("A"), committed("A"), *LOADED).rests


def test_what_a_document_asked_for_before_its_load_is_waited_for() -> None:
    loading = heard(started("A"), committed("A"), asked("http://a/B"), *LOADED)
    assert not loading.arrived("load")
    loading.hear(started("B"))
    assert (loading.arrived("load"), loading.last_url) == (False, "http://a/B")
    loading.hear(committed("B"))
    loading.hear(lived("A", "load"))
    assert not loading.arrived("load"), "a document that is gone says nothing of the one that is there"
    loading.hear(lived("B", "load"))
    assert loading.arrived("load")


@pytest.mark.parametrize(
    "event",
    [
        asked("http://a/B", "newTab"),
        asked("javascript:void 0"),
        asked("http://a/B", frame="other"),
        started("B", frame="other"),
        started("B", kind="sameDocument"),
        committed("B", frame="other"),
    ],
)
def test_other_frames_tabs_and_places_lead_nowhere(event: Any) -> None:
    assert heard(started("A"), committed("A"), event, *LOADED).arrived("load")


def test_documents_before_the_one_that_was_asked_for_do_not_count() -> None:
    early = (started("0"), committed("0"), lived("0", "load"))
    assert heard(*early, started("A")).document is None
    assert heard(*early, root=None).arrived("load")


def test_a_document_whose_loading_was_stopped_has_arrived() -> None:
    loading = heard(started("A"), committed("A"), started("B"), stopped())
    assert loading.arrived("load"), "nothing else tells that a navigation without a request was given up"


def test_one_that_leads_to_no_document_stays() -> None:
    loading = heard(started("A"), committed("A"), started("B"), failed("B", "net::ERR_ABORTED"))
    assert not loading.leads_on
    loading.hear(stopped())
    assert loading.arrived("load")


def test_a_failure_waits_for_the_page_that_tells_of_it() -> None:
    loading = heard(started("A"), failed("A", "net::ERR_FAILED"))
    assert not loading.given_up
    loading.hear(committed("A", unreachableUrl="http://a/A"))
    assert loading.arrived("load")
    assert loading.document is not None
    assert loading.document.failed


def test_a_document_out_of_the_cache_has_its_load_behind_it() -> None:
    assert heard(committed("A", type_="BackForwardCacheRestore"), root=None).arrived("load")


def test_a_chain_is_endless_at_the_number_of_fetch() -> None:
    loading = heard(*(event for n in range(MAX_DOCUMENTS) for event in (started(f"{n}"), committed(f"{n}"))), root="0")
    assert not loading.endless
    loading.hear(committed("last"))
    assert loading.endless


def test_thousands_of_documents_take_no_time_to_speak_of() -> None:
    events = [event for n in range(2_000) for event in (asked("x"), started(f"{n}"), committed(f"{n}"), stopped())]
    loading = heard(root="0")
    began = time.process_time()
    for event in events:
        loading.hear(event)
        loading.arrived("load")
    assert time.process_time() - began < 5


ANY = st.sampled_from(
    [build(loader) for loader in "ABC" for build in (started, committed, lambda it: lived(it, "load"))]
    + [failed(loader, reason) for loader in "ABC" for reason in ("net::ERR_ABORTED", "net::ERR_FAILED")]
    + [asked("http://a/B"), stopped()]
)


@given(st.lists(ANY))
def test_whatever_comes_a_later_commit_arrives_earlier_than_a_load(events: list[Any]) -> None:
    loading = heard(*events)
    assert all(type(event) in EVENTS for event in events)
    assert loading.arrived("commit") or not loading.arrived("load")
    assert loading.arrived("commit") == (loading.document is not None)
    assert not (loading.given_up and loading.arrived("commit"))


# -- browsers before 134, which do not announce a navigation -----------------------------------------------------------


def requested(loader: str, *, kind: str = "Document", frame: str = MAIN, redirect: str = "", own: bool = True) -> Any:
    """The first request of a navigation, or of its redirect from another URL."""
    fields: dict[str, Any] = {
        "requestId": loader if own else "1000.1",
        "loaderId": loader,
        "documentURL": f"http://a/{loader}",
        "request": {"url": f"http://a/{loader}", "urlFragment": "#x", "method": "GET", "headers": {}}
        | {"initialPriority": "High", "referrerPolicy": "origin"},
        "timestamp": 0.0,
        "wallTime": 0.0,
        "initiator": {"type": "other"},
        "type": kind,
        "frameId": frame,
    }
    if redirect:
        fields["redirectResponse"] = {"url": redirect, "status": 302, "statusText": "", "headers": {}} | {
            "mimeType": "",
            "connectionReused": False,
            "connectionId": 0,
            "encodedDataLength": 0,
            "securityState": "neutral",
        }
    return made(network.RequestWillBeSent, **fields)


def test_the_first_request_starts_a_navigation_that_is_not_announced() -> None:
    loading = Loading(MAIN, announced=False)
    loading.hear(requested("L"))
    assert loading.last_url == "http://a/L#x"
    assert loading.leaving is not None
    assert loading.leaving.in_flight
    loading.hear(requested("L", redirect="http://a/first"))
    assert loading.redirected == {"L": "http://a/L"}
    loading.hear(committed("L"))
    assert loading.leaving is None
    loading.hear(lived("L", "load"))
    assert loading.arrived("load")


@pytest.mark.parametrize(
    "event",
    [requested("L", kind="Image"), requested("L", frame="child"), requested("L", own=False)],
    ids=["a resource", "another frame", "a request of the document"],
)
def test_other_requests_start_none(event: Any) -> None:
    loading = Loading(MAIN, announced=False)
    loading.hear(event)
    assert loading.leaving is None


def test_a_request_starts_no_navigation_where_they_are_announced() -> None:
    loading = Loading(MAIN)
    loading.hear(requested("L"))
    assert loading.leaving is None


def test_a_requested_navigation_without_a_disposition_is_one_of_this_tab() -> None:
    loading = Loading(MAIN)
    loading.hear(asked("http://a/next", disposition=None))
    assert loading.requested == "http://a/next"
